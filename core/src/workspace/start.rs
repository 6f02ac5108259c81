//! The folder in which a listing or a walk begins.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::Arc;

use super::ignoring::{IgnoreFiles, Level, Unfiltered};
use super::overlay::Overlay;
use super::scan::{c_name, open_folder};
use super::{Error, RelativePath, Workspace};

/// A folder, reached without following a link.
pub(super) struct Start {
    /// Its path from the root, without links: empty, or with a slash at its end.
    pub path: Vec<u8>,
    /// `None` if the disk has no such folder to be seen, and the overlay has.
    pub opened: Option<Opened>,
}

/// A folder with what is ignored in it because of those above.
pub(super) struct Opened {
    pub folder: OwnedFd,
    pub level: Option<Arc<Level>>,
}

impl Workspace {
    /// The folder at `path`, which may be reached through links that stay inside.
    pub(super) fn start(
        &self,
        path: &RelativePath,
        unfiltered: Unfiltered,
        overlay: &Overlay,
    ) -> Result<Start, Error> {
        let place = self.without_links(path)?;
        self.check_shown(path, &place)?;
        let mut prefix = Vec::new();
        for name in place.components() {
            let Component::Normal(name) = name else { continue };
            prefix.extend_from_slice(name.as_bytes());
            prefix.push(b'/');
        }
        let is_overlaid = std::str::from_utf8(&prefix).is_ok_and(|at| overlay.reaches_into(at));
        if overlay.shadows(&place) {
            if overlay.has(&place) {
                return Err(Error::NotAFolder { path: path.to_string() });
            }
            if !is_overlaid {
                return Err(Error::NotFound { path: path.to_string(), similar: Vec::new() });
            }
            return Ok(Start { path: prefix, opened: None });
        }
        // The second time only the path without links is used, so that what the rules check is what is opened.
        let opened = self.open_folder(path, "list").and_then(|_| {
            descend(self.dir(), &place, unfiltered)
                .map_err(|error| Error::from_io(path, "list", error))
        });
        match opened {
            Ok(opened) => Ok(Start { path: prefix, opened: Some(opened) }),
            Err(Error::NotFound { .. }) if is_overlaid => Ok(Start { path: prefix, opened: None }),
            Err(error) => Err(error),
        }
    }
}

/// Opens the folder at `place`, a name at a time, and takes the rules of those above it along.
fn descend(root: &impl AsFd, place: &Path, unfiltered: Unfiltered) -> io::Result<Opened> {
    // The handle of the root may only allow opening what is in it.
    let mut folder = open_folder(root.as_fd(), c".")?;
    let mut level = None;
    let mut prefix = 0;
    for name in place.components() {
        let Component::Normal(name) = name else { continue };
        if !unfiltered.ignored {
            level = Level::in_folder(level.as_ref(), folder.as_fd(), prefix, IgnoreFiles::MAYBE);
        }
        prefix += name.len() + 1;
        let name = c_name(name).ok_or(io::ErrorKind::InvalidInput)?;
        folder = open_folder(folder.as_fd(), &name)?;
    }
    Ok(Opened { folder, level })
}
