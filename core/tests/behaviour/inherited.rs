//! The variables that commands get of the host's: in a process of its own, which has some.

use std::fs;

use serde_json::json;

use crate::support::{House, TOKEN, half, passes, script};

#[test]
fn a_command_gets_what_the_owner_names_and_no_secret() {
    let mut host = half("inherited::a_host_with_variables");
    host.env("TOOLKEEP_TEST_HOST", "1")
        .env("PLAIN_NAMED", "plain words")
        .env("PLAIN_UNNAMED", "other words")
        .env("SERVICE_TOKEN", TOKEN)
        .env("NAMED_TOKEN", TOKEN)
        .env("NAMED_PLAINLY", format!("see {TOKEN}"));
    passes(host);
}

#[tokio::test]
async fn a_host_with_variables() {
    if std::env::var_os("TOOLKEEP_TEST_HOST").is_none() {
        return;
    }
    let named = json!(["PLAIN_NAMED", "NAMED_TOKEN", "NAMED_PLAINLY", "NOT_THERE"]);
    let environment = json!({ "inherit": named, "set": { "SET_BY_OWNER": "set words" } });
    let exec = json!({ "environment": environment });
    let house = House::new(json!({ "approval": { "external": false }, "exec": exec })).await;
    // In a file nothing is masked.
    let result = house.call("exec", json!({ "command": script(&house, "env > seen") })).await;
    assert!(!result.is_error, "{}", result.for_llm);
    let seen = fs::read_to_string(house.folder.path().join("seen")).unwrap();
    let has = |line: &str| seen.lines().any(|one| one == line);
    assert!(has("PLAIN_NAMED=plain words") && has("SET_BY_OWNER=set words"), "{seen}");
    for name in ["PLAIN_UNNAMED", "SERVICE_TOKEN", "NAMED_TOKEN", "NAMED_PLAINLY", "NOT_THERE"] {
        assert!(!seen.contains(name), "{name}: {seen}");
    }
    assert!(!seen.contains(TOKEN), "{seen}");
    house.rt.close().await.unwrap();
}
