//! Gate: somebody's word, where the tool, the policy or another gate wants it.
//!
//! A call that wants approval makes a row in the store, bound to the digest of what exactly is to
//! be allowed, and then waits (`approval.mode = "wait"`), or answers `approval_pending` and leaves
//! the row for the same call to use later (`"return"`). A decision is used once: by compare and set
//! in the store, so that of two processes one gets it.

mod always;
mod ask;
mod edit;
mod question;
mod text;
mod wait;

pub(crate) use always::{Kept, chosen, keep};
pub use question::{ApprovalAnswer, ApprovalRequest, Approve, AskReason};

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::task::TaskTracker;

use super::command;
use super::path::CallPath;
use super::state::{Call, Judged, Stop};
use crate::handler::{self, Handler, Handlers};
use crate::id::new_id;
use crate::store::{Approval, ApprovalState, Kind};
use crate::tool::{Arguments, ToolError, ToolResult};
use ask::Asking;
use edit::Original;
use wait::{Ended, Release, Wait};

/// The `approval` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ApprovalConfig {
    /// What a call does until somebody has decided.
    pub mode: ApprovalMode,
    /// How long an approval can be decided, in milliseconds, up to 30 days. After that it counts as
    /// denied.
    #[schemars(range(min = 1, max = 2_592_000_000_u64))]
    pub timeout_ms: u64,
    /// Whether a decision may come from elsewhere, through the operations `approvals.*`. If false,
    /// only the host's `approve` handler decides; without a handler every call that needs approval
    /// is denied.
    pub external: bool,
    /// How long a rule holds that was made by allowing a command for always, in milliseconds, up to
    /// a year. Default: 30 days.
    #[schemars(range(min = 1, max = 31_536_000_000_u64))]
    pub always_ms: u64,
}

/// What a call that needs approval does until somebody has decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// It waits. The time does not count as its own.
    #[default]
    Wait,
    /// It answers `approval_pending`; the same call later uses the decision. The host's handler is
    /// asked first, and waited for.
    Return,
}

impl Default for ApprovalConfig {
    fn default() -> ApprovalConfig {
        let (timeout_ms, always_ms) = (120_000, 30 * 24 * 60 * 60 * 1_000);
        ApprovalConfig { mode: ApprovalMode::Wait, timeout_ms, external: true, always_ms }
    }
}

/// Who is asked, and how. One per runtime.
pub(crate) struct ApproveGate {
    pub(super) config: ApprovalConfig,
    handlers: Arc<Handlers>,
    /// Approvals that are being taken back.
    releases: TaskTracker,
}

impl ApproveGate {
    pub(crate) fn new(config: ApprovalConfig, handlers: Arc<Handlers>) -> ApproveGate {
        ApproveGate { config, handlers, releases: TaskTracker::new() }
    }

    /// True if a decision may come from elsewhere than the host's handler.
    pub(crate) fn takes_outside_word(&self) -> bool {
        self.config.external
    }

    /// Waits until what calls left behind has been taken back.
    pub(crate) async fn released(&self) {
        self.releases.close();
        self.releases.wait().await;
    }

    fn approver(&self) -> Option<Arc<dyn Handler<Approve>>> {
        self.handlers.get()
    }
}

/// The approvals that the calls of one turn have taken for themselves, so that two identical ones
/// never share a decision.
#[derive(Default)]
pub(crate) struct Claims(Mutex<HashSet<String>>);

impl Claims {
    fn take(&self, id: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned())
    }
}

/// Refuses to keep a rule of what was not allowed, or not as it was asked about.
///
/// # Errors
/// Why, for whoever decides.
pub(crate) fn only_allowed(allow: bool, is_edited: bool) -> Result<(), String> {
    if !allow {
        return Err("`always` keeps a rule that allows, and the call is denied".into());
    }
    if is_edited {
        return Err(
            "`always` keeps a rule of the call as it was asked about; leave `edited` out".into()
        );
    }
    Ok(())
}

/// True if the call wants somebody's approval.
pub(super) fn is_wanted(judged: &Judged, call: &Call<'_>) -> bool {
    judged.entry.spec.needs_approval
        || judged.assessment.ask.is_some()
        || command::asks(judged)
        || !call.ask.is_empty()
        || ask::policy(judged).is_some()
}

/// Lets the call pass that somebody allows, perhaps with other arguments.
pub(super) async fn pass(
    path: &CallPath,
    judged: Judged,
    call: &mut Call<'_>,
) -> Result<Judged, Stop> {
    let gate = &path.approval;
    let approver = gate.approver();
    if approver.is_none() && !gate.config.external {
        if ask::only_command(&judged, call) {
            command::unasked(&judged, call)?;
            return Ok(judged);
        }
        return Err(text::nobody(&judged.entry.spec.name, judged.assessment.ask.as_deref()).into());
    }
    if gate.config.mode == ApprovalMode::Return
        && gate.config.external
        && let Some(used) = earlier(path, &judged, call).await?
    {
        return allowed(path, judged, call, used).await;
    }
    let used = asked(path, &judged, call, approver).await?;
    allowed(path, judged, call, used).await
}

/// The decision that an earlier call of the same digest left to this one. None: nobody was asked.
async fn earlier(
    path: &CallPath,
    judged: &Judged,
    call: &mut Call<'_>,
) -> Result<Option<Approval>, Stop> {
    let tenant = &call.cx.caller().tenant;
    let digest = ask::digest(call.cx.caller(), judged);
    let mut found = path.store.find_approvals(tenant, &digest, path.clock.now_ms()).await?;
    found.retain(|one| one.request["waits"] != json!(true));
    // What was decided comes before what was not.
    found.sort_by_key(|one| one.state == ApprovalState::Pending);
    for one in found {
        if call.claims.is_some_and(|claims| !claims.take(&one.id)) {
            continue;
        }
        match one.state {
            ApprovalState::Allowed => {
                if let Some(why) = misfit(path, judged, call, &one) {
                    path.store.cancel_approval(tenant, &one.id, path.clock.now_ms()).await?;
                    return Err(unfit(path, call, &one, &why).into());
                }
                match used(path, &one).await? {
                    Some(used) => return Ok(Some(used)),
                    None => continue,
                }
            }
            ApprovalState::Denied => {
                let now_ms = path.clock.now_ms();
                if path.store.report_denial(tenant, &one.id, now_ms).await?.is_some() {
                    return Err(denied(path, call, &one).into());
                }
            }
            _ => return Err(pending(judged, call, &one.id).into()),
        }
    }
    Ok(None)
}

/// Asks, and gives the approval once it is allowed and used.
async fn asked(
    path: &CallPath,
    judged: &Judged,
    call: &mut Call<'_>,
    approver: Option<Arc<dyn Handler<Approve>>>,
) -> Result<Approval, Stop> {
    let gate = &path.approval;
    let waits = gate.config.mode == ApprovalMode::Wait;
    let asking = Asking::new(path, judged, call, new_id());
    let id = asking.id.as_str();
    if let Some(claims) = call.claims {
        claims.take(id);
    }
    let tenant = call.cx.caller().tenant.as_str();
    let release = Release::new(path, tenant, id);
    let row = asking.row(path, judged, call, waits);
    match path.store.request_approval(row, path.clock.now_ms()).await {
        Err(error) if error.kind() == Kind::InvalidArgument => {
            return Err(text::too_large(&judged.entry.spec.name).into());
        }
        asked => asked?,
    };
    let handler =
        approver.map(|approver| handler::ask(approver, asking.request(judged, call), call.cx));
    let others = gate.config.external && gate.config.mode == ApprovalMode::Wait;
    let expires_at_ms = asking.expires_at_ms;
    let original = Original::new(path, judged, call);
    let ended = Wait { path, tenant, id, expires_at_ms, others, original: &original };
    let ended = ended.ended(handler).await?;
    let tool = &judged.entry.spec.name;
    match ended {
        Ended::Decided(decided) if decided.state == ApprovalState::Allowed => {
            if let Some(why) = misfit(path, judged, call, &decided) {
                // It is not used, and taken back when `release` goes.
                return Err(unfit(path, call, &decided, &why).into());
            }
            let used = used(path, &decided).await?;
            release.disarm();
            used.ok_or_else(|| note(call, id, "allow", None, text::used_elsewhere(tool, id)).into())
        }
        Ended::Decided(decided) => {
            release.disarm();
            Err(denied(path, call, &decided).into())
        }
        Ended::Failed => {
            release.disarm();
            Err(note(call, id, "deny", Some("host"), text::failed(tool, id)).into())
        }
        Ended::Unfit => {
            release.disarm();
            Err(note(call, id, "deny", Some("host"), text::unfit(tool, id)).into())
        }
        Ended::Left if gate.config.external => {
            release.disarm();
            Err(pending(judged, call, id).into())
        }
        Ended::Left => {
            Err(note(call, id, "none", None, text::nobody(tool, judged.assessment.ask.as_deref()))
                .into())
        }
        Ended::Gone => Err(note(call, id, "none", None, text::gone(tool, id)).into()),
    }
}

/// Why an approval cannot be used: whoever allowed it changed the arguments to some that do not fit.
fn misfit(path: &CallPath, judged: &Judged, call: &Call<'_>, allowed: &Approval) -> Option<String> {
    Original::new(path, judged, call).misfit(allowed.edited.as_ref()?)
}

/// The refusal of a call whose arguments were edited to some that do not fit. Why, only the host is
/// told: it is no mistake of the model's.
fn unfit(path: &CallPath, call: &mut Call<'_>, allowed: &Approval, why: &str) -> ToolError {
    let scrubber = call.cx.scrubber(&path.texts.scrubbers);
    let why = scrubber.scrub(why);
    tracing::warn!(approval = allowed.id, %why, "an approval could not be used");
    let refusal = text::unfit(&allowed.tool, &allowed.id);
    note(call, &allowed.id, "none", allowed.decided_by.as_deref(), refusal)
}

/// Uses an allowed approval. None if another call was faster.
async fn used(path: &CallPath, allowed: &Approval) -> Result<Option<Approval>, Stop> {
    let Approval { tenant, id, digest, .. } = allowed;
    match path.store.consume_approval(tenant, id, digest, path.clock.now_ms()).await {
        Ok(used) => Ok(used),
        Err(error) if wait::is_conflict(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The call once more through the gates before this one, as it was allowed: policy and tools may
/// have changed while it waited, and edited arguments nobody has judged yet.
async fn allowed(
    path: &CallPath,
    judged: Judged,
    call: &mut Call<'_>,
    used: Approval,
) -> Result<Judged, Stop> {
    let by = used.decided_by.as_deref();
    let mut args = judged.args.clone();
    let mut changed = Vec::new();
    if let Some(edited) = used.edited {
        args = Original::new(path, &judged, call).restored(edited);
        changed = edit::changed(&judged.args, &args);
    }
    let mut note = json!({
        "id": used.id, "by": by, "decision": "allow", "edited": !changed.is_empty()
    });
    if !changed.is_empty() {
        call.arguments = super::excerpt::excerpt(&Arguments::Value(args.clone()));
        note["changed"] = json!(changed);
    }
    call.notes.insert("approval".into(), note);
    let again = path.judge(call, Ok(Arguments::Value(args))).await?;
    let same = if changed.is_empty() {
        ask::digest(call.cx.caller(), &again) == used.digest
    } else {
        again.entry.spec.name == judged.entry.spec.name
            && again.entry.version == judged.entry.version
    };
    if same { Ok(again) } else { Err(text::changed(&judged.entry.spec.name, &used.id).into()) }
}

fn denied(path: &CallPath, call: &mut Call<'_>, ended: &Approval) -> ToolError {
    let (decision, error) = match ended.state {
        ApprovalState::Denied => ("deny", text::denied(&ended.tool, ended)),
        ApprovalState::Expired => {
            let timeout_ms = path.approval.config.timeout_ms;
            ("expired", text::expired(&ended.tool, &ended.id, timeout_ms))
        }
        _ => ("none", text::gone(&ended.tool, &ended.id)),
    };
    note(call, &ended.id, decision, ended.decided_by.as_deref(), error)
}

fn pending(judged: &Judged, call: &mut Call<'_>, id: &str) -> ToolError {
    note(call, id, "pending", None, text::pending(&judged.entry.spec.name, id))
}

/// The refusal, with a note of the approval that it is about.
fn note(
    call: &mut Call<'_>,
    id: &str,
    decision: &str,
    by: Option<&str>,
    refusal: ToolError,
) -> ToolError {
    let note = json!({ "id": id, "by": by, "decision": decision, "edited": false });
    call.notes.insert("approval".into(), note);
    refusal
}

/// Says in the answer which approval it is about, and to the model which arguments a person
/// changed.
pub(super) fn mention(path: &CallPath, call: &mut Call<'_>, result: &mut ToolResult) {
    let note = call.notes.get("approval");
    result.approval = note.and_then(|note| note["id"].as_str()).map(str::to_owned);
    let Some(Value::Array(changed)) = note.map(|note| &note["changed"]) else { return };
    let notice = text::edited(changed.iter().filter_map(Value::as_str));
    // It is said of this call alone, so its answer is none for a later one.
    call.fresh = None;
    let scrubber = call.cx.scrubber(&path.texts.scrubbers);
    result.for_llm = format!("{}\n\n{}", scrubber.scrub(&notice), result.for_llm);
}
