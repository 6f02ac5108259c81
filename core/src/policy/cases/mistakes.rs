//! What can be wrong with a policy, and how it is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use super::super::*;
use super::{compiled, complaint, policy, seeds};

#[test]
fn a_mistake_names_its_place_and_what_was_meant() {
    for (value, parts) in [
        (json!({"deny": ["exec", "group:fss"]}), ["policy.deny[1]", "`group:fs`"]),
        (
            json!({"agents": {"helper": {"by_provider": {"openai/gpt": {"deny": ["group:webb"]}}}}}),
            ["policy.agents.helper.by_provider.\"openai/gpt\".deny[0]", "`group:web`"],
        ),
        (json!({"allow": ["capability:readonly"]}), ["policy.allow[0]", "`capability:read-only`"]),
        (json!({"by_chat": {"*": {"ask": ["!exec"]}}}), ["policy.by_chat.\"*\".ask", "`!`"]),
        (
            json!({"also_allow": [{"entry": "exec", "final": true}]}),
            ["policy.also_allow[0]", "`final`"],
        ),
        (json!({"deny": ["*", {"entry": "!exec", "final": true}]}), ["policy.deny[1]", "`final`"]),
        (json!({"taint": {"guarded": ["group:nets"]}}), ["policy.taint.guarded[0]", "group"]),
        (json!({"subagents": {"leaf_deny": ["a b"]}}), ["policy.subagents.leaf_deny[0]", "a b"]),
    ] {
        let text = complaint(value);
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn what_matches_nothing_is_kept_and_what_may_match_nothing_is_a_warning() {
    let compiled = compiled(json!({
        "deny": ["exce", "zzz_*", "process", "sessions_spawn", "agents_list", "Bash", "fs"],
        "allow": ["*", {"entry": "later", "optional": true}],
        "ask": [{"entry": "group:mcp:b", "optional": true}],
    }));
    let unmatched: Vec<String> = compiled.unmatched().iter().map(ToString::to_string).collect();
    assert_eq!(unmatched.len(), 3, "{unmatched:?}");
    assert!(unmatched[0].contains("policy.deny[0]") && unmatched[0].contains("`exec`"));
    assert!(unmatched[1].contains("policy.deny[1]") && unmatched[1].contains("optional = true"));
    assert!(unmatched[2].contains("policy.deny[6]") && unmatched[2].contains("`group:fs`"));
    let warnings: Vec<String> = compiled.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("policy.allow[1]") && warnings[1].contains("policy.ask[0]"));
}

#[test]
fn a_tool_that_went_and_an_alias_of_one_to_come_are_still_known() {
    let aliases = BTreeMap::from([("Later".to_owned(), "later".to_owned())]);
    let ever = Arc::new(BTreeSet::from(["gone".to_owned()]));
    let catalog = Catalog::with_known(seeds(), aliases, &BTreeMap::new(), ever).unwrap();
    let policy = policy(json!({"deny": ["gone", "gon*", "Later"]}));
    let compiled = Compiled::new(Arc::new(catalog), policy).unwrap();
    assert_eq!((compiled.unmatched(), compiled.warnings()), (&[][..], &[][..]));
}

#[test]
fn a_member_of_a_group_that_matches_nothing_is_a_mistake_unless_it_is_optional() {
    let groups = json!({
        "mine": ["exec", "exce", {"entry": "later", "optional": true}, "!fs"],
        "rest": ["exec", {"entry": "group:nope", "optional": true}, "group:mine"],
    });
    let groups = serde_json::from_value(groups).unwrap();
    let catalog = Catalog::new(seeds(), BTreeMap::new(), &groups).unwrap();
    let policy = policy(json!({"deny": ["exce", {"entry": "later", "optional": true}]}));
    let compiled = Compiled::new(Arc::new(catalog), policy).unwrap();
    let unmatched: Vec<String> = compiled.unmatched().iter().map(ToString::to_string).collect();
    for (text, parts) in unmatched.iter().zip([
        ["groups.mine[1]", "`exec`"],
        ["groups.mine[3]", "`group:fs`"],
        ["policy.deny[0]", "`exec`"],
    ]) {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let warnings: Vec<String> = compiled.warnings().iter().map(ToString::to_string).collect();
    for (text, place) in warnings.iter().zip(["groups.mine[2]", "groups.rest[1]", "policy.deny[1]"])
    {
        assert!(text.contains(place), "{text}");
    }
    assert_eq!((unmatched.len(), warnings.len()), (3, 3), "{unmatched:?} {warnings:?}");
}

#[test]
fn a_key_that_no_caller_can_have_is_refused_with_its_place() {
    let deny = || json!({ "deny": ["exec"] });
    let long = "x".repeat(513);
    for (part, key, expected) in [
        ("agents", "", "policy.agents.\"\": this key is empty"),
        ("agents", "a\0b", "policy.agents.\"a\\0b\": this key contains a NUL"),
        ("agents", &long, "is longer than"),
        ("by_provider", "", "policy.by_provider.\"\": this key is empty"),
        ("by_provider", "openai/", "policy.by_provider.\"openai/\": this key has no name after"),
        ("by_provider", "/gpt", "has no provider"),
        ("by_chat", "", "policy.by_chat.\"\": this key is empty"),
        ("by_chat", "telegram:", "has no name after"),
        ("by_chat", &long, "is longer than"),
    ] {
        let text = complaint(json!({ part: { key: deny() } }));
        assert!(text.contains(expected), "{text}");
    }
    let text = complaint(json!({ "agents": { "a": { "by_provider": { "openai/": deny() } } } }));
    assert!(text.contains("policy.agents.a.by_provider.\"openai/\""), "{text}");
    compiled(json!({
        "agents": { "a/b": deny() },
        "by_provider": { "openrouter/anthropic/claude": deny() },
        "by_chat": { "matrix:!room:example.org": deny(), "*": deny() }
    }));
}
