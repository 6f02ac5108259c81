//! From a text to its effects: the whole analysis in one function.
//!
//! [`analyse`] checks the text ([`crate::precheck`]), parses it ([`crate::parse`]), evaluates the
//! script as a shell would (`crate::evaluate`), asks the models what each program does
//! (`crate::models`), adds what the environment of programs does (`crate::environment_effects`),
//! and joins effects that together are more than each (`crate::flows`). The [`Analysis`] keeps the
//! results of all steps.
//!
//! It never fails. What was not understood stands in [`Analysis::problems`], and a text with a
//! problem is never allowed.

use crate::effect::Found;
use crate::env::Env;
use crate::environment_effects;
use crate::evaluate::Interpreter;
use crate::flows;
use crate::invocation::Invocation;
use crate::ir::Script;
use crate::models;
use crate::parse::{self, Problem};
use crate::precheck::{self, Finding};

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
    /// What the shell, the wrappers and the programs do, and what is not known.
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
    found.extend(models::effects_of(&done.invocations, env));
    found.extend(environment_effects::effects_of(&done.invocations, env));
    found.extend(models::secrets_given_to_code(&done.invocations, &found, env));
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
    use super::{Env, analyse};
    use crate::effect::{Effect, Found};

    #[test]
    fn programs_without_a_model_are_reported_and_builtins_and_wrappers_need_none() {
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
