//! Folders that go, come back, and turn into others while a runtime is open.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use toolkeep::tool::Caller;
use toolkeep::{CallContext, Code, Config, Runtime, ToolResult};

async fn opened(workspace: &Path, files: serde_json::Value) -> Runtime {
    let config = json!({ "workspace": workspace, "files": files });
    let config = Config::from_value(config).unwrap();
    Runtime::builder().config(config).build().await.unwrap()
}

fn caller(fields: serde_json::Value) -> CallContext {
    CallContext::from(Caller::from_value(&fields).unwrap())
}

async fn read(rt: &Runtime, cx: &CallContext, path: &Path) -> ToolResult {
    rt.call(cx, "read_file", json!({ "path": path })).await.unwrap()
}

#[tokio::test]
async fn a_workspace_that_was_deleted_and_made_anew_is_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let ws = folder.path().join("ws");
    fs::create_dir(&ws).unwrap();
    let rt = opened(&ws, json!({})).await;
    let cx = CallContext::new();
    let path = Path::new("file");
    assert_eq!(read(&rt, &cx, path).await.code, Some(Code::NotFound));
    fs::remove_dir(&ws).unwrap();
    let gone = read(&rt, &cx, path).await;
    assert_eq!(gone.code, Some(Code::Unavailable));
    assert!(!gone.for_llm.contains(ws.to_str().unwrap()), "{}", gone.for_llm);
    fs::create_dir(&ws).unwrap();
    fs::write(ws.join("file"), "anew").unwrap();
    assert_eq!(read(&rt, &cx, path).await.for_llm, "anew");
}

#[tokio::test]
async fn a_folder_of_the_configuration_that_became_a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ws", "skills", "outside"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("file"), name).unwrap();
    }
    let place = |name: &str| folder.path().join(name);
    let rt = opened(&place("ws"), json!({ "read_roots": [place("skills")] })).await;
    let cx = CallContext::new();
    assert_eq!(read(&rt, &cx, &place("skills/file")).await.for_llm, "skills");
    for name in ["ws", "skills"] {
        fs::rename(place(name), place("moved")).unwrap();
        symlink(place("outside"), place(name)).unwrap();
        let refused = read(&rt, &cx, &place("skills/file")).await;
        assert_eq!(refused.code, Some(Code::Unavailable), "{}", refused.for_llm);
        fs::remove_file(place(name)).unwrap();
        fs::rename(place("moved"), place(name)).unwrap();
        assert_eq!(read(&rt, &cx, &place("skills/file")).await.for_llm, "skills");
    }
}

#[tokio::test]
async fn a_folder_of_a_caller_is_the_one_that_its_path_leads_to_now() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ws", "one", "two"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("file"), name).unwrap();
    }
    let place = |name: &str| folder.path().join(name);
    let rt = opened(&place("ws"), json!({})).await;
    symlink(place("one"), place("current")).unwrap();
    let cx = caller(json!({ "workspace": place("current") }));
    assert_eq!(read(&rt, &cx, Path::new("file")).await.for_llm, "one");
    fs::remove_file(place("current")).unwrap();
    symlink(place("two"), place("current")).unwrap();
    assert_eq!(read(&rt, &cx, Path::new("file")).await.for_llm, "two");
    fs::remove_dir_all(place("two")).unwrap();
    assert_eq!(read(&rt, &cx, Path::new("file")).await.code, Some(Code::Unavailable));
}

#[tokio::test]
async fn a_file_that_was_read_is_not_shown_again_to_a_caller_to_whom_it_is_denied() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "content").unwrap();
    let rt = opened(folder.path(), json!({})).await;
    let free = caller(json!({ "session": "s" }));
    let bound = caller(json!({ "session": "s", "deny_paths": ["file"] }));
    let path = Path::new("file");
    for _ in 0..3 {
        assert!(!read(&rt, &free, path).await.is_error);
        let denied = read(&rt, &bound, path).await;
        assert_eq!(denied.code, Some(Code::AccessDenied), "{}", denied.for_llm);
    }
}
