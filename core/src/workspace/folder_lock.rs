//! One change at a time in a folder, among the processes of a machine that write through this room.
//!
//! The lock is the kernel's (`flock` on the folder itself). So it needs no file of its own, and it ends
//! with the process that holds it, however that ends. Programs that do not use it are not kept out, so a
//! change that is based on the content of a file must still check that content.

use std::fmt::Display;
use std::fs::File;
use std::thread;
use std::time::Duration;

use cap_std::fs::Dir;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;

use super::Error;
use super::wait::Wait;

/// How long between two looks, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

/// The lock, until it is dropped.
#[derive(Debug)]
pub(super) struct FolderLock(#[expect(dead_code, reason = "closing it gives the lock back")] File);

impl FolderLock {
    /// Takes the lock of a folder. None where there is none to be had: the folder may be written
    /// and not read, or the file system knows no locks.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if others hold it until the wait is over.
    pub(super) fn take(
        path: impl Display,
        dir: &Dir,
        wait: Wait,
    ) -> Result<Option<FolderLock>, Error> {
        // Each taker opens the folder anew: the lock belongs to the opening, so that it also holds
        // between the threads of one process.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = openat(dir, ".", flags, Mode::empty()) else { return Ok(None) };
        let mut pause = PAUSES.0;
        loop {
            match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(FolderLock(folder.into()))),
                Err(Errno::WOULDBLOCK | Errno::INTR) if wait.left().is_some() => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(PAUSES.1);
                }
                Err(Errno::WOULDBLOCK) => return Err(Error::Busy { path: path.to_string() }),
                Err(_) => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn the_lock_of_a_folder_keeps_others_out_until_it_is_dropped() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let lock = FolderLock::take("x", workspace.dir(), Wait::begin()).unwrap();
        assert!(lock.is_some());
        let other = openat(workspace.dir(), ".", OFlags::RDONLY, Mode::empty()).unwrap();
        let free = || flock(&other, FlockOperation::NonBlockingLockExclusive).is_ok();
        assert!(!free());
        drop(lock);
        assert!(free());
    }
}
