//! What a database must be able to do to carry a [`SqlStore`](super::SqlStore).
//!
//! A driver runs statements; it knows no domain. The SQL it is given keeps to what SQLite (3.39
//! and later) and PostgreSQL (15 and later) both understand:
//!
//! - placeholders are numbered, `?1`, `?2`, …; a driver whose database spells them differently
//!   rewrites them (no statement has a `?` in any other place);
//! - a placeholder whose type does not follow from a column next to it stands in a
//!   `CAST(?1 AS TEXT)` or `CAST(?1 AS BIGINT)`;
//! - a statement that only reads begins with `SELECT`, and a sum in it stands in a
//!   `CAST(SUM(…) AS BIGINT)`;
//! - transactions are read-committed: each statement sees what others committed before it began,
//!   so a batch that reads before it writes needs a lock, or a condition in the write itself;
//! - whole numbers are 64 bits wide, text is UTF-8 without NUL and compares byte by byte, times
//!   are milliseconds since 1970-01-01T00:00:00Z, truth is 0 or 1;
//! - SQL is always a constant of the program, so no value can become part of it.

use std::path::PathBuf;

use tokio::sync::watch;

use super::{Error, StoreFuture};

/// A value on its way into or out of a database.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// Text without NUL.
    Text(String),
    /// Any bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// How many bytes the value's content has.
    pub(super) fn size(&self) -> usize {
        match self {
            Value::Null | Value::Int(_) | Value::Real(_) => 8,
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Int(value.into())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Int(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Value {
        Value::Bytes(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// One SQL statement with its values.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The SQL, with placeholders `?1`, `?2`, ….
    pub sql: &'static str,
    /// The values of the placeholders, `?1` first.
    pub params: Vec<Value>,
    /// True if the whole batch is to be undone when this statement changes no row.
    pub require_change: bool,
}

impl Statement {
    /// A statement that may change any number of rows, or none.
    pub fn new(sql: &'static str, params: Vec<Value>) -> Statement {
        Statement { sql, params, require_change: false }
    }

    /// The same statement, undoing its batch when it changes no row: this is how a condition in
    /// its `WHERE` guards everything that is written with it.
    pub fn must_change(mut self) -> Statement {
        self.require_change = true;
        self
    }
}

/// Statements that are written together in one transaction, in order, all or nothing.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The statements. Some may only read: they see what the earlier ones wrote.
    pub statements: Vec<Statement>,
    /// Batches with the same lock run one after another, across all processes. SQLite has only
    /// one writer at a time and needs nothing for it; PostgreSQL takes an advisory lock of the
    /// transaction.
    pub lock: Option<String>,
    /// True if the batch writes events: the driver then notifies other processes, if the database
    /// can.
    pub has_events: bool,
    /// True if a power cut in the next second may undo the batch even though it was acknowledged,
    /// unless the store is durable: for what comes with every call or message. What gives or takes a
    /// right (rules, approvals, grants, credentials, leases) must never be forgotten.
    pub sync_later: bool,
}

impl Batch {
    /// A batch without a lock.
    pub fn new(statements: Vec<Statement>) -> Batch {
        Batch { statements, lock: None, has_events: false, sync_later: false }
    }

    /// The same batch under a lock.
    pub fn locked(mut self, lock: String) -> Batch {
        self.lock = Some(lock);
        self
    }

    /// The same batch, which a power cut in the next second may undo.
    pub fn synced_later(mut self) -> Batch {
        self.sync_later = true;
        self
    }
}

impl From<Statement> for Batch {
    fn from(statement: Statement) -> Batch {
        Batch::new(vec![statement])
    }
}

/// A row of an answer: its values in the order of the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Vec<Value>);

/// What one statement of a batch did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The rows it returned (`SELECT`, `RETURNING`).
    pub rows: Vec<Row>,
    /// How many rows it inserted, updated or deleted.
    pub changed: u64,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// All of it was written: one outcome for each statement.
    Done(Vec<Outcome>),
    /// Nothing was written, because a statement that had to change a row changed none.
    ConditionFailed {
        /// The place of that statement in the batch.
        statement: usize,
    },
}

/// A database that runs statements.
pub trait Driver: Send + Sync + 'static {
    /// Runs one statement that only reads. It sees every write that was answered before.
    fn read(&self, statement: Statement) -> StoreFuture<'_, Vec<Row>>;

    /// Runs a batch in one transaction. A write that has begun is finished even when the future
    /// is dropped.
    fn write(&self, batch: Batch) -> StoreFuture<'_, Written>;

    /// Copies the whole database, as it is at one moment, to a file that does not exist yet.
    fn backup(&self, to: PathBuf) -> StoreFuture<'_, ()> {
        let message = format!(
            "a backup to `{}` is not possible: the database is no file; use its server's own \
             tools, such as pg_dump",
            to.display()
        );
        let error = Error::new(super::Kind::Unsupported, self.url(), message);
        Box::pin(async { Err(error) })
    }

    /// What the database finds wrong with its own pages and indexes. None if it has no check that can be
    /// asked for like this.
    fn integrity(&self) -> StoreFuture<'_, Option<Vec<String>>> {
        Box::pin(async { Ok(None) })
    }

    /// Ticks after every write of this driver, and after those of other processes that the
    /// database notifies of. A tick is a hint to look again: some may be missed.
    fn changes(&self) -> watch::Receiver<u64>;

    /// The URL of the database, without any password.
    fn url(&self) -> String;

    /// True if the database was empty when it was opened and this driver alone can write it. Then
    /// what was never written through it is not there, and need not be looked for.
    fn is_private(&self) -> bool {
        false
    }

    /// Finishes what was begun and lets go of files, threads and connections.
    fn close(&self) -> StoreFuture<'_, ()>;
}

/// What a driver gives when its answer was lost: the thread or connection that had the work is
/// gone.
pub(super) fn stopped(url: &str) -> Error {
    Error::new(
        super::Kind::Unavailable,
        url,
        "the work was lost because its thread stopped; whether it was written is not known. \
         Open the store again",
    )
}
