//! The thread that writes: what waits in its queue is committed together.
//!
//! A commit of a durable store waits for the disk. While it does, more writes arrive; they become
//! one transaction, each in a savepoint of its own, so that one disk sync serves them all and a
//! condition or a statement that fails undoes only its own batch.
//!
//! Where the store is not durable, a commit does not wait for the disk. Then the log is synced before a
//! batch is acknowledged that a power cut must not undo, and within a second after any other.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{oneshot, watch};

use super::errors::from_sqlite;
use super::open::{Disk, Opened, known_version};
use super::worker::{Job, serve};
use super::{Place, execute};
use crate::store::driver::{Batch, Written};
use crate::store::{Error, Kind};

/// How many batches become one transaction at most.
const TOGETHER: usize = 256;

/// How long after a write the log is synced at the latest. The rest of a second is for the work that is
/// at hand by then.
const SYNC_AFTER: Duration = Duration::from_millis(500);

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
    /// None for memory.
    disk: Option<&'a Disk>,
    place: &'a Place,
    changes: &'a watch::Sender<u64>,
    /// When a wait last ended in vain, and its error.
    locked: Option<(Instant, Error)>,
    /// When the first write was committed that may not be on the disk yet.
    unsynced: Option<Instant>,
    /// Changes with each commit of another connection.
    data_version: Option<i64>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        opened: &'a Opened,
        place: &'a Place,
        changes: &'a watch::Sender<u64>,
    ) -> Writer<'a> {
        let Opened { connection, disk } = opened;
        let disk = disk.as_ref();
        let (locked, unsynced, data_version) = (None, None, None);
        Writer { connection, disk, place, changes, locked, unsynced, data_version }
    }

    /// Does the work until every sender of the queue is gone.
    pub(super) fn serve_all(&mut self, queue: &Receiver<Work>) {
        let mut held = None;
        while let Some(work) = held.take().or_else(|| self.next(queue)) {
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
                    // A panic drops the replies, which the waiters notice; the transaction was
                    // rolled back while the stack unwound.
                    let _ = catch_unwind(AssertUnwindSafe(|| self.write_group(group)));
                }
            }
        }
    }

    /// The next work. What is not on the disk yet is synced when its time has come.
    fn next(&mut self, queue: &Receiver<Work>) -> Option<Work> {
        loop {
            let Some(since) = self.unsynced else { return queue.recv().ok() };
            let wait = SYNC_AFTER.saturating_sub(since.elapsed());
            if wait.is_zero() {
                if let Err(error) = self.sync() {
                    tracing::error!(%error, url = self.place.url, "the store could not be synced");
                }
                continue;
            }
            match queue.recv_timeout(wait) {
                Ok(work) => return Some(work),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn write_group(&mut self, group: Vec<Write>) {
        let group = self.refuse_overdue(group);
        if let Err(error) = self.check() {
            return self.refuse(group, &error);
        }
        let mut together = Vec::new().into_iter();
        if group.len() > 1 {
            match begin(self.connection) {
                Ok(transaction) => {
                    // What could not be written together is undone, so each may try alone.
                    let written = write_together(transaction, &group).unwrap_or_default();
                    let pairs = || group.iter().map(|write| &write.batch).zip(&written);
                    let must_sync = pairs()
                        .any(|(batch, one)| one.as_ref().is_ok_and(|one| must_sync(batch, one)));
                    if let Err(error) = self.keep(&written, must_sync) {
                        return self.refuse(group, &error);
                    }
                    together = written.into_iter();
                }
                // Each would wait as long again, one after another.
                Err(error) => {
                    let error = from_sqlite(&self.place.url, error);
                    return self.refuse(group, &error);
                }
            }
        }
        for Write { batch, reply, came } in group {
            let written = match (together.next(), self.overdue(came)) {
                (Some(written), _) => written.map_err(|error| from_sqlite(&self.place.url, error)),
                (None, Some(error)) => Err(error),
                (None, None) => self.write_alone(&batch),
            };
            self.answer(reply, written);
        }
    }

    fn write_alone(&mut self, batch: &Batch) -> Result<Written, Error> {
        let written = execute::write(self.connection, batch)
            .map_err(|error| from_sqlite(&self.place.url, error))?;
        let must_sync = must_sync(batch, &written);
        let written = [Ok(written)];
        self.keep(&written, must_sync)?;
        let [written] = written;
        written.map_err(|error: rusqlite::Error| from_sqlite(&self.place.url, error))
    }

    /// What must hold before anything is written.
    fn check(&mut self) -> Result<(), Error> {
        let Some(disk) = self.disk else { return Ok(()) };
        disk.files.check()?;
        let version = self
            .connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut ask| ask.query_row([], |row| row.get(0)))
            .map_err(|error| from_sqlite(&self.place.url, error))?;
        if self.data_version != Some(version) {
            // Others have written; it may have been a newer toolkeep, which changed the tables.
            known_version(self.connection, &self.place.url)?;
            self.data_version = Some(version);
        }
        Ok(())
    }

    /// What must hold before a commit is acknowledged.
    fn keep(&mut self, written: &[Result<Written>], must_sync: bool) -> Result<(), Error> {
        let Some(disk) = self.disk else { return Ok(()) };
        if !self.place.options.durable && written.iter().flatten().any(has_changed) {
            self.unsynced.get_or_insert_with(Instant::now);
            if must_sync {
                self.sync().map_err(|error| unsynced(&self.place.url, error))?;
            }
        }
        disk.files.check()
    }

    /// Has everything that was committed on the disk: first of all what is in the log and not in the file.
    fn sync(&mut self) -> io::Result<()> {
        self.unsynced = None;
        self.disk.map_or(Ok(()), |disk| disk.log.sync_data())
    }

    fn refuse(&mut self, group: Vec<Write>, error: &Error) {
        for Write { reply, .. } in group {
            self.answer(reply, Err(error.again()));
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
        (came <= *since && came.elapsed() >= self.wait()).then(|| error.again())
    }

    /// How long SQLite waits for another process that holds the file.
    fn wait(&self) -> Duration {
        Duration::from_millis(self.place.options.timeout_ms)
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

fn has_changed(written: &Written) -> bool {
    match written {
        Written::Done(outcomes) => outcomes.iter().any(|outcome| outcome.changed > 0),
        Written::ConditionFailed { .. } => false,
    }
}

fn must_sync(batch: &Batch, written: &Written) -> bool {
    !batch.sync_later && has_changed(written)
}

fn unsynced(url: &str, error: io::Error) -> Error {
    let message = format!(
        "it was written, but the disk did not confirm it ({error}), so a power cut may undo it; see to the          disk and read what is there"
    );
    Error::new(Kind::Unavailable, url, message).with_source(error)
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::{SqliteOptions, open};
    use super::*;
    use crate::store::driver::Statement;

    fn count(n: i64) -> Batch {
        let sql = "INSERT INTO toolkeep_event_counters VALUES (?1, 1)";
        Statement::new(sql, vec![n.to_string().into()]).into()
    }

    /// Gives a writer on a new file to `body`.
    fn with_writer(durable: bool, body: impl FnOnce(&mut Writer<'_>)) {
        let folder = tempfile::tempdir().unwrap();
        let path = Some(folder.path().join("agent.db"));
        let options = SqliteOptions { durable, ..SqliteOptions::default() };
        let place = Place { path, url: "sqlite:".into(), options };
        let opened = open::open(&place).unwrap();
        let changes = watch::Sender::new(0);
        body(&mut Writer::new(&opened, &place, &changes));
    }

    /// Writes batches together.
    fn write(writer: &mut Writer<'_>, batches: impl IntoIterator<Item = Batch>) {
        let (group, answers): (Vec<_>, Vec<_>) = batches
            .into_iter()
            .map(|batch| {
                let (reply, answer) = oneshot::channel();
                (Write { batch, reply, came: Instant::now() }, answer)
            })
            .unzip();
        writer.write_group(group);
        for mut answer in answers {
            answer.try_recv().unwrap().unwrap();
        }
    }

    #[test]
    fn what_must_not_be_forgotten_is_on_the_disk_when_it_is_acknowledged() {
        with_writer(false, |writer| {
            write(writer, [count(1).synced_later()]);
            assert!(writer.unsynced.is_some());
            write(writer, [count(2)]);
            assert!(writer.unsynced.is_none(), "what came before is synced with it");
            write(writer, [count(3).synced_later(), count(4).synced_later()]);
            assert!(writer.unsynced.is_some());
            write(writer, [count(5).synced_later(), count(6)]);
            assert!(writer.unsynced.is_none());
        });
    }

    #[test]
    fn what_changes_nothing_waits_for_no_disk() {
        with_writer(false, |writer| {
            let nobody = "DELETE FROM toolkeep_event_counters WHERE tenant = 'nobody'";
            write(writer, [count(1).synced_later()]);
            write(writer, [Statement::new(nobody, vec![]).into()]);
            write(writer, [Statement::new(nobody, vec![]).must_change().into()]);
            assert!(writer.unsynced.is_some());
        });
    }

    #[test]
    fn a_durable_store_has_nothing_left_to_sync() {
        with_writer(true, |writer| {
            write(writer, [count(1).synced_later()]);
            write(writer, [count(2)]);
            assert!(writer.unsynced.is_none());
        });
    }

    #[test]
    fn what_was_written_is_synced_while_nothing_more_comes() {
        with_writer(false, |writer| {
            let (sender, queue) = mpsc::channel::<Work>();
            write(writer, [count(1).synced_later()]);
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(SYNC_AFTER * 2);
                    drop(sender);
                });
                assert!(writer.next(&queue).is_none());
            });
            assert!(writer.unsynced.is_none());
        });
    }

    #[test]
    fn a_failed_log_sync_is_reported_to_writes_that_must_be_durable() {
        let error = unsynced("sqlite:", io::Error::other("the disk is gone"));
        assert_eq!(error.kind(), Kind::Unavailable);
        assert!(error.to_string().contains("the disk is gone"), "{error}");
    }
}
