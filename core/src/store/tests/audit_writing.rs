//! Writing the ledger when something comes between.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use rusqlite::Connection;

use super::*;
use crate::event::NewEvent;
use crate::store::audit::SegmentLimits;
use crate::store::driver::{Batch, Driver, Row, Statement, Written};
use crate::store::migrate::{MIGRATIONS, SQLITE};
use crate::store::suite::audit_row as row;
use crate::store::{
    Audit as _, AuditQuery, AuditRow, Events as _, Kind, Phase, PruneAudit, SqlStore, SqliteDriver,
    SqliteOptions, StoreFuture,
};

/// A driver that counts its writes, and loses their answers on command.
struct Watched {
    inner: SqliteDriver,
    writes: AtomicUsize,
    loses_answers: AtomicBool,
}

impl Driver for Watched {
    fn read(&self, statement: Statement) -> StoreFuture<'_, Vec<Row>> {
        self.inner.read(statement)
    }

    fn write(&self, batch: Batch) -> StoreFuture<'_, Written> {
        async move {
            self.writes.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(1)).await;
            let written = self.inner.write(batch).await?;
            match self.loses_answers.load(Ordering::SeqCst) {
                true => Err(Error::new(Kind::Unavailable, "x", "the connection was lost")),
                false => Ok(written),
            }
        }
        .boxed()
    }

    fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.inner.changes()
    }

    fn url(&self) -> String {
        self.inner.url()
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        self.inner.close()
    }
}

async fn watched() -> SqlStore<Watched> {
    let inner = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
    let (writes, loses_answers) = Default::default();
    SqlStore::new(Watched { inner, writes, loses_answers })
}

fn event(subject: &str) -> NewEvent {
    NewEvent {
        tenant: "t".into(),
        at_ms: 1,
        kind: "call.completed",
        subject: subject.into(),
        data: serde_json::json!({}),
    }
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_can_be_repeated() {
    let store = watched().await;
    let record = |ids: &[&str]| {
        let rows = ids.iter().map(|id| row("t", id)).collect();
        store.record_audit(rows, ids.iter().map(|id| event(id)).collect())
    };
    record(&["1"]).await.unwrap();
    store.driver.loses_answers.store(true, Ordering::SeqCst);
    assert_eq!(record(&["2", "3"]).await.unwrap_err().kind(), Kind::Unavailable);
    store.driver.loses_answers.store(false, Ordering::SeqCst);
    record(&["2", "3"]).await.unwrap();
    record(&["4"]).await.unwrap();
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.rows), (true, 4), "{report:?}");
    assert_eq!(report.heads.len(), 2, "the lost answer began another writer");
    assert_eq!(store.last_event_seq("t").await.unwrap(), 4, "each event is told once");
}

/// Writes completed rows with an event each.
async fn record(store: &SqlStore<Watched>, ids: &[&str]) -> Result<(), Error> {
    let rows = ids.iter().map(|id| row("t", id)).collect();
    store.record_audit(rows, ids.iter().map(|id| event(id)).collect()).await
}

async fn events(store: &SqlStore<Watched>) -> Vec<String> {
    let events = store.read_events("t", 0, 1000).await.unwrap();
    events.into_iter().map(|event| event.subject).collect()
}

#[tokio::test]
async fn a_repeated_write_with_more_rows_reports_each_call_once() {
    let store = watched().await;
    store.driver.loses_answers.store(true, Ordering::SeqCst);
    record(&store, &["1", "2"]).await.unwrap_err();
    record(&store, &["3"]).await.unwrap_err();
    store.driver.loses_answers.store(false, Ordering::SeqCst);
    record(&store, &["0", "1", "2", "3", "4"]).await.unwrap();
    assert_eq!(events(&store).await, ["1", "2", "3", "0", "4"]);
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.rows), (true, 5), "{report:?}");
}

#[tokio::test]
async fn an_intent_that_was_written_before_does_not_keep_the_event_of_its_call_back() {
    let store = watched().await;
    let intent = |id| AuditRow { phase: Phase::Intent, ..row("t", id) };
    store.driver.loses_answers.store(true, Ordering::SeqCst);
    store.record_audit(vec![intent("1")], vec![]).await.unwrap_err();
    store.driver.loses_answers.store(false, Ordering::SeqCst);
    let rows = vec![intent("1"), row("t", "1"), intent("2"), row("t", "2")];
    store.record_audit(rows, vec![event("1"), event("2")]).await.unwrap();
    record(&store, &["1", "2", "3"]).await.unwrap();
    assert_eq!(events(&store).await, ["1", "2", "3"]);
}

#[tokio::test]
async fn two_requests_with_the_same_row_written_together_report_it_once() {
    let store = watched().await;
    // The first is being written while the others wait, which go together.
    let writes = [&["0"][..], &["1", "2"], &["2", "3"], &["2", "1"]];
    futures_util::future::try_join_all(writes.map(|ids| record(&store, ids))).await.unwrap();
    assert_eq!(events(&store).await, ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn requests_that_wait_are_written_together() {
    let store = watched().await;
    let writes = (0..100).map(|n| store.record_audit(vec![row("t", &n.to_string())], vec![]));
    futures_util::future::try_join_all(writes).await.unwrap();
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.rows), (true, 100));
    let transactions = store.driver.writes.load(Ordering::SeqCst);
    assert!(transactions <= 10, "{transactions} transactions");
}

#[tokio::test]
async fn a_bad_request_fails_alone() {
    let store = watched().await;
    let write = |n: usize| {
        let subject = if n == 7 { "a\0b" } else { "s" };
        store.record_audit(vec![row("t", &n.to_string())], vec![event(subject)])
    };
    let results = futures_util::future::join_all((0..20).map(write)).await;
    let failed: Vec<usize> = (0..20).filter(|n| results[*n].is_err()).collect();
    assert_eq!(failed, [7]);
    assert_eq!(results[7].as_ref().unwrap_err().kind(), Kind::InvalidArgument);
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.rows), (true, 19));
}

#[tokio::test]
async fn a_caller_that_stops_polling_holds_nobody_up() {
    let store = watched().await;
    let mut idle = store.record_audit(vec![row("t", "1")], vec![]);
    assert!(futures_util::poll!(&mut idle).is_pending());
    let other = store.record_audit(vec![row("t", "2")], vec![]);
    tokio::time::timeout(Duration::from_secs(20), other).await.unwrap().unwrap();
    idle.await.unwrap();
    let mut dropped = store.record_audit(vec![row("t", "3")], vec![]);
    assert!(futures_util::poll!(&mut dropped).is_pending());
    drop(dropped);
    store.close().await.unwrap();
    let late = store.record_audit(vec![row("t", "4")], vec![]).await;
    assert_eq!(late.unwrap_err().kind(), Kind::Closed);
}

#[test]
fn a_ledger_is_written_without_an_async_runtime_too() {
    futures_executor(async {
        let store =
            SqlStore::new(SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap());
        store.record_audit(vec![row("t", "1")], vec![]).await.unwrap();
        assert_eq!(store.verify_audit("t", vec![]).await.unwrap().rows, 1);
        store.close().await.unwrap();
    });
}

/// Polls until it is done, knowing nothing of tokio.
fn futures_executor(work: impl Future<Output = ()>) {
    let mut work = std::pin::pin!(work);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..20_000 {
        if work.as_mut().poll(&mut cx).is_ready() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the work never ended");
}

#[tokio::test]
async fn a_runtime_that_ends_in_the_middle_stops_nobody_else() {
    let store = Arc::new(watched().await);
    let first = store.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut write = first.record_audit(vec![row("t", "1")], vec![]);
            assert!(futures_util::poll!(&mut write).is_pending());
            tokio::task::yield_now().await;
        });
    })
    .join()
    .unwrap();
    store.record_audit(vec![row("t", "2")], vec![]).await.unwrap();
    assert!(store.verify_audit("t", vec![]).await.unwrap().ok);
}

#[test]
fn a_ledger_moves_from_one_async_runtime_to_another() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let store = first.block_on(open("memory:", OpenOptions::default())).unwrap();
    let mut begun = store.record_audit(vec![row("t", "1")], vec![]);
    first.block_on(async { assert!(futures_util::poll!(&mut begun).is_pending()) });
    // The first one is there but nobody drives it.
    second.block_on(async {
        let written = store.record_audit(vec![row("t", "2")], vec![]);
        tokio::time::timeout(Duration::from_secs(5), written).await.expect("hangs").unwrap();
        begun.await.unwrap();
        assert_eq!(store.verify_audit("t", vec![]).await.unwrap().rows, 2);
    });
    let mut moved = store.record_audit(vec![row("t", "3")], vec![]);
    first.block_on(async { assert!(futures_util::poll!(&mut moved).is_pending()) });
    second.block_on(async {
        tokio::time::timeout(Duration::from_secs(5), moved).await.expect("hangs").unwrap();
        tokio::time::timeout(Duration::from_secs(5), store.close()).await.expect("hangs").unwrap();
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn verifying_and_pruning_beside_writers_finds_nothing_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SegmentLimits { rows: 7, age: Duration::from_millis(20) };
    let open = async || {
        let path = folder.path().join("agent.db");
        let driver = SqliteDriver::open(path, SqliteOptions::default()).await.unwrap();
        SqlStore::with_segments(driver, limits)
    };
    let mut writers = Vec::new();
    for writer in 0..3 {
        let store = open().await;
        writers.push(tokio::spawn(async move {
            for round in 0..60 {
                let rows = (0..3).map(|n| row("t", &format!("{round:03}-{writer}-{n}"))).collect();
                store.record_audit(rows, vec![]).await.unwrap();
            }
        }));
    }
    let pruner = open().await;
    let (mut anchors, mut pruned) = (Vec::new(), 0);
    while writers.iter().any(|writer| !writer.is_finished()) {
        let report = pruner.verify_audit("t", anchors).await.unwrap();
        assert!(report.ok, "{report:?}");
        anchors = report.heads;
        let prune = PruneAudit { tenant: "t".into(), keep_rows: Some(100), before_ms: None };
        pruned += pruner.prune_audit(prune, i64::MAX).await.unwrap().rows;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let report = pruner.verify_audit("t", anchors).await.unwrap();
    assert!(report.ok, "{report:?}");
    assert_eq!(report.rows + pruned, 540);
}

#[tokio::test]
async fn a_store_of_before_the_chains_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(&MIGRATIONS[0].sql(&SQLITE)).unwrap();
    old.execute_batch(
        "INSERT INTO toolkeep_schema VALUES (1, 1);
         INSERT INTO toolkeep_audit SELECT 't', id, 1000, phase, NULL, NULL, NULL, 'read_file',
         'read_file', 'allowed', NULL, NULL, x'7b7d', NULL, 0, NULL, 0
         FROM (SELECT '1' AS id, 'completed' AS phase UNION SELECT '2', 'intent'
               UNION SELECT '3', 'completed')",
    )
    .unwrap();
    drop(old);
    let driver = SqliteDriver::open(path.clone(), SqliteOptions::default()).await.unwrap();
    let store = SqlStore::new(driver);
    let found = store.query_audit(AuditQuery::new("t")).await.unwrap();
    assert_eq!(found.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(found[0], row("t", "1"));
    store.record_audit(vec![row("t", "1"), row("t", "2")], vec![]).await.unwrap();
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.unchained, report.rows), (true, 3, 1), "{report:?}");
    assert_eq!(store.query_audit(AuditQuery::new("t")).await.unwrap()[1], row("t", "2"));

    let prune = PruneAudit { tenant: "t".into(), keep_rows: Some(1), before_ms: None };
    let tampered = Connection::open(&path).unwrap();
    tampered.execute("DELETE FROM toolkeep_audit_rows WHERE id = '3'", ()).unwrap();
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.problem_count), (false, 1), "{report:?}");
    assert!(report.problems[0].what.contains("of the 3 rows"), "{report:?}");
    store.prune_audit(prune, 1000).await.unwrap();
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.unchained, report.rows), (true, 0, 1), "{report:?}");
}

/// A transaction of an async runtime that nobody drives any more ends at its deadline.
#[cfg(feature = "postgres")]
#[test]
fn a_ledger_on_postgres_moves_from_one_async_runtime_to_another() {
    let url = toolkeep_test_postgres::Server::shared().new_database();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let options = OpenOptions { timeout_ms: 500, ..OpenOptions::default() };
    let store = first.block_on(open(&url, options)).unwrap();
    let mut begun = store.record_audit(vec![row("t", "1")], vec![]);
    first.block_on(async {
        assert!(futures_util::poll!(&mut begun).is_pending());
        // Its transaction is begun, and then left.
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
    });
    second.block_on(async {
        let bounded = |work| tokio::time::timeout(Duration::from_secs(5), work);
        let mut written = Err(Error::new(Kind::Timeout, "", ""));
        for _ in 0..10 {
            // The server may hold for a while what the lost transaction has locked.
            written = bounded(store.record_audit(vec![row("t", "2")], vec![])).await.unwrap();
            if written.is_ok() {
                break;
            }
        }
        written.unwrap();
        assert_eq!(bounded(begun).await.unwrap().unwrap_err().kind(), Kind::Timeout);
        let report = store.verify_audit("t", vec![]).await.unwrap();
        assert_eq!((report.ok, report.rows), (true, 1), "{report:?}");
        bounded(store.close()).await.expect("closing hangs").unwrap();
    });
}
