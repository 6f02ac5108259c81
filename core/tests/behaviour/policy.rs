//! The policy while it is in force: changed, reloaded, watched.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolkeep::policy::Policy;
use toolkeep::{CallContext, Code, Config, Dialect, Runtime, Tool, ToolSpec};

use crate::faulty::faulty_rt;
use crate::limits::says;
use crate::support::{Gives, House, echo, eventually};

fn policy(value: Value) -> Policy {
    serde_json::from_value(value).unwrap()
}

async fn echoes(rt: &Runtime) -> Option<Code> {
    rt.call(&CallContext::new(), "echo", json!({ "text": "x" })).await.unwrap().code
}

async fn kinds(rt: &Runtime) -> Vec<String> {
    let events = rt.invoke("events.read", json!({})).await.unwrap();
    let events = events.as_array().unwrap();
    let kinds = events.iter().map(|event| event["kind"].as_str().unwrap().to_owned());
    kinds.filter(|kind| kind.starts_with("policy.")).collect()
}

#[tokio::test]
async fn a_policy_that_was_set_decides_the_next_call() {
    let house = House::new(json!({})).await;
    assert_eq!(echoes(&house.rt).await, None);
    assert_eq!(house.rt.set_policy(policy(json!({ "deny": ["echo"] }))).await.unwrap(), 2);
    assert_eq!(echoes(&house.rt).await, Some(Code::DeniedByPolicy));
    assert_eq!(house.rt.set_policy(Policy::default()).await.unwrap(), 3);
    assert_eq!(echoes(&house.rt).await, None);
    assert_eq!(kinds(&house.rt).await, ["policy.changed", "policy.changed"]);
}

#[tokio::test]
async fn a_wrong_policy_is_refused_and_the_one_before_stays() {
    let house = House::new(json!({ "policy": { "deny": ["echo"] } })).await;
    for wrong in [
        json!({ "profile": "bogus" }),
        json!({ "deny": ["group:nope"] }),
        json!({ "deny": ["ecko"] }),
        json!({ "allow": ["a b"] }),
    ] {
        let error = house.rt.set_policy(policy(wrong.clone())).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidConfig, "{wrong}");
        assert!(error.message().contains("policy."), "{error}");
    }
    assert_eq!(echoes(&house.rt).await, Some(Code::DeniedByPolicy));
    let status = house.rt.invoke("policy.status", json!({})).await.unwrap();
    assert_eq!(status["generation"], 1);
}

#[tokio::test]
async fn a_policy_that_names_what_is_not_there_decides_nothing() {
    let config = Config::from_value(json!({ "policy": { "deny": ["ecko"] } })).unwrap();
    let rt = Runtime::builder().config(config).tool(echo()).build().await.unwrap();
    let cx = CallContext::new();
    let complaints = [
        rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap_err(),
        rt.definitions(&cx, Dialect::Anthropic).await.unwrap_err(),
        rt.explain(&cx, "echo").await.unwrap_err(),
    ];
    for error in complaints {
        assert_eq!(error.code(), Code::InvalidConfig);
        for word in ["policy.deny[0]", "`ecko`", "`echo`", "optional", "before the first call"] {
            assert!(error.message().contains(word), "{word}: {error}");
        }
    }
    rt.registry().alias("ecko", "echo").unwrap();
    assert_eq!(echoes(&rt).await, Some(Code::DeniedByPolicy), "the name means a tool now");
}

#[tokio::test]
async fn where_a_file_says_what_is_in_force_nothing_else_does() {
    let home = Home::new("").await;
    let error = home.rt.set_policy(Policy::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert!(error.message().contains("toolkeep.toml"), "{error}");
    let house = House::new(json!({})).await;
    let error = house.rt.invoke("policy.reload", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert!(error.message().contains("policy.set"), "{error}");
}

/// A runtime that was opened from a file.
struct Home {
    rt: Runtime,
    folder: TempDir,
}

impl Home {
    async fn new(text: &str) -> Home {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("toolkeep.toml"), text).unwrap();
        let rt = Runtime::open(folder.path().join("toolkeep.toml")).await.unwrap();
        rt.register(echo()).unwrap();
        Home { rt, folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("toolkeep.toml")
    }

    fn write(&self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
    }

    async fn reload(&self) -> Result<Value, toolkeep::Error> {
        self.rt.invoke("policy.reload", json!({})).await
    }

    async fn status(&self) -> Value {
        self.rt.invoke("policy.status", json!({})).await.unwrap()
    }
}

#[tokio::test]
async fn a_changed_file_is_taken_up_by_itself() {
    let home = Home::new("").await;
    assert_eq!(echoes(&home.rt).await, None);
    home.write("[policy]\ndeny = [\"echo\"]\n");
    eventually(async || echoes(&home.rt).await == Some(Code::DeniedByPolicy)).await;
    assert_eq!(kinds(&home.rt).await, ["policy.changed"]);
    let shown = home.rt.invoke("config.get", json!({})).await.unwrap();
    assert_eq!(shown["policy"]["deny"], json!(["echo"]));
}

#[tokio::test]
async fn a_wrong_file_leaves_the_policy_and_a_right_one_is_taken_up_again() {
    let home = Home::new("[policy]\ndeny = [\"echo\"]\n").await;
    home.write("[policy]\ndeny = [\"ec");
    eventually(async || !home.status().await["rejected"].is_null()).await;
    assert_eq!(echoes(&home.rt).await, Some(Code::DeniedByPolicy));
    assert_eq!(home.status().await["generation"], 1);
    home.write("[policy]\nprofile = \"bogus\"\n");
    let error = home.reload().await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidConfig);
    assert!(error.message().contains("bogus"), "{error}");
    assert!(home.status().await["rejected"].as_str().unwrap().contains("bogus"));
    assert_eq!(echoes(&home.rt).await, Some(Code::DeniedByPolicy));
    home.write("");
    eventually(async || echoes(&home.rt).await.is_none()).await;
    assert_eq!(home.status().await["rejected"], Value::Null);
    let kinds = kinds(&home.rt).await;
    assert_eq!(kinds, ["policy.rejected", "policy.rejected", "policy.changed"]);
}

#[tokio::test]
async fn a_file_that_names_a_tool_too_early_is_taken_up_once_the_tool_is_there() {
    let home = Home::new("").await;
    home.write("[policy]\ndeny = [\"gives\", \"echo\"]\n");
    let error = home.reload().await.unwrap_err();
    assert!(error.message().contains("`gives`"), "{error}");
    assert_eq!(echoes(&home.rt).await, None);
    home.rt.register(Gives(toolkeep::ToolResult::text("x"))).unwrap();
    eventually(async || echoes(&home.rt).await == Some(Code::DeniedByPolicy)).await;
    assert_eq!(kinds(&home.rt).await, ["policy.rejected", "policy.changed"]);
}

#[tokio::test]
async fn a_parent_is_decided_by_the_tools_that_it_has_itself() {
    let house = House::new(json!({})).await;
    let boss = json!({ "agent": "boss" });
    house.rt.invoke("registry.clone", boss).await.unwrap();
    let gone = json!({ "agent": "boss", "name": "echo" });
    house.rt.invoke("registry.unregister", gone).await.unwrap();
    house.rt.invoke("registry.clone", json!({ "agent": "kid" })).await.unwrap();
    let kid = CallContext::new().agent("boss").child("kid");
    let refused = house.rt.call(&kid, "echo", json!({ "text": "x" })).await.unwrap();
    assert_eq!(refused.code, Some(Code::DeniedByPolicy), "{}", refused.for_llm);
    let alone = CallContext::new().agent("kid");
    let heard = house.rt.call(&alone, "echo", json!({ "text": "x" })).await.unwrap();
    assert_eq!(heard.code, None);
}

#[tokio::test]
async fn a_file_that_goes_away_leaves_the_policy() {
    let home = Home::new("[policy]\ndeny = [\"echo\"]\n").await;
    std::fs::remove_file(home.path()).unwrap();
    assert_eq!(home.reload().await.unwrap_err().code(), Code::InvalidConfig);
    assert_eq!(echoes(&home.rt).await, Some(Code::DeniedByPolicy));
    home.write("");
    assert_eq!(home.reload().await.unwrap()["changed"], true);
    assert_eq!(echoes(&home.rt).await, None);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_no_regular_one_is_not_waited_for() {
    let home = Home::new("[policy]\ndeny = [\"echo\"]\n").await;
    std::fs::remove_file(home.path()).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, home.path(), kind, mode, 0).unwrap();
    let error = home.reload().await.unwrap_err();
    assert!(error.message().contains("not a regular file"), "{error}");
    assert_eq!(echoes(&home.rt).await, Some(Code::DeniedByPolicy));
    let error = Runtime::open(home.path()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidConfig);
}

#[tokio::test]
async fn a_file_that_is_too_large_is_not_read() {
    let home = Home::new("").await;
    std::fs::File::options()
        .write(true)
        .open(home.path())
        .unwrap()
        .set_len((16 << 20) + 1)
        .unwrap();
    let error = home.reload().await.unwrap_err();
    assert!(error.message().contains("larger than 16 MiB"), "{error}");
}

#[tokio::test]
async fn a_file_that_was_only_touched_makes_no_new_generation() {
    let home = Home::new("[policy]\ndeny = [\"echo\"]\n").await;
    home.write("# the same in other words\n[policy]\ndeny = ['echo']\n");
    let later = SystemTime::now() + Duration::from_secs(5);
    std::fs::File::open(home.path()).unwrap().set_modified(later).unwrap();
    let reloaded = home.reload().await.unwrap();
    assert_eq!(reloaded["changed"], false);
    assert_eq!(reloaded["status"]["generation"], 1);
    assert!(kinds(&home.rt).await.is_empty());
}

#[tokio::test]
async fn groups_change_together_with_the_lists_that_name_them() {
    let home = Home::new("[groups]\nmine = [\"echo\"]\n[policy]\ndeny = [\"group:mine\"]\n").await;
    assert_eq!(echoes(&home.rt).await, Some(Code::DeniedByPolicy));
    home.write("[groups]\nmine = [\"datetime\"]\n[policy]\ndeny = [\"group:mine\"]\n");
    assert_eq!(home.reload().await.unwrap()["changed"], true);
    assert_eq!(echoes(&home.rt).await, None);
    let now = home.rt.call(&CallContext::new(), "datetime", json!({})).await.unwrap();
    assert_eq!(now.code, Some(Code::DeniedByPolicy));
    let groups = home.rt.invoke("registry.groups", json!({})).await.unwrap();
    assert_eq!(groups["mine"], json!(["datetime"]));
    home.write("[policy]\ndeny = [\"group:mine\"]\n");
    let error = home.reload().await.unwrap_err();
    assert!(error.message().contains("group:mine"), "{error}");
}

#[tokio::test]
async fn what_needs_a_reopening_is_named() {
    let home = Home::new("").await;
    home.write("[policy]\ndeny = [\"echo\"]\n[output]\nmax_lines = 20\n");
    let status = home.reload().await.unwrap()["status"].clone();
    assert_eq!(status["needs_reopening"], json!(["output"]));
    assert_eq!(status["rejected"], Value::Null);
    let events = home.rt.invoke("events.read", json!({})).await.unwrap();
    let found = events.as_array().unwrap().iter().find(|event| event["kind"] == "policy.changed");
    assert_eq!(found.unwrap()["data"]["needs_reopening"], json!(["output"]));
}

#[tokio::test]
async fn an_event_that_cannot_be_stored_stops_no_change() {
    let (rt, knobs) = faulty_rt(json!({})).await;
    knobs.fail_writes.store(true, Ordering::SeqCst);
    rt.set_policy(policy(json!({ "deny": ["echo"] }))).await.unwrap();
    knobs.fail_writes.store(false, Ordering::SeqCst);
    assert_eq!(echoes(&rt).await, Some(Code::DeniedByPolicy));
}

#[tokio::test]
async fn a_parents_row_narrows_its_children_from_the_next_call_on() {
    let house = House::new(json!({})).await;
    let child = CallContext::new().agent("boss").child("helper");
    let code = async || house.rt.call(&child, "echo", json!({ "text": "x" })).await.unwrap().code;
    assert_eq!(code().await, None);
    let put = json!({ "id": "boss", "deny": ["echo"] });
    house.rt.invoke("agents.put", put).await.unwrap();
    assert_eq!(code().await, Some(Code::DeniedByPolicy));
    house.rt.invoke("agents.delete", json!({ "id": "boss" })).await.unwrap();
    assert_eq!(code().await, None);
}

#[tokio::test]
async fn more_agents_than_are_remembered_are_still_decided_by_their_rows() {
    let house = House::new(json!({})).await;
    house.rt.invoke("agents.put", json!({ "id": "last", "deny": ["echo"] })).await.unwrap();
    let denied = async || {
        let cx = CallContext::new().agent("last");
        house.rt.explain(&cx, "echo").await.unwrap().code == Some(Code::DeniedByPolicy)
    };
    assert!(denied().await);
    for number in 0..4_100 {
        let cx = CallContext::new().agent(format!("agent-{number}"));
        assert!(house.rt.explain(&cx, "echo").await.unwrap().allowed);
    }
    assert!(denied().await);
}

#[tokio::test]
async fn a_watched_policy_stops_no_call_but_all_the_rest_does() {
    let shadow = json!({
        "policy": { "mode": "shadow", "deny": ["echo"] },
        "rate_limit": { "calls": 1 }
    });
    let house = House::new(shadow).await;
    assert_eq!(house.call("echo", json!({ "text": "x" })).await.code, None);
    let limited = house.call("echo", json!({ "text": "x" })).await;
    assert_eq!(limited.code, Some(Code::RateLimited));
    assert_eq!(house.call("ecko", json!({})).await.code, Some(Code::UnknownTool));
    let why = house.rt.explain(&CallContext::new(), "echo").await.unwrap();
    assert!(!why.allowed && why.would_be_refused && why.code.is_none());
    assert_eq!(why.rule.unwrap().name, "policy.deny[0] = \"echo\"");
}

#[tokio::test]
async fn an_explanation_names_the_file_but_a_refusal_does_not() {
    let home = Home::new("[policy]\ndeny = [\"echo\"]\n").await;
    let why = home.rt.explain(&CallContext::new(), "echo").await.unwrap();
    assert_eq!(why.source, home.path().display().to_string());
    let refused = home.rt.call(&CallContext::new(), "echo", json!({})).await.unwrap();
    let folder = home.folder.path().to_str().unwrap();
    assert!(!refused.for_llm.contains(folder), "{}", refused.for_llm);
}

#[tokio::test]
async fn a_diff_is_for_one_caller_of_one_tenant() {
    let house = House::new(json!({ "policy": { "deny": ["panics"] } })).await;
    let put = json!({ "tenant": "t", "id": "a", "deny": ["echo"] });
    house.rt.invoke("agents.put", put).await.unwrap();
    let next = policy(json!({ "deny": ["echo"] }));
    let names = async |tenant: &str| {
        let cx = CallContext::new().tenant(tenant).agent("a");
        let diff = house.rt.diff(&cx, next.clone()).await.unwrap();
        let names = |changes: Vec<toolkeep::call::ToolChange>| {
            changes.into_iter().map(|change| change.tool).collect::<Vec<_>>()
        };
        (names(diff.added), names(diff.removed))
    };
    let panics = vec!["panics".to_owned()];
    assert_eq!(names("default").await, (panics.clone(), vec!["echo".to_owned()]));
    assert_eq!(names("t").await, (panics, vec![]), "its row denies `echo` already");
    assert_eq!(echoes(&house.rt).await, None, "nothing changed");
}

#[tokio::test]
async fn a_tool_that_gives_work_away_gives_it_only_to_whom_it_may() {
    struct Gives2(Gives);
    impl Tool for Gives2 {
        fn spec(&self) -> ToolSpec {
            ToolSpec { action: Some(toolkeep::kind::Action::Delegate), ..self.0.spec() }
        }
        fn call(
            &self,
            args: Value,
            cx: CallContext,
        ) -> futures_util::future::BoxFuture<'_, Result<toolkeep::ToolResult, toolkeep::ToolError>>
        {
            self.0.call(args, cx)
        }
    }
    let actions = json!({ "allow": ["delegate"], "delegate_targets": ["Ann ", "bob"] });
    let config = json!({ "policy": { "agents": { "a": { "actions": actions } } } });
    let rt = Runtime::builder()
        .config(Config::from_value(config).unwrap())
        .tool(Gives2(Gives(toolkeep::ToolResult::text("given"))))
        .build()
        .await
        .unwrap();
    let code = async |agent: &str, args: Value| {
        rt.call(&CallContext::new().agent(agent), "gives", args).await.unwrap()
    };
    assert_eq!(code("a", json!({ "agent": " ANN" })).await.code, None);
    assert_eq!(code("a", json!({ "target": "bob", "agent": "ann" })).await.code, None);
    for args in [
        json!({ "agent": "eve" }),
        json!({ "agent": "ann", "agent_id": "eve" }),
        json!({ "agent": "ann", "target_agent_id": "eve" }),
        json!({}),
    ] {
        let refused = code("a", args.clone()).await;
        assert_eq!(refused.code, Some(Code::DeniedByPolicy), "{args}");
        assert!(refused.for_llm.contains("`ann`, `bob`"), "{}", refused.for_llm);
        assert_eq!(refused.rule.as_deref(), Some("policy.agents.a.actions.delegate_targets"));
    }
    assert_eq!(code("b", json!({ "agent": "eve" })).await.code, None);
}

async fn with_policy(policy: Value, tool: Value) -> Runtime {
    let config = Config::from_value(json!({ "policy": policy })).unwrap();
    Runtime::builder().config(config).tool(says(tool)).build().await.unwrap()
}

async fn called(rt: &Runtime, tool: &str) -> Option<Code> {
    rt.call(&CallContext::new(), tool, json!({})).await.unwrap().code
}

#[tokio::test]
async fn no_tool_writes_the_configuration_or_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toolkeep.toml");
    let text = "workspace = '.'\npolicy.deny = ['list_files']\n";
    std::fs::write(&path, text).unwrap();
    std::os::unix::fs::symlink("toolkeep.toml", folder.path().join("link")).unwrap();
    let rt = Runtime::open(&path).await.unwrap();
    let own = folder.path().parent().unwrap();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let callers = [
        (CallContext::new(), String::new()),
        (CallContext::new().workspace(own.to_str().unwrap()), format!("{name}/")),
    ];
    for (cx, folder) in callers {
        for file in ["toolkeep.toml", "./link", "toolkeep.db", "toolkeep.db-wal"] {
            let path = format!("{folder}{file}");
            for append in [false, true] {
                let args = json!({ "path": path, "content": "", "append": append });
                let answer = rt.call(&cx, "write_file", args).await.unwrap();
                assert_eq!(answer.code, Some(Code::AccessDenied), "{path}: {}", answer.for_llm);
            }
        }
        let args = json!({
            "path": format!("{folder}toolkeep.toml"), "old_string": "list_files", "new_string": "x"
        });
        let answer = rt.call(&cx, "edit", args).await.unwrap();
        assert_eq!(answer.code, Some(Code::AccessDenied), "{}", answer.for_llm);
        let args = json!({ "path": format!("{folder}other.toml"), "content": "" });
        assert_eq!(rt.call(&cx, "write_file", args).await.unwrap().code, None);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_denied_alias_stays_denied_when_something_else_takes_its_name() {
    for list in ["deny", "final", "ask"] {
        let policy = match list {
            "final" => json!({
                "deny": [{ "entry": "bash", "final": true }], "also_allow": ["exec"]
            }),
            list => json!({ list: ["bash"] }),
        };
        let rt = with_policy(policy, json!({ "name": "other" })).await;
        rt.register(says(json!({ "name": "bash" }))).unwrap();
        for tool in ["bash", "exec"] {
            let found = rt.explain(&CallContext::new(), tool).await.unwrap();
            assert!(!found.allowed || found.asks.is_some(), "{list}: {found:?}");
        }
        rt.registry().unregister("bash").unwrap();
        rt.register(echo()).unwrap();
        rt.registry().alias("bash", "echo").unwrap();
        let found = rt.explain(&CallContext::new(), "exec").await.unwrap();
        assert!(!found.allowed || found.asks.is_some(), "{list}: {found:?}");
    }
    let rt = with_policy(json!({ "allow": ["bash"] }), json!({ "name": "other" })).await;
    rt.register(says(json!({ "name": "bash" }))).unwrap();
    assert_eq!(called(&rt, "exec").await, Some(Code::DeniedByPolicy), "it gives nothing away");
}

#[tokio::test]
async fn a_policy_that_denies_an_alias_complains_once_that_is_removed() {
    let rt = with_policy(json!({ "deny": ["sh"] }), json!({ "name": "other" })).await;
    rt.registry().alias("sh", "exec").unwrap();
    assert_eq!(called(&rt, "exec").await, Some(Code::DeniedByPolicy));
    rt.registry().unalias("sh").unwrap();
    let error = rt.call(&CallContext::new(), "exec", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidConfig);
    assert!(error.message().contains("`sh`"), "{error}");
}

#[tokio::test]
async fn a_tool_that_does_not_say_that_it_changes_nothing_counts_as_mutating() {
    let cases = [
        (json!([]), true),
        (json!(["destructive"]), true),
        (json!(["open-world"]), true),
        (json!(["mcp-bridged"]), true),
        (json!(["async", "destructive"]), true),
        (json!(["async"]), false),
        (json!(["read-only", "open-world"]), false),
    ];
    for (capabilities, is_denied) in cases {
        let tool = json!({ "name": "it", "capabilities": capabilities });
        let rt = with_policy(json!({ "deny": ["capability:mutating"] }), tool).await;
        assert_eq!(called(&rt, "it").await.is_some(), is_denied, "{capabilities}");
    }
}

#[tokio::test]
async fn a_target_that_is_no_name_is_nobodys() {
    let give = || json!({ "name": "give", "action": "delegate" });
    let targets = |targets: Value| {
        json!({ "agents": { "a": { "actions": {
            "allow": ["delegate"], "delegate_targets": targets
        } } } })
    };
    let cases = [
        (json!(["coder"]), json!({ "agent": ["root"], "target": "coder" }), true),
        (json!(["coder"]), json!({ "agent": { "id": "root" }, "target": "coder" }), true),
        (json!(["coder"]), json!({ "agent": null, "target": "coder" }), false),
        (json!([" "]), json!({ "agent": "root" }), true),
        (json!([]), json!({ "agent": "root" }), false),
    ];
    for (named, args, is_denied) in cases {
        let rt = with_policy(targets(named), give()).await;
        let answer = rt.call(&CallContext::new().agent("a"), "give", args.clone()).await.unwrap();
        assert_eq!(answer.is_error, is_denied, "{args}: {}", answer.for_llm);
    }
}

#[tokio::test]
async fn a_mistyped_member_of_a_group_opens_nothing() {
    let config = |member: Value| json!({ "groups": { "danger": [member] }, "policy": { "deny": ["group:danger"] } });
    let house = House::new(config(json!("ecko"))).await;
    let error = house.rt.call(&CallContext::new(), "echo", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidConfig);
    for part in ["groups.danger[0]", "`ecko`", "`echo`"] {
        assert!(error.message().contains(part), "{error}");
    }
    let status = house.rt.invoke("policy.status", json!({})).await.unwrap();
    assert_eq!(status["errors"].as_array().unwrap().len(), 1, "{status}");
    let optional = json!({ "entry": "ecko", "optional": true });
    let house = House::new(config(optional.clone())).await;
    assert_eq!(echoes(&house.rt).await, None);
    let groups = json!({ "groups": { "danger": [optional, "ecko"] } });
    let report = house.rt.invoke("policy.check", groups).await.unwrap();
    assert!(report["errors"][0].as_str().unwrap().contains("groups.danger[1]"), "{report}");
    assert!(report["warnings"][0].as_str().unwrap().contains("groups.danger[0]"), "{report}");
    let wrong = config(json!({ "entry": "echo", "final": true }));
    let built = Runtime::builder().config(Config::from_value(wrong).unwrap()).build().await;
    assert!(built.unwrap_err().message().contains("`final`"));
}

#[tokio::test]
async fn a_policy_may_name_what_only_one_of_the_registries_has() {
    let house = House::new(json!({})).await;
    let (rt, cx) = (&house.rt, CallContext::new().agent("a"));
    rt.invoke("registry.clone", json!({ "agent": "a" })).await.unwrap();
    rt.register(says(json!({ "name": "later" }))).unwrap();
    rt.set_policy(policy(json!({ "deny": ["later"] }))).await.unwrap();
    let args = json!({ "text": "x" });
    assert_eq!(rt.call(&cx, "echo", args.clone()).await.unwrap().code, None);
    let registry = rt.registries().own("default", "a").unwrap();
    registry.register(std::sync::Arc::new(says(json!({ "name": "own" })))).unwrap();
    rt.set_policy(policy(json!({ "deny": ["later", "own", "echo"] }))).await.unwrap();
    assert_eq!(echoes(rt).await, Some(Code::DeniedByPolicy));
    let denied = rt.call(&cx, "own", json!({})).await.unwrap();
    assert_eq!(denied.code, Some(Code::DeniedByPolicy));
}

#[tokio::test]
async fn a_name_that_one_registry_learns_puts_the_others_right_too() {
    let house = House::new(json!({ "policy": { "deny": ["later"] } })).await;
    let (rt, cx) = (&house.rt, CallContext::new().agent("a"));
    rt.invoke("registry.clone", json!({ "agent": "a" })).await.unwrap();
    let args = json!({ "text": "x" });
    let error = rt.call(&cx, "echo", args.clone()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidConfig);
    rt.register(says(json!({ "name": "later" }))).unwrap();
    assert_eq!(echoes(rt).await, None);
    assert_eq!(rt.call(&cx, "echo", args).await.unwrap().code, None);
}
