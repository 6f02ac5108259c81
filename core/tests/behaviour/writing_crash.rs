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
/// Where a child changes files until it is killed.
const CHANGER: &str = "TOOLKEEP_CHANGE_WORKSPACE";
/// By which tool.
const WITH: &str = "TOOLKEEP_CHANGE_WITH";
/// The files that a patch changes.
const PATCHED: [&str; 3] = ["a", "b", "c"];
/// How many lines each of them has.
const LINES: usize = 500;
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

/// What turns one version into the next.
fn change(with: &str, version: usize) -> (&'static str, serde_json::Value) {
    let (old, new) = (format!("version {version}\n"), format!("version {}\n", version + 1));
    match with {
        "edit" => {
            let args = json!({
                "path": "file", "old_string": old, "new_string": new, "replace_all": true
            });
            ("edit", args)
        }
        "append" => ("write_file", json!({ "path": "file", "content": new, "append": true })),
        _ => {
            // Each line of each file, so that a file in between would show.
            let lines = |sign: &str, line: &str| format!("{sign}{line}").repeat(LINES);
            let part = |name: &&str| {
                let (old, new) = (lines("-", &old), lines("+", &new));
                format!("*** Update File: {name}\n@@\n{old}{new}")
            };
            let parts: Vec<String> = PATCHED.iter().map(part).collect();
            let patch = format!("*** Begin Patch\n{}*** End Patch\n", parts.concat());
            ("apply_patch", json!({ "patch": patch }))
        }
    }
}

/// The child's part: does nothing unless the parent set its variables.
#[tokio::test]
async fn child_changes_until_it_is_killed() {
    let (Ok(workspace), Ok(with)) = (std::env::var(CHANGER), std::env::var(WITH)) else { return };
    let rt = runtime(Path::new(&workspace)).await;
    for version in 0..100_000 {
        let (tool, args) = change(&with, version);
        let cx = CallContext::new().session(format!("{version}"));
        let changed = rt.call(&cx, tool, args).await.unwrap();
        assert!(!changed.is_error, "{}", changed.for_llm);
        println!("made {}", version + 1);
    }
}

/// Kills a child that changes files that way, several times, and gives each folder to `check` with
/// how many changes the child told of at least.
async fn kill_while_changing(with: &str, fill: impl Fn(&Path), check: impl Fn(&Path, usize)) {
    let kills: u64 = if is_soak() { 300 } else { 5 };
    for round in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        let variables = [(CHANGER, folder.path().to_str().unwrap()), (WITH, with)];
        let mut child = start("child_changes_until_it_is_killed", &variables);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.find(|line| line.as_ref().unwrap().contains("made 2")).unwrap().unwrap();
        std::thread::sleep(Duration::from_micros(round * 7_919 % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged =
            lines.map_while(Result::ok).filter(|line| line.contains("made ")).count();
        check(folder.path(), 2 + acknowledged);
        let rt = runtime(folder.path()).await;
        let listed = rt.call(&CallContext::new(), "list_files", json!({})).await.unwrap();
        assert!(!listed.for_llm.contains(".tmp"), "{}", listed.for_llm);
    }
}

/// The version that all lines of a file are of.
fn version_of(file: &Path) -> usize {
    let text = fs::read_to_string(file).unwrap();
    let lines: HashSet<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "lines of several versions: {lines:?}");
    lines.into_iter().next().unwrap().strip_prefix("version ").unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_killed_edit_leaves_the_file_before_or_after_it() {
    let fill = |folder: &Path| fs::write(folder.join("file"), content(0)).unwrap();
    let check = |folder: &Path, least: usize| {
        let version = version_of(&folder.join("file"));
        assert!((least..=least + 1).contains(&version), "{version} where {least} were made");
        assert!(fs::read_to_string(folder.join("file")).unwrap() == content(version));
    };
    kill_while_changing("edit", fill, check).await;
}

#[tokio::test]
async fn a_killed_patch_leaves_each_of_its_files_whole_before_or_after_it() {
    let fill = |folder: &Path| {
        for name in PATCHED {
            fs::write(folder.join(name), "version 0\n".repeat(LINES)).unwrap();
        }
    };
    let check = |folder: &Path, least: usize| {
        for name in PATCHED {
            let version = version_of(&folder.join(name));
            assert!((least..=least + 1).contains(&version), "{name}: {version} after {least}");
        }
    };
    kill_while_changing("apply_patch", fill, check).await;
}

#[tokio::test]
async fn a_killed_append_loses_nothing_that_was_there() {
    let fill = |folder: &Path| fs::write(folder.join("file"), "version 0\n").unwrap();
    let check = |folder: &Path, least: usize| {
        let text = fs::read_to_string(folder.join("file")).unwrap();
        let (whole, rest) = text.rsplit_once('\n').unwrap();
        for (version, line) in whole.lines().enumerate() {
            assert_eq!(line, format!("version {version}"));
        }
        // A short text is written by one call to the system, whole or not at all.
        assert_eq!(rest, "");
        let last = whole.lines().count() - 1;
        assert!((least..=least + 1).contains(&last), "{last} where {least} were made");
    };
    kill_while_changing("append", fill, check).await;
}
