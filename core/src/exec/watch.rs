//! Watches names in folders, and notices at once what comes to stand there: by inotify, or where the
//! kernel gives no more watches, by looking again and again.

use std::collections::HashMap;
use std::ffi::{CStr, OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// A name comes to stand for something.
const COMES: WatchFlags = WatchFlags::CREATE.union(WatchFlags::MOVED_TO);

/// The folder itself goes, and another may take its name.
const FOLDER_GOES: WatchFlags = WatchFlags::MOVE_SELF.union(WatchFlags::DELETE_SELF);

/// What stands behind a name is written, changed, or taken away.
const CHANGES: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM);

/// What is noticed in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Names that come.
    Names,
    /// That, and what becomes of what stands behind them.
    Contents,
}

/// What has happened.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Something has come to stand behind a name of a folder.
    Came(i32, OsString),
    /// What stands behind a name was changed or taken away.
    Changed(i32, OsString),
    /// The folder was moved or removed.
    FolderGone(i32),
    /// More has happened than the kernel could remember.
    Lost,
}

/// The folders that are watched.
#[derive(Debug)]
pub(super) struct Watch {
    inotify: OwnedFd,
    depths: HashMap<i32, Depth>,
}

impl Watch {
    /// None where the kernel gives no more of them.
    pub(super) fn new() -> Option<Watch> {
        let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
        let inotify = inotify::init(flags).ok()?;
        Some(Watch { inotify, depths: HashMap::new() })
    }

    /// Watches a folder from now on, and gives the number that its events have. None where that is not
    /// possible. A folder that is watched already keeps its number and the greater depth.
    pub(super) fn add(&mut self, folder: &Path, depth: Depth) -> Option<i32> {
        let changes = if depth == Depth::Contents { CHANGES } else { WatchFlags::empty() };
        let flags = COMES | FOLDER_GOES | changes | WatchFlags::ONLYDIR | WatchFlags::MASK_ADD;
        let number = inotify::add_watch(&self.inotify, folder, flags).ok()?;
        let known = self.depths.entry(number).or_insert(depth);
        if depth == Depth::Contents {
            *known = depth;
        }
        Some(number)
    }

    /// Ready to read once something has happened.
    pub(super) fn ready(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }

    /// What has happened since the last time, in order.
    pub(super) fn take(&mut self) -> Vec<Event> {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut events = Vec::new();
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(CStr::to_bytes).map(OsStr::from_bytes);
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                events.push(Event::Lost);
            } else if flags.intersects(ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF) {
                events.push(Event::FolderGone(event.wd()));
            } else if let Some(name) = name {
                let name = name.to_owned();
                events.push(match flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
                    true => Event::Came(event.wd(), name),
                    false => Event::Changed(event.wd(), name),
                });
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_comes_is_noticed_even_if_it_is_gone_again() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "").unwrap();
        let mut watch = Watch::new().unwrap();
        let number = watch.add(folder.path(), Depth::Names).unwrap();
        fs::write(at("old"), "more").unwrap();
        assert_eq!(watch.take(), []);
        fs::write(at("new"), "").unwrap();
        fs::remove_file(at("new")).unwrap();
        fs::rename(at("old"), at("other")).unwrap();
        let came = |name: &str| Event::Came(number, name.into());
        assert_eq!(watch.take(), [came("new"), came("other")]);
        assert_eq!(watch.add(folder.path(), Depth::Contents), Some(number));
        fs::write(at("other"), "more").unwrap();
        assert!(watch.take().contains(&Event::Changed(number, "other".into())));
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(watch.take().contains(&Event::FolderGone(number)));
        assert_eq!(watch.add(folder.path(), Depth::Names), None);
    }

    #[test]
    fn more_than_the_kernel_remembers_is_noticed_as_lost() {
        let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let most: usize = most.trim().parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut watch = Watch::new().unwrap();
        watch.add(folder.path(), Depth::Names).unwrap();
        let names = [folder.path().join("a"), folder.path().join("b")];
        fs::write(&names[0], "").unwrap();
        for turn in 0..=most {
            fs::rename(&names[turn % 2], &names[(turn + 1) % 2]).unwrap();
        }
        assert!(watch.take().contains(&Event::Lost));
    }
}
