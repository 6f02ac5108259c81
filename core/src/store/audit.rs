//! Audit: one row for each call, what was decided and how it ended.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::driver::{Batch, Driver, Statement};
use super::fields::{BadRow, Fields};
use super::{Answer, SqlStore};
use crate::event::NewEvent;
use crate::id::MAX_KEY_BYTES;

/// How far a call had come when its row was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The call is about to run. A row that stays so tells of a process that died.
    Intent,
    /// The call has ended.
    Completed,
}

/// Whether the gates let a call through.
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
    /// Whether the call was let through.
    pub decision: Decision,
    /// The error code of a call that was refused or failed.
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
    /// How deep below the first agent the caller was; 0 for the first agent.
    pub depth: i64,
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
    /// Only calls decided so.
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
    /// Writes rows and events together, all or none. A completed row replaces the intent row of
    /// its tenant and id; a row that is there already is otherwise kept, so that writing again
    /// after an unclear failure does no harm.
    fn record_audit(&self, rows: Vec<AuditRow>, events: Vec<NewEvent>) -> Answer<'_, ()>;

    /// The rows that the query asks for, in order of id.
    fn query_audit(&self, query: AuditQuery) -> Answer<'_, Vec<AuditRow>>;
}

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
];

const RECORD: &str = "INSERT INTO toolkeep_audit (tenant, id, at_ms, phase, agent, user_key, \
     session, tool, called_as, decision, code, rule, arguments, duration_us, is_error, run, depth) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) \
     ON CONFLICT (tenant, id) DO UPDATE SET at_ms = excluded.at_ms, phase = excluded.phase, \
     agent = excluded.agent, user_key = excluded.user_key, session = excluded.session, \
     tool = excluded.tool, called_as = excluded.called_as, decision = excluded.decision, \
     code = excluded.code, rule = excluded.rule, arguments = excluded.arguments, \
     duration_us = excluded.duration_us, is_error = excluded.is_error, run = excluded.run, \
     depth = excluded.depth \
     WHERE toolkeep_audit.phase = 'intent' AND excluded.phase = 'completed'";

/// A query whose session and order are part of the SQL, so that each has its index.
macro_rules! query {
    ($session:literal, $after:literal, $order:literal) => {
        concat!(
            "SELECT tenant, id, at_ms, phase, agent, user_key, session, tool, called_as, ",
            "decision, code, rule, arguments, duration_us, is_error, run, depth ",
            "FROM toolkeep_audit WHERE tenant = ?1 AND ",
            $session,
            " AND id ",
            $after,
            " ?3 AND (CAST(?4 AS TEXT) IS NULL OR agent = CAST(?4 AS TEXT)) ",
            "AND (CAST(?5 AS TEXT) IS NULL OR tool = CAST(?5 AS TEXT)) ",
            "AND (CAST(?6 AS TEXT) IS NULL OR decision = CAST(?6 AS TEXT)) ",
            "AND (CAST(?7 AS BIGINT) IS NULL OR at_ms >= CAST(?7 AS BIGINT)) ",
            "AND (CAST(?8 AS BIGINT) IS NULL OR at_ms < CAST(?8 AS BIGINT)) ",
            "ORDER BY id ",
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
    fn record_audit(&self, rows: Vec<AuditRow>, events: Vec<NewEvent>) -> Answer<'_, ()> {
        async move {
            const OPERATION: &str = "audit.record";
            for row in &rows {
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
            let batch = Batch::new(rows.into_iter().map(record).collect()).telling(events);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            self.write_always(OPERATION, batch).await.map(drop)
        }
        .boxed()
    }

    fn query_audit(&self, query: AuditQuery) -> Answer<'_, Vec<AuditRow>> {
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
}

fn record(row: AuditRow) -> Statement {
    let params = vec![
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
    ];
    Statement::new(RECORD, params)
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
    })
}
