//! The ledger when the store is slow, fails, or is closed under a call.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use toolkeep::ops::QueryAudit;
use toolkeep::store::{self, AuditRow, OpenOptions};
use toolkeep::{CallContext, Code, Config, Runtime, Tool, ToolError, ToolResult, ToolSpec};

use crate::faulty::faulty_rt;
use crate::support::{Hangs, echo, eventually};

async fn rows(rt: &Runtime) -> Vec<AuditRow> {
    let query: QueryAudit = serde_json::from_value(json!({})).unwrap();
    rt.ops().audit().query(query).await.unwrap()
}

async fn events(rt: &Runtime) -> Vec<Value> {
    rt.invoke("events.read", json!({})).await.unwrap().as_array().unwrap().clone()
}

struct FailAfter(Arc<AtomicBool>);
impl Tool for FailAfter {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("fail_after", "x")
    }
    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        self.0.store(true, Ordering::SeqCst);
        async { Ok(ToolResult::text("done")) }.boxed()
    }
}

struct SlowAfter(Arc<AtomicU64>);
impl Tool for SlowAfter {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("slow_after", "x")
    }
    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        self.0.store(300, Ordering::SeqCst);
        async { Ok(ToolResult::text("done")) }.boxed()
    }
}

#[tokio::test]
async fn a_call_that_close_cancels_is_on_record() {
    let mut seen = Vec::new();
    for mode in ["batched", "durable"] {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("t.db").display());
        let config = Config::from_value(json!({"store": url, "record": {"mode": mode}})).unwrap();
        let rt = Runtime::builder().config(config).tool(Hangs::default()).build().await.unwrap();
        let running = tokio::spawn({
            let rt = rt.clone();
            async move { rt.call(&CallContext::new().timeout_ms(60_000), "hangs", json!({})).await }
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
        rt.close().await.unwrap();
        assert_eq!(running.await.unwrap().unwrap_err().code(), Code::Closed);
        let again = Runtime::builder().store_url(url).build().await.unwrap();
        let rows = rows(&again).await;
        seen.push((mode, rows.iter().map(|r| (r.phase, r.code.clone())).collect::<Vec<_>>()));
    }
    let want = vec![(store::Phase::Completed, Some("cancelled".to_owned()))];
    assert!(seen.iter().all(|(_, s)| *s == want), "{seen:?}");
}

#[tokio::test]
async fn a_durable_call_whose_record_failed_is_not_rewritten_as_cancelled() {
    let (rt, k) = faulty_rt(json!({"record": {"mode": "durable"}})).await;
    let cx = CallContext::new();
    rt.register(FailAfter(k.fail_writes.clone())).unwrap();
    rt.call(&cx, "fail_after", json!({})).await.unwrap_err();
    k.fail_writes.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(80)).await;
    let rows = rows(&rt).await;
    assert_eq!(rows[0].code, None, "the tool had succeeded; the ledger says {:?}", rows[0].code);
}

#[tokio::test]
async fn a_dropped_flush_does_not_double_events() {
    let (rt, k) = faulty_rt(json!({})).await;
    rt.call(&CallContext::new(), "echo", json!({"text": "x"})).await.unwrap();
    k.slow_writes.store(200, Ordering::SeqCst);
    let q = rows(&rt);
    assert!(tokio::time::timeout(Duration::from_millis(10), q).await.is_err());
    k.slow_writes.store(0, Ordering::SeqCst);
    let events = events(&rt).await;
    assert_eq!(events.len(), 1, "{events:#?}");
}

#[tokio::test]
async fn a_durable_call_dropped_while_it_is_recorded_has_one_event() {
    let (rt, k) = faulty_rt(json!({"record": {"mode": "durable"}})).await;
    rt.register(SlowAfter(k.slow_writes.clone())).unwrap();
    let cx = CallContext::new();
    let call = rt.call(&cx, "slow_after", json!({}));
    assert!(tokio::time::timeout(Duration::from_millis(40), call).await.is_err());
    k.slow_writes.store(0, Ordering::SeqCst);
    let events = events(&rt).await;
    let row = &rows(&rt).await[0];
    let found: Vec<_> =
        events.iter().map(|e| (e["kind"].clone(), e["data"]["code"].clone())).collect();
    assert_eq!(found.len(), 1, "row code {:?}, events {found:?}", row.code);
}

#[tokio::test]
async fn close_that_failed_to_flush_can_be_repeated() {
    let (rt, k) = faulty_rt(json!({})).await;
    rt.call(&CallContext::new(), "echo", json!({"text": "x"})).await.unwrap();
    k.fail_writes.store(true, Ordering::SeqCst);
    assert_eq!(rt.close().await.unwrap_err().code(), Code::StoreUnavailable);
    k.fail_writes.store(false, Ordering::SeqCst);
    rt.close().await.expect("closing again does nothing, or writes what is left");
}

#[tokio::test]
async fn rows_kept_after_a_failure_are_written_once_the_store_is_back() {
    let (rt, k) = faulty_rt(json!({})).await;
    rt.call(&CallContext::new(), "echo", json!({"text": "x"})).await.unwrap();
    k.fail_writes.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(60)).await;
    k.fail_writes.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    // Ask the store past the recorder.
    let before = rt.invoke("agents.list", json!({})).await.unwrap();
    assert_eq!(before, json!([]));
    k.fail_writes.store(true, Ordering::SeqCst);
    rt.invoke("audit.query", json!({})).await.expect("nothing is left to write");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_answered_around_close_is_on_record() {
    // A tool that never yields: it runs to its end though the runtime closes meanwhile.
    struct Busy;
    impl Tool for Busy {
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("busy", "x")
        }
        fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            async {
                std::thread::sleep(Duration::from_millis(200));
                Ok(ToolResult::text("did it"))
            }
            .boxed()
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    let rt = Runtime::builder().store_url(url.clone()).tool(Busy).build().await.unwrap();
    let running = tokio::spawn({
        let rt = rt.clone();
        async move { rt.call(&CallContext::new(), "busy", json!({})).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    rt.close().await.unwrap();
    let answer = running.await.unwrap();
    tokio::time::sleep(Duration::from_millis(60)).await;
    let again = Runtime::builder().store_url(url).build().await.unwrap();
    let n = rows(&again).await.len();
    assert!(answer.is_err() || n == 1, "answered {:?}, rows {n}", answer.map(|r| r.for_llm));
}

#[test]
fn calls_are_recorded_though_an_earlier_async_runtime_is_not_driven() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let store = first.block_on(store::open("memory:", OpenOptions::default())).unwrap();
    let rt = Runtime::builder().store(store.clone()).tool(echo()).build();
    let rt = first.block_on(rt).unwrap();
    let call = || async { rt.call(&CallContext::new(), "echo", json!({"text": "x"})).await };
    first.block_on(call()).unwrap();
    // Its writing is begun and then left.
    let mut flush = Box::pin(rows(&rt));
    first.block_on(async { assert!(futures_util::poll!(&mut flush).is_pending()) });
    second.block_on(async {
        call().await.unwrap();
        let written = async || {
            let found = store.query_audit(store::AuditQuery::new("default")).await.unwrap();
            found.len() == 2
        };
        eventually(written).await;
        let recorded = tokio::time::timeout(Duration::from_secs(5), rows(&rt)).await;
        assert_eq!(recorded.expect("hangs").len(), 2);
        tokio::time::timeout(Duration::from_secs(5), rt.close()).await.expect("hangs").unwrap();
    });
}

/// Counts how often it ran.
struct Counts(Arc<AtomicU64>);
impl Tool for Counts {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("counts", "x")
    }
    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolResult::text("done")) }.boxed()
    }
}

/// How many calls are on record, how many different ones events tell of, and how many events.
async fn recorded(rt: &Runtime) -> (usize, usize, usize) {
    let events = events(rt).await;
    let ids: BTreeSet<String> =
        events.iter().map(|event| event["data"]["call_id"].to_string()).collect();
    (rows(rt).await.len(), ids.len(), events.len())
}

#[tokio::test]
async fn calls_whose_answer_was_lost_are_reported_once_though_others_came_meanwhile() {
    for mode in ["batched", "durable"] {
        let (rt, k) = faulty_rt(json!({"record": {"mode": mode}})).await;
        let ran = Arc::new(AtomicU64::new(0));
        rt.register(Counts(ran.clone())).unwrap();
        let cx = CallContext::new().session("s");
        let call = || rt.call(&cx, "counts", json!({}));
        for together in [1, 2, 5] {
            k.lost_answers.store(1, Ordering::SeqCst);
            join_all((0..together).map(|_| call())).await;
            // In durable mode they are lost at once.
            eventually(async || k.lost_answers.load(Ordering::SeqCst) == 0).await;
            join_all((0..together).map(|_| call())).await;
        }
        assert_eq!(recorded(&rt).await, (16, 16, 16), "{mode}");
    }
}

#[tokio::test]
async fn after_one_lost_answer_the_next_durable_call_goes_through() {
    let (rt, k) = faulty_rt(json!({"record": {"mode": "durable"}})).await;
    let cx = CallContext::new();
    for _ in 0..3 {
        k.lost_answers.store(1, Ordering::SeqCst);
        rt.call(&cx, "echo", json!({"text": "x"})).await.unwrap_err();
        rt.call(&cx, "echo", json!({"text": "x"})).await.expect("the store is well");
    }
    assert_eq!(recorded(&rt).await, (6, 6, 6));
}

#[tokio::test]
async fn a_call_that_is_refused_for_the_records_of_others_says_so_and_did_not_run() {
    for mode in ["batched", "durable"] {
        let (rt, k) = faulty_rt(json!({"record": {"mode": mode}})).await;
        let ran = Arc::new(AtomicU64::new(0));
        rt.register(Counts(ran.clone())).unwrap();
        let cx = CallContext::new();
        k.fail_writes.store(true, Ordering::SeqCst);
        let _ = rt.call(&cx, "counts", json!({})).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        let before = ran.load(Ordering::SeqCst);
        let refused = rt.call(&cx, "counts", json!({})).await.unwrap_err();
        assert_eq!(refused.code(), Code::StoreUnavailable);
        assert!(refused.message().starts_with("the call was not made"), "{refused}");
        assert_eq!(ran.load(Ordering::SeqCst), before, "{mode}");
        k.fail_writes.store(false, Ordering::SeqCst);
        rt.call(&cx, "counts", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn what_a_failed_durable_call_left_is_written_though_no_other_call_comes() {
    let (rt, k) = faulty_rt(json!({"record": {"mode": "durable"}})).await;
    rt.register(FailAfter(k.fail_writes.clone())).unwrap();
    rt.call(&CallContext::new(), "fail_after", json!({})).await.unwrap_err();
    k.fail_writes.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    // Nothing is left that a reader would have to write first.
    k.fail_writes.store(true, Ordering::SeqCst);
    assert_eq!(rows(&rt).await.len(), 1);
}

#[tokio::test]
async fn no_call_is_answered_while_a_record_waits_too_long_for_the_store() {
    let (rt, k) = faulty_rt(json!({})).await;
    let ran = Arc::new(AtomicU64::new(0));
    rt.register(Counts(ran.clone())).unwrap();
    let cx = CallContext::new();
    k.slow_writes.store(600, Ordering::SeqCst);
    rt.call(&cx, "counts", json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut waits = Box::pin(rt.call(&cx, "counts", json!({})));
    assert!(futures_util::poll!(&mut waits).is_pending());
    assert_eq!(ran.load(Ordering::SeqCst), 1, "it waits before its tool runs");
    waits.await.unwrap();
    assert_eq!(recorded(&rt).await, (2, 2, 2));
}

#[tokio::test]
async fn a_call_that_was_running_when_the_store_became_slow_waits_for_its_record() {
    struct Waits(Arc<tokio::sync::Notify>);
    impl Tool for Waits {
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("waits", "x")
        }
        fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            async {
                self.0.notified().await;
                Ok(ToolResult::text("done"))
            }
            .boxed()
        }
    }
    let (rt, k) = faulty_rt(json!({})).await;
    let go = Arc::new(tokio::sync::Notify::new());
    rt.register(Waits(go.clone())).unwrap();
    let cx = CallContext::new();
    let mut running = Box::pin(rt.call(&cx, "waits", json!({})));
    assert!(futures_util::poll!(&mut running).is_pending());
    k.slow_writes.store(600, Ordering::SeqCst);
    rt.call(&cx, "echo", json!({"text": "x"})).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    go.notify_one();
    assert!(futures_util::poll!(&mut running).is_pending(), "it was answered with no record");
    running.await.unwrap();
    assert_eq!(recorded(&rt).await, (2, 2, 2));
}

#[tokio::test]
async fn no_more_calls_are_answered_than_the_queue_holds_while_the_store_is_slow() {
    let (rt, k) = faulty_rt(json!({})).await;
    let cx = CallContext::new();
    rt.call(&cx, "echo", json!({"text": "x"})).await.unwrap();
    k.slow_writes.store(1_000, Ordering::SeqCst);
    let mut answered = 0;
    while let Some(answer) = rt.call(&cx, "echo", json!({"text": "x"})).now_or_never() {
        answer.unwrap();
        answered += 1;
        assert!(answered <= 4_096, "all of these would be lost");
        // The writer of the queue has its turn, too.
        tokio::task::yield_now().await;
    }
    assert!(answered > 0);
}

#[tokio::test]
async fn calls_are_refused_while_another_process_holds_the_file_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let url = format!("sqlite:{}", path.display());
    let config = json!({"store": url, "store_timeout_ms": 300});
    let config = Config::from_value(config).unwrap();
    let rt = Runtime::builder().config(config).tool(echo()).build().await.unwrap();
    let cx = CallContext::new();
    let call = async || rt.call(&cx, "echo", json!({"text": "x"})).await;
    call().await.unwrap();
    recorded(&rt).await;
    let holder = rusqlite::Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    call().await.unwrap();
    tokio::time::sleep(Duration::from_millis(150)).await;
    for _ in 0..3 {
        let refused = call().await.unwrap_err();
        assert_eq!(refused.code(), Code::StoreLocked, "{refused}");
    }
    holder.execute_batch("ROLLBACK").unwrap();
    call().await.unwrap();
    assert_eq!(recorded(&rt).await, (3, 3, 3));
}
