//! What is allowed, asked about and denied, by kinds.

use super::super::verdict::Decision;
use super::{Settings, check};
use crate::shell::Env;

fn settings(text: &str) -> Settings {
    serde_json::from_str(text).unwrap()
}

/// The decision with some settings.
fn decided(text: &str, settings: &Settings) -> Decision {
    check(text, &Env::default(), settings).verdict
}

#[test]
fn a_misspelt_mode_is_an_error_that_names_the_right_ones() {
    for (text, named) in [
        (r#"{"security": "FULL"}"#, "`allowlist`"),
        (r#"{"ask": "onmiss"}"#, "`on-miss`"),
        (r#"{"profile": "lax"}"#, "`workspace`"),
        (r#"{"without_approver": "allow"}"#, "`confine`"),
        (r#"{"groups": {"destructive": "off"}}"#, "`destructive_ops`"),
        (r#"{"asks": "off"}"#, "`ask`"),
    ] {
        let error = serde_json::from_str::<Settings>(text).unwrap_err().to_string();
        assert!(error.contains(named), "{text}: {error}");
    }
}

#[test]
fn a_denial_names_category_words_and_what_to_do_instead() {
    let check = check("ls; sudo  ls /root", &Env::default(), &Settings::default());
    assert_eq!(check.verdict, Decision::Deny);
    assert_eq!(check.categories[0], "privilege_escalation");
    assert!(check.reasons[0].words.contains("sudo ls"), "{:?}", check.reasons[0]);
    assert!(check.for_llm.contains("Instead:"), "{}", check.for_llm);
    assert!(check.suggestion.is_some());
    let segments: Vec<_> = check.segments.iter().map(|one| (&*one.text, one.verdict)).collect();
    assert_eq!(segments[1], ("sudo  ls /root", Decision::Deny));
}

#[test]
fn a_nul_is_denied() {
    assert_eq!(decided("ls\0/etc/passwd", &Settings::default()), Decision::Deny);
}

#[test]
fn modes_lie_on_top() {
    for (given, text, expected) in [
        (r#"{"security": "deny"}"#, "echo", Decision::Deny),
        (r#"{"security": "allowlist"}"#, "echo", Decision::Ask),
        (r#"{"security": "allowlist", "ask": "off"}"#, "echo", Decision::Deny),
        (r#"{"security": "allowlist", "allowlist": ["ech?"]}"#, "echo x", Decision::Allow),
        (r#"{"security": "allowlist", "allowlist": ["echo"]}"#, "echo x; cat y", Decision::Ask),
        (r#"{"ask": "always"}"#, "echo", Decision::Ask),
        (r#"{"ask": "always"}"#, "sudo echo", Decision::Deny),
        (r#"{"ask": "off"}"#, "frobnicate", Decision::Allow),
        (r#"{"ask": "off", "without_approver": "deny"}"#, "frobnicate", Decision::Deny),
        (r#"{"allowlist": ["frob*"]}"#, "frobnicate", Decision::Allow),
        (r#"{"allowlist": ["frob*"]}"#, "./frobnicate --x; $Y", Decision::Ask),
        (r#"{"strict_allowlist": ["echo"]}"#, "echo a; echo b", Decision::Allow),
        (r#"{"strict_allowlist": ["echo"]}"#, "echo a\necho b", Decision::Deny),
        (r#"{"strict_allowlist": ["echo"]}"#, "echo $(echo b)", Decision::Deny),
        (r#"{"strict_allowlist": ["echo"]}"#, "echo a > b", Decision::Deny),
        (r#"{"strict_allowlist": ["echo"]}"#, "echo a | cat", Decision::Deny),
        (r#"{"strict_allowlist": ["env", "echo"]}"#, "env cat a", Decision::Deny),
    ] {
        assert_eq!(decided(text, &settings(given)), expected, "{given} {text}");
    }
}

#[test]
fn groups_can_be_switched_and_the_floor_cannot() {
    for (given, text, expected) in [
        (r#"{"groups": {"env_dump": "off"}}"#, "export -p", Decision::Ask),
        (r#"{"groups": {"env_dump": "ask"}}"#, "export -p", Decision::Ask),
        (r#"{"groups": {"env_dump": "deny"}}"#, "export -p", Decision::Deny),
        (r#"{"groups": {"destructive_ops": "off"}}"#, ":(){ :|:& };:", Decision::Deny),
        (r#"{"groups": {"privilege_escalation": "ask"}}"#, "sudo echo x", Decision::Ask),
    ] {
        assert_eq!(decided(text, &settings(given)), expected, "{given} {text}");
    }
}

#[test]
fn rules_of_the_owner_stand_between_groups_and_profile() {
    for (given, text, expected) in [
        (r#"{"allow": [{"program": "frobnicate"}]}"#, "frobnicate x", Decision::Allow),
        (
            r#"{"allow": [{"program": "frobnicate", "arguments": ["y"]}]}"#,
            "frobnicate x",
            Decision::Ask,
        ),
        (r#"{"allow": [{"program": "*"}]}"#, "sudo echo", Decision::Deny),
        (r#"{"deny": [{"effects": ["write:*"]}]}"#, "echo x > y", Decision::Deny),
        (
            r#"{"ask_rules": [{"effects": ["write:*"]}], "allow": [{}]}"#,
            "echo x > y",
            Decision::Ask,
        ),
    ] {
        assert_eq!(decided(text, &settings(given)), expected, "{given} {text}");
    }
}
