//! What listings, searches and globs show, and what they say where that cannot be told.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use toolkeep::{CallContext, Caller, Code};

use crate::faulty;
use crate::support::House;

/// Each tool that looks through a folder.
fn looks(path: &str) -> [(&'static str, Value); 3] {
    [
        ("list_files", json!({ "path": path, "depth": 5 })),
        ("search", json!({ "path": path, "query": "needle" })),
        ("glob", json!({ "path": path, "globs": ["**"] })),
    ]
}

fn agent(user: &str) -> CallContext {
    let caller = json!({ "agent": "a", "user": user, "agent_type": "open" });
    Caller::from_value(&caller).unwrap().into()
}

#[tokio::test]
async fn what_is_denied_is_shown_nowhere_whether_it_is_on_the_disk_or_in_the_store() {
    let deny = ["SOUL.md", "memory/secret", "keys", "*.pem"];
    let house = House::new(json!({ "files": { "deny": deny } })).await;
    let root = house.folder.path();
    for folder in ["keys", "src"] {
        fs::create_dir(root.join(folder)).unwrap();
        for name in ["kept.txt", "shut.pem"] {
            fs::write(root.join(folder).join(name), "needle\n").unwrap();
        }
    }
    symlink("keys", root.join("way")).unwrap();
    for name in ["SOUL.md", "USER.md"] {
        let args = json!({ "agent": "a", "user": "u", "name": name, "text": "needle" });
        house.rt.invoke("context_files.put", args).await.unwrap();
    }
    for path in ["memory/secret/a.md", "memory/open/b.md", "memory/secret.md"] {
        let args = json!({ "agent": "a", "user": "u", "path": path, "text": "needle" });
        house.rt.invoke("documents.put", args).await.unwrap();
    }
    for (tool, args) in looks(".") {
        let seen = house.rt.call(&agent("u"), tool, args).await.unwrap().for_llm;
        for shown in ["src/kept.txt", "USER.md", "memory/open/b.md", "memory/secret.md"] {
            assert!(seen.contains(shown), "{tool} lacks {shown}: {seen}");
        }
        for hidden in ["SOUL", "memory/secret/", "secret/a", "keys/", "shut"] {
            assert!(!seen.contains(hidden), "{tool} shows {hidden}: {seen}");
        }
    }
    for path in ["keys", "way", "memory/secret", "SOUL.md", "src/shut.pem"] {
        for (tool, args) in looks(path) {
            let refused = house.rt.call(&agent("u"), tool, args).await.unwrap();
            assert_eq!(
                refused.code,
                Some(Code::AccessDenied),
                "{tool} {path}: {}",
                refused.for_llm
            );
        }
    }
}

#[tokio::test]
async fn a_file_with_several_names_is_not_searched_where_the_owner_refuses_them() {
    for (hard_links, found) in [("refuse", "one.txt\n1: needle"), ("allow", "out/a.txt")] {
        let house = House::new(json!({ "files": { "hard_links": hard_links } })).await;
        let root = house.folder.path();
        let elsewhere = tempfile::tempdir_in(root.parent().unwrap()).unwrap();
        fs::write(elsewhere.path().join("theirs.txt"), "needle of theirs\n").unwrap();
        fs::create_dir(root.join("out")).unwrap();
        fs::hard_link(elsewhere.path().join("theirs.txt"), root.join("out/a.txt")).unwrap();
        fs::write(root.join("one.txt"), "needle\n").unwrap();
        let all = house.call("search", json!({ "query": "needle" })).await.for_llm;
        assert!(all.contains(found), "{all}");
        assert_eq!(all.contains("theirs"), hard_links == "allow", "{all}");
        let named = house.call("search", json!({ "query": "needle", "path": "out/a.txt" })).await;
        assert_eq!(named.code, (hard_links == "refuse").then_some(Code::AccessDenied));
    }
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_an_error_and_no_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().to_str().unwrap();
    let (rt, knobs) = faulty::faulty_rt(json!({ "workspace": workspace })).await;
    let files = json!({ "agent": "a", "name": "SOUL.md", "text": "needle" });
    rt.invoke("context_files.put", files).await.unwrap();
    let memory = json!({ "agent": "a", "user": "u", "path": "memory/a.md", "text": "needle" });
    rt.invoke("documents.put", memory).await.unwrap();
    for table in ["toolkeep_context_files", "toolkeep_documents"] {
        *knobs.unreadable.lock().unwrap() = vec![table];
        for (tool, args) in looks(".") {
            let error = rt.call(&agent("u"), tool, args).await.unwrap_err();
            assert_eq!(error.code(), Code::StoreUnavailable, "{tool} without {table}");
        }
    }
    *knobs.unreadable.lock().unwrap() = vec!["toolkeep_documents"];
    for (tool, args) in looks("memory") {
        let error = rt.call(&agent("u"), tool, args).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreUnavailable, "{tool} in a folder of the store alone");
    }
    *knobs.unreadable.lock().unwrap() = vec!["toolkeep_context_files"];
    let merge = json!({ "agent": "a", "user": "u", "agent_type": "open", "base": [] });
    let error = rt.invoke("context_files.merge", merge.clone()).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable, "{error}");
    knobs.unreadable.lock().unwrap().clear();
    for (tool, args) in looks(".") {
        let seen = rt.call(&agent("u"), tool, args).await.unwrap().for_llm;
        assert!(seen.contains("SOUL.md") && seen.contains("memory/a.md"), "{tool}: {seen}");
    }
    let merged = rt.invoke("context_files.merge", merge).await.unwrap().to_string();
    assert!(merged.contains("needle"), "{merged}");
}
