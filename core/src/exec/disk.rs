//! How much of the disks is left that a command writes to. The kernel limits the size of a file, and not
//! how many there are.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often is looked.
const EVERY: Duration = Duration::from_millis(100);

/// The disks that a command writes to.
#[derive(Debug)]
pub(crate) struct Disks {
    /// A folder of each, and how many bytes must be left of it.
    watched: Vec<(PathBuf, u64)>,
    looked: Instant,
}

impl Disks {
    /// Those of these folders, of which so many bytes are to be left. Where there is less from the
    /// start, half of that.
    pub(crate) fn of<'p>(folders: impl Iterator<Item = &'p Path>, left: u64) -> Disks {
        let mut watched: Vec<(PathBuf, u64)> = Vec::new();
        let mut seen = Vec::new();
        for folder in folders.filter(|_| left > 0) {
            let Ok(disk) = rustix::fs::statvfs(folder) else { continue };
            if !seen.contains(&disk.f_fsid) {
                seen.push(disk.f_fsid);
                let free = free(&disk);
                watched.push((folder.to_owned(), if free > left { left } else { free / 2 }));
            }
        }
        Disks { watched, looked: Instant::now() }
    }

    /// When is to be looked again, if ever.
    pub(crate) fn next(&self) -> Option<Instant> {
        (!self.watched.is_empty()).then(|| self.looked + EVERY)
    }

    /// True if one of them is used up but for what must be left.
    pub(crate) fn are_used_up(&mut self) -> bool {
        if self.next().is_none_or(|next| Instant::now() < next) {
            return false;
        }
        self.looked = Instant::now();
        let mut disks = self.watched.iter();
        disks
            .any(|(folder, left)| rustix::fs::statvfs(folder).is_ok_and(|disk| free(&disk) < *left))
    }
}

/// What users may still write, in bytes.
fn free(disk: &rustix::fs::StatVfs) -> u64 {
    disk.f_bavail.saturating_mul(disk.f_frsize)
}
