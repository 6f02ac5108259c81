//! Ends a command before it fills a disk, in bytes or in number of files.
//!
//! The kernel limits the size of one file, but the total of all files only by quotas, which few disks
//! have. So toolkeep checks the disks while a command runs, more often the less is left, and ends it.
//! What could take a disk faster than it is checked is denied by the system call filter. A command that
//! starts with almost nothing left may write no file, so no number of commands takes the rest.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{StatVfs, statvfs};

use super::limits::{Left, Limits};

/// How often is looked, at least and at most.
const EVERY: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(100)];

/// How many bytes are written in a millisecond, and how many files are made, by the fastest machines that
/// are known here.
const FASTEST: Left = Left { bytes: 8 << 20, files: 2_000 };

/// What part of what is to be left is never given to a command.
const LAST_PART: u64 = 8;

/// The disks that a command writes to.
#[derive(Debug)]
pub(crate) struct Disks {
    /// A folder of each, and what must be left of it.
    watched: Vec<(PathBuf, Left)>,
    /// When is to be looked again.
    next: Instant,
}

/// What of a disk is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsedUp {
    Space,
    Files,
}

impl Disks {
    /// Those of these folders, and what of them is to be left.
    pub(crate) fn of<'p>(folders: impl Iterator<Item = &'p Path>, left: Left) -> Disks {
        let watched = each_of(folders, left).map(|(folder, disk)| {
            let (free, all) = (free(&disk), all(&disk));
            let bytes = least(free.bytes, all.bytes, left.bytes);
            (folder.to_owned(), Left { bytes, files: least(free.files, all.files, left.files) })
        });
        Disks { watched: watched.collect(), next: Instant::now() }
    }

    /// When is to be looked again, if ever.
    pub(crate) fn next(&self) -> Option<Instant> {
        (!self.watched.is_empty()).then_some(self.next)
    }

    /// How long is waited at most, so that it is looked again in time.
    #[cfg(feature = "docker")]
    pub(crate) fn soon(&self, most: Duration) -> Duration {
        let next = self.next().map(|next| next.saturating_duration_since(Instant::now()));
        next.map_or(most, |next| next.min(most))
    }

    /// What of one of them is used up but for what must be left.
    pub(crate) fn used_up(&mut self) -> Option<UsedUp> {
        let now = Instant::now();
        if self.next().is_none_or(|next| now < next) {
            return None;
        }
        let mut wait = EVERY[1];
        for (folder, least) in &self.watched {
            let Ok(disk) = statvfs(folder) else { continue };
            let free = free(&disk);
            if free.bytes < least.bytes {
                return Some(UsedUp::Space);
            }
            if free.files < least.files {
                return Some(UsedUp::Files);
            }
            wait = wait.min(until_used_up(free, *least));
        }
        self.next = now + wait;
        None
    }
}

/// The limits of a command that writes to these folders: no file, where one of their disks has next to nothing
/// left.
pub(crate) fn limits_on(folders: &[PathBuf], limits: &Limits) -> Limits {
    let left = limits.left();
    let is_full =
        |(_, disk): (&Path, StatVfs)| free(&disk).bytes < last_part(all(&disk).bytes, left.bytes);
    match each_of(folders.iter().map(PathBuf::as_path), left).any(is_full) {
        true => limits.without_files(),
        false => limits.clone(),
    }
}

/// Each disk once, by the first of its folders.
fn each_of<'p>(
    folders: impl Iterator<Item = &'p Path>,
    left: Left,
) -> impl Iterator<Item = (&'p Path, StatVfs)> {
    let mut seen = Vec::new();
    folders.filter(move |_| left != Left::default()).filter_map(move |folder| {
        // Disks are not compared by `f_fsid`, which is 0 for some.
        let device = fs::metadata(folder).ok()?.dev();
        let is_new = !seen.contains(&device);
        seen.push(device);
        is_new.then_some((folder, statvfs(folder).ok()?))
    })
}

/// What a command must leave that finds so much free, of so much in all: what is to be left, or where there
/// is less, half of it, but not the last part. Of that it takes next to nothing.
fn least(free: u64, all: u64, left: u64) -> u64 {
    let last = last_part(all, left);
    match free {
        _ if free > left => left,
        _ if free > last => last.max(free / 2),
        _ => free - free / LAST_PART,
    }
}

fn last_part(all: u64, left: u64) -> u64 {
    left.min(all) / LAST_PART
}

/// How soon a disk could be used up, as far as it is worth to wait.
fn until_used_up(free: Left, least: Left) -> Duration {
    let bytes = (free.bytes - least.bytes) / FASTEST.bytes;
    let files = (free.files - least.files) / FASTEST.files;
    Duration::from_millis(bytes.min(files)).clamp(EVERY[0], EVERY[1])
}

/// What users may still take.
fn free(disk: &StatVfs) -> Left {
    // A file system that counts no files says that it has none.
    let files = if disk.f_files == 0 { u64::MAX } else { disk.f_favail };
    Left { bytes: disk.f_bavail.saturating_mul(disk.f_frsize), files }
}

fn all(disk: &StatVfs) -> Left {
    Left { bytes: disk.f_blocks.saturating_mul(disk.f_frsize), files: disk.f_files }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn what_is_to_be_left_is_left_and_of_less_the_half_and_always_the_last_part() {
        let disk = 100 * 1024 * MIB;
        for (free, all, expected) in [
            (1024, disk, 512),
            (513, disk, 512),
            (512, disk, 256),
            (200, disk, 100),
            (100, disk, 64),
            (65, disk, 64),
            (64, disk, 56),
            (8, disk, 7),
            // A small disk keeps a part of its own size.
            (64, 64 * MIB, 32),
            (12, 64 * MIB, 8),
            (8, 64 * MIB, 7),
        ] {
            assert_eq!(least(free * MIB, all, 512 * MIB), expected * MIB, "{free} of {all}");
        }
        assert_eq!(least(u64::MAX, 0, 16_384), 16_384, "they are not counted");
        assert_eq!(least(5, 100, 0), 0, "there is no limit");
    }

    #[test]
    fn many_commands_do_not_take_what_one_may_not() {
        let (disk, left) = (100 * 1024 * MIB, 512 * MIB);
        let mut free = disk;
        for _ in 0..100 {
            if free < last_part(disk, left) {
                break;
            }
            // This one is ended a little too late.
            free = least(free, disk, left) - MIB;
        }
        assert_eq!(free, 63 * MIB);
    }

    #[test]
    fn the_disk_is_checked_more_often_the_less_is_left() {
        let wait = |bytes, files| {
            until_used_up(Left { bytes, files }, Left { bytes: 0, files: 0 }).as_millis()
        };
        assert_eq!(wait(u64::MAX, u64::MAX), 100);
        assert_eq!(wait(400 * MIB, u64::MAX), 50);
        assert_eq!(wait(u64::MAX, 20_000), 10);
        assert_eq!(wait(MIB, 1), 5);
    }

    #[test]
    fn without_a_limit_nothing_is_checked() {
        let folder = std::env::temp_dir();
        let mut none = Disks::of([folder.as_path()].into_iter(), Left::default());
        assert_eq!((none.next(), none.used_up()), (None, None));
        let limits = Limits { disk_left_mb: 0, files_left: 0, ..Limits::default() };
        assert_eq!(limits_on(std::slice::from_ref(&folder), &limits), limits);
        let some = Left { bytes: 1, files: 0 };
        let twice = [folder.as_path(), folder.as_path()].into_iter();
        assert_eq!(Disks::of(twice, some).watched.len(), 1);
    }
}
