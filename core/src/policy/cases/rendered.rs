//! How a decision describes itself: its rules, what is new in it, and which list each rule is from.

use std::sync::Arc;

use serde_json::json;

use super::super::*;
use super::{NOBODY, catalog_of, compiled, names, policy, seeds, texts, tool};

#[test]
fn an_explanation_names_each_rule_that_changed_the_tool() {
    let compiled = compiled(json!({
        "profile": "coding",
        "deny": ["group:fs", "exec"],
        "also_allow": ["cron", "*_file"],
        "agents": {"a": {"also_allow": ["exec"], "tools": ["*", "!exec"]}},
    }));
    let decision = compiled.decide(&Inputs { agent: Some("a"), ..NOBODY }).unwrap();
    let id = |name| decision.catalog().id(name).unwrap();
    let rules = |name| -> Vec<String> {
        decision.steps(id(name)).into_iter().filter_map(|step| Some(step.rule?.name)).collect()
    };
    assert_eq!(rules("list_files"), ["policy.deny[0] = \"group:fs\""]);
    assert_eq!(
        rules("read_file"),
        ["policy.deny[0] = \"group:fs\"", "policy.also_allow[1] = \"*_file\""]
    );
    assert_eq!(rules("cron"), ["policy.profile = \"coding\"", "policy.also_allow[0] = \"cron\""]);
    assert_eq!(
        rules("exec"),
        [
            "policy.deny[1] = \"exec\"",
            "policy.agents.a.also_allow[0] = \"exec\"",
            "policy.agents.a.tools[1] = \"!exec\""
        ]
    );
    assert_eq!(decision.refusal(id("exec")).unwrap().name, "policy.agents.a.tools[1] = \"!exec\"");
    assert_eq!(decision.refusal(id("mcp_a__x")).unwrap().name, "policy.profile = \"coding\"");
    assert_eq!(decision.refusal(id("read_file")), None);
    let sources: Vec<String> =
        decision.steps(id("spawn")).into_iter().map(|step| step.source).collect();
    assert_eq!(
        sources,
        [
            "policy.profile = \"coding\"",
            "policy.deny",
            "policy.also_allow",
            "policy.agents.a.also_allow",
            "policy.agents.a.tools"
        ]
    );
}

#[test]
fn a_difference_names_what_was_added_and_removed() {
    let before = compiled(json!({"deny": ["exec"]})).decide(&NOBODY).unwrap();
    let mut tools = seeds();
    tools.insert(0, tool("apply_patch", &[]));
    let after = Compiled::new(catalog_of(tools), policy(json!({"deny": ["edit"]})));
    let after = after.unwrap().decide(&NOBODY).unwrap();
    let expected = Difference { added: texts(&["apply_patch", "exec"]), removed: texts(&["edit"]) };
    assert_eq!(diff(&before, &after), expected);
    assert_eq!(diff(&after, &after), Difference::default());
}

#[test]
fn a_memo_gives_the_same_decision_to_the_same_caller_only() {
    let memo = Memo::new(compiled(json!({"agents": {"a": {"deny": ["exec"]}}})), 3);
    let (one, other) = (texts(&["exec"]), texts(&["edit"]));
    let row = |deny| Some(RowLists { allow: None, deny });
    let parent = memo.decide(&NOBODY).unwrap();
    let callers = [
        Inputs { agent: Some("a"), ..NOBODY },
        Inputs { provider: Some("a"), ..NOBODY },
        Inputs { tools: Some(&one), ..NOBODY },
        Inputs { tools: Some(&other), ..NOBODY },
        Inputs { tools: Some(&[]), ..NOBODY },
        Inputs { row: row(&one), ..NOBODY },
        Inputs { row: row(&other), ..NOBODY },
        Inputs { depth: 1, ..NOBODY },
        Inputs { parent: Some(&parent), ..NOBODY },
    ];
    for inputs in &callers {
        assert!(memo.get(inputs).is_none());
        let decision = memo.decide(inputs).unwrap();
        assert!(Arc::ptr_eq(&decision, &memo.get(inputs).unwrap()));
        assert_eq!(names(&decision), names(&memo.compiled().decide(inputs).unwrap()));
    }
    assert!(memo.get(&callers[0]).is_none(), "it keeps no more than three");
}
