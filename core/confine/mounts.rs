//! The calls about what is mounted where.

use crate::system::{AT_FDCWD, NO_FOLLOW, O_CLOEXEC, Outcome, Text, close, made, n, s};

pub fn mount(source: Text, at: Text, kind: Text, flags: u64, data: Text) -> Outcome<()> {
    let arguments = [source as usize, at as usize, kind as usize, flags as usize, data as usize];
    made(n::MOUNT, &arguments).map(drop)
}

/// A copy of what is mounted at a path, not mounted anywhere yet. Of a link the link itself.
pub fn open_tree(path: Text) -> Outcome<u32> {
    const CLONE: usize = 1;
    const RECURSIVE: usize = 0x8000;
    let flags = CLONE | RECURSIVE | NO_FOLLOW | O_CLOEXEC;
    made(s::OPEN_TREE, &[AT_FDCWD, path as usize, flags]).map(|file| file as u32)
}

pub fn move_mount(tree: u32, at: Text) -> Outcome<()> {
    const FROM_EMPTY_PATH: usize = 4;
    let empty = c"".as_ptr() as usize;
    made(s::MOVE_MOUNT, &[tree as usize, empty, AT_FDCWD, at as usize, FROM_EMPTY_PATH]).map(drop)
}

/// Mounts what stands at a path over itself, with these attributes. The path is looked up once, and leads
/// through no link: whoever puts one in its way has nothing mounted.
pub fn pin(path: Text, attributes: u64) -> Outcome<()> {
    const NAME_ONLY: u64 = 0o10_000_000;
    const NO_LINK: u64 = 0o400_000;
    const THROUGH_NO_LINKS: u64 = 4;
    const EMPTY_PATH: usize = 0x1000;
    const CLONE: usize = 1;
    const RECURSIVE: usize = 0x8000;
    const FROM_AND_TO_EMPTY_PATH: usize = 4 | 0x40;
    let how = [NAME_ONLY | NO_LINK | O_CLOEXEC as u64, 0, THROUGH_NO_LINKS];
    let at = made(s::OPENAT2, &[AT_FDCWD, path as usize, how.as_ptr() as usize, 24])?;
    let empty = c"".as_ptr() as usize;
    let pinned = || {
        let flags = EMPTY_PATH | CLONE | RECURSIVE | O_CLOEXEC;
        let tree = made(s::OPEN_TREE, &[at, empty, flags])?;
        let attributes = [attributes, 0, 0, 0];
        let (set, flags) = (attributes.as_ptr() as usize, EMPTY_PATH | RECURSIVE);
        let done = made(s::MOUNT_SETATTR, &[tree, empty, flags, set, 32])
            .and_then(|_| made(s::MOVE_MOUNT, &[tree, empty, at, empty, FROM_AND_TO_EMPTY_PATH]));
        close(tree as u32);
        done.map(drop)
    };
    let done = pinned();
    close(at as u32);
    done
}

/// Sets and clears attributes of what is mounted at a path and below, of a link those of the link itself.
pub fn change_mount(at: Text, set: u64, clear: u64) -> Outcome<()> {
    const RECURSIVE: usize = 0x8000;
    let attributes = [set, clear, 0, 0];
    let (at, attributes) = (at as usize, attributes.as_ptr() as usize);
    let flags = RECURSIVE | NO_FOLLOW;
    made(s::MOUNT_SETATTR, &[AT_FDCWD, at, flags, attributes, 32]).map(drop)
}
