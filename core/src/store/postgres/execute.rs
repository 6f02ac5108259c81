//! Running statements on a connection, in as few round trips as their safety allows.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{MaybeDone, maybe_done};
use futures_util::{TryStreamExt as _, pin_mut, poll};
use tokio_postgres::{Client, Error};

use super::connection::Connection;
use super::value::{Cell, Param};
use crate::store::driver::{Batch, Outcome, Row, Statement, Written};

/// The second argument keeps the locks of two schemas in one database apart.
const LOCK: &str = "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(?1, ?2))";

/// Opens a transaction that the server syncs before it acknowledges it. Replication that the server
/// waits for stays as it is.
const BEGIN_SYNCED: &str = "BEGIN; SELECT set_config('synchronous_commit', 'on', true) \
     WHERE current_setting('synchronous_commit') = 'off'";

/// Why a batch was not written.
pub(super) struct Fault {
    pub(super) error: Error,
    /// True if nobody knows any more whether the connection is in a transaction.
    pub(super) astray: bool,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault { error, astray: false }
    }
}

pub(super) async fn read(
    connection: &mut Connection,
    statement: &Statement,
) -> Result<Vec<Row>, Error> {
    let prepared = connection.prepare(statement.sql).await?;
    run(connection.client(), &prepared, statement).await.map(|outcome| outcome.rows)
}

/// Runs a batch. `committing` becomes true when something is sent that may make it last: an error
/// that comes before leaves nothing behind.
pub(super) async fn write(
    connection: &mut Connection,
    batch: &Batch,
    schema: i64,
    committing: &AtomicBool,
) -> Result<Written, Fault> {
    let mut prepared = Vec::with_capacity(batch.statements.len());
    for statement in &batch.statements {
        prepared.push(connection.prepare(statement.sql).await?);
    }
    if let ([statement], [prepared], None, true) =
        (batch.statements.as_slice(), prepared.as_slice(), &batch.lock, batch.sync_later)
    {
        committing.store(true, Ordering::Release);
        let outcome = run(connection.client(), prepared, statement).await?;
        return Ok(judged(batch, vec![outcome]));
    }
    let written = match begin(connection, batch, schema).await {
        Ok(()) => in_transaction(connection.client(), batch, &prepared, committing).await,
        Err(error) => Err(error),
    };
    match written {
        Ok(written) => Ok(written),
        // Does no harm if the server rolled back by itself.
        Err(error) => match connection.client().batch_execute("ROLLBACK").await {
            Ok(()) => Err(error.into()),
            Err(_) => Err(Fault { error, astray: true }),
        },
    }
}

/// Opens the transaction and takes its lock. This is a round trip of its own: statements that were
/// sent along would be written one by one if the transaction failed to open.
async fn begin(connection: &mut Connection, batch: &Batch, schema: i64) -> Result<(), Error> {
    let begin = if batch.sync_later { "BEGIN" } else { BEGIN_SYNCED };
    let Some(lock) = &batch.lock else { return connection.client().batch_execute(begin).await };
    let prepared = connection.prepare(LOCK).await?;
    let lock = Statement::new(LOCK, vec![lock.as_str().into(), schema.into()]);
    let client = connection.client();
    let (begun, locked) =
        futures_util::join!(client.batch_execute(begin), run(client, &prepared, &lock));
    begun.and(locked).map(drop)
}

/// Sends all statements at once, and `COMMIT` with them if none has a condition.
async fn in_transaction(
    client: &Client,
    batch: &Batch,
    prepared: &[tokio_postgres::Statement],
    committing: &AtomicBool,
) -> Result<Written, Error> {
    let mut running: Vec<_> = batch
        .statements
        .iter()
        .zip(prepared)
        .map(|(statement, prepared)| Box::pin(maybe_done(run(client, prepared, statement))))
        .collect();
    // The first look at each sends it, in order. One that cannot even be sent is done at once.
    let mut sent_all = true;
    for statement in &mut running {
        let _ = poll!(statement.as_mut());
        sent_all &= !matches!(**statement, MaybeDone::Done(Err(_)));
    }
    let conditional = batch.statements.iter().any(|statement| statement.require_change);
    let commit = async {
        committing.store(true, Ordering::Release);
        client.batch_execute("COMMIT").await
    };
    let commit = maybe_done(commit);
    pin_mut!(commit);
    if sent_all && !conditional {
        let _ = poll!(commit.as_mut());
    }
    let mut outcomes = Vec::with_capacity(running.len());
    let mut failed = None;
    for mut statement in running {
        statement.as_mut().await;
        match statement.as_mut().take_output() {
            Some(Ok(outcome)) if failed.is_none() => outcomes.push(outcome),
            // The ones after it only say that the transaction is over.
            Some(Err(error)) => failed = failed.or(Some(error)),
            Some(Ok(_)) | None => {}
        }
    }
    if let Some(error) = failed {
        // What came after a condition that did not hold was not meant to run.
        let written = judged(batch, outcomes);
        if matches!(written, Written::ConditionFailed { .. }) {
            client.batch_execute("ROLLBACK").await?;
            return Ok(written);
        }
        if committing.load(Ordering::Acquire) {
            commit.await;
        }
        return Err(error);
    }
    let written = judged(batch, outcomes);
    if matches!(written, Written::ConditionFailed { .. }) {
        client.batch_execute("ROLLBACK").await?;
        return Ok(written);
    }
    commit.as_mut().await;
    commit.take_output().unwrap_or(Ok(()))?;
    Ok(written)
}

fn judged(batch: &Batch, outcomes: Vec<Outcome>) -> Written {
    let failed = batch
        .statements
        .iter()
        .zip(&outcomes)
        .position(|(statement, outcome)| statement.require_change && outcome.changed == 0);
    match failed {
        Some(statement) => Written::ConditionFailed { statement },
        None => Written::Done(outcomes),
    }
}

async fn run(
    client: &Client,
    prepared: &tokio_postgres::Statement,
    statement: &Statement,
) -> Result<Outcome, Error> {
    let params = statement.params.iter().map(Param);
    let found = client.query_raw(prepared, params).await?;
    pin_mut!(found);
    let columns = prepared.columns().len();
    let mut rows = Vec::new();
    while let Some(row) = found.try_next().await? {
        // Collecting results would not know how many there will be.
        let mut values = Vec::with_capacity(columns);
        for index in 0..columns {
            values.push(row.try_get::<_, Cell>(index)?.0);
        }
        rows.push(Row(values));
    }
    // The server counts the rows of a `SELECT` here too.
    let reads = statement.sql.starts_with("SELECT");
    let changed = if reads { 0 } else { found.rows_affected().unwrap_or(0) };
    Ok(Outcome { rows, changed })
}
