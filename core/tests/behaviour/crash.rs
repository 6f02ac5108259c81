//! A process that is killed loses no call that a durable runtime has answered, and leaves a ledger
//! that verifies.
//!
//! The test starts itself again as the process to be killed: the child calls and prints the id of
//! every answered call, until it is killed at some point.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::store::{AuditRow, Phase};
use toolkeep::{CallContext, Config, Runtime};

use crate::support::echo;

const CHILD: &str = "TOOLKEEP_CRASH_STORE";

fn config(url: &str) -> Config {
    Config::from_value(json!({ "store": url, "record": { "mode": "durable" } })).unwrap()
}

/// The child's part: does nothing unless the parent set its variable.
#[tokio::test]
async fn child_calls_until_it_is_killed() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let rt = Runtime::builder().config(config(&url)).tool(echo()).build().await.unwrap();
    for _ in 0..100_000 {
        let args = json!({ "text": "x" });
        let result = rt.call(&CallContext::new(), "echo", args).await.unwrap();
        println!("answered {}", result.call_id);
    }
}

#[tokio::test]
async fn killed_processes_lose_no_answered_call_and_leave_the_ledger_whole() {
    let rounds: u64 = if std::env::var_os("TOOLKEEP_SOAK").is_some() { 100 } else { 4 };
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("crash.db").display());
    let mut answered = BTreeSet::new();
    for round in 0..rounds {
        answered.extend(run_and_kill(&url, Duration::from_millis(60 + round * 37 % 250)));
    }
    assert!(!answered.is_empty(), "no call was answered before the kill");
    let rt = Runtime::builder().config(config(&url)).build().await.unwrap();
    let mut kept = BTreeSet::new();
    let mut after = Value::Null;
    loop {
        let args = json!({ "after": after, "limit": 1_000 });
        let rows = rt.invoke("audit.query", args).await.unwrap();
        let rows: Vec<AuditRow> = serde_json::from_value(rows).unwrap();
        let Some(last) = rows.last() else { break };
        after = json!(last.id);
        kept.extend(rows.into_iter().filter(|r| r.phase == Phase::Completed).map(|r| r.id));
    }
    let report = rt.invoke("audit.verify", json!({})).await.unwrap();
    assert_eq!(report["ok"], json!(true), "{report:#}");
    assert!(report["rows"].as_u64().unwrap() >= 2 * kept.len() as u64, "{report:#}");
    let lost: Vec<_> = answered.difference(&kept).collect();
    assert!(lost.is_empty(), "{} of {} answered calls are lost", lost.len(), answered.len());
}

/// Ids of the calls that the child said were answered before it was killed.
fn run_and_kill(url: &str, after_first: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child_calls_until_it_is_killed", "--nocapture"])
        .env(CHILD, url)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ids = Vec::new();
    let mut killer = None;
    for line in lines {
        let line = line.unwrap();
        // The harness prints the test's name first, on the same line as the first id.
        let Some((_, id)) = line.split_once("answered ") else { continue };
        if id.len() == 32 {
            ids.push(id.to_owned());
        }
        killer.get_or_insert_with(|| {
            let pid = child.id();
            std::thread::spawn(move || {
                std::thread::sleep(after_first);
                Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
            })
        });
    }
    if let Some(killer) = killer {
        killer.join().unwrap();
    }
    child.wait().unwrap();
    ids
}
