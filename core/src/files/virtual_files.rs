//! The files of the store that a call sees in the folders of its workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::context::{self, BOOTSTRAP, ReadFrom};
use super::overlay::{FileOverlay, VirtualFile};
use super::stored::Stored;
use super::virtual_name::{MEMORY_FILE, MEMORY_FOLDER, VirtualName};
use super::{OnDisk, Reach, blocking};
use crate::store::ListDocuments;
use crate::tool::ToolError;

/// How many names one page of the store's lists has.
const PAGE: u32 = 1_000;

impl Reach {
    /// What is seen in a folder of the disk besides what is there, and instead of it.
    ///
    /// # Errors
    /// For the host, what the store answers instead of its lists.
    pub(crate) async fn overlay(&self, folder: &OnDisk) -> Result<FileOverlay, ToolError> {
        let Some(agent) = self.cx.caller().agent.clone() else { return Ok(FileOverlay::default()) };
        let (reach, at) = (self.clone(), folder.clone());
        // If that cannot be found out, the disk will say why.
        let place = blocking(move || Ok(reach.virtual_place(&at))).await?;
        let config = self.files.parts.config.clone();
        let of = |place: &Path| VirtualName::of(place, false, &config);
        let folder_name = match place.as_deref() {
            None => return Ok(self.overlay_of_stored_folder(folder)),
            Some(place) if place == Path::new(".") => None,
            Some(place) => match of(place) {
                None => return Ok(FileOverlay::default()),
                name => name,
            },
        };
        let name = folder_name.clone().unwrap_or(VirtualName::MemoryFolder(MEMORY_FOLDER.into()));
        let parts = self.files.parts.clone();
        let stored = Stored::new(parts, self.cx.clone(), (agent, name, folder.clone())).await?;
        let names = match &folder_name {
            None => {
                [stored.context_names(&config.context_files).await?, stored.memories("").await?]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Some(VirtualName::Context(name)) => {
                stored.context_names(std::slice::from_ref(name)).await?
            }
            Some(VirtualName::BelowFile(_)) => Vec::new(),
            Some(VirtualName::Memory(path) | VirtualName::MemoryFolder(path)) => {
                stored.memories(path).await?
            }
        };
        let hides = |name: &VirtualName| folder.workspace.hides(Path::new(name.path()));
        let names = names.into_iter().filter(|(name, _)| config.memory || !name.is_memory());
        let names = names.filter(|(name, _)| !hides(name));
        let files: Vec<VirtualFile> =
            names.map(|(name, bytes)| virtual_file(stored.named(name), bytes)).collect();
        let is_memory = folder_name.as_ref().is_some_and(VirtualName::is_memory);
        let nothing = (is_memory && files.is_empty())
            .then(|| format!("[There is no memory at {} yet]", folder.path));
        let shadow = move |place: &Path| VirtualName::of(place, false, &config).is_some();
        Ok(FileOverlay { shadow: Some(Arc::new(shadow)), files, nothing })
    }

    /// The overlay of another root. If that root contains the workspace, the files on the disk that a file
    /// of the store replaces are hidden there as well.
    fn overlay_of_stored_folder(&self, folder: &OnDisk) -> FileOverlay {
        let home = self.roots.workspace().real_root().to_owned();
        let (root, config) = (folder.workspace.clone(), self.files.parts.config.clone());
        let here = root.real_root();
        if here == home || !(here.starts_with(&home) || home.starts_with(here)) {
            return FileOverlay::default();
        }
        let shadow = move |place: &Path| {
            let (at, place) = root.named(place);
            at == home && VirtualName::of(&place, false, &config).is_some()
        };
        FileOverlay { shadow: Some(Arc::new(shadow)), ..FileOverlay::default() }
    }

    /// A place of the workspace, from its root and without links; none of another folder.
    fn virtual_place(&self, at: &OnDisk) -> Option<std::path::PathBuf> {
        if at.workspace.real_root() != self.roots.workspace().real_root() {
            return None;
        }
        // By its own name, because a name of the store takes precedence over the disk.
        let by_name = Path::new(at.path.normalised());
        let is_virtual = VirtualName::of(by_name, false, &self.files.parts.config).is_some();
        if is_virtual { Some(by_name.to_owned()) } else { at.workspace.target(&at.path).ok() }
    }
}

fn virtual_file(file: Stored, bytes: u64) -> VirtualFile {
    let path = file.name().path().to_owned();
    let text = move || {
        let file = file.clone();
        async move {
            let body = file.read().await?.unwrap_or_default();
            Ok(String::from_utf8_lossy(&body).into_owned())
        }
        .boxed()
    };
    VirtualFile { path, bytes, text: Arc::new(text) }
}

impl Stored {
    /// The context files that the caller reads, of these names, each with its size.
    async fn context_names(&self, names: &[String]) -> Result<Vec<(VirtualName, u64)>, ToolError> {
        let agents = self.context_sizes(None).await?;
        let own = match self.user() {
            Some(user) => self.context_sizes(Some(user)).await?,
            None => BTreeMap::new(),
        };
        let mut found = Vec::new();
        for name in names {
            let of_agent = agents.get(name).copied().filter(|size| *size > 0);
            let of_own = own.get(name).copied();
            let size = match context::route(name, self.ownership(), self.user().is_some()).read {
                ReadFrom::Refused => None,
                ReadFrom::Agent => of_agent,
                ReadFrom::OwnElseAgent if name == BOOTSTRAP => {
                    of_own.or(of_agent).filter(|size| *size > 0)
                }
                ReadFrom::OwnElseAgent => of_own.filter(|size| *size > 0).or(of_agent),
            };
            found.extend(size.map(|size| (VirtualName::Context(name.clone()), size)));
        }
        Ok(found)
    }

    async fn context_sizes(&self, user: Option<&str>) -> Result<BTreeMap<String, u64>, ToolError> {
        let mut sizes = BTreeMap::new();
        let mut after: Option<String> = None;
        loop {
            let (store, tenant) = (self.store(), self.tenant());
            let page = store
                .list_context_files(tenant, self.agent(), user, after.as_deref(), PAGE)
                .await
                .map_err(ToolError::raise)?;
            let Some(last) = page.last() else { return Ok(sizes) };
            after = Some(last.key.name.clone());
            let size = |size| u64::try_from(size).unwrap_or_default();
            sizes.extend(page.into_iter().map(|file| (file.key.name, size(file.size))));
        }
    }

    /// The memory files that the caller reads at a path and below it; all of them at none.
    async fn memories(&self, at: &str) -> Result<Vec<(VirtualName, u64)>, ToolError> {
        let sizes = self.memory_sizes(&[MEMORY_FILE, "memory/"]).await?;
        let is_at = |path: &str| {
            let below = path.strip_prefix(at);
            below.is_some_and(|rest| at.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let files = sizes.into_iter().filter(|(path, _)| is_at(path));
        Ok(files.map(|(path, size)| (VirtualName::Memory(path), size)).collect())
    }

    /// The paths of the memory files that the caller reads below a path of the memory.
    pub(super) async fn memories_below(&self, path: &str) -> Result<Vec<String>, ToolError> {
        Ok(self.memory_sizes(&[&format!("{path}/")]).await?.into_keys().collect())
    }

    /// The memory files that the caller reads whose paths begin so, with their sizes.
    async fn memory_sizes(&self, prefixes: &[&str]) -> Result<BTreeMap<String, u64>, ToolError> {
        let mut sizes = BTreeMap::new();
        let scopes: BTreeSet<Option<&str>> = match self.user().filter(|_| !self.shares_memory()) {
            Some(user) => [None, Some(user)].into(),
            None => [None].into(),
        };
        // The user's own come last, and replace the agent's.
        for user in scopes {
            for prefix in prefixes {
                self.add_documents(&mut sizes, user, (*prefix).to_owned()).await?;
            }
        }
        Ok(sizes)
    }

    async fn add_documents(
        &self,
        sizes: &mut BTreeMap<String, u64>,
        user: Option<&str>,
        prefix: String,
    ) -> Result<(), ToolError> {
        let mut after: Option<String> = None;
        loop {
            let list = ListDocuments {
                tenant: self.tenant().to_owned(),
                agent: self.agent().to_owned(),
                user: user.map(str::to_owned),
                prefix: prefix.clone(),
                after,
                limit: PAGE,
            };
            let page = self.store().list_documents(list).await.map_err(ToolError::raise)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.key.path.clone());
            for document in page.into_iter().filter(|document| document.size > 0) {
                let path = document.key.path;
                // What the host has stored under another spelling is not reached, so not shown.
                if VirtualName::is_document(&path) {
                    sizes.insert(path, u64::try_from(document.size).unwrap_or_default());
                }
            }
        }
    }
}
