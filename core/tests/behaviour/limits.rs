//! What keeps an agent from running away, where it takes more than one call at a time to see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};
use tokio_util::sync::CancellationToken;
use toolkeep::clock::{Clock, ManualClock};
use toolkeep::store::{self, OpenOptions, Store};
use toolkeep::{
    ApprovalAnswer, Approve, CallContext, CallRequest, Code, Config, Runtime, Tool, ToolError,
    ToolResult, ToolSpec,
};

use crate::support::{House, eventually};

type Work = dyn Fn(Value) -> BoxFuture<'static, ToolResult> + Send + Sync;

/// A tool of a given description that does a given work.
pub struct Given {
    spec: Value,
    work: Box<Work>,
}

impl Tool for Given {
    fn spec(&self) -> ToolSpec {
        ToolSpec::from_value(&self.spec).unwrap()
    }

    fn call(&self, args: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        (self.work)(args).map(Ok).boxed()
    }
}

fn given(
    spec: Value,
    work: impl Fn(Value) -> BoxFuture<'static, ToolResult> + Send + Sync + 'static,
) -> Given {
    Given { spec, work: Box::new(work) }
}

pub fn says(spec: Value) -> Given {
    given(spec, |_| async { ToolResult::text("said") }.boxed())
}

fn requests(tool: &str, count: usize) -> Vec<CallRequest> {
    let request = |n: usize| CallRequest {
        id: n.to_string(),
        name: tool.into(),
        arguments: json!({ "n": n }),
    };
    (0..count).map(request).collect()
}

/// A tool that ends only when `together` of its calls run at once, and counts the most that did.
fn meets(spec: Value, together: usize) -> (Given, Arc<AtomicUsize>) {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (barrier, seen) = (Arc::new(Barrier::new(together)), most.clone());
    let tool = given(spec, move |_| {
        let (now, most, barrier) = (now.clone(), most.clone(), barrier.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            barrier.wait().await;
            now.fetch_sub(1, Ordering::SeqCst);
            ToolResult::text("met")
        }
        .boxed()
    });
    (tool, seen)
}

#[tokio::test]
async fn as_many_calls_of_a_turn_run_at_once_as_the_owner_says() {
    let house = House::new(json!({ "execute": { "parallel": 3 } })).await;
    let (tool, most) = meets(json!({ "name": "look", "capabilities": ["read-only"] }), 3);
    house.rt.register(tool).unwrap();
    let answers = house.rt.call_all(&CallContext::new(), requests("look", 9)).await.unwrap();
    assert!(answers.iter().all(|answer| answer.result.for_llm == "met"), "{answers:?}");
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn what_does_not_say_what_it_changes_runs_alone() {
    let house = House::new(json!({})).await;
    let alone = [
        json!({ "name": "undeclared" }),
        json!({ "name": "bridged", "capabilities": ["mutating", "mcp-bridged"] }),
        json!({ "name": "goes_on", "capabilities": ["async"], "touches": [n("write")] }),
        json!({ "name": "erase", "capabilities": ["destructive"], "touches": [n("write")] }),
    ];
    for spec in alone {
        let name = spec["name"].as_str().unwrap().to_owned();
        let (tool, most) = meets(spec, 1);
        house.rt.register(tool).unwrap();
        house.rt.call_all(&CallContext::new(), requests(&name, 4)).await.unwrap();
        assert_eq!(most.load(Ordering::SeqCst), 1, "{name}");
    }
}

/// Declares that the argument `n` names a session.
fn n(effect: &str) -> Value {
    json!({ "argument": "n", "resource": "session", "effect": effect })
}

#[tokio::test]
async fn writes_to_different_declared_resources_run_side_by_side() {
    let house = House::new(json!({})).await;
    let spec = json!({ "name": "put", "capabilities": ["mutating"], "touches": [
        { "argument": "url", "resource": "host", "effect": "write" }
    ] });
    let (tool, most) = meets(spec, 2);
    house.rt.register(tool).unwrap();
    let urls = ["https://a.com/1", "http://b.com", "https://A.com:444/2", "https://b.com/x"];
    let requests = urls.map(|url| CallRequest {
        id: url.into(),
        name: "put".into(),
        arguments: json!({ "url": url }),
    });
    let answers = house.rt.call_all(&CallContext::new(), requests.to_vec()).await.unwrap();
    assert_eq!(answers.iter().map(|answer| answer.id.as_str()).collect::<Vec<_>>(), urls);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn cancelling_a_turn_reaches_every_call_and_each_is_answered() {
    let house = House::new(json!({ "execute": { "parallel": 2 } })).await;
    let started = Arc::new(AtomicUsize::new(0));
    let count = started.clone();
    let spec = json!({ "name": "stays", "capabilities": ["read-only"] });
    let tool = given(spec, move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        std::future::pending().boxed()
    });
    house.rt.register(tool).unwrap();
    let token = CancellationToken::new();
    let cx = CallContext::new().with_cancellation(token.clone());
    let cancel = async {
        eventually(async || started.load(Ordering::SeqCst) == 2).await;
        token.cancel();
    };
    let (answers, ()) = tokio::join!(house.rt.call_all(&cx, requests("stays", 5)), cancel);
    let answers = answers.unwrap();
    let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
    assert_eq!(ids, ["0", "1", "2", "3", "4"]);
    assert!(answers.iter().all(|answer| answer.result.code == Some(Code::Cancelled)));
    assert_eq!(started.load(Ordering::SeqCst), 2, "those that waited never began");
}

#[tokio::test]
async fn calls_at_the_same_time_share_a_budget_exactly() {
    let house = House::new(json!({ "budget": { "calls_per_run": 7 } })).await;
    let cx = CallContext::new().run("r");
    let calls = (0..20).map(|n| house.rt.call(&cx, "echo", json!({ "text": n.to_string() })));
    let results = join_all(calls).await;
    let refused = |result: &&Result<ToolResult, _>| {
        result.as_ref().unwrap().code == Some(Code::BudgetExhausted)
    };
    assert_eq!(results.iter().filter(refused).count(), 13);
}

#[tokio::test]
async fn a_warning_comes_after_the_text_and_within_the_caps() {
    let config = json!({ "output": { "max_chars": 1_000 }, "loops": {
        "identical": { "warning": 2, "critical": 9 }
    } });
    let house = House::new(config).await;
    let cx = CallContext::new().run("r").session("s");
    for length in [900, 990, 1_000, 5_000] {
        let args = json!({ "text": "x".repeat(length) });
        let first = house.rt.call(&cx, "echo", args.clone()).await.unwrap();
        assert!(!first.for_llm.contains("[You have called"), "{}", first.for_llm);
        let second = house.rt.call(&cx, "echo", args).await.unwrap();
        assert!(second.for_llm.contains("\n\n[You have called `echo` 2 times"));
        assert!(second.for_llm.ends_with("is refused.]"), "{}", second.for_llm);
        assert!(second.for_llm.chars().count() <= 1_000, "{length}");
    }
}

#[tokio::test]
async fn an_event_reports_a_loop() {
    let house = House::new(json!({})).await;
    let cx = CallContext::new().run("r").session("s");
    for _ in 0..5 {
        house.rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap();
    }
    house.rt.invoke("audit.query", json!({})).await.unwrap();
    let events = house.rt.invoke("events.read", json!({})).await.unwrap();
    let answer: Vec<&Value> = events["events"]
        .as_array()
        .or(events.as_array())
        .unwrap()
        .iter()
        .map(|event| &event["data"]["notes"]["loop"]["level"])
        .collect();
    assert_eq!(
        answer,
        [&Value::Null, &Value::Null, &json!("warning"), &json!("warning"), &json!("critical")]
    );
}

async fn read(rt: &Runtime, tool: &str) -> (String, bool) {
    let args = json!({ "path": "f" });
    let cx = CallContext::new().run("r");
    let result = rt.call(&cx, tool, args).await.unwrap();
    (result.for_llm, result.cached)
}

#[tokio::test]
async fn a_file_that_another_process_changed_is_read_anew() {
    let house = House::new(json!({})).await;
    let file = house.folder.path().join("f");
    let settled = Duration::from_millis(120);
    for text in ["one", "two", "six"] {
        std::fs::write(&file, text).unwrap();
        tokio::time::sleep(settled).await;
        assert_eq!(read(&house.rt, "read_file").await, (text.into(), false));
        let again = read(&house.rt, "read_file").await;
        assert_eq!((again.0.as_str(), again.1), (text, true));
    }
}

#[tokio::test]
async fn what_was_read_while_it_was_written_is_not_given_again() {
    let house = House::new(json!({})).await;
    let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let touches = json!([{ "argument": "path", "resource": "path", "effect": "read" }]);
    let spec = json!({ "name": "slow", "capabilities": ["read-only"], "touches": touches });
    let (waits, counts) = (gate.clone(), begun.clone());
    let tool = given(spec, move |_| {
        let gate = waits.clone();
        let number = counts.fetch_add(1, Ordering::SeqCst);
        async move {
            gate.acquire().await.unwrap().forget();
            ToolResult::text(number.to_string())
        }
        .boxed()
    });
    house.rt.register(tool).unwrap();
    let write = async {
        eventually(async || begun.load(Ordering::SeqCst) == 1).await;
        let args = json!({ "path": "./f", "content": "new" });
        assert!(!house.call("write_file", args).await.is_error);
        gate.add_permits(2);
    };
    let (first, ()) = tokio::join!(read(&house.rt, "slow"), write);
    assert_eq!(first, ("0".into(), false));
    assert_eq!(read(&house.rt, "slow").await, ("1".into(), false));
    assert_eq!(read(&house.rt, "slow").await, ("1".into(), true));
}

#[tokio::test]
async fn what_a_call_that_was_given_up_may_still_change_is_read_each_time() {
    let house = House::new(json!({})).await;
    let touch =
        |effect: &str| json!([{ "argument": "path", "resource": "path", "effect": effect }]);
    let spec = json!({ "name": "peek", "capabilities": ["read-only"], "touches": touch("read") });
    house.rt.register(says(spec)).unwrap();
    let spec = json!({
        "name": "never", "capabilities": ["mutating"], "timeout_ms": 20, "touches": touch("write")
    });
    house.rt.register(given(spec, |_| std::future::pending().boxed())).unwrap();
    assert!(!read(&house.rt, "peek").await.1);
    assert!(read(&house.rt, "peek").await.1);
    let late = house.call("never", json!({ "path": "other" })).await;
    assert_eq!(late.code, Some(Code::Timeout));
    assert!(read(&house.rt, "peek").await.1);
    house.call("never", json!({ "path": "f" })).await;
    for _ in 0..2 {
        assert!(!read(&house.rt, "peek").await.1);
    }
}

#[tokio::test]
async fn many_calls_at_once_never_get_what_is_no_longer_so() {
    let house = House::new(json!({ "loops": { "enabled": false } })).await;
    let value = Arc::new(AtomicUsize::new(0));
    let touch =
        |effect: &str| json!([{ "argument": "path", "resource": "path", "effect": effect }]);
    let spec = json!({ "name": "get", "capabilities": ["read-only"], "touches": touch("read") });
    let of_get = value.clone();
    let get = given(spec, move |_| {
        let value = of_get.clone();
        async move { ToolResult::text(value.load(Ordering::SeqCst).to_string()) }.boxed()
    });
    let spec = json!({ "name": "add", "capabilities": ["mutating"], "touches": touch("write") });
    let of_add = value.clone();
    let add = given(spec, move |_| {
        of_add.fetch_add(1, Ordering::SeqCst);
        async { ToolResult::default() }.boxed()
    });
    house.rt.register(get).unwrap();
    house.rt.register(add).unwrap();
    let cached = AtomicUsize::new(0);
    let reader = async {
        for _ in 0..400 {
            let before = value.load(Ordering::SeqCst);
            let (text, was_cached) = read(&house.rt, "get").await;
            // A write that has ended before the read began is seen.
            assert!(text.parse::<usize>().unwrap() + 1 > before, "{text} after {before}");
            cached.fetch_add(usize::from(was_cached), Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    };
    let writer = async {
        for n in 0..100 {
            house.call("add", json!({ "path": "f" })).await;
            let (text, _) = read(&house.rt, "get").await;
            assert_eq!(text, (n + 1).to_string());
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(reader, writer);
    assert!(cached.load(Ordering::SeqCst) > 0);
}

async fn watching(store: Arc<dyn Store>, clock: Arc<dyn Clock>, mode: &str) -> Runtime {
    let config = json!({ "policy": { "taint": { "mode": mode } } });
    let builder = Runtime::builder().config(Config::from_value(config).unwrap());
    let tools = [
        json!({ "name": "page", "capabilities": ["read-only"], "taints": ["untrusted"] }),
        json!({ "name": "diary", "capabilities": ["read-only"], "taints": ["private"] }),
        json!({ "name": "send", "capabilities": ["open-world"] }),
    ];
    let builder = tools.into_iter().fold(builder, |builder, spec| builder.tool(says(spec)));
    builder.store(store).clock(clock).build().await.unwrap()
}

async fn code(rt: &Runtime, tool: &str) -> Option<Code> {
    let cx = CallContext::new().session("s");
    rt.call(&cx, tool, json!({})).await.unwrap().code
}

#[tokio::test]
async fn what_a_session_read_in_one_process_counts_in_another() {
    let store = store::open("memory:", OpenOptions::default()).await.unwrap();
    let clock = Arc::new(ManualClock::at(1_000_000));
    let one = watching(store.clone(), clock.clone(), "deny").await;
    let two = watching(store.clone(), clock.clone(), "deny").await;
    assert_eq!(code(&one, "page").await, None);
    assert_eq!(code(&two, "diary").await, None);
    for rt in [&one, &two] {
        assert_eq!(code(rt, "send").await, Some(Code::DeniedByPolicy));
    }
    two.invoke("sessions.clear_marks", json!({ "id": "s" })).await.unwrap();
    assert_eq!(code(&two, "send").await, None);
    assert_eq!(code(&two, "diary").await, None);
    // The other process finds out a few seconds later that the marks are gone, and marks again.
    clock.advance(5_000);
    assert_eq!(code(&one, "send").await, None);
    assert_eq!(code(&one, "page").await, None);
    assert_eq!(code(&two, "send").await, Some(Code::DeniedByPolicy));
}

#[tokio::test]
async fn a_call_that_was_approved_counts_once_for_its_run() {
    let config = Config::from_value(json!({ "budget": { "calls_per_run": 2 } })).unwrap();
    let rt = Runtime::builder()
        .config(config)
        .on(Approve, |_, _| async { Ok(Some(ApprovalAnswer::allow())) })
        .tool(says(json!({ "name": "deploy", "needs_approval": true })))
        .build()
        .await
        .unwrap();
    let codes = [None, None, Some(Code::BudgetExhausted)];
    for (n, expected) in codes.into_iter().enumerate() {
        assert_eq!(code(&rt, "deploy").await, expected, "call {n}");
    }
}

/// A runtime whose tool `diary` fails the way it is told to, after `page` was read.
async fn after_failing(policy: Value, diary: Result<ToolResult, ToolError>) -> Runtime {
    struct Diary(Result<ToolResult, ToolError>);
    impl Tool for Diary {
        fn spec(&self) -> ToolSpec {
            ToolSpec::from_value(&json!({ "name": "diary", "taints": ["private"] })).unwrap()
        }
        fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            let answer = match &self.0 {
                Ok(result) => Ok(result.clone()),
                Err(error) => Err(ToolError::new(error.code, error.message.clone())),
            };
            async move { answer }.boxed()
        }
    }
    let rt = Runtime::builder()
        .config(Config::from_value(json!({ "policy": policy })).unwrap())
        .tool(says(json!({ "name": "page", "taints": ["untrusted"] })))
        .tool(Diary(diary))
        .tool(says(json!({ "name": "send", "capabilities": ["open-world"] })))
        .build()
        .await
        .unwrap();
    code(&rt, "page").await;
    code(&rt, "diary").await;
    rt
}

#[tokio::test]
async fn an_error_that_may_quote_what_is_private_marks_the_session() {
    let answer = ToolResult { is_error: true, ..ToolResult::text("exit code 1; the PIN is 1234") };
    let quoted = ToolError::new(Code::Conflict, "The nearest text: the PIN is 1234");
    let nothing = ToolError::new(Code::NotFound, "There is no such page.");
    let policy = json!({ "taint": { "mode": "deny" } });
    for (diary, expected) in [
        (Ok(answer), Some(Code::DeniedByPolicy)),
        (Err(quoted), Some(Code::DeniedByPolicy)),
        (Err(nothing), None),
    ] {
        let rt = after_failing(policy.clone(), diary).await;
        assert_eq!(code(&rt, "send").await, expected);
    }
}

#[tokio::test]
async fn a_watched_policy_records_what_a_session_has_read_and_stops_nothing() {
    for mode in ["deny", "ask"] {
        let policy = json!({ "mode": "shadow", "taint": { "mode": mode } });
        let rt = after_failing(policy, Ok(ToolResult::text("Dear diary"))).await;
        assert_eq!(code(&rt, "send").await, None, "{mode}");
        let rows = rt.invoke("audit.query", json!({})).await.unwrap();
        let rows = rows.as_array().unwrap();
        let sent = rows.iter().find(|row| row["tool"] == "send").unwrap();
        assert_eq!(sent["notes"]["taint"]["mode"], mode, "{sent}");
    }
}

async fn with_diary(mode: &str) -> Runtime {
    let config = json!({ "policy": { "taint": { "mode": mode } } });
    Runtime::builder()
        .config(Config::from_value(config).unwrap())
        .tool(says(json!({ "name": "page", "taints": ["untrusted"] })))
        .tool(says(json!({ "name": "diary", "taints": ["private"] })))
        .tool(says(json!({ "name": "send" })))
        .tool(says(json!({ "name": "look", "capabilities": ["read-only"] })))
        .build()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_tool_that_does_not_say_what_it_does_is_guarded() {
    let rt = with_diary("deny").await;
    assert_eq!(code(&rt, "page").await, None);
    assert_eq!(code(&rt, "diary").await, None);
    assert_eq!(code(&rt, "send").await, Some(Code::DeniedByPolicy));
    assert_eq!(code(&rt, "look").await, None);
}

#[tokio::test]
async fn what_a_started_agent_reads_marks_the_sessions_above_it() {
    let rt = with_diary("deny").await;
    let top = CallContext::new().agent("top").session("s1");
    let middle = top.child("middle").session("s2");
    let lowest = middle.child("lowest").session("s3");
    let call =
        async |cx: &CallContext, tool: &str| rt.call(cx, tool, json!({})).await.unwrap().code;
    assert_eq!(call(&top, "diary").await, None);
    assert_eq!(call(&lowest, "page").await, None);
    assert_eq!(call(&top, "send").await, Some(Code::DeniedByPolicy));
    // What those above have read is not what it has read.
    assert_eq!(call(&lowest, "send").await, None);
    let other = CallContext::new().agent("other").session("s4");
    assert_eq!(call(&other, "diary").await, None);
    assert_eq!(call(&other, "send").await, None);
    let marks = rt.invoke("sessions.marks", json!({ "id": "s1" })).await.unwrap();
    assert_eq!(marks.as_array().unwrap().len(), 2, "{marks}");
}
