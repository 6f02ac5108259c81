//! Files that are written: nothing unread, nothing locked by others, nothing half.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::clock::ManualClock;
use toolkeep::error::Code;
use toolkeep::{CallContext, Config, Runtime, ToolResult};

use crate::faulty;
use crate::support::{House, TOKEN};

fn strict() -> Value {
    json!({ "files": { "write_safety": "strict" } })
}

async fn read(house: &House, path: &str) -> ToolResult {
    house.call("read_file", json!({ "path": path })).await
}

/// A replacement, an edit and a patch of the same file.
fn writers(path: &str) -> [(&'static str, Value); 3] {
    let patch = format!("--- a/{path}\n+++ b/{path}\n@@\n-one\n+two\n");
    [
        ("write_file", json!({ "path": path, "content": "two\n" })),
        ("edit", json!({ "path": path, "old_string": "one", "new_string": "two" })),
        ("apply_patch", json!({ "patch": patch })),
    ]
}

#[tokio::test]
async fn what_was_never_read_is_refused_by_every_writer_in_strict_mode() {
    for at in 0..3 {
        let house = House::new(strict()).await;
        let file = house.folder.path().join("a.txt");
        let (tool, args) = writers("a.txt")[at].clone();
        fs::write(&file, "one\n").unwrap();
        let refused = house.call(tool, args.clone()).await;
        assert_eq!(refused.code, Some(Code::Conflict), "{tool}: {}", refused.for_llm);
        assert_eq!(refused.rule.as_deref(), Some("files.write_safety"));
        assert!(refused.for_llm.contains("Read it first"), "{}", refused.for_llm);
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
        let page = json!({ "path": "./a.txt", "offset": 0, "limit": 1 });
        assert!(!house.call("read_file", page).await.is_error);
        let wrote = house.call(tool, args).await;
        assert!(!wrote.is_error, "{tool}: {}", wrote.for_llm);
        assert_eq!(fs::read_to_string(&file).unwrap(), "two\n");
    }
}

#[tokio::test]
async fn what_was_never_read_is_written_with_a_note_by_default_and_without_one_when_off() {
    for (config, noted) in [(json!({}), true), (json!({"files": {"write_safety": "off"}}), false)] {
        let house = House::new(config).await;
        for (at, (tool, args)) in writers("a.txt").into_iter().enumerate() {
            fs::write(house.folder.path().join("a.txt"), "one\n").unwrap();
            let cx = CallContext::new().session(format!("s{at}"));
            let wrote = house.rt.call(&cx, tool, args).await.unwrap();
            assert!(!wrote.is_error, "{tool}: {}", wrote.for_llm);
            assert_eq!(wrote.for_llm.contains("had not been read"), noted, "{}", wrote.for_llm);
        }
    }
}

#[tokio::test]
async fn what_was_changed_since_it_was_read_is_refused_with_the_change_and_without_its_secrets() {
    for mode in ["strict", "warn"] {
        let house = House::new(json!({ "files": { "write_safety": mode } })).await;
        let file = house.folder.path().join("a.txt");
        for (tool, args) in writers("a.txt") {
            fs::write(&file, "one\nsame\n").unwrap();
            read(&house, "a.txt").await;
            fs::write(&file, format!("one\nsame\ntoken {TOKEN}\n")).unwrap();
            let refused = house.call(tool, args).await;
            assert_eq!(refused.code, Some(Code::Conflict), "{tool}: {}", refused.for_llm);
            assert!(refused.for_llm.contains(" same\n+token "), "{}", refused.for_llm);
            assert!(!refused.for_llm.contains(TOKEN), "{}", refused.for_llm);
            assert!(fs::read_to_string(&file).unwrap().starts_with("one\n"));
        }
    }
}

#[tokio::test]
async fn what_a_tool_wrote_itself_counts_as_read() {
    let house = House::new(strict()).await;
    let write =
        |content: &str, append: bool| json!({"path": "a", "content": content, "append": append});
    for args in [write("one\n", false), write("two\n", true), write("three\n", true)] {
        assert!(!house.call("write_file", args).await.is_error);
    }
    let edit = json!({ "path": "./a", "old_string": "one", "new_string": "1" });
    assert!(!house.call("edit", edit).await.is_error);
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-two\n+2\n*** End Patch";
    let patched = house.call("apply_patch", json!({ "patch": patch })).await;
    assert!(!patched.is_error, "{}", patched.for_llm);
    let wrote = house.call("write_file", json!({ "path": "b", "content": "x" })).await;
    assert!(!wrote.is_error, "{}", wrote.for_llm);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_one_session_makes_at_once_know_of_each_other() {
    let house = House::new(strict()).await;
    let file = house.folder.path().join("a");
    fs::write(&file, "end\n").unwrap();
    read(&house, "a").await;
    let edits = (0..12).map(|n| {
        let args = json!({ "path": "a", "old_string": "end", "new_string": format!("{n}\nend") });
        house.call("edit", args)
    });
    for edited in futures_util::future::join_all(edits).await {
        assert!(!edited.is_error, "{}", edited.for_llm);
    }
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 13);
}

#[tokio::test]
async fn a_failed_read_another_session_and_another_agent_do_not_count() {
    let house = House::new(strict()).await;
    let file = house.folder.path().join("a");
    fs::write(&file, "a\0b").unwrap();
    assert!(read(&house, "a").await.is_error);
    fs::write(&file, "one\n").unwrap();
    let write = json!({ "path": "a", "content": "two\n" });
    assert!(house.call("write_file", write.clone()).await.is_error);
    read(&house, "a").await;
    let others = [
        CallContext::new().session("other"),
        CallContext::new().session("s").agent("other"),
        CallContext::new().session("s").tenant("other"),
        CallContext::new(),
    ];
    for cx in others {
        let refused = house.rt.call(&cx, "write_file", write.clone()).await.unwrap();
        assert_eq!(refused.code, Some(Code::Conflict), "{}", refused.for_llm);
    }
    assert!(!house.call("write_file", write).await.is_error);
}

#[tokio::test]
async fn the_same_file_by_a_link_or_another_root_is_the_same() {
    let house = House::new(strict()).await;
    let root = house.folder.path();
    fs::create_dir(root.join("real")).unwrap();
    fs::write(root.join("real/a"), "one\n").unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    assert!(!read(&house, "link/a").await.is_error);
    let below = CallContext::new().session("s").workspace(root.join("real").to_str().unwrap());
    let write = json!({ "path": "a", "content": "two\n" });
    let wrote = house.rt.call(&below, "write_file", write).await.unwrap();
    assert!(!wrote.is_error, "{}", wrote.for_llm);
}

#[tokio::test]
async fn a_file_too_large_to_be_compared_is_known_by_its_size_and_times() {
    let house = House::new(strict()).await;
    let file = house.folder.path().join("big.txt");
    fs::write(&file, "line\n".repeat(4 << 20)).unwrap();
    let write = json!({ "path": "big.txt", "content": "small\n" });
    assert!(house.call("write_file", write.clone()).await.is_error);
    assert!(!house.call("read_file", json!({ "path": "big.txt", "limit": 2 })).await.is_error);
    fs::write(&file, "LINE\n".repeat(4 << 20)).unwrap();
    let refused = house.call("write_file", write.clone()).await;
    assert!(refused.for_llm.contains("somebody else has changed it"), "{}", refused.for_llm);
    assert!(!house.call("read_file", json!({ "path": "big.txt", "limit": 3 })).await.is_error);
    assert!(!house.call("write_file", write).await.is_error);
}

#[tokio::test]
async fn a_large_file_that_was_read_may_be_edited_and_is_known_afterwards() {
    let house = House::new(strict()).await;
    let file = house.folder.path().join("big.txt");
    fs::write(&file, format!("one\n{}", "line\n".repeat(4 << 20))).unwrap();
    let edit =
        |old: &str, new: &str| json!({ "path": "big.txt", "old_string": old, "new_string": new });
    assert!(house.call("edit", edit("one", "two")).await.is_error);
    assert!(!house.call("read_file", json!({ "path": "big.txt", "limit": 2 })).await.is_error);
    for (old, new) in [("one", "two"), ("two", "three")] {
        let edited = house.call("edit", edit(old, new)).await;
        assert!(!edited.is_error, "{}", edited.for_llm);
    }
    fs::write(&file, format!("four\n{}", "line\n".repeat(4 << 20))).unwrap();
    let refused = house.call("edit", edit("four", "five")).await;
    assert_eq!(refused.code, Some(Code::Conflict), "{}", refused.for_llm);
    assert!(!house.call("read_file", json!({ "path": "big.txt", "limit": 2 })).await.is_error);
    assert!(!house.call("edit", edit("four", "five")).await.is_error);
    let write = json!({ "path": "big.txt", "content": "small\n" });
    let wrote = house.call("write_file", write).await;
    assert!(!wrote.is_error, "{}", wrote.for_llm);
}

struct Locked {
    clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

impl Locked {
    fn new() -> Locked {
        let clock = Arc::new(ManualClock::at(1_800_000_000_000));
        Locked { clock, folder: tempfile::tempdir().unwrap() }
    }

    /// A runtime on a store that others open, too.
    async fn runtime(&self) -> Runtime {
        let workspace = self.folder.path().join("ws");
        fs::create_dir_all(workspace.join("src")).unwrap();
        fs::write(workspace.join("src/a.txt"), "one\n").unwrap();
        let config = Config::from_value(json!({
            "workspace": workspace.to_str().unwrap(),
            "store": format!("sqlite:{}", self.folder.path().join("store.db").display()),
        }));
        Runtime::builder().config(config.unwrap()).clock(self.clock.clone()).build().await.unwrap()
    }
}

async fn call(rt: &Runtime, agent: &str, tool: &str, args: Value) -> ToolResult {
    let cx = CallContext::new().agent(agent).session(format!("session of {agent}"));
    rt.call(&cx, tool, args).await.unwrap()
}

#[tokio::test]
async fn a_lock_of_another_process_keeps_every_writer_out_at_once_and_until_it_ends() {
    let world = Locked::new();
    let (ours, theirs) = (world.runtime().await, world.runtime().await);
    let append = json!({ "path": "src/a.txt", "content": "x", "append": true });
    assert!(!call(&theirs, "b", "write_file", append.clone()).await.is_error);
    let lock = json!({ "globs": ["src/*.txt"], "ttl_ms": 60_000 });
    let locked = call(&ours, "a", "lock_paths", lock.clone()).await;
    assert!(!locked.is_error, "{}", locked.for_llm);
    let added = "*** Begin Patch\n*** Add File: src/new.txt\n+x\n*** End Patch";
    let writes = writers("src/a.txt").into_iter().chain([
        ("write_file", append),
        ("write_file", json!({ "path": "./src/new.txt", "content": "x" })),
        ("apply_patch", json!({ "patch": added })),
    ]);
    for (tool, args) in writes {
        fs::write(world.folder.path().join("ws/src/a.txt"), "one\n").unwrap();
        call(&theirs, "b", "read_file", json!({ "path": "src/a.txt", "column": 0 })).await;
        let refused = call(&theirs, "b", tool, args).await;
        assert_eq!(refused.code, Some(Code::Conflict), "{tool}: {}", refused.for_llm);
        for part in ["agent `a`", "2027-01-15T08:01:00Z (in 60 s)"] {
            assert!(refused.for_llm.contains(part), "{}", refused.for_llm);
        }
        assert_eq!(refused.retry_after_ms, Some(60_000));
        let root = world.folder.path().to_str().unwrap();
        assert!(!refused.for_llm.contains(root), "{}", refused.for_llm);
    }
    assert!(!world.folder.path().join("ws/src/new.txt").exists());
    let elsewhere = json!({ "path": "b.txt", "content": "x" });
    assert!(!call(&theirs, "b", "write_file", elsewhere).await.is_error);
    let again = call(&ours, "a", "lock_paths", lock).await;
    assert_eq!(again.structured.unwrap()["lock"], locked.structured.unwrap()["lock"]);
    let write = json!({ "path": "src/a.txt", "content": "mine" });
    assert!(!call(&ours, "a", "write_file", write).await.is_error);
    world.clock.advance(60_000);
    let write = json!({ "path": "src/a.txt", "content": "theirs", "append": true });
    assert!(!call(&theirs, "b", "write_file", write).await.is_error);
}

#[tokio::test]
async fn a_lock_for_which_no_time_is_given_lasts_five_minutes() {
    let world = Locked::new();
    let rt = world.runtime().await;
    let lock = json!({ "globs": ["src/**"] });
    let locked = call(&rt, "a", "lock_paths", lock).await;
    assert!(locked.for_llm.contains("(in 300 s)"), "{}", locked.for_llm);
    let write = json!({ "path": "src/a.txt", "content": "x" });
    world.clock.advance(299_999);
    let refused = call(&rt, "b", "write_file", write.clone()).await;
    assert_eq!((refused.code, refused.retry_after_ms), (Some(Code::Conflict), Some(1)));
    world.clock.advance(1);
    assert!(!call(&rt, "b", "write_file", write).await.is_error);
}

/// Every way to write a file that says `one`, and one to make another beside it.
fn all_writes(path: &str) -> Vec<(&'static str, Value)> {
    let append = json!({ "path": path, "content": "x", "append": true });
    let added = format!("*** Begin Patch\n*** Add File: new-{path}\n+x\n*** End Patch");
    let others = [("write_file", append), ("apply_patch", json!({ "patch": added }))];
    writers(path).into_iter().chain(others).collect()
}

#[tokio::test]
async fn nothing_is_written_while_the_store_cannot_say_who_has_locked_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    let config = json!({
        "workspace": folder.path().to_str().unwrap(), "files": { "write_safety": "off" },
    });
    let (rt, knobs) = faulty::faulty_rt(config).await;
    fs::write(&file, "one\n").unwrap();
    *knobs.unreadable.lock().unwrap() = vec!["toolkeep_leases"];
    for (tool, args) in all_writes("a.txt") {
        let error = rt.call(&CallContext::new(), tool, args.clone()).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreUnavailable, "{tool} {args}");
    }
    let lock = json!({ "globs": ["**"] });
    let error = rt.call(&CallContext::new(), "lock_paths", lock).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable);
    knobs.unreadable.lock().unwrap().clear();
    // One that does not answer at all is not waited for as long as it takes.
    *knobs.silent.lock().unwrap() = vec!["toolkeep_leases"];
    let began = Instant::now();
    // Each in a folder of its own, so that none waits for another.
    let calls = (0..all_writes("").len()).map(|at| {
        let path = format!("{at}/f.txt");
        fs::create_dir(folder.path().join(at.to_string())).unwrap();
        fs::write(folder.path().join(&path), "one\n").unwrap();
        let (rt, (tool, args)) = (rt.clone(), all_writes(&path).swap_remove(at));
        let cx = CallContext::new().session(path);
        tokio::spawn(async move { (tool, rt.call(&cx, tool, args).await.unwrap()) })
    });
    for call in calls.collect::<Vec<_>>() {
        let (tool, refused) = call.await.unwrap();
        assert_eq!(refused.code, Some(Code::StoreLocked), "{tool} {}", refused.for_llm);
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    for at in 0..all_writes("").len() {
        let text = fs::read_to_string(folder.path().join(format!("{at}/f.txt"))).unwrap();
        assert_eq!(text, "one\n", "{at}");
        assert!(!folder.path().join(format!("new-{at}/f.txt")).exists());
    }
    knobs.silent.lock().unwrap().clear();
    let write = json!({ "path": "a.txt", "content": "two\n" });
    let wrote = rt.call(&CallContext::new(), "write_file", write).await.unwrap();
    assert!(!wrote.is_error, "{}", wrote.for_llm);
}

#[tokio::test]
async fn a_file_keeps_its_mode_whoever_changes_it_and_where_it_is_moved() {
    let moved = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: deep/b.txt\n@@\n-one\n\
                 +two\n*** End Patch";
    let renamed = "diff --git a/a.txt b/deep/b.txt\nrename from a.txt\nrename to deep/b.txt\n\
                   --- a/a.txt\n+++ b/deep/b.txt\n@@ -1 +1 @@\n-one\n+two\n";
    let move_by = |patch: &str| ("apply_patch", json!({ "patch": patch }));
    let is_of_a = |(_, args): &(_, Value)| !args.to_string().contains("new-");
    let writes = all_writes("a.txt").into_iter().filter(is_of_a);
    for (tool, args) in writes.chain([move_by(moved), move_by(renamed)]) {
        for mode in [0o640, 0o755, 0o600, 0o711] {
            let house = House::new(json!({ "files": { "write_safety": "off" } })).await;
            let file = house.folder.path().join("a.txt");
            fs::write(&file, "one\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let wrote = house.call(tool, args.clone()).await;
            assert!(!wrote.is_error, "{tool} {}", wrote.for_llm);
            let there = [house.folder.path().join("deep/b.txt"), file];
            let there = there.iter().find(|path| path.exists()).unwrap();
            assert_ne!(fs::read_to_string(there).unwrap(), "one\n", "{tool}");
            let kept = fs::metadata(there).unwrap().permissions().mode() & 0o777;
            assert_eq!(format!("{kept:o}"), format!("{mode:o}"), "{tool} {args}");
        }
    }
}

#[tokio::test]
async fn a_lock_holds_for_the_folder_by_whatever_root_and_ends_when_it_is_given_back() {
    let world = Locked::new();
    let rt = world.runtime().await;
    let below = CallContext::new()
        .agent("b")
        .workspace(world.folder.path().join("ws/src").to_str().unwrap());
    let locked = call(&rt, "a", "lock_paths", json!({ "globs": "src" })).await;
    let token = locked.structured.unwrap()["lock"].clone();
    let refused = rt.call(&below, "lock_paths", json!({ "globs": ["*.txt"] })).await.unwrap();
    assert_eq!(refused.code, Some(Code::Conflict), "{}", refused.for_llm);
    assert!(refused.for_llm.contains("`*.txt`"), "{}", refused.for_llm);
    let append = json!({ "path": "a.txt", "content": "x", "append": true });
    assert!(rt.call(&below, "write_file", append.clone()).await.unwrap().is_error);
    let theirs = call(&rt, "b", "unlock_paths", json!({ "locks": [token] })).await;
    assert_eq!(theirs.structured.unwrap()["ended"], json!([token]));
    let ours = call(&rt, "a", "unlock_paths", json!({ "locks": [token] })).await;
    assert_eq!(ours.structured.unwrap()["released"], json!([token]));
    assert!(!rt.call(&below, "write_file", append).await.unwrap().is_error);
}

#[tokio::test]
async fn globs_that_lock_nothing_or_something_outside_are_refused_without_a_host_path() {
    let world = Locked::new();
    let rt = world.runtime().await;
    let root = world.folder.path().to_str().unwrap();
    for (globs, code) in [
        (json!([]), Code::InvalidArguments),
        (json!(["../x/**"]), Code::AccessDenied),
        (json!(["/etc/*"]), Code::AccessDenied),
        (json!(["src/[a"]), Code::InvalidArguments),
        (json!(["*/../x"]), Code::InvalidArguments),
    ] {
        let refused = call(&rt, "a", "lock_paths", json!({ "globs": globs })).await;
        assert_eq!(refused.code, Some(code), "{globs}: {}", refused.for_llm);
        assert!(!refused.for_llm.contains(root), "{}", refused.for_llm);
    }
}

#[tokio::test]
async fn a_patch_changes_all_files_or_none() {
    let house = House::new(json!({})).await;
    let root = house.folder.path();
    for name in ["a", "b", "c"] {
        fs::write(root.join(name), "one\n").unwrap();
        read(&house, name).await;
    }
    let part = |name: &str, old: &str| format!("*** Update File: {name}\n@@\n-{old}\n+two\n");
    let patch = |parts: &[String]| json!({ "patch": format!("*** Begin Patch\n{}*** End Patch\n", parts.concat()) });
    let wrong = patch(&[part("a", "one"), part("b", "onne"), part("missing", "one")]);
    let refused = house.call("apply_patch", wrong).await;
    assert_eq!(refused.code, Some(Code::Conflict), "{}", refused.for_llm);
    for part in ["Nothing was changed", "`b`, hunk 1 of 1", "-onne\n+one", "`missing` does not"] {
        assert!(refused.for_llm.contains(part), "{part}: {}", refused.for_llm);
    }
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "one\n");
    // The second file cannot be made, because the first is no folder; that shows only on the way.
    let halfway = patch(&[
        part("a", "one"),
        "*** Add File: x\n+x\n*** Add File: x/y\n+y\n".to_owned(),
        "*** Delete File: b\n".to_owned(),
    ]);
    let refused = house.call("apply_patch", halfway).await;
    assert!(refused.is_error);
    assert!(refused.for_llm.contains("All files are as they were"), "{}", refused.for_llm);
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "one\n");
    assert!(root.join("b").exists() && !root.join("x").exists());
    let right = patch(&[part("a", "one"), "*** Delete File: b\n".into(), part("c", "one")]);
    let done = house.call("apply_patch", right).await;
    assert!(!done.is_error, "{}", done.for_llm);
    assert_eq!(fs::read_to_string(root.join("c")).unwrap(), "two\n");
    assert!(!root.join("b").exists());
}

/// Locks a folder as another program would.
fn locked(folder: &std::path::Path) -> fs::File {
    let folder = fs::File::open(folder).unwrap();
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive).unwrap();
    folder
}

#[tokio::test]
async fn a_patch_keeps_what_files_have_besides_their_content_also_where_it_is_taken_back() {
    let house = House::new(json!({})).await;
    let root = house.folder.path();
    fs::create_dir(root.join("sub")).unwrap();
    let note = |name: &str| {
        let mut value = [0; 16];
        rustix::fs::getxattr(root.join(name), "user.note", &mut value)
            .map(|length| value[..length].to_vec())
    };
    let made = |name: &str| {
        fs::write(root.join(name), "one\n").unwrap();
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o640)).unwrap();
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(root.join(name), "user.note", b"kept", flags).unwrap();
    };
    let is_kept = |name: &str| {
        let mode = fs::metadata(root.join(name)).map(|data| data.permissions().mode() & 0o777);
        assert_eq!((mode.ok(), note(name)), (Some(0o640), Ok(b"kept".to_vec())), "{name}");
    };
    ["a", "b", "sub/c"].into_iter().for_each(made);
    let moves = "*** Update File: a\n*** Move to: moved\n@@\n-one\n+two\n*** Delete File: b\n";
    let patch =
        |more: &str| json!({ "patch": format!("*** Begin Patch\n{moves}{more}*** End Patch") });
    let lock = locked(&root.join("sub"));
    let refused = house.call("apply_patch", patch("*** Delete File: sub/c\n")).await;
    drop(lock);
    assert!(refused.for_llm.contains("All files are as they were"), "{}", refused.for_llm);
    assert!(!root.join("moved").exists());
    ["a", "b", "sub/c"].into_iter().for_each(is_kept);
    let done = house.call("apply_patch", patch("")).await;
    assert!(!done.is_error && !root.join("a").exists(), "{}", done.for_llm);
    is_kept("moved");
}

#[tokio::test]
async fn a_call_whose_time_is_over_writes_nothing_later() {
    let house = House::new(json!({ "files": { "write_safety": "off" } })).await;
    let root = house.folder.path();
    fs::write(root.join("a.txt"), "one\n").unwrap();
    let lock = locked(root);
    let mut all = writers("a.txt").to_vec();
    all.push(("write_file", json!({ "path": "a.txt", "content": "two\n", "append": true })));
    for (tool, args) in all {
        let cx = CallContext::new().timeout_ms(100);
        let late = house.rt.call(&cx, tool, args).await.unwrap();
        assert_eq!(late.code, Some(Code::Timeout), "{tool}: {}", late.for_llm);
    }
    drop(lock);
    // Whoever waited has had its turn once this one has.
    let new = json!({ "path": "b.txt", "content": "new\n" });
    assert!(!house.call("write_file", new).await.is_error);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "one\n");
}

#[tokio::test]
async fn many_who_wait_to_write_keep_nobody_from_reading() {
    let house = House::new(json!({})).await;
    let root = house.folder.path();
    fs::create_dir(root.join("held")).unwrap();
    fs::write(root.join("a.txt"), "one\n").unwrap();
    let lock = locked(&root.join("held"));
    // More than the threads that may block.
    let writes = (0..600).map(|n| {
        let rt = house.rt.clone();
        let args = json!({ "path": format!("held/{n}"), "content": "new\n" });
        tokio::spawn(async move {
            let cx = CallContext::new().session(format!("s{n}"));
            rt.call(&cx, "write_file", args).await.unwrap()
        })
    });
    let writes: Vec<_> = writes.collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let cx = CallContext::new().session("reader").timeout_ms(5_000);
    let page = house.rt.call(&cx, "read_file", json!({ "path": "a.txt" })).await.unwrap();
    assert_eq!((page.code, page.for_llm.as_str()), (None, "one\n"));
    drop(lock);
    for write in writes {
        let write = write.await.unwrap();
        assert!(!write.is_error, "{}", write.for_llm);
    }
}

#[tokio::test]
async fn a_patch_takes_nothing_away_behind_a_link() {
    let house = House::new(json!({})).await;
    let root = house.folder.path();
    fs::write(root.join("real"), "one\n").unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    for part in
        ["*** Delete File: link\n", "*** Update File: link\n*** Move to: moved\n@@\n-one\n+two\n"]
    {
        let patch = format!("*** Begin Patch\n{part}*** End Patch");
        let refused = house.call("apply_patch", json!({ "patch": patch })).await;
        assert!(refused.for_llm.contains("`link` is a link to `real`"), "{}", refused.for_llm);
        assert_eq!(fs::read_to_string(root.join("real")).unwrap(), "one\n");
        assert!(root.join("link").is_symlink() && !root.join("moved").exists());
    }
    let patch = "*** Begin Patch\n*** Update File: link\n@@\n-one\n+two\n*** End Patch";
    assert!(!house.call("apply_patch", json!({ "patch": patch })).await.is_error);
    assert_eq!(fs::read_to_string(root.join("real")).unwrap(), "two\n");
}

#[tokio::test]
async fn a_patch_puts_secrets_back_and_refuses_what_would_lose_one() {
    let house = House::new(json!({ "vault": { "enabled": true } })).await;
    let file = house.folder.path().join("a.env");
    fs::write(&file, format!("A=1\nTOKEN={TOKEN}\nB=2\n")).unwrap();
    let shown = read(&house, "a.env").await.for_llm;
    let masked = shown.lines().nth(1).unwrap();
    assert!(!masked.contains(TOKEN) && masked.contains("[REDACTED"), "{masked}");
    let patch = format!("--- a/a.env\n+++ b/a.env\n@@\n-A=1\n+A=3\n {masked}\n-B=2\n+B=4\n");
    let done = house.call("apply_patch", json!({ "patch": patch })).await;
    assert!(!done.is_error, "{}", done.for_llm);
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("A=3\nTOKEN={TOKEN}\nB=4\n"));
    let other = "--- /dev/null\n+++ b/b.env\n@@ -0,0 +1 @@\n+TOKEN=[REDACTED:github:00000000]\n";
    let refused = house.call("apply_patch", json!({ "patch": other })).await;
    assert_eq!(refused.code, Some(Code::SecretUnbound), "{}", refused.for_llm);
    assert!(!house.folder.path().join("b.env").exists());
}

#[tokio::test]
async fn a_patch_leads_nowhere_outside() {
    let house = House::new(json!({})).await;
    for path in ["../x", "/etc/passwd", "a/../../x"] {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch");
        let refused = house.call("apply_patch", json!({ "patch": patch })).await;
        assert_eq!(refused.code, Some(Code::AccessDenied), "{path}: {}", refused.for_llm);
    }
}
