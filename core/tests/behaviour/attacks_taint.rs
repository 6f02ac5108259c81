//! What a model tries that wants to carry what strangers wrote past the marks of its session: by
//! commands, by files that another session reads, by other names of a file.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::clock::ManualClock;
use toolkeep::store::{self, OpenOptions, Store};
use toolkeep::{CallContext, Code, Config, Runtime};

use crate::limits::says;
use crate::support::eventually;

struct House {
    rt: Runtime,
    folder: Arc<tempfile::TempDir>,
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    policy: Value,
}

impl House {
    async fn new(policy: Value) -> House {
        let store = store::open("memory:", OpenOptions::default()).await.unwrap();
        let folder = Arc::new(tempfile::tempdir().unwrap());
        House::on(policy, store, Arc::new(ManualClock::at(1_000_000)), folder).await
    }

    async fn on(
        policy: Value,
        store: Arc<dyn Store>,
        clock: Arc<ManualClock>,
        folder: Arc<tempfile::TempDir>,
    ) -> House {
        let mut taint = policy.clone();
        taint["mode"] = json!("deny");
        let config = json!({
            "workspace": folder.path(), "policy": { "taint": taint },
            "loops": { "enabled": false }, "files": { "write_safety": "off" },
            "approval": { "external": false },
        });
        let rt = Runtime::builder()
            .config(Config::from_value(config).unwrap())
            .tool(says(
                json!({ "name": "page", "capabilities": ["read-only"], "taints": ["untrusted"] }),
            ))
            .tool(says(json!({ "name": "send", "capabilities": ["open-world"] })))
            .store(store.clone())
            .clock(clock.clone())
            .build()
            .await
            .unwrap();
        House { rt, folder, store, clock, policy }
    }

    /// Another process on the same store and folder.
    async fn again(&self) -> House {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        House::on(self.policy.clone(), store, clock, self.folder.clone()).await
    }

    async fn call(&self, session: &str, tool: &str, args: Value) -> String {
        let cx = CallContext::new().agent("a").session(session);
        let result = self.rt.call(&cx, tool, args.clone()).await.unwrap();
        assert!(!result.is_error, "{tool} {args}: {}", result.for_llm);
        result.for_llm
    }

    async fn exec(&self, session: &str, command: &str) -> String {
        self.call(session, "exec", json!({ "command": command })).await
    }

    /// The marks of a session, the first letters.
    async fn marks(&self, session: &str) -> String {
        let marks = self.rt.invoke("sessions.marks", json!({ "id": session })).await.unwrap();
        let marks = marks.as_array().unwrap().iter();
        marks.map(|mark| &mark["mark"].as_str().unwrap()[..1]).collect()
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Has a session read what strangers wrote.
    async fn taint(&self, session: &str) {
        self.call(session, "page", json!({})).await;
        assert!(self.marks(session).await.contains('u'));
    }
}

#[tokio::test]
async fn what_a_command_reads_is_private_as_what_a_file_tool_reads() {
    let house = House::new(json!({})).await;
    house.put("private.txt", "the PIN is 1234\n");
    house.put("deep/more.txt", "more\n");
    for (session, command) in [
        ("cat", "cat private.txt"),
        ("redirected", "sort < private.txt"),
        ("recursive", "grep -r PIN ."),
        ("glob", "cat *.txt"),
        ("listed", "ls deep"),
        ("copied", "cp private.txt other.txt"),
        ("inner", "sh -c 'cat private.txt'"),
    ] {
        house.exec(session, command).await;
        assert_eq!(house.marks(session).await, "p", "{command}");
        house.call(session, "page", json!({})).await;
        let cx = CallContext::new().agent("a").session(session);
        let sent = house.rt.call(&cx, "send", json!({})).await.unwrap();
        assert_eq!(sent.code, Some(Code::DeniedByPolicy), "{command}");
    }
    house.exec("nothing", "echo hello").await;
    assert_eq!(house.marks("nothing").await, "");
    // Where files are not private, a command's are not, either.
    let open = House::new(json!({ "private": [] })).await;
    open.put("public.txt", "x\n");
    open.exec("s", "cat public.txt").await;
    assert_eq!(open.marks("s").await, "");
}

#[tokio::test]
async fn a_file_that_a_marked_session_wrote_marks_who_reads_it() {
    let house = House::new(json!({})).await;
    house.put("edited", "old\n");
    house.put("patched", "old\n");
    house.put("clean", "x\n");
    house.taint("evil").await;
    house.call("evil", "write_file", json!({ "path": "written", "content": "x\n" })).await;
    let edit = json!({ "path": "edited", "old_string": "old", "new_string": "x" });
    house.call("evil", "edit", edit).await;
    let patch = "--- a/patched\n+++ b/patched\n@@ -1 +1 @@\n-old\n+x\n";
    house.call("evil", "apply_patch", json!({ "patch": patch })).await;
    house.exec("evil", "echo x > echoed && mkdir -p d && cp echoed d/copied").await;
    for path in ["written", "edited", "patched", "echoed", "d/copied"] {
        let reader = format!("reads {path}");
        house.call(&reader, "read_file", json!({ "path": path })).await;
        assert_eq!(house.marks(&reader).await, "pu", "{path}");
        let reader = format!("cats {path}");
        house.exec(&reader, &format!("cat {path}")).await;
        assert_eq!(house.marks(&reader).await, "pu", "{path}");
    }
    house.call("folder", "search", json!({ "query": "x", "path": "d" })).await;
    assert_eq!(house.marks("folder").await, "pu");
    house.exec("recursive", "grep -r x .").await;
    assert_eq!(house.marks("recursive").await, "pu");
    house.call("clean", "read_file", json!({ "path": "clean" })).await;
    assert_eq!(house.marks("clean").await, "p");
    // Other tenants' marks are their own.
    let cx = CallContext::new().tenant("other").session("s");
    house.rt.call(&cx, "read_file", json!({ "path": "written" })).await.unwrap();
    let marks = json!({ "tenant": "other", "id": "s" });
    let marks = house.rt.invoke("sessions.marks", marks).await.unwrap();
    assert_eq!(marks.as_array().unwrap().len(), 1, "{marks}");
}

#[tokio::test]
async fn a_file_stays_marked_under_other_names_and_after_a_restart() {
    let house = House::new(json!({})).await;
    house.taint("evil").await;
    house.call("evil", "write_file", json!({ "path": "a", "content": "x\n" })).await;
    house.call("evil", "write_file", json!({ "path": "b", "content": "x\n" })).await;
    // An editor of the user's replaces the one and moves the other.
    let at = |name: &str| house.folder.path().join(name);
    house.put("new", "x, and more\n");
    fs::rename(at("new"), at("a")).unwrap();
    fs::rename(at("b"), at("moved")).unwrap();
    let after = house.again().await;
    for path in ["a", "moved"] {
        after.call(path, "read_file", json!({ "path": path })).await;
        assert_eq!(after.marks(path).await, "pu", "{path}");
    }
    // One session hands it on to the next.
    for (command, path) in [("cp a onward", "onward"), ("mv moved further", "further")] {
        after.exec(command, command).await;
        after.call(path, "read_file", json!({ "path": path })).await;
        assert_eq!(after.marks(path).await, "pu", "{command}");
    }
}

#[tokio::test]
async fn what_a_program_wrote_that_nobody_predicted_is_marked_by_its_time() {
    let house = House::new(json!({})).await;
    house.put("run.sh", "mkdir -p out/deep\necho x > out/deep/hidden\n");
    house.put("before", "x\n");
    house.taint("evil").await;
    // The clock of the file system has ticked since.
    let tick = tempfile::tempdir().unwrap();
    let before = fs::metadata(house.folder.path().join("before")).unwrap().modified().unwrap();
    eventually(async || {
        fs::write(tick.path().join("tick"), "x").unwrap();
        let now = fs::metadata(tick.path().join("tick")).unwrap().modified().unwrap();
        now > before + Duration::from_millis(50)
    })
    .await;
    house.exec("evil", "sh run.sh").await;
    house.call("reader", "read_file", json!({ "path": "out/deep/hidden" })).await;
    assert_eq!(house.marks("reader").await, "pu");
    house.call("other", "read_file", json!({ "path": "before" })).await;
    assert_eq!(house.marks("other").await, "p");
}

#[tokio::test]
async fn a_memory_that_a_marked_session_wrote_marks_who_reads_it() {
    let house = House::new(json!({})).await;
    house.taint("evil").await;
    house.call("evil", "write_file", json!({ "path": "memory/note.md", "content": "x" })).await;
    house.call("reader", "read_file", json!({ "path": "memory/note.md" })).await;
    assert_eq!(house.marks("reader").await, "pu");
    // From another workspace, too.
    let elsewhere = tempfile::tempdir().unwrap();
    let cx =
        CallContext::new().agent("a").session("far").workspace(elsewhere.path().to_str().unwrap());
    let args = json!({ "path": "memory/note.md" });
    let read = house.rt.call(&cx, "read_file", args).await.unwrap();
    assert!(!read.is_error, "{}", read.for_llm);
    assert_eq!(house.marks("far").await, "pu");
}

#[tokio::test]
async fn one_command_that_reads_a_marked_file_and_sends_it_is_watched_at_once() {
    let house = House::new(json!({ "guarded": ["exec"] })).await;
    house.taint("evil").await;
    house.call("evil", "write_file", json!({ "path": "a", "content": "x\n" })).await;
    let cx = CallContext::new().agent("a").session("clean");
    let sent = house.rt.call(&cx, "exec", json!({ "command": "cat a" })).await.unwrap();
    assert_eq!(sent.code, Some(Code::DeniedByPolicy), "{}", sent.for_llm);
    assert_eq!(house.marks("clean").await, "");
}
