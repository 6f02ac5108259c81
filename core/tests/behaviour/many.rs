//! Very many commands, many at once, each of which leaves something behind: of none of them anything
//! stays. Counted in a process of its own, in which nobody else opens or starts anything.

use std::fs;
use std::process::Command;

use serde_json::json;
use toolkeep::CallContext;

use crate::support::{House, eventually, half, passes};

const AT_ONCE: usize = 32;

/// Processes that wait for another command, and how many descriptors more or less may be open while
/// some wait: theirs, those of control groups, and rules that are kept for some seconds.
const MOST_IDLE: usize = 4;
const SLACK: usize = 8;

#[test]
fn many_commands_at_once_leave_nothing_behind() {
    let temp = tempfile::tempdir_in("/var").unwrap();
    let mut host = half("many::a_host_of_many_commands");
    host.env("TOOLKEEP_TEST_MANY", "1").env("TMPDIR", temp.path());
    passes(host);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_host_of_many_commands() {
    if std::env::var_os("TOOLKEEP_TEST_MANY").is_none() {
        return;
    }
    let rounds = if std::env::var_os("TOOLKEEP_SOAK").is_some() { 32 } else { 2 };
    let before = (descriptors(), children(), temps());
    let house = House::new(json!({ "approval": { "external": false } })).await;
    let leaves = "(setsid sleep 8951 &)\nsleep 8952 &\necho fine > /tmp/own\necho $1";
    fs::write(house.folder.path().join("leaves.sh"), leaves).unwrap();
    run_at_once(&house, "first").await;
    eventually(async || children().len() <= MOST_IDLE).await;
    let (open, files) = (descriptors(), temps());
    let name = files.iter().find(|name| name.starts_with("toolkeep-")).unwrap();
    for round in 0..rounds {
        run_at_once(&house, &round.to_string()).await;
    }
    eventually(async || children().len() <= MOST_IDLE && !is_left()).await;
    assert!(descriptors() <= open + SLACK, "{} and then {}", open, descriptors());
    assert_eq!(temps(), files);
    let groups = groups(name);
    let has_groups = house.rt.capabilities().await.unwrap().cgroups;
    assert_eq!(!groups.is_empty(), has_groups, "{groups:?}");
    assert!(groups.len() <= AT_ONCE, "{groups:?}");
    house.rt.close().await.unwrap();
    drop(house);
    eventually(async || children() == before.1).await;
    assert!(self::groups(name).is_empty(), "{:?}", self::groups(name));
    assert_eq!(temps(), before.2);
    assert!(descriptors() <= before.0 + 2, "{} and then {}", before.0, descriptors());
}

async fn run_at_once(house: &House, round: &str) {
    let calls = (0..AT_ONCE).map(|n| {
        let cx = CallContext::new().session(format!("{round}-{n}"));
        let args = json!({ "command": format!("bash ./leaves.sh {n}") });
        async move { house.rt.call(&cx, "exec", args).await.unwrap().for_llm }
    });
    for (n, text) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
        assert_eq!(text, format!("{n}\n"));
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The processes that this one has started and that are not forgotten: also those that have ended.
fn children() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let lists = threads.filter_map(|thread| {
        // A thread may have ended by now.
        fs::read_to_string(thread.unwrap().path().join("children")).ok()
    });
    let all = lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    all.collect()
}

/// True if something that a command has started runs, wherever it belongs.
fn is_left() -> bool {
    let found = Command::new("pgrep").args(["-f", "sleep 895[12]"]).output().unwrap();
    !found.stdout.is_empty()
}

fn temps() -> Vec<String> {
    let entries = fs::read_dir(std::env::temp_dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The control groups of a runtime.
fn groups(of: &str) -> Vec<String> {
    let mut search = Command::new("find");
    search.args(["/sys/fs/cgroup", "-type", "d", "-name", &format!("{of}-*")]);
    let found = String::from_utf8(search.output().unwrap().stdout).unwrap();
    found.lines().map(str::to_owned).collect()
}
