//! The store: where agents, audit rows, events, rate windows and artifacts are kept.
//!
//! The seam has two sides. A *domain* ([`Agents`], [`Audit`], [`Events`], [`RateBuckets`],
//! [`Artifacts`], …) is a small object-safe trait with its data types; [`Store`] joins them and is
//! all that the rest of toolkeep knows. Below, [`SqlStore`] implements every domain once, in SQL
//! that SQLite and PostgreSQL both understand, over a [`Driver`] that only runs statements.
//!
//! A URL chooses the store:
//!
//! | URL | what |
//! |---|---|
//! | `memory:` | in this process, gone when dropped; two of them never see each other |
//! | `sqlite:agent.db` | a file, shared by every process that opens it |
//! | `postgres://user@host/db` | a server, shared by many machines (feature `postgres`) |
//!
//! A host may implement [`Store`] over anything it likes; [`suite`] is the test suite that every
//! implementation must pass.
//!
//! Rules that hold for all of them: the tenant is part of every key; keys are 1 to 512 bytes of
//! UTF-8 without NUL and are checked before any driver sees them; a change and the events that
//! report it are written together or not at all; an error is never reported as "not found".
//!
//! # Where things are
//!
//! | what | files |
//! |---|---|
//! | a domain: its trait, its data, its statements | the file of its name: `agents`, `audit`, `approvals`, … |
//! | what domains share | `record` (versioned rows), `sql` (checks, transactions), `fields` and `json` (rows to values) |
//! | the tables | `migrations`, `migrate` (how they are applied), `layout` (as they are after all of them) |
//! | the drivers | `driver` (the contract), `sqlite`, `postgres` |
//! | the whole store | `check`, `transfer` and `archive` (export and import), `sealed_rows` |
//! | path locks | `path_locks`, with `path_overlap` and `path_automaton` for their globs |
//! | tests | `suite` (for every store), `tests` (for these two) |
//!
//! ```
//! use toolkeep::store::{self, OpenOptions, PutAgent};
//!
//! # async fn example() -> Result<(), store::Error> {
//! let store = store::open("memory:", OpenOptions::default()).await?;
//! let put = PutAgent { deny: vec!["exec".into()], ..PutAgent::new("default", "writer") };
//! let agent = store.put_agent(put, 0).await?;
//! assert_eq!(agent.version, 1);
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
//! ```

use std::sync::Arc;

use futures_util::future::BoxFuture;

mod agents;
mod approvals;
mod archive;
mod artifacts;
mod audit;
mod check;
mod context_files;
mod credentials;
mod custom_tools;
mod documents;
pub mod driver;
mod error;
mod events;
mod fields;
mod file_marks;
mod grants;
mod json;
mod layout;
mod leases;
mod marks;
pub mod migrate;
mod path_automaton;
mod path_locks;
mod path_overlap;
#[cfg(feature = "postgres")]
pub mod postgres;
mod rate_buckets;
mod record;
mod rules;
mod sealed_rows;
mod sessions;
mod sql;
pub mod sqlite;
pub mod suite;
mod temp_file;
mod transfer;
mod url;

#[cfg(test)]
mod tests;

pub use agents::{Agent, Agents, PutAgent};
pub use approvals::{Approval, ApprovalQuery, ApprovalState, Approvals, NewApproval, Verdict};
pub use archive::{Moved, export, import};
pub use artifacts::{Artifact, Artifacts};
pub use audit::{
    Audit, AuditQuery, AuditReport, AuditRow, ChainHead, ChainProblem, Decision, MOST_PROBLEMS,
    Phase, PruneAudit, PrunedAudit,
};
pub use check::StoreCheck;
pub use context_files::{
    ContextFile, ContextFileInfo, ContextFileKey, ContextFiles, PutContextFile,
};
pub use credentials::{Credential, CredentialInfo, CredentialKey, Credentials, PutCredential};
pub use custom_tools::{CustomTool, CustomToolKey, CustomTools, PutCustomTool, SealedCustomTool};
pub use documents::{Document, DocumentInfo, DocumentKey, Documents, ListDocuments, PutDocument};
pub use driver::Driver;
pub use error::{Error, Kind};
pub use events::Events;
pub use file_marks::{FileMark, FileMarks};
pub use grants::{Grant, GrantEffect, GrantKey, GrantPlace, Grants, ListGrants, PutGrant};
pub use leases::{Fence, Lease, Leases, MOST_LEASE_MS};
pub use marks::{Marks, SessionMark};
pub use path_locks::{
    MOST_PATH_LOCKS, MOST_PATTERNS, NewPathLock, PathClaim, PathConflict, PathLock, PathLocks,
};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresDriver, PostgresOptions, PostgresUrl};
pub use rate_buckets::{RateBuckets, Taken};
pub use rules::{ListRules, PutRule, Rule, RuleEffect, Rules};
pub use sealed_rows::SealedRows;
pub use sessions::{
    ListSessions, MOST_MESSAGES, NewMessage, PutSession, ReadMessages, Session, SessionInfo,
    SessionMessage, SessionPlace, SessionUsage, Sessions,
};
pub use sql::{MAX_BODY_BYTES, SqlStore};
pub use sqlite::{SqliteDriver, SqliteOptions};
pub use transfer::{ExportCursor, ExportPage, ExportRow, Transfer};
pub use url::{DEFAULT_TIMEOUT_MS, OpenOptions, StoreUrl};

/// What every call on a store gives: a future that must be awaited for anything to happen.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// All that toolkeep keeps, in one object.
pub trait Store:
    Agents
    + Approvals
    + Artifacts
    + Audit
    + ContextFiles
    + Credentials
    + CustomTools
    + Documents
    + Events
    + FileMarks
    + Grants
    + Leases
    + Marks
    + PathLocks
    + RateBuckets
    + Rules
    + SealedRows
    + Sessions
    + Transfer
    + Send
    + Sync
{
    /// The URL of the store, without any password. For people to read.
    fn url(&self) -> String;

    /// Looks for damage: the database's own check, each row, each ledger. Reads the whole store, beside
    /// writers. What is wrong is in the answer, as far as the store can be read at all.
    ///
    /// # Errors
    ///
    /// [`Kind::Unsupported`] by a store of a host's own that has no such check.
    fn check_integrity(&self) -> StoreFuture<'_, StoreCheck> {
        let message = "this store has no check; use its own tools";
        let error = Error::new(Kind::Unsupported, self.url(), message);
        Box::pin(async { Err(error) })
    }

    /// Finishes what was begun, then lets go of files, threads and connections. Calls made
    /// afterwards fail with [`Kind::Closed`]; closing again does nothing.
    fn close(&self) -> StoreFuture<'_, ()>;
}

/// Opens the store that a URL names and brings its tables up to date.
///
/// A `sqlite:` file that does not exist is created; its folder is not. The async thread is never
/// blocked: files are opened on the store's own thread. A `postgres:` store must be opened and used
/// within a tokio runtime with time and I/O.
///
/// # Errors
///
/// [`Kind::Path`] for a wrong URL, a folder, a missing folder, another application's database, a
/// login that is refused or a database that is missing; [`Kind::Unavailable`] and
/// [`Kind::Timeout`] if no server answers; [`Kind::Corrupt`], [`Kind::ReadOnly`], [`Kind::Locked`], [`Kind::Newer`], [`Kind::Full`] as
/// they say; [`Kind::Unsupported`] for a store that this build does not have.
pub async fn open(url: &str, options: OpenOptions<'_>) -> Result<Arc<dyn Store>, Error> {
    let OpenOptions { base_dir, durable, timeout_ms } = options;
    let sqlite = SqliteOptions { durable, timeout_ms };
    Ok(match StoreUrl::parse(url)? {
        StoreUrl::Memory => Arc::new(SqlStore::new(SqliteDriver::open_memory(sqlite).await?)),
        StoreUrl::Sqlite(path) => {
            let path = url::resolve(path, base_dir)?;
            Arc::new(SqlStore::new(SqliteDriver::open(path, sqlite).await?))
        }
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(url) => {
            let options = PostgresOptions { durable, timeout_ms };
            Arc::new(SqlStore::new(PostgresDriver::open(url.with_base(base_dir), options).await?))
        }
    })
}
