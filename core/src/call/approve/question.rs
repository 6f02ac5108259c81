//! What the `approve` handler is asked, and what it answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Code, Error};
use crate::handler::HandlerKind;
use crate::shell::Proposal;

/// Why a call wants approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskReason {
    /// What asks for it: `tool.needs_approval`, the entry of a policy, …
    pub rule: String,
    /// Why, as a sentence for the person who decides.
    pub why: String,
}

/// What somebody is asked to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// The approval's id: the same as in the store and in the events.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What the tool does, as the model was told.
    pub description: String,
    /// The arguments that the tool will get, with every secret in them.
    pub arguments: Map<String, Value>,
    /// Why it is asked.
    pub reasons: Vec<AskReason>,
    /// What the call comes to, where the tool says so.
    pub plan: Option<Value>,
    /// What may be kept as a rule so that it is not asked again, the narrowest first. Empty: nothing.
    #[serde(default)]
    pub proposals: Vec<Proposal>,
    /// The agent that calls.
    pub agent: Option<String>,
    /// The user for whom it calls.
    pub user: Option<String>,
    /// The session of the call.
    pub session: Option<String>,
    /// Until when it can be decided, in milliseconds since 1970-01-01T00:00:00Z.
    pub expires_at_ms: i64,
}

/// What somebody decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// True to allow the call once, false to deny it.
    pub allow: bool,
    /// Who decides. Default: `host`.
    #[serde(default = "host")]
    pub by: String,
    /// The reason. If the call is denied, the model gets it.
    #[serde(default)]
    pub reason: Option<String>,
    /// Other arguments to make the call with, all of them; only where it is allowed.
    #[serde(default)]
    pub edited: Option<Map<String, Value>>,
    /// Which of the proposals to keep as a rule, from 0; only where the call is allowed as it is.
    #[serde(default)]
    pub always: Option<u32>,
}

fn host() -> String {
    "host".into()
}

impl ApprovalAnswer {
    /// The call may be made, once.
    pub fn allow() -> ApprovalAnswer {
        ApprovalAnswer { allow: true, by: host(), reason: None, edited: None, always: None }
    }

    /// The call must not be made, and why: the model is told.
    pub fn deny(reason: impl Into<String>) -> ApprovalAnswer {
        let reason = Some(reason.into());
        ApprovalAnswer { allow: false, by: host(), reason, edited: None, always: None }
    }

    /// Says who decided.
    #[must_use]
    pub fn by(mut self, by: impl Into<String>) -> ApprovalAnswer {
        self.by = by.into();
        self
    }

    /// Has the call made with these arguments instead.
    #[must_use]
    pub fn edited(mut self, arguments: Map<String, Value>) -> ApprovalAnswer {
        self.edited = Some(arguments);
        self
    }

    /// Keeps one of the proposals as a rule, from 0, the narrowest.
    #[must_use]
    pub fn always(mut self, proposal: u32) -> ApprovalAnswer {
        self.always = Some(proposal);
        self
    }

    /// An answer as the other languages give it: `true`, `false`, an object with the fields of an
    /// `ApprovalAnswer`, or `null` to leave the decision to others.
    ///
    /// # Errors
    /// `invalid_argument` for anything else: nothing that is not a clear yes is one.
    pub fn from_value(value: &Value) -> Result<Option<ApprovalAnswer>, Error> {
        match value {
            Value::Null => Ok(None),
            Value::Bool(true) => Ok(Some(ApprovalAnswer::allow())),
            Value::Bool(false) => {
                Ok(Some(ApprovalAnswer { allow: false, ..ApprovalAnswer::allow() }))
            }
            Value::Object(_) => crate::strict::from_value(value).map(Some).map_err(bad),
            _ => Err(bad("give true, false, an object with `allow`, or nothing".into())),
        }
    }
}

fn bad(why: String) -> Error {
    Error::new(Code::InvalidArgument, format!("the answer of the `approve` handler: {why}"))
}

/// The `approve` handler decides whether a call may be made: a person at a prompt, or a rule.
///
/// It is asked beside all others who may decide, and the first decision counts. `None` leaves the
/// decision to others. An error, or a panic, denies the call: the host finds its text in the approval's
/// `reason` and in the log; the model does not see it.
///
/// ```
/// use toolkeep::{ApprovalAnswer, Approve, Error, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let builder = Runtime::builder().on(Approve, |request, _cx| async move {
///     Ok(Some(match request.tool.as_str() {
///         "read_file" => ApprovalAnswer::allow(),
///         _ => ApprovalAnswer::deny("Only reading is allowed today."),
///     }))
/// });
/// let rt = builder.build().await?;
/// # rt.close().await
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Approve;

impl HandlerKind for Approve {
    const NAME: &'static str = "approve";
    type Request = ApprovalRequest;
    type Answer = Option<ApprovalAnswer>;

    fn read(answer: &Value) -> Result<Option<ApprovalAnswer>, Error> {
        ApprovalAnswer::from_value(answer)
    }
}
