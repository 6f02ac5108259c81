//! What must not get round a gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::call::Output;
use toolkeep::tool::Assessment;
use toolkeep::{
    CallContext, CallRequest, Code, Config, Runtime, Tool, ToolError, ToolResult, ToolSpec,
};

use crate::faulty::faulty_rt;
use crate::support::{House, echo};

#[tokio::test]
async fn agents_put_holds_from_the_next_call_on() {
    let (rt, k) = faulty_rt(json!({})).await;
    let cx = CallContext::new().agent("a");
    k.slow_agents.store(150, Ordering::SeqCst);
    let first = tokio::spawn({
        let (rt, cx) = (rt.clone(), cx.clone());
        async move { rt.call(&cx, "echo", json!({"text":"1"})).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    rt.invoke("agents.put", json!({"id": "a", "deny": ["echo"]})).await.unwrap();
    first.await.unwrap().unwrap();
    let next = rt.call(&cx, "echo", json!({"text": "2"})).await.unwrap();
    assert_eq!(next.code, Some(Code::DeniedByPolicy), "the denied call ran: {}", next.for_llm);
}

#[tokio::test]
async fn a_dropped_agents_put_is_still_seen() {
    let (rt, k) = faulty_rt(json!({})).await;
    let cx = CallContext::new().agent("a");
    rt.call(&cx, "echo", json!({"text":"1"})).await.unwrap();
    k.slow_writes.store(200, Ordering::SeqCst);
    let put = rt.invoke("agents.put", json!({"id": "a", "deny": ["echo"]}));
    assert!(tokio::time::timeout(Duration::from_millis(20), put).await.is_err());
    k.slow_writes.store(0, Ordering::SeqCst);
    assert_eq!(rt.invoke("agents.get", json!({"id":"a"})).await.unwrap()["deny"], json!(["echo"]));
    let next = rt.call(&cx, "echo", json!({"text": "2"})).await.unwrap();
    assert_eq!(next.code, Some(Code::DeniedByPolicy), "the denied call ran: {}", next.for_llm);
}

#[tokio::test]
async fn members_of_a_declared_group_mean_what_entries_mean() {
    let mut open = Vec::new();
    for member in ["write_*", "w", "group:fs"] {
        let config = json!({"groups": {"danger": [member]}, "policy": {"deny": ["group:danger"]}});
        let house = House::new(config).await;
        house.rt.registry().alias("w", "write_file").unwrap();
        let r = house.call("write_file", json!({"path": "x", "content": "y"})).await;
        if r.code != Some(Code::DeniedByPolicy) {
            open.push((member, r.for_llm));
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[tokio::test]
async fn an_entry_that_can_never_match_is_refused() {
    let mut open = Vec::new();
    for entry in ["groups:fs", "group fs", "write_file,edit", "@fs", "!write_file"] {
        let config = Config::from_value(json!({"policy": {"deny": [entry]}})).unwrap();
        let built = Runtime::builder().config(config).build().await;
        if built.is_ok() {
            open.push(entry);
        }
    }
    assert!(open.is_empty(), "taken, and deny nothing: {open:?}");
}

#[tokio::test]
async fn unregistering_a_tool_does_not_stop_all_others() {
    struct Grouped;
    impl Tool for Grouped {
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("grouped", "x").group("mine")
        }
        fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            async { Ok(ToolResult::default()) }.boxed()
        }
    }
    let config = Config::from_value(json!({"policy": {"deny": ["group:mine"]}})).unwrap();
    let rt = Runtime::builder().config(config).tool(Grouped).build().await.unwrap();
    let cx = CallContext::new();
    assert!(!rt.call(&cx, "datetime", json!({})).await.unwrap().is_error);
    rt.registry().unregister("grouped").unwrap();
    rt.call(&cx, "datetime", json!({})).await.expect("datetime still works");
}

#[tokio::test]
async fn a_hidden_tool_is_not_recommended() {
    let house = House::new(json!({"policy": {"deny": ["write_file"]}})).await;
    let r = house.call("write_fil", json!({})).await;
    assert!(!r.for_llm.contains("`write_file`"), "{}", r.for_llm);
}

#[tokio::test]
async fn a_config_made_in_rust_is_checked_too() {
    let config = Config { output: Output { max_chars: 100, max_lines: 1 }, ..Config::default() };
    let Ok(rt) = Runtime::builder().config(config).tool(echo()).build().await else { return };
    let cx = CallContext::new();
    let r = std::panic::AssertUnwindSafe(rt.call(&cx, "echo", json!({"text": "x".repeat(500)})))
        .catch_unwind()
        .await;
    panic!(
        "built; a call then gives {:?}",
        r.map(|r| r.map(|r| r.for_llm.len())).map_err(|_| "a panic in the host")
    );
}

#[tokio::test]
async fn a_panic_in_drop_is_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("drop")
            }
        }
    }
    struct T;
    impl Tool for T {
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("t", "x").timeout(Duration::from_millis(10))
        }
        fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            async {
                let _b = Bomb;
                std::future::pending().await
            }
            .boxed()
        }
    }
    let rt = Runtime::builder().tool(T).build().await.unwrap();
    let cx = CallContext::new();
    let r = std::panic::AssertUnwindSafe(rt.call(&cx, "t", json!({}))).catch_unwind().await;
    assert!(r.is_ok(), "the panic reached the host");
}

#[tokio::test]
async fn a_tools_token_does_not_fire_when_it_succeeded() {
    struct T(Arc<std::sync::Mutex<Option<CallContext>>>);
    impl Tool for T {
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("t", "x")
        }
        fn call(&self, _: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            *self.0.lock().unwrap() = Some(cx);
            async { Ok(ToolResult { is_async: true, ..ToolResult::text("started") }) }.boxed()
        }
    }
    let kept = Arc::default();
    let rt = Runtime::builder().tool(T(Arc::clone(&kept))).build().await.unwrap();
    rt.call(&CallContext::new(), "t", json!({})).await.unwrap();
    assert!(!kept.lock().unwrap().as_ref().unwrap().cancellation().is_cancelled());
}

#[tokio::test]
async fn assess_of_a_denied_tool_is_not_run() {
    struct T(Arc<AtomicBool>);
    impl Tool for T {
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("t", "x")
        }
        fn assess(&self, _: &Value, _: &CallContext) -> Assessment {
            self.0.store(true, Ordering::SeqCst);
            Assessment::default()
        }
        fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
            async { Ok(ToolResult::default()) }.boxed()
        }
    }
    let ran = Arc::new(AtomicBool::new(false));
    let config = Config::from_value(json!({"policy": {"deny": ["t"]}})).unwrap();
    let rt = Runtime::builder().config(config).tool(T(ran.clone())).build().await.unwrap();
    let req = CallRequest { id: "1".into(), name: "t".into(), arguments: json!({}) };
    let a = rt.call_all(&CallContext::new(), vec![req]).await.unwrap();
    assert_eq!(a[0].result.code, Some(Code::DeniedByPolicy));
    assert!(!ran.load(Ordering::SeqCst), "its assess ran");
}

#[test]
fn deep_values_do_not_exhaust_a_small_stack() {
    let work = || {
        let mut deep = json!(1);
        for _ in 0..10_000 {
            deep = Value::Array(vec![deep]);
        }
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio.block_on(async {
            let rt = Runtime::builder().tool(echo()).build().await.unwrap();
            let fields = serde_json::Map::from_iter([("text".to_owned(), deep)]);
            let answer = rt.call(&CallContext::new(), "echo", Value::Object(fields)).await;
            assert_eq!(answer.unwrap().code, Some(Code::InvalidArguments));
        });
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[tokio::test]
async fn cancellation_is_seen_while_a_gate_waits() {
    let (rt, k) = faulty_rt(json!({})).await;
    // Longer than anybody waits: the gate ends by the cancellation, or not at all.
    k.slow_agents.store(3_600_000, Ordering::SeqCst);
    let token = tokio_util::sync::CancellationToken::new();
    let cx = CallContext::new().agent("a").with_cancellation(token.clone());
    let (r, ()) = tokio::join!(rt.call(&cx, "echo", json!({"text":"1"})), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel()
    });
    assert_eq!(r.unwrap_err().code(), Code::Cancelled);
}

#[tokio::test]
async fn a_call_cancelled_before_it_began_takes_no_rate() {
    let house = House::new(json!({"rate_limit": {"calls": 1}})).await;
    let token = tokio_util::sync::CancellationToken::new();
    token.cancel();
    let cx = CallContext::new().session("s").with_cancellation(token);
    house.rt.call(&cx, "echo", json!({"text":"1"})).await.unwrap_err();
    let r = house.call("echo", json!({"text":"1"})).await;
    assert_eq!(r.code, None);
}
