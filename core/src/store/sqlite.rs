//! The SQLite driver: a file in WAL mode, or memory.
//!
//! One thread owns the connection that writes; up to two more, started when they are first
//! needed, read beside it. Memory has one connection, which the writer's thread uses for reads
//! too. The threads end when the driver is dropped, after the work that was already handed to
//! them, or in [`close`](Driver::close), which waits for it.
//!
//! Every access first sees that the names of the files still lead to those that were opened, and a write
//! that no newer toolkeep has changed the tables meanwhile.
//!
//! The write-ahead log has a reserve of the disk, so that a store goes on for a while, and is
//! closed in good order, after others have filled the disk.

mod access;
mod backup;
mod errors;
mod execute;
mod files;
mod forks;
mod open;
mod readers;
mod reserve;
mod worker;
mod writer;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use futures_util::FutureExt as _;
use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::driver::{Batch, Driver, Row, Statement, Written, stopped};
use super::{Error, Kind, StoreFuture};
use readers::Readers;
use worker::Job;
use writer::{Work, Writer};

/// How a SQLite store is opened.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    /// True if every acknowledged write must survive a power cut (`synchronous=FULL`). Otherwise it
    /// survives the death of the process, and a power cut after a second at the latest; a batch that is
    /// not [to be synced later](Batch::sync_later) survives one at once. Default: false.
    pub durable: bool,
    /// How long to wait for another process that holds the file, in milliseconds. Default: 5000.
    pub timeout_ms: u64,
}

impl Default for SqliteOptions {
    fn default() -> SqliteOptions {
        SqliteOptions { durable: false, timeout_ms: 5000 }
    }
}

/// A SQLite database as a [`Driver`].
#[derive(Debug)]
pub struct SqliteDriver {
    url: String,
    is_memory: bool,
    threads: Mutex<Option<Threads>>,
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct Threads {
    writer: writer::Queue,
    writer_ended: oneshot::Receiver<Result<(), Error>>,
    readers: Option<Readers>,
}

/// Where a database is, and all that opening a connection to it takes.
#[derive(Clone, Debug)]
struct Place {
    /// None for memory.
    path: Option<PathBuf>,
    url: String,
    options: SqliteOptions,
}

impl SqliteDriver {
    /// Opens a file, which is made if it does not exist, and brings its tables up to date.
    pub async fn open(path: PathBuf, options: SqliteOptions) -> Result<SqliteDriver, Error> {
        let url = format!("sqlite:{}", path.display());
        SqliteDriver::start(Place { path: Some(path), url, options }).await
    }

    /// Opens a database in memory, seen by nobody else and gone when the driver is dropped.
    pub async fn open_memory(options: SqliteOptions) -> Result<SqliteDriver, Error> {
        SqliteDriver::start(Place { path: None, url: "memory:".into(), options }).await
    }

    async fn start(place: Place) -> Result<SqliteDriver, Error> {
        forks::prepare();
        let (writer, queue) = mpsc::channel();
        let changes = watch::Sender::new(0);
        let (report_opened, opened) = oneshot::channel();
        let (report_ended, writer_ended) = oneshot::channel();
        let (at, changes_for_writer) = (place.clone(), changes.clone());
        worker::spawn(&place.url, "toolkeep-store", move || match open::open(&at) {
            Ok(opened) => {
                let files = opened.disk.as_ref().map(|disk| disk.files.clone());
                let _ = report_opened.send(Ok(files));
                Writer::new(&opened, &at, &changes_for_writer).serve_all(&queue);
                let _ = report_ended.send(worker::finish(opened, &at.url));
            }
            Err(error) => {
                let _ = report_opened.send(Err(error));
            }
        })?;
        let files = opened.await.unwrap_or_else(|_| Err(stopped(&place.url)))?;
        let url = place.url.clone();
        let is_memory = place.path.is_none();
        let readers = files.map(|files| Readers::new(place, files));
        let threads = Mutex::new(Some(Threads { writer, writer_ended, readers }));
        Ok(SqliteDriver { url, is_memory, threads, changes })
    }

    fn threads(&self) -> MutexGuard<'_, Option<Threads>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands work to a thread and waits for its answer. When the thread is gone the work is
    /// dropped with its sender, which ends the wait.
    async fn ask<T: Send + 'static>(
        &self,
        reads: bool,
        work: impl FnOnce(&Connection) -> Result<T, rusqlite::Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let url = self.url.clone();
        let job: Job = Box::new(move |connection| {
            // A read that nobody waits for is not worth doing; a write is done all the same.
            if reads && reply.is_closed() {
                return;
            }
            let result = connection
                .and_then(|connection| work(connection).map_err(|e| errors::from_sqlite(&url, e)));
            let _ = reply.send(result);
        });
        match self.threads().as_mut() {
            None => return Err(closed(&self.url)),
            Some(Threads { readers: Some(readers), .. }) if reads => readers.send(job)?,
            Some(threads) => {
                let _ = threads.writer.send(Work::Other(job));
            }
        }
        answer.await.unwrap_or_else(|_| Err(stopped(&self.url)))
    }
}

impl Driver for SqliteDriver {
    fn read(&self, statement: Statement) -> StoreFuture<'_, Vec<Row>> {
        self.ask(true, move |connection| execute::read(connection, &statement)).boxed()
    }

    fn write(&self, batch: Batch) -> StoreFuture<'_, Written> {
        async move {
            let (reply, answer) = oneshot::channel();
            match self.threads().as_ref() {
                None => return Err(closed(&self.url)),
                Some(threads) => drop(threads.writer.send(Work::write(batch, reply))),
            }
            answer.await.unwrap_or_else(|_| Err(stopped(&self.url)))
        }
        .boxed()
    }

    fn backup(&self, to: PathBuf) -> StoreFuture<'_, ()> {
        let url = self.url.clone();
        async move {
            self.ask(true, move |connection| Ok(backup::copy(connection, &to, &url))).await?
        }
        .boxed()
    }

    fn integrity(&self) -> StoreFuture<'_, Option<Vec<String>>> {
        self.ask(true, |connection| execute::integrity(connection).map(Some)).boxed()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn url(&self) -> String {
        self.url.clone()
    }

    fn is_private(&self) -> bool {
        self.is_memory
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        async move {
            let Some(Threads { writer, writer_ended, readers }) = self.threads().take() else {
                return Ok(());
            };
            // The readers go first: their connections would keep the writer from tidying up.
            if let Some(readers) = readers {
                readers.end().await;
            }
            drop(writer);
            writer_ended.await.unwrap_or_else(|_| Err(stopped(&self.url)))
        }
        .boxed()
    }
}

fn closed(url: &str) -> Error {
    Error::new(Kind::Closed, url, "the store is closed; open it again to go on")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::driver::Value;

    async fn answers(driver: &SqliteDriver) {
        let rows = driver.read(Statement::new("SELECT 1", vec![])).await.unwrap();
        assert_eq!(rows.len(), 1);
    }

    #[tokio::test]
    async fn a_panic_on_a_thread_of_the_store_is_an_error_and_not_a_hang() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.db");
        let file = SqliteDriver::open(path, SqliteOptions::default()).await.unwrap();
        let memory = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
        for driver in [&file, &memory] {
            for reads in [false, true, true, true] {
                let result: Result<(), Error> = driver.ask(reads, |_| panic!("on purpose")).await;
                assert_eq!(result.unwrap_err().kind(), Kind::Unavailable);
                answers(driver).await;
            }
            driver.close().await.unwrap();
        }
    }

    #[tokio::test]
    async fn closing_finishes_the_writes_that_were_begun() {
        let driver = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
        let sql = "INSERT INTO toolkeep_event_counters VALUES (?1, 1)";
        let write = |n: i64| driver.write(Statement::new(sql, vec![n.to_string().into()]).into());
        let writes = futures_util::future::join_all((0..50).map(write));
        let (written, closed) = futures_util::join!(writes, driver.close());
        closed.unwrap();
        assert!(written.iter().all(Result::is_ok));
    }

    /// Writes batches that are all in the queue before the first is begun.
    async fn write_at_once(
        driver: &SqliteDriver,
        batches: impl Iterator<Item = Batch>,
    ) -> Vec<Result<Written, Error>> {
        let (go, gone) = mpsc::channel();
        let busy = driver.ask(false, move |_| {
            gone.recv().unwrap();
            Ok(())
        });
        let writes = futures_util::future::join_all(batches.map(|batch| driver.write(batch)));
        let go = async move { go.send(()).unwrap() };
        let (busy, written, ()) = futures_util::join!(busy, writes, go);
        busy.unwrap();
        written
    }

    #[tokio::test]
    async fn whoever_waits_for_a_locked_file_in_the_queue_does_not_wait_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.db");
        let options = SqliteOptions { timeout_ms: 1000, ..SqliteOptions::default() };
        let driver = SqliteDriver::open(path.clone(), options).await.unwrap();
        let holder = Connection::open(path).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let sql = "INSERT INTO toolkeep_event_counters VALUES (?1, 1)";
        let batch = |n: i64| Batch::from(Statement::new(sql, vec![n.to_string().into()]));
        let began = std::time::Instant::now();
        let written = write_at_once(&driver, (0..1000).map(batch)).await;
        // Four groups would wait for four seconds, one after another.
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        assert!(written.iter().all(|it| it.as_ref().unwrap_err().kind() == Kind::Locked));
        holder.execute_batch("ROLLBACK").unwrap();
        driver.write(batch(1)).await.unwrap();
    }

    #[tokio::test]
    async fn batches_that_are_committed_together_fail_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.db");
        let options = SqliteOptions { durable: true, ..SqliteOptions::default() };
        let driver = SqliteDriver::open(path, options).await.unwrap();
        let sql = "INSERT INTO toolkeep_event_counters VALUES (?1, 1)";
        let insert = |n: i64| Statement::new(sql, vec![n.to_string().into()]);
        let none = "UPDATE toolkeep_event_counters SET last_seq = 2 WHERE tenant = 'nobody'";
        // Every third batch inserts and then fails its condition, every fifth is in itself wrong.
        let batch = |n: i64| match n {
            _ if n % 3 == 0 => {
                Batch::new(vec![insert(n), Statement::new(none, vec![]).must_change()])
            }
            _ if n % 5 == 0 => Batch::new(vec![insert(n), insert(n)]),
            _ => Batch::new(vec![insert(n), Statement::new("SELECT 1", vec![])]),
        };
        let log_bytes = || folder.path().join("agent.db-wal").metadata().unwrap().len();
        let before = log_bytes();
        let written = write_at_once(&driver, (0..100).map(batch)).await;
        // One transaction writes a page once; 53 would write it 53 times.
        assert!(log_bytes() - before < 20 * 4096, "{}", log_bytes() - before);
        for (n, written) in written.iter().enumerate() {
            match written {
                Ok(Written::ConditionFailed { statement: 1 }) => assert_eq!(n % 3, 0),
                Ok(Written::Done(outcomes)) => {
                    assert!(n % 3 != 0 && n % 5 != 0);
                    assert_eq!(outcomes.len(), 2);
                }
                Err(error) => {
                    assert_eq!((n % 5, error.kind()), (0, Kind::Conflict));
                }
                other => panic!("{n}: {other:?}"),
            }
        }
        let count = "SELECT COUNT(*) FROM toolkeep_event_counters";
        let rows = driver.read(Statement::new(count, vec![])).await.unwrap();
        assert_eq!(rows, [Row(vec![Value::Int(53)])]);
    }

    #[tokio::test]
    async fn dropping_the_driver_ends_its_threads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.db");
        let driver = SqliteDriver::open(path, SqliteOptions::default()).await.unwrap();
        answers(&driver).await;
        let Some(threads) = driver.threads().take() else { panic!("closed") };
        let Threads { writer, writer_ended, readers } = threads;
        drop((writer, driver));
        readers.unwrap().end().await;
        writer_ended.await.unwrap().unwrap();
    }
}
