//! The results of the evaluation: effects, problems and invocations are recorded here.
//!
//! The same part of a text may be evaluated several times: in rounds of a loop, with a default and
//! without. What is found again is recorded once, and an invocation that certainly runs stays so.

use super::state::State;
use super::{Interpreter, MOST_INVOCATIONS};
use crate::effect::{Certainty, Effect, Found};
use crate::invocation::{Argument, Invocation};
use crate::ir::Span;
use crate::parse::Problem;
use crate::value::Value;

impl Interpreter<'_> {
    /// Reports an effect of the shell itself.
    pub(in super::super) fn found(&mut self, effect: Effect, program: &str, span: &Span) {
        let certainty = if self.conditional > 0 { Certainty::May } else { Certainty::Must };
        let span = self.around.place.clone().unwrap_or_else(|| span.clone());
        let found = Found { effect, certainty, by: None, program: program.to_owned(), span };
        if !self.out.found.contains(&found) {
            self.out.found.push(found);
        }
    }

    /// Reports something that is not understood. The text is not understood as a whole then.
    pub(in super::super) fn unknown(&mut self, what: &str, span: Span) {
        let problem = Problem { what: what.to_owned(), span };
        if !self.out.problems.contains(&problem) {
            self.out.problems.push(problem);
        }
    }

    /// Adds an invocation, or finds it again; its number.
    pub(in super::super) fn invoke(&mut self, mut invocation: Invocation) -> Option<usize> {
        invocation.conditional |= self.conditional > 0;
        let place = (invocation.span.start, invocation.span.end);
        let here = self.places.entry(place).or_default();
        for at in here.iter() {
            let before = &self.out.invocations[*at];
            // What surely runs may run as well.
            let surely = !before.conditional && invocation.conditional;
            invocation.conditional &= !surely;
            if *before == invocation {
                self.ran.push(*at);
                return Some(*at);
            }
            invocation.conditional |= surely;
        }
        if self.out.invocations.len() >= MOST_INVOCATIONS {
            self.limit("more commands than are looked at", invocation.span.clone());
            return None;
        }
        let number = self.out.invocations.len();
        here.push(number);
        self.ran.push(number);
        self.out.invocations.push(invocation);
        Some(number)
    }

    /// Makes an invocation from what is known in a state.
    pub(in super::super) fn invocation(
        &self,
        state: &State,
        program: Argument,
        arguments: Vec<Argument>,
        mut environment: Vec<(String, Value)>,
        builtin: bool,
    ) -> Invocation {
        for (name, value) in state.exported(&self.start) {
            if !environment.iter().any(|(other, _)| *other == name) {
                environment.push((name, value));
            }
        }
        let span = self.around.place.clone().unwrap_or_else(|| {
            let end = arguments.last().map_or(program.span.end, |last| last.span.end);
            program.span.start..end.max(program.span.end)
        });
        Invocation {
            program,
            arguments,
            environment,
            stdin: self.stdin(state),
            stdout: state.stdout(),
            cwd: state.cwd.clone(),
            locus: self.around.locus.clone(),
            wrappers: self.around.wrappers.clone(),
            outer: self.around.outer,
            builtin,
            conditional: false,
            span,
        }
    }
}
