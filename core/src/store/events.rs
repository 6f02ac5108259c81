//! Events: the outbox through which changes are reported, read in order by cursor.
//!
//! A counter row per tenant gives each event its place. The row stays locked until the
//! transaction ends, so events become visible in the order of their places and a reader that
//! goes on from its cursor never misses one that was written late.
//!
//! Places have no gaps, and pruning takes only from the front. So a reader that finds a gap after
//! its cursor knows how many events were pruned before it came.

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::driver::{Batch, Driver, Statement, Value};
use super::fields::{BadRow, Fields};
use super::json::object_text;
use super::{Error, SqlStore, StoreFuture};
use crate::event::{Event, NewEvent};
use crate::id::check_key;

/// The events of each tenant.
pub trait Events: Send + Sync {
    /// Appends events, all or none. Those of one tenant keep their order; the first of a tenant
    /// gets `seq` 1, every other one more than the one before it.
    fn append_events(&self, events: Vec<NewEvent>) -> StoreFuture<'_, ()>;

    /// At most `limit` events of the tenant with a `seq` greater than `after`, in order.
    /// Read from the beginning with `after` 0.
    fn read_events<'a>(
        &'a self,
        tenant: &'a str,
        after: i64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Event>>;

    /// The `seq` of the tenant's newest event; 0 if there never was one.
    fn last_event_seq<'a>(&'a self, tenant: &'a str) -> StoreFuture<'a, i64>;

    /// Deletes the tenant's oldest events and gives their number: from the front, for as long as
    /// an event is not among the newest `keep`, or was written before `before_ms`. Neither given:
    /// nothing. What remains keeps its `seq`, and new events go on from the last one, even if none
    /// is left.
    fn prune_events<'a>(
        &'a self,
        tenant: &'a str,
        keep: Option<u64>,
        before_ms: Option<i64>,
    ) -> StoreFuture<'a, u64>;

    /// Ticks when there may be new events: a hint to read on. Ticks may be missed, and whoever
    /// waits for one also looks by itself a few times a second. Default: never ticks.
    fn event_changes(&self) -> watch::Receiver<u64> {
        watch::Sender::new(0).subscribe()
    }
}

/// All but the tenant, which whoever reads knows.
const COLUMNS: &[&str] = &["seq", "at_ms", "kind", "subject", "data"];

const COUNT: &str = "INSERT INTO toolkeep_event_counters (tenant, last_seq) VALUES (?1, ?2) \
     ON CONFLICT (tenant) DO UPDATE \
     SET last_seq = toolkeep_event_counters.last_seq + excluded.last_seq";

const APPEND: &str = "INSERT INTO toolkeep_events (tenant, seq, at_ms, kind, subject, data) \
     SELECT tenant, last_seq - CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), CAST(?4 AS TEXT), \
     CAST(?5 AS TEXT), CAST(?6 AS TEXT) FROM toolkeep_event_counters WHERE tenant = ?1";

const READ: &str = "SELECT seq, at_ms, kind, subject, data FROM toolkeep_events \
     WHERE tenant = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

const LAST: &str = "SELECT last_seq FROM toolkeep_event_counters WHERE tenant = ?1";

/// The first event that is not too old. It walks over those that are, which are deleted next.
const FIRST_SINCE: &str = "SELECT seq FROM toolkeep_events WHERE tenant = ?1 AND at_ms >= ?2 \
     ORDER BY seq LIMIT 1";

/// The bound is one value: of two, SQLite would walk to the larger.
const PRUNE: &str = "DELETE FROM toolkeep_events WHERE tenant = ?1 AND seq <= \
     (SELECT CASE WHEN seq + CAST(?3 AS BIGINT) <= CAST(?2 AS BIGINT) \
     THEN seq + CAST(?3 AS BIGINT) - 1 ELSE CAST(?2 AS BIGINT) END \
     FROM toolkeep_events WHERE tenant = ?1 ORDER BY seq LIMIT 1)";

/// How many events one transaction deletes at most, so that writers need not wait long.
const PRUNED_AT_ONCE: i64 = 1_000;

impl<D: Driver> Events for SqlStore<D> {
    fn append_events(&self, events: Vec<NewEvent>) -> StoreFuture<'_, ()> {
        async move {
            const OPERATION: &str = "events.append";
            if events.is_empty() {
                return Ok(());
            }
            let batch = Batch::default().synced_later().with_events(events);
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
    ) -> StoreFuture<'a, Vec<Event>> {
        async move {
            const OPERATION: &str = "events.read";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let statement = Statement::new(READ, vec![tenant.into(), after.into(), limit.into()]);
            let mut events = self.read_all(OPERATION, statement, COLUMNS, decode).await?;
            events.iter_mut().for_each(|event| tenant.clone_into(&mut event.tenant));
            Ok(events)
        }
        .boxed()
    }

    fn last_event_seq<'a>(&'a self, tenant: &'a str) -> StoreFuture<'a, i64> {
        async move {
            const OPERATION: &str = "events.last_seq";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let last = Statement::new(LAST, vec![tenant.into()]);
            Ok(self.event_seq(OPERATION, last).await?.unwrap_or(0))
        }
        .boxed()
    }

    fn prune_events<'a>(
        &'a self,
        tenant: &'a str,
        keep: Option<u64>,
        before_ms: Option<i64>,
    ) -> StoreFuture<'a, u64> {
        async move {
            const OPERATION: &str = "events.prune";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let Some(last_pruned) = self.last_pruned(tenant, keep, before_ms).await? else {
                return Ok(0);
            };
            let mut pruned = 0;
            loop {
                let params = vec![tenant.into(), last_pruned.into(), PRUNED_AT_ONCE.into()];
                let batch = Batch::from(Statement::new(PRUNE, params)).synced_later();
                // Two that prune at the same time would wait for each other's rows.
                let batch = batch.locked(format!("prune_events:{tenant}"));
                let outcomes = self.write_always(OPERATION, batch).await?;
                match outcomes.iter().map(|outcome| outcome.changed).sum() {
                    0 => return Ok(pruned),
                    deleted => pruned += deleted,
                }
            }
        }
        .boxed()
    }

    fn event_changes(&self) -> watch::Receiver<u64> {
        self.driver().changes()
    }
}

impl<D: Driver> SqlStore<D> {
    /// The place up to which events go; none if none goes.
    async fn last_pruned(
        &self,
        tenant: &str,
        keep: Option<u64>,
        before_ms: Option<i64>,
    ) -> Result<Option<i64>, Error> {
        const OPERATION: &str = "events.prune";
        if keep.is_none() && before_ms.is_none() {
            return Ok(None);
        }
        let last = Statement::new(LAST, vec![tenant.into()]);
        let last = self.event_seq(OPERATION, last).await?.unwrap_or(0);
        let kept = |keep| last.saturating_sub(i64::try_from(keep).unwrap_or(i64::MAX));
        let too_many = keep.map_or(0, kept);
        let too_old = match before_ms {
            None => 0,
            Some(before_ms) => {
                let first = Statement::new(FIRST_SINCE, vec![tenant.into(), before_ms.into()]);
                self.event_seq(OPERATION, first).await?.map_or(last, |first| first - 1)
            }
        };
        Ok(Some(too_many.max(too_old)).filter(|&last_pruned| last_pruned > 0))
    }

    /// The one number that a statement gives, if it gives a row.
    async fn event_seq(
        &self,
        operation: &'static str,
        statement: Statement,
    ) -> Result<Option<i64>, Error> {
        let rows = self.read(operation, statement).await?;
        match rows.first().map(|row| row.0.as_slice()) {
            None => Ok(None),
            Some([Value::Int(seq)]) => Ok(Some(*seq)),
            Some(_) => {
                let problem = "the `seq` of an event, or its tenant's `last_seq`, is no number";
                Err(self.bad_row(operation, BadRow(problem.into())))
            }
        }
    }
}

impl Batch {
    /// The same batch, which also writes the events that report its change. The error names the
    /// field that is wrong.
    pub(super) fn with_events(self, events: Vec<NewEvent>) -> Result<Batch, String> {
        self.with_event_refs(events.iter().collect())
    }

    /// The same for borrowed events.
    pub(super) fn with_event_refs(mut self, events: Vec<&NewEvent>) -> Result<Batch, String> {
        self.has_events |= !events.is_empty();
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
        tenant: String::new(),
        seq: fields.int()?,
        at_ms: fields.int()?,
        kind: fields.text()?,
        subject: fields.text()?,
        data: fields.object()?,
    })
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, StatementStatus};

    use super::*;
    use crate::store::{OpenOptions, open};

    /// How many steps SQLite takes to prune a slice of so many events.
    async fn steps(events: i64) -> i32 {
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions { base_dir: Some(folder.path()), ..OpenOptions::default() };
        open("sqlite:agent.db", options).await.unwrap().close().await.unwrap();
        let connection = Connection::open(folder.path().join("agent.db")).unwrap();
        let fill = "WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?1) \
             INSERT INTO toolkeep_events SELECT 't', seq, 0, 'k', 's', '{}' FROM n";
        connection.execute(fill, [events]).unwrap();
        let mut prune = connection.prepare(PRUNE).unwrap();
        assert_eq!(prune.execute(("t", events, 100)).unwrap(), 100);
        prune.get_status(StatementStatus::VmStep)
    }

    #[tokio::test]
    async fn a_slice_takes_no_longer_when_there_are_more_events() {
        assert!(steps(20_000).await <= 2 * steps(200).await);
    }

    #[tokio::test]
    async fn every_slice_is_pruned_up_to_the_last() {
        let store = open("memory:", OpenOptions::default()).await.unwrap();
        let event = |n| NewEvent {
            tenant: "t".into(),
            at_ms: n,
            kind: "k",
            subject: "s".into(),
            data: serde_json::json!({}),
        };
        store.append_events((0..2 * PRUNED_AT_ONCE + 7).map(event).collect()).await.unwrap();
        assert_eq!(store.prune_events("t", Some(5), None).await.unwrap(), 2_002);
        assert_eq!(store.prune_events("t", Some(5), None).await.unwrap(), 0);
        let left = store.read_events("t", 0, 10).await.unwrap();
        assert_eq!(
            left.iter().map(|one| one.seq).collect::<Vec<_>>(),
            [2_003, 2_004, 2_005, 2_006, 2_007]
        );
    }
}
