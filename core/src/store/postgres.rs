//! The PostgreSQL driver: 15 and later, shared by any number of machines.
//!
//! A pool of connections, made when they are needed; statements are prepared once on each. Every
//! call has a deadline that covers waiting for a connection, making one, and the server's answer;
//! a connection that is not known to be idle never goes back to the pool. Tasks run on the async
//! runtime of whoever calls, and a store may move from one runtime to another.

mod connection;
mod errors;
mod execute;
mod lease;
mod listen;
mod notify;
mod open;
mod placeholders;
mod room;
mod tls;
mod url;
mod value;
mod within;

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool::managed::PoolError;
use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::driver::{Batch, Driver, Row, Statement, Value, Written};
use super::migrate::NEWEST;
use super::{Error, Kind, StoreFuture};
use crate::detached::detached;
use crate::id::new_id;
use connection::{Manager, Pool};
use errors::{
    from_postgres, is_collision, is_crowded, is_lost, is_restarting, is_wrong_connection,
};
use lease::Lease;
use notify::Notifier;
use room::{Room, Turn};
pub use url::PostgresUrl;
use within::{TooLate, within};

/// How often a batch is tried again that the server undid because of others.
const MOST_TRIES: u32 = 5;

/// How soon a server that takes no connections just now is asked again.
const BUSY: Duration = Duration::from_millis(50);

/// How often a store that is open looks whether a newer toolkeep has changed its tables.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How a PostgreSQL store is opened.
#[derive(Clone, Copy, Debug)]
pub struct PostgresOptions {
    /// True if an acknowledged write must survive a power cut whatever the server's
    /// `synchronous_commit` says; otherwise the server's setting decides. Default: false.
    pub durable: bool,
    /// How long a call may wait for the store, in milliseconds. Default: 5000.
    pub timeout_ms: u64,
}

impl Default for PostgresOptions {
    fn default() -> PostgresOptions {
        PostgresOptions { durable: false, timeout_ms: 5000 }
    }
}

/// A PostgreSQL database as a [`Driver`].
pub struct PostgresDriver {
    shared: Arc<Shared>,
    /// Ends the listener when the driver is dropped.
    _end: DropGuard,
}

struct Shared {
    url: String,
    pool: Pool,
    room: Room,
    timeout: Duration,
    /// The table `toolkeep_schema`: it identifies the schemas of a database.
    schema: i64,
    /// When somebody last looked whether the tables are still those of this toolkeep.
    looked: Mutex<Option<Instant>>,
    /// Identifies this driver in notifications of changes.
    id: String,
    changes: watch::Sender<u64>,
    notifier: Notifier,
    listener: listen::Listener,
    /// Everything that was begun and is not finished.
    begun: TaskTracker,
    closed: CancellationToken,
}

impl std::fmt::Debug for PostgresDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresDriver").field("url", &self.shared.url).finish_non_exhaustive()
    }
}

impl PostgresDriver {
    /// Connects and brings the tables up to date. Must be called within a tokio runtime with
    /// time and I/O.
    ///
    /// # Errors
    ///
    /// [`Kind::Path`] for a login, database, server or schema that will not do,
    /// [`Kind::Unavailable`] and [`Kind::Timeout`] if nobody answers, [`Kind::ReadOnly`] for a
    /// standby, [`Kind::Newer`] for newer tables.
    pub async fn open(url: PostgresUrl, options: PostgresOptions) -> Result<PostgresDriver, Error> {
        let timeout = Duration::from_millis(options.timeout_ms.max(1));
        let tls = tls::connector(&url)?;
        let mut config = url.config.clone();
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(1);
        if hosts > 1 && config.get_connect_timeout().is_none() {
            // A host that swallows every packet must leave time for the next one.
            config.connect_timeout(timeout / hosts);
        }
        let manager = Manager { config, tls, durable: options.durable, timeout };
        let pool = Pool::builder(manager).max_size(url.pool_size).build().map_err(|error| {
            Error::new(Kind::Unavailable, url.to_string(), format!("no pool: {error}"))
        })?;
        let mut shared = Shared {
            url: url.to_string(),
            pool,
            room: Room::new(url.pool_size),
            timeout,
            schema: 0,
            looked: Mutex::new(Some(Instant::now())),
            id: new_id(),
            changes: watch::Sender::new(0),
            notifier: Notifier::default(),
            listener: listen::Listener::default(),
            begun: TaskTracker::new(),
            closed: CancellationToken::new(),
        };
        shared.schema = shared.set_up().await?;
        let end = shared.closed.clone().drop_guard();
        Ok(PostgresDriver { shared: Arc::new(shared), _end: end })
    }
}

impl Shared {
    /// Brings the tables up to date and returns which ones they are.
    async fn set_up(&self) -> Result<i64, Error> {
        let deadline = self.deadline();
        let lease = self.lease(deadline).await?;
        let looked = within(deadline, open::look(lease.client(), &self.url)).await;
        let mut found = looked.map_err(|_| self.too_slow("the server to answer", false))??;
        if !found.is_up_to_date() {
            let deadline = Instant::now() + open::MIGRATE_WITHIN.max(self.timeout);
            let migrated = within(deadline, open::migrate(lease.client(), &self.url)).await;
            migrated.map_err(|_| self.too_slow("the tables to be changed", false))??;
            let looked = within(deadline, open::look(lease.client(), &self.url)).await;
            found = looked.map_err(|_| self.too_slow("the server to answer", false))??;
        }
        lease.give_back();
        found.schema.ok_or_else(|| {
            Error::new(Kind::Corrupt, &self.url, "the tables vanished while they were made")
        })
    }

    /// A connection that is outside of any transaction.
    async fn lease(&self, deadline: Instant) -> Result<Lease, Error> {
        let mut again = true;
        let mut turn = self.turn(deadline).await?;
        loop {
            let error = match within(deadline, self.pool.get()).await {
                Ok(Ok(object)) => return Ok(Lease::new(object, turn)),
                Ok(Err(PoolError::Backend(error))) => error,
                Ok(Err(PoolError::Closed)) => return Err(self.closed()),
                Ok(Err(error)) => {
                    return Err(Error::new(Kind::Unavailable, &self.url, error.to_string()));
                }
                Err(_) => return Err(self.too_slow("a connection", false)),
            };
            // There is no answer yet that a second connection could change.
            let lost = error.as_db_error().is_none() && is_lost(&error);
            if lost && std::mem::take(&mut again) {
                continue;
            }
            let crowded = is_crowded(&error);
            if !crowded && !is_restarting(&error) {
                return Err(from_postgres(&self.url, error));
            }
            let kept = if crowded { self.room.narrow(turn) } else { Some(turn) };
            turn = match kept {
                None => self.turn(deadline).await?,
                Some(_) if Instant::now() + BUSY >= deadline => {
                    return Err(from_postgres(&self.url, error));
                }
                Some(turn) => {
                    let _ = within(Instant::now() + BUSY, pending::<()>()).await;
                    turn
                }
            };
        }
    }

    /// Waits in line for the right to use a connection.
    async fn turn(&self, deadline: Instant) -> Result<Turn, Error> {
        let turn = self.room.turn(deadline).await;
        turn.map_err(|TooLate| {
            let what = match self.room.is_narrow() {
                true => "a free connection (the server has no more: raise its `max_connections`)",
                false => "a free connection (`pool_max_conns` allows more than now)",
            };
            self.too_slow(what, false)
        })
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Refuses tables that a newer toolkeep has changed since they were opened.
    async fn refuse_newer(&self, deadline: Instant) -> Result<(), Error> {
        {
            let mut looked = self.looked();
            if looked.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
                return Ok(());
            }
            *looked = Some(Instant::now());
        }
        let rows = self.read(&Statement::new(open::VERSION, vec![]), deadline).await?;
        match rows.first().map(|row| row.0.as_slice()) {
            Some([Value::Int(version)]) if *version > NEWEST => {
                // Whoever comes next looks, too.
                *self.looked() = None;
                Err(open::newer(*version, &self.url))
            }
            _ => Ok(()),
        }
    }

    fn looked(&self) -> MutexGuard<'_, Option<Instant>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a statement that only reads. A second try after a lost connection does no harm.
    async fn read(&self, statement: &Statement, deadline: Instant) -> Result<Vec<Row>, Error> {
        let mut again = true;
        loop {
            let mut lease = self.lease(deadline).await?;
            match within(deadline, execute::read(&mut lease, statement)).await {
                Ok(Ok(rows)) => {
                    lease.give_back();
                    return Ok(rows);
                }
                Ok(Err(error)) => {
                    if !self.must_leave(&error) {
                        lease.give_back();
                    } else if std::mem::take(&mut again) {
                        continue;
                    }
                    return Err(from_postgres(&self.url, error));
                }
                Err(_) => {
                    lease.cancel(&self.pool);
                    return Err(self.too_slow("the server to answer", false));
                }
            }
        }
    }

    async fn write(&self, batch: &Batch, deadline: Instant) -> Result<Written, Error> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut lease = self.lease(deadline).await?;
            let committing = AtomicBool::new(false);
            let writing = execute::write(&mut lease, batch, self.schema, &committing);
            let result = within(deadline, writing).await;
            let committing = committing.load(Ordering::Acquire);
            let fault = match result {
                Ok(Ok(written)) => {
                    lease.give_back();
                    return Ok(written);
                }
                Ok(Err(fault)) => fault,
                Err(_) => {
                    lease.cancel(&self.pool);
                    return Err(self.too_slow("the server to answer", committing));
                }
            };
            let leave = self.must_leave(&fault.error);
            if !leave && !fault.astray {
                lease.give_back();
            }
            let unclear = committing && is_lost(&fault.error);
            let again = match leave {
                true => !unclear && tries < 3,
                false => is_collision(&fault.error) && tries < MOST_TRIES,
            };
            if !again {
                let error = from_postgres(&self.url, fault.error);
                return Err(if unclear { error.adding(UNCLEAR) } else { error });
            }
        }
    }

    /// True if the connection must not be used any more. The idle ones to the same server are
    /// most likely no better, so that the next one is new.
    fn must_leave(&self, error: &tokio_postgres::Error) -> bool {
        let leave = is_lost(error) || is_wrong_connection(error);
        if leave {
            self.pool.retain(|_, _| false);
        }
        leave
    }

    fn too_slow(&self, what: &str, unclear: bool) -> Error {
        let message = format!(
            "waited {} ms for {what}; try again, or allow a longer wait (`store_timeout_ms`)",
            self.timeout.as_millis()
        );
        let error = Error::new(Kind::Timeout, &self.url, message);
        if unclear { error.adding(UNCLEAR) } else { error }
    }

    fn closed(&self) -> Error {
        Error::new(Kind::Closed, &self.url, "the store is closed; open it again to go on")
    }

    fn tick(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// What this driver's notifications carry.
    fn origin(&self) -> String {
        format!("{}:{}", self.schema, self.id)
    }
}

const UNCLEAR: &str = "whether it was written is not known";

impl Driver for PostgresDriver {
    fn read(&self, statement: Statement) -> StoreFuture<'_, Vec<Row>> {
        let shared = self.shared.clone();
        // A read that nobody waits for goes on too: cutting it off would cost a connection.
        self.begin(async move {
            let deadline = shared.deadline();
            shared.refuse_newer(deadline).await?;
            shared.read(&statement, deadline).await
        })
    }

    fn write(&self, batch: Batch) -> StoreFuture<'_, Written> {
        let shared = self.shared.clone();
        self.begin(async move {
            let deadline = shared.deadline();
            shared.refuse_newer(deadline).await?;
            let written = shared.write(&batch, deadline).await?;
            if matches!(written, Written::Done(_)) {
                shared.tick();
                if batch.has_events {
                    notify::soon(&shared);
                }
            }
            Ok(written)
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        listen::start(&self.shared);
        self.shared.changes.subscribe()
    }

    fn url(&self) -> String {
        self.shared.url.clone()
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        async move {
            let shared = &self.shared;
            let deadline = Instant::now() + shared.timeout;
            shared.closed.cancel();
            shared.begun.close();
            let ended = within(deadline, shared.begun.wait()).await;
            // A notification that does not get out in time is no reason to stay.
            let _ = within(deadline, notify::last(shared)).await;
            shared.pool.close();
            let _ = within(deadline, listen::end(shared)).await;
            // Its own deadline would have ended it, if its async runtime were driven.
            ended.map_err(|TooLate| shared.too_slow("what was begun to end", true))
        }
        .boxed()
    }
}

impl PostgresDriver {
    /// Work that is finished even when its future is dropped, and that closing waits for.
    fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        async move {
            // First the token: closing must not overlook what passed the check.
            let token = self.shared.begun.token();
            if self.shared.closed.is_cancelled() {
                return Err(self.shared.closed());
            }
            listen::keep(&self.shared);
            let work = async move {
                let _token = token;
                work.await
            };
            detached(work).await
        }
        .boxed()
    }
}
