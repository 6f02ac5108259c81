//! A store that is slow or fails on command.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;
use toolkeep::store::driver::{Batch, Driver, Row, Statement, Written};
use toolkeep::store::{self, SqlStore, SqliteDriver, SqliteOptions, Store, StoreFuture};
use toolkeep::{Config, Runtime};

use crate::support::echo;

/// A driver that is slow, fails, or tells of no change, on command.
struct Faulty {
    inner: SqliteDriver,
    pub slow_agents: Arc<AtomicU64>,
    pub slow_writes: Arc<AtomicU64>,
    pub fail_writes: Arc<AtomicBool>,
    /// The answers of so many writes are lost: they are written, and fail.
    pub lost_answers: Arc<AtomicU64>,
    pub fail_artifact_reads: Arc<AtomicBool>,
    pub fail_agents: Arc<AtomicBool>,
    pub fail_events: Arc<AtomicBool>,
    pub failed_events: Arc<AtomicU64>,
    pub slow_events: Arc<AtomicU64>,
    pub mute: Arc<AtomicBool>,
    /// Reads of these tables fail.
    pub unreadable: Arc<Mutex<Vec<&'static str>>>,
    /// Reads of these tables never end.
    pub silent: Arc<Mutex<Vec<&'static str>>>,
}
#[derive(Clone, Default)]
pub struct Knobs {
    pub slow_agents: Arc<AtomicU64>,
    pub slow_writes: Arc<AtomicU64>,
    pub fail_writes: Arc<AtomicBool>,
    /// The answers of so many writes are lost: they are written, and fail.
    pub lost_answers: Arc<AtomicU64>,
    pub fail_artifact_reads: Arc<AtomicBool>,
    pub fail_agents: Arc<AtomicBool>,
    pub fail_events: Arc<AtomicBool>,
    pub failed_events: Arc<AtomicU64>,
    pub slow_events: Arc<AtomicU64>,
    pub mute: Arc<AtomicBool>,
    /// Reads of these tables fail.
    pub unreadable: Arc<Mutex<Vec<&'static str>>>,
    /// Reads of these tables never end.
    pub silent: Arc<Mutex<Vec<&'static str>>>,
}
fn broken() -> store::Error {
    store::Error::new(
        store::Kind::Unavailable,
        "sqlite:/home/owner/private/t.db",
        format!("disk went away; token=ghp_{}", "a".repeat(36)),
    )
}
impl Driver for Faulty {
    fn read(&self, s: Statement) -> StoreFuture<'_, Vec<Row>> {
        async move {
            let agents = s.sql.contains("FROM toolkeep_agents");
            if self.unreadable.lock().unwrap().iter().any(|table| s.sql.contains(table)) {
                return Err(broken());
            }
            if self.silent.lock().unwrap().iter().any(|table| s.sql.contains(table)) {
                return std::future::pending().await;
            }
            if s.sql.contains("toolkeep_artifacts")
                && self.fail_artifact_reads.load(Ordering::SeqCst)
            {
                return Err(broken());
            }
            if agents && self.fail_agents.load(Ordering::SeqCst) {
                return Err(broken());
            }
            let events = s.sql.contains("FROM toolkeep_events");
            if events && self.fail_events.load(Ordering::SeqCst) {
                self.failed_events.fetch_add(1, Ordering::SeqCst);
                return Err(broken());
            }
            if events {
                let slow = self.slow_events.load(Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(slow)).await;
            }
            let rows = self.inner.read(s).await;
            if agents {
                tokio::time::sleep(Duration::from_millis(self.slow_agents.load(Ordering::SeqCst)))
                    .await;
            }
            rows
        }
        .boxed()
    }
    fn write(&self, b: Batch) -> StoreFuture<'_, Written> {
        async move {
            if self.fail_writes.load(Ordering::SeqCst) {
                return Err(broken());
            }
            // The upkeep comes when it comes: it must not take a fault that is meant for a call.
            let is_upkeep = b.statements.iter().all(|one| {
                one.sql.starts_with("DELETE") || one.sql.starts_with("UPDATE toolkeep_approvals")
            });
            let done = self.inner.write(b).await;
            tokio::time::sleep(Duration::from_millis(self.slow_writes.load(Ordering::SeqCst)))
                .await;
            if is_upkeep {
                return done;
            }
            let one_less = |left: u64| left.checked_sub(1);
            let lost = self.lost_answers.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
            if lost.is_ok() { Err(broken()) } else { done }
        }
        .boxed()
    }
    fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        if self.mute.load(Ordering::SeqCst) {
            return tokio::sync::watch::Sender::new(0).subscribe();
        }
        self.inner.changes()
    }
    fn url(&self) -> String {
        "sqlite:/home/owner/private/t.db".into()
    }
    fn close(&self) -> StoreFuture<'_, ()> {
        self.inner.close()
    }
}
pub async fn faulty() -> (Arc<dyn Store>, Knobs) {
    let k = Knobs::default();
    let inner = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
    let d = Faulty {
        inner,
        slow_agents: k.slow_agents.clone(),
        slow_writes: k.slow_writes.clone(),
        fail_writes: k.fail_writes.clone(),
        lost_answers: k.lost_answers.clone(),
        fail_artifact_reads: k.fail_artifact_reads.clone(),
        fail_agents: k.fail_agents.clone(),
        fail_events: k.fail_events.clone(),
        failed_events: k.failed_events.clone(),
        slow_events: k.slow_events.clone(),
        mute: k.mute.clone(),
        unreadable: k.unreadable.clone(),
        silent: k.silent.clone(),
    };
    (Arc::new(SqlStore::new(d)), k)
}
pub async fn faulty_rt(config: Value) -> (Runtime, Knobs) {
    let (s, k) = faulty().await;
    let rt = Runtime::builder()
        .config(Config::from_value(config).unwrap())
        .store(s)
        .tool(echo())
        .build()
        .await
        .unwrap();
    (rt, k)
}
