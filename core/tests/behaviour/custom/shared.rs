//! Custom tools that several runtimes share by their store.

use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, Config, Runtime};

use crate::support::{half, passes};

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

/// Waits until a runtime answers so.
async fn until(rt: &Runtime, code: Option<Code>, text: &str) {
    for _ in 0..6_000 {
        let (found, answer) = call(rt).await;
        if found == code && answer.contains(text) {
            return;
        }
        assert!(
            answer.contains("one\n")
                || answer.contains("two\n")
                || answer.contains("own\n")
                || found == Some(Code::UnknownTool),
            "a half set: {answer}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never answered {code:?} {text}");
}

const STORE: &str = "TOOLKEEP_TEST_STORE";
const OPERATION: &str = "TOOLKEEP_TEST_OPERATION";
const ARGUMENTS: &str = "TOOLKEEP_TEST_ARGUMENTS";

/// The other process: it changes one thing, and sees that itself.
#[tokio::test]
async fn another_process_changes_a_tool() {
    let Ok(store) = std::env::var(STORE) else { return };
    let folder = tempfile::tempdir().unwrap();
    let writer = open(&store, folder.path().to_str().unwrap()).await;
    let args = serde_json::from_str(&std::env::var(ARGUMENTS).unwrap()).unwrap();
    writer.invoke(&std::env::var(OPERATION).unwrap(), args).await.unwrap();
    writer.close().await.unwrap();
}

async fn follows_another_process(store: &str) {
    let folder = tempfile::tempdir().unwrap();
    let reader = open(store, folder.path().to_str().unwrap()).await;
    assert_eq!(call(&reader).await.0, Some(Code::UnknownTool));
    let unknown = Some(Code::UnknownTool);
    for (operation, args, code, text) in [
        ("custom_tools.put", tool("echo one", json!(null)), None, "one\n"),
        ("custom_tools.put", tool("echo two", json!(null)), None, "two\n"),
        ("custom_tools.put", tool("echo own", json!("a")), None, "own\n"),
        ("custom_tools.delete", json!({ "name": "shared", "agent": "a" }), None, "two\n"),
        ("custom_tools.delete", json!({ "name": "shared" }), unknown, "There is no tool"),
    ] {
        let mut writer = half("custom::shared::another_process_changes_a_tool");
        writer.env(STORE, store).env(OPERATION, operation).env(ARGUMENTS, args.to_string());
        // The reader is at work meanwhile.
        let writing = tokio::task::spawn_blocking(|| passes(writer));
        until(&reader, code, text).await;
        writing.await.unwrap();
    }
    reader.close().await.unwrap();
}

#[tokio::test]
async fn a_change_by_another_process_on_the_same_file_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    follows_another_process(&format!("sqlite:{}", folder.path().join("t.db").display())).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_change_by_another_process_on_the_same_database_is_seen() {
    let server = toolkeep_test_postgres::Server::shared();
    follows_another_process(&server.url(&server.new_database_name())).await;
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
async fn a_tool_called_while_it_changes_is_the_old_or_the_new_one() {
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
            let (code, answer) = call(&rt).await;
            assert!(code.is_none() && ["one\n", "two\n"].contains(&answer.as_str()), "{answer}");
        }
    };
    tokio::join!(changing, calling);
    assert_eq!(call(&rt).await.1, "one\n");
    rt.close().await.unwrap();
}
