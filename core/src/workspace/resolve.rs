//! Following symbolic links by hand, where the confinement does not or must not.
//!
//! Two needs: absolute links whose target has the root's own path in front (virtual environments and
//! linked packages are full of them), which the confinement refuses out of hand; and writes, which
//! must replace the file a link leads to and not the link. The result is only a *spelling* without
//! links. It is opened beneath the handle so that no part of it may be a link: one that appears
//! afterwards makes the open fail, and lets nothing out.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;

use super::rules::Compiled;
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
    pub(super) rules: Arc<Compiled>,
}

impl Workspace {
    /// What identifies a file in this workspace: its path without links.
    ///
    /// # Errors
    ///
    /// [`Error::Outside`] and [`Error::Links`].
    pub(crate) fn target(&self, path: &RelativePath) -> Result<PathBuf, Error> {
        self.without_links(path)
    }

    /// The path without links, as far as it exists. What does not exist is kept as it is.
    pub(super) fn without_links(&self, path: &RelativePath) -> Result<PathBuf, Error> {
        match self.follow(path)? {
            End::Here(place) => Ok(place),
            End::Beyond(_) => Err(Error::Outside { path: path.to_string() }),
        }
    }

    /// Where a path leads if a link takes it out of this root: an absolute path of the machine, of
    /// which nobody has looked at anything yet. None if it stays in this root, or leads nowhere.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] and [`Error::Links`].
    pub(crate) fn leads_beyond(&self, path: &RelativePath) -> Result<Option<PathBuf>, Error> {
        self.check_shown(path, path.as_path())?;
        if self.has_no_link(path.as_path()) {
            return Ok(None);
        }
        match self.follow(path)? {
            End::Here(_) => Ok(None),
            End::Beyond(target) => Ok(Some(target)),
        }
    }

    pub(super) fn follow(&self, path: &RelativePath) -> Result<End, Error> {
        let mut pending: Vec<OsString> = reversed(path.as_path());
        let mut found = PathBuf::new();
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                if !found.pop() {
                    return Ok(End::Beyond(self.above(pending)));
                }
                continue;
            }
            found.push(&name);
            self.check_shown(path, &found)?;
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
            if !target.is_absolute() {
                pending.extend(reversed(&target));
                continue;
            }
            found.clear();
            let Some(beneath) = self.beneath_root(&target) else {
                return Ok(End::Beyond(joined(target, pending)));
            };
            pending.extend(reversed(beneath));
        }
        Ok(End::Here(if found.as_os_str().is_empty() { PathBuf::from(".") } else { found }))
    }

    /// The path of the machine for names that are still to be followed from the folder above the
    /// root. The root's own path has no links, so the folder above it is the one before it.
    fn above(&self, mut pending: Vec<OsString>) -> PathBuf {
        let mut folder = self.real_root().to_owned();
        folder.pop();
        while pending.last().is_some_and(|name| name == "..") {
            pending.pop();
            folder.pop();
        }
        joined(folder, pending)
    }

    fn link_target(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        if !self.dir().symlink_metadata(path)?.is_symlink() {
            return Ok(None);
        }
        self.dir().read_link_contents(path).map(Some)
    }
}

/// Where following links has ended.
pub(super) enum End {
    /// In the root, at this path from there.
    Here(PathBuf),
    /// At this path of the machine, which is not beneath the root by its names.
    Beyond(PathBuf),
}

/// The path with the names behind it, of which the last is the first.
fn joined(mut path: PathBuf, names: Vec<OsString>) -> PathBuf {
    path.extend(names.into_iter().rev());
    path
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
