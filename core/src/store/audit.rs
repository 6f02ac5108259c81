//! Audit: one row for each call, what was decided and how it ended.
//!
//! Rows are only ever added. Those that one writer (an opened store) adds for one tenant form a
//! chain: each row's hash covers the hash before it, so that a row cannot be changed, taken out or
//! put in unseen. A chain comes in segments, each with a checkpoint: how many rows, the last hash,
//! the last hash of the segment before. Checkpoints stay when their rows are pruned.

mod chain;
mod checkpoint;
mod ledger;
mod prune;
mod verify;
mod walk;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::driver::{Driver, Statement, Value};
use super::fields::{BadRow, Fields};
use super::{SqlStore, StoreFuture};
use crate::event::NewEvent;
use crate::id::MAX_KEY_BYTES;
use chain::Values;

pub(super) use chain::SegmentLimits;
pub(super) use ledger::Ledger;
pub use prune::{PruneAudit, PrunedAudit};
pub use verify::{AuditReport, ChainHead, ChainProblem, MOST_PROBLEMS};

/// How far a call had come when its row was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The call is about to run. A row that stays so was left by a process that died.
    Intent,
    /// The call has ended.
    Completed,
}

/// Whether the gates allowed a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call ran, or was about to.
    Allowed,
    /// The call was refused.
    Refused,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Intent => "intent",
            Phase::Completed => "completed",
        }
    }

    fn from_name(name: &str) -> Option<Phase> {
        [Phase::Intent, Phase::Completed].into_iter().find(|phase| phase.name() == name)
    }
}

impl Decision {
    fn name(self) -> &'static str {
        match self {
            Decision::Allowed => "allowed",
            Decision::Refused => "refused",
        }
    }

    fn from_name(name: &str) -> Option<Decision> {
        [Decision::Allowed, Decision::Refused].into_iter().find(|decision| decision.name() == name)
    }
}

/// One call in the ledger.
///
/// The tool names, `code` and `rule` may come from a model: a NUL in them is kept as `␀`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRow {
    /// The tenant of the call.
    pub tenant: String,
    /// The id of the call. Rows are read in its order, so ids must sort by time, as those of
    /// [`new_id`](crate::id::new_id) do.
    pub id: String,
    /// When, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// How far the call had come.
    pub phase: Phase,
    /// The agent that called.
    pub agent: Option<String>,
    /// The user it called for.
    pub user: Option<String>,
    /// The session it called in.
    pub session: Option<String>,
    /// The tool, by its own name.
    pub tool: String,
    /// The tool as the model named it.
    pub called_as: String,
    /// Whether the call was allowed.
    pub decision: Decision,
    /// The error code, if the call was refused or failed.
    pub code: Option<String>,
    /// The rule that decided.
    pub rule: Option<String>,
    /// The arguments, already scrubbed and capped.
    pub arguments: String,
    /// How long it ran, in microseconds.
    pub duration_us: Option<i64>,
    /// True if its result was an error.
    pub is_error: bool,
    /// The run it was part of.
    pub run: Option<String>,
    /// How deep the caller was below the first agent; 0 for the first agent.
    pub depth: i64,
    /// Notes of the gates, each by its key: repaired arguments, an approval, a repetition. Already
    /// scrubbed and capped.
    #[serde(default)]
    pub notes: Option<Map<String, Json>>,
}

/// Which audit rows to read.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditQuery {
    /// The tenant.
    pub tenant: String,
    /// Only calls of this agent.
    pub agent: Option<String>,
    /// Only calls in this session.
    pub session: Option<String>,
    /// Only calls of this tool, by its own name.
    pub tool: Option<String>,
    /// Only calls with this decision.
    pub decision: Option<Decision>,
    /// Only calls at or after this time, in milliseconds since 1970-01-01T00:00:00Z.
    pub since_ms: Option<i64>,
    /// Only calls before this time.
    pub until_ms: Option<i64>,
    /// Go on after the row of this id, in the order of the answer.
    pub after: Option<String>,
    /// The most rows to give.
    pub limit: u32,
    /// True for newest first; otherwise oldest first.
    pub latest: bool,
}

impl AuditQuery {
    /// The first 100 rows of a tenant, oldest first.
    pub fn new(tenant: impl Into<String>) -> AuditQuery {
        AuditQuery {
            tenant: tenant.into(),
            agent: None,
            session: None,
            tool: None,
            decision: None,
            since_ms: None,
            until_ms: None,
            after: None,
            limit: 100,
            latest: false,
        }
    }
}

/// The ledger of each tenant.
pub trait Audit: Send + Sync {
    /// Writes rows and events together, all or none. Nothing that is there already changes: a row
    /// of the same tenant, id and phase is kept as it is, so that writing again after an unclear
    /// failure does no harm.
    ///
    /// Where there are as many events as completed rows, each event belongs to the completed row in
    /// its place: it is not written for a row that is there already. Otherwise the events are written
    /// together, if any row is new.
    fn record_audit(&self, rows: Vec<AuditRow>, events: Vec<NewEvent>) -> StoreFuture<'_, ()>;

    /// The rows that the query asks for, in order of id: for each id its completed row, or its
    /// intent row while it has no other.
    fn query_audit(&self, query: AuditQuery) -> StoreFuture<'_, Vec<AuditRow>>;

    /// Checks every chain of the tenant against its checkpoints, and that what earlier reports
    /// gave as [`heads`](AuditReport::heads) is still there. Reads part by part, beside writers.
    ///
    /// What is wrong with the ledger is in the report. An anchor that no report can have given is
    /// [`Kind::InvalidArgument`](super::Kind::InvalidArgument).
    fn verify_audit<'a>(
        &'a self,
        tenant: &'a str,
        anchors: Vec<ChainHead>,
    ) -> StoreFuture<'a, AuditReport>;

    /// Deletes the rows of whole segments, oldest first, and keeps their checkpoints. Each segment
    /// is a transaction with an event `audit.pruned`. A segment that its writer may still extend
    /// is left alone.
    fn prune_audit(&self, prune: PruneAudit, now_ms: i64) -> StoreFuture<'_, PrunedAudit>;

    /// How many of the tenant's rows fit into so many bytes, by the mean size of those that are there:
    /// what to keep for the ledger to have that size. None if all of them do, as they do by default.
    fn audit_rows_within<'a>(
        &'a self,
        _tenant: &'a str,
        _bytes: u64,
    ) -> StoreFuture<'a, Option<u64>> {
        async { Ok(None) }.boxed()
    }
}

/// Every statement of the ledger, for the test that looks at how they are run.
#[cfg(test)]
pub(super) const STATEMENTS: &[&[&str]] = &[
    &[OLDEST, NEWEST, OLDEST_OF_SESSION, NEWEST_OF_SESSION],
    chain::STATEMENTS,
    ledger::STATEMENTS,
    checkpoint::STATEMENTS,
    prune::STATEMENTS,
    verify::STATEMENTS,
];

const COLUMNS: &[&str] = &[
    "tenant",
    "id",
    "at_ms",
    "phase",
    "agent",
    "user_key",
    "session",
    "tool",
    "called_as",
    "decision",
    "code",
    "rule",
    "arguments",
    "duration_us",
    "is_error",
    "run",
    "depth",
    "notes",
];

/// A query whose session and order are part of the SQL, so that each has its index.
macro_rules! query {
    ($session:literal, $after:literal, $order:literal) => {
        concat!(
            "SELECT tenant, id, at_ms, phase, agent, user_key, session, tool, called_as, ",
            "decision, code, rule, arguments, duration_us, is_error, run, depth, notes ",
            "FROM toolkeep_audit_rows AS shown WHERE tenant = ?1 AND ",
            $session,
            " AND id ",
            $after,
            " ?3 AND (CAST(?4 AS TEXT) IS NULL OR agent = CAST(?4 AS TEXT)) ",
            "AND (CAST(?5 AS TEXT) IS NULL OR tool = CAST(?5 AS TEXT)) ",
            "AND (CAST(?6 AS TEXT) IS NULL OR decision = CAST(?6 AS TEXT)) ",
            "AND (CAST(?7 AS BIGINT) IS NULL OR at_ms >= CAST(?7 AS BIGINT)) ",
            "AND (CAST(?8 AS BIGINT) IS NULL OR at_ms < CAST(?8 AS BIGINT)) ",
            // Counting goes through the key. PostgreSQL may hash the whole table for an EXISTS.
            "AND (phase = 'completed' OR (SELECT COUNT(*) FROM toolkeep_audit_rows AS done ",
            "WHERE done.tenant = shown.tenant AND done.id = shown.id ",
            "AND done.phase = 'completed') = 0) ORDER BY id ",
            $order,
            " LIMIT ?9"
        )
    };
}

const OLDEST: &str = query!("CAST(?2 AS TEXT) IS NULL", ">", "ASC");
const NEWEST: &str = query!("CAST(?2 AS TEXT) IS NULL", "<", "DESC");
const OLDEST_OF_SESSION: &str = query!("session = ?2", ">", "ASC");
const NEWEST_OF_SESSION: &str = query!("session = ?2", "<", "DESC");

impl<D: Driver> Audit for SqlStore<D> {
    fn record_audit(&self, rows: Vec<AuditRow>, events: Vec<NewEvent>) -> StoreFuture<'_, ()> {
        async move {
            use ledger::OPERATION;
            for row in &rows {
                self.check_body(OPERATION, "an audit row", row.arguments.len())?;
                self.check(OPERATION, &[("tenant", &row.tenant), ("id", &row.id)])?;
                let given = [
                    ("agent", row.agent.as_deref()),
                    ("user", row.user.as_deref()),
                    ("session", row.session.as_deref()),
                    ("run", row.run.as_deref()),
                ];
                self.check_given(OPERATION, &given)?;
            }
            if rows.is_empty() && events.is_empty() {
                return Ok(());
            }
            let rows: Vec<Values> = rows.into_iter().map(values).collect();
            for notes in rows.iter().filter_map(|row| row.last()) {
                if let Value::Text(notes) = notes {
                    self.check_body(OPERATION, "the notes of an audit row", notes.len())?;
                }
            }
            self.ledger.record(&self.driver, rows, events).await
        }
        .boxed()
    }

    fn query_audit(&self, query: AuditQuery) -> StoreFuture<'_, Vec<AuditRow>> {
        async move {
            const OPERATION: &str = "audit.query";
            self.check(OPERATION, &[("tenant", &query.tenant)])?;
            let given = [
                ("agent", query.agent.as_deref()),
                ("session", query.session.as_deref()),
                ("tool", query.tool.as_deref()),
                ("after", query.after.as_deref()),
            ];
            self.check_given(OPERATION, &given)?;
            self.read_all(OPERATION, select(query), COLUMNS, decode).await
        }
        .boxed()
    }

    fn verify_audit<'a>(
        &'a self,
        tenant: &'a str,
        anchors: Vec<ChainHead>,
    ) -> StoreFuture<'a, AuditReport> {
        verify::verify(self, tenant, anchors).boxed()
    }

    fn prune_audit(&self, prune: PruneAudit, now_ms: i64) -> StoreFuture<'_, PrunedAudit> {
        prune::prune(self, prune, now_ms).boxed()
    }

    fn audit_rows_within<'a>(
        &'a self,
        tenant: &'a str,
        bytes: u64,
    ) -> StoreFuture<'a, Option<u64>> {
        prune::rows_within(self, tenant, bytes).boxed()
    }
}

/// In the order of [`COLUMNS`].
fn values(row: AuditRow) -> Values {
    vec![
        row.tenant.into(),
        row.id.into(),
        row.at_ms.into(),
        row.phase.name().into(),
        row.agent.into(),
        row.user.into(),
        row.session.into(),
        without_nul(row.tool).into(),
        without_nul(row.called_as).into(),
        row.decision.name().into(),
        row.code.map(without_nul).into(),
        row.rule.map(without_nul).into(),
        row.arguments.into_bytes().into(),
        row.duration_us.into(),
        row.is_error.into(),
        row.run.into(),
        row.depth.into(),
        row.notes.map(|notes| Json::Object(notes).to_string()).into(),
    ]
}

/// A model chooses what it calls a tool, and whatever it chooses must be on record.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{2400}") } else { text }
}

fn select(query: AuditQuery) -> Statement {
    let sql = match (query.session.is_some(), query.latest) {
        (false, false) => OLDEST,
        (false, true) => NEWEST,
        (true, false) => OLDEST_OF_SESSION,
        (true, true) => NEWEST_OF_SESSION,
    };
    let after = query.after.unwrap_or_else(|| match query.latest {
        false => String::new(),
        // Sorts after every key, because no key is as long.
        true => "\u{10FFFF}".repeat(MAX_KEY_BYTES / 4 + 1),
    });
    let params = vec![
        query.tenant.into(),
        query.session.into(),
        after.into(),
        query.agent.into(),
        query.tool.into(),
        query.decision.map(Decision::name).into(),
        query.since_ms.into(),
        query.until_ms.into(),
        query.limit.into(),
    ];
    Statement::new(sql, params)
}

fn decode(fields: &mut Fields) -> Result<AuditRow, BadRow> {
    Ok(AuditRow {
        tenant: fields.text()?,
        id: fields.text()?,
        at_ms: fields.int()?,
        phase: fields.name(Phase::from_name)?,
        agent: fields.text_or_none()?,
        user: fields.text_or_none()?,
        session: fields.text_or_none()?,
        tool: fields.text()?,
        called_as: fields.text()?,
        decision: fields.name(Decision::from_name)?,
        code: fields.text_or_none()?,
        rule: fields.text_or_none()?,
        arguments: fields.utf8()?,
        duration_us: fields.int_or_none()?,
        is_error: fields.int()? != 0,
        run: fields.text_or_none()?,
        depth: fields.int()?,
        notes: fields.json_or_none()?,
    })
}
