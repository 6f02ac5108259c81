//! Reading folders through handles: what is opened is named from the folder that holds it, and is
//! never a link.

use std::ffi::{CStr, CString, OsStr};
use std::io;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::EntryKind;
use super::replace::is_temporary;

/// As much of a folder as the system gives at once: what its own tools take.
const BUFFER_BYTES: usize = 32 << 10;

/// Where the system writes what is in a folder. One serves any number of folders, one by one.
pub(super) struct Buffer(Vec<u8>);

impl Buffer {
    pub(super) fn new() -> Buffer {
        Buffer(Vec::with_capacity(BUFFER_BYTES))
    }
}

/// Calls `each` with every name in a folder and what it is, in the order of the system, until it
/// answers false. A file that is about to take the place of another is not there.
pub(super) fn each_entry(
    folder: BorrowedFd<'_>,
    buffer: &mut Buffer,
    mut each: impl FnMut(&CStr, EntryKind) -> bool,
) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    let mut entries = rustix::fs::RawDir::new(folder, buffer.0.spare_capacity_mut());
    #[cfg(not(target_os = "linux"))]
    let (mut entries, _) = (rustix::fs::Dir::read_from(folder)?, buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        let bytes = name.to_bytes();
        if matches!(bytes, b"." | b"..") || is_temporary(OsStr::from_bytes(bytes)) {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match kind_of(folder, name) {
                Ok(kind) => kind,
                // Gone since its name was read.
                Err(_) => continue,
            },
            known => kind_from(known),
        };
        if !each(name, kind) {
            break;
        }
    }
    Ok(())
}

/// What a name in a folder stands for. Links are not followed.
fn kind_of(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<EntryKind> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(kind_from(FileType::from_raw_mode(stat.st_mode)))
}

fn kind_from(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

/// The size of what a name in a folder stands for, in bytes.
pub(super) fn bytes_of(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<u64> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(u64::try_from(stat.st_size).unwrap_or_default())
}

/// Opens a folder in a folder.
pub(super) fn open_folder(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

/// Opens a regular file in a folder, and returns its size. `None` if it is something else by now.
pub(super) fn open_file(
    folder: BorrowedFd<'_>,
    name: &CStr,
) -> io::Result<Option<(std::fs::File, u64)>> {
    // A FIFO without a partner and a terminal must neither block nor become ours.
    let quiet = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | quiet;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(file.as_fd())?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let bytes = u64::try_from(stat.st_size).unwrap_or_default();
    Ok(is_file.then(|| (std::fs::File::from(file), bytes)))
}

/// The name as the system takes it; `None` with a NUL in it.
pub(super) fn c_name(name: &OsStr) -> Option<CString> {
    CString::new(name.as_bytes()).ok()
}
