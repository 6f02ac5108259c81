//! Opening files so that nothing hangs and what was opened is what was checked.

use std::fs::File;

use cap_std::fs::{FileTypeExt, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use super::error::Special;
use super::resolve::Place;
use super::{Error, RelativePath, Workspace};

impl Workspace {
    /// Opens a regular file for reading, through links that stay inside.
    pub(super) fn open_file(&self, path: &RelativePath) -> Result<File, Error> {
        let file =
            self.beneath(path, "read", |dir, path| dir.open_with(path, &reading(OFlags::empty())))?;
        regular(path, file)
    }
}

impl Place {
    /// Opens the regular file at this place for reading; a link is refused.
    pub(super) fn open_file(&self, path: &RelativePath) -> Result<File, Error> {
        let file = self
            .dir
            .open_with(&self.name, &reading(OFlags::NOFOLLOW))
            .map_err(|error| Error::from_io(path, "read", error))?;
        regular(path, file)
    }
}

/// The file if it is a regular one. Asks the handle, because a name may have changed hands.
pub(super) fn regular(path: &RelativePath, file: cap_std::fs::File) -> Result<File, Error> {
    let metadata = file.metadata().map_err(|error| Error::from_io(path, "read", error))?;
    check_type(path, metadata.file_type())?;
    Ok(file.into_std())
}

/// An error unless the type is that of a regular file.
pub(super) fn check_type(
    path: &RelativePath,
    file_type: cap_std::fs::FileType,
) -> Result<(), Error> {
    let path = path.to_string();
    if file_type.is_file() {
        return Ok(());
    }
    if file_type.is_dir() {
        return Err(Error::IsFolder { path });
    }
    // Links were resolved before, so this one has just appeared.
    if file_type.is_symlink() {
        return Err(Error::Changed { path });
    }
    let kind = if file_type.is_fifo() {
        Special::Fifo
    } else if file_type.is_socket() {
        Special::Socket
    } else {
        Special::Device
    };
    Err(Error::NotRegular { path, kind })
}

/// The flags as options take them. A FIFO without a partner and a terminal must neither block nor
/// become ours, so every file is opened with these two.
pub(super) fn flags(more: OFlags) -> i32 {
    (OFlags::NONBLOCK | OFlags::NOCTTY | more).bits().cast_signed()
}

fn reading(more: OFlags) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags(more));
    options
}
