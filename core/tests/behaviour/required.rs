//! What a machine does not give: it is told, and an error where the owner requires it.

use serde_json::{Value, json};
use toolkeep::ToolResult;
use toolkeep::exec::Capabilities;

use crate::support::{Ended, House, as_nobody, deny_namespaces, half, passes, script};

async fn house(exec: Value) -> House {
    House::new(json!({ "approval": { "external": false }, "exec": exec })).await
}

/// Tries to leave a trace in the workspace.
async fn run(house: &House) -> ToolResult {
    house.call("exec", json!({ "command": script(house, "echo x > ran") })).await
}

fn has_run(house: &House) -> bool {
    house.folder.path().join("ran").exists()
}

/// What the machine gives, which must be what a command is held to.
async fn given(house: &House) -> Capabilities {
    let found = house.rt.capabilities().await.unwrap();
    let result = run(house).await;
    assert!(!result.is_error && has_run(house), "{}", result.for_llm);
    let confinement = result.structured.unwrap()["confinement"].clone();
    let by = |part: &str| confinement["by"].as_array().unwrap().contains(&json!(part));
    assert_eq!(by("landlock"), found.landlock.is_some(), "{confinement}");
    assert_eq!(by("seccomp"), found.seccomp, "{confinement}");
    assert_eq!(by("namespaces"), found.namespaces, "{confinement}");
    assert_eq!(by("cgroups"), found.cgroups, "{confinement}");
    assert_eq!(confinement.get("missing").unwrap_or(&json!([])), &json!(found.missing));
    // Each is there, or it is said why not.
    let missing = |part: &str| found.missing.iter().any(|why| why.starts_with(part));
    for (part, is_there) in [
        ("landlock:", found.landlock.is_some()),
        ("seccomp:", found.seccomp),
        ("namespaces:", found.namespaces),
        ("cgroups:", found.cgroups),
    ] {
        assert_ne!(missing(part), is_there, "{part} {:?}", found.missing);
    }
    found
}

/// Refuses to run, and says that this is missing.
async fn refuses(exec: Value, missing: &str) {
    let house = house(exec).await;
    let result = run(&house).await;
    assert!(result.is_error && !has_run(&house), "{}", result.for_llm);
    assert!(result.for_llm.contains(missing), "{}", result.for_llm);
}

/// The version of Landlock, as the kernel itself tells it.
fn landlock() -> Option<u32> {
    let asked = "import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))";
    let confinement = std::process::Command::new("python3").args(["-c", asked]).output().unwrap();
    let version: i64 = String::from_utf8(confinement.stdout).unwrap().trim().parse().unwrap();
    u32::try_from(version).ok()
}

#[tokio::test]
async fn what_a_machine_gives_is_what_commands_are_held_to() {
    let house = house(json!({})).await;
    let found = given(&house).await;
    assert_eq!(found.landlock, landlock());
    house.rt.close().await.unwrap();
}

#[test]
fn what_is_required_and_missing_is_an_error() {
    let mut without = half("required::a_host_without_namespaces");
    without.env("TOOLKEEP_TEST_WITHOUT", "1");
    passes(without);
}

#[tokio::test]
async fn a_host_without_namespaces() {
    if std::env::var_os("TOOLKEEP_TEST_WITHOUT").is_none() {
        return;
    }
    deny_namespaces();
    assert!(!given(&house(json!({})).await).await.namespaces);
    refuses(json!({ "require": true }), "namespaces: ").await;
}

#[test]
fn what_runs_already_does_not_count() {
    let temp = tempfile::tempdir_in("/var").unwrap();
    let mut busy = half("required::a_host_on_which_much_runs");
    busy.env("TOOLKEEP_TEST_BUSY", "1").env("TMPDIR", temp.path());
    as_nobody(&mut busy, &[temp.path()]);
    passes(busy);
}

#[tokio::test]
async fn a_host_on_which_much_runs() {
    if std::env::var_os("TOOLKEEP_TEST_BUSY").is_none() {
        return;
    }
    let sleep = || Ended(std::process::Command::new("sleep").arg("600").spawn().unwrap());
    let _running: Vec<_> = (0..40).map(|_| sleep()).collect();
    // First by namespaces, where such a host is given any.
    for denied in [false, true] {
        if denied {
            deny_namespaces();
        }
        for confinement in ["workspace", "off"] {
            let limits = json!({ "processes": 20 });
            let house = house(json!({ "confinement": confinement, "limits": limits })).await;
            // With a process of its own.
            let command = script(&house, "(:) && echo x > ran");
            let result = house.call("exec", json!({ "command": command })).await;
            assert!(has_run(&house), "{denied} {confinement}: {}", result.for_llm);
        }
    }
}

#[test]
fn a_limit_that_is_required_and_that_nothing_holds_is_an_error() {
    let temp = tempfile::tempdir_in("/var").unwrap();
    let mut nobody = half("required::a_host_that_makes_no_groups");
    nobody.env("TOOLKEEP_TEST_NOBODY", "1").env("TMPDIR", temp.path());
    as_nobody(&mut nobody, &[temp.path()]);
    passes(nobody);
}

#[tokio::test]
async fn a_host_that_makes_no_groups() {
    if std::env::var_os("TOOLKEEP_TEST_NOBODY").is_none() {
        return;
    }
    let found = given(&house(json!({})).await).await;
    if found.cgroups {
        // Who is not root may have been given groups of his own.
        return;
    }
    refuses(json!({ "require": true }), "`exec.limits.memory_mb`").await;
    let off = json!({ "require": true, "confinement": "off" });
    let house_off = House::new(json!({ "exec": off })).await;
    let result = house_off.call("exec", json!({ "command": "echo ran" })).await;
    assert!(result.for_llm.contains("`exec.limits.memory_mb`"), "{}", result.for_llm);
    if found.missing.len() > 1 {
        return;
    }
    // Of processes the kernel lets a user have no more than that.
    let house = house(json!({ "require": true, "limits": { "memory_mb": 0 } })).await;
    let result = run(&house).await;
    assert!(!result.is_error && has_run(&house), "{}", result.for_llm);
}
