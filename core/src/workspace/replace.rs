//! Replacing a file's content in one step: readers see the old content or the new, whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::path::Path;

use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::{Access, AtFlags, OFlags, RenameFlags, accessat, renameat_with};
use rustix::io::Errno;

use super::attributes::Attributes;
use super::open::{check_type, flags};
use super::resolve::Place;
use super::{Error, RelativePath};
use crate::id;

/// Puts `content` at the place; if there is no file, with permissions 0644. `confirm` runs last, when
/// only the rename is left, and may still call it off. Returns true if there was no file before.
pub(super) fn replace<E: From<Error>>(
    path: &RelativePath,
    place: &Place,
    content: &[u8],
    confirm: impl FnOnce() -> Result<(), E>,
) -> Result<bool, E> {
    let before = kept(path, place)?;
    let begun = Begun::new(path, place, content, before.is_none())?;
    let settled = begun.settle(path, before.as_ref(), confirm)?;
    let failed = |error| Error::from_io(path, "write", error);
    settled.rename(Path::new(&place.name)).map_err(failed)?;
    Ok(before.is_none())
}

/// A new content beside the file that it is to replace, on its way to the disk. Gone again unless it
/// is put in place.
pub(super) struct Begun<'p>(Temporary<'p>);

impl<'p> Begun<'p> {
    /// Writes the content to a file of its own. The disk works on it from here on. `is_open` if it gets the
    /// permissions of a new file, so that others may read it.
    pub(super) fn new(
        path: &RelativePath,
        place: &'p Place,
        content: &[u8],
        is_open: bool,
    ) -> Result<Begun<'p>, Error> {
        let failed = |error| Error::from_io(path, "write", error);
        let mut temporary = Temporary::create(&place.dir, is_open).map_err(failed)?;
        temporary.file.write_all(content).map_err(failed)?;
        begin_to_sync(&temporary.file);
        Ok(Begun(temporary))
    }

    /// Puts it in the place; if there is no file, with the attributes given. `seen` is what
    /// [`seen_writable`] gives it. `confirm` as in [`replace`].
    pub(super) fn put<E: From<Error>>(
        self,
        path: &RelativePath,
        place: &Place,
        (seen, like): (Option<Attributes>, Option<&Attributes>),
        confirm: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let before = match seen {
            Some(seen) => Some(seen),
            None => kept(path, place)?,
        };
        let settled = self.settle(path, before.as_ref().or(like), confirm)?;
        let renamed = match before {
            Some(_) => settled.rename(Path::new(&place.name)),
            // A file that has appeared meanwhile is somebody else's.
            None => settled.rename_new(&place.name),
        };
        match renamed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Error::Changed { path: path.to_string() }.into())
            }
            other => Ok(other.map_err(|error| Error::from_io(path, "write", error))?),
        }
    }

    /// All but the rename.
    fn settle<E: From<Error>>(
        self,
        path: &RelativePath,
        attributes: Option<&Attributes>,
        confirm: impl FnOnce() -> Result<(), E>,
    ) -> Result<Temporary<'p>, E> {
        let failed = |error| Error::from_io(path, "write", error);
        let Begun(temporary) = self;
        if let Some(attributes) = attributes {
            attributes.give(&temporary.file).map_err(failed)?;
        }
        temporary.file.sync_all().map_err(failed)?;
        confirm()?;
        Ok(temporary)
    }
}

/// Has the system begin to write what a file holds, so that a sync later on has less to wait for.
/// What goes wrong, that sync reports.
#[cfg(target_os = "linux")]
fn begin_to_sync(file: &File) {
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and the call takes no
    // pointers.
    unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn begin_to_sync(_: &File) {}

/// Removes the file at the place, if it may be written.
pub(super) fn remove(path: &RelativePath, place: &Place) -> Result<(), Error> {
    writable(path, place)?;
    let removed = place.dir.remove_file(&place.name);
    removed.map_err(|error| Error::from_io(path, "remove", error))
}

/// What is at the place now, after a check that the caller may write it: a rename alone would ask
/// only for the folder's permission and so replace a file that is read-only.
fn writable(path: &RelativePath, place: &Place) -> Result<Option<Metadata>, Error> {
    let failed = |error| Error::from_io(path, "write", error);
    let metadata = match place.dir.symlink_metadata(&place.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed)?,
    };
    check_type(path, metadata.file_type())?;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(flags(OFlags::NOFOLLOW));
    match place.dir.open_with(&place.name, &options) {
        Ok(file) => place.regular(path, file, "write").map(drop)?,
        // A running program cannot be written, but it can be replaced.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::TXTBSY) => {}
        Err(error) => return Err(failed(error)),
    }
    Ok(Some(metadata))
}

/// What the file at the place leaves to the one that replaces it, after the same check.
fn kept(path: &RelativePath, place: &Place) -> Result<Option<Attributes>, Error> {
    let before = writable(path, place)?;
    let kept = before.map(|before| Attributes::of(place, &before)).transpose();
    kept.map_err(|error| Error::from_io(path, "write", error))
}

/// What an open file of a [local](super::local) file system that has passed [`Place::open_file`] leaves to
/// the one that replaces it, if the caller may write it, as the permissions say. None if that must be
/// tried. That it is the file at the place is still to be confirmed.
pub(super) fn seen_writable(place: &Place, file: &File) -> Option<Attributes> {
    let name = Path::new(&place.name);
    accessat(&place.dir, name, Access::WRITE_OK, AtFlags::EACCESS).ok()?;
    Attributes::of_open(file).ok()
}

/// What the names of temporary files begin and end with.
const BEFORE: &str = ".toolkeep-";
const BEHIND: &str = ".tmp";

/// True for the name of a temporary file. A process that was killed while it wrote may have left
/// one; it is nobody's, and no tool shows it.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let inner = name.strip_prefix(BEFORE.as_bytes());
    let inner = inner.and_then(|inner| inner.strip_suffix(BEHIND.as_bytes()));
    inner.is_some_and(|id| id.len() == 32 && id.iter().all(u8::is_ascii_hexdigit))
}

/// A file beside the one it is to replace, gone again unless it is renamed.
struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    file: File,
    renamed: bool,
}

impl<'a> Temporary<'a> {
    fn create(dir: &'a Dir, is_open: bool) -> io::Result<Temporary<'a>> {
        let name = format!("{BEFORE}{}{BEHIND}", id::new_id());
        // Whoever could not read the old content must not read the new one, not even before the rename.
        let mode = if is_open { 0o644 } else { 0o600 };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode).custom_flags(flags(OFlags::NOFOLLOW));
        let file = dir.open_with(&name, &options)?.into_std();
        Ok(Temporary { dir, name, file, renamed: false })
    }

    /// The same where nothing may stand there.
    fn rename_new(mut self, name: &OsStr) -> io::Result<()> {
        let (dir, flags) = (self.dir, RenameFlags::NOREPLACE);
        match renameat_with(dir, &self.name, dir, name, flags) {
            // Not every file system supports it.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                return self.rename(Path::new(name));
            }
            other => other?,
        }
        self.renamed = true;
        Ok(())
    }

    fn rename(mut self, name: &Path) -> io::Result<()> {
        self.dir.rename(&self.name, self.dir, name)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // A second error is not reported: the one that brought us here counts.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}
