//! Custom tools that several runtimes share by their store.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, Config, Runtime};

async fn open(store: &str, workspace: &str) -> Runtime {
    let config = json!({ "store": store, "workspace": workspace });
    Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap()
}

async fn call(rt: &Runtime) -> (Option<Code>, String) {
    let cx = CallContext::new().agent("a");
    let result = rt.call(&cx, "shared", json!({})).await.unwrap();
    (result.code, result.for_llm)
}

fn tool(command: &str, agent: Value) -> Value {
    json!({ "name": "shared", "description": "d", "command": command, "agent": agent })
}

/// Waits until a runtime answers so; how long that took.
async fn until(rt: &Runtime, code: Option<Code>, text: &str) -> Duration {
    let began = Instant::now();
    for _ in 0..1_000 {
        let (found, told) = call(rt).await;
        if found == code && told.contains(text) {
            return began.elapsed();
        }
        assert!(
            told.contains("one\n")
                || told.contains("two\n")
                || told.contains("own\n")
                || found == Some(Code::UnknownTool),
            "a half set: {told}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never answered {code:?} {text}");
}

async fn follow_each_other(store: &str) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().to_str().unwrap();
    let (writer, reader) = (open(store, workspace).await, open(store, workspace).await);
    assert_eq!(call(&reader).await.0, Some(Code::UnknownTool));
    let unknown = Some(Code::UnknownTool);
    for (operation, args, code, text) in [
        ("custom_tools.put", tool("echo one", json!(null)), None, "one\n"),
        ("custom_tools.put", tool("echo two", json!(null)), None, "two\n"),
        ("custom_tools.put", tool("echo own", json!("a")), None, "own\n"),
        ("custom_tools.delete", json!({ "name": "shared", "agent": "a" }), None, "two\n"),
        ("custom_tools.delete", json!({ "name": "shared" }), unknown, "There is no tool"),
    ] {
        writer.invoke(operation, args).await.unwrap();
        let (found, told) = call(&writer).await;
        assert!(found == code && told.contains(text), "{operation}: {told}");
        let took = until(&reader, code, text).await;
        assert!(took < Duration::from_secs(10), "{operation}: {took:?}");
    }
    writer.close().await.unwrap();
    reader.close().await.unwrap();
}

#[tokio::test]
async fn a_change_by_another_runtime_on_the_same_file_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    follow_each_other(&format!("sqlite:{}", folder.path().join("t.db").display())).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_change_by_another_runtime_on_the_same_database_is_seen() {
    let server = toolkeep_test_postgres::Server::shared();
    follow_each_other(&server.url(&server.new_database_name())).await;
}

#[tokio::test]
async fn a_policy_may_name_a_tool_that_the_store_has_from_earlier() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("t.db").display());
    let workspace = folder.path().to_str().unwrap();
    let rt = open(&store, workspace).await;
    rt.invoke("custom_tools.put", tool("echo own", json!("b"))).await.unwrap();
    rt.close().await.unwrap();
    let config = json!({
        "store": store, "workspace": workspace, "policy": { "deny": ["shared"] }
    });
    let config = Config::from_value(config).unwrap();
    let rt = Runtime::builder().config(config).build().await.unwrap();
    let a = CallContext::new().agent("a");
    let clock = rt.call(&a, "datetime", json!({})).await.unwrap();
    assert!(!clock.is_error, "{}", clock.for_llm);
    let denied = rt.call(&CallContext::new().agent("b"), "shared", json!({})).await.unwrap();
    assert_eq!(denied.code, Some(Code::DeniedByPolicy), "{}", denied.for_llm);
    rt.close().await.unwrap();
}

#[tokio::test]
async fn what_is_called_while_it_changes_is_the_old_or_the_new() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open("memory:", folder.path().to_str().unwrap()).await;
    rt.invoke("custom_tools.put", tool("echo one", json!(null))).await.unwrap();
    let changing = async {
        for round in 0..30 {
            let command = if round % 2 == 0 { "echo two" } else { "echo one" };
            rt.invoke("custom_tools.put", tool(command, json!(null))).await.unwrap();
        }
    };
    let calling = async {
        for _ in 0..30 {
            let (code, told) = call(&rt).await;
            assert!(code.is_none() && ["one\n", "two\n"].contains(&told.as_str()), "{told}");
        }
    };
    tokio::join!(changing, calling);
    assert_eq!(call(&rt).await.1, "one\n");
    rt.close().await.unwrap();
}
