//! Who calls, from where, and how the call is cancelled.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::body::BodySlot;
use crate::error::{Code, Error};
use crate::id::{DEFAULT_TENANT, check_key};
use crate::limits::{TooMuch, check_json, echo};
use crate::scrub::{Added, Scrubber, Values};
use crate::scrubbers::{CallSecrets, Scrubbers};
use crate::shell::Plan;
use crate::vault::Opener;

/// Who calls and from where. Every field is the host's word: toolkeep never takes one from a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Caller {
    /// The tenant. Nothing in the store is ever shared between tenants. The runtime's
    /// workspace is one folder: give each tenant a `workspace` of its own.
    pub tenant: String,
    /// The agent that calls. Its own lists in the store narrow what it may call.
    pub agent: Option<String>,
    /// The person on whose behalf the agent works.
    pub user: Option<String>,
    /// The sender of the message that the agent answers, if that is not the user.
    pub sender: Option<String>,
    /// The sender's role, in the host's words.
    pub role: Option<String>,
    /// The channel: `telegram`, `cli`, …
    pub channel: Option<String>,
    /// The type of the channel, if `channel` names one of several of that type.
    pub channel_type: Option<String>,
    /// The chat within the channel.
    pub chat: Option<String>,
    /// `direct` or `group`; anything else is refused.
    pub peer_kind: Option<String>,
    /// The conversation. Rate limits count and artifacts are kept per session.
    pub session: Option<String>,
    /// The model's provider: `anthropic`, `openai`, …
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// A workspace folder for this caller instead of the runtime's.
    pub workspace: Option<String>,
    /// Additional folders that this caller may read, by absolute paths.
    #[serde(deserialize_with = "none_if_null")]
    pub read_roots: Vec<String>,
    /// Additional folders that this caller may read and write, by absolute paths.
    #[serde(deserialize_with = "none_if_null")]
    pub write_roots: Vec<String>,
    /// Paths that file tools neither touch nor show to this caller, in addition to `files.deny`.
    #[serde(deserialize_with = "none_if_null")]
    pub deny_paths: Vec<String>,
    /// `open` (each user has context files of his own) or `predefined` (they are the agent's),
    /// instead of `settings.type` in the agent's row in the store.
    pub agent_type: Option<String>,
    /// The team that the agent belongs to.
    pub team: Option<String>,
    /// The folder that the team shares.
    pub team_workspace: Option<String>,
    /// The agent's role in the team: a `reviewer` does not write the team's files.
    pub team_role: Option<String>,
    /// The run that this call is part of.
    pub run: Option<String>,
    /// How many agents are above this one. Default: one more than the parent's, or 0.
    pub depth: u32,
    /// The context of the agent that started this one, if any. A sub-agent never gets more than its
    /// parent.
    pub parent: Option<Box<Caller>>,
    /// Only these tools remain for this request, as in `policy.allow`. Left out: no change.
    /// Empty: none.
    pub tools: Option<Vec<String>>,
    /// The deadline of one call in milliseconds, instead of the tool's or the runtime's.
    pub timeout_ms: Option<u64>,
}

/// A list, where languages that have no empty default give null.
fn none_if_null<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(list)?.unwrap_or_default())
}

impl Default for Caller {
    fn default() -> Caller {
        Caller {
            tenant: DEFAULT_TENANT.into(),
            agent: None,
            user: None,
            sender: None,
            role: None,
            channel: None,
            channel_type: None,
            chat: None,
            peer_kind: None,
            session: None,
            provider: None,
            model: None,
            workspace: None,
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            deny_paths: Vec::new(),
            agent_type: None,
            team: None,
            team_workspace: None,
            team_role: None,
            run: None,
            depth: 0,
            parent: None,
            tools: None,
            timeout_ms: None,
        }
    }
}

impl Caller {
    /// A caller from JSON-like data: what the other languages hand over. Where it has a `parent`
    /// and no `depth`, it stands one below that.
    ///
    /// # Errors
    /// `invalid_argument` that names the key, and the nearest known one.
    pub fn from_value(value: &Value) -> Result<Caller, Error> {
        let mut caller: Caller = crate::strict::from_value(value).map_err(|why| {
            let code = check_json(value).err().map_or(Code::InvalidArgument, TooMuch::code);
            Error::new(code, format!("the context of the call: {why}"))
        })?;
        if let (None, Some(parent)) = (value.get("depth"), &caller.parent) {
            caller.depth = parent.depth.saturating_add(1);
        }
        Ok(caller)
    }

    /// Checks every key: 1 to 512 bytes, no NUL; that `peer_kind` is one that there is; and that a
    /// deadline leaves time.
    pub fn check(&self) -> Result<(), Error> {
        check_key("tenant", &self.tenant)?;
        let keys = [
            ("agent", &self.agent),
            ("user", &self.user),
            ("sender", &self.sender),
            ("role", &self.role),
            ("channel", &self.channel),
            ("channel_type", &self.channel_type),
            ("chat", &self.chat),
            ("session", &self.session),
            ("provider", &self.provider),
            ("model", &self.model),
            ("team", &self.team),
            ("team_role", &self.team_role),
            ("run", &self.run),
        ];
        for (field, key) in keys {
            if let Some(key) = key {
                check_key(field, key)?;
            }
        }
        check_peer_kind("peer_kind", self.peer_kind.as_deref())?;
        check_agent_type(self.agent_type.as_deref())?;
        if self.timeout_ms == Some(0) {
            let text = "`timeout_ms` is 0; give at least 1, or leave it out";
            return Err(Error::new(Code::InvalidArgument, text));
        }
        self.check_parents()
    }

    fn check_parents(&self) -> Result<(), Error> {
        let mut parents = 0;
        let mut above = &self.parent;
        while let Some(parent) = above {
            parents += 1;
            if parents > MOST_PARENTS {
                let text = format!("`parent`: more than {MOST_PARENTS} callers above each other");
                return Err(Error::new(Code::InvalidArgument, text));
            }
            let keys = [
                ("parent.agent", &parent.agent),
                ("parent.user", &parent.user),
                ("parent.sender", &parent.sender),
                ("parent.role", &parent.role),
                ("parent.provider", &parent.provider),
                ("parent.model", &parent.model),
                ("parent.channel", &parent.channel),
                ("parent.chat", &parent.chat),
                ("parent.session", &parent.session),
            ];
            for (field, key) in keys {
                if let Some(key) = key {
                    check_key(field, key)?;
                }
            }
            check_peer_kind("parent.peer_kind", parent.peer_kind.as_deref())?;
            if parent.tenant != self.tenant {
                let text = format!(
                    "`parent.tenant` is `{}`, but the tenant is `{}`; they must be the same",
                    parent.tenant, self.tenant
                );
                return Err(Error::new(Code::InvalidArgument, text));
            }
            above = &parent.parent;
        }
        Ok(())
    }
}

/// Refuses another word than the two: it would miss the lists for group chats.
fn check_peer_kind(field: &str, given: Option<&str>) -> Result<(), Error> {
    match given {
        None | Some("direct" | "group") => Ok(()),
        Some(other) => {
            let text = format!("`{field}` is `{}`; give `direct` or `group`", echo(other));
            Err(Error::new(Code::InvalidArgument, text))
        }
    }
}

/// Refuses another type than the two.
pub(crate) fn check_agent_type(given: Option<&str>) -> Result<(), Error> {
    let Some(other) = given.filter(|given| !AGENT_TYPES.contains(given)) else { return Ok(()) };
    let text = format!("`agent_type` is `{}`; give `open` or `predefined`", echo(other));
    Err(Error::new(Code::InvalidArgument, text))
}

/// Whose the context files of an agent are: each user's, or the agent's.
pub(crate) const AGENT_TYPES: [&str; 2] = ["open", "predefined"];

/// How many callers may stand above each other.
pub(crate) const MOST_PARENTS: usize = 16;

/// The context of a call: a [`Caller`], a cancellation token, and a slot for the host. Immutable,
/// and cheap to clone.
///
/// ```
/// use toolkeep::CallContext;
/// let cx = CallContext::new().agent("helper").session("chat-7");
/// assert_eq!(cx.caller().tenant, "default");
/// ```
#[derive(Clone, Default)]
pub struct CallContext {
    caller: Arc<Caller>,
    cancellation: CancellationToken,
    host: Option<Arc<dyn Any + Send + Sync>>,
    /// What puts secrets back for the call that runs, where the vault is on.
    opener: Option<Arc<Opener>>,
    /// What the host says is secret in texts of calls with this context.
    secrets: Option<Arc<Values>>,
    /// What the call that runs says is secret in its own.
    call_secrets: Option<CallSecrets>,
    /// How the command of the call that runs is run.
    plan: Option<Arc<Plan>>,
    cli: Option<Arc<str>>,
    /// Where the text of its result goes that is too long for a string.
    body: BodySlot,
}

macro_rules! setters {
    ($($(#[$doc:meta])+ $field:ident;)+) => {
        $($(#[$doc])+
        #[must_use]
        pub fn $field(mut self, $field: impl Into<String>) -> CallContext {
            Arc::make_mut(&mut self.caller).$field = Some($field.into());
            self
        })+
    };
}

impl CallContext {
    /// The context of the default tenant, with nothing else set.
    pub fn new() -> CallContext {
        CallContext::default()
    }

    /// Who calls and from where.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Fires when the call is cancelled, times out, or is dropped. In a tool it does not fire after
    /// the tool has answered.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// What the host put in with [`CallContext::host`].
    pub fn host_slot(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.host.as_ref()
    }

    /// The same context for another tenant.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> CallContext {
        Arc::make_mut(&mut self.caller).tenant = tenant.into();
        self
    }

    setters! {
        /// Sets the agent.
        agent;
        /// Sets the user.
        user;
        /// Sets the channel.
        channel;
        /// Sets the type of the channel.
        channel_type;
        /// Sets the chat.
        chat;
        /// Sets the session.
        session;
        /// Sets the provider.
        provider;
        /// Sets the model.
        model;
        /// Sets the workspace folder for this caller.
        workspace;
        /// Sets the run.
        run;
    }

    /// The same context with only these tools left for the request.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> CallContext {
        let tools = tools.into_iter().map(Into::into).collect();
        Arc::make_mut(&mut self.caller).tools = Some(tools);
        self
    }

    /// The context of an agent that this one starts: everything of this one, one deeper, and never
    /// allowed more.
    #[must_use]
    pub fn child(&self, agent: impl Into<String>) -> CallContext {
        let mut child = self.clone();
        let caller = Arc::make_mut(&mut child.caller);
        caller.parent = Some(Box::new(self.caller.as_ref().clone()));
        caller.depth += 1;
        caller.agent = Some(agent.into());
        child
    }

    /// Sets the deadline of each call made with this context, in milliseconds.
    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> CallContext {
        Arc::make_mut(&mut self.caller).timeout_ms = Some(timeout_ms);
        self
    }

    /// The same context, cancelled by that token.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> CallContext {
        self.cancellation = cancellation;
        self
    }

    /// The same context for a call for which this puts secrets back.
    #[must_use]
    pub(crate) fn with_opener(mut self, opener: Option<Arc<Opener>>) -> CallContext {
        self.opener = opener;
        self
    }

    /// What puts secrets back for the call that runs.
    pub(crate) fn opener(&self) -> Option<&Arc<Opener>> {
        self.opener.as_ref()
    }

    /// The same context, whose calls have these values masked in their texts too, as far as they
    /// are still registered then. They take the place of those that were given before.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkeep::{CallContext, scrub::Values};
    ///
    /// let values = Arc::new(Values::new());
    /// values.add("the visitor's own key 7731", Some("visitor-key"))?;
    /// let cx = CallContext::new().with_secrets(values);
    /// # Ok::<(), toolkeep::scrub::ValueError>(())
    /// ```
    #[must_use]
    pub fn with_secrets(mut self, values: Arc<Values>) -> CallContext {
        self.secrets = Some(values);
        self
    }

    /// Has a value masked in all texts of the call that runs: its result, its audit row, its event.
    /// For tools: what they were given or have fetched, and nobody should read. Of a call that a
    /// tool makes in its turn, with the context that it got, the texts are those of its own call.
    ///
    /// # Errors
    /// `invalid_argument` as [`Values::add`], and for a context that is not that of a running call:
    /// a host uses [`CallContext::with_secrets`] there, or
    /// [`Runtime::register_secret`](crate::Runtime::register_secret).
    pub fn register_secret(&self, value: &str, kind: Option<&str>) -> Result<Added, Error> {
        let Some(secrets) = &self.call_secrets else {
            let text = "this context is of no running call; give it values by `with_secrets`, or \
                        register them with the runtime";
            return Err(Error::new(Code::InvalidArgument, text));
        };
        Ok(secrets.register(value, kind)?)
    }

    /// The same context for a call that registers its secrets here.
    #[must_use]
    pub(crate) fn with_call_secrets(mut self, secrets: CallSecrets) -> CallContext {
        self.call_secrets = Some(secrets);
        self
    }

    /// How the command that the running call brings along is to be run, so that what runs is what
    /// was judged and, where somebody was asked, approved: its program and arguments or its script,
    /// its folder, and what it may do then. For tools with a
    /// [`shell_command`](crate::ToolSpec::shell_command).
    ///
    /// None in a call without a command, and where the vault has put a secret into the command: then
    /// only the argument has it.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_deref()
    }

    /// The same context for a call whose command is run like this, and is the call of the
    /// credentialed CLI of that name, if it is one's.
    #[must_use]
    pub(crate) fn with_plan(
        mut self,
        plan: Option<Arc<Plan>>,
        cli: Option<Arc<str>>,
    ) -> CallContext {
        self.plan = plan;
        self.cli = cli;
        self
    }

    /// The credentialed CLI that the running call is a call of. The gate has let it through.
    pub(crate) fn cli(&self) -> Option<&str> {
        self.cli.as_deref()
    }

    /// The same context for a call whose text goes there, if it is too long for a string.
    #[must_use]
    pub(crate) fn with_body(mut self, body: BodySlot) -> CallContext {
        self.body = body;
        self
    }

    /// Where the text of the result of the call that runs goes, if it is too long for a string. It
    /// takes the place of `for_llm`.
    pub(crate) fn body(&self) -> &BodySlot {
        &self.body
    }

    /// What the call that runs with this context registers.
    pub(crate) fn call_secrets(&self) -> Option<&CallSecrets> {
        self.call_secrets.as_ref()
    }

    /// The values that are masked in the texts of its calls alone.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = Arc<Values>> {
        let of_call = self.call_secrets.as_ref().and_then(CallSecrets::values);
        self.secrets.iter().cloned().chain(of_call)
    }

    /// What masks the texts of its calls: the values of the runtime, of the tenant, and its own.
    pub(crate) fn scrubber(&self, scrubbers: &Scrubbers) -> Scrubber {
        let scrubber = scrubbers.of(&self.caller().tenant);
        self.secrets().fold(scrubber, |scrubber, values| scrubber.with_values(values))
    }

    /// The same context with the host's own data in it; tools of the host find it again.
    #[must_use]
    pub fn host(mut self, data: Arc<dyn Any + Send + Sync>) -> CallContext {
        self.host = Some(data);
        self
    }
}

impl From<Caller> for CallContext {
    fn from(caller: Caller) -> CallContext {
        CallContext { caller: Arc::new(caller), ..CallContext::default() }
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("caller", &self.caller)
            .field("cancelled", &self.cancellation.is_cancelled())
            .finish_non_exhaustive()
    }
}
