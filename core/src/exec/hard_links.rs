//! The other names (hard links) of files that a command must not write.
//!
//! A mount protects a path. A file that has a second name in a writable folder could be written by that
//! name. So if a protected file has more than one link, its other names are searched for and protected as
//! well. A command cannot make such a link itself, because the kernel allows none from one mount to
//! another, but one may have existed before.
//!
//! Most files have one name, and then nothing is searched for.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, DirEntry, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::not_run::NotRun;
use super::real::outermost;

/// How many files and folders are visited to find the other names for one command, so that its start
/// takes a bounded time.
const MOST_LOOKED_AT: usize = 1_000_000;

/// How many other names are protected for one command. Each costs a mount.
const MOST_FOUND: usize = 128;

/// How many files in one protected folder are checked for other names.
const MOST_IN_FOLDER: usize = 5_000;

/// Why other names were not found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfound {
    #[error(
        "`{0}` has other names (hard links), and there are too many files to look for them; give it a \
         file of its own, as with `cp -p` and `mv`"
    )]
    TooManyFiles(String),
    #[error(
        "`{0}` has more than {MOST_FOUND} other names (hard links) where the command may write; delete \
         them, or give it a file of its own, as with `cp -p` and `mv`"
    )]
    TooManyNames(String),
}

/// Files with several names, by device and number.
type Files = HashMap<(u64, u64), Names>;

/// The names of a file.
#[derive(Clone, Debug)]
struct Names {
    /// How many it has.
    all: u64,
    /// How many of them are protected.
    walled: u64,
    /// One of these.
    one: PathBuf,
}

/// The protected paths with the other names of their files, and with the other names of the files in
/// `kept`, which must not be written either. All paths are without links.
///
/// # Errors
/// Where these names cannot be found, or nothing can keep a command from writing by them.
pub(super) fn protected(
    mut protected: Vec<PathBuf>,
    mut kept: Vec<PathBuf>,
    write: &[PathBuf],
    has_mounts: bool,
) -> Result<Vec<PathBuf>, NotRun> {
    if has_mounts {
        kept.extend(protected.iter().cloned());
    } else {
        // A file in a folder that the command may write may be written by all its names.
        kept.retain(|path| !write.iter().any(|root| path.starts_with(root)));
    }
    let others = others(kept, write).map_err(|why| NotRun::Unconfined(why.to_string()))?;
    if let Some(other) = others.first().filter(|_| !has_mounts) {
        return Err(NotRun::Unconfined(format!(
            "`{}` is another name (a hard link) of a file that it must not write, and without \
             namespaces nothing keeps it from that; delete that name, or copy the file",
            other.display()
        )));
    }
    protected.extend(others);
    Ok(protected)
}

/// The other names that the files at and below `walled` have at and below `write`. All paths are without
/// links. A folder that a command could let itself into, and nobody may look into now, is one of them.
///
/// # Errors
/// Where they are too many, or there is too much to look at.
pub(super) fn others(mut walled: Vec<PathBuf>, write: &[PathBuf]) -> Result<Vec<PathBuf>, Unfound> {
    // A folder that contains a writable one is open at that place.
    walled.retain(|path| !write.iter().any(|root| root.starts_with(path)));
    let walled = outermost(walled);
    let devices: Vec<u64> = write.iter().filter_map(|path| Some(data(path)?.dev())).collect();
    let mut files = Files::new();
    for path in &walled {
        match data(path) {
            Some(data) if data.is_dir() && devices.contains(&data.dev()) => {
                look_below(path, &mut files);
            }
            Some(data) if data.is_file() => note(&mut files, path, &data),
            _ => {}
        }
    }
    files.retain(|_, names| names.walled < names.all);
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let mut search = Search { files, walled, left: MOST_LOOKED_AT, found: Vec::new() };
    search.run(write)?;
    Ok(outermost(search.found))
}

/// Records the files in a folder that have several names, those near the root first.
fn look_below(root: &Path, files: &mut Files) {
    let mut folders = VecDeque::from([root.to_owned()]);
    let mut left = MOST_IN_FOLDER;
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if left == 0 {
                return;
            }
            left -= 1;
            match entry.metadata() {
                Ok(data) if data.is_dir() => folders.push_back(entry.path()),
                Ok(data) if data.is_file() => note(files, &entry.path(), &data),
                _ => {}
            }
        }
    }
}

fn note(files: &mut Files, path: &Path, data: &Metadata) {
    if data.nlink() > 1 {
        let names = || Names { all: data.nlink(), walled: 0, one: path.to_owned() };
        files.entry((data.dev(), data.ino())).or_insert_with(names).walled += 1;
    }
}

/// A search of everything that a command may write.
struct Search {
    /// Of which files names are to be found.
    files: Files,
    walled: Vec<PathBuf>,
    /// How many may still be looked at.
    left: usize,
    found: Vec<PathBuf>,
}

impl Search {
    fn run(&mut self, write: &[PathBuf]) -> Result<(), Unfound> {
        let mut folders = Vec::new();
        for root in write {
            match data(root) {
                Some(data) if data.is_dir() => folders.push(root.clone()),
                Some(data) => self.meet(root, &data)?,
                None => {}
            }
        }
        while let Some(folder) = folders.pop() {
            if self.files.is_empty() {
                break;
            }
            if self.walled.iter().any(|path| folder.starts_with(path)) {
                continue;
            }
            match fs::read_dir(&folder) {
                Ok(entries) => {
                    for entry in entries.flatten() {
                        self.look_at(&entry, &mut folders)?;
                    }
                }
                // A command could change the folder's mode and enter it.
                Err(error) if error.kind() == ErrorKind::PermissionDenied && is_own(&folder) => {
                    let one = self.one();
                    self.add(folder, &one)?;
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn look_at(&mut self, entry: &DirEntry, folders: &mut Vec<PathBuf>) -> Result<(), Unfound> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| Unfound::TooManyFiles(self.one().display().to_string()))?;
        let Ok(kind) = entry.file_type() else { return Ok(()) };
        if kind.is_dir() {
            folders.push(entry.path());
        } else if kind.is_file() && self.files.keys().any(|(_, number)| *number == entry.ino()) {
            let path = entry.path();
            if let Some(data) = data(&path) {
                self.meet(&path, &data)?;
            }
        }
        Ok(())
    }

    /// Checks whether a file is another name of a protected one.
    fn meet(&mut self, path: &Path, data: &Metadata) -> Result<(), Unfound> {
        let number = (data.dev(), data.ino());
        let is_walled = self.walled.iter().any(|walled| path.starts_with(walled));
        let Some(names) = self.files.get_mut(&number).filter(|_| !is_walled) else {
            return Ok(());
        };
        names.walled += 1;
        let (one, is_last) = (names.one.clone(), names.walled >= names.all);
        if is_last {
            self.files.remove(&number);
        }
        self.add(path.to_owned(), &one)
    }

    /// Adds another name of `one`, or a folder that may hold some.
    fn add(&mut self, path: PathBuf, one: &Path) -> Result<(), Unfound> {
        if self.found.len() >= MOST_FOUND {
            return Err(Unfound::TooManyNames(one.display().to_string()));
        }
        self.found.push(path);
        Ok(())
    }

    /// A file of which names are still to be found.
    fn one(&self) -> PathBuf {
        self.files.values().next().map(|names| names.one.clone()).unwrap_or_default()
    }
}

/// What stands at a path, which is no link.
fn data(path: &Path) -> Option<Metadata> {
    fs::symlink_metadata(path).ok()
}

fn is_own(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    data(folder).is_some_and(|data| data.uid() == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct There {
        root: PathBuf,
        _folder: tempfile::TempDir,
    }

    impl There {
        fn new(files: &[&str]) -> There {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            for file in files {
                fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
                fs::write(root.join(file), "").unwrap();
            }
            There { root, _folder: folder }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.root.join(name)
        }

        fn link(&self, from: &str, to: &str) {
            fs::create_dir_all(self.at(to).parent().unwrap()).unwrap();
            fs::hard_link(self.at(from), self.at(to)).unwrap();
        }

        fn others(&self, walled: &[&str], write: &[&str]) -> Result<Vec<PathBuf>, Unfound> {
            let at = |names: &[&str]| names.iter().map(|name| self.at(name)).collect::<Vec<_>>();
            others(at(walled), &at(write))
        }

        fn found(&self, walled: &[&str], write: &[&str]) -> Vec<String> {
            let found = self.others(walled, write).unwrap();
            let name = |path: PathBuf| path.strip_prefix(&self.root).unwrap().display().to_string();
            found.into_iter().map(name).collect()
        }
    }

    #[test]
    fn other_names_of_files_and_of_what_lies_in_folders_are_found_where_they_are_written() {
        let there = There::new(&["w/AGENTS.md", "w/hooks/sub/run", "read/a", "alone", "w/other"]);
        assert!(there.found(&["w/AGENTS.md", "w/hooks", "read", "alone"], &["w"]).is_empty());
        there.link("w/AGENTS.md", "w/deep/er/x");
        there.link("w/AGENTS.md", "w/y");
        there.link("w/hooks/sub/run", "w/z");
        there.link("read/a", "w/a");
        there.link("w/other", "w/another");
        there.link("alone", "elsewhere/alone");
        let all = ["w/AGENTS.md", "w/hooks", "read", "alone"];
        assert_eq!(there.found(&all, &["w"]), ["w/a", "w/deep/er/x", "w/y", "w/z"]);
        assert_eq!(there.found(&all, &["w/deep"]), ["w/deep/er/x"]);
        assert_eq!(there.found(&all, &["w/y"]), ["w/y"], "a file can be what is written");
        assert!(there.found(&all, &["read"]).is_empty());
    }

    #[test]
    fn names_that_all_stand_behind_walls_are_not_looked_for() {
        let there = There::new(&["w/AGENTS.md"]);
        there.link("w/AGENTS.md", "w/CLAUDE.md");
        assert!(there.found(&["w/AGENTS.md", "w/CLAUDE.md"], &["w"]).is_empty());
        assert_eq!(there.found(&["w/AGENTS.md"], &["w"]), ["w/CLAUDE.md"]);
    }

    #[test]
    fn of_too_many_names_none_is_left_open() {
        let there = There::new(&["w/AGENTS.md"]);
        (0..=MOST_FOUND).for_each(|n| there.link("w/AGENTS.md", &format!("w/{n}")));
        let error = there.others(&["w/AGENTS.md"], &["w"]).unwrap_err().to_string();
        assert!(error.contains("w/AGENTS.md` has more than 128 other names"), "{error}");
    }
}
