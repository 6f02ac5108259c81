//! Puts a runtime together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::addresses;
use super::scrubbing::random_bytes;
use super::systems::{self, Ground};
use super::{Config, Parts, Runtime};
use crate::builtin;
use crate::call::{
    ApproveGate, CallPath, Finder, Limits, Marked, PolicyFile, PolicyGate, PolicyParts, Reads,
    RecordMode, Recorder, RedundancyGate, Runs, Shell, Texts, Tools, Written,
};
use crate::clis::Clis;
use crate::clock::{Clock, SystemClock};
use crate::commands::Commands;
use crate::custom::Followed;
use crate::deadlines::Deadlines;
use crate::error::{Code, Error};
use crate::exec::{Background, Host};
use crate::files::{self, Files};
use crate::fork;
use crate::handler::Handlers;
use crate::kind::Origin;
use crate::policy::Compiled;
use crate::scrubbers::Scrubbers;
use crate::secret::{ExposeSecret, Key, KeyRing, KeySource, SecretString};
use crate::shell;
use crate::store::{self, Store};
use crate::system::Systems;
use crate::tool::{Deferred, DefinitionCache, Registration, Registries, Registry, Tool};
use crate::upkeep::Upkeep;
use crate::vault::Vault;
use crate::workspace::Workspace;

/// Builds a [`Runtime`].
pub struct RuntimeBuilder {
    config: Config,
    folder: Option<PathBuf>,
    file: Option<PolicyFile>,
    store: Option<Arc<dyn Store>>,
    clock: Arc<dyn Clock>,
    tools: Vec<Registration>,
    key: Option<KeyCallback>,
    older_keys: Vec<KeyCallback>,
    pub(super) handlers: Arc<Handlers>,
}

type KeyCallback = Box<dyn FnOnce() -> Result<SecretString, Error> + Send>;

impl Default for RuntimeBuilder {
    fn default() -> RuntimeBuilder {
        RuntimeBuilder {
            config: Config::default(),
            folder: None,
            file: None,
            store: None,
            clock: Arc::new(SystemClock),
            tools: Vec::new(),
            key: None,
            older_keys: Vec::new(),
            handlers: Arc::default(),
        }
    }
}

impl RuntimeBuilder {
    /// Takes the whole configuration.
    #[must_use]
    pub fn config(mut self, config: Config) -> RuntimeBuilder {
        self.config = config;
        self.file = None;
        self
    }

    /// Reads the configuration from a `.toml` or `.json` file; relative paths in it start at its
    /// folder, and without a `store` the state is kept in `toolkeep.db` beside it.
    ///
    /// # Errors
    /// `invalid_config` naming the file and the key.
    pub fn file(mut self, path: &Path) -> Result<RuntimeBuilder, Error> {
        let file = PolicyFile::at(path, written);
        self.config = Config::from_file(path)?;
        self.file = Some(file.opened_with(parts(self.config.clone()).rest));
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
        self.tools.push(Registration::new(tool));
        self
    }

    /// Adds a tool of the host's, in the place of one of that name if there is one.
    #[must_use]
    pub fn replace(mut self, tool: impl Tool) -> RuntimeBuilder {
        self.tools.push(Registration::new(tool).replace());
        self
    }

    /// Gets the key that seals secrets from the host: from a key service or a keychain, say. It is
    /// asked for once, by [`build`](RuntimeBuilder::build), and gives a key's text
    /// ([`Key::from_text`]). Takes the place of `secrets.key`; giving both is an error.
    ///
    /// ```
    /// use toolkeep::{Runtime, secret::generate_key};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), toolkeep::Error> {
    /// let key = generate_key()?; // instead: ask whoever keeps it
    /// let rt = Runtime::builder().key(move || Ok(key)).build().await?;
    /// # rt.close().await
    /// # }
    /// ```
    #[must_use]
    pub fn key(
        mut self,
        provide: impl FnOnce() -> Result<SecretString, Error> + Send + 'static,
    ) -> RuntimeBuilder {
        self.key = Some(Box::new(provide));
        self
    }

    /// Gets another key from the host, one that only opens what was sealed under it earlier. Comes
    /// on top of `secrets.older_keys`, and may be called for each such key.
    #[must_use]
    pub fn older_key(
        mut self,
        provide: impl FnOnce() -> Result<SecretString, Error> + Send + 'static,
    ) -> RuntimeBuilder {
        self.older_keys.push(Box::new(provide));
        self
    }

    /// Reads the keys, opens the workspace and the store, registers the tools, compiles the policy.
    ///
    /// # Errors
    /// `invalid_config` naming the key, `name_taken` or `invalid_argument` for a tool, or the
    /// store's error.
    pub async fn build(mut self) -> Result<Runtime, Error> {
        self.config.check()?;
        fork::hold(shell::prepare);
        let keys = self.read_keys()?;
        let workspace = self.open_workspace()?;
        self.check_key_files()?;
        let registries = Arc::new(Registries::new(Registry::new(self.config.groups.clone())?));
        let store = self.open_store().await?;
        let kept = self.kept(&store.url());
        let scrubbers = self.scrubbers(keys.as_deref())?;
        let registry = registries.shared();
        let gate = self.gate(&registries, &store, &scrubbers);
        let deferred = Arc::new(Deferred::new(self.config.definitions.defer_over));
        let files = self.files(workspace, kept, store.clone())?;
        let finder = Finder::new(&registries, &gate, &deferred);
        let clis = Arc::new(Clis::new(store.clone(), keys.clone()));
        let parts = (finder, files.clone(), clis.clone());
        let deps = self.deps(parts, store.clone(), scrubbers.clone());
        let commands = Arc::new(self.commands(files, deps.host.clone()));
        let background = deps.background.clone();
        let deadlines = Deadlines::new(self.clock.clone());
        let systems = self.systems(&registries, &deadlines, keys.clone(), &deps)?;
        self.fill(registry, &deps, &systems)?;
        for system in systems.iter() {
            system.opened().await;
        }
        let policy = &self.config.policy;
        Compiled::new(registry.snapshot().catalog().clone(), Arc::new(policy.clone()))?;
        let (recorder, upkeep) = self.records(&store, &scrubbers, &deadlines);
        let path = CallPath {
            tools: Tools {
                custom: systems.get::<Followed>(),
                registries,
                deferred,
                definitions: DefinitionCache::default(),
            },
            policy: gate,
            shell: Shell { commands, clis },
            limits: self.limits(),
            approval: ApproveGate::new(self.config.approval.clone(), self.handlers.clone()),
            reads: Reads {
                marked: Marked::default(),
                redundancy: RedundancyGate::new(self.config.redundancy.clone()),
            },
            execute: self.config.execute.clone(),
            texts: Texts {
                scrubbers,
                vault: systems.get::<Vault>(),
                output: self.config.output.clone(),
            },
            sessions: self.config.sessions,
            recorder,
            upkeep,
            store,
            clock: self.clock,
        };
        let parts = Parts { path, keys, background, handlers: self.handlers, systems, deadlines };
        Ok(Runtime::new(self.config, parts))
    }

    fn systems(
        &self,
        registries: &Arc<Registries>,
        deadlines: &Arc<Deadlines>,
        keys: Option<Arc<KeyRing>>,
        deps: &builtin::Deps,
    ) -> Result<Systems, Error> {
        systems::make(&Ground { config: &self.config, registries, deadlines, keys, deps })
    }

    /// What writes the ledger, and what keeps the store from growing without end.
    fn records(
        &self,
        store: &Arc<dyn Store>,
        scrubbers: &Arc<Scrubbers>,
        deadlines: &Arc<Deadlines>,
    ) -> (Recorder, Arc<Upkeep>) {
        let (retention, clock) = (self.config.retention.clone(), self.clock.clone());
        let upkeep = Upkeep::new(retention, store.clone(), clock, deadlines.clone());
        let upkeep = Arc::new(upkeep);
        let mode = self.config.record.mode;
        (Recorder::new(mode, store.clone(), scrubbers.clone(), upkeep.clone()), upkeep)
    }

    fn limits(&self) -> Limits {
        Limits {
            rate: self.config.rate_limit.clone(),
            budget: self.config.budget.clone(),
            loops: self.config.loops.clone(),
            history: Runs::default(),
        }
    }

    /// What says who may call what.
    fn gate(
        &mut self,
        registries: &Arc<Registries>,
        store: &Arc<dyn Store>,
        scrubbers: &Arc<Scrubbers>,
    ) -> Arc<PolicyGate> {
        Arc::new(PolicyGate::new(PolicyParts {
            registries: registries.clone(),
            policy: self.config.policy.clone(),
            groups: self.config.groups.clone(),
            file: self.file.take(),
            store: store.clone(),
            clock: self.clock.clone(),
            scrubbers: scrubbers.clone(),
        }))
    }

    /// What toolkeep's own tools work with.
    fn deps(
        &self,
        (finder, files, clis): (Finder, Files, Arc<Clis>),
        store: Arc<dyn Store>,
        scrubbers: Arc<Scrubbers>,
    ) -> builtin::Deps {
        let (clock, output) = (self.clock.clone(), self.config.output.clone());
        let sessions = self.config.sessions;
        let host = Arc::new(Host::new(self.config.exec.clone(), scrubbers.shared().clone()));
        let background = Arc::new(Background::new(host.clone()));
        builtin::Deps {
            finder,
            files,
            store,
            clock,
            output,
            sessions,
            scrubbers,
            host,
            background,
            clis,
        }
    }

    /// Puts toolkeep's own tools and aliases, then the host's tools, into the registry.
    fn fill(
        &mut self,
        registry: &Registry,
        deps: &builtin::Deps,
        systems: &Systems,
    ) -> Result<(), Error> {
        registry.add_standing_aliases(builtin::aliases())?;
        let mut own = builtin::tools(deps);
        for system in systems.iter() {
            registry.add_standing_aliases(system.aliases())?;
            for group in system.groups() {
                registry.declare_group(group)?;
            }
            own.extend(system.tools());
        }
        let own = own.into_iter().map(Registration::shared);
        registry.add_all(own.map(|tool| tool.origin(Origin::Builtin)).collect())?;
        registry.add_all(std::mem::take(&mut self.tools))?;
        Ok(())
    }

    /// The scrubbers. Their tags stay the same for as long as the key does under which secrets are
    /// sealed; without one, for as long as the runtime lives.
    fn scrubbers(&self, keys: Option<&KeyRing>) -> Result<Arc<Scrubbers>, Error> {
        let root = keys.map_or_else(random_bytes, |keys| keys.derive("tags of masked secrets"));
        let scrubbers = Scrubbers::new(self.config.scrub.profile, root);
        if self.config.scrub.server_addresses {
            addresses::of_machine()?.iter().for_each(|name| scrubbers.register_server(name));
        }
        Ok(Arc::new(scrubbers))
    }

    fn read_keys(&mut self) -> Result<Option<Arc<KeyRing>>, Error> {
        let folder = self.folder.as_deref();
        let secrets = &self.config.secrets;
        let sealing = match (self.key.take(), &secrets.key) {
            (Some(_), Some(_)) => {
                return Err(bad_key("secrets.key", "the host gives a key, too; keep one of them"));
            }
            (Some(provide), None) => Some(host_key("secrets.key", provide)?),
            (None, _) => secrets.sealing_key(folder)?,
        };
        let mut older = secrets.opening_keys(folder)?;
        for provide in self.older_keys.drain(..) {
            older.push(host_key("secrets.older_keys", provide)?);
        }
        match sealing {
            Some(sealing) => Ok(Some(Arc::new(KeyRing::new(sealing, older)))),
            None if older.is_empty() => Ok(None),
            None => Err(bad_key(
                "secrets.older_keys",
                "they only open what is stored; set `secrets.key`, too",
            )),
        }
    }

    fn open_workspace(&mut self) -> Result<Option<Workspace>, Error> {
        let Some(given) = &self.config.workspace else { return Ok(None) };
        let opened = Workspace::open(&self.beside(given)).map_err(|error| {
            let text = format!("configuration: `workspace`: {}", error.message());
            Error::new(Code::InvalidConfig, text).with_source(error)
        })?;
        Ok(Some(opened))
    }

    /// What file tools reach. Paths of folders are made absolute.
    fn files(
        &self,
        workspace: Option<Workspace>,
        kept: Arc<[PathBuf]>,
        store: Arc<dyn Store>,
    ) -> Result<Files, Error> {
        let mut config = self.config.files.clone();
        for path in config.read_roots.iter_mut().chain(&mut config.write_roots) {
            *path = self.beside(path).display().to_string();
        }
        let (sandbox, clock) = (self.config.exec.sandbox.clone(), self.clock.clone());
        Files::new(files::Parts { workspace, kept, config, sandbox, store, clock })
    }

    /// The files that rule what a model may do: who can write them makes the rules. The
    /// configuration, and a store in a file with what stands beside it.
    fn kept(&self, store: &str) -> Arc<[PathBuf]> {
        let mut files = Vec::new();
        files.extend(self.file.as_ref().map(|file| file.path().to_owned()));
        if let Some(path) = store.strip_prefix("sqlite:") {
            files.extend(["", "-wal", "-shm", "-journal"].map(|end| format!("{path}{end}").into()));
        }
        let real = |file: PathBuf| {
            let folder = file.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
            let named = folder.zip(file.file_name()).map(|(folder, name)| folder.join(name));
            [std::fs::canonicalize(&file).ok(), named]
        };
        let mut kept: Vec<PathBuf> = files.into_iter().flat_map(real).flatten().collect();
        kept.sort();
        kept.dedup();
        kept.into()
    }

    /// Refuses key files in the workspace and in other roots: a model can read what is there.
    fn check_key_files(&self) -> Result<(), Error> {
        let real = |path: &str| std::fs::canonicalize(self.beside(path)).ok();
        let config = &self.config;
        let roots = config.workspace.iter();
        let roots = roots.chain(&config.files.read_roots).chain(&config.files.write_roots);
        let roots: Vec<PathBuf> = roots.filter_map(|root| real(root)).collect();
        let secrets = &config.secrets;
        for source in secrets.key.iter().chain(&secrets.older_keys) {
            let KeySource::File(path) = source else { continue };
            let Some(found) = real(path) else { continue };
            if let Some(root) = roots.iter().find(|root| found.starts_with(root)) {
                let why = format!(
                    "the file {path} is in the workspace or in another root, where a model can read \
                     it; keep it outside of {}",
                    root.display()
                );
                return Err(bad_key("secrets", &why));
            }
        }
        Ok(())
    }

    /// A path of the configuration: relative to its folder, if it has one.
    fn beside(&self, path: &str) -> PathBuf {
        match &self.folder {
            Some(folder) => folder.join(path),
            None => PathBuf::from(path),
        }
    }

    fn commands(&self, files: Files, host: Arc<Host>) -> Commands {
        let named = &self.config.exec.environment;
        let named = named.inherit.iter().chain(named.set.keys()).cloned();
        Commands::new(self.config.shell.clone(), files, host, named)
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
            timeout_ms: self.config.store_timeout_ms.unwrap_or(store::DEFAULT_TIMEOUT_MS),
        };
        let store = store::open(url, options).await?;
        // The configuration is shown to whoever asks, and no password may be in it.
        if url.starts_with("postgres") {
            *url = store.url();
        }
        Ok(store)
    }
}

/// Reads a configuration file, as it is read again when it changes.
fn written(path: &Path) -> Result<Written, Error> {
    Config::from_file(path).map(parts)
}

/// What of a configuration is taken up while a runtime is open, and what is not.
fn parts(config: Config) -> Written {
    let mut rest = match serde_json::to_value(&config) {
        Ok(Value::Object(parts)) => parts,
        _ => Map::new(),
    };
    rest.retain(|part, _| part != "policy" && part != "groups");
    Written { policy: config.policy, groups: config.groups, rest }
}

fn host_key(setting: &str, provide: KeyCallback) -> Result<Key, Error> {
    let text = provide().map_err(|error| {
        bad_key(setting, &format!("the host gives no key: {}", error.message())).with_source(error)
    })?;
    Key::from_text(text.expose_secret())
        .map_err(|error| bad_key(setting, &format!("the host gives no key: {error}")))
}

fn bad_key(setting: &str, why: &str) -> Error {
    Error::new(Code::InvalidConfig, format!("configuration: `{setting}`: {why}"))
}

#[cfg(test)]
mod tests;
