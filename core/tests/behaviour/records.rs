//! What a call leaves behind.

use std::time::Duration;

use serde_json::json;
use toolkeep::ops::QueryAudit;
use toolkeep::store::{AuditRow, Decision, Phase};
use toolkeep::{CallContext, Code, Config, Runtime};

use crate::support::{Hangs, House, echo, eventually};

async fn rows(rt: &Runtime) -> Vec<AuditRow> {
    let query: QueryAudit = serde_json::from_value(json!({})).unwrap();
    rt.ops().audit().query(query).await.unwrap()
}

#[tokio::test]
async fn every_call_leaves_a_row_and_an_event() {
    for mode in ["batched", "durable"] {
        let house = House::new(json!({
            "record": { "mode": mode }, "policy": { "deny": ["edit"] }
        }))
        .await;
        house.call("echo", json!({ "text": "hi" })).await;
        house.call("nope", json!({})).await;
        house.call("edit", json!({ "path": "x" })).await;
        let rows = rows(&house.rt).await;
        let seen: Vec<_> =
            rows.iter().map(|r| (r.tool.as_str(), r.decision, r.code.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("echo", Decision::Allowed, None),
                ("nope", Decision::Refused, Some("unknown_tool")),
                ("edit", Decision::Refused, Some("denied_by_policy")),
            ]
        );
        assert!(rows.iter().all(|row| row.phase == Phase::Completed));
        assert_eq!(rows[0].arguments, r#"{"text":"hi"}"#);
        let events = house.rt.invoke("events.read", json!({})).await.unwrap();
        let kinds: Vec<&str> =
            events.as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["call.completed", "call.refused", "call.refused"]);
    }
}

#[tokio::test]
async fn a_dropped_call_is_recorded_as_cancelled() {
    let house = House::new(json!({})).await;
    house.rt.register(Hangs::default()).unwrap();
    let cx = CallContext::new().timeout_ms(60_000);
    let call = house.rt.call(&cx, "hangs", json!({}));
    assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err());
    let rows = rows(&house.rt).await;
    assert_eq!(rows[0].code.as_deref(), Some("cancelled"));
    assert_eq!(rows[0].decision, Decision::Allowed);
}

#[tokio::test]
async fn arguments_are_scrubbed_and_cut_in_the_ledger() {
    let house = House::new(json!({})).await;
    let secret = crate::support::TOKEN;
    house.call("echo", json!({ "text": secret })).await;
    // The secret lies across the place where the row is cut.
    let long = format!("{}{secret}", "x ".repeat(2_040));
    house.call("echo", json!({ "text": long })).await;
    for row in rows(&house.rt).await {
        assert!(!row.arguments.contains("ghp_aB"), "{}", row.arguments);
        assert!(row.arguments.len() <= 4_096);
    }
}

#[tokio::test]
async fn batched_rows_reach_the_file_by_themselves_and_durable_ones_at_once() {
    for mode in ["batched", "durable"] {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("t.db").display());
        let config = json!({ "store": url, "record": { "mode": mode } });
        let config = Config::from_value(config).unwrap();
        let rt = Runtime::builder().config(config).tool(echo()).build().await.unwrap();
        rt.call(&CallContext::new(), "echo", json!({ "text": "x" })).await.unwrap();
        let other = Runtime::builder().store_url(url).build().await.unwrap();
        match mode {
            "durable" => assert_eq!(rows(&other).await.len(), 1),
            _ => eventually(async || rows(&other).await.len() == 1).await,
        }
    }
}

#[tokio::test]
async fn a_store_that_fails_stops_calls_instead_of_letting_them_go_unrecorded() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    let config = Config::from_value(json!({ "store": url, "record": { "mode": "durable" } }));
    let rt = Runtime::builder().config(config.unwrap()).tool(echo()).build().await.unwrap();
    let cx = CallContext::new();
    rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap();
    let store = toolkeep::store::open(&url, toolkeep::store::OpenOptions::default()).await.unwrap();
    // The same runtime over a store that is closed under it.
    let closed = Runtime::builder().store(store.clone()).tool(echo()).build().await.unwrap();
    store.close().await.unwrap();
    let mut refused = 0;
    for _ in 0..5 {
        if closed.call(&cx, "echo", json!({ "text": "x" })).await.is_err() {
            refused += 1;
        }
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert!(refused >= 3, "calls went on unrecorded");
}

#[tokio::test]
async fn events_can_be_awaited() {
    let house = House::new(json!({})).await;
    let reader = house.rt.clone();
    let waiting = tokio::spawn(async move {
        reader.invoke("events.read", json!({ "wait_ms": 20_000 })).await.unwrap()
    });
    tokio::time::sleep(Duration::from_millis(30)).await;
    house.call("echo", json!({ "text": "x" })).await;
    let events = tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap();
    assert_eq!(events[0]["kind"], "call.completed");
    let none = house.rt.invoke("events.read", json!({ "after": 1, "wait_ms": 30 })).await.unwrap();
    assert_eq!(none, json!([]));
    let error = house.rt.invoke("events.read", json!({ "wait_ms": 600_000 })).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}
