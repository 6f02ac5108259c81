//! Commands of a shell: judged in the folders of a caller.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use toolkeep::shell::Decision;
use toolkeep::tool::Caller;
use toolkeep::{CallContext, Code, Config, Runtime};

use crate::support::House;

async fn verdict(house: &House, command: &str) -> Decision {
    house.rt.check_command(&CallContext::new(), command).await.unwrap().verdict
}

fn caller(fields: Value) -> CallContext {
    CallContext::from(Caller::from_value(&fields).unwrap())
}

#[tokio::test]
async fn links_on_the_disk_are_followed_to_what_is_denied() {
    let house = House::new(json!({ "files": { "deny": ["keys", "*.pem"] } })).await;
    let at = |name: &str| house.folder.path().join(name);
    fs::create_dir(at("keys")).unwrap();
    fs::create_dir(at("sub")).unwrap();
    symlink("keys", at("open")).unwrap();
    symlink("../open", at("sub/again")).unwrap();
    for command in [
        "cat keys/a",
        "cat open/a",
        "cat sub/again/a",
        "cd sub && cat again/a",
        "cd sub/again && cat a",
        "cp sub/again/a b",
        "tar czf - --directory=open .",
        "cat < open/a",
        "cat deep/down/x.pem",
    ] {
        assert_eq!(verdict(&house, command).await, Decision::Deny, "{command}");
    }
    assert_eq!(verdict(&house, "cat sub/notes.txt").await, Decision::Allow);
}

#[tokio::test]
async fn the_files_that_make_the_rules_are_closed_to_commands() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agent.toml");
    fs::write(&config, "workspace = \".\"\n").unwrap();
    let rt = Runtime::open(&config).await.unwrap();
    for command in ["echo x >> agent.toml", "sed -i s/a/b/ ./agent.toml", "cat toolkeep.db"] {
        let check = rt.check_command(&CallContext::new(), command).await.unwrap();
        assert_eq!(check.verdict, Decision::Deny, "{command}: {}", check.for_llm);
    }
}

#[tokio::test]
async fn a_callers_own_folders_count() {
    let house = House::new(json!({})).await;
    let other = tempfile::tempdir().unwrap();
    let other = fs::canonicalize(other.path()).unwrap();
    let shown = other.display();
    let read = format!("cat {shown}/a");
    let write = format!("cp a {shown}/a");
    let reader = caller(json!({ "read_roots": [other] }));
    let writer = caller(json!({ "write_roots": [other] }));
    let verdict = async |cx: &CallContext, command: &str| {
        house.rt.check_command(cx, command).await.unwrap().verdict
    };
    assert_eq!(verdict(&reader, &read).await, Decision::Allow);
    assert_eq!(verdict(&reader, &write).await, Decision::Ask);
    assert_eq!(verdict(&writer, &write).await, Decision::Allow);
}

#[tokio::test]
async fn a_caller_whose_folder_is_not_there_is_the_hosts_mistake() {
    let house = House::new(json!({})).await;
    let cx = caller(json!({ "read_roots": ["/no/such/folder"] }));
    let error = house.rt.check_command(&cx, "ls").await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("read_roots[0]"), "{error}");
}

#[tokio::test]
async fn without_a_workspace_a_command_is_judged_in_a_virtual_one() {
    let rt = Runtime::builder().config(Config::default()).build().await.unwrap();
    let check = rt.check_command(&CallContext::new(), "cat /workspace/a b").await.unwrap();
    assert_eq!(check.verdict, Decision::Allow, "{}", check.for_llm);
    rt.close().await.unwrap();
    let error = rt.check_command(&CallContext::new(), "ls").await.unwrap_err();
    assert_eq!(error.code(), Code::Closed);
}
