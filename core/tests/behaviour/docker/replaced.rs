//! Files that are kept from containers, and are replaced by others while these run.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::{attack, containers, house, program};

#[tokio::test]
async fn what_is_replaced_is_kept_from_the_next_command_and_ends_those_that_run() {
    let house = house(json!({})).await;
    let at = |name: &str| house.folder.path().join(name);
    let saves = |text: &str| {
        fs::write(at("new"), text).unwrap();
        fs::rename(at("new"), at(".git/config")).unwrap();
    };
    fs::create_dir_all(at(".git/hooks")).unwrap();
    fs::write(at(".git/config"), "before\n").unwrap();
    let writes = "echo x >> .git/config; echo end";
    assert!(attack(&house, writes).await.for_llm.starts_with("end"));
    saves("after\n");
    assert!(attack(&house, writes).await.for_llm.starts_with("end"));
    assert_eq!(fs::read_to_string(at(".git/config")).unwrap(), "after\n");
    // The one whose guard has fallen is of no use to anybody.
    assert_eq!(containers(&house).len(), 1);
    program(&at("waits.sh"), "echo ready; sleep 60; echo x >> .git/config");
    let args = json!({ "action": "start", "command": "sh ./waits.sh" });
    let started = house.call("process", args).await;
    assert!(!started.is_error, "{}", started.for_llm);
    let id = started.structured.unwrap()["id"].as_str().unwrap().to_owned();
    saves("once more\n");
    let mut said = String::new();
    for _ in 0..100 {
        let args = json!({ "action": "poll", "id": id, "wait_ms": 500 });
        said = house.call("process", args).await.for_llm;
        if said.contains("replaced") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(said.contains("ended when what it is kept from was replaced"), "{said}");
    assert_eq!(fs::read_to_string(at(".git/config")).unwrap(), "once more\n");
}
