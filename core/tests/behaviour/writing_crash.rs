//! Many writers on one file, and writers that are killed.
//!
//! As in `crash`, the tests start themselves again as the other processes.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use toolkeep::{CallContext, Config, Runtime};

const EDITOR: &str = "TOOLKEEP_EDIT_WORKSPACE";
const WRITER: &str = "TOOLKEEP_WRITE_WORKSPACE";
/// How many edits each runtime of each process makes.
const EDITS: &str = "TOOLKEEP_EDITS";

fn is_soak() -> bool {
    std::env::var_os("TOOLKEEP_SOAK").is_some()
}

async fn runtime(workspace: &Path) -> Runtime {
    let config = json!({
        "workspace": workspace.to_str().unwrap(),
        "files": { "write_safety": "off" },
    });
    Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap()
}

fn start(test: &str, variables: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("writing_crash::{test}"), "--nocapture"])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Puts lines in front of the last one, each by an edit of its own.
async fn edit(rt: &Runtime, name: &str, edits: usize) {
    for n in 0..edits {
        let cx = CallContext::new().session(format!("{name} {n}"));
        let new = format!("{name}-{n}\nend");
        let args = json!({ "path": "list", "old_string": "end", "new_string": new });
        let edited = rt.call(&cx, "edit", args).await.unwrap();
        assert!(!edited.is_error, "{}", edited.for_llm);
    }
}

/// Two runtimes of one process.
async fn edit_twice(workspace: &Path, name: &str, edits: usize) {
    let (one, two) = (runtime(workspace).await, runtime(workspace).await);
    let (one_name, two_name) = (format!("{name}-one"), format!("{name}-two"));
    tokio::join!(edit(&one, &one_name, edits), edit(&two, &two_name, edits));
}

/// The child's part: does nothing unless the parent set its variables.
#[tokio::test(flavor = "multi_thread")]
async fn child_edits() {
    let (Ok(workspace), Ok(edits)) = (std::env::var(EDITOR), std::env::var(EDITS)) else { return };
    edit_twice(Path::new(&workspace), "child", edits.parse().unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_edit_of_two_processes_with_two_runtimes_each_is_lost() {
    let edits = if is_soak() { 2_500 } else { 25 };
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "end\n").unwrap();
    let workspace = folder.path().to_str().unwrap();
    let variables = [(EDITOR, workspace), (EDITS, &edits.to_string())];
    let mut child = start("child_edits", &variables);
    edit_twice(folder.path(), "parent", edits).await;
    assert!(child.wait().unwrap().success());
    let text = fs::read_to_string(&list).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.pop(), Some("end"));
    let different: HashSet<&str> = lines.iter().copied().collect();
    assert_eq!((lines.len(), different.len()), (4 * edits, 4 * edits));
}

/// The contents that are written: long enough that a write takes a while.
fn content(version: usize) -> String {
    format!("version {version}\n").repeat(20_000)
}

/// The child's part: does nothing unless the parent set its variable.
#[tokio::test]
async fn child_writes_until_it_is_killed() {
    let Ok(workspace) = std::env::var(WRITER) else { return };
    let rt = runtime(Path::new(&workspace)).await;
    for version in 0..100_000 {
        let args = json!({ "path": "file", "content": content(version) });
        let cx = CallContext::new().session(format!("{version}"));
        let wrote = rt.call(&cx, "write_file", args).await.unwrap();
        assert!(!wrote.is_error, "{}", wrote.for_llm);
        println!("wrote {version}");
    }
}

#[tokio::test]
async fn a_killed_writer_leaves_the_old_content_or_the_new_and_nothing_that_is_listed() {
    let kills: u64 = if is_soak() { 500 } else { 6 };
    let folder = tempfile::tempdir().unwrap();
    for round in 0..kills {
        let mut child =
            start("child_writes_until_it_is_killed", &[(WRITER, folder.path().to_str().unwrap())]);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.find(|line| line.as_ref().unwrap().contains("wrote 1")).unwrap().unwrap();
        std::thread::sleep(Duration::from_micros(round * 7_919 % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = fs::read_to_string(folder.path().join("file")).unwrap();
        let version: usize = text.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(text == content(version), "a part of version {version}");
    }
    let rt = runtime(folder.path()).await;
    let listed = rt.call(&CallContext::new(), "list_files", json!({})).await.unwrap();
    assert_eq!(listed.for_llm.lines().count(), 1, "{}", listed.for_llm);
}
