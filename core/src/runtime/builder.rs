//! Puts a runtime together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Config, Runtime, ScrubProfile};
use crate::builtin;
use crate::call::{CallPath, PolicyGate, RecordMode, Recorder};
use crate::clock::{Clock, SystemClock};
use crate::error::{Code, Error};
use crate::policy::Decision;
use crate::scrub::Scrubber;
use crate::store::{self, Store};
use crate::tool::{Registry, Tool};
use crate::upkeep::Upkeep;
use crate::workspace::Workspace;

/// Builds a [`Runtime`].
pub struct RuntimeBuilder {
    config: Config,
    folder: Option<PathBuf>,
    store: Option<Arc<dyn Store>>,
    clock: Arc<dyn Clock>,
    tools: Vec<Arc<dyn Tool>>,
}

impl Default for RuntimeBuilder {
    fn default() -> RuntimeBuilder {
        RuntimeBuilder {
            config: Config::default(),
            folder: None,
            store: None,
            clock: Arc::new(SystemClock),
            tools: Vec::new(),
        }
    }
}

impl RuntimeBuilder {
    /// Takes the whole configuration.
    #[must_use]
    pub fn config(mut self, config: Config) -> RuntimeBuilder {
        self.config = config;
        self
    }

    /// Reads the configuration from a `.toml` or `.json` file; relative paths in it start at its
    /// folder, and without a `store` the state is kept in `toolkeep.db` beside it.
    ///
    /// # Errors
    /// `invalid_config` naming the file and the key.
    pub fn file(mut self, path: &Path) -> Result<RuntimeBuilder, Error> {
        self.config = Config::from_file(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        self.folder = Some(folder.unwrap_or(Path::new(".")).to_owned());
        self.config.store.get_or_insert_with(|| "sqlite:toolkeep.db".into());
        Ok(self)
    }

    /// Sets the folder that file tools work in.
    #[must_use]
    pub fn workspace(mut self, folder: impl AsRef<Path>) -> RuntimeBuilder {
        self.config.workspace = Some(folder.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Sets the store's URL: `memory:` or `sqlite:<file>`.
    #[must_use]
    pub fn store_url(mut self, url: impl Into<String>) -> RuntimeBuilder {
        self.config.store = Some(url.into());
        self
    }

    /// Uses a store of the host's own.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> RuntimeBuilder {
        self.store = Some(store);
        self
    }

    /// Uses another clock; for tests.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> RuntimeBuilder {
        self.clock = clock;
        self
    }

    /// Adds a tool of the host's.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool) -> RuntimeBuilder {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Opens the workspace and the store, registers the tools, compiles the policy.
    ///
    /// # Errors
    /// `invalid_config` naming the key, `name_taken` or `invalid_argument` for a tool, or the
    /// store's error.
    pub async fn build(mut self) -> Result<Runtime, Error> {
        self.config.check()?;
        let workspace = self.open_workspace()?;
        let registry = Registry::new(self.config.groups.clone())?;
        let store = self.open_store().await?;
        let scrubber = match self.config.scrub.profile {
            ScrubProfile::Seed => Scrubber::seed(),
        };
        let deps = builtin::Deps {
            workspace,
            store: store.clone(),
            clock: self.clock.clone(),
            output: self.config.output.clone(),
            scrubber: scrubber.clone(),
        };
        for tool in builtin::tools(&deps).into_iter().chain(std::mem::take(&mut self.tools)) {
            registry.register(tool)?;
        }
        let policy = &self.config.policy;
        Decision::compile(registry.snapshot().catalog(), policy, &[])?;
        let retention = self.config.retention.clone();
        let upkeep = Arc::new(Upkeep::new(retention, store.clone(), self.clock.clone()));
        let mode = self.config.record.mode;
        let path = CallPath {
            registry: Arc::new(registry),
            policy: PolicyGate::new(policy.clone(), store.clone()),
            rate_limit: self.config.rate_limit.clone(),
            execute: self.config.execute.clone(),
            scrubber: scrubber.clone(),
            output: self.config.output.clone(),
            recorder: Recorder::new(mode, store.clone(), scrubber, upkeep.clone()),
            upkeep,
            store,
            clock: self.clock,
        };
        Ok(Runtime::new(self.config, path))
    }

    fn open_workspace(&mut self) -> Result<Option<Workspace>, Error> {
        let Some(given) = &self.config.workspace else { return Ok(None) };
        let folder = match &self.folder {
            Some(base) => base.join(given),
            None => PathBuf::from(given),
        };
        let opened = Workspace::open(&folder).map_err(|error| {
            let text = format!("configuration: `workspace`: {}", error.message());
            Error::new(Code::InvalidConfig, text).with_source(error)
        })?;
        Ok(Some(opened))
    }

    async fn open_store(&mut self) -> Result<Arc<dyn Store>, Error> {
        if let Some(store) = self.store.take() {
            self.config.store = Some(store.url());
            return Ok(store);
        }
        let url = self.config.store.get_or_insert_with(|| "memory:".into());
        let options = store::OpenOptions {
            base_dir: self.folder.as_deref(),
            durable: self.config.record.mode == RecordMode::Durable,
            ..store::OpenOptions::default()
        };
        Ok(store::open(url, options).await?)
    }
}
