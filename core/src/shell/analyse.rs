//! The whole front as one: from a text to what it runs and what the shell itself does.

use super::effect::{Certainty, Effect, Found};
use super::env::Env;
use super::interpret::Interpreter;
use super::invocation::Invocation;
use super::ir::Script;
use super::parse::{self, Problem};
use super::precheck::{self, Finding};
use super::unwrap;

/// What a text does, before models say what its programs do.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// What is wrong with the text itself.
    pub findings: Vec<Finding>,
    /// Its commands; empty if it could not be parsed.
    pub script: Script,
    /// The programs that it runs, or may run, those in wrappers and inner scripts included.
    pub invocations: Vec<Invocation>,
    /// What the shell and the wrappers do, and what cannot be told.
    pub found: Vec<Found>,
    /// What was not understood, or is beyond a limit. With one the text is never allowed.
    pub problems: Vec<Problem>,
}

impl Analysis {
    /// An effect for each program that nothing is known of: it has no model, and is no wrapper.
    /// `has_model` is asked with the name of a program, without its folder.
    pub fn unmodelled(&self, has_model: impl Fn(&str) -> bool) -> Vec<Found> {
        let mut found = Vec::new();
        for (number, invocation) in self.invocations.iter().enumerate() {
            let Some(program) = invocation.program.value.as_known() else { continue };
            let name = unwrap::base(program);
            if invocation.builtin || has_model(name) || unwrap::is_wrapper(name) {
                continue;
            }
            let why = "it has no model".to_owned();
            found.push(Found {
                effect: Effect::Unmodelled { program: program.to_owned(), why },
                certainty: if invocation.conditional { Certainty::May } else { Certainty::Must },
                by: Some(number),
                program: program.to_owned(),
                span: invocation.span.clone(),
            });
        }
        found
    }
}

/// Analyses a text.
#[must_use]
pub fn analyse(text: &str, env: &Env) -> Analysis {
    let findings = precheck::check(text);
    if findings.iter().any(Finding::is_fatal) {
        return Analysis { findings, ..Analysis::default() };
    }
    let parsed = parse::parse(text);
    let mut interpreter = Interpreter::new(env);
    interpreter.whole(&parsed.script);
    let done = interpreter.finish();
    let mut problems = parsed.problems;
    problems.extend(done.problems);
    Analysis {
        findings,
        script: parsed.script,
        invocations: done.invocations,
        found: done.found,
        problems,
    }
}

#[cfg(test)]
mod tests {
    use super::{Env, analyse};

    #[test]
    fn programs_without_a_model_are_told_and_builtins_and_wrappers_need_none() {
        let analysis = analyse("cd x; sudo env frobnicate; ls", &Env::default());
        let found = analysis.unmodelled(|name| name == "ls");
        let programs: Vec<_> = found.iter().map(|found| found.program.as_str()).collect();
        assert_eq!(programs, ["frobnicate"]);
    }

    #[test]
    fn a_text_that_cannot_be_parsed_has_findings_and_nothing_else() {
        let analysis = analyse("rm\0 -rf /", &Env::default());
        assert_eq!(analysis.findings.len(), 1);
        assert!(analysis.invocations.is_empty());
    }
}
