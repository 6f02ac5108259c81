//! What is known of a call while it is on its way, and why it may go no further.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::approve::{self, AskReason};
use super::policy::Decided;
use super::{loops, redundancy, runs};
use crate::body::BodySlot;
use crate::commands::JudgedCommand;
use crate::error::Error;
use crate::scrub::Values;
use crate::scrubbers::CallSecrets;
use crate::shell::Plan;
use crate::tool::{Assessment, CallContext, Entry, Repair, ToolError};
use crate::vault::Opener;

/// Why a call goes no further.
pub(crate) enum Stop {
    /// The model is told.
    Refused(ToolError),
    /// The host is told.
    Failed(Error),
}

impl From<ToolError> for Stop {
    fn from(error: ToolError) -> Stop {
        Stop::Refused(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

impl From<crate::store::Error> for Stop {
    fn from(error: crate::store::Error) -> Stop {
        Stop::Failed(error.into())
    }
}

/// What is known of a call while it is on its way.
pub(crate) struct Call<'c> {
    pub id: String,
    pub cx: &'c CallContext,
    pub called_as: &'c str,
    pub at_ms: i64,
    /// The start of the arguments as they came, for the audit row.
    pub arguments: String,
    pub tool: Option<Arc<Entry>>,
    /// What was put right in its arguments.
    pub repairs: Vec<Repair>,
    /// What else is worth knowing of it afterwards, for its audit row and event: repaired
    /// arguments, an approval, a mark of the session. No value of an argument, no secret.
    pub notes: Map<String, Value>,
    /// Why gates before `approve` want somebody's approval.
    pub ask: Vec<AskReason>,
    /// What the calls of the same turn have taken for themselves.
    pub claims: Option<&'c approve::Claims>,
    /// What is remembered of its run, else of its session.
    pub(super) run: Option<Arc<runs::Run>>,
    /// True once it was counted for that: a call that is judged twice is still one.
    pub(super) is_counted: bool,
    /// What the loop breaker compares it with others by.
    pub(super) watched: Option<loops::Watched>,
    /// True if the loop breaker refused it.
    pub(super) is_loop: bool,
    /// What its result depends on, if that may be given again.
    pub(super) fresh: Option<redundancy::Fresh>,
    /// True if it was answered with an earlier result.
    pub(super) is_cached: bool,
    /// What puts secrets back into its arguments and keeps those of its result, where the vault is
    /// on and the call is of a session.
    pub(super) opener: Option<Arc<Opener>>,
    /// What the tool says is secret in its texts.
    pub(super) secrets: CallSecrets,
    /// Where its tool leaves a text that is too long for a string.
    pub(super) body: BodySlot,
    /// How its command is run, once that is settled.
    pub(super) plan: Option<Arc<Plan>>,
    /// The credentialed CLI that it is a call of.
    pub(super) cli: Option<Arc<str>>,
    /// True if nobody could be asked about it, so that it may do the least only.
    pub(super) unasked: bool,
    /// True once every gate before `execute` has let it through.
    pub allowed: bool,
    /// When the tool was started.
    pub started: Option<Instant>,
    /// How long it ran, once it has ended.
    pub ran: Option<Duration>,
    pub span: tracing::Span,
}

/// A call that the gates up to `assess` let through.
pub(crate) struct Judged {
    pub decision: Decided,
    pub entry: Arc<Entry>,
    /// The arguments that the tool gets.
    pub args: Value,
    pub assessment: Assessment,
    /// The command of a shell that the call brings along.
    pub command: Option<JudgedCommand>,
}

impl Call<'_> {
    /// The values that are masked in its texts alone: the host's, then its tool's.
    pub(super) fn secrets(&self) -> impl Iterator<Item = Arc<Values>> {
        let of_tool = self.secrets.values().filter(|_| self.cx.call_secrets().is_none());
        self.cx.secrets().chain(of_tool)
    }
}
