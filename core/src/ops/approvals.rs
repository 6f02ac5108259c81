//! `approvals.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::call;
use crate::error::{Code, Error};
use crate::id::new_id;
use crate::runtime::Runtime;
use crate::store::{Approval, ApprovalQuery, ApprovalState, NewApproval, Verdict};
use crate::tool::Caller;

/// The longest that an approval can be waited for: 30 days.
const MOST_TTL_MS: i64 = 30 * 24 * 60 * 60 * 1000;

operations! {
    /// Approvals: calls that wait for somebody's word, decided once and used once.
    approvals as Approvals {
        /// Asks for an approval. Asking again with the same `id` and `digest` returns the existing
        /// one; with another digest it fails with `conflict`.
        request(RequestApproval) -> Approval = request;
        /// Returns an approval. Fails with `not_found` if there is none of that id.
        get(ApprovalKey) -> Approval = get;
        /// Lists approvals by id.
        list(ListApprovals) -> Vec<Approval> = list;
        /// Allows or denies a pending approval. Fails with `conflict`, naming its state, if it is
        /// not pending any more or `approval.external` is false. Fails with `invalid_argument` if
        /// `edited` does not fit the tool; then it stays pending.
        decide(DecideApproval) -> Approval = decide;
        /// Uses an allowed approval, once. Make the call with the `edited` arguments if there are
        /// any. Fails with `conflict` if it is not allowed, was used already, or is for a call of
        /// another digest.
        consume(ConsumeApproval) -> Approval = consume;
        /// Cancels an approval that is pending, or allowed and not yet used. Fails with `conflict`
        /// otherwise.
        cancel(CancelApproval) -> Approval = cancel;
    }
}

/// The arguments of `approvals.request`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestApproval {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The approval's id. Default: a new one.
    #[serde(default)]
    pub id: Option<String>,
    /// A digest of the call: exactly this call is to be allowed.
    pub digest: String,
    /// The agent that calls.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user for whom it calls.
    #[serde(default)]
    pub user: Option<String>,
    /// The session of the call.
    #[serde(default)]
    pub session: Option<String>,
    /// The tool.
    pub tool: String,
    /// The information for the person who decides.
    #[serde(default)]
    pub request: Map<String, Value>,
    /// For how many milliseconds it can be decided, up to 30 days. Default: 120,000 (two minutes).
    #[serde(default = "default_ttl")]
    pub ttl_ms: i64,
}

fn default_ttl() -> i64 {
    120_000
}

/// The arguments of `approvals.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalKey {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The approval's id.
    pub id: String,
}

/// The arguments of `approvals.cancel`.
pub type CancelApproval = ApprovalKey;

/// The arguments of `approvals.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListApprovals {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Only those in this state.
    #[serde(default)]
    pub state: Option<ApprovalState>,
    /// Only those of this session.
    #[serde(default)]
    pub session: Option<String>,
    /// Only those of this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// Go on after this id.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// A decision on an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalDecision {
    /// The call may be made, once.
    Allow,
    /// It may not.
    Deny,
}

/// The arguments of `approvals.decide`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideApproval {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The approval's id.
    pub id: String,
    /// What is decided.
    pub decision: ApprovalDecision,
    /// Who decides.
    pub by: String,
    /// The reason.
    #[serde(default)]
    pub reason: Option<String>,
    /// Other arguments to make the call with; only with `allow`.
    #[serde(default)]
    pub edited: Option<Map<String, Value>>,
    /// Which of the `proposals` in the request to keep as a rule, from 0, the narrowest; only with
    /// `allow` and without `edited`. The rule holds for the same tool, agent and user, for
    /// `approval.always_ms`.
    #[serde(default)]
    pub always: Option<u32>,
}

/// The arguments of `approvals.consume`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsumeApproval {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The approval's id.
    pub id: String,
    /// The digest of the call that is to be made.
    pub digest: String,
}

async fn request(runtime: &Runtime, args: RequestApproval) -> Result<Approval, Error> {
    if !(1..=MOST_TTL_MS).contains(&args.ttl_ms) {
        let text = format!("`ttl_ms` is {}; give 1 to {MOST_TTL_MS}", args.ttl_ms);
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let now_ms = runtime.clock().now_ms();
    let approval = NewApproval {
        tenant: args.tenant,
        id: args.id.unwrap_or_else(new_id),
        digest: args.digest,
        agent: args.agent,
        user: args.user,
        session: args.session,
        tool: args.tool,
        request: Value::Object(args.request),
        event_data: Value::Object(Map::new()),
        expires_at_ms: now_ms.saturating_add(args.ttl_ms),
    };
    Ok(runtime.writing(&approval.tenant).request_approval(approval, now_ms).await?)
}

async fn get(runtime: &Runtime, args: ApprovalKey) -> Result<Approval, Error> {
    let now_ms = runtime.clock().now_ms();
    found(runtime.store().get_approval(&args.tenant, &args.id, now_ms).await?, &args.id)
}

async fn list(runtime: &Runtime, args: ListApprovals) -> Result<Vec<Approval>, Error> {
    let ListApprovals { tenant, state, session, agent, after, limit } = args;
    check_limit(limit)?;
    let query = ApprovalQuery { tenant, state, session, agent, after, limit };
    Ok(runtime.store().list_approvals(query, runtime.clock().now_ms()).await?)
}

async fn decide(runtime: &Runtime, args: DecideApproval) -> Result<Approval, Error> {
    if !runtime.path().approval.takes_outside_word() {
        let text = "`approval.external` is false in the configuration, so only the host's `approve` \
                    handler decides here, and this decision would count for nothing; set it to true \
                    to decide through `approvals.decide`";
        return Err(Error::new(Code::Conflict, text));
    }
    let DecideApproval { tenant, id, decision, by, reason, edited, always } = args;
    let allow = decision == ApprovalDecision::Allow;
    let rule = match always {
        None => None,
        Some(number) => {
            call::only_allowed(allow, edited.is_some())
                .map_err(|why| Error::new(Code::InvalidArgument, why))?;
            let now_ms = runtime.clock().now_ms();
            let row = runtime.store().get_approval(&tenant, &id, now_ms).await?;
            Some(call::chosen(&found(row, &id)?, number)?)
        }
    };
    let verdict = Verdict { allow, by, reason, edited: edited.map(Value::Object) };
    if let Some(edited) = &verdict.edited {
        check_edited(runtime, &tenant, &id, edited).await?;
    }
    let now_ms = runtime.clock().now_ms();
    let store = runtime.writing(&tenant);
    let decided = found(store.decide_approval(&tenant, &id, verdict, now_ms).await?, &id)?;
    if let Some(rule) = rule {
        let always_ms = runtime.config().approval.always_ms;
        call::keep(&*store, &decided, rule, (now_ms, always_ms)).await?;
        // The rule covers the call from now on; with the approval, too, it could be made once more
        // after the rule was revoked. A call that waits uses it itself.
        if decided.request["waits"] != true {
            store.consume_approval(&tenant, &id, &decided.digest, now_ms).await?;
        }
    }
    Ok(decided)
}

/// Refuses arguments that do not fit the tool, where it is known here in the version that the call
/// is for, so that the person learns of it. Elsewhere the call itself is refused.
async fn check_edited(
    runtime: &Runtime,
    tenant: &str,
    id: &str,
    edited: &Value,
) -> Result<(), Error> {
    let approval = runtime.store().get_approval(tenant, id, runtime.clock().now_ms()).await?;
    let approval = found(approval, id)?;
    let caller = Caller {
        tenant: approval.tenant.clone(),
        agent: approval.agent.clone(),
        ..Caller::default()
    };
    let snapshot = runtime.path().tools_of(&caller).await?;
    let tool = snapshot.resolve(&approval.tool);
    let Some(tool) = tool.filter(|tool| approval.request["version"] == *tool.version) else {
        return Ok(());
    };
    let complaints = tool.schema.complaints(edited);
    if complaints.is_empty() {
        return Ok(());
    }
    let text = format!("`edited` does not fit `{}`: {}", approval.tool, complaints.join(" "));
    Err(Error::new(Code::InvalidArgument, text))
}

async fn consume(runtime: &Runtime, args: ConsumeApproval) -> Result<Approval, Error> {
    let ConsumeApproval { tenant, id, digest } = args;
    let now_ms = runtime.clock().now_ms();
    found(runtime.writing(&tenant).consume_approval(&tenant, &id, &digest, now_ms).await?, &id)
}

async fn cancel(runtime: &Runtime, args: ApprovalKey) -> Result<Approval, Error> {
    let now_ms = runtime.clock().now_ms();
    found(
        runtime.writing(&args.tenant).cancel_approval(&args.tenant, &args.id, now_ms).await?,
        &args.id,
    )
}

fn found(approval: Option<Approval>, id: &str) -> Result<Approval, Error> {
    approval.ok_or_else(|| Error::new(Code::NotFound, format!("there is no approval `{id}`")))
}
