//! Moving a store: backups of a live one, exports and imports.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use toolkeep::store::{self, NewMessage, OpenOptions, PutAgent, PutSession, SessionUsage, Store};
use toolkeep::{CallContext, Code, Runtime};

async fn open(folder: &Path, name: &str) -> Runtime {
    let url = format!("sqlite:{}", folder.join(name).display());
    Runtime::builder().store_url(url).build().await.unwrap()
}

/// A runtime with something in every sort of table that it can fill itself.
async fn filled(folder: &Path) -> Runtime {
    let rt = open(folder, "one.db").await;
    let cx = CallContext::new().agent("a🦀").session("s");
    for n in 0..1_500 {
        rt.invoke("agents.put", json!({ "id": format!("agent-{n}"), "settings": { "n": n } }))
            .await
            .unwrap();
    }
    rt.invoke("agents.put", json!({ "tenant": "two", "id": "x", "description": "\u{1F980} \"\n" }))
        .await
        .unwrap();
    rt.call(&cx, "datetime", json!({ "timezone": "UTC" })).await.unwrap();
    rt
}

async fn invoked(rt: &Runtime, operation: &str, path: &Path) -> Result<u64, toolkeep::Error> {
    let answer = rt.invoke(operation, json!({ "path": path })).await?;
    Ok(answer["rows"].as_u64().unwrap())
}

#[tokio::test]
async fn what_is_exported_is_imported_and_exports_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.jsonl"), folder.path().join("second.jsonl"));
    let rt = filled(folder.path()).await;
    let rows = invoked(&rt, "store.export", &first).await.unwrap();
    assert!(rows > 3_000, "{rows}");
    rt.close().await.unwrap();
    let memory = Runtime::builder().build().await.unwrap();
    assert_eq!(invoked(&memory, "store.import", &first).await.unwrap(), rows);
    let ledger = memory.invoke("audit.verify", json!({})).await.unwrap();
    assert_eq!((&ledger["ok"], &ledger["rows"]), (&json!(true), &json!(1)), "{ledger}");
    let got = memory.invoke("agents.get", json!({ "tenant": "two", "id": "x" })).await.unwrap();
    assert_eq!(got["description"], "\u{1F980} \"\n");
    assert_eq!(invoked(&memory, "store.export", &second).await.unwrap(), rows);
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap());
    let error = invoked(&memory, "store.import", &first).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert!(error.message().contains("already, in `agents`"), "{error}");
}

#[tokio::test]
async fn one_tenant_moves_beside_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.jsonl");
    let rt = filled(folder.path()).await;
    let args = json!({ "path": file, "tenant": "two" });
    let moved = rt.invoke("store.export", args).await.unwrap();
    let other = open(folder.path(), "other.db").await;
    other.invoke("agents.put", json!({ "id": "mine" })).await.unwrap();
    assert_eq!(moved["rows"], invoked(&other, "store.import", &file).await.unwrap());
    let all = other.invoke("agents.list", json!({ "tenant": "two" })).await.unwrap();
    assert_eq!(all.as_array().unwrap().len(), 1);
    let events = other.invoke("events.read", json!({ "tenant": "two" })).await.unwrap();
    assert_eq!(events[0]["seq"], 1);
    other.invoke("agents.put", json!({ "tenant": "two", "id": "y" })).await.unwrap();
    let events = other.invoke("events.read", json!({ "tenant": "two", "after": 1 })).await.unwrap();
    assert_eq!(events[0]["seq"], 2);
}

#[tokio::test]
async fn a_file_that_is_no_whole_export_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.jsonl");
    let rt = open(folder.path(), "one.db").await;
    rt.invoke("agents.put", json!({ "id": "a" })).await.unwrap();
    invoked(&rt, "store.export", &whole).await.unwrap();
    let text = std::fs::read_to_string(&whole).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len();
    let newer = text.replacen("\"schema\":", "\"schema\":9", 1);
    for (name, content, code, says) in [
        ("empty", String::new(), Code::InvalidArgument, "is empty"),
        ("other", "{}\n".into(), Code::InvalidArgument, "line 1"),
        ("binary", "\u{0}\u{1}\n".into(), Code::InvalidArgument, "line 1"),
        ("newer", newer, Code::StoreNewer, "schema version"),
        ("cut", lines[..last - 1].join("\n") + "\n", Code::InvalidArgument, "ends before"),
        ("half", text[..text.len() - 20].into(), Code::InvalidArgument, "cut"),
        ("column", text.replace("\"deny\"", "\"denied\""), Code::InvalidArgument, "`deny`"),
        (
            "type",
            text.replace("\"version\":1", "\"version\":\"1\""),
            Code::InvalidArgument,
            "`version`",
        ),
        ("table", text.replace("\"agents\"", "\"agent\""), Code::InvalidArgument, "table `agent`"),
        ("nul", text.replace("\"id\":\"a\"", "\"id\":\"a\\u0000\""), Code::InvalidArgument, "NUL"),
        (
            "twice",
            text.replacen(lines[1], &[lines[1], lines[1]].join("\n"), 1),
            Code::InvalidArgument,
            "already",
        ),
        (
            "count",
            text.replace(&format!("{{\"rows\":{}}}", last - 2), "{\"rows\":99}"),
            Code::InvalidArgument,
            "99",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let target = Runtime::builder().build().await.unwrap();
        let error = invoked(&target, "store.import", &path).await.unwrap_err();
        assert_eq!(error.code(), code, "{name}: {error}");
        assert!(error.message().contains(says), "{name}: {error}");
    }
    let error = invoked(&rt, "store.export", &whole).await.unwrap_err();
    assert_eq!(error.code(), Code::StorePath);
    assert_eq!(std::fs::read_to_string(&whole).unwrap(), text);
    let missing = folder.path().join("no/such/file");
    for operation in ["store.import", "store.export", "store.backup"] {
        let error = rt.invoke(operation, json!({ "path": missing })).await.unwrap_err();
        assert_eq!(error.code(), Code::StorePath, "{operation}: {error}");
        assert!(error.message().contains("no/such/file"), "{error}");
    }
}

/// A store with one session whose summary is this.
async fn with_summary(summary: String) -> Arc<dyn Store> {
    let store = store::open("memory:", OpenOptions::default()).await.unwrap();
    let put = PutSession { summary, ..PutSession::new("t", "s") };
    store.put_session(put, 1).await.unwrap();
    store
}

#[tokio::test]
async fn a_page_of_an_export_is_bounded_by_its_bytes() {
    let store = with_summary(String::new()).await;
    for _ in 0..40 {
        let content = "x".repeat(1 << 20).into();
        let message = NewMessage { at_ms: 1, role: "user".into(), content };
        store.append_messages("t", "s", vec![message], SessionUsage::default(), 1).await.unwrap();
    }
    let (mut cursor, mut most, mut rows) = (None, 0, 0);
    loop {
        let page = store.export_page(None, cursor).await.unwrap();
        rows += page.rows.iter().filter(|row| row.table == "session_messages").count();
        let sizes = page.rows.iter().map(|row| serde_json::to_string(row).unwrap().len());
        most = most.max(sizes.sum());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert!(most < 10 << 20, "a page had {most} bytes");
    assert_eq!(rows, 40);
}

#[tokio::test]
async fn whatever_was_exported_can_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.jsonl");
    // JSON writes each of these as six bytes.
    let store = with_summary("\u{1}".repeat(25 << 20)).await;
    store::export(&*store, None, &file).await.unwrap();
    let other = store::open("memory:", OpenOptions::default()).await.unwrap();
    store::import(&*other, &file).await.unwrap();
    let session = other.get_session("t", "s").await.unwrap().unwrap();
    assert_eq!(session.summary.len(), 25 << 20);
}

#[tokio::test]
async fn a_value_of_100_mib_is_refused_wherever_it_is_put() {
    let store = store::open("memory:", OpenOptions::default()).await.unwrap();
    let large = || "x".repeat(100 << 20);
    let refused = [
        store
            .put_session(PutSession { summary: large(), ..PutSession::new("t", "s") }, 1)
            .await
            .err(),
        store
            .put_agent(PutAgent { description: large(), ..PutAgent::new("t", "a") }, 1)
            .await
            .err(),
    ];
    for error in refused {
        let error = error.unwrap();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.to_string().contains("at most"), "{error}");
    }
}

#[tokio::test]
async fn an_export_that_was_given_up_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.jsonl");
    let store = with_summary(String::new()).await;
    {
        let mut begun = std::pin::pin!(store::export(&*store, None, &file));
        let _ = futures_util::poll!(&mut begun);
    }
    store::export(&*store, None, &file).await.unwrap();
    let part = folder.path().join("killed.jsonl.part");
    std::fs::write(&part, "left").unwrap();
    let killed = folder.path().join("killed.jsonl");
    let error = store::export(&*store, None, &killed).await.unwrap_err();
    assert!(error.to_string().contains("delete it"), "{error}");
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_store_moves_to_postgres_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.jsonl"), folder.path().join("second.jsonl"));
    let rt = filled(folder.path()).await;
    let rows = invoked(&rt, "store.export", &first).await.unwrap();
    let url = toolkeep_test_postgres::Server::shared().new_database();
    let postgres = Runtime::builder().store_url(url).build().await.unwrap();
    assert_eq!(invoked(&postgres, "store.import", &first).await.unwrap(), rows);
    let report = postgres.invoke("audit.verify", json!({})).await.unwrap();
    assert_eq!(report["ok"], true, "{report}");
    assert_eq!(invoked(&postgres, "store.export", &second).await.unwrap(), rows);
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap());
    let back = Runtime::builder().build().await.unwrap();
    assert_eq!(invoked(&back, "store.import", &second).await.unwrap(), rows);
    let error = postgres.invoke("store.backup", json!({ "path": first })).await.unwrap_err();
    assert!(error.message().contains("pg_dump"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_live_store_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("live.db").display());
    let live = store::open(&url, OpenOptions::default()).await.unwrap();
    let writer = tokio::spawn({
        let live = live.clone();
        async move {
            for n in 0..2_000 {
                live.put_agent(PutAgent::new("default", format!("{n:05}")), n).await.unwrap();
            }
        }
    });
    let mut copies = Vec::new();
    while !writer.is_finished() {
        let path = folder.path().join(format!("copy-{}.db", copies.len()));
        live.backup(path.clone()).await.unwrap();
        copies.push(path);
    }
    writer.await.unwrap();
    assert!(copies.len() > 1, "{}", copies.len());
    for path in copies {
        let url = format!("sqlite:{}", path.display());
        let copy = store::open(&url, OpenOptions::default()).await.unwrap();
        let agents = copy.list_agents("default", None, 5_000).await.unwrap();
        let events = copy.read_events("default", 0, 5_000).await.unwrap();
        // One agent and its event are one transaction: a copy has both or neither.
        assert_eq!(agents.len(), events.len());
        assert!(agents.iter().zip(0..).all(|(agent, n)| agent.id == format!("{n:05}")));
        copy.close().await.unwrap();
    }
    let error = live.backup(folder.path().join("copy-0.db")).await.unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    let memory = store::open("memory:", OpenOptions::default()).await.unwrap();
    memory.put_agent(PutAgent::new("default", "m"), 1).await.unwrap();
    memory.backup(folder.path().join("memory.db")).await.unwrap();
    let url = format!("sqlite:{}", folder.path().join("memory.db").display());
    let copy = store::open(&url, OpenOptions::default()).await.unwrap();
    assert!(copy.get_agent("default", "m").await.unwrap().is_some());
}

#[tokio::test]
async fn the_lists_of_imported_agents_hold_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agents.jsonl");
    let from = Runtime::builder().build().await.unwrap();
    from.invoke("agents.put", json!({ "id": "a", "deny": ["datetime"] })).await.unwrap();
    invoked(&from, "store.export", &file).await.unwrap();
    let rt = Runtime::builder().build().await.unwrap();
    let cx = CallContext::new().agent("a");
    assert!(rt.explain(&cx, "datetime").await.unwrap().allowed);
    invoked(&rt, "store.import", &file).await.unwrap();
    assert!(!rt.explain(&cx, "datetime").await.unwrap().allowed);
}
