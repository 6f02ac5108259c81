//! What the file tools of a call reach: folders of the machine, each beneath its handle, and files
//! that live in the store.
//!
//! A tool asks `Files::reach` for what its call may touch, and `Reach::place` for where a path
//! of the model's leads. It never opens a folder by itself.

mod beside;
mod config;
mod context;
mod folders;
mod index_queue;
mod locks;
mod permission;
mod prompt;
mod roots;
mod safety;
mod seen;
mod stored;
mod virtual_files;
mod virtual_name;
mod who;
mod whose;

pub(crate) use beside::{Beside, VirtualFile};
pub use config::{FilesConfig, HardLinks, TeamConfig, WriteSafety};
pub(crate) use index_queue::queued;
pub use index_queue::{MemoryQueue, QueuedMemory};
pub(crate) use locks::{Locks, absolute_pattern, check_count};
pub(crate) use prompt::Prompt;
pub use prompt::{ContextSource, MergedContextFile};
pub(crate) use roots::Places;
pub(crate) use seen::{LONGEST_TEXT, Print, Seen, Verdict};
pub(crate) use stored::{Becomes, Did, Stored, StoredChange};
pub(crate) use virtual_name::VirtualName;
pub(crate) use who::Who;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::roots::Granting;
use crate::clock::Clock;
use crate::error::Error;
use crate::kind::Resource;
use crate::store::Store;
use crate::tool::{CallContext, Caller, ToolError};
use crate::workspace::{self, RelativePath, Roots, Told, Workspace};

/// The files of a runtime. Cheap to clone; clones share everything.
#[derive(Clone)]
pub(crate) struct Files {
    parts: Arc<Parts>,
    granting: Arc<Granting>,
    seen: Arc<Seen>,
}

/// What files are made of.
pub(crate) struct Parts {
    /// The folder of calls that bring none of their own.
    pub workspace: Option<Workspace>,
    /// The runtime's own files, which no tool writes.
    pub kept: Arc<[PathBuf]>,
    pub config: FilesConfig,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
}

/// What one call reaches.
#[derive(Clone)]
pub(crate) struct Reach {
    files: Files,
    cx: CallContext,
    roots: Arc<Roots>,
}

/// What a tool wants of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    Read,
    Write,
}

/// Where a path leads.
pub(crate) enum Place {
    Disk(OnDisk),
    Stored(Stored),
}

/// A file or folder of the machine.
#[derive(Clone)]
pub(crate) struct OnDisk {
    pub workspace: Workspace,
    pub path: RelativePath,
}

impl Files {
    /// # Errors
    /// `invalid_config` for a folder that is not there and an entry that denies nothing, by key.
    pub(crate) fn new(parts: Parts) -> Result<Files, Error> {
        let granting = Arc::new(Granting::new(&parts)?);
        Ok(Files { parts: Arc::new(parts), granting, seen: Arc::default() })
    }

    /// Which versions of files were read by whom.
    pub(crate) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// What becomes of a write to a file that was not read as it is now.
    pub(crate) fn write_safety(&self) -> WriteSafety {
        self.parts.config.write_safety
    }

    /// True if `write_file` hands the file to the user where the model does not say.
    pub(crate) fn is_delivered(&self, path: &str) -> bool {
        self.parts.config.delivers(path)
    }

    /// The path locks, as the caller sees them.
    pub(crate) fn locks(&self, cx: &CallContext) -> Locks {
        Locks::new(self.parts.store.clone(), self.parts.clock.clone(), cx)
    }

    /// What the call reaches.
    ///
    /// # Errors
    /// `unavailable` where there is no workspace, or a folder cannot be opened; `invalid_arguments`
    /// where the caller's lists make no sense.
    pub(crate) async fn reach(&self, cx: &CallContext) -> Result<Reach, ToolError> {
        let (files, cx) = (self.clone(), cx.clone());
        blocking(move || {
            let roots = Arc::new(files.granting.roots(cx.caller())?);
            Ok(Reach { files, cx, roots })
        })
        .await
    }

    /// Where a command of a caller works, and what is closed to it.
    ///
    /// # Errors
    /// As [`Files::reach`]. Without a workspace there is none of them.
    pub(crate) fn places(&self, caller: &Caller) -> Result<Places, ToolError> {
        self.granting.places(caller)
    }

    /// The path as a resource that a call declares. None where it is refused.
    pub(crate) fn resource(&self, cx: &CallContext, path: &str) -> Option<Resource> {
        self.granting.roots(cx.caller()).ok()?.resource(path).ok()
    }
}

impl Reach {
    /// Does work with the folders of the call, on a thread that may block.
    pub(crate) async fn blocking<T: Send + 'static>(
        self,
        work: impl FnOnce(&Roots) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        blocking(move || work(&self.roots)).await
    }

    /// Where a path leads.
    pub(crate) async fn place(&self, path: &str, _aim: Aim) -> Result<Place, ToolError> {
        let (reach, path) = (self.clone(), path.to_owned());
        let found = blocking(move || {
            let (workspace, path) = reach.roots.place(&path)?;
            let file = OnDisk { workspace, path };
            let name = reach.virtual_name(&file);
            let hidden =
                name.iter().any(|(_, name)| reach.roots.workspace().hides(Path::new(name.path())));
            if hidden {
                return Err(workspace::Error::Denied { path: file.path.to_string() }.into());
            }
            Ok((file, name))
        });
        let (file, name) = found.await?;
        let Some((agent, name)) = name else { return Ok(Place::Disk(file)) };
        let (parts, cx) = (self.files.parts.clone(), self.cx.clone());
        Ok(Place::Stored(Stored::new(parts, cx, (agent, name, file)).await?))
    }

    /// What a path of the workspace stands for in the store, by its own name or by where its links
    /// lead. None: a file of the disk.
    fn virtual_name(&self, file: &OnDisk) -> Option<(String, VirtualName)> {
        let agent = self.cx.caller().agent.clone()?;
        let (config, path) = (&self.files.parts.config, &file.path);
        let home = self.roots.workspace();
        let of = |place: &Path| {
            let (root, place) = file.workspace.named(place);
            let is_home = root == home.real_root();
            is_home.then(|| VirtualName::of(&place, path.names_folder(), config)).flatten()
        };
        let by_name = of(Path::new(path.normalised()));
        let by_links = || of(&file.workspace.target(path).ok()?);
        Some((agent, by_name.or_else(by_links)?))
    }

    /// The folders that the call may use, the workspace first.
    pub(crate) fn roots(&self) -> Vec<Told> {
        self.roots.told()
    }
}

impl OnDisk {
    /// Does file work on a thread that may block.
    pub(crate) async fn blocking<T: Send + 'static, E: Into<ToolError>>(
        self,
        work: impl FnOnce(&Workspace, &RelativePath) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ToolError> {
        blocking(move || work(&self.workspace, &self.path).map_err(Into::into)).await
    }
}

/// Does work on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work);
    done.await.unwrap_or_else(|error| Err(ToolError::failed(format!("File work failed: {error}."))))
}
