//! The labelled commands, with the thresholds that hold for them.

use serde::Deserialize;
use serde_json::json;

use crate::judge::{Approvals, mode};
use crate::{Check, Decision, Env, Settings, analyse, check, env::Shell};

/// A labelled command.
#[derive(Deserialize)]
pub(super) struct Row {
    pub cmd: String,
    pub intent: String,
    pub category: String,
    pub tier: String,
    pub shell: String,
}

impl Row {
    pub fn denies(&self) -> bool {
        self.intent == "deny"
    }

    pub fn env(&self) -> Env {
        let shell = if self.shell == "bash" { Shell::Bash } else { Shell::Sh };
        Env { shell, ..Env::default() }
    }
}

pub(super) fn rows() -> Vec<Row> {
    lines(include_str!("../../testdata/shell.jsonl"))
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(super) fn strict() -> Settings {
    serde_json::from_str(r#"{"profile": "strict"}"#).unwrap()
}

pub(super) fn workspace() -> Settings {
    serde_json::from_str(r#"{"profile": "workspace"}"#).unwrap()
}

/// The commands for which something does not hold.
fn misses(
    fits: impl Fn(&Row) -> bool,
    holds: impl Fn(&Check) -> bool,
    with: &Settings,
) -> Vec<String> {
    rows()
        .iter()
        .filter(|row| fits(row))
        .filter_map(|row| {
            let check = check(&row.cmd, &row.env(), with);
            (!holds(&check)).then(|| format!("{:?} {}", check.verdict, row.cmd))
        })
        .collect()
}

/// How many of the rows of ordinary work are allowed, of a hundred, and those that are not.
fn allowed_work(with: &Settings) -> (usize, Vec<String>) {
    let is_work = |row: &Row| row.category == "control";
    let misses = misses(is_work, |check| check.verdict == Decision::Allow, with);
    let all = rows().iter().filter(|row| is_work(row)).count();
    ((all - misses.len()) * 100 / all, misses)
}

fn none() -> Vec<String> {
    Vec::new()
}

#[test]
fn what_harms_is_never_allowed() {
    for settings in [strict(), workspace()] {
        let allowed = misses(Row::denies, |check| check.verdict > Decision::Allow, &settings);
        assert_eq!(allowed, none(), "{:?}", settings.profile);
    }
}

#[test]
fn what_is_listed_and_its_evasions_are_denied_in_strict() {
    let is_sure = |row: &Row| row.denies() && ["listed", "evasion"].contains(&&*row.tier);
    let misses = misses(is_sure, |check| check.verdict == Decision::Deny, &strict());
    assert_eq!(misses, none());
}

#[test]
fn what_is_harmless_is_never_denied() {
    for settings in [strict(), workspace()] {
        let denied = misses(|row| !row.denies(), |check| check.verdict < Decision::Deny, &settings);
        assert_eq!(denied, none(), "{:?}", settings.profile);
    }
}

#[test]
fn ordinary_work_runs_unasked() {
    for (settings, least) in [(strict(), 70), (workspace(), 85)] {
        let (share, misses) = allowed_work(&settings);
        assert!(share >= least, "{:?}: {share} of 100, not {misses:#?}", settings.profile);
    }
}

/// A command with the modes and what was approved before.
#[derive(Deserialize)]
struct ModeRow {
    cmd: String,
    intent: Decision,
    security: String,
    ask: String,
    allowlist: Vec<String>,
    approved_always_before: Vec<String>,
}

#[test]
fn the_modes_alone_decide_as_they_are_set() {
    let env = Env::default();
    for row in lines::<ModeRow>(include_str!("../../testdata/approval.jsonl")) {
        let modes = json!({
            "security": row.security,
            "ask": row.ask,
            "allowlist": row.allowlist,
        });
        // A mode that nobody knows is an error, and runs nothing.
        let decided = match serde_json::from_value::<Settings>(modes) {
            Ok(settings) => {
                let before = row.approved_always_before.iter();
                let approved = before.map(|text| analyse(text, &env)).collect();
                mode(&analyse(&row.cmd, &env), &env, &settings, &Approvals { approved })
            }
            Err(_) => Decision::Deny,
        };
        assert_eq!(decided, row.intent, "{} with {} and {}", row.cmd, row.security, row.ask);
    }
}

/// A command with denied paths. Those of all rows are the same; `context` says them in words.
#[derive(Deserialize)]
struct PathRow {
    cmd: String,
    intent: String,
    context: String,
}

#[test]
fn denied_paths_hold_and_their_exemptions_too() {
    let text = |path: &str| path.to_owned();
    let env = Env {
        deny_paths: ["/app/data", "/workspace/.goclaw"].map(text).to_vec(),
        deny_exempt: ["/app/data/skills-store", "/workspace/.goclaw/skills-store"]
            .map(text)
            .to_vec(),
        links: [("/app/data/skills-store/leak.txt", "/app/data/config.json")]
            .map(|(from, to)| (text(from), text(to)))
            .into(),
        ..Env::default()
    };
    for row in lines::<PathRow>(include_str!("../../testdata/path-deny.jsonl")) {
        assert!(row.context.starts_with("deny roots /app/data and .goclaw/ ;"), "{}", row.context);
        let check = check(&row.cmd, &env, &strict());
        let denied = check.categories.iter().any(|category| category == "path_denied");
        assert_eq!(denied, row.intent == "deny", "{} {:?}", row.cmd, check.reasons);
    }
}
