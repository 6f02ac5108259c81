//! A file that lives in the store, as one call sees it.
//!
//! Nothing is cached between two accesses: each reads the store, so no call sees a value older than a
//! write that has finished, in whatever process. A change is written over the version that was read, and
//! made again if somebody else was faster. An empty file does not exist: writing nothing deletes the
//! caller's own file, and the agent's shows again.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::context::{self, BOOTSTRAP, ReadFrom, USER, WriteTo};
use super::ownership::Ownership;
use super::permission::{self, Scope};
use super::virtual_name::VirtualName;
use super::{OnDisk, Parts, blocking};
use crate::error::Code;
use crate::store::{self, ContextFileKey, DocumentKey, Kind, PutContextFile, PutDocument, Store};
use crate::tool::{CallContext, ToolError};
use crate::vault::FileAt;
use crate::workspace;

/// The most bytes of a file in the store that a tool writes (1 MiB): a prompt has to hold it.
pub(crate) const LARGEST: usize = 1 << 20;
/// How often a change is computed again because somebody else was faster.
const MOST_TRIES: u32 = 100;
/// The longest pause before the next try, in milliseconds.
const LONGEST_PAUSE_MS: u32 = 20;
/// What memory files are.
const MIME: &str = "text/markdown; charset=utf-8";

/// A file or folder that lives in the store, as one call sees it.
#[derive(Clone)]
pub(crate) struct Stored {
    parts: Arc<Parts>,
    cx: CallContext,
    agent: String,
    ownership: Ownership,
    name: VirtualName,
    /// The path as the model wrote it.
    written: String,
    /// The same place on the disk. What is there is not shown.
    disk: OnDisk,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Becomes {
    /// It stays as it is.
    Same,
    /// It gets this text; none: it is deleted.
    Text(Vec<u8>),
}

/// What a change did to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredChange {
    pub did: Did,
    /// What the caller read there before, where he read anything.
    pub before: Option<Vec<u8>>,
}

/// What a change did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    /// Nothing.
    Nothing,
    /// It made a file.
    Created,
    /// It changed the file.
    Changed,
    /// What was read was the agent's, and the caller has his own from now on.
    Copied,
    /// It deleted the file.
    Deleted,
    /// It deleted the caller's own, and the agent's shows again.
    AgentsShows,
}

/// A row of the store.
struct Row {
    version: i64,
    body: Vec<u8>,
}

/// What is there, for one caller.
struct Standing {
    /// The row that he writes.
    own: Option<Row>,
    /// What he reads.
    shown: Option<Vec<u8>>,
    /// True if the agent has one that shows where he has none.
    agents: bool,
}

impl Standing {
    fn done(self, did: Did) -> StoredChange {
        StoredChange { did, before: self.shown }
    }
}

/// Where a file of this call is read from and written to: users, with none for the agent itself.
struct Rows {
    read: Vec<Option<String>>,
    write: Option<String>,
}

impl Stored {
    pub(super) async fn new(
        parts: Arc<Parts>,
        cx: CallContext,
        (agent, name, disk): (String, VirtualName, OnDisk),
    ) -> Result<Stored, ToolError> {
        let written = disk.path.as_written().to_owned();
        if name.path().len() > crate::id::MAX_KEY_BYTES {
            let problem = "is longer than 512 bytes, and files of the store have no longer paths";
            let path = crate::limits::shortened(&written, 100).into_owned();
            return Err(workspace::Error::InvalidPath { path, problem }.into());
        }
        let caller = cx.caller();
        let given = caller.agent_type.as_deref();
        let ownership = Ownership::of(&*parts.store, (&caller.tenant, &agent), given)
            .await
            .map_err(ToolError::raise)?;
        Ok(Stored { parts, cx, agent, ownership, name, written, disk })
    }

    pub(crate) fn name(&self) -> &VirtualName {
        &self.name
    }

    /// The path as the model wrote it.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// Another file of the same caller.
    pub(super) fn named(&self, name: VirtualName) -> Stored {
        let written = name.path().to_owned();
        let workspace = self.disk.workspace.clone();
        let path = workspace.relative(&written).unwrap_or_else(|_| self.disk.path.clone());
        let disk = OnDisk { workspace, path };
        Stored { name, written, disk, ..self.clone() }
    }

    pub(super) fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    pub(super) fn shares_memory(&self) -> bool {
        self.ownership.shared_memory
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.parts.store
    }

    pub(super) fn tenant(&self) -> &str {
        &self.cx.caller().tenant
    }

    pub(super) fn agent(&self) -> &str {
        &self.agent
    }

    /// The same place on the disk, in the one spelling of its name.
    pub(crate) fn looked_through(&self) -> OnDisk {
        self.named(self.name.clone()).disk
    }

    /// The same place on the disk.
    pub(crate) fn disk(&self) -> &OnDisk {
        &self.disk
    }

    /// What the vault knows the file by: the same for the caller's own and what stands in for it.
    pub(crate) fn file_at(&self) -> FileAt {
        let user = self.user().unwrap_or_default();
        // No key contains a NUL, so no two pairs of agent and user give the same text.
        let root = format!("store:{}\0{user}", self.agent).into();
        FileAt { root, path: self.name.path().into() }
    }

    /// What the file holds for the caller; `None` if there is none.
    ///
    /// # Errors
    /// `access_denied` for what is in the prompt already; `invalid_arguments` for a folder; for the
    /// host, what the store answers instead.
    pub(crate) async fn read(&self) -> Result<Option<Vec<u8>>, ToolError> {
        let rows = self.rows()?;
        Ok(self.standing(&rows).await?.shown)
    }

    /// True if the caller reads memory files below this path.
    pub(crate) async fn is_memory_folder(&self) -> Result<bool, ToolError> {
        let VirtualName::Memory(path) = &self.name else { return Ok(false) };
        Ok(!self.memories_below(path).await?.is_empty())
    }

    /// What identifies the present text of the file.
    pub(crate) async fn stamp(&self) -> Option<String> {
        let text = self.read().await.ok()??;
        Some(format!("stored:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(&text))))
    }

    /// Changes the file to what `make` makes of what the caller reads there. `make` is called again if
    /// somebody else changed the file meanwhile. Returns what `make` returned the last time.
    ///
    /// # Errors
    /// Those of [`read`](Stored::read) and of `make`; `access_denied` where the caller may not write
    /// it; `conflict` if others never stop changing it.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        mut make: impl FnMut(Option<&[u8]>) -> Result<(Becomes, T), ToolError> + Send + 'static,
    ) -> Result<(StoredChange, T), ToolError> {
        // Some files may only be deleted, and only the result of `make` shows whether this one is to be.
        let refusal = self.check_write(false).await.err();
        if let Some(refusal) = refusal.as_ref().filter(|_| !self.is(BOOTSTRAP)) {
            return Err(refusal.clone());
        }
        let rows = self.rows()?;
        let mut may_be_made = false;
        for attempt in 0..MOST_TRIES {
            let standing = self.standing(&rows).await?;
            if standing.shown.is_none() && !may_be_made {
                self.check_may_be_made().await?;
                may_be_made = true;
            }
            let shown = standing.shown.clone();
            let making = blocking(move || Ok((make(shown.as_deref())?, make)));
            let ((becomes, note), again) = making.await?;
            make = again;
            let text = match becomes {
                Becomes::Same => return Ok((standing.done(Did::Nothing), note)),
                Becomes::Text(text) => text,
            };
            match &refusal {
                Some(refusal) if !text.is_empty() => return Err(refusal.clone()),
                Some(_) => self.check_write(true).await?,
                None => self.check_size(&text)?,
            }
            let made = if standing.shown.is_none() { text.clone() } else { Vec::new() };
            match self.replace(&rows, &standing, text).await {
                Ok(Did::Created) => {
                    self.check_stands(&rows, &made).await?;
                    return Ok((standing.done(Did::Created), note));
                }
                Ok(did) => return Ok((standing.done(did), note)),
                Err(error) if error.kind() == Kind::Conflict => {
                    let pause = attempt.min(LONGEST_PAUSE_MS);
                    tokio::time::sleep(Duration::from_millis(pause.into())).await;
                }
                Err(error) => return Err(ToolError::raise(error)),
            }
        }
        Err(workspace::Error::Changed { path: self.written.clone() }.into())
    }

    /// Puts a text in the place of what stands there, unless that has changed.
    async fn replace(
        &self,
        rows: &Rows,
        standing: &Standing,
        text: Vec<u8>,
    ) -> Result<Did, store::Error> {
        let (own, user) = (standing.own.as_ref(), rows.write.as_deref());
        if !text.is_empty() {
            self.put(user, text, own).await?;
            return Ok(match (&standing.shown, own.is_some_and(|own| !own.body.is_empty())) {
                (None, _) => Did::Created,
                (Some(_), true) => Did::Changed,
                (Some(_), false) => Did::Copied,
            });
        }
        if self.is(BOOTSTRAP) && standing.agents {
            // Without a file of its own, a user who has followed the agent's file would see it again. An empty
            // one hides it.
            self.put(user, text, own).await?;
            return Ok(Did::Deleted);
        }
        let Some(own) = own else { return Ok(Did::Nothing) };
        match self.delete(user, own.version).await? {
            false => Ok(Did::Nothing),
            true if standing.agents => Ok(Did::AgentsShows),
            true => Ok(Did::Deleted),
        }
    }

    /// What is there now, for the caller.
    async fn standing(&self, rows: &Rows) -> Result<Standing, ToolError> {
        let own = self.row(rows.write.as_deref()).await?;
        let mut agents = None;
        if rows.read.iter().any(|user| *user != rows.write) {
            agents = self.row(None).await?.map(|row| row.body).filter(|body| !body.is_empty());
        }
        let has_agents = agents.is_some();
        let hides = self.is(BOOTSTRAP) && own.is_some();
        let of_own = own.as_ref().map(|row| row.body.clone()).filter(|body| !body.is_empty());
        let shown = of_own.or_else(|| agents.filter(|_| !hides));
        Ok(Standing { own, shown, agents: has_agents })
    }

    /// Refuses a memory file where there is a folder, or below a file: no listing could show it.
    async fn check_may_be_made(&self) -> Result<(), ToolError> {
        let VirtualName::Memory(path) = &self.name else { return Ok(()) };
        if self.is_memory_folder().await? {
            return Err(workspace::Error::IsFolder { path: self.written.clone() }.into());
        }
        for (end, _) in path.match_indices('/').skip(1) {
            let above = VirtualName::Memory(path[..end].to_owned());
            let above = Stored { name: above, ..self.clone() };
            if above.standing(&above.rows()?).await?.shown.is_some() {
                return Err(workspace::Error::NotAFolder { path: self.written.clone() }.into());
            }
        }
        Ok(())
    }

    /// Checks the same after a file was created: another process may have created a conflicting one since
    /// the first check. Then the new file is removed. Of two that conflict both may be removed, but none is
    /// lost silently.
    async fn check_stands(&self, rows: &Rows, made: &[u8]) -> Result<(), ToolError> {
        let Err(refusal) = self.check_may_be_made().await else { return Ok(()) };
        let user = rows.write.as_deref();
        if let Some(stands) = self.row(user).await?.filter(|row| row.body == made) {
            self.delete(user, stands.version).await.map_err(ToolError::raise)?;
        }
        Err(refusal)
    }

    fn check_size(&self, body: &[u8]) -> Result<(), ToolError> {
        if body.len() > LARGEST {
            let path = self.written.clone();
            let (bytes, max) = (body.len() as u64, LARGEST as u64);
            let remedy = "keep a part of it in another file";
            return Err(workspace::Error::TooLarge { path, bytes, max, remedy }.into());
        }
        Ok(())
    }

    /// Where the file is read from and written to.
    fn rows(&self) -> Result<Rows, ToolError> {
        let is_folder = matches!(self.name, VirtualName::MemoryFolder(_));
        let is_below = matches!(self.name, VirtualName::BelowFile(_));
        if is_below || (!is_folder && self.disk.path.names_folder()) {
            return Err(workspace::Error::NotAFolder { path: self.written.clone() }.into());
        }
        let user = self.user().map(str::to_owned);
        let own_else_agent = |user: Option<String>| match user {
            Some(user) => Rows { read: vec![Some(user.clone()), None], write: Some(user) },
            None => Rows { read: vec![None], write: None },
        };
        match &self.name {
            VirtualName::MemoryFolder(_) | VirtualName::BelowFile(_) => {
                Err(workspace::Error::IsFolder { path: self.written.clone() }.into())
            }
            VirtualName::Memory(_) => {
                Ok(own_else_agent(user.filter(|_| !self.ownership.shared_memory)))
            }
            VirtualName::Context(name) => {
                let route = context::route(name, &self.ownership, user.is_some());
                match route.read {
                    ReadFrom::OwnElseAgent => Ok(own_else_agent(user)),
                    ReadFrom::Agent => Ok(own_else_agent(None)),
                    ReadFrom::Refused => Err(self.in_prompt()),
                }
            }
        }
    }

    /// Refuses what the caller may not write. `deletes` says that nothing is to be left.
    async fn check_write(&self, deletes: bool) -> Result<(), ToolError> {
        let (caller, store) = (self.cx.caller(), &*self.parts.store);
        let principal = (self.agent.as_str(), self.name.path());
        let VirtualName::Context(name) = &self.name else {
            let is_agents = self.user().is_none() && !self.shares_memory();
            // Without a user, one caller would write the memory of all users.
            return match is_agents && permission::is_somebodys(caller) {
                true => permission::check(store, caller, principal, Scope::Agent).await,
                false => Ok(()),
            };
        };
        let write = context::route(name, &self.ownership, self.user().is_some()).write;
        match write {
            WriteTo::Refused => return Err(self.predefined()),
            WriteTo::OwnDeletion if !deletes => return Err(self.predefined()),
            WriteTo::AgentWithLeave => {
                return permission::check(store, caller, principal, Scope::Agent).await;
            }
            WriteTo::Own | WriteTo::OwnDeletion | WriteTo::Agent => {}
        }
        let is_own = write == WriteTo::Own;
        if !permission::is_in_group(caller) || (deletes && self.is(BOOTSTRAP)) {
            return Ok(());
        }
        if is_own && self.is(USER) && self.is_starting().await? {
            return Ok(());
        }
        permission::check(store, caller, principal, Scope::Group).await
    }

    /// True while the group has a `BOOTSTRAP.md` of its own: it is only getting to know the agent.
    async fn is_starting(&self) -> Result<bool, ToolError> {
        let Some(user) = self.user() else { return Ok(false) };
        let name = VirtualName::Context(BOOTSTRAP.into());
        let bootstrap = Stored { name, ..self.clone() };
        let row = bootstrap.row(Some(user)).await?;
        Ok(row.is_some_and(|row| !row.body.is_empty()))
    }

    fn in_prompt(&self) -> ToolError {
        let text = format!(
            "access denied: `{}` is already loaded into your context, and is not read as a file; \
             look at your instructions instead.",
            self.written
        );
        ToolError::new(Code::AccessDenied, text).by_rule("files.context_files")
    }

    fn predefined(&self) -> ToolError {
        let text = format!(
            "access denied: `{}` is part of the predefined configuration of this agent, and is \
             not written by tools; its owner changes it.",
            self.written
        );
        ToolError::new(Code::AccessDenied, text).by_rule("files.context_files")
    }

    fn is(&self, context_file: &str) -> bool {
        matches!(&self.name, VirtualName::Context(name) if name == context_file)
    }

    pub(super) fn user(&self) -> Option<&str> {
        self.cx.caller().user.as_deref()
    }

    fn context_key(&self, user: Option<String>) -> ContextFileKey {
        let (tenant, agent) = (self.cx.caller().tenant.clone(), self.agent.clone());
        ContextFileKey { tenant, agent, user, name: self.name.path().to_owned() }
    }

    fn document_key(&self, user: Option<String>) -> DocumentKey {
        let (tenant, agent) = (self.cx.caller().tenant.clone(), self.agent.clone());
        DocumentKey { tenant, agent, user, path: self.name.path().to_owned() }
    }

    async fn row(&self, user: Option<&str>) -> Result<Option<Row>, ToolError> {
        let (store, user) = (&self.parts.store, user.map(str::to_owned));
        let found = if let VirtualName::Context(_) = self.name {
            let found = store.get_context_file(&self.context_key(user)).await;
            found.map(|file| file.map(|file| Row { version: file.info.version, body: file.body }))
        } else {
            let found = store.get_document(&self.document_key(user)).await;
            found.map(|file| file.map(|file| Row { version: file.info.version, body: file.body }))
        };
        found.map_err(ToolError::raise)
    }

    async fn put(
        &self,
        user: Option<&str>,
        body: Vec<u8>,
        over: Option<&Row>,
    ) -> Result<(), store::Error> {
        let (version, if_body) =
            (over.map_or(0, |row| row.version), over.map(|row| row.body.clone()));
        let user = user.map(str::to_owned);
        let (store, now_ms) = (&self.parts.store, self.parts.clock.now_ms());
        let if_version = Some(version);
        if let VirtualName::Context(_) = self.name {
            let key = self.context_key(user);
            let file = PutContextFile { key, body, if_version, if_body, fence: None };
            return store.put_context_file(file, now_ms).await.map(drop);
        }
        let (key, mime) = (self.document_key(user), MIME.to_owned());
        let document = PutDocument { key, mime, body, if_version, if_body, fence: None };
        store.put_document(document, now_ms).await.map(drop)
    }

    async fn delete(&self, user: Option<&str>, version: i64) -> Result<bool, store::Error> {
        let (store, now_ms) = (&self.parts.store, self.parts.clock.now_ms());
        let (user, version) = (user.map(str::to_owned), Some(version));
        if let VirtualName::Context(_) = self.name {
            return store.delete_context_file(&self.context_key(user), version, now_ms).await;
        }
        store.delete_document(&self.document_key(user), version, now_ms).await
    }
}
