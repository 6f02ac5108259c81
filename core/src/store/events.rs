//! Events: the outbox that changes are told through, read in order by cursor.
//!
//! A counter row per tenant gives each event its place. The row stays locked until the
//! transaction ends, so events become visible in the order of their places and a reader that
//! goes on from its cursor never misses one that was written late.

use futures_util::FutureExt as _;

use super::driver::{Batch, Driver, Statement, Value};
use super::fields::{BadRow, Fields};
use super::json::object_text;
use super::{Answer, SqlStore};
use crate::event::{Event, NewEvent};
use crate::id::check_key;

/// The events of each tenant.
pub trait Events: Send + Sync {
    /// Appends events, all or none. Those of one tenant keep their order.
    fn append_events(&self, events: Vec<NewEvent>) -> Answer<'_, ()>;

    /// At most `limit` events of the tenant with a `seq` greater than `after`, in order.
    /// Read from the beginning with `after` 0.
    fn read_events<'a>(&'a self, tenant: &'a str, after: i64, limit: u32)
    -> Answer<'a, Vec<Event>>;

    /// The `seq` of the tenant's newest event; 0 if there never was one.
    fn last_event_seq<'a>(&'a self, tenant: &'a str) -> Answer<'a, i64>;
}

const COLUMNS: &[&str] = &["tenant", "seq", "at_ms", "kind", "subject", "data"];

const COUNT: &str = "INSERT INTO toolkeep_event_counters (tenant, last_seq) VALUES (?1, ?2) \
     ON CONFLICT (tenant) DO UPDATE \
     SET last_seq = toolkeep_event_counters.last_seq + excluded.last_seq";

const APPEND: &str = "INSERT INTO toolkeep_events (tenant, seq, at_ms, kind, subject, data) \
     SELECT tenant, last_seq - CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), CAST(?4 AS TEXT), \
     CAST(?5 AS TEXT), CAST(?6 AS TEXT) FROM toolkeep_event_counters WHERE tenant = ?1";

const READ: &str = "SELECT tenant, seq, at_ms, kind, subject, data FROM toolkeep_events \
     WHERE tenant = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

const LAST: &str = "SELECT last_seq FROM toolkeep_event_counters WHERE tenant = ?1";

impl<D: Driver> Events for SqlStore<D> {
    fn append_events(&self, events: Vec<NewEvent>) -> Answer<'_, ()> {
        async move {
            const OPERATION: &str = "events.append";
            if events.is_empty() {
                return Ok(());
            }
            let batch = Batch::default().telling(events);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            self.write_always(OPERATION, batch).await.map(drop)
        }
        .boxed()
    }

    fn read_events<'a>(
        &'a self,
        tenant: &'a str,
        after: i64,
        limit: u32,
    ) -> Answer<'a, Vec<Event>> {
        async move {
            const OPERATION: &str = "events.read";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let statement = Statement::new(READ, vec![tenant.into(), after.into(), limit.into()]);
            self.read_all(OPERATION, statement, COLUMNS, decode).await
        }
        .boxed()
    }

    fn last_event_seq<'a>(&'a self, tenant: &'a str) -> Answer<'a, i64> {
        async move {
            const OPERATION: &str = "events.last_seq";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let rows = self.read(OPERATION, Statement::new(LAST, vec![tenant.into()])).await?;
            match rows.first().map(|row| row.0.as_slice()) {
                None => Ok(0),
                Some([Value::Int(seq)]) => Ok(*seq),
                Some(_) => {
                    let problem = format!("the event counter of tenant `{tenant}` is no number");
                    Err(self.bad_row(OPERATION, BadRow(problem)))
                }
            }
        }
        .boxed()
    }
}

impl Batch {
    /// The same batch with the events that tell of its change. The error names the field that is
    /// wrong.
    pub(super) fn telling(self, events: Vec<NewEvent>) -> Result<Batch, String> {
        self.telling_of(events.iter().collect())
    }

    /// The same for events that somebody keeps.
    pub(super) fn telling_of(mut self, events: Vec<&NewEvent>) -> Result<Batch, String> {
        self.tells |= !events.is_empty();
        self.statements.extend(outbox(events)?);
        Ok(self)
    }
}

/// The statements that append the events. Tenants come in order of name, so that two transactions
/// never wait for each other's counters.
fn outbox(mut events: Vec<&NewEvent>) -> Result<Vec<Statement>, String> {
    events.sort_by(|a, b| a.tenant.cmp(&b.tenant));
    let mut statements = Vec::new();
    for group in events.chunk_by(|a, b| a.tenant == b.tenant) {
        let Some(first) = group.first() else { continue };
        let count = i64::try_from(group.len()).unwrap_or(i64::MAX);
        statements.push(Statement::new(COUNT, vec![first.tenant.as_str().into(), count.into()]));
        for (event, from_last) in group.iter().zip((0..count).rev()) {
            statements.push(append(event, from_last)?);
        }
    }
    Ok(statements)
}

fn append(event: &NewEvent, from_last: i64) -> Result<Statement, String> {
    check_key("tenant", &event.tenant).map_err(|error| error.message().to_owned())?;
    // An event may be about nothing in particular, such as a call without a session.
    if !event.subject.is_empty() {
        check_key("subject", &event.subject).map_err(|error| error.message().to_owned())?;
    }
    let params = vec![
        event.tenant.as_str().into(),
        from_last.into(),
        event.at_ms.into(),
        event.kind.into(),
        event.subject.as_str().into(),
        object_text("data", &event.data)?.into(),
    ];
    Ok(Statement::new(APPEND, params))
}

fn decode(fields: &mut Fields) -> Result<Event, BadRow> {
    Ok(Event {
        tenant: fields.text()?,
        seq: fields.int()?,
        at_ms: fields.int()?,
        kind: fields.text()?,
        subject: fields.text()?,
        data: fields.object()?,
    })
}
