//! The runtime: what a host opens, hands calls to, and closes.

mod addresses;
mod builder;
mod checking;
mod config;
mod follow;
mod handlers;
mod rotation;
mod scrubbing;
mod systems;

pub use builder::RuntimeBuilder;
pub use checking::{CheckOptions, ModesAlone, check_command};
pub use config::{Config, ScrubConfig};
pub use follow::{EventStream, Follow, Progress};
pub use rotation::RotationStatus;
pub use scrubbing::{ScrubOptions, ScrubValue, scrub, scrub_bytes};

use rotation::Rotation;

pub(crate) use follow::{events_after, has_come_to};

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::call::{CallAnswer, CallPath, CallRequest, Explanation, PolicyDiff, Tools, TurnCall};
use crate::clock::Clock;
use crate::commands::{JudgedCommand, Wanted};
use crate::deadlines::Deadlines;
use crate::error::{Code, Error};
use crate::exec::{Background, Capabilities};
use crate::handler::Handlers;
use crate::id::check_key;
use crate::limits::echo;
use crate::policy::{ListEntry, Policy};
use crate::scrub::Added;
use crate::secret::{self, KeyRing};
use crate::shell::{AgentSettings, Check};
use crate::store::Store;
use crate::system::{System, Systems};
use crate::tool::{
    Arguments, CallContext, DefinitionOptions, Definitions, Registered, Registration, Registries,
    Registry, Tool, ToolError, ToolResult,
};

/// The governed tool layer of one agent program. Cheap to clone; all clones are one runtime.
///
/// It needs an async runtime of the host's (tokio, with time enabled) only while a method is
/// awaited, and makes none of its own, but for a thread that speaks to a Docker Engine where commands
/// run in containers. Two runtimes in one process never see each other.
///
/// ```
/// use serde_json::json;
/// use toolkeep::{CallContext, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), toolkeep::Error> {
/// let rt = Runtime::builder().build().await?;
/// let cx = CallContext::new().agent("helper");
/// let now = rt.call(&cx, "datetime", json!({ "timezone": "UTC" })).await?;
/// assert!(!now.is_error);
/// let unknown = rt.call(&cx, "date_time", json!({})).await?;
/// assert_eq!(unknown.code, Some(toolkeep::Code::UnknownTool));
/// rt.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    path: CallPath,
    keys: Option<Arc<KeyRing>>,
    background: Arc<Background>,
    handlers: Arc<Handlers>,
    systems: Systems,
    deadlines: Arc<Deadlines>,
    rotation: Arc<Rotation>,
    closing: CancellationToken,
    closed: OnceCell<()>,
    /// The calls and operations that are on their way.
    running: TaskTracker,
}

/// What the builder puts a runtime together from, besides its configuration.
struct Parts {
    path: CallPath,
    keys: Option<Arc<KeyRing>>,
    background: Arc<Background>,
    handlers: Arc<Handlers>,
    systems: Systems,
    deadlines: Arc<Deadlines>,
}

/// How long closing waits for calls that are on their way.
const MOST_PATIENCE: Duration = Duration::from_secs(2);

impl Runtime {
    /// A builder, with every default of [`Config`].
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// Opens the runtime that a configuration file describes (`.toml` or `.json`). Relative paths
    /// in it start at its folder. Without a `store` the state is kept in `toolkeep.db` beside it.
    ///
    /// # Errors
    /// `invalid_config` naming the file and the key, or the store's error.
    pub async fn open(path: impl AsRef<Path>) -> Result<Runtime, Error> {
        Runtime::builder().file(path.as_ref())?.build().await
    }

    fn new(config: Config, parts: Parts) -> Runtime {
        let Parts { path, keys, background, handlers, systems, deadlines } = parts;
        let inner = Inner {
            config,
            path,
            keys,
            background,
            handlers,
            systems,
            deadlines,
            rotation: Arc::default(),
            closing: CancellationToken::new(),
            closed: OnceCell::new(),
            running: TaskTracker::new(),
        };
        Runtime { inner: Arc::new(inner) }
    }

    /// Takes one call along the [path](crate::call). `args` is JSON, or the JSON text as the
    /// model wrote it.
    ///
    /// # Errors
    /// `closed`, `cancelled` (by `cx`), `invalid_argument` (a bad key in `cx`), or the store's
    /// error. Whatever the model caused is a result.
    pub async fn call(
        &self,
        cx: &CallContext,
        name: &str,
        args: impl Into<Arguments>,
    ) -> Result<ToolResult, Error> {
        let args = args.into();
        // Boxed: the layers above would copy it at every step.
        self.until_closed(Box::pin(self.inner.path.call(cx, name, args))).await?
    }

    /// Takes the calls of one model turn: independent ones side by side, the rest in order. Every
    /// request is answered, in order; one that failed never loses a sibling. What [`call`] would
    /// raise is an answer with that code here: cancellation and a failing store, too.
    ///
    /// [`call`]: Runtime::call
    ///
    /// # Errors
    /// `closed` or `invalid_argument` (a bad key in `cx`).
    pub async fn call_all(
        &self,
        cx: &CallContext,
        requests: Vec<CallRequest>,
    ) -> Result<Vec<CallAnswer>, Error> {
        self.call_turn(cx, requests.into_iter().map(TurnCall::from).collect()).await
    }

    /// As [`call_all`](Runtime::call_all), for a host that reads arguments itself and may have found some
    /// that are not JSON.
    ///
    /// # Errors
    /// As [`call_all`](Runtime::call_all).
    pub async fn call_turn(
        &self,
        cx: &CallContext,
        requests: Vec<TurnCall>,
    ) -> Result<Vec<CallAnswer>, Error> {
        cx.caller().check()?;
        self.until_closed(self.inner.path.call_all(cx, requests)).await
    }

    /// The definitions of the tools that this caller may call, in a provider's shape: canonical
    /// names sorted, then aliases sorted; the same bytes every time. They are made once and then
    /// shared. Give a [`Dialect`](crate::Dialect), or [`DefinitionOptions`] for strict ones.
    ///
    /// # Errors
    /// `closed` or the store's error. A tool that the provider cannot be told of is none: it is
    /// left out, and [`Definitions::quarantined`] says why.
    pub async fn definitions(
        &self,
        cx: &CallContext,
        options: impl Into<DefinitionOptions>,
    ) -> Result<Arc<Definitions>, Error> {
        self.check_open()?;
        cx.caller().check()?;
        let snapshot = self.path().tools_of(cx.caller()).await?;
        let CallPath { policy, tools: Tools { deferred, definitions, .. }, .. } = &self.inner.path;
        let decision = policy.decision(&snapshot, cx.caller()).await?;
        let activated = deferred.activated(cx.caller());
        let DefinitionOptions { dialect, strict } = options.into();
        let shape = (dialect, strict.unwrap_or(self.inner.config.definitions.strict));
        Ok(definitions.definitions(&snapshot, decision.offered(), shape, (deferred, &activated)))
    }

    /// Whether the caller may call the tool, and which rule says so, without running anything.
    ///
    /// # Errors
    /// `not_found` for an unknown tool, `closed`, or the store's error.
    pub async fn explain(&self, cx: &CallContext, name: &str) -> Result<Explanation, Error> {
        self.check_open()?;
        cx.caller().check()?;
        let snapshot = self.path().tools_of(cx.caller()).await?;
        let Some(entry) = snapshot.resolve(name) else {
            let echo = echo(name);
            if snapshot.catalog().knows(name) {
                let why = match snapshot.known(name) {
                    Ok(_) => "but it is switched off",
                    Err(_) => "but no tool is registered under that name in this runtime",
                };
                let text = format!("`{echo}` is known to policies, {why}: nobody can call it");
                return Err(Error::new(Code::NotFound, text));
            }
            let meant = snapshot.nearest(name, |_| true);
            let hint = meant.first().map(|n| format!(", did you mean `{n}`?"));
            let text = format!("no tool named `{echo}`{}", hint.unwrap_or_default());
            return Err(Error::new(Code::NotFound, text));
        };
        self.inner.path.policy.explain(&snapshot, entry, cx.caller()).await
    }

    /// Judges a command of a shell as it would be judged in a call of this caller, with his folders
    /// and the links in them. Nothing runs.
    ///
    /// # Errors
    /// `invalid_argument` (a bad key in `cx`, a folder of his that cannot be used), `invalid_config`
    /// (the row of an agent), `closed`, or the store's error.
    pub async fn check_command(&self, cx: &CallContext, command: &str) -> Result<Check, Error> {
        let (commands, text) = (self.inner.path.shell.commands.clone(), command.to_owned());
        self.check_with(cx, move |cx, agents| {
            commands.judge(cx, Wanted { text: &text, agents, is_walled: true, ..Wanted::default() })
        })
        .await
    }

    /// Judges a command on a thread that may block, with what the store says of the agents.
    pub(crate) async fn check_with(
        &self,
        cx: &CallContext,
        judge: impl FnOnce(&CallContext, &[Option<AgentSettings>]) -> Result<JudgedCommand, ToolError>
        + Send
        + 'static,
    ) -> Result<Check, Error> {
        self.check_open()?;
        cx.caller().check()?;
        let agents = self.inner.path.policy.commands_of(cx.caller()).await?;
        let cx = cx.clone();
        let judged = tokio::task::spawn_blocking(move || judge(&cx, &agents)).await;
        let judged = judged.map_err(|error| {
            Error::new(Code::Internal, format!("a command could not be judged: {error}"))
        })?;
        // What is wrong with the caller's folders is the host's to mend.
        judged
            .map(|judged| judged.check)
            .map_err(|error| Error::new(Code::InvalidArgument, error.message))
    }

    /// What another policy would change for this caller. Nothing changes.
    ///
    /// # Errors
    /// `invalid_config` if that policy is wrong, `invalid_argument` (a bad key in `cx`), `closed`,
    /// or the store's error.
    pub async fn diff(&self, cx: &CallContext, policy: Policy) -> Result<PolicyDiff, Error> {
        self.diff_with(cx, policy, None).await
    }

    pub(crate) async fn diff_with(
        &self,
        cx: &CallContext,
        policy: Policy,
        groups: Option<BTreeMap<String, Vec<ListEntry>>>,
    ) -> Result<PolicyDiff, Error> {
        self.check_open()?;
        cx.caller().check()?;
        let snapshot = self.path().tools_of(cx.caller()).await?;
        self.inner.path.policy.diff(&snapshot, cx.caller(), policy, groups).await
    }

    /// Puts another policy in force and gives its generation. It is checked first, then takes the
    /// place of the one before in one step: every call that begins after this has returned is
    /// decided by it.
    ///
    /// # Errors
    /// `invalid_config` if the policy is wrong, and the one before stays; `conflict` if the runtime
    /// was opened from a file, which then says what is in force; `closed`.
    pub async fn set_policy(&self, policy: Policy) -> Result<u64, Error> {
        self.check_open()?;
        self.inner.path.policy.set(policy).await
    }

    /// Looks whether the file of the policy has changed, if it is time to.
    pub(crate) async fn follow_policy(&self) {
        self.inner.path.policy.follow_file().await;
    }

    /// Adds a tool of the host's.
    ///
    /// # Errors
    /// `name_taken`, `invalid_argument` for an unusable name or schema, `closed`.
    pub fn register(&self, tool: impl Tool) -> Result<(), Error> {
        self.check_open()?;
        self.registry().register(Arc::new(tool))
    }

    /// Removes a tool of the shared registry. Calls of it that run go on.
    ///
    /// # Errors
    /// `not_found`, `closed`.
    pub fn unregister(&self, name: &str) -> Result<(), Error> {
        self.check_open()?;
        self.registry().unregister(name)
    }

    /// Adds a tool, from wherever it comes, and replaces another where that is asked for.
    ///
    /// # Errors
    /// As [`register`](Runtime::register).
    pub fn add(&self, registration: Registration) -> Result<Registered, Error> {
        self.check_open()?;
        self.registry().add(registration)
    }

    /// The tools of every agent that has no registry of its own.
    pub fn registry(&self) -> &Registry {
        self.inner.path.tools.registries.shared()
    }

    /// The registries: the shared one, and those of agents that have their own.
    pub fn registries(&self) -> &Registries {
        &self.inner.path.tools.registries
    }

    /// What commands on this machine can be held to. It is found out once, by trying.
    ///
    /// # Errors
    /// `internal`, if the thread that tries it ends early.
    pub async fn capabilities(&self) -> Result<Capabilities, Error> {
        let host = self.inner.background.host().clone();
        let found = tokio::task::spawn_blocking(move || host.capabilities()).await;
        found.map_err(|error| Error::new(Code::Internal, format!("the machine: {error}")))
    }

    /// The configuration, with its defaults filled in.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Masks the secrets in a text, as the results of calls are masked.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.inner.path.texts.scrubbers.shared().scrub(text)
    }

    /// As [`scrub`](Runtime::scrub), for bytes that may not be UTF-8.
    pub fn scrub_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.inner.path.texts.scrubbers.shared().scrub_bytes(text)
    }

    /// As [`scrub`](Runtime::scrub), with the values of a tenant and its tags.
    pub fn scrub_for<'t>(&self, tenant: &str, text: &'t str) -> Cow<'t, str> {
        self.inner.path.texts.scrubbers.of(tenant).scrub(text)
    }

    /// Has a value masked from now on wherever it stands, in many encodings: in all texts of a
    /// tenant, or without one in all texts of the runtime. `kind` names it in placeholders.
    ///
    /// A value that cannot be guarded fully comes with a warning. One that was registered twice
    /// must be forgotten twice. Values are not stored: register them again after a restart.
    ///
    /// # Errors
    /// `invalid_argument` for a kind that cannot stand in a placeholder, a value that is too long,
    /// or a tenant that is none.
    pub fn register_secret(
        &self,
        tenant: Option<&str>,
        value: &str,
        kind: Option<&str>,
    ) -> Result<Added, Error> {
        self.check_open()?;
        if let Some(tenant) = tenant {
            check_key("tenant", tenant)?;
        }
        Ok(self.inner.path.texts.scrubbers.register(tenant, value, kind)?)
    }

    /// Takes a value back that was registered for this tenant, or for the runtime; true if it was.
    pub fn forget_secret(&self, tenant: Option<&str>, value: &str) -> bool {
        self.inner.path.texts.scrubbers.forget(tenant, value)
    }

    /// Ends the runtime: calls that are running are cancelled, what is queued is written, the
    /// store is closed. Later calls fail with `closed`. Closing again does nothing.
    ///
    /// # Errors
    /// The store's error if the last records could not be written; closing again tries again.
    pub async fn close(&self) -> Result<(), Error> {
        self.inner.closing.cancel();
        let Inner { path, running, background, handlers, systems, deadlines, .. } =
            self.inner.as_ref();
        let close = || async {
            running.close();
            // Calls end as soon as they are polled; a host may hold one that it does not poll.
            let _ = tokio::time::timeout(MOST_PATIENCE, running.wait()).await;
            let _ = tokio::time::timeout(MOST_PATIENCE, path.approval.released()).await;
            deadlines.close();
            for system in systems.iter().rev() {
                system.close().await;
            }
            let background = background.clone();
            let _ = tokio::task::spawn_blocking(move || background.close()).await;
            path.recorder.flush().await?;
            path.recorder.seal();
            path.store.close().await?;
            Ok(())
        };
        // Whoever closes at the same time waits for the first.
        let closed = self.inner.closed.get_or_try_init(close).await.copied();
        // Code of the host is let go, so that nothing of it outlives the runtime's end.
        handlers.clear();
        path.tools.registries.clear();
        closed
    }

    /// True once [`close`](Runtime::close) was called.
    pub fn is_closed(&self) -> bool {
        self.inner.closing.is_cancelled()
    }

    /// When the next background work is due, in milliseconds since 1970-01-01T00:00:00Z: pruning the
    /// store, forgetting secrets. A host that ends its async runtime between calls can start one then.
    pub fn next_deadline(&self) -> Option<i64> {
        self.inner.deadlines.next()
    }

    /// The system of a type; `None` if the configuration leaves it out.
    pub(crate) fn system<S: System>(&self) -> Option<Arc<S>> {
        self.inner.systems.get()
    }

    pub(crate) fn path(&self) -> &CallPath {
        &self.inner.path
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.inner.path.store.as_ref()
    }

    /// The keys that secrets are sealed under before they reach the store.
    ///
    /// # Errors
    /// `no_key`: without keys nothing secret is stored or read.
    pub(crate) fn keys(&self) -> Result<&Arc<KeyRing>, secret::Error> {
        self.inner.keys.as_ref().ok_or(secret::Error::NoKey)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.inner.path.clock.as_ref()
    }

    /// The store, to write for a tenant.
    pub(crate) fn writing<'r>(&'r self, tenant: &str) -> Writing<'r> {
        Writing { runtime: self, tenant: tenant.to_owned() }
    }

    /// Fires when the runtime is closed.
    fn closing(&self) -> CancellationToken {
        self.inner.closing.clone()
    }

    fn check_open(&self) -> Result<(), Error> {
        if self.is_closed() { Err(closed()) } else { Ok(()) }
    }

    /// Does the work unless the runtime is closed, or as long as it is not.
    pub(crate) async fn until_closed<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        let _running = self.inner.running.token();
        self.check_open()?;
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.inner.closing.cancelled() => Err(closed()),
        }
    }
}

/// The store while something is written for a tenant. Once it has been, the upkeep comes some time
/// later.
pub(crate) struct Writing<'r> {
    runtime: &'r Runtime,
    tenant: String,
}

impl Deref for Writing<'_> {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        self.runtime.inner.path.store.as_ref()
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.runtime.inner.path.upkeep.after_writing(std::iter::once(self.tenant.as_str()), 1);
    }
}

fn closed() -> Error {
    Error::new(Code::Closed, "the runtime is closed; open a new one")
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("store", &self.inner.config.store)
            .field("key", &self.keys().ok().map(|ring| ring.fingerprint()))
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
