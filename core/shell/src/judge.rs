//! From effects to a verdict.
//!
//! Each effect is judged alone, by the first of these that has something to say: the hard
//! `floor`, denied paths, the groups and rules that deny, those that ask, the rules that allow, and
//! the `profile`, which allows what careful work needs and asks about all else. The strictest
//! judgement decides. `modes` lie on top: whether anything runs, and whether somebody is asked.
//!
//! A judgement knows nothing of how a command was spelled: it sees effects. What was not understood
//! is an effect, too, and asks.

mod emptying;
mod floor;
pub(super) mod groups;
mod modes;
mod network;
mod objects;
mod poison;
mod profile;
mod reach;
mod rules;
mod segments;
mod settings;
mod shown;

use super::analyse::{Analysis, analyse};
use super::effect::{Effect, Found};
use super::env::Env;
use super::ir::Span;
use super::plan;
use super::verdict::{Check, Decision, Reason, Verdict};

pub use modes::Approvals;
#[cfg(test)]
pub(crate) use modes::mode;
pub use settings::{
    AgentSettings, Ask, Group, Profile, Rule, Security, Settings, Switch, WithoutApprover,
};

/// Judges what an analysis found.
#[must_use]
pub fn judge(analysis: &Analysis, env: &Env, settings: &Settings) -> Verdict {
    let case = Case { analysis, env, settings };
    let mut reasons = case.of_text();
    reasons.extend(analysis.found.iter().filter_map(|found| case.of_effect(found)));
    reasons.extend(objects::of_calls(&case));
    reasons.extend(groups::of_calls(&case));
    reasons.extend(rules::of_calls(&case));
    let mut verdict = Verdict {
        decision: Decision::Allow,
        reasons,
        effects: analysis.found.clone(),
        unknowns: case.unknowns(),
        without_approver: settings.without_approver,
        confined: false,
    };
    modes::apply(&case, &mut verdict);
    // The strictest first, in the order of the text; nobody reads the same twice.
    verdict.reasons.sort_by_key(|reason| (std::cmp::Reverse(reason.decision), !reason.floor));
    let mut seen: Vec<Reason> = Vec::new();
    verdict.reasons.retain(|reason| {
        let is_new = !seen.iter().any(|other| {
            (&other.category, &other.words, &other.why)
                == (&reason.category, &reason.words, &reason.why)
        });
        if is_new {
            seen.push(reason.clone());
        }
        is_new
    });
    verdict
}

/// Analyses and judges a text, for a reader.
#[must_use]
pub fn check(text: &str, env: &Env, settings: &Settings) -> Check {
    check_analysis(&analyse(text, env), env, settings)
}

/// Judges what an analysis found, for a reader.
#[must_use]
pub fn check_analysis(analysis: &Analysis, env: &Env, settings: &Settings) -> Check {
    planned(shown::check(analysis, judge(analysis, env, settings)), analysis, env)
}

/// Judges what an analysis found by what no approval lifts: the hard floor, the paths that the owner
/// denies, commands being switched off, and what could not be understood. For a command that its owner
/// has written himself.
#[must_use]
pub fn check_floor(analysis: &Analysis, env: &Env, settings: &Settings) -> Check {
    let mut verdict = judge(analysis, env, settings);
    let is_off = settings.security == Security::Deny;
    let is_understood = analysis.problems.is_empty()
        && !analysis.findings.iter().any(super::precheck::Finding::is_fatal);
    verdict.reasons.retain(|reason| match reason.category.as_str() {
        "path_denied" => true,
        "mode" => is_off && reason.decision == Decision::Deny,
        "text" | "unknown" => !is_understood,
        _ => reason.floor,
    });
    let is_allowed = verdict.reasons.is_empty() && is_understood;
    verdict.decision = if is_allowed { Decision::Allow } else { Decision::Deny };
    // What would be asked about is denied here, and the refusal says why.
    for reason in &mut verdict.reasons {
        reason.decision = verdict.decision;
    }
    verdict.confined = false;
    planned(shown::check(analysis, verdict), analysis, env)
}

/// Analyses a text and judges it by the modes alone, for a reader: see [`mode`].
#[must_use]
pub fn check_modes(text: &str, env: &Env, settings: &Settings, approvals: &Approvals) -> Check {
    let analysis = analyse(text, env);
    let case = Case { analysis: &analysis, env, settings };
    planned(modes::checked(&case, approvals), &analysis, env)
}

fn planned(mut check: Check, analysis: &Analysis, env: &Env) -> Check {
    if check.verdict != Decision::Deny {
        check.plan = Some(plan::plan(analysis, env));
    }
    check
}

/// What is judged.
struct Case<'a> {
    analysis: &'a Analysis,
    env: &'a Env,
    settings: &'a Settings,
}

/// What a layer has to say of an effect.
struct Said {
    category: &'static str,
    why: String,
    instead: Option<String>,
}

impl Said {
    fn new(category: &'static str, why: impl Into<String>) -> Said {
        Said { category, why: why.into(), instead: None }
    }

    fn instead(mut self, instead: impl Into<String>) -> Said {
        self.instead = Some(instead.into());
        self
    }
}

impl Case<'_> {
    /// The reason that an effect gives; none if it is allowed.
    fn of_effect(&self, found: &Found) -> Option<Reason> {
        if let Some(said) = floor::of(self, found) {
            return Some(Reason { floor: true, ..self.reason(Decision::Deny, said, &found.span) });
        }
        if let Some(said) = floor::of_path(self, found) {
            return Some(self.reason(Decision::Deny, said, &found.span));
        }
        let group = groups::of(self, found);
        let rule = rules::strictest(self, found);
        let denied = [group, rule].into_iter().flatten().max_by_key(|(decision, _)| *decision);
        if let Some((decision, said)) = denied {
            return Some(self.reason(decision, said, &found.span));
        }
        if rules::allows(self, found) {
            return None;
        }
        let said = profile::beyond(self, found)?;
        Some(self.reason(Decision::Ask, said, &found.span))
    }

    /// What is wrong with the text itself, and what of it was not understood.
    fn of_text(&self) -> Vec<Reason> {
        let findings = self.analysis.findings.iter().filter_map(|finding| {
            let decision = finding.decision();
            (decision > Decision::Allow).then(|| {
                let said = Said::new("text", finding.why()).instead(finding.instead());
                self.reason(decision, said, &finding.span)
            })
        });
        let problems = self.analysis.problems.iter().map(|problem| {
            let why = format!("This could not be understood: {}.", problem.what);
            let said = Said::new("unknown", why)
                .instead("Write it as a few plain commands, each in a call of its own.");
            self.reason(Decision::Ask, said, &problem.span)
        });
        findings.chain(problems).collect()
    }

    fn reason(&self, decision: Decision, said: Said, span: &Span) -> Reason {
        Reason {
            decision,
            category: said.category.to_owned(),
            words: shown::words(&self.analysis.text, span),
            span: span.clone(),
            why: said.why,
            instead: said.instead,
            floor: false,
        }
    }

    /// What could not be understood.
    fn unknowns(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let problems = self.analysis.problems.iter().map(|problem| problem.what.clone());
        let effects = self.analysis.found.iter().filter_map(|found| match &found.effect {
            Effect::Dynamic { why } => Some(why.clone()),
            Effect::Unmodelled { program, why } => Some(format!("{program}: {why}")),
            _ => None,
        });
        for unknown in problems.chain(effects) {
            if !all.contains(&unknown) {
                all.push(unknown);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
