//! No operation forgets the tenant: each one runs as two tenants that hold things of equal keys.
//!
//! A new operation fails [`every_operation_has_a_case`] until it has a case here. What it needs to
//! find is made in [`settle`]; a value that is made up on the way (an id) goes into [`Made`].

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolkeep::secret::generate_key;
use toolkeep::{CallContext, Code, Config, Error, Runtime};

use crate::support::echo;

/// Two tenants. Each one's texts name it, so that a text tells whose it is.
const ONE: &str = "of-one";
const TWO: &str = "of-two";

/// The operations that are about the runtime and not about a tenant.
const WITHOUT_TENANT: &[&str] = &[
    "config.get",
    "registry.list",
    "registry.enable",
    "registry.disable",
    "registry.alias",
    "registry.groups",
    "store.info",
    "store.backup",
    "store.import",
];

/// The operations that have a test of their own here, because they answer with a file.
const WITH_A_FILE: &[&str] = &["store.export"];

/// What [`settle`] made that has no key of its own choice.
#[derive(Default)]
struct Made {
    artifact: String,
}

/// One operation, and how it is seen to be the tenant's own.
struct Case {
    operation: &'static str,
    /// Its arguments, without the tenant.
    args: fn(&Made) -> Value,
    does: Does,
}

#[derive(PartialEq)]
enum Does {
    /// Its answer holds a text of the tenant.
    Reads,
    /// What the tenant's other operations read is different afterwards.
    Changes,
}

const fn reads(operation: &'static str, args: fn(&Made) -> Value) -> Case {
    Case { operation, args, does: Does::Reads }
}

const fn changes(operation: &'static str, args: fn(&Made) -> Value) -> Case {
    Case { operation, args, does: Does::Changes }
}

const CASES: &[Case] = &[
    changes("agents.put", |_| json!({ "id": "a", "description": "new" })),
    reads("agents.get", |_| json!({ "id": "a" })),
    reads("agents.list", |_| json!({})),
    changes("agents.delete", |_| json!({ "id": "a" })),
    reads("artifacts.read", |made| json!({ "id": made.artifact, "session": "s" })),
    reads("audit.query", |_| json!({})),
    changes("context_files.put", |_| json!({ "agent": "a", "name": "n", "text": "new" })),
    reads("context_files.get", |_| json!({ "agent": "a", "name": "n" })),
    reads("context_files.list", |_| json!({ "agent": "a" })),
    changes("context_files.delete", |_| json!({ "agent": "a", "name": "n" })),
    changes("documents.put", |_| json!({ "agent": "a", "path": "p", "text": "new" })),
    reads("documents.get", |_| json!({ "agent": "a", "path": "p" })),
    reads("documents.list", |_| json!({ "agent": "a" })),
    changes("documents.delete", |_| json!({ "agent": "a", "path": "p" })),
    changes("credentials.put", |_| json!({ "name": "c", "env": { "A": "new" } })),
    reads("credentials.get", |_| json!({ "name": "c" })),
    reads("credentials.check", |_| json!({ "name": "c" })),
    reads("credentials.list", |_| json!({})),
    changes("credentials.delete", |_| json!({ "name": "c" })),
    changes("custom_tools.put", |_| json!({ "name": "t", "description": "new", "command": "new" })),
    reads("custom_tools.get", |_| json!({ "name": "t" })),
    reads("custom_tools.list", |_| json!({})),
    changes("custom_tools.delete", |_| json!({ "name": "t" })),
    reads("events.read", |_| json!({})),
    changes("grants.put", |_| json!({ "kind": "cli", "resource": "gh", "effect": "deny" })),
    reads("grants.get", |_| json!({ "kind": "cli", "resource": "gh" })),
    reads("grants.list", |_| json!({ "kind": "cli" })),
    reads("grants.list", |_| json!({ "kind": "cli", "resource": "gh" })),
    reads("grants.check", |_| json!({ "kind": "cli", "resource": "gh", "agent": "a" })),
    changes("grants.delete", |_| json!({ "kind": "cli", "resource": "gh" })),
    changes(
        "rules.put",
        |_| json!({ "kind": "shell", "id": "r", "effect": "deny", "pattern": "new" }),
    ),
    reads("rules.get", |_| json!({ "kind": "shell", "id": "r" })),
    reads("rules.list", |_| json!({ "kind": "shell" })),
    changes("rules.delete", |_| json!({ "kind": "shell", "id": "r" })),
    changes("sessions.put", |_| json!({ "id": "s", "label": "new" })),
    reads("sessions.get", |_| json!({ "id": "s" })),
    reads("sessions.list", |_| json!({})),
    reads("sessions.list", |_| json!({ "agent": "a" })),
    reads("sessions.history", |_| json!({ "id": "s" })),
    reads("sessions.history", |_| json!({ "id": "s", "latest": true })),
    changes(
        "sessions.append",
        |_| json!({ "id": "s", "messages": [{ "role": "user", "content": "new" }] }),
    ),
    changes("sessions.delete", |_| json!({ "id": "s" })),
];

/// Gives a tenant one of everything, under the same keys as any other tenant.
async fn settle(rt: &Runtime, tenant: &str) -> Made {
    for (operation, args) in [
        ("agents.put", json!({ "id": "a", "description": tenant })),
        ("context_files.put", json!({ "agent": "a", "name": "n", "text": tenant })),
        ("documents.put", json!({ "agent": "a", "path": "p", "text": tenant })),
        ("credentials.put", {
            json!({ "name": "c", "env": { "A": "b" }, "settings": { "of": tenant } })
        }),
        ("custom_tools.put", json!({ "name": "t", "description": tenant, "command": "true" })),
        ("grants.put", {
            json!({ "kind": "cli", "resource": "gh", "effect": "allow", "granted_by": tenant })
        }),
        ("rules.put", {
            json!({ "kind": "shell", "id": "r", "effect": "ask", "pattern": tenant })
        }),
        ("sessions.put", json!({ "id": "s", "agent": "a", "label": tenant })),
        ("sessions.append", {
            json!({ "id": "s", "messages": [{ "role": "user", "content": tenant }] })
        }),
    ] {
        invoke(rt, tenant, operation, args).await.unwrap();
    }
    let cx = CallContext::new().tenant(tenant).agent("a").session("s");
    let long = json!({ "text": format!("{tenant} ").repeat(10_000) });
    let result = rt.call(&cx, "echo", long).await.unwrap();
    let note = result.for_llm.split("artifact:").nth(1).unwrap();
    let artifact = note.chars().take_while(char::is_ascii_hexdigit).collect();
    Made { artifact }
}

async fn invoke(
    rt: &Runtime,
    tenant: &str,
    operation: &str,
    mut args: Value,
) -> Result<Value, Error> {
    args["tenant"] = json!(tenant);
    rt.invoke(operation, args).await
}

/// All that a tenant can read. With `events` also what was told.
async fn view(rt: &Runtime, tenant: &str, made: &Made, events: bool) -> Vec<String> {
    let mut view = Vec::new();
    for case in CASES.iter().filter(|case| case.does == Does::Reads) {
        if events || case.operation != "events.read" {
            let answer = invoke(rt, tenant, case.operation, (case.args)(made)).await;
            view.push(format!("{}: {answer:?}", case.operation));
        }
    }
    view
}

async fn runtime() -> Runtime {
    let config = Config::from_value(json!({ "output": { "max_chars": 1_000 } })).unwrap();
    let builder = Runtime::builder().config(config).tool(echo());
    builder.key(|| Ok(generate_key()?)).build().await.unwrap()
}

#[test]
fn every_operation_has_a_case() {
    let all: BTreeSet<&str> = toolkeep::ops::all().map(|operation| operation.name).collect();
    let cases = CASES.iter().map(|case| case.operation);
    let others = WITHOUT_TENANT.iter().chain(WITH_A_FILE).copied();
    let known: BTreeSet<&str> = cases.chain(others).collect();
    assert_eq!(all, known, "give each operation a case here, or name it as one without tenant");
    for operation in toolkeep::ops::all() {
        let schema = (operation.arguments)().to_value();
        let takes_tenant = schema["properties"].get("tenant").is_some();
        assert_eq!(takes_tenant, !WITHOUT_TENANT.contains(&operation.name), "{}", operation.name);
    }
}

#[tokio::test]
async fn what_one_tenant_does_another_neither_sees_nor_suffers() {
    for Case { operation, args, .. } in CASES {
        for both in [false, true] {
            let rt = runtime().await;
            let made = settle(&rt, ONE).await;
            if both {
                settle(&rt, TWO).await;
            }
            let before = view(&rt, ONE, &made, true).await;
            // As the other tenant, with the same keys: whatever the answer, it tells nothing.
            let answer = match invoke(&rt, TWO, operation, args(&made)).await {
                Ok(answer) => answer.to_string(),
                Err(error) => {
                    let code = error.code();
                    assert!(
                        matches!(code, Code::NotFound | Code::Conflict),
                        "{operation}: {error}"
                    );
                    error.to_string()
                }
            };
            assert!(!answer.contains(ONE), "{operation} tells of another tenant: {answer}");
            assert_eq!(view(&rt, ONE, &made, true).await, before, "{operation}");
        }
    }
}

#[tokio::test]
async fn each_case_would_notice_a_forgotten_tenant() {
    for Case { operation, args, does } in CASES {
        let rt = runtime().await;
        let made = settle(&rt, ONE).await;
        let before = view(&rt, ONE, &made, false).await;
        let answer = invoke(&rt, ONE, operation, args(&made)).await.unwrap().to_string();
        match does {
            Does::Reads => assert!(answer.contains(ONE), "{operation} finds nothing: {answer}"),
            Does::Changes => {
                assert_ne!(view(&rt, ONE, &made, false).await, before, "{operation}");
            }
        }
    }
}

#[tokio::test]
async fn an_operation_without_a_tenant_is_of_the_default_one() {
    for Case { operation, args, .. } in CASES {
        let rt = runtime().await;
        let made = settle(&rt, ONE).await;
        let before = view(&rt, ONE, &made, true).await;
        let answer = rt.invoke(operation, args(&made)).await;
        let answer = answer.map_or_else(|error| error.to_string(), |answer| answer.to_string());
        assert!(!answer.contains(ONE), "{operation} tells of another tenant: {answer}");
        assert_eq!(view(&rt, ONE, &made, true).await, before, "{operation}");
    }
}

#[tokio::test]
async fn an_export_of_one_tenant_holds_nothing_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let rt = runtime().await;
    settle(&rt, ONE).await;
    settle(&rt, TWO).await;
    let path = folder.path().join("two.jsonl");
    invoke(&rt, TWO, "store.export", json!({ "path": path.to_str().unwrap() })).await.unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(TWO), "{text}");
    assert!(!text.contains(ONE), "{text}");
}
