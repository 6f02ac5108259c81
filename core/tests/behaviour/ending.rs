//! How a command is ended: it is asked to, has some time to end in good order, and then is ended.

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};
use toolkeep::{Code, ToolResult};

use crate::support::{House, eventually, script};

/// Says when it is ready to end in good order, and, asked to end, that it did: in its output, and in a file
/// for those whom no output reaches.
const TIDIES_UP: &str = "exec 2> /dev/null\n\
                         trap 'echo tidied; echo tidied > tidied; exit 7' TERM\n\
                         echo ready\necho ready > ready\nwhile :; do sleep 0.05; done";

async fn house(exec: Value) -> House {
    House::new(json!({ "approval": { "external": false }, "exec": exec })).await
}

async fn run(house: &House, command: &str) -> ToolResult {
    house.call("exec", json!({ "command": command })).await
}

fn field<'r>(result: &'r ToolResult, name: &str) -> &'r Value {
    &result.structured.as_ref().unwrap()[name]
}

#[tokio::test]
async fn what_ends_in_good_order_when_its_time_is_up_is_heard_to_the_end() {
    let house = house(json!({ "timeout_seconds": 1 })).await;
    let result = run(&house, script(&house, TIDIES_UP)).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    assert!(result.for_llm.starts_with("ready\ntidied\n[Ended after 1 s"), "{}", result.for_llm);
    assert_eq!(field(&result, "exit_code"), 7);
    assert_eq!(field(&result, "timed_out"), true);
}

#[tokio::test]
async fn what_a_shell_has_started_has_its_time_too() {
    let house = house(json!({ "timeout_seconds": 1 })).await;
    // The shell itself ends at once.
    let command = format!("echo first; {}; echo last", script(&house, TIDIES_UP));
    let result = run(&house, &command).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    assert!(result.for_llm.starts_with("first\nready\ntidied\n[Ended"), "{}", result.for_llm);
    assert_eq!(field(&result, "signal"), 15);
    let command = format!("setsid -w {}; echo last", script(&house, TIDIES_UP));
    let result = run(&house, &command).await;
    assert!(result.for_llm.starts_with("ready\ntidied\n[Ended"), "{}", result.for_llm);
}

#[tokio::test]
async fn what_is_killed_in_the_background_is_heard_to_the_end() {
    let house = house(json!({})).await;
    let started = json!({ "action": "start", "command": script(&house, TIDIES_UP) });
    let id = field(&house.call("process", started).await, "id").clone();
    let log = async || {
        let log = json!({ "action": "log", "id": id, "offset": 0 });
        house.call("process", log).await.for_llm
    };
    eventually(async || log().await.contains("ready")).await;
    let killed = house.call("process", json!({ "action": "kill", "id": id })).await;
    assert_eq!(field(&killed, "exit_code"), 7, "{}", killed.for_llm);
    assert!(log().await.starts_with("ready\ntidied\n"), "{}", log().await);
}

#[tokio::test]
async fn what_is_given_up_has_its_time_too() {
    let house = house(json!({})).await;
    let at = |name: &str| house.folder.path().join(name);
    let command = script(&house, TIDIES_UP);
    {
        let calling = run(&house, command);
        let ready = eventually(async || fs::exists(at("ready")).unwrap());
        tokio::select! {
            result = calling => panic!("it ended: {}", result.for_llm),
            () = ready => {}
        }
    }
    eventually(async || fs::exists(at("tidied")).unwrap()).await;
}

#[tokio::test]
async fn the_duration_of_a_call_is_reported() {
    let house = house(json!({})).await;
    let began = Instant::now();
    let result = run(&house, "sleep 0.3").await;
    let most = u64::try_from(began.elapsed().as_millis()).unwrap();
    let took = field(&result, "duration_ms").as_u64().unwrap();
    assert!((300..=most).contains(&took), "{took} of {most}");
}
