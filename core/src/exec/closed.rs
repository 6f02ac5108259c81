//! What the owner closes by globs, as it stands on the disk now: a wall needs a place to stand at.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::denied;

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
}

/// Every path as it is, and in place of every glob the files and folders that it finds.
///
/// # Errors
/// Where these are too many. What may not be read must not be left open.
pub(crate) fn spelled_out(entries: impl Iterator<Item = PathBuf>) -> Result<Vec<PathBuf>, Unknown> {
    let mut paths = Vec::new();
    let mut globs: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let text = entry.to_str().filter(|text| text.starts_with('/'));
        match text.and_then(|text| Some((text, denied::glob_root(text)?))) {
            // A name may look like a glob.
            Some((text, root)) if !entry.exists() => {
                globs.entry(Path::new("/").join(root)).or_default().push(text.to_owned());
            }
            _ => paths.push(entry),
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
    globs: &[String],
    left: &mut usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), Unknown> {
    let most = found.len() + MOST_FOUND;
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            *left = left.checked_sub(1).ok_or_else(|| Unknown::TooMany(shown(root)))?;
            let is_closed =
                path.to_str().is_some_and(|path| globs.iter().any(|one| denied::closes(one, path)));
            if is_closed {
                found.push(path);
                if found.len() > most {
                    return Err(Unknown::TooMuch(shown(root)));
                }
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            }
        }
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
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
        for file in ["a/b/one.pem", "two.PEM", "a/three.txt", "a/private.d/four.pem", "app[1]"] {
            fs::write(at(file), "").unwrap();
        }
        let entries = ["**/*.pem", "a/priv*", "app[1]", "none", "b*/none"].map(at);
        let mut look = Look::once();
        let paths = spelled_out(entries.into_iter()).unwrap();
        let found = RealPaths::of_now(&mut look).outermost(paths);
        assert_eq!(found, ["a/b/one.pem", "a/private.d", "app[1]", "two.PEM"].map(at));
        (0..200).for_each(|n| fs::write(at(&format!("{n}.pem")), "").unwrap());
        let error = spelled_out(std::iter::once(at("**/*.pem"))).unwrap_err();
        assert!(error.to_string().contains("more than 128 files"), "{error}");
    }
}
