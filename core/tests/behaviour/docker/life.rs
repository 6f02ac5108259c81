//! The life of containers: who gets which, and when they go.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::{CallContext, Config, Runtime};
use toolkeep_test_docker::{Engine, IMAGE};

use super::{confinement, containers, house, house_with, run, settings};
use crate::support::eventually;

#[tokio::test]
async fn a_changed_setting_another_scope_and_another_runtime_are_other_containers() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let runtime = async |sandbox: Value| {
        let config = json!({ "workspace": real, "exec": { "sandbox": settings(sandbox) } });
        Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap()
    };
    let exec = async |rt: &Runtime, agent: &str, session: &str, command: &str| {
        let cx = CallContext::new().agent(agent).session(session);
        rt.call(&cx, "exec", json!({ "command": command })).await.unwrap()
    };
    let count = || Engine::shared().containers_with(&real).len();
    let one = runtime(json!({})).await;
    exec(&one, "a", "s", "echo one > /tmp/mine").await;
    exec(&one, "a", "s", "true").await;
    assert_eq!(count(), 1);
    exec(&one, "a", "t", "true").await;
    assert_eq!(count(), 2, "another session");
    let two = runtime(json!({ "pids_limit": 77 })).await;
    let result = exec(&two, "a", "s", "cat /tmp/mine; cat /sys/fs/cgroup/pids/pids.max").await;
    assert!(!result.for_llm.contains("one"), "{}", result.for_llm);
    assert_eq!(count(), 3, "another runtime");
    let ids = Engine::shared().containers_with(&real);
    let limits: Vec<String> = ids
        .iter()
        .map(|id| {
            Engine::shared().docker(&["inspect", "--format", "{{.HostConfig.PidsLimit}}", id])
        })
        .collect();
    assert!(limits.contains(&"77".to_owned()), "{limits:?}");
    one.close().await.unwrap();
    assert_eq!(count(), 1, "the other's stays");
    assert!(!exec(&two, "a", "s", "true").await.is_error);
    two.close().await.unwrap();
    assert_eq!(count(), 0);

    let agent = runtime(json!({ "scope": "agent" })).await;
    for (name, session) in [("a", "s"), ("a", "t"), ("b", "s")] {
        exec(&agent, name, session, "true").await;
    }
    assert_eq!(count(), 2);
    let shared = runtime(json!({ "scope": "shared" })).await;
    for (name, session) in [("a", "s"), ("a", "t"), ("b", "s")] {
        exec(&shared, name, session, "true").await;
    }
    assert_eq!(count(), 3);
    let main = runtime(json!({ "mode": "non-main" })).await;
    let ran_in =
        async |name: &str| confinement(&exec(&main, name, "s", "true").await)["ran_in"].clone();
    assert_eq!((ran_in("main").await, ran_in("other").await), (json!("host"), json!("sandbox")));
    drop((agent, shared, main));
    eventually(async || count() == 0).await;
}

#[tokio::test]
async fn calls_that_race_make_one_container() {
    let house = house(json!({})).await;
    let calls = (0..12).map(|n| {
        let house = &house;
        async move { run(house, &format!("echo {n}")).await.for_llm }
    });
    for (n, text) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
        assert_eq!(text, format!("{n}\n"));
    }
    assert_eq!(containers(&house).len(), 1);
}

#[tokio::test]
async fn idle_and_old_containers_go_and_those_in_use_stay() {
    let every = json!({ "prune_interval_min": 0.002, "idle_hours": 0.0002 });
    let house = house(every).await;
    let result = house.call("exec", json!({ "command": "sleep 2; echo done" })).await;
    assert_eq!(result.for_llm, "done\n", "it was in use");
    eventually(async || containers(&house).is_empty()).await;
    assert_eq!(run(&house, "echo new").await.for_llm, "new\n");

    let old = json!({ "prune_interval_min": 0.002, "max_age_days": 0.000_01 });
    let house = house_with(old, json!({})).await;
    run(&house, "true").await;
    eventually(async || containers(&house).is_empty()).await;
}

#[tokio::test]
async fn a_container_that_was_removed_is_made_again() {
    let house = house(json!({})).await;
    run(&house, "true").await;
    let id = containers(&house).remove(0);
    Engine::shared().docker(&["rm", "--force", &id]);
    assert_eq!(run(&house, "echo back").await.for_llm, "back\n");
    assert_eq!(containers(&house).len(), 1);
}

/// A process that is killed cannot clear up; its containers go all the same.
#[test]
fn containers_end_with_a_process_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "docker::life::a_process_to_be_killed",
            "--include-ignored",
            "--nocapture",
        ])
        .env("TOOLKEEP_TEST_SANDBOX", real.to_str().unwrap())
        .env("TOOLKEEP_TEST_SOCKET", Engine::shared().socket())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let waits = |until: &dyn Fn() -> bool| {
        let holds = (0..400).any(|_| {
            until() || {
                std::thread::sleep(Duration::from_millis(50));
                false
            }
        });
        assert!(holds, "it did not come to hold within twenty seconds");
    };
    let containers = || Engine::shared().containers_with(&real);
    waits(&|| Path::new(&real).join("ran").exists());
    assert_eq!(containers().len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    waits(&|| containers().is_empty());
}

#[tokio::test]
async fn a_process_to_be_killed() {
    let Ok(workspace) = std::env::var("TOOLKEEP_TEST_SANDBOX") else {
        // On its own it is only a runtime that is dropped.
        let house = house(json!({})).await;
        assert!(!run(&house, "true").await.is_error);
        return;
    };
    let socket = std::env::var("TOOLKEEP_TEST_SOCKET").unwrap();
    let sandbox = json!({ "mode": "all", "image": IMAGE, "socket": socket });
    let config = json!({ "workspace": workspace, "exec": { "sandbox": sandbox } });
    let rt = Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap();
    let cx = CallContext::new().session("s");
    let result = rt.call(&cx, "exec", json!({ "command": "touch ran" })).await.unwrap();
    assert!(!result.is_error, "{}", result.for_llm);
    tokio::time::sleep(Duration::from_secs(60)).await;
}
