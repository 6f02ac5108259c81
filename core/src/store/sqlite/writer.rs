//! The thread that writes: what waits in its queue is committed together.
//!
//! A commit of a durable store waits for the disk. While it does, more writes arrive; they become
//! one transaction, each in a savepoint of its own, so that one disk sync serves them all and a
//! condition or a statement that fails undoes only its own batch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{oneshot, watch};

use super::errors::from_sqlite;
use super::execute;
use super::worker::{Job, serve};
use crate::store::driver::{Batch, Written};
use crate::store::{Error, Kind};

/// How many batches become one transaction at most.
const TOGETHER: usize = 256;

/// What the writer's thread is given.
pub(super) enum Work {
    /// A batch to be written.
    Write(Write),
    /// Something else that needs the connection.
    Other(Job),
}

/// A batch on its way.
pub(super) struct Write {
    batch: Batch,
    reply: Reply,
    came: Instant,
}

pub(super) type Reply = oneshot::Sender<Result<Written, Error>>;
pub(super) type Queue = Sender<Work>;

type Result<T, E = rusqlite::Error> = std::result::Result<T, E>;

impl Work {
    /// A batch that has come now, and where its answer goes.
    pub(super) fn write(batch: Batch, reply: Reply) -> Work {
        Work::Write(Write { batch, reply, came: Instant::now() })
    }
}

/// The connection that writes, and what it met last.
pub(super) struct Writer<'a> {
    connection: &'a Connection,
    url: &'a str,
    /// How long SQLite waits for another process that holds the file.
    wait: Duration,
    changes: &'a watch::Sender<u64>,
    /// When a wait last ended in vain, and its error.
    locked: Option<(Instant, Error)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        url: &'a str,
        wait: Duration,
        changes: &'a watch::Sender<u64>,
    ) -> Writer<'a> {
        Writer { connection, url, wait, changes, locked: None }
    }

    /// Does the work until every sender of the queue is gone.
    pub(super) fn serve_all(&mut self, queue: &Receiver<Work>) {
        let mut held = None;
        while let Some(work) = held.take().or_else(|| queue.recv().ok()) {
            match work {
                Work::Other(job) => serve(Ok(self.connection), job),
                Work::Write(write) => {
                    let mut group = vec![write];
                    while group.len() < TOGETHER {
                        match queue.try_recv() {
                            Ok(Work::Write(write)) => group.push(write),
                            Ok(other) => {
                                held = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    // A panic drops the replies, which tells whoever waits; the transaction was
                    // rolled back while the stack unwound.
                    let _ = catch_unwind(AssertUnwindSafe(|| self.write_group(group)));
                }
            }
        }
    }

    fn write_group(&mut self, mut group: Vec<Write>) {
        group = self.refuse_overdue(group);
        let mut together = Vec::new().into_iter();
        if group.len() > 1 {
            match begin(self.connection) {
                Ok(transaction) => {
                    // What could not be written together is undone, so each may try alone.
                    let written = write_together(transaction, &group).unwrap_or_default();
                    together = written.into_iter();
                }
                // Each would wait as long again, one after another.
                Err(error) => {
                    let error = from_sqlite(self.url, error);
                    for Write { reply, .. } in group {
                        self.answer(reply, Err(error.again()));
                    }
                    return;
                }
            }
        }
        for Write { batch, reply, came } in group {
            let written = match (together.next(), self.overdue(came)) {
                (Some(written), _) => written.map_err(|error| from_sqlite(self.url, error)),
                (None, Some(error)) => Err(error),
                (None, None) => execute::write(self.connection, &batch)
                    .map_err(|error| from_sqlite(self.url, error)),
            };
            self.answer(reply, written);
        }
    }

    /// Answers those that waited for a locked file long enough while they were queued. Each would
    /// begin a wait of its own otherwise.
    fn refuse_overdue(&self, group: Vec<Write>) -> Vec<Write> {
        let mut rest = Vec::with_capacity(group.len());
        for write in group {
            match self.overdue(write.came) {
                Some(error) => drop(write.reply.send(Err(error))),
                None => rest.push(write),
            }
        }
        rest
    }

    fn overdue(&self, came: Instant) -> Option<Error> {
        let (since, error) = self.locked.as_ref()?;
        (came <= *since && came.elapsed() >= self.wait).then(|| error.again())
    }

    fn answer(&mut self, reply: Reply, written: Result<Written, Error>) {
        match &written {
            Ok(Written::Done(_)) => {
                self.locked = None;
                self.changes.send_modify(|count| *count = count.wrapping_add(1));
            }
            Ok(Written::ConditionFailed { .. }) => self.locked = None,
            Err(error) if error.kind() == Kind::Locked => {
                self.locked = Some((Instant::now(), error.again()));
            }
            Err(_) => {}
        }
        let _ = reply.send(written);
    }
}

fn begin(connection: &Connection) -> Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

/// Writes in one transaction all batches that can be written, or none.
fn write_together(transaction: Transaction<'_>, group: &[Write]) -> Result<Vec<Result<Written>>> {
    let mut written = Vec::with_capacity(group.len());
    for Write { batch, .. } in group {
        written.push(match execute::write_nested(&transaction, batch) {
            Err(error) if is_of_statement(&error) && !transaction.is_autocommit() => {
                execute::undo_nested(&transaction)?;
                Err(error)
            }
            done => Ok(done?),
        });
    }
    transaction.commit()?;
    Ok(written)
}

/// True for errors that say something about a statement and nothing about the file.
fn is_of_statement(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(code) => matches!(
            code,
            ErrorCode::ConstraintViolation
                | ErrorCode::TooBig
                | ErrorCode::TypeMismatch
                | ErrorCode::ParameterOutOfRange
                | ErrorCode::Unknown
        ),
        None => true,
    }
}
