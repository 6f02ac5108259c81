//! Seeing that a database is fit, and bringing its tables up to date.

use std::time::Duration;

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error as PgError};

use super::errors::from_postgres;
use crate::clock::{Clock as _, SystemClock};
use crate::store::migrate::{self, NEWEST};
use crate::store::{Error, Kind};

/// How long a change of the tables may take; waiting for the server alone is bounded by the
/// store's own timeout.
pub(super) const MIGRATE_WITHIN: Duration = Duration::from_secs(300);

/// The oldest server that this driver works with, as `server_version_num` spells it: PostgreSQL 15.
const OLDEST_SERVER: i64 = 150_000;

const LOOK: &str = "SELECT current_setting('server_version_num')::bigint, \
     current_setting('server_encoding')::text, current_schema()::text, \
     pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean, \
     (SELECT c.oid::bigint FROM pg_catalog.pg_class c WHERE c.relname = 'toolkeep_schema' \
      AND c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n \
                            WHERE n.nspname = current_schema()))";

/// The version of the tables.
pub(super) const VERSION: &str = "SELECT MAX(version) FROM toolkeep_schema";

/// What a database is before it is touched.
pub(super) struct Found {
    /// The table `toolkeep_schema` in the first schema of the search path, if it is there.
    pub(super) schema: Option<i64>,
    /// The version of the tables; 0 for none.
    version: i64,
}

impl Found {
    pub(super) fn is_up_to_date(&self) -> bool {
        self.version == NEWEST
    }
}

/// Looks at the server and at the version of the tables.
///
/// # Errors
///
/// [`Kind::Path`] for a server that is too old, another encoding or no schema,
/// [`Kind::ReadOnly`] for a standby, [`Kind::Newer`] for newer tables.
pub(super) async fn look(client: &Client, url: &str) -> Result<Found, Error> {
    let sql = |error| from_postgres(url, error);
    let rows = client.query_typed(LOOK, &[]).await.map_err(sql)?;
    let Some(row) = rows.first() else { return Err(unfit(url, "the server says nothing".into())) };
    let server: i64 = row.try_get(0).map_err(sql)?;
    if server < OLDEST_SERVER {
        let message = format!(
            "the server is PostgreSQL {}.{}; toolkeep needs 15 or later",
            server / 10_000,
            server % 10_000
        );
        return Err(unfit(url, message));
    }
    let encoding: String = row.try_get(1).map_err(sql)?;
    if encoding != "UTF8" {
        let message = format!(
            "the database holds text as {encoding}; make one with `createdb --encoding=UTF8 \
             --template=template0`"
        );
        return Err(unfit(url, message));
    }
    if row.try_get::<_, Option<String>>(2).map_err(sql)?.is_none() {
        let message = "the search_path names no schema that exists and may be used; make one, or \
             set another with `options=-csearch_path%3DNAME`";
        return Err(unfit(url, message.into()));
    }
    if row.try_get(3).map_err(sql)? {
        let message = "the server is a standby or was set to read only; connect to the primary";
        return Err(Error::new(Kind::ReadOnly, url, message));
    }
    let schema: Option<i64> = row.try_get(4).map_err(sql)?;
    let version = match schema {
        None => 0,
        Some(_) => version(client, url).await?,
    };
    Ok(Found { schema, version })
}

/// Applies what is pending in one transaction, one process at a time.
pub(super) async fn migrate(client: &Client, url: &str) -> Result<(), Error> {
    let sql = |error| from_postgres(url, error);
    // Others may be at it, and a large table may take its time.
    let begin = "BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; \
         SELECT pg_advisory_xact_lock(hashtextextended('toolkeep_schema', 0))";
    client.batch_execute(begin).await.map_err(sql)?;
    // Once more, now that nobody else can change it.
    let found = look(client, url).await?.version;
    for migration in migrate::pending(found).ok_or_else(|| newer(found, url))? {
        // What an older process added after the table was copied would be dropped with it.
        for table in migration.drops() {
            let lock = format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE");
            client.batch_execute(&lock).await.map_err(sql)?;
        }
        client.batch_execute(&migration.sql(&migrate::POSTGRES)).await.map_err(sql)?;
        record(client, migration.version).await.map_err(sql)?;
    }
    client.batch_execute("COMMIT").await.map_err(sql)
}

async fn record(client: &Client, version: i64) -> Result<(), PgError> {
    let record = "INSERT INTO toolkeep_schema (version, applied_at_ms) VALUES ($1, $2)";
    let now_ms = SystemClock.now_ms();
    let params: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
        [(&version, Type::INT8), (&now_ms, Type::INT8)];
    client.execute_typed(record, &params).await.map(drop)
}

async fn version(client: &Client, url: &str) -> Result<i64, Error> {
    let sql = |error| from_postgres(url, error);
    let rows = client.query_typed(VERSION, &[]).await.map_err(sql)?;
    let version: Option<i64> = match rows.first() {
        Some(row) => row.try_get(0).map_err(sql)?,
        None => None,
    };
    match version {
        Some(version) if version > NEWEST => Err(newer(version, url)),
        Some(version) if version > 0 => Ok(version),
        _ => Err(Error::new(
            Kind::Corrupt,
            url,
            "the table `toolkeep_schema` names no version; restore a backup or take another schema",
        )),
    }
}

pub(super) fn newer(found: i64, url: &str) -> Error {
    let message = format!(
        "the store has schema version {found} and this toolkeep knows up to {NEWEST}; use the \
         newer toolkeep or another store"
    );
    Error::new(Kind::Newer, url, message)
}

fn unfit(url: &str, message: String) -> Error {
    Error::new(Kind::Path, url, message)
}
