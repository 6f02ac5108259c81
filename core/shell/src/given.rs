//! The variables that programs are given. What only the text itself uses is no environment.

use std::collections::HashSet;

use super::effect::{Certainty, Effect, Found};
use super::env::Env;
use super::environment::{is_harmless, leads_out, steers, steers_by_itself};
use super::interpret::is_poison;
use super::invocation::Invocation;
use super::{models, unwrap};

/// The variables that programs are given and by which they may be told to do something else.
#[must_use]
pub fn tell(invocations: &[Invocation], env: &Env) -> Vec<Found> {
    let mut found = Vec::new();
    // What a script exports all of its later programs are given.
    let mut told: HashSet<(&str, &str)> = HashSet::new();
    for (number, invocation) in invocations.iter().enumerate() {
        let Some(program) = invocation.program.value.as_known() else { continue };
        if invocation.builtin
            || invocation.environment.is_empty()
            || !unwrap::is_trusted(program, &invocation.cwd, env)
        {
            continue;
        }
        let base = unwrap::base(program);
        // What a wrapper runs is an invocation of its own, or a script.
        let is_wrapper = unwrap::is_wrapper(base);
        let is_modelled = models::is_known(base) && !is_wrapper;
        for (name, value) in &invocation.environment {
            // These are told where they are set.
            if is_poison(name) {
                continue;
            }
            let steers = if is_wrapper { steers_by_itself(name) } else { steers(name) };
            let is_asked = steers && !is_harmless(name, value, Some(&invocation.cwd), env)
                || is_modelled && leads_out(name, value, &invocation.cwd, env);
            if is_asked && told.insert((name, value.prefix())) {
                let effect = Effect::EnvironmentPoison { name: name.clone(), value: value.clone() };
                found.push(Found {
                    effect,
                    certainty: Certainty::Must,
                    by: Some(number),
                    program: program.to_owned(),
                    span: invocation.span.clone(),
                });
            }
        }
    }
    found
}
