//! Opening files so that nothing hangs and what was opened is what was checked.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, FileTypeExt, OpenOptions, OpenOptionsExt};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::beneath::Way;
use super::error::Special;
use super::resolve::Place;
use super::{Error, RelativePath, Workspace};

/// As often as somebody may put links into a path while it is opened.
const ATTEMPTS: usize = 32;

impl Workspace {
    /// Opens a regular file for reading, through links that stay inside.
    pub(super) fn open_file(&self, path: &RelativePath) -> Result<File, Error> {
        self.open_file_at(path).map(|(file, _)| file)
    }

    /// The same. Also gives the path from the root, without links, by which it was opened: links
    /// may lead elsewhere a moment later.
    pub(super) fn open_file_at(&self, path: &RelativePath) -> Result<(File, PathBuf), Error> {
        let (file, place) = self
            .open_beneath(path, "read", OFlags::RDONLY)
            .map_err(|error| self.or_similar(path, error))?;
        let file = regular(path, cap_std::fs::File::from_std(file))?;
        self.rules.check_file(path, &file, "read")?;
        Ok((file, place))
    }

    /// Opens a folder, through links that stay inside. Also gives its path from the root, without
    /// links: that is what the rules were asked about.
    pub(super) fn open_folder(
        &self,
        path: &RelativePath,
        action: &'static str,
    ) -> Result<(Dir, PathBuf), Error> {
        let (file, place) = self
            .open_beneath(path, action, OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(|error| self.or_similar(path, error))?;
        Ok((Dir::from_std_file(file), place))
    }

    /// Opens what is there and not denied, and gives its path from the root without links.
    pub(super) fn open_beneath(
        &self,
        path: &RelativePath,
        action: &'static str,
        flags: OFlags,
    ) -> Result<(File, PathBuf), Error> {
        let mut place = path.as_path().to_owned();
        for _ in 0..ATTEMPTS {
            self.check_shown(path, &place)?;
            match self.open_plain(&place, flags) {
                Ok(opened) => return Ok((opened.into(), place)),
                Err(Errno::LOOP) => place = self.without_links(path)?,
                Err(errno) => return Err(Error::from_io(path, action, errno.into())),
            }
        }
        Err(Error::Changed { path: path.to_string() })
    }

    /// Opens what is at `place`, a path from the root of which no part may be a link.
    fn open_plain(&self, place: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        self.root.way.open(self.dir().as_fd(), place, flags)
    }

    /// True if no part of the path, as far as it exists, is a link.
    pub(super) fn has_no_link(&self, place: &Path) -> bool {
        let mut parts = place.components();
        if let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) {
            return !is_link(self.dir(), name);
        }
        match (self.folder_of(place, false), place.file_name()) {
            (Ok(dir), Some(name)) => !is_link(&dir, name),
            (Err(Errno::LOOP), _) => false,
            _ => true,
        }
    }

    /// True if what stands at a path is itself a link.
    pub(crate) fn is_link(&self, path: &RelativePath) -> bool {
        self.dir().symlink_metadata(path.as_path()).is_ok_and(|found| found.is_symlink())
    }

    /// The place of a file that is to be written, with its missing folders made (0755 less umask)
    /// if `make_folders`.
    pub(super) fn place(&self, path: &RelativePath, make_folders: bool) -> Result<Place, Error> {
        self.find(path, make_folders, Workspace::check_written)
    }

    /// The place of a file that is only looked at.
    pub(super) fn place_seen(&self, path: &RelativePath) -> Result<Place, Error> {
        self.find(path, false, Workspace::check_shown)
    }

    fn find(
        &self,
        path: &RelativePath,
        make_folders: bool,
        check: impl Fn(&Workspace, &RelativePath, &Path) -> Result<(), Error>,
    ) -> Result<Place, Error> {
        if path.names_folder() {
            return Err(Error::IsFolder { path: path.to_string() });
        }
        let mut target = path.as_path().to_owned();
        for _ in 0..ATTEMPTS {
            check(self, path, &target)?;
            let Some(name) = target.file_name().map(OsStr::to_owned) else {
                return Err(Error::IsFolder { path: path.to_string() });
            };
            match self.folder_of(&target, make_folders) {
                Ok(dir) if is_link(&dir, &name) => {}
                Ok(dir) => return Ok(Place { dir, name, target, rules: self.rules.clone() }),
                Err(Errno::LOOP) => {}
                Err(errno) => {
                    let error = Error::from_io(path, "open the folder of", errno.into());
                    return Err(self.or_similar(path, error));
                }
            }
            target = self.without_links(path)?;
        }
        Err(Error::Changed { path: path.to_string() })
    }

    /// Opens the folder that a file without links is in.
    fn folder_of(&self, target: &Path, make: bool) -> Result<Dir, Errno> {
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let opened = match self.open_plain(folder, OFlags::RDONLY | OFlags::DIRECTORY) {
            Err(Errno::NOENT) if make => make_folders(self.dir().as_fd(), folder),
            // It may be written all the same.
            Err(Errno::ACCESS) => self.open_plain(folder, OFlags::PATH | OFlags::DIRECTORY),
            opened => opened,
        };
        opened.map(|opened| Dir::from_std_file(opened.into()))
    }

    /// The folders above a place without links that are not there, the innermost first.
    pub(super) fn missing_folders(&self, target: &Path) -> Vec<PathBuf> {
        let above = target.ancestors().skip(1).filter(|folder| *folder != Path::new(""));
        let is_missing = |folder: &&Path| {
            matches!(self.open_plain(folder, OFlags::RDONLY | OFlags::DIRECTORY), Err(Errno::NOENT))
        };
        above.take_while(is_missing).map(Path::to_owned).collect()
    }

    /// Takes away folders in which nothing is, in this order.
    pub(super) fn remove_empty(&self, folders: &[PathBuf]) {
        for folder in folders {
            let (Ok(above), Some(name)) = (self.folder_of(folder, false), folder.file_name())
            else {
                return;
            };
            // Others may have put something there by now.
            if above.remove_dir(name).is_err() {
                return;
            }
        }
    }

    /// The error, with paths that look alike if it is that there is nothing.
    pub(super) fn or_similar(&self, path: &RelativePath, error: Error) -> Error {
        match error {
            Error::NotFound { path: written, .. } => {
                Error::NotFound { path: written, similar: self.similar(path) }
            }
            error => error,
        }
    }
}

/// One level at a time, each opened from the handle of the one above: a folder that is swapped for
/// a link on the way is not followed.
fn make_folders(root: BorrowedFd<'_>, folder: &Path) -> Result<OwnedFd, Errno> {
    let mut at = Way::Steps.open(root, Path::new("."), OFlags::RDONLY | OFlags::DIRECTORY)?;
    for name in folder.components().map(|part| Path::new(part.as_os_str())) {
        let open = |at: &OwnedFd| Way::Steps.open(at.as_fd(), name, OFlags::DIRECTORY);
        at = match open(&at) {
            Err(Errno::NOENT) => {
                match rustix::fs::mkdirat(&at, name, Mode::from_raw_mode(0o755)) {
                    // Another call made it at the same moment.
                    Ok(()) | Err(Errno::EXIST) => open(&at)?,
                    Err(errno) => return Err(errno),
                }
            }
            opened => opened?,
        };
    }
    Ok(at)
}

fn is_link(dir: &Dir, name: &OsStr) -> bool {
    dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_symlink())
}

impl Place {
    /// Opens the regular file at this place for reading; a link is refused.
    pub(super) fn open_file(&self, path: &RelativePath) -> Result<File, Error> {
        let file = self
            .dir
            .open_with(&self.name, &reading(OFlags::NOFOLLOW))
            .map_err(|error| Error::from_io(path, "read", error))?;
        self.regular(path, file, "read")
    }

    /// The file if it is a regular one that may be changed.
    pub(super) fn regular(
        &self,
        path: &RelativePath,
        file: cap_std::fs::File,
        action: &'static str,
    ) -> Result<File, Error> {
        let file = regular(path, file)?;
        self.rules.check_file(path, &file, action)?;
        self.rules.check_not_kept(path, &file, action)?;
        Ok(file)
    }
}

/// The file if it is a regular one. Asks the handle, because a name may have changed hands.
fn regular(path: &RelativePath, file: cap_std::fs::File) -> Result<File, Error> {
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

/// The flags as options take them, with those of every open: see [`Way::open`].
pub(super) fn flags(more: OFlags) -> i32 {
    (OFlags::NONBLOCK | OFlags::NOCTTY | more).bits().cast_signed()
}

fn reading(more: OFlags) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags(more));
    options
}
