//! Files confined to a directory: the workspace of an agent.
//!
//! A [`Workspace`] holds an open *handle* of its root folder, and every access resolves beneath that
//! handle. What was checked is what is opened: the rules are asked about a path without links, and
//! that path is opened so that no part of it may be a link (`openat2` on Linux, a walk name by name
//! elsewhere). A folder that another process swaps for a link between two calls can make an access
//! fail, but never makes it leave the root or reach what is denied. String tests only ever decide what
//! a path *means*; they never decide that it is safe.
//!
//! A path goes through two steps:
//!
//! 1. [`Workspace::relative`] turns what the model wrote into a [`RelativePath`], or refuses it.
//! 2. [`Workspace::read`], [`write`](Workspace::write), [`edit`](Workspace::edit) and
//!    [`list`](Workspace::list) open it beneath the handle.
//!
//! Symbolic links work as long as they stay inside; one that leads to another root of the same caller
//! is followed there. Devices, FIFOs and sockets are never read or written, and opening one never
//! blocks. Hard links are allowed where the rules do not say otherwise.
//!
//! # Where things are
//!
//! | question | files |
//! |---|---|
//! | what a path means, and how it is opened | `path`, `resolve`, `beneath`, `open`, `roots` |
//! | what may be done there | `rules`, `deny`, `protected`, `quota` |
//! | reading | `read`, `window`, `media`, `encoding`, `suggest` |
//! | writing | `change`, `write`, `replace`, `attributes`, `lock`, `folder_lock` |
//! | editing text | `edit`, `edit_problem`, `line_ends`, `nearest`, `patch` |
//! | listing and searching | `list`, `glob`, `globs`, `walk`, `ignoring`, `search`, `overlay`, `order` |
//!
//! Everything here blocks; call it on a thread that may. No error of this room except the one of
//! [`Workspace::open`] names a path of the host.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let root = tempfile::tempdir()?;
//! use toolkeep::workspace::{ReadRange, Workspace, WriteMode};
//!
//! let workspace = Workspace::open(root.path())?;
//! let notes = workspace.relative("notes/today.md")?;
//! workspace.write(&notes, b"one\ntwo\n", WriteMode::Replace)?;
//! let page = workspace.read(&notes, ReadRange::default(), 50_000)?;
//! assert_eq!((page.text.as_str(), page.total_lines), ("one\ntwo\n", 2));
//! assert!(workspace.relative("../elsewhere").is_err());
//! # Ok(())
//! # }
//! ```

mod attributes;
mod beneath;
mod caller_folders;
mod change;
mod deny;
mod edit;
mod edit_problem;
mod encoding;
mod error;
mod folder_lock;
mod glob;
mod globs;
mod ignoring;
mod line_diff;
mod line_ends;
mod list;
pub(crate) mod local;
mod lock;
mod media;
mod nearest;
mod open;
mod order;
mod overlay;
mod patch;
mod path;
pub(crate) mod protected;
mod quota;
mod read;
mod replace;
mod resolve;
mod roots;
mod rules;
mod scan;
mod search;
mod stamp;
mod start;
mod stoppable;
mod suggest;
mod wait;
mod walk;
mod window;
mod write;

#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _};
use rustix::fs::OFlags;

pub(crate) use attributes::Attributes;
pub(crate) use caller_folders::CallerFolders;
pub(crate) use change::{Body, Change, Changing, Spent, Standing};
pub(crate) use deny::{BadEntry, Deny, folded_name};
pub use edit::{Edit, Edited, Replaced, apply_edits};
pub(crate) use edit::{check_changed, check_encoding, edit_once, misfit};
pub use edit_problem::EditProblem;
pub(crate) use encoding::{is_converted, with_mark};
pub use error::{Error, Special};
pub(crate) use glob::{GlobFound, GlobOptions};
pub(crate) use globs::UnknownType;
pub use globs::{BadGlob, Globs};
pub use ignoring::Unfiltered;
pub(crate) use line_diff::line_diff;
pub use list::{Entry, EntryKind, ListOptions, Listing};
pub use media::Media;
pub use nearest::Nearest;
pub(crate) use overlay::{OverlaidFile, Overlay, Shadow};
pub(crate) use patch::{Action, FilePatch, Hunk, Malformed, Misfit, apply, check_hunks, parse};
pub use path::{MAX_PATH_BYTES, RelativePath};
pub(crate) use quota::Quota;
pub(crate) use roots::{Limits, Root, RootInfo, Roots};
pub(crate) use search::{
    BadQuery, FileHits, Line, Mask, Matched, Pattern, Reading, SearchFound, SearchOptions,
    SearchText, Show,
};
pub use window::{Position, ReadRange, ReadText, window};
pub use write::{MAX_FILE_BYTES, WriteMode, Written};

use crate::error::Code;
use beneath::Way;

/// A folder that nothing escapes from. Cheap to clone; clones share the handle.
///
/// The handle stays with the folder: if the folder is renamed, the workspace goes with it.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: Arc<Folder>,
    rules: Arc<rules::Compiled>,
}

#[derive(Debug)]
struct Folder {
    dir: Dir,
    way: Way,
    /// The root as the host named it, made absolute.
    given: PathBuf,
    /// The root with its own links resolved: `pwd` in a shell may print either.
    real: PathBuf,
    /// What identifies the folder for as long as the handle is open: device and number.
    identity: (u64, u64),
}

impl Workspace {
    /// Opens the folder `root`. It must exist.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidConfig`] if `root` is missing, is no folder or may not be entered. This error
    /// names the host's path, for it is the host's to mend.
    pub fn open(root: &Path) -> Result<Workspace, crate::Error> {
        let given = std::path::absolute(root).map_err(|error| unusable(root, error))?;
        let real = std::fs::canonicalize(&given).map_err(|error| unusable(root, error))?;
        Workspace::open_real(given, real).map_err(|error| unusable(root, error))
    }

    /// Opens the folder anew that stands at this one's place, if that is another one by now. It is
    /// reached by no link: who may put one there must not choose what is opened.
    pub(crate) fn as_it_stands(&self) -> Result<Workspace, crate::Error> {
        let root = &self.root;
        if root.is_at(&root.real) {
            return Ok(self.clone());
        }
        let opened = Workspace::open_real(root.given.clone(), root.real.clone());
        opened.map_err(|error| unusable(&root.given, error))
    }

    /// True if the path that the host named still leads to this folder.
    pub(crate) fn is_in_place(&self) -> bool {
        self.root.is_at(&self.root.given)
    }

    /// The same folder, as on a kernel that does not open beneath a folder in one step.
    #[cfg(test)]
    fn by_steps(self) -> Workspace {
        let Folder { dir, given, real, identity, .. } = &*self.root;
        let folder = Folder {
            dir: dir.try_clone().unwrap(),
            way: Way::Steps,
            given: given.clone(),
            real: real.clone(),
            identity: *identity,
        };
        Workspace { root: Arc::new(folder), ..self }
    }

    /// True if both are the same open folder.
    pub(crate) fn is_same(&self, other: &Workspace) -> bool {
        Arc::ptr_eq(&self.root, &other.root)
    }

    fn open_real(given: PathBuf, real: PathBuf) -> io::Result<Workspace> {
        let system = Dir::open_ambient_dir("/", ambient_authority())?;
        let way = Way::from(system.as_fd());
        let place = real.strip_prefix("/").unwrap_or(&real);
        let folder = way.open(system.as_fd(), place, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let dir = Dir::from_std_file(folder.into());
        let metadata = dir.dir_metadata()?;
        let identity = (metadata.dev(), metadata.ino());
        let root = Arc::new(Folder { dir, way, given, real, identity });
        Ok(Workspace { root, rules: Arc::default() })
    }

    /// The root as the host named it, made absolute. For the host only: a model never sees it
    /// unless the host says so.
    pub fn root(&self) -> &Path {
        &self.root.given
    }

    /// The root without links: what identifies this workspace.
    pub(crate) fn real_root(&self) -> &Path {
        &self.root.real
    }

    fn dir(&self) -> &Dir {
        &self.root.dir
    }

    /// What of an absolute path lies beneath the root's own path, if it begins with that.
    fn beneath_root<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let shown = self.rules.rules.shown_as.as_deref();
        let spellings = [shown, Some(&self.root.given), Some(&self.root.real)];
        // The longest, where one spelling has another one in front.
        let beneath =
            spellings.into_iter().flatten().filter_map(|root| path.strip_prefix(root).ok());
        beneath.min_by_key(|rest| rest.as_os_str().len())
    }
}

impl Folder {
    fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == self.identity)
    }
}

fn unusable(root: &Path, error: io::Error) -> crate::Error {
    let root_shown = root.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => {
            format!("the folder `{root_shown}` does not exist; create it first")
        }
        io::ErrorKind::NotADirectory => {
            format!("the folder `{root_shown}` is not a directory; name a directory")
        }
        _ => format!("the folder `{root_shown}` cannot be opened: {error}"),
    };
    crate::Error::new(Code::InvalidConfig, message).with_source(error)
}
