//! Paths of this machine as they are without links.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::stat_cache::{Probe, There};

/// How many links are followed from one to the next. Where there are more, the system is asked.
const MOST_LINKS: usize = 16;

/// Where the paths of one command lead. Most of them lie in a few folders, and the way to each of these is
/// looked at once.
#[derive(Debug)]
pub(crate) struct RealPaths<'l> {
    probe: &'l mut Probe,
    folders: HashMap<PathBuf, Option<PathBuf>>,
    /// How many links have been followed to here.
    links: usize,
}

impl<'l> RealPaths<'l> {
    /// The paths as they are now.
    pub(super) fn of_now(probe: &'l mut Probe) -> RealPaths<'l> {
        RealPaths { probe, folders: HashMap::new(), links: 0 }
    }

    /// The path without links. None if nothing is there.
    pub(crate) fn of(&mut self, path: &Path) -> Option<PathBuf> {
        if path == Path::new("/") {
            return Some(path.to_owned());
        }
        let (true, Some(folder), Some(name)) =
            (path.is_absolute(), path.parent(), path.file_name())
        else {
            return self.asked(path);
        };
        let at = self.folder(folder)?.join(name);
        match self.probe.at(&at)? {
            There::Nothing => None,
            There::Link => self.behind(&at),
            There::Folder | There::Other => Some(at),
        }
    }

    /// The path with no link in it but at its end. None if nothing is there.
    pub(super) fn named(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return self.of(path);
        };
        let at = self.folder(folder)?.join(name);
        (self.probe.at(&at)? != There::Nothing).then_some(at)
    }

    /// Where a link leads.
    fn behind(&mut self, link: &Path) -> Option<PathBuf> {
        let target = fs::read_link(link).ok()?;
        let text = target.as_os_str().as_bytes();
        let is_simple = !text.ends_with(b"/")
            && !text.ends_with(b"/.")
            && target
                .components()
                .all(|part| !matches!(part, Component::ParentDir | Component::CurDir));
        if !is_simple || self.links == MOST_LINKS {
            return self.asked(link);
        }
        self.links += 1;
        let real = self.of(&link.parent()?.join(target));
        self.links -= 1;
        real
    }

    /// What the system says. It does not report which folders it looked in.
    fn asked(&mut self, path: &Path) -> Option<PathBuf> {
        self.probe.mark_incomplete();
        path.canonicalize().ok()
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
        outermost(paths.into_iter().filter_map(|path| self.of(&path)).collect())
    }
}

/// Those paths that lie in no other. They have no links.
pub(super) fn outermost(mut all: Vec<PathBuf>) -> Vec<PathBuf> {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_real_path_is_what_the_system_says_of_every_path() {
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
            ("a/../a/b", "six"),
            ("a/b/", "seven"),
            ("a/file/", "eight"),
            ("a/file/.", "nine"),
            ("./a", "ten"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let mut probe = Probe::once();
        let mut real = RealPaths::of_now(&mut probe);
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
            "six",
            "seven",
            "eight",
            "nine",
            "ten/b",
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
        let found = RealPaths::of_now(&mut Probe::once()).outermost(paths);
        assert_eq!(found, [root.join("a"), root.join("ab")]);
    }
}
