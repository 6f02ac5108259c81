//! The owner's own rules.

use super::{Case, Objection, modes, reach};
use crate::decision::Decision;
use crate::denied::matches;
use crate::effect::{Effect, Found};
use crate::invocation::{Invocation, program_name};
use crate::place;
use crate::settings::Rule;
use crate::value::Value;
use crate::verdict::Reason;

/// The strictest rule that denies an effect or asks about it.
pub(super) fn strictest(case: &Case<'_>, found: &Found) -> Option<(Decision, Objection)> {
    strictest_of(case, |rule| fits(case, rule, found))
}

fn strictest_of(
    case: &Case<'_>,
    is_about: impl Fn(&Rule) -> bool,
) -> Option<(Decision, Objection)> {
    let settings = case.settings;
    let layers = [(Decision::Deny, &settings.deny), (Decision::Ask, &settings.ask_rules)];
    layers.into_iter().find_map(|(decision, rules)| {
        let rule = rules.iter().find(|rule| is_about(rule))?;
        let why = rule.reason.clone();
        let why = why.unwrap_or_else(|| "The owner has a rule about this.".to_owned());
        Some((decision, Objection::new("rule", why)))
    })
}

/// The reasons of rules against calls that have no effect to hang them on.
pub(super) fn check_calls(case: &Case<'_>) -> Vec<Reason> {
    let has_effect = |at: usize| case.analysis.found.iter().any(|found| found.by == Some(at));
    let calls = case.analysis.invocations.iter().enumerate();
    let calls = calls.filter(|(at, _)| !has_effect(*at));
    let reasons = calls.filter_map(|(_, call)| {
        let (decision, objection) =
            strictest_of(case, |rule| rule.effects.is_empty() && is_of(rule, call, case))?;
        Some(case.reason(decision, objection, &call.span))
    });
    reasons.collect()
}

/// True if the owner lets an effect be: by a rule that allows, or by the list of programs. What is
/// not known of the command itself is let be by neither.
pub(super) fn allows(case: &Case<'_>, found: &Found) -> bool {
    if matches!(found.effect, Effect::Dynamic { .. }) {
        return false;
    }
    let Some(call) = reach::call(case, found) else { return false };
    modes::is_listed(&case.settings.allowlist, call, case.env)
        || case.settings.allow.iter().any(|rule| {
            is_of(rule, call, case) && {
                let all = case.analysis.found.iter().filter(|other| other.by == found.by);
                rule.effects.is_empty() || all.into_iter().all(|other| has_label(rule, other))
            }
        })
}

/// True if a rule is about an effect.
fn fits(case: &Case<'_>, rule: &Rule, found: &Found) -> bool {
    let of_call = match reach::call(case, found) {
        Some(call) => is_of(rule, call, case),
        None => rule.program.is_none() && rule.arguments.is_empty(),
    };
    of_call && (rule.effects.is_empty() || has_label(rule, found))
}

/// True if a rule names the effect by its label.
fn has_label(rule: &Rule, found: &Found) -> bool {
    let label = found.effect.label();
    rule.effects.iter().any(|pattern| matches(pattern, &label))
}

/// True if a rule is about a call. A rule about a program holds for a copy of it in the workspace
/// only if it denies or asks, and then for a link that leads to it, too; what allows goes by the trusted
/// name.
fn is_of(rule: &Rule, call: &Invocation, case: &Case<'_>) -> bool {
    let Some(program) = call.program.value.as_known() else { return rule.program.is_none() };
    let trusted = modes::trusted_name(program, call, case.env);
    let allows = case.settings.allow.iter().any(|other| std::ptr::eq(other, rule));
    let name = if allows { trusted } else { Some(program_name(program)) };
    let linked = || {
        let path = place::resolve(&Value::known(program), &call.cwd, case.env);
        path.as_known().is_some_and(|path| {
            rule.program.as_deref().is_some_and(|pattern| matches(pattern, program_name(path)))
        })
    };
    let by_program = match &rule.program {
        None => true,
        Some(pattern) => {
            matches(pattern, program)
                || name.is_some_and(|name| matches(pattern, name))
                || !allows && program.contains('/') && linked()
        }
    };
    let by_arguments = rule.arguments.iter().enumerate().all(|(at, pattern)| {
        let argument = call.arguments.get(at).and_then(|argument| argument.value.as_known());
        argument.is_some_and(|argument| matches(pattern, argument))
    });
    by_program && by_arguments
}
