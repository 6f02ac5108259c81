//! What the file tools of a call reach: folders of the machine, and files that live in the store.
//!
//! The invariant: a tool never opens a folder by itself. It asks what its call may touch and gets
//! handles, so no path that a model writes is ever opened by name.
//!
//! # The way of a path
//!
//! 1. `Files::reach` gives the `Reach` of a call: the folders of its caller (`roots`), opened once and
//!    kept open (`folders`), with what is closed to the caller.
//! 2. `Reach::place` says where a path of the model's leads: to a file on the disk, or to a file of the
//!    store that has a name in the workspace, such as `SOUL.md` or `memory/plans.md` (`virtual_name`).
//! 3. A file on the disk is worked with through [`crate::workspace`]. A file of the store is a
//!    `Stored`: `ownership` and `context` say whether it belongs to the agent or to the user, and
//!    `permission` says who may write it.
//! 4. Before a write: `read_versions` and `safety` refuse to overwrite what the caller has not read as it
//!    is now, and `locks` refuses what another agent has locked.
//! 5. Listings and searches show both: an `overlay` adds the files of the store to those of the disk
//!    (`virtual_files`).
//!
//! # Where the rest is
//!
//! `config`: the `files` part of the configuration. `prompt`: the context files of a prompt.
//! `index_queue`: memory files that an index has yet to read. `marked`: files written by sessions that
//! had read something untrusted. `principal`: who a call acts for, as locks and read versions know it.

mod config;
mod context;
mod folders;
mod index_queue;
mod locks;
mod marked;
mod overlay;
mod ownership;
mod permission;
mod principal;
mod prompt;
mod read_versions;
mod roots;
mod safety;
mod stored;
mod virtual_files;
mod virtual_name;

pub use config::{FilesConfig, HardLinks, TeamConfig, WriteSafety};
pub(crate) use index_queue::queued;
pub use index_queue::{MemoryQueue, QueuedMemory};
pub(crate) use locks::{Locks, check_count};
pub(crate) use marked::{MarkedFiles, Used, changed_keys, folder_key, path_key, written_keys};
pub(crate) use overlay::{FileOverlay, VirtualFile};
pub(crate) use principal::Principal;
pub(crate) use prompt::Prompt;
pub use prompt::{ContextSource, MergedContextFile};
pub(crate) use read_versions::{LONGEST_TEXT, ReadVersions, Verdict, VersionPrint};
pub(crate) use stored::{Becomes, Did, Stored, StoredChange};
pub(crate) use virtual_name::VirtualName;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use self::roots::Granting;
use crate::clock::Clock;
use crate::error::Error;
use crate::exec::sandbox::Mounted;
use crate::exec::{SandboxConfig, WorkspaceAccess};
use crate::kind::Resource;
use crate::shell::place;
use crate::store::Store;
use crate::tool::{CallContext, Caller, ToolError};
use crate::workspace::protected::Protection;
use crate::workspace::{self, CallerFolders, RelativePath, RootInfo, Roots, Spent, Workspace};

/// The files of a runtime. Cheap to clone; clones share everything.
#[derive(Clone)]
pub(crate) struct Files {
    parts: Arc<Parts>,
    granting: Arc<Granting>,
    read_versions: Arc<ReadVersions>,
    writing: Arc<Semaphore>,
}

/// How many calls write at once on threads that may block: an eighth of the 512 that tokio has by default,
/// so that readers always find one.
const MOST_WRITING: usize = 64;

/// What [`Files`] is made from.
pub(crate) struct Parts {
    /// The workspace of calls that bring none of their own.
    pub workspace: Option<Workspace>,
    /// The runtime's own files, which no tool writes.
    pub kept: Arc<[PathBuf]>,
    pub config: FilesConfig,
    /// Which callers' commands run in containers, and what those see of the workspace.
    pub sandbox: SandboxConfig,
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

/// Where a path leads.
pub(crate) enum Place {
    Disk(OnDisk),
    Stored(Stored),
}

/// The result of work with a file.
pub(crate) enum Worked<T, W> {
    /// It is done.
    Disk(T),
    /// The file is in the store. Gives back the argument of the work, which was not done.
    Stored(Box<Stored>, W),
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
        let writing = Arc::new(Semaphore::new(MOST_WRITING));
        Ok(Files { parts: Arc::new(parts), granting, read_versions: Arc::default(), writing })
    }

    /// Waits until one more call may write on a thread that may block. A writer may wait there for other
    /// writers, and must not take all such threads from readers. The thread itself must hold the permit: it
    /// goes on even if its call is dropped.
    pub(crate) async fn turn_to_write(&self) -> Option<OwnedSemaphorePermit> {
        // Nobody closes it.
        self.writing.clone().acquire_owned().await.ok()
    }

    /// Which versions of files each caller has read.
    pub(crate) fn read_versions(&self) -> &ReadVersions {
        &self.read_versions
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
        blocking(move || files.reached(cx)).await
    }

    /// Where a path of the call leads.
    ///
    /// # Errors
    /// As [`Self::reach`] and [`Reach::place`].
    pub(crate) async fn place(&self, cx: &CallContext, path: &str) -> Result<Place, ToolError> {
        self.reach(cx).await?.place(path).await
    }

    /// Does work with a file of the disk, on a thread that may block. What the work leaves to be freed
    /// is dropped after its result was sent. For a file of the store it gives back the argument `with`.
    ///
    /// Finding the file and working with it is one step, because handing a second one to such a thread
    /// costs as much as writing a small file.
    ///
    /// # Errors
    /// As [`Self::place`], and those of the work.
    pub(crate) async fn on_disk<W: Send + 'static, T: Send + 'static>(
        &self,
        (cx, path): (&CallContext, &str),
        with: W,
        work: impl FnOnce(&Workspace, &RelativePath, W) -> Result<(T, Spent), ToolError>
        + Send
        + 'static,
    ) -> Result<Worked<T, W>, ToolError> {
        let (files, cx, path) = (self.clone(), cx.clone(), path.to_owned());
        let begun = blocking_then_drop(move || {
            let reach = files.reached(cx)?;
            let (file, name) = reach.find(&path)?;
            match name {
                None => {
                    let (done, spent) = work(&file.workspace, &file.path, with)?;
                    Ok((Ok(done), spent))
                }
                Some(name) => Ok((Err((reach, name, file, with)), Spent::default())),
            }
        });
        match begun.await? {
            Ok(done) => Ok(Worked::Disk(done)),
            Err((reach, name, file, with)) => {
                Ok(Worked::Stored(Box::new(reach.stored(name, file).await?), with))
            }
        }
    }

    fn reached(self, cx: CallContext) -> Result<Reach, ToolError> {
        let roots = Arc::new(self.granting.roots(cx.caller())?);
        Ok(Reach { files: self, cx, roots })
    }

    /// Whether there is a folder that commands can work in.
    ///
    /// # Errors
    /// As [`Files::reach`], but not for a workspace that is only in containers.
    pub(crate) fn check_workspace(&self, cx: &CallContext) -> Result<(), ToolError> {
        self.granting.check_workspace(cx.caller())
    }

    /// How commands of a caller see the workspace in a container. `None`: they run on the host.
    pub(crate) fn mounted(&self, caller: &Caller, places: &CallerFolders) -> Option<Mounted> {
        let access = self.parts.sandbox.access_of(caller)?;
        let real = places.workspace.as_ref().filter(|_| access != WorkspaceAccess::None);
        Some(Mounted { real: real.map(PathBuf::from) })
    }

    /// Where a command of a caller works, and what is closed to it.
    ///
    /// # Errors
    /// As [`Files::reach`]. Without a workspace there is none of them.
    pub(crate) fn places(&self, caller: &Caller) -> Result<CallerFolders, ToolError> {
        self.granting.places(caller)
    }

    /// Why a person has to be asked before a call writes at a path. None: nobody has to be asked, as for a
    /// file of the store.
    pub(crate) fn protection(&self, cx: &CallContext, path: &str) -> Option<Protection> {
        let found = self.clone().reached(cx.clone()).and_then(|reach| reach.find(path));
        match found {
            Ok((_, Some(_))) => None,
            Ok((file, None)) => file.workspace.protection_of(&file.path),
            // The write itself will refuse it, unless it has become usable by then.
            Err(_) => {
                let opened = &self.parts.config.open;
                place::protected(path.trim_start_matches('/'), opened).map(Protection::Named)
            }
        }
    }

    /// The path as a resource that a call declares. None where it is refused.
    pub(crate) fn resource(&self, cx: &CallContext, path: &str) -> Option<Resource> {
        self.granting.roots(cx.caller()).ok()?.resource(path).ok()
    }
}

impl Reach {
    /// The globs of a lock as absolute patterns, and what those of the workspace begin with.
    ///
    /// # Errors
    /// Those of a glob that names nothing that can be locked.
    pub(crate) async fn lock_patterns(
        self,
        globs: Vec<String>,
    ) -> Result<(Vec<String>, String), ToolError> {
        blocking(move || {
            let stored = |at: &OnDisk| {
                let (_, name) = self.virtual_name(at)?;
                Some((PathBuf::from(name.path()), matches!(name, VirtualName::MemoryFolder(_))))
            };
            let absolute = |glob: &str| locks::absolute_pattern(&self.roots, glob, &stored);
            let patterns = globs.iter().map(|glob| absolute(glob)).collect::<Result<_, _>>()?;
            Ok((patterns, absolute("**")?.trim_end_matches("**").to_owned()))
        })
        .await
    }

    /// Where a path leads.
    pub(crate) async fn place(&self, path: &str) -> Result<Place, ToolError> {
        let (reach, path) = (self.clone(), path.to_owned());
        let (file, name) = blocking(move || reach.find(&path)).await?;
        match name {
            None => Ok(Place::Disk(file)),
            Some(name) => Ok(Place::Stored(self.stored(name, file).await?)),
        }
    }

    /// A path on the disk, and what it stands for in the store, of which agent.
    fn find(&self, path: &str) -> Result<(OnDisk, Option<(String, VirtualName)>), ToolError> {
        let (workspace, path) = self.roots.place(path)?;
        let file = OnDisk { workspace, path };
        let name = self.virtual_name(&file);
        let hidden =
            name.iter().any(|(_, name)| self.roots.workspace().hides(Path::new(name.path())));
        if hidden {
            return Err(workspace::Error::Denied { path: file.path.to_string() }.into());
        }
        Ok((file, name))
    }

    async fn stored(
        &self,
        (agent, name): (String, VirtualName),
        file: OnDisk,
    ) -> Result<Stored, ToolError> {
        let (parts, cx) = (self.files.parts.clone(), self.cx.clone());
        Stored::new(parts, cx, (agent, name, file)).await
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
    pub(crate) fn roots(&self) -> Vec<RootInfo> {
        self.roots.infos()
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
    blocking_then_drop(move || Ok((work()?, Spent::default()))).await
}

/// The same, but the result is sent before what the work left over is dropped.
async fn blocking_then_drop<T: Send + 'static>(
    work: impl FnOnce() -> Result<(T, Spent), ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let (reply, answer_rx) = oneshot::channel();
    let thread = tokio::task::spawn_blocking(move || {
        let (answer, spent) = work()
            .map_or_else(|error| (Err(error), Spent::default()), |(done, spent)| (Ok(done), spent));
        // The caller may be gone.
        let _ = reply.send(answer);
        // The woken caller may be queued for this processor, and would have to wait for the drop.
        std::thread::yield_now();
        drop(spent);
    });
    match answer_rx.await {
        Ok(answer) => answer,
        Err(_) => {
            let why = thread.await.err().map_or_else(String::new, |error| format!(": {error}"));
            Err(ToolError::failed(format!("File work failed{why}.")))
        }
    }
}
