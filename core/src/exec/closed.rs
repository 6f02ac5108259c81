//! What the owner closes by globs, as it stands on the disk now: a wall needs a place to stand at.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::shell::denied::{self, Reading};

/// How many files and folders are looked at for one command.
const MOST_LOOKED_AT: usize = 1_000_000;

/// How many that globs find are covered for one command.
const MOST_FOUND: usize = 128;

/// Why it cannot be said what globs close.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unknown {
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

/// Every path as it is, and in place of every glob the files and folders that it finds, in each way
/// that it is read.
///
/// # Errors
/// Where these are too many. What may not be read must not be left open.
pub(crate) fn spelled_out(entries: impl Iterator<Item = PathBuf>) -> Result<Vec<PathBuf>, Unknown> {
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
    let mut left = MOST_LOOKED_AT;
    for (root, globs) in globs {
        // Of a whole machine only the judge keeps what is closed.
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
) -> Result<(), Unknown> {
    let most = found.len() + MOST_FOUND;
    let mut unread = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        match look_in(&folder, globs, left, found, &mut folders) {
            Err(NotLooked::TooMany) => return Err(Unknown::TooMany(shown(root))),
            // It may hold anything.
            Err(NotLooked::Failed(error))
                if error.kind() != ErrorKind::NotFound && can_be_opened(&folder) =>
            {
                unread.push(folder);
            }
            Ok(()) | Err(NotLooked::Failed(_)) => {}
        }
        if unread.len() > MOST_FOUND {
            return Err(Unknown::Unreadable(shown(&unread[0])));
        }
        if found.len() > most {
            return Err(Unknown::TooMuch(shown(root)));
        }
    }
    found.extend(unread);
    Ok(())
}

/// True for a folder that a command could let itself look into: it is the user's own.
fn can_be_opened(folder: &Path) -> bool {
    let own = rustix::process::geteuid();
    own.is_root() || fs::symlink_metadata(folder).is_ok_and(|data| data.uid() == own.as_raw())
}

/// Why a folder was not looked through.
enum NotLooked {
    TooMany,
    Failed(io::Error),
}

impl From<io::Error> for NotLooked {
    fn from(error: io::Error) -> NotLooked {
        NotLooked::Failed(error)
    }
}

/// Looks at all that stands in a folder: what globs find there, and which folders are still to be looked
/// through.
fn look_in(
    folder: &Path,
    globs: &[Reading],
    left: &mut usize,
    found: &mut Vec<PathBuf>,
    folders: &mut Vec<PathBuf>,
) -> Result<(), NotLooked> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        *left = left.checked_sub(1).ok_or(NotLooked::TooMany)?;
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
    use crate::exec::looks::Look;
    use crate::exec::real::RealPaths;

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
        let mut look = Look::once();
        let paths = spelled_out(entries.into_iter()).unwrap();
        let found = RealPaths::of_now(&mut look).outermost(paths);
        assert_eq!(
            found,
            ["a/b/one.pem", "a/private.d", "app[1]", "b/n[1].txt", "two.PEM"].map(at)
        );
        let odd = root.join(OsStr::from_bytes(b"no \xff text.pem"));
        fs::write(&odd, "").unwrap();
        let found = spelled_out(std::iter::once(at("*.pem"))).unwrap();
        assert!(found.contains(&odd), "{found:?}");
        (0..200).for_each(|n| fs::write(at(&format!("{n}.pem")), "").unwrap());
        let error = spelled_out(std::iter::once(at("**/*.pem"))).unwrap_err();
        assert!(error.to_string().contains("more than 128 files"), "{error}");
    }
}
