//! `audit.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::store::{AuditQuery, AuditRow, Decision};

operations! {
    /// The ledger: one row for every call, with what was decided and why.
    audit as Audit {
        /// Gives rows in order of time, oldest first unless `latest`. What this runtime has
        /// queued is written first, so its own calls are there.
        query(QueryAudit) -> Vec<AuditRow> = query;
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
    /// Only calls decided so.
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
