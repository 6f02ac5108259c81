//! The environment of the programs that a command runs, as effects.
//!
//! A variable can make a program run, load or trust something else (`RIPGREP_CONFIG_PATH`,
//! `npm_config_userconfig`). [`effects_of`] looks at the variables of each
//! invocation and reports those that steer its program and whose value is not known to be harmless,
//! as [`Effect::EnvironmentInjection`].
//!
//! Variables that the script sets and reads itself are not part of any program's environment, and
//! are not reported. Neither are the variables of [`is_env_injection`] (`PATH`, `LD_PRELOAD`,
//! `GIT_SSH_COMMAND`): the evaluation reports those where they are set, because they change the
//! shell as well.
//!
//! # Example
//!
//! `RIPGREP_CONFIG_PATH=/tmp/x rg a` gives `rg` a file with options, one of which may run a
//! program, so the variable is reported. `RUST_LOG=debug cargo test` is not: nothing is run, loaded
//! or written by it.

use std::collections::HashSet;

use crate::effect::{Certainty, Effect, Found};
use crate::env::Env;
use crate::environment::{is_harmless, leads_out, steers, steers_by_itself};
use crate::invocation::{Invocation, program_name};
use crate::models;
use crate::names::{is_env_injection, is_wrapper};
use crate::place;

/// The effects of the variables that programs are started with.
///
/// Each pair of name and value is reported once, for the first program that gets it: a variable
/// that a script exports reaches all programs behind it.
#[must_use]
pub fn effects_of(invocations: &[Invocation], env: &Env) -> Vec<Found> {
    let mut found = Vec::new();
    // What a script exports all of its later programs are given.
    let mut reported: HashSet<(&str, &str)> = HashSet::new();
    for (number, invocation) in invocations.iter().enumerate() {
        let Some(program) = invocation.program.value.as_known() else { continue };
        if invocation.builtin
            || invocation.environment.is_empty()
            || !place::is_trusted(program, &invocation.cwd, env)
        {
            continue;
        }
        let base = program_name(program);
        // What a wrapper runs is an invocation of its own, or a script.
        let is_wrapper = is_wrapper(base);
        let is_modelled = models::is_known(base) && !is_wrapper;
        for (name, value) in &invocation.environment {
            // The evaluation reports these where they are set.
            if is_env_injection(name) {
                continue;
            }
            let steers = if is_wrapper { steers_by_itself(name) } else { steers(name) };
            let is_asked = steers && !is_harmless(name, value, Some(&invocation.cwd), env)
                || is_modelled && leads_out(name, value, &invocation.cwd, env);
            if is_asked && reported.insert((name, value.prefix())) {
                let effect =
                    Effect::EnvironmentInjection { name: name.clone(), value: value.clone() };
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
