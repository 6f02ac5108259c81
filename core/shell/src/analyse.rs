//! Text to effects: what is run, what the shell itself does, and what the programs do.

use super::effect::Found;
use super::env::Env;
use super::flows;
use super::given;
use super::interpret::Interpreter;
use super::invocation::Invocation;
use super::ir::Script;
use super::models;
use super::parse::{self, Problem};
use super::precheck::{self, Finding};

/// What a text does.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The text.
    pub text: String,
    /// What is wrong with the text itself.
    pub findings: Vec<Finding>,
    /// Its commands; empty if it could not be parsed.
    pub script: Script,
    /// The programs that it runs, or may run, those in wrappers and inner scripts included.
    pub invocations: Vec<Invocation>,
    /// What the shell, the wrappers and the programs do, and what cannot be told.
    pub found: Vec<Found>,
    /// What was not understood, or is beyond a limit. With one the text is never allowed.
    pub problems: Vec<Problem>,
}

/// Analyses a text.
#[must_use]
pub fn analyse(text: &str, env: &Env) -> Analysis {
    let findings = precheck::check(text);
    if findings.iter().any(Finding::is_fatal) {
        return Analysis { text: text.to_owned(), findings, ..Analysis::default() };
    }
    let parsed = parse::parse(text);
    let mut interpreter = Interpreter::new(env);
    interpreter.whole(&parsed.script);
    let done = interpreter.finish();
    let mut problems = parsed.problems;
    problems.extend(done.problems);
    let mut found = done.found;
    found.extend(models::tell(&done.invocations, env));
    found.extend(given::tell(&done.invocations, env));
    found.extend(models::given_secrets(&done.invocations, &found, env));
    found.extend(flows::join(text, &done.invocations, &found));
    Analysis {
        text: text.to_owned(),
        findings,
        script: parsed.script,
        invocations: done.invocations,
        found,
        problems,
    }
}

#[cfg(test)]
mod tests {
    use super::super::effect::{Effect, Found};
    use super::{Env, analyse};

    #[test]
    fn programs_without_a_model_are_told_and_builtins_and_wrappers_need_none() {
        let analysis = analyse("cd x; sudo env frobnicate; cat y", &Env::default());
        let is_unknown = |found: &&Found| matches!(found.effect, Effect::Unmodelled { .. });
        let unknown = analysis.found.iter().filter(is_unknown);
        let programs: Vec<_> = unknown.map(|found| found.program.as_str()).collect();
        assert_eq!(programs, ["frobnicate"]);
    }

    #[test]
    fn a_text_that_cannot_be_parsed_has_findings_and_nothing_else() {
        let analysis = analyse("rm\0 -rf /", &Env::default());
        assert_eq!(analysis.findings.len(), 1);
        assert!(analysis.invocations.is_empty());
    }
}
