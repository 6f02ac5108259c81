//! `audit.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::{Code, Error};
use crate::runtime::Runtime;
use crate::store::{self, AuditQuery, AuditReport, AuditRow, ChainHead, Decision, PrunedAudit};

operations! {
    /// The ledger: one row for every call, with what was decided and why.
    audit as Audit {
        /// Returns rows in order of time, oldest first unless `latest`. This runtime's queued rows
        /// are written first, so its own calls are there.
        query(QueryAudit) -> Vec<AuditRow> = query;
        /// Checks with the hash chains that no row was changed, removed or inserted since it was
        /// written. The report lists the problems. Keep its `heads` outside of the store and give
        /// them as `anchors` next time: then the ends of the chains are checked, too.
        verify(VerifyAudit) -> AuditReport = verify;
        /// Deletes the oldest rows, in whole segments (10,000 rows or an hour of one writer each).
        /// Their checkpoints stay, so the rest can still be verified. Segments that are still
        /// written stay, too. Each deleted segment has an event `audit.pruned`.
        prune(PruneAudit) -> PrunedAudit = prune;
    }
}

/// The arguments of `audit.query`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryAudit {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Only calls of this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only calls in this session.
    #[serde(default)]
    pub session: Option<String>,
    /// Only calls of this tool, by its own name.
    #[serde(default)]
    pub tool: Option<String>,
    /// Only calls with this decision.
    #[serde(default)]
    pub decision: Option<Decision>,
    /// Only calls at or after this time, in milliseconds since 1970-01-01T00:00:00Z.
    #[serde(default)]
    pub since_ms: Option<i64>,
    /// Only calls before this time.
    #[serde(default)]
    pub until_ms: Option<i64>,
    /// Go on after the row of this id, in the order of the answer.
    #[serde(default)]
    pub after: Option<String>,
    /// How many rows at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
    /// Newest first.
    #[serde(default)]
    pub latest: bool,
}

async fn query(runtime: &Runtime, args: QueryAudit) -> Result<Vec<AuditRow>, Error> {
    check_limit(args.limit)?;
    runtime.path().recorder.flush().await?;
    let query = AuditQuery {
        tenant: args.tenant,
        agent: args.agent,
        session: args.session,
        tool: args.tool,
        decision: args.decision,
        since_ms: args.since_ms,
        until_ms: args.until_ms,
        after: args.after,
        limit: args.limit,
        latest: args.latest,
    };
    Ok(runtime.store().query_audit(query).await?)
}

/// The arguments of `audit.verify`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyAudit {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The `heads` of an earlier report: each must still be there.
    #[serde(default)]
    pub anchors: Vec<ChainHead>,
}

async fn verify(runtime: &Runtime, args: VerifyAudit) -> Result<AuditReport, Error> {
    runtime.path().recorder.flush().await?;
    Ok(runtime.store().verify_audit(&args.tenant, args.anchors).await?)
}

/// The arguments of `audit.prune`. A segment goes when any of the rules lets it go; there must be
/// one.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PruneAudit {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The oldest segments are deleted as long as at least this many rows stay.
    #[serde(default)]
    pub keep_rows: Option<u64>,
    /// Segments are deleted if all their calls began before this time, in milliseconds since
    /// 1970-01-01T00:00:00Z.
    #[serde(default)]
    pub before_ms: Option<u64>,
    /// The same, as milliseconds before now: 2,592,000,000 are 30 days.
    #[serde(default)]
    pub older_than_ms: Option<u64>,
}

async fn prune(runtime: &Runtime, args: PruneAudit) -> Result<PrunedAudit, Error> {
    let now_ms = runtime.clock().now_ms();
    let ms = |given: u64| i64::try_from(given).unwrap_or(i64::MAX);
    let before_ms = match (args.before_ms, args.older_than_ms) {
        (Some(_), Some(_)) => {
            let text = "`before_ms` and `older_than_ms` say the same thing twice; give one of them";
            return Err(Error::new(Code::InvalidArgument, text));
        }
        (before, older_than) => {
            before.map(ms).or(older_than.map(|age| now_ms.saturating_sub(ms(age))))
        }
    };
    runtime.path().recorder.flush().await?;
    let prune = store::PruneAudit { tenant: args.tenant, keep_rows: args.keep_rows, before_ms };
    Ok(runtime.writing(&prune.tenant).prune_audit(prune, now_ms).await?)
}
