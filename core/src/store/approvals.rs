//! Approvals: calls that wait for somebody's decision, decided once and used once.
//!
//! ```text
//! pending ─┬─ allowed ─┬─ consumed
//!          ├─ denied   └─ cancelled
//!          ├─ expired
//!          └─ cancelled
//! ```
//!
//! Each step is one conditional statement, in one transaction with the event that reports it. So of two
//! people who decide, or of a decision and the end of the wait, exactly one succeeds.

mod sql;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::StoreFuture;

/// The state of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalState {
    /// Nobody has decided yet.
    Pending,
    /// Allowed; the call may be made once.
    Allowed,
    /// Denied.
    Denied,
    /// Nobody decided in time.
    Expired,
    /// Taken back before it was used.
    Cancelled,
    /// Allowed, and the call has been made.
    Consumed,
}

impl ApprovalState {
    const ALL: [ApprovalState; 6] = [
        ApprovalState::Pending,
        ApprovalState::Allowed,
        ApprovalState::Denied,
        ApprovalState::Expired,
        ApprovalState::Cancelled,
        ApprovalState::Consumed,
    ];

    /// Its name in the store and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ApprovalState::Pending => "pending",
            ApprovalState::Allowed => "allowed",
            ApprovalState::Denied => "denied",
            ApprovalState::Expired => "expired",
            ApprovalState::Cancelled => "cancelled",
            ApprovalState::Consumed => "consumed",
        }
    }

    fn from_name(name: &str) -> Option<ApprovalState> {
        ApprovalState::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// A call that waits for a decision, or its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant.
    pub id: String,
    /// The digest of the call. Only a call of the same digest can use the decision.
    pub digest: String,
    /// The agent that calls.
    pub agent: Option<String>,
    /// The user for whom it calls.
    pub user: Option<String>,
    /// The session of the call.
    pub session: Option<String>,
    /// The tool.
    pub tool: String,
    /// The information for the person who decides, a JSON object.
    pub request: Json,
    /// Its state. One that is pending past its time counts as expired.
    pub state: ApprovalState,
    /// Who allowed or denied it.
    pub decided_by: Option<String>,
    /// The reason.
    pub reason: Option<String>,
    /// The changed arguments of the person who allowed it, a JSON object.
    pub edited: Option<Json>,
    /// When it was requested, in milliseconds since 1970-01-01T00:00:00Z.
    pub created_at_ms: i64,
    /// Until when it can be decided. An allowed one stays usable.
    pub expires_at_ms: i64,
    /// When it was allowed or denied.
    pub decided_at_ms: Option<i64>,
    /// When it last changed.
    pub updated_at_ms: i64,
}

/// An approval to be asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct NewApproval {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant; [`new_id`](crate::id::new_id) makes ids in order of time.
    pub id: String,
    /// The digest of the call, 1 to 512 bytes.
    pub digest: String,
    /// The agent that calls.
    pub agent: Option<String>,
    /// The user for whom it calls.
    pub user: Option<String>,
    /// The session of the call.
    pub session: Option<String>,
    /// The tool.
    pub tool: String,
    /// The information for the person who decides, a JSON object. Already scrubbed.
    pub request: Json,
    /// More fields for the data of the event `approval.requested`, a JSON object. Already scrubbed.
    pub event_data: Json,
    /// Until when it can be decided, in milliseconds since 1970-01-01T00:00:00Z.
    pub expires_at_ms: i64,
}

/// What somebody decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// True to allow the call once, false to deny it.
    pub allow: bool,
    /// Who decides.
    pub by: String,
    /// The reason. No NUL.
    pub reason: Option<String>,
    /// Other arguments to make the call with, a JSON object; only where it is allowed.
    pub edited: Option<Json>,
}

/// Which approvals to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalQuery {
    /// The tenant.
    pub tenant: String,
    /// Only those in this state.
    pub state: Option<ApprovalState>,
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those of this agent.
    pub agent: Option<String>,
    /// Go on after this id.
    pub after: Option<String>,
    /// How many at most.
    pub limit: u32,
}

impl ApprovalQuery {
    /// The first hundred approvals of a tenant.
    pub fn new(tenant: impl Into<String>) -> ApprovalQuery {
        ApprovalQuery {
            tenant: tenant.into(),
            state: None,
            session: None,
            agent: None,
            after: None,
            limit: 100,
        }
    }
}

/// The approvals of each tenant.
pub trait Approvals: Send + Sync {
    /// Asks for an approval, with the event `approval.requested`. Asking again with the same id
    /// and digest gives the one that is there, unchanged.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if the id is taken by another digest.
    fn request_approval(&self, approval: NewApproval, now_ms: i64) -> StoreFuture<'_, Approval>;

    /// The approval of that id.
    fn get_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>>;

    /// Approvals in order of id (byte by byte).
    fn list_approvals(&self, query: ApprovalQuery, now_ms: i64) -> StoreFuture<'_, Vec<Approval>>;

    /// The approvals of that digest that can still be of use to a call, at most 200 of them, oldest
    /// first: allowed, pending, or denied and not reported to any call yet.
    fn find_approvals<'a>(
        &'a self,
        tenant: &'a str,
        digest: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Vec<Approval>>;

    /// Marks a denial as reported to the call, once, by its `updated_at_ms`. None if there is no such
    /// denial, or it was reported already.
    fn report_denial<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>>;

    /// Allows or denies a pending approval, with the event `approval.decided`. None if there is
    /// none of that id.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict), saying which state it is in, if it is not
    /// pending any more or if its time is over.
    fn decide_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        verdict: Verdict,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>>;

    /// Uses an allowed approval, once, with the event `approval.consumed`. The call is then made
    /// with the `edited` arguments if there are any. None if there is none of that id.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it is not allowed, was used already, or is for
    /// a call of another digest.
    fn consume_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        digest: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>>;

    /// Takes back an approval that is pending, or allowed and not yet used, with the event
    /// `approval.cancelled`. None if there is none of that id.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict), saying which state it is in, otherwise.
    fn cancel_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>>;

    /// Ends the wait for an approval whose time is over, with the event `approval.expired`, and
    /// gives it as it stands then. Who waited must go by this answer: if the approval was decided
    /// in time it holds, and if it is expired no decision can be acknowledged any more.
    /// Before its time nothing changes. None if there is none of that id.
    fn expire_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>>;

    /// Marks the approvals of all tenants whose time is over as expired, each with its event.
    /// Gives their number. Nothing depends on it but the events.
    fn expire_approvals(&self, now_ms: i64) -> StoreFuture<'_, u64>;
}

impl Approval {
    /// One that is pending past its time is expired, whether or not anybody has marked it.
    fn at_time(mut self, now_ms: i64) -> Approval {
        if self.state == ApprovalState::Pending && self.expires_at_ms <= now_ms {
            self.state = ApprovalState::Expired;
        }
        self
    }

    fn standing(&self) -> String {
        let by = self.decided_by.as_ref().map(|by| format!(" by `{by}`")).unwrap_or_default();
        let what = match self.state {
            ApprovalState::Pending => "is still pending".into(),
            ApprovalState::Allowed => format!("was already allowed{by}"),
            ApprovalState::Denied => format!("was already denied{by}"),
            ApprovalState::Expired => "has expired".into(),
            ApprovalState::Cancelled => "was cancelled".into(),
            ApprovalState::Consumed => "was allowed and has been used".into(),
        };
        format!("approval `{}` {what}", self.id)
    }
}
