//! The thread that writes: what waits in its queue is committed together.
//!
//! A commit of a durable store waits for the disk. While it does, more writes arrive; they become
//! one transaction, each in a savepoint of its own, so that one disk sync serves them all and a
//! condition that fails undoes only its own batch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{oneshot, watch};

use super::errors::from_sqlite;
use super::execute;
use super::worker::{Job, serve};
use crate::store::Error;
use crate::store::driver::{Batch, Written};

/// How many batches become one transaction at most.
const TOGETHER: usize = 256;

/// What the writer's thread is given.
pub(super) enum Work {
    /// A batch, and where its answer goes.
    Write(Batch, Reply),
    /// Something else that needs the connection.
    Other(Job),
}

pub(super) type Reply = oneshot::Sender<Result<Written, Error>>;
pub(super) type Queue = Sender<Work>;

type Result<T, E = rusqlite::Error> = std::result::Result<T, E>;

/// Does the work until every sender of the queue is gone.
pub(super) fn serve_all(
    connection: &Connection,
    url: &str,
    queue: &Receiver<Work>,
    changes: &watch::Sender<u64>,
) {
    let mut held = None;
    while let Some(work) = held.take().or_else(|| queue.recv().ok()) {
        match work {
            Work::Other(job) => serve(Ok(connection), job),
            Work::Write(batch, reply) => {
                let mut group = vec![(batch, reply)];
                while group.len() < TOGETHER {
                    match queue.try_recv() {
                        Ok(Work::Write(batch, reply)) => group.push((batch, reply)),
                        Ok(other) => {
                            held = Some(other);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                // A panic drops the replies, which tells whoever waits; the transaction was
                // rolled back while the stack unwound.
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    write(connection, url, group, changes);
                }));
            }
        }
    }
}

fn write(
    connection: &Connection,
    url: &str,
    group: Vec<(Batch, Reply)>,
    changes: &watch::Sender<u64>,
) {
    let alone = group.len() == 1;
    let mut together = Vec::new().into_iter();
    if !alone {
        match begin(connection) {
            Ok(transaction) => {
                // What could not be written together is undone, so each may try alone.
                let written = write_together(transaction, &group).unwrap_or_default();
                together = written.into_iter();
            }
            // Each would wait as long again, one after another.
            Err(error) => return refuse(group, &from_sqlite(url, error)),
        }
    }
    for (batch, reply) in group {
        let written = match together.next() {
            Some(written) => Ok(written),
            None => execute::write(connection, &batch).map_err(|error| from_sqlite(url, error)),
        };
        if matches!(written, Ok(Written::Done(_))) {
            changes.send_modify(|count| *count = count.wrapping_add(1));
        }
        let _ = reply.send(written);
    }
}

fn begin(connection: &Connection) -> Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

/// Writes all batches in one transaction, or none.
fn write_together(transaction: Transaction<'_>, group: &[(Batch, Reply)]) -> Result<Vec<Written>> {
    let written = group
        .iter()
        .map(|(batch, _)| execute::write_nested(&transaction, batch))
        .collect::<Result<Vec<_>>>()?;
    transaction.commit()?;
    Ok(written)
}

fn refuse(group: Vec<(Batch, Reply)>, error: &Error) {
    for (_, reply) in group {
        let _ = reply.send(Err(error.again()));
    }
}
