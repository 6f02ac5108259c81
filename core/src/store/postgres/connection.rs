//! One connection, how it is made, and the pool's view of it.

use std::collections::HashMap;
use std::time::Duration;

use deadpool::managed::{self, Metrics, RecycleError};
use tokio::runtime::{self, Handle};
use tokio::task::JoinHandle;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::placeholders::numbered;

pub(super) type Pool = managed::Pool<Manager>;
/// How long an idle connection is taken to be whole without a question.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

type TlsStream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// What it takes to make a connection.
#[derive(Clone)]
pub(super) struct Manager {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    pub(super) durable: bool,
    pub(super) timeout: Duration,
}

/// A connection with its prepared statements. Dropping it cuts it off, whatever it is doing.
pub(super) struct Connection {
    client: Client,
    task: JoinHandle<()>,
    runtime: runtime::Id,
    /// By the address of the SQL, which is a constant of the program.
    prepared: HashMap<(usize, usize), tokio_postgres::Statement>,
}

impl Connection {
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Prepares a statement, once for each connection.
    pub(super) async fn prepare(
        &mut self,
        sql: &'static str,
    ) -> Result<tokio_postgres::Statement, tokio_postgres::Error> {
        let key = (sql.as_ptr().addr(), sql.len());
        if let Some(prepared) = self.prepared.get(&key) {
            return Ok(prepared.clone());
        }
        let prepared = self.client.prepare(&numbered(sql)).await?;
        self.prepared.insert(key, prepared.clone());
        Ok(prepared)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Manager {
    /// A connection whose messages the caller has to drive.
    pub(super) async fn connect(
        &self,
    ) -> Result<(Client, tokio_postgres::Connection<Socket, TlsStream>), tokio_postgres::Error>
    {
        self.config.connect(self.tls.clone()).await
    }

    /// The server gives up a little before the caller does, so that what it stopped is known and
    /// the connection stays in use. A transaction whose client is gone must not keep its locks.
    /// The isolation matters: a statement after a lock has to see what the lock waited for.
    fn settings(&self) -> String {
        let timeout = u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX).max(10);
        let most = u64::from(i32::MAX.unsigned_abs());
        let [lock, statement, idle] =
            [timeout / 10 * 8, timeout / 10 * 9, timeout.saturating_mul(2)].map(|ms| ms.min(most));
        // Every statement is short: compiling one takes a thousand times as long as running it.
        // Each has an index that gives its rows in order. Before the server has counted a table, as
        // after many rows came at once, it would rather read all of them and sort.
        let mut settings = format!(
            "SET lock_timeout = {lock}; SET statement_timeout = {statement}; \
             SET idle_in_transaction_session_timeout = {idle}; \
             SET jit = off; SET enable_sort = off; SET enable_seqscan = off; \
             SET enable_bitmapscan = off; \
             SET default_transaction_isolation = 'read committed'"
        );
        if self.durable {
            settings.push_str(
                "; SELECT set_config('synchronous_commit', 'on', false) \
                 WHERE current_setting('synchronous_commit') = 'off'",
            );
        }
        settings
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Result<Connection, tokio_postgres::Error> {
        let (client, connection) = self.connect().await?;
        let task = tokio::spawn(async move {
            // Whoever waits for an answer gets the error; without one, nobody needs it.
            let _ = connection.await;
        });
        let made =
            Connection { client, task, runtime: Handle::current().id(), prepared: HashMap::new() };
        made.client.batch_execute(&self.settings()).await?;
        Ok(made)
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        metrics: &Metrics,
    ) -> Result<(), RecycleError<tokio_postgres::Error>> {
        if connection.client.is_closed() {
            return Err(RecycleError::message("closed"));
        }
        // Its task only runs while its runtime does, and nobody may be driving that one now.
        if connection.runtime != Handle::current().id() {
            return Err(RecycleError::message("made on another async runtime"));
        }
        // A write that meets a lost connection cannot know whether it was done, so one that may
        // have been lost unnoticed is tried out first.
        if metrics.last_used() > TRUSTED_FOR {
            connection.client.check_connection().await?;
        }
        Ok(())
    }
}
