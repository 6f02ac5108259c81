//! Threads of the store, and the jobs that they do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::errors::from_sqlite;
use super::open::Opened;
use crate::store::{Error, Kind};

/// A piece of work, given the connection or the reason why there is none. It holds the sender of
/// its answer: dropping the job shows the waiter that there will be none.
pub(super) type Job = Box<dyn FnOnce(Result<&Connection, Error>) + Send>;

/// Starts a thread of the store.
pub(super) fn spawn(
    url: &str,
    name: &str,
    body: impl FnOnce() + Send + 'static,
) -> Result<(), Error> {
    thread::Builder::new().name(name.into()).spawn(body).map(drop).map_err(|error| {
        let message = format!("no thread can be started ({error}); end some and try again");
        Error::new(Kind::Unavailable, url, message).with_source(error)
    })
}

/// Does one job. A panic in it ends that job only: an open transaction was rolled back while the
/// stack unwound, and the job's sender is gone, so nobody goes on waiting.
pub(super) fn serve(connection: Result<&Connection, Error>, job: Job) {
    let _ = catch_unwind(AssertUnwindSafe(|| job(connection)));
}

/// Moves what is in the log into the file, as far as no other process is in the way, and closes. Where the
/// disk is full it stays in the log, and whoever opens the store next finds it there.
pub(super) fn finish(opened: Opened, url: &str) -> Result<(), Error> {
    let Opened { connection, disk } = opened;
    let there = disk.as_ref().map_or(Ok(()), |disk| disk.files.check());
    if there.is_ok() || disk.is_some_and(|disk| disk.files.log_is_only_gone()) {
        let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        match moved.map_err(|error| from_sqlite(url, error)) {
            Err(error) if error.kind() == Kind::Full => {
                tracing::warn!(url, "the disk is full, so what was written last stays in the log");
            }
            moved => moved?,
        }
    }
    if there.is_err() {
        // Otherwise SQLite would delete a log by its name, which another file may have by now.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .map_err(|error| from_sqlite(url, error))?;
    }
    connection.close().map_err(|(_, error)| from_sqlite(url, error))?;
    there
}
