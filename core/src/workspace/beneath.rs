//! Opening what lies beneath a folder, by a path without links.
//!
//! What was checked is what is opened: rules are asked about a path, and that path is then opened so
//! that no part of it may be a link. A link that stands there by now makes the open fail.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

/// How it is done here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// In one step by the kernel: `openat2`, Linux 5.6.
    #[cfg(target_os = "linux")]
    Kernel,
    /// Name by name, each opened from the folder before it.
    Steps,
}

impl Way {
    /// The way that the kernel allows. Old ones do not know the call, and some containers refuse it.
    pub(super) fn from(folder: BorrowedFd<'_>) -> Way {
        #[cfg(target_os = "linux")]
        if kernel::open(folder, Path::new("."), OFlags::PATH | OFlags::CLOEXEC).is_ok() {
            return Way::Kernel;
        }
        let _ = folder;
        Way::Steps
    }

    /// Opens `path` beneath `folder`. Never blocks.
    ///
    /// # Errors
    /// `LOOP` if a part of the path is a link, the last one included; `XDEV` for `..` and for what
    /// is not relative; and what the system says.
    pub(super) fn open(
        self,
        folder: BorrowedFd<'_>,
        path: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !path.components().all(is_plain) {
            return Err(Errno::XDEV);
        }
        // A FIFO without a partner and a terminal must neither block nor become ours.
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        match self {
            #[cfg(target_os = "linux")]
            Way::Kernel => match kernel::open(folder, path, flags) {
                // The kernel gives up when something on the machine is renamed during the lookup.
                Err(Errno::AGAIN) => by_steps(folder, path, flags),
                opened => opened,
            },
            Way::Steps => by_steps(folder, path, flags),
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::os::fd::{BorrowedFd, OwnedFd};
    use std::path::Path;

    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    /// How often a lookup is tried again that the kernel gave up because of a rename.
    const ATTEMPTS: usize = 4;

    pub(super) fn open(
        folder: BorrowedFd<'_>,
        path: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        let mut last = Errno::AGAIN;
        for _ in 0..ATTEMPTS {
            match openat2(folder, path, flags, Mode::empty(), resolve) {
                Err(error @ (Errno::AGAIN | Errno::INTR)) => last = error,
                opened => return opened,
            }
        }
        Err(last)
    }
}

fn by_steps(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut names =
        path.components().filter(|part| matches!(part, Component::Normal(_))).peekable();
    let mut at: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        let from = at.as_ref().map_or(folder, AsFd::as_fd);
        let last = names.peek().is_none();
        at = Some(step(from, Path::new(&name), if last { flags } else { ON_THE_WAY })?);
    }
    match at {
        Some(opened) => Ok(opened),
        None => openat(folder, ".", flags, Mode::empty()),
    }
}

#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Opens a name in a folder. A link that should be a folder gets another error than a file.
fn step(folder: BorrowedFd<'_>, name: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    match openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::NOTDIR) if is_link(folder, name) => Err(Errno::LOOP),
        opened => opened,
    }
}

fn is_link(folder: BorrowedFd<'_>, name: &Path) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    fn ways(folder: &fs::File) -> Vec<Way> {
        let mut ways = vec![Way::from(folder.as_fd()), Way::Steps];
        ways.dedup();
        ways
    }

    #[test]
    fn both_ways_open_what_has_no_link_in_its_path_and_say_the_same_of_the_rest() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/file"), "content").unwrap();
        symlink("a", root.path().join("link")).unwrap();
        symlink("b/file", root.path().join("a/last")).unwrap();
        let folder = fs::File::open(root.path()).unwrap();
        for way in ways(&folder) {
            let open = |path: &str| way.open(folder.as_fd(), Path::new(path), OFlags::RDONLY);
            let mut text = String::new();
            fs::File::from(open("./a/b/file").unwrap()).read_to_string(&mut text).unwrap();
            assert_eq!(text, "content");
            assert!(open(".").is_ok());
            for (path, errno) in [
                ("link/b/file", Errno::LOOP),
                ("a/last", Errno::LOOP),
                ("link", Errno::LOOP),
                ("a/missing/x", Errno::NOENT),
                ("a/b/file/x", Errno::NOTDIR),
                ("../x", Errno::XDEV),
                ("a/../a", Errno::XDEV),
                ("/etc/passwd", Errno::XDEV),
            ] {
                assert_eq!(open(path).unwrap_err(), errno, "{way:?} {path}");
            }
            let folders = |path: &str| way.open(folder.as_fd(), Path::new(path), OFlags::DIRECTORY);
            assert!(folders("a/b").is_ok());
            assert_eq!(folders("a/b/file").unwrap_err(), Errno::NOTDIR);
            assert_eq!(folders("link").unwrap_err(), Errno::LOOP);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_links_of_the_kernel_are_followed_neither_way() {
        let folder = fs::File::open("/proc/self").unwrap();
        for way in ways(&folder) {
            for path in ["root/etc/passwd", "cwd", "fd/0", "exe"] {
                let error = way.open(folder.as_fd(), Path::new(path), OFlags::RDONLY).unwrap_err();
                assert_eq!(error, Errno::LOOP, "{way:?} {path}");
            }
        }
    }
}
