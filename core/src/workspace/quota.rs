//! How much may be written into a folder that several agents share.
//!
//! Every writer is checked in the same two places: its path when the file is found, and its size and the
//! number of files as the last step, under the locks of the file and of the shared folder. So two that
//! create a file at the same moment, in whatever process, never make one too many.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::{Dir, MetadataExt as _};

use super::deny::Folded;
use super::folder_lock::FolderLock;
use super::resolve::Place;
use super::wait::Wait;
use super::{Error, RelativePath, Workspace};

/// How deep a shared folder is counted through. What is deeper counts as too much.
const DEEPEST: usize = 64;

/// The rules of a shared folder.
#[derive(Clone, Debug)]
pub(crate) struct Quota {
    /// The folder.
    pub folder: Workspace,
    /// The caller only reads there.
    pub is_reviewer: bool,
    /// Endings that no file may have, without the dot, in lower case.
    pub extensions: Vec<String>,
    /// The most bytes of one file.
    pub max_bytes: u64,
    /// The most files in the folder and all below it.
    pub max_files: usize,
}

/// The rules of a shared folder, seen from a root.
#[derive(Debug)]
pub(super) struct QuotaInRoot {
    quota: Arc<Quota>,
    /// Where the folder lies in the root; none if the root lies in the folder.
    at: Option<Folded>,
}

impl QuotaInRoot {
    /// None if neither lies in the other.
    pub(super) fn new(quota: &Arc<Quota>, root: &Path) -> Option<QuotaInRoot> {
        let folder = quota.folder.real_root();
        let at = match (root.strip_prefix(folder), folder.strip_prefix(root)) {
            (Ok(_), _) => None,
            (_, Ok(at)) => Some(Folded::new(at)),
            _ => return None,
        };
        Some(QuotaInRoot { quota: quota.clone(), at })
    }

    fn covers(&self, target: &Path) -> bool {
        self.at.as_ref().is_none_or(|at| Folded::new(target).within(at).is_some())
    }

    /// An error if the caller may not write this file at all.
    pub(super) fn check_path(&self, path: &RelativePath, target: &Path) -> Result<(), Error> {
        if !self.covers(target) {
            return Ok(());
        }
        if self.quota.is_reviewer {
            return Err(Error::Reviewed { path: path.to_string() });
        }
        let name = target.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let name = name.unwrap_or_default();
        // Some systems leave these out at the end of a name.
        let ending = name.trim_end_matches(['.', ' ']).rsplit_once('.').map(|(_, ending)| ending);
        match ending {
            Some(ending) if self.quota.extensions.iter().any(|refused| refused == ending) => {
                Err(Error::Extension { path: path.to_string(), extension: ending.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

impl Place {
    /// An error if the file may not come to have so many bytes. What it gives is to be held until
    /// the file is written. To be asked under the lock of the file's folder.
    pub(super) fn admit(
        &self,
        path: &RelativePath,
        bytes: u64,
        wait: Wait,
    ) -> Result<Vec<FolderLock>, Error> {
        let quota_in_root =
            self.rules.quotas.iter().filter(|quota_in_root| quota_in_root.covers(&self.target));
        let held = quota_in_root
            .map(|quota_in_root| self.admit_by(&quota_in_root.quota, path, (bytes, wait)));
        Ok(held.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn admit_by(
        &self,
        quota: &Quota,
        path: &RelativePath,
        (bytes, wait): (u64, Wait),
    ) -> Result<Option<FolderLock>, Error> {
        if bytes > quota.max_bytes {
            let (path, max) = (path.to_string(), quota.max_bytes);
            return Err(Error::TooLarge { path, bytes, max, remedy: "split it into several" });
        }
        match self.dir.symlink_metadata(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // The file exists already, so the number of files does not grow.
            _ => return Ok(None),
        }
        let failed = |error| Error::from_io(path, "count the files around", error);
        let (here, root) = (self.dir.dir_metadata(), quota.folder.dir().dir_metadata());
        let (here, root) = (here.map_err(failed)?, root.map_err(failed)?);
        // A folder has one lock, which is held already if the file is directly in this folder.
        let is_own = (here.dev(), here.ino()) == (root.dev(), root.ino());
        let lock = if is_own { None } else { FolderLock::take(path, quota.folder.dir(), wait)? };
        let mut left = quota.max_files;
        if !has_room(quota.folder.dir(), &mut left, DEEPEST).map_err(failed)? {
            return Err(Error::TooManyFiles { path: path.to_string(), max: quota.max_files });
        }
        Ok(lock)
    }
}

/// Counts the files of a folder off from `left`. False if no room is left for one more.
fn has_room(dir: &Dir, left: &mut usize, depth: usize) -> io::Result<bool> {
    if depth == 0 {
        return Ok(false);
    }
    for entry in dir.entries()? {
        let entry = entry?;
        let is_folder = match entry.file_type() {
            Ok(kind) => kind.is_dir(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if is_folder {
            match entry.open_dir() {
                Ok(folder) if !has_room(&folder, left, depth - 1)? => return Ok(false),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            continue;
        }
        if super::replace::is_temporary(&entry.file_name()) {
            continue;
        }
        let Some(fewer) = left.checked_sub(1) else { return Ok(false) };
        *left = fewer;
    }
    Ok(*left > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::workspace::rules::Rules;
    use crate::workspace::{Edit, WriteMode};

    fn shared(root: &Path, folder: &Path, max_files: usize) -> Workspace {
        let quota = Quota {
            folder: Workspace::open(folder).unwrap(),
            is_reviewer: false,
            extensions: vec!["exe".into()],
            max_bytes: 10,
            max_files,
        };
        let rules = Rules { quotas: vec![Arc::new(quota)], ..Rules::default() };
        Workspace::open(root).unwrap().ruled(rules)
    }

    fn write(workspace: &Workspace, path: &str, text: &str, mode: WriteMode) -> Result<(), Error> {
        workspace.write(&workspace.relative(path)?, text.as_bytes(), mode).map(drop)
    }

    #[test]
    fn the_resulting_size_counts_on_every_writer() {
        let root = tempfile::tempdir().unwrap();
        let team = shared(root.path(), root.path(), 100);
        write(&team, "a", "0123456789", WriteMode::Replace).unwrap();
        for mode in [WriteMode::Replace, WriteMode::Append] {
            let text = if mode == WriteMode::Append { "x" } else { "0123456789x" };
            let error = write(&team, "a", text, mode).unwrap_err();
            assert!(matches!(error, Error::TooLarge { bytes: 11, max: 10, .. }), "{error}");
        }
        let edit = Edit { old: "9".into(), new: "xx".into(), replace_all: false };
        let error = team.edit(&team.relative("a").unwrap(), &edit).unwrap_err();
        assert!(matches!(error, Error::TooLarge { bytes: 11, .. }), "{error}");
        assert_eq!(std::fs::read(root.path().join("a")).unwrap(), b"0123456789");
    }

    #[test]
    fn files_of_all_folders_count_and_those_that_are_there_may_change() {
        let root = tempfile::tempdir().unwrap();
        let team = shared(root.path(), root.path(), 2);
        write(&team, "a/b/c", "1", WriteMode::Replace).unwrap();
        write(&team, "d", "1", WriteMode::Append).unwrap();
        for (path, mode) in [("e", WriteMode::Replace), ("a/f", WriteMode::Append)] {
            let error = write(&team, path, "1", mode).unwrap_err();
            assert!(matches!(error, Error::TooManyFiles { max: 2, .. }), "{error}");
        }
        write(&team, "a/b/c", "2", WriteMode::Replace).unwrap();
        write(&team, "d", "2", WriteMode::Append).unwrap();
    }

    #[test]
    fn endings_are_refused_however_they_are_spelled_and_by_links() {
        let root = tempfile::tempdir().unwrap();
        let team = shared(root.path(), root.path(), 100);
        std::os::unix::fs::symlink("x.exe", root.path().join("link.txt")).unwrap();
        for path in ["x.exe", "X.EXE", "a.txt.Exe", "x.exe.", "x.exe ", ".exe", "link.txt"] {
            let error = write(&team, path, "1", WriteMode::Replace).unwrap_err();
            assert!(matches!(error, Error::Extension { .. }), "{path}: {error}");
            assert_eq!(error.code(), Code::AccessDenied);
        }
        write(&team, "exe", "1", WriteMode::Replace).unwrap();
        write(&team, "x.exe.txt", "1", WriteMode::Replace).unwrap();
    }

    #[test]
    fn the_rules_hold_where_the_folder_lies_in_the_root_and_nowhere_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("team");
        std::fs::create_dir(&folder).unwrap();
        let around = shared(root.path(), &folder, 100);
        write(&around, "x.exe", "a long enough text", WriteMode::Replace).unwrap();
        assert!(write(&around, "team/x.exe", "1", WriteMode::Replace).is_err());
        assert!(write(&around, "team/../team/a/x.exe", "1", WriteMode::Replace).is_err());
        write(&around, "team/a", "1", WriteMode::Replace).unwrap();
        std::fs::create_dir(folder.join("inner")).unwrap();
        let inside = shared(&folder.join("inner"), &folder, 1);
        let error = write(&inside, "b", "1", WriteMode::Replace).unwrap_err();
        assert!(matches!(error, Error::TooManyFiles { .. }), "{error}");
    }

    #[test]
    fn many_who_make_files_at_once_come_to_no_more_than_there_may_be() {
        let root = tempfile::tempdir().unwrap();
        let made: usize = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..8)
                .map(|task| {
                    let team = shared(root.path(), root.path(), 10);
                    scope.spawn(move || {
                        let mode = [WriteMode::Replace, WriteMode::Append][task % 2];
                        let write = |n| write(&team, &format!("{}/{task}-{n}", n % 3), "1", mode);
                        (0..5).filter(|n| write(*n).is_ok()).count()
                    })
                })
                .collect();
            tasks.into_iter().map(|task| task.join().unwrap()).sum()
        });
        let folders = (0..3).map(|n| std::fs::read_dir(root.path().join(n.to_string())).unwrap());
        assert_eq!((made, folders.map(Iterator::count).sum::<usize>()), (10, 10));
    }
}
