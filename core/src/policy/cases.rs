//! The cases that the seeds and the owners of policies ask about, one by one.

mod mistakes;
mod rendered;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::kind::{Action, Capability, Origin, Taint};

/// A catalog of these tools, with `bash` and `Bash` for `exec`.
fn catalog_of(tools: Vec<CatalogTool>) -> Arc<Catalog> {
    let exec = |alias: &str| (alias.to_owned(), "exec".to_owned());
    Arc::new(Catalog::new(tools, [exec("bash"), exec("Bash")].into(), &BTreeMap::new()).unwrap())
}

fn tool(name: &str, capabilities: &[Capability]) -> CatalogTool {
    CatalogTool {
        origin: Origin::Builtin,
        capabilities: capabilities.to_vec(),
        ..CatalogTool::named(name)
    }
}

/// The tools of the seeds' derived cases.
fn seeds() -> Vec<CatalogTool> {
    use Capability::{Async, OpenWorld, ReadOnly};
    vec![
        tool("cron", &[]),
        tool("edit", &[]),
        tool("exec", &[]),
        tool("list_files", &[ReadOnly]),
        CatalogTool {
            origin: Origin::Mcp,
            group: Some("mcp:a".into()),
            ..CatalogTool::named("mcp_a__x")
        },
        tool("read_file", &[ReadOnly]),
        tool("session_status", &[ReadOnly]),
        tool("spawn", &[Async]),
        tool("web_fetch", &[ReadOnly, OpenWorld]),
        tool("write_file", &[]),
    ]
}

const ALL: &str = "cron edit exec list_files mcp_a__x read_file session_status spawn web_fetch \
                   write_file";

fn policy(value: Value) -> Arc<Policy> {
    Arc::new(serde_json::from_value(value).unwrap())
}

fn compiled(value: Value) -> Compiled {
    Compiled::new(catalog_of(seeds()), policy(value)).unwrap()
}

fn names(decision: &Decision) -> String {
    let name = |id| decision.catalog().tool(id).unwrap().name.as_str();
    decision.allowed().map(name).collect::<Vec<_>>().join(" ")
}

fn allowed(value: Value, inputs: &Inputs<'_>) -> String {
    names(&compiled(value).decide(inputs).unwrap())
}

fn complaint(value: Value) -> String {
    Compiled::new(catalog_of(seeds()), policy(value)).unwrap_err().to_string()
}

fn without(names: &str) -> String {
    let gone: BTreeSet<&str> = names.split(' ').collect();
    ALL.split_whitespace().filter(|name| !gone.contains(name)).collect::<Vec<_>>().join(" ")
}

fn texts(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

const NOBODY: Inputs<'_> = Inputs {
    agent: None,
    provider: None,
    model: None,
    channel: None,
    channel_type: None,
    chat: None,
    in_group: false,
    depth: 0,
    tools: None,
    row: None,
    parent: None,
};

#[test]
fn the_derived_cases_of_the_seeds_hold() {
    let agent_p = Inputs { agent: Some("a"), provider: Some("p"), ..NOBODY };
    let all = without("");
    let cases: [(&str, Value, &str); 16] = [
        ("P1", json!({}), &all),
        ("P2", json!({"profile": "minimal"}), "session_status"),
        ("P3", json!({"profile": "minimal", "by_provider": {"p": {"profile": "full"}}}), &all),
        (
            "P3, another provider",
            json!({"profile": "minimal", "by_provider": {"q": {"profile": "full"}}}),
            "session_status",
        ),
        ("P4", json!({"allow": ["group:fs"]}), "edit list_files read_file write_file"),
        (
            "P5",
            json!({"allow": ["group:fs"], "agents": {"a": {"allow": ["read_file", "exec"]}}}),
            "read_file",
        ),
        ("P6", json!({"deny": ["group:runtime"]}), &without("exec")),
        ("P7", json!({"deny": ["exec"], "also_allow": ["exec"]}), &all),
        ("P8", json!({"agents": {"a": {"deny": ["exec"]}}, "also_allow": ["group:runtime"]}), &all),
        ("P10", json!({"deny": ["bash"]}), &without("exec")),
        ("P11", json!({"allow": ["*"]}), &all),
        ("P13", json!({"deny": ["group:mcp:a"]}), &without("mcp_a__x")),
        ("P13, all servers", json!({"deny": ["group:mcp"]}), &without("mcp_a__x")),
        ("P16", json!({"allow": ["write_file"], "by_provider": {"p": {"allow": ["exec"]}}}), ""),
        (
            "P17",
            json!({"deny": ["capability:mutating"]}),
            "list_files read_file session_status spawn web_fetch",
        ),
        ("a capability in an allow list", json!({"allow": ["capability:async"]}), "spawn"),
    ];
    for (case, value, expected) in cases {
        assert_eq!(allowed(value, &agent_p), expected, "{case}");
    }
    assert!(complaint(json!({"deny": ["group:nope"]})).contains("policy.deny[0]"), "P12");
    assert!(complaint(json!({"profile": "bogus"})).contains("policy.profile"), "P15");
}

#[test]
fn the_list_of_the_request_is_the_last_word() {
    let tools = texts(&["read_file"]);
    let asked = Inputs { tools: Some(&tools), ..NOBODY };
    assert_eq!(allowed(json!({}), &asked), "read_file");
    assert_eq!(allowed(json!({"also_allow": ["exec"]}), &asked), "read_file");
    let nothing = Inputs { tools: Some(&[]), ..NOBODY };
    assert_eq!(allowed(json!({}), &nothing), "");
}

#[test]
fn sub_agents_and_leaves_have_less_and_nothing_gives_it_back() {
    let at = |depth| Inputs { depth, ..NOBODY };
    assert_eq!(allowed(json!({}), &at(0)), without(""));
    let deeper = json!({"subagents": {"max_depth": 2}, "also_allow": ["*"]});
    assert_eq!(allowed(deeper.clone(), &at(1)), without("cron session_status"));
    assert_eq!(allowed(deeper, &at(2)), without("cron session_status spawn"));
    assert_eq!(allowed(json!({}), &at(1)), without("cron session_status spawn"));
    let own = json!({"subagents": {"deny": ["exec"], "leaf_deny": []}});
    assert_eq!(allowed(own, &at(1)), without("exec"));
    assert_eq!(allowed(json!({"subagents": {"max_depth": 0}}), &at(0)), without(""));
}

#[test]
fn an_alias_in_a_list_and_the_tool_itself_are_one() {
    let decision = compiled(json!({"deny": ["exec"]})).decide(&NOBODY).unwrap();
    for name in ["exec", "bash", "Bash"] {
        assert!(!decision.allows(decision.catalog().id(name).unwrap()), "{name}");
    }
}

#[test]
fn what_is_switched_off_no_list_gives_back() {
    let mut tools = seeds();
    tools[2].enabled = false;
    let policy = policy(json!({"allow": ["exec"], "also_allow": ["exec"]}));
    let compiled = Compiled::new(catalog_of(tools), policy).unwrap();
    let decision = compiled.decide(&NOBODY).unwrap();
    assert_eq!(names(&decision), "");
    let exec = decision.catalog().id("exec").unwrap();
    assert_eq!(decision.refusal(exec).unwrap().name, "registry");
    assert!(!decision.steps(exec).last().unwrap().after);
}

#[test]
fn profiles_have_what_the_seeds_give_them() {
    let profile = |name: &str| allowed(json!({"profile": name}), &NOBODY);
    assert_eq!(profile("full"), without(""));
    assert_eq!(profile("minimal"), "session_status");
    assert_eq!(profile("coding"), without("cron mcp_a__x"));
    assert_eq!(profile("messaging"), "session_status spawn web_fetch");
    let text = complaint(json!({"agents": {"a": {"profile": "codin"}}}));
    assert!(text.contains("policy.agents.a.profile") && text.contains("`coding`"), "{text}");
}

#[test]
fn the_most_specific_profile_takes_the_place_of_the_others() {
    let value = json!({
        "profile": "minimal",
        "by_provider": {"p": {"profile": "messaging"}},
        "agents": {"a": {
            "profile": "coding",
            "by_provider": {"p/m": {"profile": "full"}, "q": {"profile": "minimal"}},
        }},
    });
    let of = |agent, provider, model| {
        let inputs = Inputs { agent, provider, model, ..NOBODY };
        allowed(value.clone(), &inputs)
    };
    assert_eq!(of(None, None, None), "session_status");
    assert_eq!(of(None, Some("p"), Some("m")), "session_status spawn web_fetch");
    assert_eq!(of(Some("b"), Some("p"), None), "session_status spawn web_fetch");
    assert_eq!(of(Some("a"), Some("p"), None), without("cron mcp_a__x"));
    assert_eq!(of(Some("a"), Some("p"), Some("m")), without(""));
    assert_eq!(of(Some("a"), Some("q"), Some("m")), "session_status");
}

#[test]
fn every_place_has_its_allow_and_deny_lists() {
    let value = json!({
        "allow": ["group:fs", "exec", "spawn"],
        "by_provider": {
            "p": {"deny": ["exec"]},
            "p/m": {"allow": ["!edit", "*"], "deny": ["spawn"]},
        },
        "agents": {"a": {
            "deny": ["list_files"],
            "by_provider": {"p": {"deny": ["read_file"]}},
        }},
        "by_chat": {
            "telegram:7": {"deny": ["write_file"]},
            "7": {"allow": ["exec"]},
            "*": {"deny": ["group:fs"]},
        },
    });
    let of = |inputs: Inputs<'_>| allowed(value.clone(), &inputs);
    let base = Inputs { provider: Some("p"), model: Some("x"), ..NOBODY };
    assert_eq!(of(base), "edit list_files read_file spawn write_file");
    assert_eq!(of(Inputs { model: Some("m"), ..base }), "exec list_files read_file write_file");
    let agent = Inputs { agent: Some("a"), ..base };
    assert_eq!(of(agent), "edit spawn write_file");
    let chat = Inputs { chat: Some("7"), channel: Some("telegram"), ..agent };
    assert_eq!(of(chat), "edit spawn");
    assert_eq!(of(Inputs { channel: Some("irc"), provider: None, ..chat }), "exec");
    let group = Inputs { chat: Some("8"), in_group: true, ..chat };
    assert_eq!(of(group), "spawn");
    assert_eq!(of(Inputs { in_group: false, ..group }), "edit spawn write_file");
}

#[test]
fn a_final_deny_is_never_given_back() {
    let value = json!({
        "deny": ["write_file", {"entry": "group:runtime", "final": true}],
        "also_allow": ["*"],
        "agents": {"a": {
            "also_allow": ["exec"],
            "deny": [{"entry": "group:fs", "final": true}, "!read_file"],
        }},
    });
    assert_eq!(allowed(value.clone(), &NOBODY), without("exec"));
    let agent = Inputs { agent: Some("a"), ..NOBODY };
    assert_eq!(allowed(value, &agent), without("edit exec list_files write_file"));
}

#[test]
fn also_allow_gives_back_what_profiles_and_allow_lists_left_out() {
    let value = json!({
        "profile": "minimal",
        "allow": [],
        "by_provider": {"p": {"also_allow": ["group:fs", "!edit"]}},
    });
    assert_eq!(allowed(value.clone(), &NOBODY), "");
    let provider = Inputs { provider: Some("p"), ..NOBODY };
    assert_eq!(allowed(value, &provider), "list_files read_file write_file");
}

#[test]
fn an_agents_row_its_tools_and_its_actions_only_narrow() {
    let mut tools = seeds();
    tools.push(CatalogTool { action: Some(Action::Delegate), ..tool("delegate", &[]) });
    tools.push(CatalogTool { action: Some(Action::Patch), ..tool("apply_patch", &[]) });
    let policy = policy(json!({
        "deny": ["exec"],
        "also_allow": ["delegate"],
        "agents": {
            "any": {"tools": ["*"]},
            "few": {"tools": ["read_file", "exec", "delegate", "apply_patch"], "actions": {
                "allow": ["patch"], "delegate_targets": [" Helper", "helper", "Other ", ""],
            }},
        },
    }));
    let compiled = Compiled::new(catalog_of(tools), policy).unwrap();
    let of = |agent, row| compiled.decide(&Inputs { agent, row, ..NOBODY }).unwrap();
    assert_eq!(names(&of(Some("any"), None)), names(&of(None, None)));
    let few = of(Some("few"), None);
    assert_eq!(names(&few), "read_file apply_patch");
    assert_eq!(few.delegate_targets(), Some(texts(&["helper", "other"]).as_slice()));
    assert_eq!(of(Some("any"), None).delegate_targets(), None);
    let rule = few.refusal(few.catalog().id("delegate").unwrap()).unwrap();
    assert_eq!(rule.name, "policy.agents.few.actions.allow");
    assert!(rule.text.contains("add `delegate`"), "{rule:?}");
    let (allow, deny) = (texts(&["*_file", "exec", "never_seen"]), texts(&["write_file"]));
    let row = RowLists { allow: Some(&allow), deny: &deny };
    let decision = of(Some("any"), Some(row));
    assert_eq!(names(&decision), "read_file");
    let write = decision.catalog().id("write_file").unwrap();
    assert_eq!(decision.refusal(write).unwrap().name, "agent any deny[0] = \"write_file\"");
    let bad = texts(&["group:nope"]);
    let row = RowLists { allow: Some(&bad), deny: &[] };
    let error = compiled.decide(&Inputs { agent: Some("any"), row: Some(row), ..NOBODY });
    assert!(error.unwrap_err().to_string().contains("agent any allow[0]"));
}

#[test]
fn tools_of_other_channels_are_hidden_where_the_channel_is_known() {
    let mut tools = seeds();
    tools[0].channels = texts(&["telegram", "slack"]);
    let compiled = Compiled::new(catalog_of(tools), Arc::default()).unwrap();
    let of = |channel, channel_type| {
        let decision = compiled.decide(&Inputs { channel, channel_type, ..NOBODY }).unwrap();
        let cron = decision.catalog().id("cron").unwrap();
        (decision.allows(cron), decision.refusal(cron))
    };
    assert!(of(None, None).0);
    assert!(of(Some("telegram"), None).0);
    assert!(of(Some("mine"), Some("slack")).0);
    let (allowed, rule) = of(Some("telegram"), Some("irc"));
    assert!(!allowed);
    let rule = rule.unwrap();
    assert!(rule.name == "channel irc" && rule.text.contains("telegram, slack"), "{rule:?}");
}

#[test]
fn nobody_has_more_than_who_started_it() {
    let compiled = compiled(json!({
        "ask": ["edit"],
        "agents": {
            "parent": {"deny": ["exec"], "ask": ["read_file"]},
            "child": {"also_allow": ["*"]},
        },
    }));
    let parent = Inputs { agent: Some("parent"), ..NOBODY };
    let parent = Arc::new(compiled.decide(&parent).unwrap());
    let child = Inputs { agent: Some("child"), depth: 1, parent: Some(&parent), ..NOBODY };
    let decision = compiled.decide(&child).unwrap();
    assert_eq!(names(&decision), without("cron exec session_status spawn"));
    let id = |name| decision.catalog().id(name).unwrap();
    let rule = decision.refusal(id("exec")).unwrap();
    assert_eq!(rule.name, "parent policy.agents.parent.deny[0] = \"exec\"");
    let asks = |name| decision.asks(id(name)).map(|rule| rule.name);
    assert_eq!(asks("edit").unwrap(), "policy.ask[0] = \"edit\"");
    assert_eq!(asks("read_file").unwrap(), "policy.agents.parent.ask[0] = \"read_file\"");
    assert_eq!(asks("web_fetch"), None);
}

#[test]
fn a_parent_of_another_registry_counts_by_name() {
    let old = compiled(json!({"deny": ["exec"]}));
    let parent = Arc::new(old.decide(&NOBODY).unwrap());
    let mut tools = seeds();
    tools.insert(0, tool("apply_patch", &[]));
    let new = Compiled::new(catalog_of(tools), Arc::default()).unwrap();
    let child = Inputs { parent: Some(&parent), ..NOBODY };
    assert_eq!(names(&new.decide(&child).unwrap()), without("exec"));
}

#[test]
fn ask_lists_are_united_and_each_subtracts_for_itself() {
    let compiled = compiled(json!({
        "ask": ["group:fs", "!read_file"],
        "by_provider": {"p": {"ask": ["read_file"]}},
        "by_chat": {"c": {"ask": ["exec"]}},
    }));
    let of = |provider, chat, name| {
        let decision = compiled.decide(&Inputs { provider, chat, ..NOBODY }).unwrap();
        decision.asks(decision.catalog().id(name).unwrap()).map(|rule| rule.name)
    };
    assert_eq!(of(None, None, "read_file"), None);
    assert_eq!(of(None, None, "edit").unwrap(), "policy.ask[0] = \"group:fs\"");
    let name = "policy.by_provider.p.ask[0] = \"read_file\"";
    assert_eq!(of(Some("p"), None, "read_file").unwrap(), name);
    assert_eq!(of(None, Some("c"), "exec").unwrap(), "policy.by_chat.c.ask[0] = \"exec\"");
}

#[test]
fn tools_mark_sessions_by_list_and_by_themselves() {
    let mut tools = seeds();
    tools[0].taints = vec![Taint::Untrusted, Taint::Private];
    let compiled = Compiled::new(catalog_of(tools), Arc::default()).unwrap();
    let of = |accept: &dyn Fn(crate::kind::ToolId) -> bool| {
        let names = ALL.split_whitespace();
        let chosen = names.filter(|name| accept(compiled.catalog().id(name).unwrap()));
        chosen.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(&|tool| compiled.is_untrusted(tool)), "cron mcp_a__x web_fetch");
    let private = "cron edit list_files read_file session_status spawn write_file";
    assert_eq!(of(&|tool| compiled.is_private(tool)), private);
    assert_eq!(of(&|tool| compiled.is_guarded(tool)), "mcp_a__x web_fetch");
}

#[test]
fn groups_have_what_any_seed_puts_in_them() {
    let catalog = catalog_of(seeds());
    let members = |group: &str| catalog.groups()[group].join(" ");
    assert_eq!(members("fs"), "edit edit_file glob list_files read_file search write_file");
    assert_eq!(members("runtime"), "credentialed_exec exec process wait");
    assert_eq!(members("team"), members("teams"));
    assert_eq!(members("mcp"), "mcp_a__x");
    assert_eq!(members("mcp:a"), "mcp_a__x");
    assert_eq!(members("native"), members("goclaw"));
    let native = &catalog.groups()["native"];
    for (group, names) in BUILTIN_GROUPS {
        for name in *names {
            assert!(native.iter().any(|member| member == name), "{group}: {name}");
        }
    }
    assert!(!native.iter().any(|member| member == "mcp_a__x"));
    assert_eq!(allowed(json!({"allow": ["group:native"]}), &NOBODY), without("mcp_a__x"));
}

#[test]
fn declared_groups_hold_entries_and_may_hold_each_other() {
    let group = |name: &str, members: &[&str]| {
        (name.to_owned(), members.iter().map(|member| ListEntry::from(*member)).collect())
    };
    let declared = [group("both", &["group:files", "!edit"]), group("files", &["*_file", "bash"])];
    let aliases = BTreeMap::from([("bash".to_owned(), "exec".to_owned())]);
    let catalog = Catalog::new(seeds(), aliases, &declared.into()).unwrap();
    assert_eq!(catalog.groups()["both"].join(" "), "exec read_file write_file");
    let wrong = |members: (String, Vec<ListEntry>)| {
        Catalog::new(seeds(), BTreeMap::new(), &[members].into()).unwrap_err().to_string()
    };
    assert!(wrong(group("a", &["group:a"])).contains("holds itself"));
    assert!(wrong(group("a", &["exec", "group:nope"])).contains("groups.a[1]"));
    assert!(wrong(group("a", &["x y"])).contains("groups.a[0]"));
    let is_final = serde_json::from_value(json!([{"entry": "exec", "final": true}])).unwrap();
    let text = wrong(("a".to_owned(), is_final));
    assert!(text.contains("groups.a[0]") && text.contains("`final`"), "{text}");
}

#[test]
fn a_tool_from_outside_that_declares_nothing_is_guarded() {
    let of = |origin, capabilities: &[Capability]| {
        let tool = CatalogTool {
            origin,
            capabilities: capabilities.to_vec(),
            ..CatalogTool::named("send")
        };
        move |guarded: serde_json::Value| {
            let policy = policy(json!({"taint": {"guarded": guarded}}));
            let compiled = Compiled::new(catalog_of(vec![tool.clone()]), policy).unwrap();
            compiled.is_guarded(compiled.catalog().id("send").unwrap())
        }
    };
    let by_default = || json!(["capability:open-world", "capability:destructive"]);
    for origin in [Origin::Host, Origin::Mcp, Origin::Skill] {
        assert!(of(origin, &[])(by_default()), "{origin:?}");
        assert!(of(origin, &[Capability::McpBridged])(by_default()), "{origin:?}");
        assert!(of(origin, &[])(json!(["capability:destructive"])), "{origin:?}");
        assert!(!of(origin, &[])(json!(["capability:destructive", "!send"])), "{origin:?}");
        assert!(!of(origin, &[])(json!(["group:fs"])), "{origin:?}");
        assert!(!of(origin, &[Capability::ReadOnly])(by_default()), "{origin:?}");
        assert!(!of(origin, &[Capability::Mutating])(by_default()), "{origin:?}");
    }
    assert!(!of(Origin::Builtin, &[])(by_default()));
    assert!(of(Origin::Builtin, &[Capability::OpenWorld])(by_default()));
}
