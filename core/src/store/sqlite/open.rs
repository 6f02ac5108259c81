//! Opens a database: checks that it is one of ours before changing anything, then brings its tables up to
//! date.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::access::{self, wrong_place};
use super::errors::from_sqlite;
use super::files::{Files, Identity, log_of};
use super::{Place, reserve};
use crate::clock::{Clock as _, SystemClock};
use crate::store::migrate::{self, NEWEST, SCHEMA_TABLE};
use crate::store::{Error, Kind};

/// How many prepared statements each connection keeps.
const CACHED_STATEMENTS: usize = 64;

/// A database that is open for writing.
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// None for memory.
    pub(super) disk: Option<Disk>,
}

/// What an open database has on the disk.
#[derive(Debug)]
pub(super) struct Disk {
    pub(super) files: Arc<Files>,
    /// The write-ahead log. SQLite has no locks on it that closing this would give up.
    pub(super) log: File,
}

/// Opens the connection that writes.
pub(super) fn open(place: &Place) -> Result<Opened, Error> {
    let Some(path) = &place.path else {
        let connection = in_memory().map_err(|error| from_sqlite(&place.url, error))?;
        prepare(&connection, place)?;
        return Ok(Opened { connection, disk: None });
    };
    access::check(path, &place.url)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = connect(path, flags, place)?;
    // At once: later the name may lead to another file.
    let database = Identity::of(path, &place.url)?;
    prepare(&connection, place)?;
    let disk = Disk::of(database, path, &place.url)?;
    reserve::take(&disk.log);
    Ok(Opened { connection, disk: Some(disk) })
}

fn prepare(connection: &Connection, place: &Place) -> Result<(), Error> {
    // SQLite quietly falls back to reading when it may not write.
    if connection.is_readonly("main").map_err(|error| from_sqlite(&place.url, error))? {
        return Err(access::read_only(&place.url));
    }
    // Before anything is written: another application's file must stay as it is.
    found_version(connection, &place.url)?;
    set_up(connection, place)?;
    migrate(connection, &place.url)
}

impl Disk {
    fn of(database: Identity, path: &Path, url: &str) -> Result<Disk, Error> {
        // SQLite follows links, and has its log beside the file itself.
        let really = fs::canonicalize(path).map_err(|error| log_unseen(path, error, url))?;
        let log = log_of(&really);
        let file = OpenOptions::new().write(true).open(&log);
        let file = file.map_err(|error| log_unseen(&log, error, url))?;
        Ok(Disk { files: Arc::new(Files::opened(database, &really, url)?), log: file })
    }
}

fn log_unseen(path: &Path, error: io::Error, url: &str) -> Error {
    let message = format!(
        "`{}` cannot be opened ({error}) although SQLite did so; see that nobody deletes or moves the files          of the store, and open it again",
        path.display()
    );
    wrong_place(url, message).with_source(error)
}

/// A connection that only reads.
pub(super) fn open_reader(place: &Place) -> Result<Connection, Error> {
    let Some(path) = &place.path else {
        return Err(wrong_place(&place.url, "a store in memory has no second connection".into()));
    };
    access::check(path, &place.url)?;
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, place)
}

/// Every page of a store in memory is allocated by itself. With the 4 KiB that are usual the allocator
/// of glibc asks the system for memory for each, which makes long bodies five times as slow.
const PAGE_BYTES_IN_MEMORY: i64 = 16 * 1024;

fn in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "page_size", PAGE_BYTES_IN_MEMORY)?;
    keep_statements(&connection)?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags, place: &Place) -> Result<Connection, Error> {
    let open = || {
        let connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // SQLite counts the milliseconds in 32 bits.
        let most = i32::MAX.unsigned_abs().into();
        connection.busy_timeout(Duration::from_millis(place.options.timeout_ms.min(most)))?;
        keep_statements(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| from_sqlite(&place.url, error))
}

/// Has statements parsed and planned once. By itself SQLite plans one anew for every value that an index
/// is asked for, to guess how many rows there are: that takes longer than to find the row, and our plans do
/// not depend on it (<https://sqlite.org/qpsg.html>).
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn set_up(connection: &Connection, place: &Place) -> Result<(), Error> {
    let set = || {
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        let synchronous = if place.options.durable { "FULL" } else { "NORMAL" };
        connection.pragma_update(None, "synchronous", synchronous)?;
        match place.path {
            Some(_) => use_wal(connection, place.options.timeout_ms),
            None => Ok("memory".into()),
        }
    };
    let mode = set().map_err(|error| from_sqlite(&place.url, error))?;
    if place.path.is_some() && mode != "wal" {
        let message = format!(
            "the file system allows no write-ahead log (journal mode stays `{mode}`); put the \
             file on a local disk"
        );
        return Err(wrong_place(&place.url, message));
    }
    Ok(())
}

/// Changing the journal mode needs the file alone, and SQLite does not wait for that by itself.
fn use_wal(connection: &Connection, wait_ms: u64) -> rusqlite::Result<String> {
    let deadline = Instant::now() + Duration::from_millis(wait_ms);
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

/// Applies what is pending in one transaction.
fn migrate(connection: &Connection, url: &str) -> Result<(), Error> {
    let sqlite = |error| from_sqlite(url, error);
    let transaction =
        Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(sqlite)?;
    // Once more, now that nobody else can change it.
    let found = found_version(&transaction, url)?;
    for migration in migrate::pending(found).ok_or_else(|| newer(found, url))? {
        transaction.execute_batch(&migration.sql(&migrate::SQLITE)).map_err(sqlite)?;
        let record = "INSERT INTO toolkeep_schema (version, applied_at_ms) VALUES (?1, ?2)";
        transaction.execute(record, (migration.version, SystemClock.now_ms())).map_err(sqlite)?;
    }
    transaction.commit().map_err(sqlite)
}

/// The version of the tables; 0 for an empty database.
fn found_version(connection: &Connection, url: &str) -> Result<i64, Error> {
    let tables = table_names(connection).map_err(|error| from_sqlite(url, error))?;
    if tables.is_empty() {
        return Ok(0);
    }
    if !tables.iter().any(|table| table == SCHEMA_TABLE) {
        let some = tables.iter().take(3).map(String::as_str).collect::<Vec<_>>().join("`, `");
        let message = format!(
            "the file is another application's database (it has the table `{some}`); take \
             another file"
        );
        return Err(wrong_place(url, message));
    }
    known_version(connection, url)
}

/// The version of tables that are there.
///
/// # Errors
///
/// [`Kind::Newer`] if a newer toolkeep has changed them.
pub(super) fn known_version(connection: &Connection, url: &str) -> Result<i64, Error> {
    let version: Option<i64> = connection
        .query_row("SELECT MAX(version) FROM toolkeep_schema", [], |row| row.get(0))
        .map_err(|error| from_sqlite(url, error))?;
    match version {
        Some(version) if version > NEWEST => Err(newer(version, url)),
        Some(version) if version > 0 => Ok(version),
        _ => Err(Error::new(
            Kind::Corrupt,
            url,
            "the table `toolkeep_schema` names no version; restore a backup or take another file",
        )),
    }
}

fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') \
               AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn newer(found: i64, url: &str) -> Error {
    let message = format!(
        "the store has schema version {found} and this toolkeep knows up to {NEWEST}; use the \
         newer toolkeep or another store"
    );
    Error::new(Kind::Newer, url, message)
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_statement_is_planned_once_whatever_values_it_gets() {
        let folder = tempfile::tempdir().unwrap();
        for path in [None, Some(folder.path().join("store"))] {
            let options = crate::store::SqliteOptions::default();
            let Opened { connection, .. } =
                open(&Place { path, url: "sqlite:".into(), options }).unwrap();
            let replanned = || {
                let sql = "SELECT holder FROM toolkeep_leases WHERE tenant = ?1 AND name > ?2";
                let mut statement = connection.prepare_cached(sql).unwrap();
                for name in ["a", "b", "c"] {
                    assert!(!statement.exists(("t", name)).unwrap());
                }
                statement.reset_status(StatementStatus::RePrepare)
            };
            assert_eq!(replanned(), 0);
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, false).unwrap();
            assert_ne!(replanned(), 0, "this SQLite plans anew by itself");
        }
    }
}
