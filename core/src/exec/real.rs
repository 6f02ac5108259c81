//! Paths of this machine as they are without links.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the paths of one command lead. Most of them lie in a few folders, and the way to each of these is
/// looked at once.
#[derive(Debug, Default)]
pub(crate) struct RealPaths {
    folders: HashMap<PathBuf, Option<PathBuf>>,
}

impl RealPaths {
    /// The path without links. None if nothing is there.
    pub(crate) fn of(&mut self, path: &Path) -> Option<PathBuf> {
        let (true, Some(folder), Some(name)) =
            (path.is_absolute(), path.parent(), path.file_name())
        else {
            return path.canonicalize().ok();
        };
        let at = self.folder(folder)?.join(name);
        match fs::symlink_metadata(&at).ok()?.is_symlink() {
            true => at.canonicalize().ok(),
            false => Some(at),
        }
    }

    fn folder(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let real = self.of(folder);
        self.folders.insert(folder.to_owned(), real.clone());
        real
    }

    /// Paths without links, those that exist, and none that lies in another.
    pub(crate) fn outermost(&mut self, paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = paths.into_iter().filter_map(|path| self.of(&path)).collect();
        all.sort();
        all.dedup();
        let mut outermost: Vec<PathBuf> = Vec::new();
        for path in all {
            if !outermost.iter().any(|folder| path.starts_with(folder)) {
                outermost.push(path);
            }
        }
        outermost
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_is_what_the_system_says_of_every_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        for (target, link) in [
            ("a", "one"),
            ("one/b", "two"),
            ("a/file", "three"),
            ("none", "four"),
            ("five", "five"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let mut real = RealPaths::default();
        for path in [
            "",
            "a",
            "a/b",
            "a/b/..",
            "a/../one/file",
            "one",
            "one/b",
            "two",
            "two/..",
            "two/../file",
            "three",
            "three/x",
            "four",
            "five",
            "five/x",
            "none",
            "none/x",
            "a/file/x",
            "a/./b/.",
        ] {
            let path = root.join(path);
            assert_eq!(real.of(&path), path.canonicalize().ok(), "{}", path.display());
        }
        for path in ["/", "/..", "src", "src/../src"] {
            assert_eq!(real.of(Path::new(path)), Path::new(path).canonicalize().ok(), "{path}");
        }
    }

    #[test]
    fn what_lies_in_another_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("ab")).unwrap();
        let paths = ["a/b", "a", "ab", "none"].map(|name| root.join(name));
        assert_eq!(RealPaths::default().outermost(paths), [root.join("a"), root.join("ab")]);
    }
}
