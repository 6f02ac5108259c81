//! Following symbolic links by hand, where the confinement does not or must not.
//!
//! Two needs: absolute links whose target has the root's own path in front (virtual environments and
//! linked packages are full of them), which the confinement refuses out of hand; and writes, which
//! must replace the file a link leads to and not the link. The result is only a *spelling* without
//! links. It is opened beneath the handle like any other, so a link that appears afterwards changes
//! what is found, and never lets anything out.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt};

use super::error::is_escape;
use super::{Error, RelativePath, Workspace};

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Where a file is or will be: its folder's handle and its name in there.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) dir: Dir,
    pub(super) name: OsString,
    /// The same relative to the root, without links.
    pub(super) target: PathBuf,
}

impl Workspace {
    /// What tells a file from all others in this workspace: its path without links.
    ///
    /// # Errors
    ///
    /// [`Error::Outside`] and [`Error::Links`].
    pub(crate) fn target(&self, path: &RelativePath) -> Result<PathBuf, Error> {
        self.without_links(path)
    }

    /// The path without links, as far as it exists. What does not exist is kept as it is.
    pub(super) fn without_links(&self, path: &RelativePath) -> Result<PathBuf, Error> {
        let outside = || Error::Outside { path: path.to_string() };
        let mut pending: Vec<OsString> = reversed(path.as_path());
        let mut found = PathBuf::new();
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                if !found.pop() {
                    return Err(outside());
                }
                continue;
            }
            found.push(&name);
            let Some(target) = self.link_target(&found).or_else(|error| match error {
                error if error.kind() == io::ErrorKind::NotFound => Ok(None),
                error => Err(Error::from_io(path, "follow", error)),
            })?
            else {
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(Error::Links { path: path.to_string() });
            }
            found.pop();
            let target = if target.is_absolute() {
                found.clear();
                self.beneath_root(&target).ok_or_else(outside)?
            } else {
                &target
            };
            pending.extend(reversed(target));
        }
        Ok(if found.as_os_str().is_empty() { PathBuf::from(".") } else { found })
    }

    fn link_target(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        if !self.dir().symlink_metadata(path)?.is_symlink() {
            return Ok(None);
        }
        self.dir().read_link_contents(path).map(Some)
    }

    /// Opens with `open`, and once more by the path without links if the first try met a link that
    /// the confinement does not follow.
    pub(super) fn beneath<T>(
        &self,
        path: &RelativePath,
        action: &'static str,
        open: impl Fn(&Dir, &Path) -> io::Result<T>,
    ) -> Result<T, Error> {
        let result = match open(self.dir(), path.as_path()) {
            Err(error) if is_escape(&error) => open(self.dir(), &self.without_links(path)?),
            result => result,
        };
        result.map_err(|error| match Error::from_io(path, action, error) {
            Error::NotFound { path: written, .. } => {
                Error::NotFound { path: written, similar: self.similar(path) }
            }
            error => error,
        })
    }

    /// The place of a file that is to be written, with its missing folders made (0755 less umask)
    /// if `make_folders`.
    pub(super) fn place(&self, path: &RelativePath, make_folders: bool) -> Result<Place, Error> {
        if path.names_folder() {
            return Err(Error::IsFolder { path: path.to_string() });
        }
        let target = self.without_links(path)?;
        let Some(name) = target.file_name() else {
            return Err(Error::IsFolder { path: path.to_string() });
        };
        if self.keeps(&target) {
            return Err(Error::Kept { path: path.to_string() });
        }
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let dir = match self.dir().open_dir(folder) {
            Err(error) if make_folders && error.kind() == io::ErrorKind::NotFound => {
                make_dirs(self.dir(), folder)
            }
            opened => opened,
        };
        let dir = dir.map_err(|error| match Error::from_io(path, "open the folder of", error) {
            Error::NotFound { path: written, .. } => {
                Error::NotFound { path: written, similar: self.similar(path) }
            }
            error => error,
        })?;
        Ok(Place { dir, name: name.to_owned(), target })
    }
}

/// One level at a time, each opened from the handle of the one above: a folder that is swapped for
/// a link on the way is followed beneath that handle or not at all.
fn make_dirs(root: &Dir, folder: &Path) -> io::Result<Dir> {
    let mut builder = DirBuilder::new();
    builder.mode(0o755);
    let mut dir = root.try_clone()?;
    for name in folder.components().map(Component::as_os_str) {
        dir = match dir.open_dir(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_dir(&dir, name, &builder)?
            }
            opened => opened?,
        };
    }
    Ok(dir)
}

fn make_dir(parent: &Dir, name: &OsStr, builder: &DirBuilder) -> io::Result<Dir> {
    match parent.create_dir_with(name, builder) {
        // Another call made it at the same moment.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    parent.open_dir(name)
}

/// The names in a path, the last one first, without `.` and a leading slash.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.collect()
}
