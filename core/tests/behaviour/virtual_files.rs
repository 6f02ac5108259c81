//! Files that live in the store: whose they are, and that no change of one is lost.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolkeep::{CallContext, Caller, Code, Config, Runtime, ToolResult};

use crate::faulty;
use crate::support::House;

/// A runtime on a folder and a store of the test's choice.
async fn runtime(folder: &std::path::Path, store: &str) -> Runtime {
    // Another's change since the last read would be refused, and not made anew.
    let files = json!({ "write_safety": "off" });
    let workspace = folder.to_str().unwrap();
    let config = json!({ "workspace": workspace, "store": store, "files": files });
    let config = Config::from_value(config).unwrap();
    Runtime::builder().config(config).build().await.unwrap()
}

fn cx(caller: Value) -> CallContext {
    Caller::from_value(&caller).unwrap().into()
}

async fn call(rt: &Runtime, caller: &Value, tool: &str, args: Value) -> ToolResult {
    rt.call(&cx(caller.clone()), tool, args).await.unwrap()
}

async fn put(rt: &Runtime, user: Option<&str>, name: &str, text: &str) {
    let args = json!({ "agent": "a", "user": user, "name": name, "text": text });
    rt.invoke("context_files.put", args).await.unwrap();
}

fn open_agent(user: &str) -> Value {
    json!({ "agent": "a", "user": user, "agent_type": "open" })
}

async fn read(rt: &Runtime, caller: &Value, path: &str) -> ToolResult {
    call(rt, caller, "read_file", json!({ "path": path })).await
}

async fn write(rt: &Runtime, caller: &Value, path: &str, text: &str) -> ToolResult {
    call(rt, caller, "write_file", json!({ "path": path, "content": text })).await
}

#[tokio::test]
async fn what_a_context_file_is_called_leads_to_the_store_however_it_is_spelled() {
    let house = House::new(json!({})).await;
    let (rt, root) = (&house.rt, house.folder.path());
    std::fs::create_dir(root.join("docs")).unwrap();
    std::fs::write(root.join("soul.md"), "on the disk").unwrap();
    std::os::unix::fs::symlink("SOUL.md", root.join("linked")).unwrap();
    std::os::unix::fs::symlink("../SOUL.md", root.join("docs/up")).unwrap();
    let one = open_agent("u");
    let absolute = root.join("SOUL.md").to_str().unwrap().to_owned();
    assert!(!write(rt, &one, "SOUL.md", "in the store").await.is_error);
    for path in
        ["SOUL.md", "./SOUL.md", "docs/../SOUL.md", "soul.md", &absolute, "linked", "docs/up"]
    {
        assert_eq!(read(rt, &one, path).await.for_llm, "in the store", "{path}");
    }
    assert!(!root.join("SOUL.md").exists());
    // A file of the same name elsewhere is a file.
    assert!(!write(rt, &one, "docs/SOUL.md", "a project's").await.is_error);
    assert_eq!(std::fs::read_to_string(root.join("docs/SOUL.md")).unwrap(), "a project's");
    assert_eq!(read(rt, &one, "SOUL.md").await.for_llm, "in the store");
    // Without an agent there are no such files.
    assert_eq!(read(rt, &json!({}), "soul.md").await.for_llm, "on the disk");
}

#[tokio::test]
async fn a_call_without_an_agent_reads_team_files_of_the_disk_at_any_depth() {
    let house = House::new(json!({})).await;
    std::fs::write(house.folder.path().join("TEAM.md"), "ours").unwrap();
    std::fs::create_dir(house.folder.path().join("a")).unwrap();
    std::fs::write(house.folder.path().join("a/AVAILABILITY.md"), "mine").unwrap();
    let one = open_agent("u");
    assert_eq!(read(&house.rt, &one, "TEAM.md").await.for_llm, "ours");
    assert_eq!(read(&house.rt, &one, "a/AVAILABILITY.md").await.for_llm, "mine");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_edit_of_one_file_is_lost_among_two_runtimes() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    let runtimes = [runtime(folder.path(), &store).await, runtime(folder.path(), &store).await];
    edits_from_two_runtimes(runtimes).await;
}

/// Each of 8 tasks on two runtimes counts its own line up 15 times.
pub async fn edits_from_two_runtimes(runtimes: [Runtime; 2]) {
    const TASKS: usize = 8;
    const EDITS: usize = 15;
    let runtimes = runtimes.map(Arc::new);
    let one = open_agent("u");
    for path in ["SOUL.md", "memory/counts.md"] {
        let start: String = (0..TASKS).map(|task| format!("task {task}: 0.\n")).collect();
        assert!(!write(&runtimes[0], &one, path, &start).await.is_error);
        let tasks = (0..TASKS).map(|task| {
            let (rt, one) = (runtimes[task % 2].clone(), one.clone());
            tokio::spawn(async move {
                for n in 0..EDITS {
                    let (old, new) =
                        (format!("task {task}: {n}."), format!("task {task}: {}.", n + 1));
                    let args = json!({ "path": path, "old_string": old, "new_string": new });
                    let done = call(&rt, &one, "edit", args).await;
                    assert!(!done.is_error, "{}", done.for_llm);
                }
            })
        });
        join_all(tasks).await.into_iter().for_each(|done| done.unwrap());
        let end: String = (0..TASKS).map(|task| format!("task {task}: {EDITS}.\n")).collect();
        assert_eq!(read(&runtimes[1], &one, path).await.for_llm, end);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_reader_of_another_runtime_sees_less_than_a_finished_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    let (here, there) =
        (runtime(folder.path(), &store).await, runtime(folder.path(), &store).await);
    reads_after_writes(&here, &there).await;
}

/// Readers that never stop reading while the file is written: after each write has finished, none
/// may show an older text, whichever runtime it reads by.
pub async fn reads_after_writes(here: &Runtime, there: &Runtime) {
    let one = open_agent("u");
    let finished = std::sync::atomic::AtomicUsize::new(0);
    assert!(!write(here, &one, "USER.md", "0").await.is_error);
    let writer = async {
        for n in 1..=40 {
            assert!(!write(here, &one, "USER.md", &n.to_string()).await.is_error);
            finished.store(n, Ordering::SeqCst);
        }
    };
    let reader = |rt| {
        let (finished, one) = (&finished, &one);
        async move {
            while finished.load(Ordering::SeqCst) < 40 {
                let least = finished.load(Ordering::SeqCst);
                let shown: usize = read(rt, one, "USER.md").await.for_llm.parse().unwrap();
                assert!(shown >= least, "{shown} is older than {least}");
            }
        }
    };
    tokio::join!(writer, reader(here), reader(there), reader(there));
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_an_error_and_not_a_missing_file() {
    let folder = tempfile::tempdir().unwrap();
    let (rt, knobs) =
        faulty::faulty_rt(json!({ "workspace": folder.path().to_str().unwrap() })).await;
    let one = open_agent("u");
    put(&rt, None, "SOUL.md", "the agent's").await;
    *knobs.unreadable.lock().unwrap() = vec!["toolkeep_context_files", "toolkeep_documents"];
    for (tool, args) in [
        ("read_file", json!({ "path": "SOUL.md" })),
        ("read_file", json!({ "path": "memory/a.md" })),
        ("write_file", json!({ "path": "SOUL.md", "content": "x" })),
        ("write_file", json!({ "path": "MEMORY.md", "content": "x" })),
        ("edit", json!({ "path": "SOUL.md", "old_string": "the", "new_string": "a" })),
    ] {
        let error = rt.call(&cx(one.clone()), tool, args.clone()).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreUnavailable, "{tool} {args}");
    }
    knobs.unreadable.lock().unwrap().clear();
    // Nothing was written over the user's file from what did not show.
    assert_eq!(read(&rt, &one, "SOUL.md").await.for_llm, "the agent's");
}

#[tokio::test]
async fn a_permission_that_cannot_be_checked_is_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let (rt, knobs) =
        faulty::faulty_rt(json!({ "workspace": folder.path().to_str().unwrap() })).await;
    let group = json!({ "agent": "a", "agent_type": "open", "user": "group:x:1", "sender": "7" });
    let grant = json!({
        "kind": "context_files", "resource": "group:x:1", "user": "7", "effect": "allow"
    });
    rt.invoke("grants.put", grant).await.unwrap();
    assert!(!write(&rt, &group, "SOUL.md", "one").await.is_error);
    knobs.unreadable.lock().unwrap().push("toolkeep_grants");
    let args = json!({ "path": "SOUL.md", "content": "two" });
    let error = rt.call(&cx(group.clone()), "write_file", args).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable);
    assert!(error.message().contains("permission check failed"), "{error}");
    knobs.unreadable.lock().unwrap().clear();
    assert_eq!(read(&rt, &group, "SOUL.md").await.for_llm, "one");
}

#[tokio::test]
async fn secrets_of_a_stored_file_are_masked_before_a_page_is_cut_and_go_back_with_the_vault() {
    let token = crate::support::TOKEN;
    let one = json!({ "agent": "a", "user": "u", "agent_type": "open", "session": "s" });
    for vault in [false, true] {
        let house = House::new(json!({ "vault": { "enabled": vault } })).await;
        let rt = &house.rt;
        put(rt, Some("u"), "TOOLS.md", &format!("key: {token}\nuse it\n")).await;
        let shown = read(rt, &one, "TOOLS.md").await.for_llm;
        assert!(!shown.contains(&token[4..20]) && shown.contains("[REDACTED"), "{shown}");
        let changed = shown.replace("use it", "use it well");
        let written = write(rt, &one, "TOOLS.md", &changed).await;
        let edit = json!({ "path": "TOOLS.md", "old_string": "use it", "new_string": "do" });
        let edited = call(rt, &one, "edit", edit).await;
        assert!(!edited.is_error, "{}", edited.for_llm);
        let args = json!({ "agent": "a", "user": "u", "name": "TOOLS.md" });
        let kept = rt.invoke("context_files.get", args).await.unwrap();
        let expected = match vault {
            true => {
                assert!(!written.is_error, "{}", written.for_llm);
                format!("key: {token}\ndo well\n")
            }
            false => {
                assert_eq!(written.code, Some(Code::SecretUnbound), "{}", written.for_llm);
                format!("key: {token}\ndo\n")
            }
        };
        assert_eq!(kept["text"], expected);
    }
}

const CHILD: &str = "TOOLKEEP_MEMORY_STORE";

/// The child's part: does nothing unless the parent set its variable.
#[tokio::test]
async fn child_remembers_until_it_is_killed() {
    let Ok(store) = std::env::var(CHILD) else { return };
    let folder = tempfile::tempdir().unwrap();
    let rt = runtime(folder.path(), &store).await;
    for n in 0..100_000 {
        let path = format!("memory/{}-{n}.md", std::process::id());
        assert!(!write(&rt, &open_agent("u"), &path, "text").await.is_error);
        println!("kept {path}");
    }
}

#[tokio::test]
async fn a_process_that_is_killed_after_a_write_leaves_it_to_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let store = store.clone();
        acknowledged.extend(
            tokio::task::spawn_blocking(move || remember_and_kill(&store, 40 + round * 30))
                .await
                .unwrap(),
        );
    }
    assert!(!acknowledged.is_empty(), "nothing was written before the kill");
    let rt = runtime(folder.path(), &store).await;
    let queue = |after: i64| {
        let rt = &rt;
        async move { rt.invoke("memory.queued", json!({ "after": after, "limit": 7 })).await.unwrap() }
    };
    let (mut queued, mut after) = (BTreeSet::new(), 0);
    loop {
        let page = queue(after).await;
        assert_eq!(page["missed"], false);
        let files = page["queued"].as_array().unwrap();
        queued.extend(files.iter().map(|file| file["path"].as_str().unwrap().to_owned()));
        after = page["next"].as_i64().unwrap();
        if page["more"] == false {
            break;
        }
    }
    let lost: Vec<_> = acknowledged.iter().filter(|path| !queued.contains(*path)).collect();
    assert!(lost.is_empty(), "{} of {} are lost", lost.len(), acknowledged.len());
    for path in &queued {
        let args = json!({ "agent": "a", "user": "u", "path": path });
        assert_eq!(rt.invoke("documents.get", args).await.unwrap()["text"], "text");
    }
}

/// The paths that the child said were kept before it was killed.
fn remember_and_kill(store: &str, after_first_ms: u64) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "virtual_files::child_remembers_until_it_is_killed", "--nocapture"])
        .env(CHILD, store)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut paths = Vec::new();
    let mut first = None;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some((_, path)) = line.split_once("kept ") else { continue };
        if path.ends_with(".md") {
            paths.push(path.to_owned());
        }
        let began = *first.get_or_insert_with(Instant::now);
        if began.elapsed() > Duration::from_millis(after_first_ms) {
            // A second kill of the same child does nothing.
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    paths
}

#[tokio::test]
async fn an_edit_of_a_file_that_was_deleted_and_made_anew_meanwhile_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    let (here, there) =
        (runtime(folder.path(), &store).await, runtime(folder.path(), &store).await);
    let one = open_agent("u");
    for path in ["SOUL.md", "memory/a.md"] {
        // Many edits of one beside one who deletes and makes the file anew, always in version 1: an
        // edit that was made from an older text must not take the place of a newer one.
        for round in 0..20 {
            let start = format!("round {round}: a");
            assert!(!write(&here, &one, path, &start).await.is_error);
            let anew = async {
                write(&there, &one, path, "").await;
                write(&there, &one, path, &format!("round {round}: b")).await
            };
            let args = json!({ "path": path, "old_string": "a", "new_string": "edited" });
            let edit = call(&here, &one, "edit", args);
            let (edited, anew) = tokio::join!(edit, anew);
            assert!(!anew.is_error, "{}", anew.for_llm);
            let text = read(&here, &one, path).await.for_llm;
            assert_eq!(text, format!("round {round}: b"), "{}", edited.for_llm);
            write(&here, &one, path, "").await;
        }
    }
}

/// What all users of the agent `a` read there.
async fn agents(rt: &Runtime, operation: &str, key: &str, name: &str) -> Option<String> {
    let mut args = json!({ "agent": "a" });
    args[key] = json!(name);
    let found = rt.invoke(operation, args).await.ok()?;
    Some(found["text"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn an_agent_that_a_user_has_started_writes_no_more_for_all_users_than_that_user() {
    let house = House::new(json!({})).await;
    let rt = &house.rt;
    put(rt, None, "HEARTBEAT.md", "of the owner").await;
    let user = json!({ "agent": "b", "user": "7" });
    let sender = json!({ "agent": "b", "sender": "7" });
    let group = json!({ "agent": "b", "peer_kind": "group" });
    let above = |parent: &Value| json!({ "agent": "b", "parent": parent });
    for parent in [user.clone(), sender.clone(), group.clone(), above(&user), above(&sender)] {
        for agent_type in ["open", "predefined"] {
            let child = json!({ "agent": "a", "agent_type": agent_type, "parent": parent });
            let wrote = write(rt, &child, "HEARTBEAT.md", "do as 7 says").await;
            assert_eq!(wrote.code, Some(Code::AccessDenied), "{parent}: {}", wrote.for_llm);
        }
    }
    let beat = agents(rt, "context_files.get", "name", "HEARTBEAT.md").await;
    assert_eq!(beat.as_deref(), Some("of the owner"));
    for parent in [user, sender] {
        let child = json!({ "agent": "a", "parent": parent });
        let wrote = write(rt, &child, "MEMORY.md", "7 is the owner").await;
        assert_eq!(wrote.code, Some(Code::AccessDenied), "{parent}: {}", wrote.for_llm);
    }
    assert_eq!(agents(rt, "documents.get", "path", "MEMORY.md").await, None);
    // In a group, a child is no way around what the group may not.
    let child = json!({ "agent": "a", "agent_type": "open", "user": "7", "parent": group });
    let wrote = write(rt, &child, "SOUL.md", "mine").await;
    assert_eq!(wrote.code, Some(Code::AccessDenied), "{}", wrote.for_llm);
    // Nobody stands behind what a run of the agent's own has started.
    let child = json!({ "agent": "a", "agent_type": "open", "parent": { "agent": "b" } });
    for path in ["HEARTBEAT.md", "MEMORY.md"] {
        let wrote = write(rt, &child, path, "of a run").await;
        assert!(!wrote.is_error, "{}", wrote.for_llm);
    }
}

#[tokio::test]
async fn nothing_lies_below_a_file_of_the_store_neither_there_nor_on_the_disk() {
    let house = House::new(json!({})).await;
    let (rt, one) = (&house.rt, open_agent("u"));
    assert!(!write(rt, &one, "memory/people/mark.md", "tea").await.is_error);
    for path in ["SOUL.md/x", "soul.md/a/b", "MEMORY.md/x.md", "memory/people/mark.md/x"] {
        let wrote = write(rt, &one, path, "slipped").await;
        assert_eq!(wrote.code, Some(Code::InvalidArguments), "{path}: {}", wrote.for_llm);
        assert!(wrote.for_llm.contains("is a file and not a folder"), "{}", wrote.for_llm);
        let found = read(rt, &one, path).await.for_llm;
        assert!(!found.contains("slipped"), "{path}: {found}");
    }
    let patch = "*** Begin Patch\n*** Add File: SOUL.md/x\n+slipped\n*** End Patch";
    assert!(call(rt, &one, "apply_patch", json!({ "patch": patch })).await.is_error);
    assert_eq!(std::fs::read_dir(house.folder.path()).unwrap().count(), 0);
    // And no file where a folder of the memory is.
    for done in [write(rt, &one, "memory/people", "x").await, read(rt, &one, "memory/people").await]
    {
        assert!(done.is_error && done.for_llm.contains("is a folder"), "{}", done.for_llm);
    }
    let listed = call(rt, &one, "list_files", json!({ "depth": 5 })).await;
    assert_eq!(listed.for_llm, "memory/\nmemory/people/\nmemory/people/mark.md (3 bytes)");
}

#[tokio::test]
async fn names_that_some_file_system_takes_for_the_same_are_the_same_in_the_store() {
    let house = House::new(json!({})).await;
    let (rt, one) = (&house.rt, open_agent("u"));
    assert!(!write(rt, &one, "SOUL.md", "in the store").await.is_error);
    assert!(!write(rt, &one, "memory/a.md", "in the store").await.is_error);
    for path in [
        "\u{17f}oul.md",
        "SO\u{200b}UL.md",
        "SOUL.md\u{feff}",
        "SOUL.md ",
        "SOUL.md.",
        "memory /a.md",
        "MEMORY./a.md",
    ] {
        assert_eq!(read(rt, &one, path).await.for_llm, "in the store", "{path:?}");
    }
}

#[tokio::test]
async fn an_edit_that_leaves_nothing_says_what_became_of_the_file() {
    let house = House::new(json!({})).await;
    let (rt, one) = (&house.rt, open_agent("u"));
    put(rt, None, "USER.md", "of the agent").await;
    let clear = |text: &str| json!({ "path": "USER.md", "old_string": text, "new_string": "" });
    let edited = call(rt, &one, "edit", clear("of the agent")).await;
    assert_eq!(edited.code, Some(Code::InvalidArguments), "{}", edited.for_llm);
    assert!(edited.for_llm.contains("is the agent's"), "{}", edited.for_llm);
    let wrote = write(rt, &one, "USER.md", "").await;
    assert!(!wrote.is_error && wrote.for_llm.contains("is the agent's"), "{}", wrote.for_llm);
    // What was refused is not taken for what the caller knows.
    let change = json!({ "path": "USER.md", "old_string": "agent", "new_string": "user" });
    let changed = call(rt, &one, "edit", change).await;
    assert!(!changed.is_error, "{}", changed.for_llm);
    let edited = call(rt, &one, "edit", clear("of the user")).await;
    assert!(edited.for_llm.contains("the one of the agent shows again"), "{}", edited.for_llm);
    assert_eq!(read(rt, &one, "USER.md").await.for_llm, "of the agent");
}

#[tokio::test]
async fn no_folder_shows_what_reading_does_not_reach() {
    let folder = tempfile::tempdir().unwrap();
    let around = folder.path().to_str().unwrap();
    let memory = folder.path().join("ws/memory");
    std::fs::create_dir_all(&memory).unwrap();
    std::fs::write(memory.join("d.md"), "on the disk").unwrap();
    std::fs::write(folder.path().join("ws/SOUL.md"), "on the disk").unwrap();
    std::fs::write(folder.path().join("ws/TEAM.md"), "on the disk").unwrap();
    let config = json!({
        "workspace": folder.path().join("ws").to_str().unwrap(),
        "files": { "read_roots": [around], "write_roots": [memory.to_str().unwrap()] },
    });
    let rt = Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap();
    let one = open_agent("u");
    // The workspace within another root.
    let listed = call(&rt, &one, "list_files", json!({ "path": around, "depth": 3 })).await;
    assert_eq!(listed.for_llm, "ws/\nws/TEAM.md (11 bytes)");
    let found = call(&rt, &one, "search", json!({ "path": around, "query": "disk" })).await;
    assert!(found.for_llm.contains("TEAM.md"), "{}", found.for_llm);
    assert!(!found.for_llm.contains("SOUL.md"), "{}", found.for_llm);
    // Another root within the workspace.
    let listed = call(&rt, &one, "list_files", json!({ "path": memory })).await;
    assert!(!listed.for_llm.contains("d.md"), "{}", listed.for_llm);
    // Keys of documents that no path leads to.
    for path in ["memory//a.md", "memory/../b.md", "memory/./c.md", "memory/"] {
        let args = json!({ "agent": "a", "path": path, "text": "stored" });
        rt.invoke("documents.put", args).await.unwrap();
    }
    let found = call(&rt, &one, "search", json!({ "query": "stored" })).await;
    assert_eq!(found.for_llm, "[No line matches]");
    let listed = call(&rt, &one, "list_files", json!({ "path": "memory" })).await;
    assert_eq!(listed.for_llm, "[There is no memory at memory yet]");
}

#[tokio::test]
async fn who_shares_a_conversation_is_not_shown_what_another_user_has_of_a_file() {
    let house = House::new(json!({})).await;
    let rt = &house.rt;
    let in_group = |user: &str| {
        let mut caller = open_agent(user);
        caller["session"] = json!("the group");
        caller
    };
    put(rt, Some("u"), "USER.md", "u lives in Lisbon\n").await;
    put(rt, Some("v"), "USER.md", "v lives in Oslo\n").await;
    assert!(read(rt, &in_group("u"), "USER.md").await.for_llm.contains("Lisbon"));
    let wrote = write(rt, &in_group("v"), "USER.md", "v lives in Bergen\n").await;
    assert!(!wrote.for_llm.contains("Lisbon"), "{}", wrote.for_llm);
    assert!(!wrote.is_error, "{}", wrote.for_llm);
}
