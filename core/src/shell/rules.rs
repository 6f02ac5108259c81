//! Rules that somebody taught by allowing a command for always: over what it does, never over its
//! text.
//!
//! A rule is proposed where an analysis is understood and none of its words is open, the narrowest
//! first. It covers a later analysis only if that does nothing else. It lifts a question; no denial.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analyse::{Analysis, analyse};
use super::effect::Effect;
use super::env::Env;
use super::invocation::{Invocation, Locus, Stdin, Stdout};
use super::unwrap;
use super::verdict::Decision;

/// What may run without asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellStandingRule")]
#[serde(deny_unknown_fields)]
pub struct StandingRule {
    /// The calls that it holds for, each of them any number of times.
    pub calls: Vec<StandingCall>,
    /// The labels of everything that they may do.
    pub effects: BTreeSet<String>,
    /// Commands that it covers, in its own folder. They are tried when the rule is read.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Commands that it does not cover. They are tried when the rule is read.
    #[serde(default)]
    pub covers_not: Vec<String>,
}

/// A call of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellStandingCall")]
#[serde(deny_unknown_fields)]
pub struct StandingCall {
    /// The program's name, where the system keeps it; another one's path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it starts in.
    pub cwd: String,
}

/// A rule that may be kept, and what it would mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellProposal")]
pub struct Proposal {
    /// What would run without asking, for the person who decides.
    pub text: String,
    /// The rule.
    pub rule: StandingRule,
}

/// The rules that may be kept for an analysis, the narrowest first. None where a word is open, where
/// code runs that the words do not show, or where a wrapper or an interpreter would be let through.
#[must_use]
pub fn propose(analysis: &Analysis, env: &Env) -> Vec<Proposal> {
    let Some(calls) = calls_of(analysis, env) else { return Vec::new() };
    let effects: BTreeSet<String> =
        analysis.found.iter().map(|found| found.effect.label()).collect();
    let text = format!("exactly `{}`, in `{}`", analysis.text.trim(), env.cwd);
    let rule = StandingRule {
        calls,
        effects,
        covers: vec![analysis.text.clone()],
        covers_not: Vec::new(),
    };
    vec![Proposal { text, rule }]
}

impl StandingRule {
    /// True if an analysis does nothing but what the rule is about.
    #[must_use]
    pub fn is_about(&self, analysis: &Analysis, env: &Env) -> bool {
        let Some(calls) = calls_of(analysis, env) else { return false };
        calls.iter().all(|call| self.calls.contains(call))
            && analysis.found.iter().all(|found| self.effects.contains(&found.effect.label()))
    }

    /// Tries the examples.
    ///
    /// # Errors
    /// The first example that does not hold.
    pub fn check(&self, env: &Env) -> Result<(), String> {
        for (examples, expected) in [(&self.covers, true), (&self.covers_not, false)] {
            for example in examples {
                if self.is_about(&analyse(example, env), env) != expected {
                    let not = if expected { "does not cover" } else { "covers" };
                    return Err(format!("the rule {not} its example `{example}`"));
                }
            }
        }
        Ok(())
    }
}

/// The calls of an analysis in which nothing is open; none if something is.
fn calls_of(analysis: &Analysis, env: &Env) -> Option<Vec<StandingCall>> {
    let is_plain = analysis.problems.is_empty()
        && analysis.findings.iter().all(|finding| finding.decision() == Decision::Allow)
        && !analysis.invocations.is_empty()
        && !analysis.found.iter().any(|found| is_open(&found.effect));
    is_plain.then_some(())?;
    let calls = analysis.invocations.iter().filter(|call| !call.builtin);
    calls.map(|call| plain(call, env)).collect()
}

/// Effects of which the words do not show what happens.
fn is_open(effect: &Effect) -> bool {
    matches!(effect, Effect::Code { .. } | Effect::Dynamic { .. } | Effect::Privilege { .. })
}

fn plain(call: &Invocation, env: &Env) -> Option<StandingCall> {
    let is_alone = call.wrappers.is_empty()
        && call.locus == Locus::Here
        && call.environment.is_empty()
        && matches!(call.stdin, Stdin::Inherited | Stdin::Pipe(_))
        && !matches!(call.stdout, Stdout::File { .. });
    let program = call.program.value.as_known().filter(|_| is_alone && !call.program.many)?;
    let arguments = call.arguments.iter();
    let arguments: Option<Vec<String>> = arguments
        .map(|word| word.value.as_known().filter(|_| !word.many).map(str::to_owned))
        .collect();
    let is_of_system = unwrap::is_trusted(program, &call.cwd, env);
    let name = if is_of_system { unwrap::base(program) } else { program };
    Some(StandingCall {
        program: name.to_owned(),
        arguments: arguments?,
        cwd: call.cwd.as_known()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(command: &str) -> Vec<Proposal> {
        let env = Env::default();
        propose(&analyse(command, &env), &env)
    }

    #[test]
    fn a_rule_covers_the_same_calls_however_they_are_spelled() {
        let env = Env::default();
        let rule = &proposed("frobnicate --now a.txt")[0].rule;
        for (command, expected) in [
            ("frobnicate --now a.txt", true),
            ("frobnicate  '--now' \"a.txt\"", true),
            ("/usr/bin/frobnicate --now a.txt", true),
            ("frobnicate --now a.txt; frobnicate --now a.txt", true),
            ("./frobnicate --now a.txt", false),
            ("frobnicate --now b.txt", false),
            ("cd sub && frobnicate --now a.txt", false),
            ("frobnicate --now a.txt && rm x", false),
            ("frobnicate --now a.txt > out", false),
            ("LD_PRELOAD=x frobnicate --now a.txt", false),
            ("sudo frobnicate --now a.txt", false),
        ] {
            assert_eq!(rule.is_about(&analyse(command, &env), &env), expected, "{command}");
        }
    }

    #[test]
    fn nothing_is_proposed_for_what_is_open() {
        for command in [
            "frobnicate $X",
            "frobnicate *",
            "sudo frobnicate",
            "python3 -c 'import os'",
            "frobnicate $(date)",
            "npx thing",
            "sh -c 'frobnicate'",
        ] {
            assert_eq!(proposed(command), [], "{command}");
        }
    }

    #[test]
    fn the_examples_of_a_rule_are_tried() {
        let env = Env::default();
        let rule = proposed("frobnicate a")[0].rule.clone();
        assert_eq!(rule.check(&env), Ok(()));
        let wrong = StandingRule { covers_not: vec!["frobnicate 'a'".into()], ..rule.clone() };
        assert!(wrong.check(&env).unwrap_err().contains("covers its example"));
        let wrong = StandingRule { covers: vec!["frobnicate b".into()], ..rule };
        assert!(wrong.check(&env).unwrap_err().contains("does not cover"));
    }
}
