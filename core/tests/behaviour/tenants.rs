//! No operation forgets the tenant: each one runs as two tenants that hold things of equal keys.
//!
//! A new operation fails [`every_operation_has_a_case`] until it has a case here. What it needs to
//! find is made in [`settle`]; a value that is made up on the way (an id) goes into [`Made`].

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::clock::{Clock as _, ManualClock, SystemClock};
use toolkeep::kind::Taint;
use toolkeep::secret::generate_key;
use toolkeep::store;
use toolkeep::{CallContext, Code, Config, Error, Runtime, Tool, ToolError, ToolResult, ToolSpec};

use crate::support::echo;

/// Two tenants. Each one's texts name it, so that a text tells whose it is.
const ONE: &str = "of-one";
const TWO: &str = "of-two";
/// A value that both have registered, each under its own name.
const WORD: &str = "tangerine-kangaroo-99";

/// The operations that are about the runtime and not about a tenant.
const WITHOUT_TENANT: &[&str] = &[
    "clis.presets",
    "config.get",
    "exec.capabilities",
    "policy.get",
    "policy.set",
    "policy.reload",
    "policy.status",
    "policy.diff",
    "secrets.rotate",
    "secrets.rotation",
    "secrets.stop_rotation",
    "shell.check",
    "store.info",
    "store.check",
    "store.backup",
    "store.import",
];

/// The operations that have a test of their own here: one answers with a file, one needs a ledger
/// that is hours old, one is seen only in what follows it.
const APART: &[&str] = &["store.export", "audit.prune", "registry.clone"];

/// What [`settle`] made that has no key of its own choice.
#[derive(Default)]
struct Made {
    artifact: String,
    binding: String,
    lease_epoch: i64,
    lock_id: String,
    lock_epoch: i64,
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
    /// Its answer tells of the tenant without a text of it: a tenant with nothing gets another.
    Counts,
    /// What the tenant's other operations read is different afterwards.
    Changes,
}

const fn counts(operation: &'static str, args: fn(&Made) -> Value) -> Case {
    Case { operation, args, does: Does::Counts }
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
    changes("approvals.request", |_| json!({ "id": "new", "digest": "d", "tool": "t" })),
    reads("approvals.get", |_| json!({ "id": "pending" })),
    reads("approvals.list", |_| json!({})),
    reads("approvals.list", |_| json!({ "state": "pending" })),
    reads("approvals.list", |_| json!({ "session": "s" })),
    reads("approvals.list", |_| json!({ "agent": "a" })),
    changes("approvals.decide", |_| json!({ "id": "pending", "decision": "deny", "by": "p" })),
    changes("approvals.consume", |_| json!({ "id": "allowed", "digest": "d" })),
    changes("approvals.cancel", |_| json!({ "id": "pending" })),
    reads("audit.query", |_| json!({})),
    counts("audit.verify", |_| json!({})),
    changes("context_files.put", |_| json!({ "agent": "a", "name": "n", "text": "new" })),
    reads("context_files.get", |_| json!({ "agent": "a", "name": "n" })),
    reads("context_files.list", |_| json!({ "agent": "a" })),
    reads("context_files.merge", |_| json!({ "agent": "a" })),
    changes("context_files.delete", |_| json!({ "agent": "a", "name": "n" })),
    counts("memory.queued", |_| json!({})),
    changes("documents.put", |_| json!({ "agent": "a", "path": "p", "text": "new" })),
    reads("documents.get", |_| json!({ "agent": "a", "path": "p" })),
    reads("documents.list", |_| json!({ "agent": "a" })),
    changes("documents.delete", |_| json!({ "agent": "a", "path": "p" })),
    changes("credentials.put", |_| json!({ "name": "c", "env": { "A": "new" } })),
    reads("credentials.get", |_| json!({ "name": "c" })),
    reads("credentials.check", |_| json!({ "name": "c" })),
    reads("credentials.list", |_| json!({})),
    changes("credentials.delete", |_| json!({ "name": "c" })),
    changes("clis.put", |_| json!({ "binary_name": "k", "description": "new", "tips": "new" })),
    reads("clis.get", |_| json!({ "binary_name": "k" })),
    reads("clis.list", |_| json!({})),
    counts("clis.check", |_| json!({ "binary_name": "k", "args": ["x"] })),
    reads("clis.supplement", |_| json!({})),
    changes("clis.delete", |_| json!({ "binary_name": "k" })),
    changes("custom_tools.put", |_| json!({ "name": "t", "description": "new", "command": "new" })),
    reads("custom_tools.get", |_| json!({ "name": "t" })),
    reads("custom_tools.list", |_| json!({})),
    changes("custom_tools.delete", |_| json!({ "name": "t" })),
    reads("events.read", |_| json!({})),
    counts("events.last", |_| json!({})),
    changes("events.prune", |_| json!({ "keep": 1 })),
    changes(
        "leases.acquire",
        |_| json!({ "kind": "job", "name": "new", "holder": "h", "ttl_ms": 60_000 }),
    ),
    changes("leases.renew", |made| {
        let epoch = made.lease_epoch;
        json!({ "kind": "job", "name": "n", "epoch": epoch, "ttl_ms": 80_000_000 })
    }),
    changes(
        "leases.release",
        |made| json!({ "kind": "job", "name": "n", "epoch": made.lease_epoch }),
    ),
    reads("leases.list", |_| json!({ "kind": "job" })),
    changes("locks.acquire", |_| json!({ "space": "ws", "patterns": ["new"], "holder": "h" })),
    changes("locks.renew", |made| {
        let Made { lock_id: id, lock_epoch: epoch, .. } = made;
        let ttl_ms = 80_000_000;
        json!({ "space": "ws", "id": id, "holder": "h", "epoch": epoch, "ttl_ms": ttl_ms })
    }),
    changes(
        "locks.release",
        |made| json!({ "space": "ws", "id": made.lock_id, "holder": "h", "epoch": made.lock_epoch }),
    ),
    reads("policy.check", |_| json!({})),
    reads("locks.list", |_| json!({ "space": "ws" })),
    reads("locks.covering", |_| json!({ "space": "ws", "path": "x" })),
    changes("grants.put", |_| json!({ "kind": "cli", "resource": "gh", "effect": "deny" })),
    reads("grants.get", |_| json!({ "kind": "cli", "resource": "gh" })),
    reads("grants.list", |_| json!({ "kind": "cli" })),
    reads("grants.list", |_| json!({ "kind": "cli", "resource": "gh" })),
    reads("grants.check", |_| json!({ "kind": "cli", "resource": "gh", "agent": "a" })),
    changes("grants.delete", |_| json!({ "kind": "cli", "resource": "gh" })),
    reads("registry.list", |_| json!({ "agent": "a" })),
    reads("registry.get", |_| json!({ "agent": "a", "name": "list_files" })),
    reads("registry.groups", |_| json!({ "agent": "a" })),
    changes("registry.enable", |_| json!({ "agent": "a", "name": "datetime" })),
    changes("registry.disable", |_| json!({ "agent": "a", "name": "echo" })),
    changes("registry.unregister", |_| json!({ "agent": "a", "name": "echo" })),
    changes("registry.alias", |_| json!({ "agent": "a", "alias": "new", "name": "echo" })),
    changes("registry.unalias", |_| json!({ "agent": "a", "alias": "other" })),
    changes("registry.drop_clone", |_| json!({ "agent": "a" })),
    changes(
        "rules.put",
        |_| json!({ "kind": "tool", "id": "r", "effect": "deny", "pattern": "new" }),
    ),
    reads("rules.get", |_| json!({ "kind": "tool", "id": "r" })),
    reads("rules.list", |_| json!({ "kind": "tool" })),
    changes("rules.revoke", |_| json!({ "kind": "tool", "id": "r" })),
    changes("secrets.register", |_| json!({ "value": "purple-wombat-77", "kind": "new" })),
    changes("secrets.forget", |_| json!({ "value": WORD })),
    reads("secrets.mask", |_| json!({ "text": format!("{WORD} and purple-wombat-77") })),
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
    counts("sessions.marks", |_| json!({ "id": "s" })),
    changes("sessions.clear_marks", |_| json!({ "id": "s" })),
    changes("sessions.delete", |_| json!({ "id": "s" })),
    changes("vault.bind", |_| json!({ "kind": "k", "tools": ["new"] })),
    changes("vault.unbind", |made| json!({ "id": made.binding })),
    reads("vault.list", |_| json!({})),
    changes("vault.forget", |_| json!({})),
];

/// A tool in a group, whose name tells whose it is.
struct Grouped(String);

impl Tool for Grouped {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.0.as_str(), "Nothing.").group("grouped")
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::default()) }.boxed()
    }
}

/// Gives a tenant one of everything, under the same keys as any other tenant.
async fn settle(rt: &Runtime, tenant: &str) -> Made {
    for (operation, args) in [
        (
            "agents.put",
            json!({ "id": "a", "description": tenant, "deny": [format!("not-{tenant}")] }),
        ),
        ("context_files.put", json!({ "agent": "a", "name": "n", "text": tenant })),
        ("documents.put", json!({ "agent": "a", "path": "p", "text": tenant })),
        ("credentials.put", {
            json!({ "name": "c", "env": { "A": "b" }, "settings": { "of": tenant } })
        }),
        ("clis.put", json!({ "binary_name": "k", "description": tenant, "tips": tenant })),
        ("custom_tools.put", json!({ "name": "t", "description": tenant, "command": "true" })),
        ("grants.put", {
            json!({ "kind": "cli", "resource": "gh", "effect": "allow", "granted_by": tenant })
        }),
        ("rules.put", { json!({ "kind": "tool", "id": "r", "effect": "ask", "pattern": tenant }) }),
        ("approvals.request", approval("pending", tenant)),
        ("approvals.request", approval("allowed", tenant)),
        ("approvals.decide", json!({ "id": "allowed", "decision": "allow", "by": "p" })),
        ("secrets.register", json!({ "value": WORD, "kind": tenant })),
        ("sessions.put", json!({ "id": "s", "agent": "a", "label": tenant })),
        ("sessions.append", {
            json!({ "id": "s", "messages": [{ "role": "user", "content": tenant }] })
        }),
        ("registry.clone", json!({ "agent": "a" })),
        ("registry.alias", json!({ "agent": "a", "alias": tenant, "name": "list_files" })),
        ("registry.alias", json!({ "agent": "a", "alias": "other", "name": "echo" })),
        ("registry.disable", json!({ "agent": "a", "name": "datetime" })),
    ] {
        invoke(rt, tenant, operation, args).await.unwrap();
    }
    let own = rt.registries().own(tenant, "a").unwrap();
    own.register(Arc::new(Grouped(format!("tool-{tenant}")))).unwrap();
    let cx = CallContext::new().tenant(tenant).agent("a").session("s");
    let long = json!({ "text": format!("{tenant} ").repeat(10_000) });
    let result = rt.call(&cx, "echo", long).await.unwrap();
    let note = result.for_llm.split("artifact:").nth(1);
    let note = note.unwrap_or_else(|| panic!("no artifact: {result:?}"));
    let artifact = note.chars().take_while(char::is_ascii_hexdigit).collect();
    let lease = json!({ "kind": "job", "name": "n", "holder": tenant, "ttl_ms": 60_000 });
    let lease = invoke(rt, tenant, "leases.acquire", lease).await.unwrap();
    let lock = json!({ "space": "ws", "patterns": ["x", tenant], "holder": "h" });
    let lock = invoke(rt, tenant, "locks.acquire", lock).await.unwrap();
    let binding = json!({ "kind": "k", "tools": [tenant] });
    let binding = invoke(rt, tenant, "vault.bind", binding).await.unwrap();
    Made {
        artifact,
        binding: binding["id"].as_str().unwrap().to_owned(),
        lease_epoch: lease["lease"]["epoch"].as_i64().unwrap(),
        lock_id: lock["lock"]["id"].as_str().unwrap().to_owned(),
        lock_epoch: lock["lock"]["epoch"].as_i64().unwrap(),
    }
}

fn approval(id: &str, tenant: &str) -> Value {
    let request = json!({ "of": tenant });
    json!({
        "id": id, "digest": "d", "tool": "t", "session": "s", "agent": "a", "request": request
    })
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
    for case in CASES.iter().filter(|case| case.does != Does::Changes) {
        if events || !case.operation.starts_with("events.") {
            let answer = invoke(rt, tenant, case.operation, (case.args)(made)).await;
            view.push(format!("{}: {answer:?}", case.operation));
        }
    }
    view
}

async fn runtime() -> Runtime {
    let config = Config::from_value(json!({
        "output": { "max_chars": 1_000 }, "vault": { "enabled": true }
    }))
    .unwrap();
    let store = store::open("memory:", store::OpenOptions::default()).await.unwrap();
    store.add_marks(ONE, "s", &[Taint::Private], SystemClock.now_ms()).await.unwrap();
    let builder = Runtime::builder().config(config).store(store).tool(echo());
    builder.key(|| Ok(generate_key()?)).build().await.unwrap()
}

#[test]
fn every_operation_has_a_case() {
    let all: BTreeSet<&str> = toolkeep::ops::all().map(|operation| operation.name).collect();
    let cases = CASES.iter().map(|case| case.operation);
    let others = WITHOUT_TENANT.iter().chain(APART).copied();
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
        let events = operation.starts_with("events.");
        let before = view(&rt, ONE, &made, events).await;
        let answer = invoke(&rt, ONE, operation, args(&made)).await.unwrap().to_string();
        match does {
            Does::Reads => assert!(answer.contains(ONE), "{operation} finds nothing: {answer}"),
            Does::Counts => {
                let nothing = invoke(&rt, "nobody", operation, args(&made)).await.unwrap();
                assert_ne!(answer, nothing.to_string(), "{operation}");
                assert_eq!(invoke(&rt, TWO, operation, args(&made)).await.unwrap(), nothing);
            }
            Does::Changes => {
                assert_ne!(view(&rt, ONE, &made, events).await, before, "{operation}");
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
async fn a_registry_of_one_tenants_agent_is_not_anothers() {
    let rt = runtime().await;
    invoke(&rt, ONE, "registry.clone", json!({ "agent": "a" })).await.unwrap();
    let unregister = json!({ "agent": "a", "name": "echo" });
    let other = invoke(&rt, TWO, "registry.unregister", unregister.clone()).await;
    assert_eq!(other.unwrap_err().code(), Code::NotFound);
    invoke(&rt, ONE, "registry.unregister", unregister).await.unwrap();
    let call = async |tenant: &str| {
        let cx = CallContext::new().tenant(tenant).agent("a");
        rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap().code
    };
    assert_eq!(call(ONE).await, Some(Code::UnknownTool));
    assert_eq!(call(TWO).await, None);
    let again = invoke(&rt, ONE, "registry.clone", json!({ "agent": "a" })).await;
    assert_eq!(again.unwrap_err().code(), Code::Conflict);
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

#[tokio::test]
async fn pruning_the_ledger_of_one_tenant_leaves_that_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    let rt = Runtime::builder().store_url(&url).tool(echo()).build().await.unwrap();
    for tenant in [ONE, TWO] {
        let cx = CallContext::new().tenant(tenant);
        rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap();
    }
    rt.close().await.unwrap();
    // Hours later, so that no writer can still extend these segments.
    let later = Arc::new(ManualClock::at(SystemClock.now_ms() + 24 * 60 * 60 * 1000));
    let rt = Runtime::builder().store_url(&url).clock(later).build().await.unwrap();
    let rows = async |tenant| {
        let rows = invoke(&rt, tenant, "audit.query", json!({})).await.unwrap();
        rows.as_array().unwrap().len()
    };
    let pruned = invoke(&rt, TWO, "audit.prune", json!({ "keep_rows": 0 })).await.unwrap();
    assert_eq!(pruned["rows"], 1, "{pruned}");
    assert_eq!((rows(ONE).await, rows(TWO).await), (1, 0));
}
