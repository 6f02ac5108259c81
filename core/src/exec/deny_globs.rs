//! Finds what the globs of `files.deny` match on the disk now.
//!
//! A mount can only cover something that exists, so a glob is expanded to the files and folders that it
//! matches when a command starts. The search has bounds. Where they do not suffice the command does not
//! run: what may not be read must never be left open because there was too much of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::shell::denied::{self, Reading};

/// How many files and folders are visited for one command, so that its start takes a bounded time.
const MOST_VISITED: usize = 1_000_000;

/// How many matches are covered for one command. Each costs a mount.
const MOST_FOUND: usize = 128;

/// Why it could not be found out what globs close.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unresolved {
    #[error(
        "`files.deny` closes more than {MOST_FOUND} files below `{0}` one by one; close their folder"
    )]
    TooMuch(String),
    #[error("there are too many files below `{0}` to look for what `files.deny` closes")]
    TooMany(String),
    #[error(
        "more than {MOST_FOUND} folders cannot be looked through for what `files.deny` closes, such as \
         `{0}`; give them a mode that lets them be read (`chmod u+rx`)"
    )]
    Unreadable(String),
    #[error(transparent)]
    Names(#[from] super::hard_links::Unfound),
}

/// Replaces each glob by the files and folders that it matches, in each way that it can be read. Paths
/// stay as they are.
///
/// # Errors
/// If there are too many. What may not be read must not be left open.
pub(crate) fn expand(entries: impl Iterator<Item = PathBuf>) -> Result<Vec<PathBuf>, Unresolved> {
    let mut paths = Vec::new();
    let mut globs: BTreeMap<PathBuf, Vec<Reading>> = BTreeMap::new();
    for entry in entries {
        let is_glob = |text: &&str| text.starts_with('/') && denied::is_glob(text);
        let Some(text) = entry.to_str().filter(is_glob) else {
            paths.push(entry);
            continue;
        };
        for reading in denied::readings(text) {
            match reading.is_path() {
                true => paths.push(reading.root()),
                false => globs.entry(reading.root()).or_default().push(reading.folded()),
            }
        }
    }
    let mut left = MOST_VISITED;
    for (root, globs) in globs {
        // A glob over the whole machine is only enforced by the analysis of the command.
        if root.parent().is_some() {
            find(&root, &globs, &mut left, &mut paths)?;
        }
    }
    Ok(paths)
}

fn find(
    root: &Path,
    globs: &[Reading],
    left: &mut usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), Unresolved> {
    let most = found.len() + MOST_FOUND;
    let mut unread = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        match search_folder(&folder, globs, left, found, &mut folders) {
            Err(NotSearched::TooMany) => return Err(Unresolved::TooMany(shown(root))),
            // It may hold anything.
            Err(NotSearched::Failed(error))
                if error.kind() != ErrorKind::NotFound && can_be_opened(&folder) =>
            {
                unread.push(folder);
            }
            Ok(()) | Err(NotSearched::Failed(_)) => {}
        }
        if unread.len() > MOST_FOUND {
            return Err(Unresolved::Unreadable(shown(&unread[0])));
        }
        if found.len() > most {
            return Err(Unresolved::TooMuch(shown(root)));
        }
    }
    found.extend(unread);
    Ok(())
}

/// True for a folder that a command could make readable for itself, because the user owns it.
fn can_be_opened(folder: &Path) -> bool {
    let own = rustix::process::geteuid();
    own.is_root() || fs::symlink_metadata(folder).is_ok_and(|data| data.uid() == own.as_raw())
}

/// Why a folder was not searched.
enum NotSearched {
    TooMany,
    Failed(io::Error),
}

impl From<io::Error> for NotSearched {
    fn from(error: io::Error) -> NotSearched {
        NotSearched::Failed(error)
    }
}

/// Visits everything in a folder: collects what globs match, and the folders still to be searched.
fn search_folder(
    folder: &Path,
    globs: &[Reading],
    left: &mut usize,
    found: &mut Vec<PathBuf>,
    folders: &mut Vec<PathBuf>,
) -> Result<(), NotSearched> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        *left = left.checked_sub(1).ok_or(NotSearched::TooMany)?;
        if globs.iter().any(|one| denied::is_closed_by(one, &path)) {
            found.push(path);
        } else if entry.file_type()?.is_dir() {
            folders.push(path);
        }
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;
    use crate::exec::real::RealPaths;
    use crate::exec::stat_cache::Probe;

    #[test]
    fn a_glob_is_what_it_finds_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir_all(at("a/private.d/deep")).unwrap();
        fs::create_dir_all(at("b")).unwrap();
        for file in [
            "a/b/one.pem",
            "two.PEM",
            "a/three.txt",
            "a/private.d/four.pem",
            "app[1]",
            "b/n[1].txt",
        ] {
            fs::write(at(file), "").unwrap();
        }
        let entries =
            ["**/*.pem", "a/priv*", "app[1]", "none", "b*/none", r"**/n\[1\].txt"].map(at);
        let mut probe = Probe::once();
        let paths = expand(entries.into_iter()).unwrap();
        let found = RealPaths::of_now(&mut probe).outermost(paths);
        assert_eq!(
            found,
            ["a/b/one.pem", "a/private.d", "app[1]", "b/n[1].txt", "two.PEM"].map(at)
        );
        let odd = root.join(OsStr::from_bytes(b"no \xff text.pem"));
        fs::write(&odd, "").unwrap();
        let found = expand(std::iter::once(at("*.pem"))).unwrap();
        assert!(found.contains(&odd), "{found:?}");
        (0..200).for_each(|n| fs::write(at(&format!("{n}.pem")), "").unwrap());
        let error = expand(std::iter::once(at("**/*.pem"))).unwrap_err();
        assert!(error.to_string().contains("more than 128 files"), "{error}");
    }
}
