//! Custom tools in containers: they get what their owner declares, or an error that says why not.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::{Code, ToolResult};

use super::{confinement, house, run};
use crate::support::House;

async fn put(house: &House, name: &str, command: &str, more: Value) {
    let mut tool = json!({ "name": name, "description": "A tool.", "command": command });
    for (key, value) in more.as_object().unwrap() {
        tool[key] = value.clone();
    }
    house.rt.invoke("custom_tools.put", tool).await.unwrap();
}

async fn call(house: &House, name: &str) -> ToolResult {
    house.call(name, json!({})).await
}

#[tokio::test]
async fn a_network_that_the_sandbox_does_not_have_is_an_error_that_says_what_to_do() {
    let house = house(json!({})).await;
    put(&house, "looks_up", "touch ran", json!({ "network": true, "write": ["."] })).await;
    let result = call(&house, "looks_up").await;
    assert_eq!(result.code, Some(Code::Unavailable), "{}", result.for_llm);
    for part in ["`looks_up`", "`network`", "`exec.sandbox.network` is `none`", "without `network`"]
    {
        assert!(result.for_llm.contains(part), "{part}: {}", result.for_llm);
    }
    assert!(!house.folder.path().join("ran").exists());
    let hosts = json!({ "network": ["api.example.com"] });
    let house = super::house(json!({ "network": "bridge" })).await;
    put(&house, "asks", "true", hosts).await;
    let result = call(&house, "asks").await;
    assert_eq!(result.code, Some(Code::Unavailable), "{}", result.for_llm);
    for part in ["`asks`", "`network`", "`network = true`", "`exec.sandbox.network`"] {
        assert!(result.for_llm.contains(part), "{part}: {}", result.for_llm);
    }
}

#[tokio::test]
async fn a_tool_without_a_network_has_none_whatever_the_sandbox_has() {
    // The engine has no such network, so what would get it does not run.
    let house = house(json!({ "network": "of-nobody" })).await;
    put(&house, "local", "ls /sys/class/net", json!({})).await;
    put(&house, "remote", "true", json!({ "network": true })).await;
    let result = call(&house, "local").await;
    assert_eq!(result.for_llm, "lo\n");
    assert_eq!(confinement(&result)["network"], "nothing");
    assert!(confinement(&result)["by"].as_array().unwrap().contains(&json!("no_network")));
    let result = call(&house, "remote").await;
    assert!(result.for_llm.contains("of-nobody"), "{}", result.for_llm);
}

/// What another command that can write in the workspace may do meanwhile: a folder is a link at times.
fn exchange(folder: &Path, outside: &Path, is_done: &AtomicBool) {
    let (out, aside) = (folder.join("out"), folder.join("aside"));
    // Never in step with what is started meanwhile.
    for millis in [17, 40, 29, 71, 53].iter().copied().cycle() {
        if is_done.load(Ordering::Relaxed) {
            return;
        }
        fs::rename(&out, &aside).unwrap();
        symlink(outside, &out).unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        fs::remove_file(&out).unwrap();
        fs::rename(&aside, &out).unwrap();
        std::thread::sleep(Duration::from_millis(millis));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_exchanged_for_a_link_while_a_container_starts_brings_no_other_folder_in() {
    let house = house(json!({})).await;
    let outside = tempfile::tempdir().unwrap();
    fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(outside.path().join("theirs"), "of nobody here").unwrap();
    let at = |name: &str| house.folder.path().join(name);
    fs::create_dir_all(at("out")).unwrap();
    let rounds = if std::env::var_os("TOOLKEEP_SOAK").is_some() { 100 } else { 10 };
    let command = "cat out/theirs; echo x > out/made; echo ran";
    for round in 0..rounds {
        // Another set of folders is another container.
        fs::create_dir(at(&format!("own{round}"))).unwrap();
        let folders = json!({ "write": ["out", format!("own{round}")] });
        put(&house, &format!("writes{round}"), command, folders).await;
    }
    let (is_done, mut answer) = (AtomicBool::new(false), Vec::new());
    let (folder, elsewhere) = (house.folder.path().to_owned(), outside.path().to_owned());
    std::thread::scope(|scope| {
        scope.spawn(|| exchange(&folder, &elsewhere, &is_done));
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                for round in 0..rounds {
                    // Where it is a link from the start, no container is made.
                    while at("out").is_symlink() {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                    answer.push(call(&house, &format!("writes{round}")).await.for_llm);
                }
            });
        });
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(answer.iter().all(|text| !text.contains("of nobody here")), "{answer:?}");
    let left: Vec<_> = fs::read_dir(outside.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?} {answer:?}");
    // When nothing is exchanged, it runs.
    assert!(call(&house, "writes0").await.for_llm.contains("ran"));
    assert!(at("out/made").exists());
}

#[tokio::test]
async fn a_tool_writes_what_it_declares_and_nothing_else_of_the_workspace() {
    let house = house(json!({})).await;
    let at = |name: &str| house.folder.path().join(name);
    fs::create_dir_all(at("out/.git/hooks")).unwrap();
    fs::create_dir_all(at(".git/hooks")).unwrap();
    let writes =
        "for at in . out .git/hooks /tmp; do echo x > $at/made && echo wrote $at; done 2>/dev/null";
    put(&house, "no_folder", writes, json!({})).await;
    put(&house, "one_folder", writes, json!({ "write": ["out"] })).await;
    put(&house, "whole", writes, json!({ "write": ["."] })).await;
    put(&house, "hooks", writes, json!({ "write": [".git/hooks"] })).await;
    put(&house, "missing", writes, json!({ "write": ["none"] })).await;
    let wrote = async |name: &str| {
        let text = call(&house, name).await.for_llm;
        let lines = text.lines().filter_map(|line| line.strip_prefix("wrote "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(wrote("no_folder").await, ["/tmp"]);
    assert_eq!(wrote("one_folder").await, ["out", "/tmp"]);
    assert!(at("out/made").exists() && !at("made").exists());
    assert_eq!(wrote("whole").await, [".", "out", "/tmp"]);
    assert_eq!(wrote("hooks").await, [".git/hooks", "/tmp"]);
    let result = call(&house, "missing").await;
    assert!(result.for_llm.contains("`none`"), "{}", result.for_llm);
    assert_eq!(run(&house, "echo x > own && echo fine").await.for_llm, "fine\n");
}
