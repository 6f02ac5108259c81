//! Folders on this machine that belong to one runtime.
//!
//! They are removed when the runtime is closed. If its process is killed they stay, and the next runtime
//! removes them: a living owner holds a lock in each of its folders, which works across namespaces.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

/// What the names of such folders begin with.
pub(super) const PREFIX: &str = "toolkeep-run-";

/// How old a folder is at least whose lock its owner has taken: it makes the one before it takes the other.
const SETTLED: Duration = Duration::from_secs(60);

/// Locks a file for as long as this process, and whoever it hands the file to, has it open.
///
/// # Errors
/// Where somebody else has locked it, or files there cannot be locked.
pub(super) fn hold(file: impl AsFd) -> io::Result<()> {
    flock(file, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from)
}

/// The folders in a folder whose owner is gone. `lock` is the file in each that an owner holds.
pub(super) fn left_in(folder: &Path, lock: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let ours = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(PREFIX));
    let named = entries.flatten().filter(|entry| ours(&entry.file_name()));
    named.map(|entry| entry.path()).filter(|folder| is_left(folder, lock)).collect()
}

fn is_left(folder: &Path, lock: &str) -> bool {
    let own = |folder: &Path| {
        let data = fs::symlink_metadata(folder).ok()?;
        let age = data.modified().ok()?.elapsed().ok()?;
        let is_own = data.is_dir() && data.uid() == rustix::process::geteuid().as_raw();
        Some(is_own && age >= SETTLED)
    };
    own(folder) == Some(true) && File::open(folder.join(lock)).is_ok_and(|file| hold(file).is_ok())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;

    const LOCK: &str = "owner";

    /// A folder with a lock, made two minutes ago.
    fn folder(root: &Path, name: &str) -> (PathBuf, File) {
        let folder = root.join(name);
        fs::create_dir(&folder).unwrap();
        let lock = File::create(folder.join(LOCK)).unwrap();
        age(&folder);
        (folder, lock)
    }

    fn age(folder: &Path) {
        let before = SystemTime::now() - 2 * SETTLED;
        File::open(folder).unwrap().set_modified(before).unwrap();
    }

    #[test]
    fn a_folder_is_left_once_nobody_holds_its_lock() {
        let root = tempfile::tempdir().unwrap();
        let (left, lock) = folder(root.path(), "toolkeep-run-a");
        hold(&lock).unwrap();
        assert!(left_in(root.path(), LOCK).is_empty());
        // A process that the file was handed to holds the lock, too.
        let handed = lock.try_clone().unwrap();
        drop(lock);
        assert!(left_in(root.path(), LOCK).is_empty());
        drop(handed);
        assert_eq!(left_in(root.path(), LOCK), [left]);
    }

    #[test]
    fn what_is_new_or_is_none_of_ours_is_not() {
        let root = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        folder(root.path(), "toolkeep-demo");
        let (other, _lock) = folder(elsewhere.path(), "toolkeep-run-b");
        symlink(other, root.path().join("toolkeep-run-b")).unwrap();
        let without = root.path().join("toolkeep-run-c");
        fs::create_dir(&without).unwrap();
        age(&without);
        let (new, _lock) = folder(root.path(), "toolkeep-run-d");
        File::open(new).unwrap().set_modified(SystemTime::now()).unwrap();
        assert!(left_in(root.path(), LOCK).is_empty());
        assert!(left_in(Path::new("/nowhere"), LOCK).is_empty());
    }
}
