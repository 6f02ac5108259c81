//! The whole front as one: from a text to what it runs and what the shell itself does.

use super::effect::Found;
use super::env::Env;
use super::interpret::Interpreter;
use super::invocation::Invocation;
use super::ir::Script;
use super::parse::{self, Problem};
use super::precheck::{self, Finding};

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
