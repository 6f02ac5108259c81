//! Marks of a session: what its results have brought into it.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::driver::{Batch, Driver, Statement, Value, Written};
use super::fields::{BadRow, Fields};
use super::{SqlStore, StoreFuture};
use crate::event::NewEvent;
use crate::kind::Taint;

/// A mark of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMark {
    /// What the session has read.
    pub mark: Taint,
    /// When it was first marked, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// The marks of each session. A session need not be stored to be marked; when it is deleted its
/// marks go with it.
pub trait Marks: Send + Sync {
    /// The marks of a session; none if it has none.
    fn get_marks<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
    ) -> StoreFuture<'a, Vec<SessionMark>>;

    /// Adds marks to those that the session has, in one statement. If one is new, the event
    /// `session.marked` reports it.
    fn add_marks<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
        marks: &'a [Taint],
        now_ms: i64,
    ) -> StoreFuture<'a, ()>;

    /// Takes every mark from a session, with the event `session.marks_cleared`. False if it has
    /// none; then there is no event.
    fn clear_marks<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

const GET: &str = "SELECT tenant, session, mark, at_ms FROM toolkeep_session_marks \
     WHERE tenant = ?1 AND session = ?2 ORDER BY mark";

const ADD_ONE: &str = "INSERT INTO toolkeep_session_marks (tenant, session, mark, at_ms) \
     VALUES (?1, ?2, ?4, ?3) ON CONFLICT (tenant, session, mark) DO NOTHING";

const ADD_BOTH: &str = "INSERT INTO toolkeep_session_marks (tenant, session, mark, at_ms) \
     VALUES (?1, ?2, ?4, ?3), (?1, ?2, ?5, ?3) ON CONFLICT (tenant, session, mark) DO NOTHING";

pub(super) const CLEAR: &str =
    "DELETE FROM toolkeep_session_marks WHERE tenant = ?1 AND session = ?2";

const COLUMNS: &[&str] = &["tenant", "session", "mark", "at_ms"];

pub(super) fn name(mark: Taint) -> &'static str {
    match mark {
        Taint::Untrusted => "untrusted",
        Taint::Private => "private",
    }
}

pub(super) fn from_name(name_of: &str) -> Option<Taint> {
    [Taint::Untrusted, Taint::Private].into_iter().find(|mark| name(*mark) == name_of)
}

impl<D: Driver> Marks for SqlStore<D> {
    fn get_marks<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
    ) -> StoreFuture<'a, Vec<SessionMark>> {
        async move {
            const OPERATION: &str = "sessions.marks";
            self.check(OPERATION, &[("tenant", tenant), ("session", session)])?;
            let statement = Statement::new(GET, vec![tenant.into(), session.into()]);
            self.read_all(OPERATION, statement, COLUMNS, decode).await
        }
        .boxed()
    }

    fn add_marks<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
        marks: &'a [Taint],
        now_ms: i64,
    ) -> StoreFuture<'a, ()> {
        async move {
            const OPERATION: &str = "sessions.mark";
            self.check(OPERATION, &[("tenant", tenant), ("session", session)])?;
            let mut names: Vec<&str> = marks.iter().map(|mark| name(*mark)).collect();
            names.sort_unstable();
            names.dedup();
            let sql = match names.len() {
                0 => return Ok(()),
                1 => ADD_ONE,
                _ => ADD_BOTH,
            };
            let mut params: Vec<Value> = vec![tenant.into(), session.into(), now_ms.into()];
            params.extend(names.iter().map(|name| Value::from(*name)));
            let event =
                changed_event("session.marked", tenant, session, json!({ "marks": names }), now_ms);
            let batch = Batch::from(Statement::new(sql, params).must_change());
            let batch = batch.with_events(vec![event]).map_err(|m| self.invalid(OPERATION, m))?;
            // Nothing changes where the session has them all.
            self.write(OPERATION, batch).await.map(|_| ())
        }
        .boxed()
    }

    fn clear_marks<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "sessions.clear_marks";
            self.check(OPERATION, &[("tenant", tenant), ("session", session)])?;
            let event = changed_event("session.marks_cleared", tenant, session, json!({}), now_ms);
            let params = vec![tenant.into(), session.into()];
            let batch = Batch::from(Statement::new(CLEAR, params).must_change());
            let batch = batch.with_events(vec![event]).map_err(|m| self.invalid(OPERATION, m))?;
            Ok(matches!(self.write(OPERATION, batch).await?, Written::Done(_)))
        }
        .boxed()
    }
}

fn changed_event(
    kind: &'static str,
    tenant: &str,
    session: &str,
    data: serde_json::Value,
    now_ms: i64,
) -> NewEvent {
    NewEvent { tenant: tenant.into(), at_ms: now_ms, kind, subject: session.into(), data }
}

fn decode(fields: &mut Fields) -> Result<SessionMark, BadRow> {
    let (_tenant, _session) = (fields.text()?, fields.text()?);
    Ok(SessionMark { mark: fields.name(from_name)?, at_ms: fields.int()? })
}
