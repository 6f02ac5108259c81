//! The control plane.

use serde_json::{Value, json};
use toolkeep::store::{self, ContextFileKey, DocumentKey, OpenOptions};
use toolkeep::{CallContext, Code, Config, Runtime};

use crate::support::House;

#[tokio::test]
async fn an_agents_lists_narrow_its_calls_at_once() {
    let house = House::new(json!({ "policy": { "deny": ["edit"] } })).await;
    let cx = CallContext::new().agent("helper");
    let call =
        async |name: &str| house.rt.call(&cx, name, json!({ "text": "x" })).await.unwrap().code;
    assert_eq!(call("echo").await, None);
    let put = json!({ "id": "helper", "allow": ["group:fs"], "deny": ["write_file"] });
    let agent = house.rt.invoke("agents.put", put).await.unwrap();
    assert_eq!(agent["version"], 1);
    assert_eq!(call("echo").await, Some(Code::DeniedByPolicy));
    assert_eq!(call("edit").await, Some(Code::DeniedByPolicy));
    assert_eq!(call("write_file").await, Some(Code::DeniedByPolicy));
    assert_eq!(call("list_files").await, Some(Code::InvalidArguments));
    house.rt.invoke("agents.delete", json!({ "id": "helper" })).await.unwrap();
    assert_eq!(call("echo").await, None);
}

#[tokio::test]
async fn agents_are_kept_listed_versioned_and_apart_by_tenant() {
    let house = House::new(json!({})).await;
    let invoke = async |name: &str, args: Value| house.rt.invoke(name, args).await;
    for id in ["a", "b", "c"] {
        invoke("agents.put", json!({ "id": id, "settings": { "n": 1 } })).await.unwrap();
    }
    let listed = invoke("agents.list", json!({ "after": "a", "limit": 1 })).await.unwrap();
    assert_eq!(listed[0]["id"], "b");
    let other = json!({ "id": "a", "tenant": "other" });
    assert_eq!(invoke("agents.get", other).await.unwrap_err().code(), Code::NotFound);
    let stale = json!({ "id": "a", "if_version": 7 });
    assert_eq!(invoke("agents.put", stale).await.unwrap_err().code(), Code::Conflict);
    let wrong = json!({ "id": "a", "deny": ["group:nope"] });
    assert_eq!(invoke("agents.put", wrong).await.unwrap_err().code(), Code::InvalidConfig);
    let gone = invoke("agents.delete", json!({ "id": "zzz" })).await.unwrap();
    assert_eq!(gone, json!({ "deleted": false }));
}

#[tokio::test]
async fn a_disabled_tool_is_unknown_until_it_is_enabled() {
    let house = House::new(json!({})).await;
    house.rt.invoke("registry.alias", json!({ "alias": "Echo", "name": "echo" })).await.unwrap();
    assert!(!house.call("Echo", json!({ "text": "x" })).await.is_error);
    house.rt.invoke("registry.disable", json!({ "name": "Echo" })).await.unwrap();
    let code = house.call("echo", json!({ "text": "x" })).await.code;
    assert_eq!(code, Some(Code::UnknownTool));
    house.rt.invoke("registry.enable", json!({ "name": "echo" })).await.unwrap();
    assert!(!house.call("Echo", json!({ "text": "x" })).await.is_error);
    let groups = house.rt.invoke("registry.groups", json!(null)).await.unwrap();
    assert!(groups["fs"].as_array().unwrap().contains(&json!("read_file")));
}

#[tokio::test]
async fn a_wrong_operation_or_argument_names_itself() {
    let house = House::new(json!({})).await;
    let error = house.rt.invoke("agents.putt", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::UnknownOperation);
    assert!(error.message().contains("`agents.put`"), "{error}");
    for (args, word) in [
        (json!({}), "`id`"),
        (json!({ "id": 5 }), "`id`"),
        (json!({ "id": "a", "idd": 1 }), "idd"),
        (json!([]), "agents.put"),
        (json!({ "id": "" }), "`id`"),
    ] {
        let error = house.rt.invoke("agents.put", args).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        assert!(error.message().contains(word), "{error}");
    }
    let error = house.rt.invoke("audit.query", json!({ "limit": 0 })).await.unwrap_err();
    assert!(error.message().contains("`limit`"));
}

#[tokio::test]
async fn a_configuration_file_is_opened_with_its_state_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ws")).unwrap();
    let file = folder.path().join("agent.toml");
    std::fs::write(&file, "workspace = \"ws\"\n[policy]\ndeny = [\"edit\"]\n").unwrap();
    let rt = Runtime::open(&file).await.unwrap();
    let args = json!({ "path": "a.txt", "content": "x" });
    assert!(!rt.call(&CallContext::new(), "write_file", args).await.unwrap().is_error);
    assert!(folder.path().join("ws/a.txt").exists());
    assert!(folder.path().join("toolkeep.db").exists());
    rt.close().await.unwrap();
}

#[tokio::test]
async fn bad_configurations_are_refused_with_their_code() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    std::fs::write(folder.path().join("garbage.db"), "this is no database".repeat(1_000)).unwrap();
    for (config, code, word) in [
        (json!({ "workspace": "/no/such/folder" }), Code::InvalidConfig, "`workspace`"),
        (json!({ "policy": { "profile": "bogus" } }), Code::InvalidConfig, "bogus"),
        (json!({ "policy": { "deny": ["group:nope"] } }), Code::InvalidConfig, "group:nope"),
        (json!({ "store": format!("sqlite:{place}") }), Code::StorePath, place),
        (json!({ "store": format!("sqlite:{place}/garbage.db") }), Code::StoreCorrupt, "garbage"),
        (json!({ "store": "mysql:x" }), Code::StorePath, "mysql"),
    ] {
        let config = Config::from_value(config).unwrap();
        let error = Runtime::builder().config(config).build().await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(word), "{error}");
    }
    let missing = Runtime::open(folder.path().join("none.toml")).await.unwrap_err();
    assert_eq!(missing.code(), Code::InvalidConfig);
}

#[tokio::test]
async fn leases_and_locks_are_renewed_and_given_back_by_their_epoch() {
    let house = House::new(json!({})).await;
    let invoke = async |name: &str, args: Value| house.rt.invoke(name, args).await.unwrap();
    let taken = json!({ "kind": "job", "name": "n", "holder": "a", "ttl_ms": 60_000 });
    let lease = invoke("leases.acquire", taken).await["lease"].clone();
    let key = json!({ "kind": "job", "name": "n", "epoch": lease["epoch"] });
    let mut renewal = key.clone();
    renewal["ttl_ms"] = json!(60_000);
    assert_eq!(invoke("leases.renew", renewal).await, json!({ "renewed": true }));
    assert_eq!(invoke("leases.release", key.clone()).await, json!({ "released": true }));
    assert_eq!(invoke("leases.release", key).await, json!({ "released": false }));
    let taken = json!({ "space": "ws", "patterns": ["src/**"], "holder": "a" });
    let lock = invoke("locks.acquire", taken).await["lock"].clone();
    let key = json!({ "space": "ws", "id": lock["id"], "holder": "a", "epoch": lock["epoch"] });
    assert_eq!(invoke("locks.renew", key.clone()).await, json!({ "renewed": true }));
    assert_eq!(invoke("locks.release", key.clone()).await, json!({ "released": true }));
    assert_eq!(invoke("locks.release", key).await, json!({ "released": false }));
}

#[tokio::test]
async fn a_body_that_is_no_text_is_refused_and_named() {
    let store = store::open("memory:", OpenOptions::default()).await.unwrap();
    let body = b"fine until \xff".to_vec();
    let [tenant, agent, name] = ["default", "a", "n"].map(String::from);
    let key = ContextFileKey { tenant, agent, user: None, name };
    let (if_version, fence) = (None, None);
    let file = store::PutContextFile { key, body: body.clone(), if_version, if_body: None, fence };
    store.put_context_file(file, 1).await.unwrap();
    let [tenant, agent, path] = ["default", "a", "p"].map(String::from);
    let key = DocumentKey { tenant, agent, user: None, path };
    let (if_version, fence, mime) = (None, None, "application/octet-stream".into());
    let document = store::PutDocument { key, mime, body, if_version, if_body: None, fence };
    store.put_document(document, 1).await.unwrap();
    let rt = Runtime::builder().store(store).build().await.unwrap();
    for (operation, args, name) in [
        ("context_files.get", json!({ "agent": "a", "name": "n" }), "`n`"),
        ("documents.get", json!({ "agent": "a", "path": "p" }), "`p`"),
    ] {
        let error = rt.invoke(operation, args).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidUtf8, "{error}");
        assert!(error.message().contains(name) && error.message().contains("byte 11"), "{error}");
    }
}
