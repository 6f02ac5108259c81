//! What the file tools of a call reach: folders of the machine, each beneath its handle, and files
//! that live in the store.
//!
//! A tool asks [`Files::reach`] for what its call may touch, and [`Reach::place`] for where a path
//! of the model's leads. It never opens a folder by itself.

mod config;
mod context;
mod index_queue;
mod permission;
mod prompt;
mod stored;
mod virtual_name;
mod whose;

pub use config::{FilesConfig, HardLinks, WriteSafety};
pub(crate) use index_queue::queued;
pub use index_queue::{MemoryQueue, QueuedMemory};
pub(crate) use prompt::Prompt;
pub use prompt::{ContextSource, MergedContextFile};
pub(crate) use stored::{Becomes, Did, Stored};
pub(crate) use virtual_name::VirtualName;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clock::Clock;
use crate::error::Code;
use crate::kind::Resource;
use crate::store::Store;
use crate::tool::{CallContext, ToolError};
use crate::workspace::{RelativePath, Rules, Workspace};

/// The files of a runtime. Cheap to clone; clones share everything.
#[derive(Clone)]
pub(crate) struct Files {
    parts: Arc<Parts>,
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
    workspace: Workspace,
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
    pub(crate) fn new(parts: Parts) -> Files {
        Files { parts: Arc::new(parts) }
    }

    /// What the call reaches.
    ///
    /// # Errors
    /// `unavailable` where there is no workspace, or it cannot be opened.
    pub(crate) async fn reach(&self, cx: &CallContext) -> Result<Reach, ToolError> {
        let (files, cx) = (self.clone(), cx.clone());
        blocking(move || {
            let workspace = files
                .opened(&cx)?
                .ruled(Rules { kept: files.parts.kept.clone(), ..Rules::default() });
            Ok(Reach { files, cx, workspace })
        })
        .await
    }

    /// The path as a resource that a call declares. None where it is refused, or can be told only
    /// by opening folders.
    pub(crate) fn resource(&self, cx: &CallContext, path: &str) -> Option<Resource> {
        let own = self.parts.workspace.as_ref().filter(|_| cx.caller().workspace.is_none())?;
        Some(own.resource(&own.relative(path).ok()?))
    }

    /// The workspace of a call: the caller's own, or the runtime's.
    fn opened(&self, cx: &CallContext) -> Result<Workspace, ToolError> {
        if let Some(folder) = &cx.caller().workspace {
            return Workspace::open(Path::new(folder)).map_err(|_| {
                // The message of `open` names a path of the host, which the model must not see.
                let text = "The workspace of this caller cannot be opened.";
                ToolError::new(Code::Unavailable, text)
            });
        }
        self.parts.workspace.clone().ok_or_else(|| {
            let text = "There is no workspace, so files cannot be used. The owner has to set \
                        `workspace` in the configuration.";
            ToolError::new(Code::Unavailable, text)
        })
    }
}

impl Reach {
    /// Where a path leads.
    pub(crate) async fn place(&self, path: &str, _aim: Aim) -> Result<Place, ToolError> {
        let (reach, path) = (self.clone(), path.to_owned());
        let found = blocking(move || {
            let path = reach.workspace.relative(&path)?;
            let name = reach.virtual_name(&path);
            Ok((OnDisk { workspace: reach.workspace, path }, name))
        });
        let (file, name) = found.await?;
        let Some((agent, name)) = name else { return Ok(Place::Disk(file)) };
        let (parts, cx) = (self.files.parts.clone(), self.cx.clone());
        Ok(Place::Stored(Stored::new(parts, cx, (agent, name, file)).await?))
    }

    /// What a path of the workspace stands for in the store, by its own name or by where its links
    /// lead. None: a file of the disk.
    fn virtual_name(&self, path: &RelativePath) -> Option<(String, VirtualName)> {
        let agent = self.cx.caller().agent.clone()?;
        let config = &self.files.parts.config;
        let of = |path: &Path, is_folder| VirtualName::of(path, is_folder, config);
        let by_name = of(Path::new(path.normalised()), path.names_folder());
        let by_links = || of(&self.workspace.target(path).ok()?, path.names_folder());
        Some((agent, by_name.or_else(by_links)?))
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
