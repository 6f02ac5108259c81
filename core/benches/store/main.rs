//! The store against the same statements written by hand, in the same process, in turns.
//!
//! `make bench` runs it. The baselines stand in `by_hand.rs`: raw rusqlite on the thread that asks
//! and raw rusqlite off the async threads, as an async program has to use it, and raw
//! tokio-postgres.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

mod audit;
mod by_hand;

use std::sync::Arc;
use std::time::Instant;

use by_hand::{ByHand, OffThread, Postgres, Sqlite};
use serde_json::json;
use toolkeep::event::NewEvent;
use toolkeep::store::{self, OpenOptions, PutAgent, Store};

const TURNS: usize = 7;
const TENANT: &str = "default";

fn main() {
    if std::env::args().any(|arg| arg == "memory") {
        return audit::memory();
    }
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    tokio.block_on(sqlite());
    tokio.block_on(postgres());
    tokio.block_on(durable());
    tokio.block_on(opening());
    tokio.block_on(audit::table());
}

fn header(what: &str, baseline: &str) {
    println!();
    println!("| {what} | µs, {baseline} | µs, toolkeep | speed against it |");
    println!("|---|---:|---:|---:|");
}

fn row(name: &str, by_hand: f64, ours: f64) {
    println!("| {name} | {by_hand:.1} | {ours:.1} | {:.2}x |", by_hand / ours);
}

/// The microseconds of one of `count` operations, in the best of several turns.
async fn best<F: Future>(count: usize, mut turn: impl FnMut(usize) -> F) -> f64 {
    let mut best = f64::MAX;
    for number in 0..TURNS {
        let start = Instant::now();
        turn(number).await;
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / count as f64);
    }
    best
}

async fn open(url: &str, durable: bool) -> Arc<dyn Store> {
    store::open(url, OpenOptions { durable, ..OpenOptions::default() }).await.unwrap()
}

/// Something to read, and events to follow.
async fn fill(store: &dyn Store) {
    for n in 0..1_000 {
        store.put_agent(PutAgent::new(TENANT, format!("agent-{n:04}")), 1).await.unwrap();
    }
}

async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.db");
    let store = open(&format!("sqlite:{}", path.display()), false).await;
    fill(&*store).await;
    header("SQLite file, one at a time", "raw rusqlite off the async threads");
    compare(&*store, &OffThread::open(&path)).await;
    header("SQLite file, one at a time", "raw rusqlite on the thread that asks");
    compare(&*store, &Sqlite::open(&path)).await;
    header("SQLite file, 64 in flight", "raw rusqlite off the async threads");
    compare_many(&store, Arc::new(OffThread::open(&path))).await;
}

async fn postgres() {
    let server = toolkeep_test_postgres::Server::start(&[]);
    let url = server.new_database();
    let store = open(&url, false).await;
    fill(&*store).await;
    header("PostgreSQL, one at a time", "raw tokio-postgres");
    compare(&*store, &Postgres::connect(&url).await).await;
    header("PostgreSQL, 64 in flight", "raw tokio-postgres, one connection");
    compare_many(&store, Arc::new(Postgres::connect(&url).await)).await;
    store.close().await.unwrap();
}

async fn compare(store: &dyn Store, by_hand: &impl ByHand) {
    const READS: usize = 2_000;
    const WRITES: usize = 200;
    let agent = |n: usize| format!("agent-{:04}", n % 1_000);
    let raw = best(READS, |_| async {
        for n in 0..READS {
            assert_eq!(by_hand.point_read(&agent(n)).await, 1);
        }
    });
    let raw = raw.await;
    let ours = best(READS, |_| async {
        for n in 0..READS {
            assert!(store.get_agent(TENANT, &agent(n)).await.unwrap().is_some());
        }
    });
    row("point read", raw, ours.await);
    let run = toolkeep::id::new_id();
    let fresh = |side: &str, turn: usize, n: usize| format!("{run}-{side}-{turn}-{n}");
    let fresh = &fresh;
    let raw = best(WRITES, |turn| async move {
        for n in 0..WRITES {
            by_hand.conditional_write(&fresh("raw", turn, n)).await;
        }
    });
    let raw = raw.await;
    let ours = best(WRITES, |turn| async move {
        for n in 0..WRITES {
            let put = PutAgent::new(TENANT, fresh("ours", turn, n));
            store.put_agent(PutAgent { if_version: Some(0), ..put }, 1).await.unwrap();
        }
    });
    row("conditional write, with its event", raw, ours.await);
    let raw = best(WRITES, |turn| async move {
        for n in 0..WRITES {
            assert!(by_hand.claim(&fresh("raw", turn, n)).await);
        }
    });
    let raw = raw.await;
    let ours = best(WRITES, |turn| async move {
        for n in 0..WRITES {
            let name = fresh("ours", turn, n);
            let lease = store.acquire_lease(TENANT, "bench", &name, "me", 60_000, 1);
            assert!(lease.await.unwrap().is_some());
        }
    });
    row("claim", raw, ours.await);
    compare_events(store, by_hand).await;
}

async fn compare_events(store: &dyn Store, by_hand: &impl ByHand) {
    const WRITES: usize = 200;
    let raw = best(WRITES, |_| async {
        for _ in 0..WRITES {
            by_hand.append().await;
        }
    });
    let raw = raw.await;
    let ours = best(WRITES, |_| async {
        for n in 0..WRITES {
            store.append_events(vec![event(n)]).await.unwrap();
        }
    });
    row("event append", raw, ours.await);
    let raw = best(WRITES, |_| async {
        for _ in 0..WRITES {
            assert_eq!(by_hand.tail(100).await, 100);
        }
    });
    let raw = raw.await;
    let ours = best(WRITES, |_| async {
        for _ in 0..WRITES {
            assert_eq!(store.read_events(TENANT, 100, 100).await.unwrap().len(), 100);
        }
    });
    row("event tail, 100 at once", raw, ours.await);
}

async fn compare_many(store: &Arc<dyn Store>, by_hand: Arc<impl ByHand>) {
    const READS: usize = 6_400;
    const WRITES: usize = 640;
    let raw = best(READS, |_| {
        in_flight(READS, |n| {
            let by_hand = by_hand.clone();
            async move {
                let id = format!("agent-{:04}", n % 1_000);
                assert_eq!(by_hand.point_read(&id).await, 1);
            }
        })
    });
    let raw = raw.await;
    let ours = best(READS, |_| {
        in_flight(READS, |n| {
            let store = store.clone();
            async move {
                let id = format!("agent-{:04}", n % 1_000);
                store.get_agent(TENANT, &id).await.unwrap().unwrap();
            }
        })
    });
    row("point read", raw, ours.await);
    let raw = best(WRITES, |turn| {
        let by_hand = by_hand.clone();
        in_flight(WRITES, move |n| {
            let by_hand = by_hand.clone();
            async move { assert!(by_hand.claim(&format!("many-raw-{turn}-{n}")).await) }
        })
    });
    let raw = raw.await;
    let ours = best(WRITES, |turn| {
        let store = store.clone();
        in_flight(WRITES, move |n| {
            let store = store.clone();
            async move {
                let name = format!("many-ours-{turn}-{n}");
                let lease = store.acquire_lease(TENANT, "bench", &name, "me", 60_000, 1);
                lease.await.unwrap().unwrap();
            }
        })
    });
    row("claim", raw, ours.await);
}

/// Runs `count` operations, 64 at a time.
async fn in_flight<F: Future<Output = ()> + Send + 'static>(
    count: usize,
    mut operation: impl FnMut(usize) -> F,
) {
    let mut running = tokio::task::JoinSet::new();
    for n in 0..count {
        if running.len() == 64 {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(operation(n));
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

fn event(n: usize) -> NewEvent {
    NewEvent {
        tenant: TENANT.into(),
        at_ms: 1,
        kind: "bench.event",
        subject: "bench".into(),
        data: json!({ "n": n }),
    }
}

/// How many writes a second reach the disk.
async fn durable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("durable.db");
    let store = open(&format!("sqlite:{}", path.display()), true).await;
    let raw = Sqlite::open(&path).durable();
    const WRITES: usize = 100;
    let alone = best(WRITES, |turn| {
        let raw = &raw;
        async move {
            for n in 0..WRITES {
                raw.claim(&format!("raw-{turn}-{n}")).await;
            }
        }
    });
    let alone = 1e6 / alone.await;
    println!();
    println!("| durable writes on this disk, SQLite | writes per second | against SQLite's own |");
    println!("|---|---:|---:|");
    println!("| SQLite itself, one commit and disk sync each | {alone:.0} | 1.00x |");
    for callers in [1, 8, 64] {
        let ours = best(WRITES * callers, |turn| {
            let store = store.clone();
            async move {
                let mut all = tokio::task::JoinSet::new();
                for caller in 0..callers {
                    let store = store.clone();
                    all.spawn(async move {
                        for n in 0..WRITES {
                            let name = format!("ours-{callers}-{caller}-{turn}-{n}");
                            let lease =
                                store.acquire_lease(TENANT, "bench", &name, "me", 60_000, 1);
                            lease.await.unwrap().unwrap();
                        }
                    });
                }
                while let Some(done) = all.join_next().await {
                    done.unwrap();
                }
            }
        });
        let ours = 1e6 / ours.await;
        let name = format!("toolkeep, {callers} callers at once");
        println!("| {name} | {ours:.0} | {:.2}x |", ours / alone);
    }
}

/// How long it takes to open a store that is there.
async fn opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("open.db");
    let url = format!("sqlite:{}", path.display());
    open(&url, false).await.close().await.unwrap();
    let raw = best(1, |_| async {
        assert_eq!(Sqlite::open(&path).point_read("nobody").await, 0);
    });
    let raw = raw.await;
    let ours = best(1, |_| async {
        let store = open(&url, false).await;
        assert!(store.get_agent(TENANT, "nobody").await.unwrap().is_none());
        store.close().await.unwrap();
    });
    header("open a store that is there, read once, close", "the same by hand");
    row("SQLite file", raw, ours.await);
    let server = toolkeep_test_postgres::Server::start(&[]);
    let url = server.new_database();
    open(&url, false).await.close().await.unwrap();
    let raw = best(1, |_| async {
        assert_eq!(Postgres::connect(&url).await.point_read("nobody").await, 0);
    });
    let raw = raw.await;
    let ours = best(1, |_| async {
        let store = open(&url, false).await;
        assert!(store.get_agent(TENANT, "nobody").await.unwrap().is_none());
        store.close().await.unwrap();
    });
    row("PostgreSQL", raw, ours.await);
}
