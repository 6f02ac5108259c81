//! From effects to a verdict.
//!
//! Each effect is judged alone, by the first of these layers that objects:
//!
//! 1. `hard_deny`: what no setting and no approval lets run;
//! 2. denied paths;
//! 3. `groups` of dangers, and the owner's `rules` that deny or ask, the stricter of the two;
//! 4. the owner's rules that allow, which end the judgement of this effect;
//! 5. `profile`: what careful work needs is allowed, and everything else is asked about.
//!
//! The strictest judgement of all effects decides. `modes` lie on top: whether anything runs at
//! all, and whether somebody is asked.
//!
//! A judgement never sees how a command was spelled. It sees effects, so another spelling of the
//! same deed has the same verdict. What was not understood is an effect as well, and asks.
//!
//! `reach`, `network`, `emptying` and `env_injection` answer questions that several layers ask.
//! `repository_copies` finds denied paths in what version control keeps. `shown` and `segments` put
//! a verdict into words.
//!
//! # Example
//!
//! `rm -r build` in the workspace, with the default settings:
//!
//! ```text
//! effect    delete:workspace:recursive
//! layer 1   hard_deny: deletes a tree, and the profile is `strict` → deny, `destructive_ops`
//! ```
//!
//! With the profile `workspace`:
//!
//! ```text
//! layer 1   the target is in the workspace → no objection
//! layer 2   the path is not denied
//! layer 3   no group and no rule is about it
//! layer 4   no rule allows it
//! layer 5   a tree is deleted → ask, `beyond_profile`
//! ```

mod emptying;
mod env_injection;
mod groups;
mod hard_deny;
mod modes;
mod network;
mod profile;
mod reach;
mod repository_copies;
mod rules;
mod segments;
mod shown;

use crate::analyse::{Analysis, analyse};
use crate::decision::Decision;
use crate::effect::{Effect, Found};
use crate::env::Env;
use crate::ir::Span;
use crate::plan;
use crate::settings::{Security, Settings};
use crate::verdict::{Check, Reason, Verdict};

pub(crate) use groups::is_socket_of_engine;
pub use modes::Approvals;
#[cfg(test)]
pub(crate) use modes::mode;

/// Judges what an analysis found.
#[must_use]
pub fn judge(analysis: &Analysis, env: &Env, settings: &Settings) -> Verdict {
    let case = Case { analysis, env, settings };
    let mut reasons = case.check_text();
    reasons.extend(analysis.found.iter().filter_map(|found| case.check_effect(found)));
    reasons.extend(repository_copies::check_calls(&case));
    reasons.extend(groups::check_calls(&case));
    reasons.extend(rules::check_calls(&case));
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
    verdict.reasons.sort_by_key(|reason| (std::cmp::Reverse(reason.decision), !reason.hard_deny));
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

/// Analyses a text and judges it: the whole check, with texts for people and models and a plan to
/// run it by.
#[must_use]
pub fn check(text: &str, env: &Env, settings: &Settings) -> Check {
    check_analysis(&analyse(text, env), env, settings)
}

/// Judges what an analysis found, for a reader.
#[must_use]
pub fn check_analysis(analysis: &Analysis, env: &Env, settings: &Settings) -> Check {
    planned(shown::check(analysis, judge(analysis, env, settings)), analysis, env)
}

/// Judges what an analysis found by what no approval lifts: the hard denials, the paths that the
/// owner denies, commands being switched off, and what could not be understood. For a command that
/// its owner has written himself.
#[must_use]
pub fn check_hard_deny(analysis: &Analysis, env: &Env, settings: &Settings) -> Check {
    let mut verdict = judge(analysis, env, settings);
    let is_off = settings.security == Security::Deny;
    let is_understood = analysis.problems.is_empty()
        && !analysis.findings.iter().any(crate::precheck::Finding::is_fatal);
    verdict.reasons.retain(|reason| match reason.category.as_str() {
        "path_denied" => true,
        "mode" => is_off && reason.decision == Decision::Deny,
        "text" | "unknown" => !is_understood,
        _ => reason.hard_deny,
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

/// Analyses a text and judges it by the modes alone: `security`, `ask` and the list of programs, as if
/// no group denied anything. For a host that has a judge of its own.
#[must_use]
pub fn check_modes(text: &str, env: &Env, settings: &Settings, approvals: &Approvals) -> Check {
    let analysis = analyse(text, env);
    let case = Case { analysis: &analysis, env, settings };
    planned(modes::checked(&case, approvals), &analysis, env)
}

/// Adds the plan to a check of a command that may run.
fn planned(mut check: Check, analysis: &Analysis, env: &Env) -> Check {
    if check.verdict != Decision::Deny {
        check.plan = Some(plan::plan(analysis, env));
    }
    check
}

/// What is judged: an analysis, with the machine and the settings that it is judged by.
struct Case<'a> {
    /// What the command does.
    analysis: &'a Analysis,
    /// The machine that it was analysed for.
    env: &'a Env,
    /// How strict the judge is, with what is different for the agent.
    settings: &'a Settings,
}

/// What a layer has against an effect.
struct Objection {
    /// The category of the reason: a group, or one of those that [`Reason::category`] names.
    category: &'static str,
    /// What is wrong, in a sentence.
    why: String,
    /// What to do instead.
    instead: Option<String>,
}

impl Objection {
    /// An objection without an alternative.
    fn new(category: &'static str, why: impl Into<String>) -> Objection {
        Objection { category, why: why.into(), instead: None }
    }

    /// Adds what to do instead.
    fn instead(mut self, instead: impl Into<String>) -> Objection {
        self.instead = Some(instead.into());
        self
    }
}

impl Case<'_> {
    /// The reason that an effect gives; none if it is allowed.
    fn check_effect(&self, found: &Found) -> Option<Reason> {
        if let Some(objection) = hard_deny::check_effect(self, found) {
            return Some(Reason {
                hard_deny: true,
                ..self.reason(Decision::Deny, objection, &found.span)
            });
        }
        if let Some(objection) = hard_deny::check_denied_path(self, found) {
            return Some(self.reason(Decision::Deny, objection, &found.span));
        }
        let group = groups::check_effect(self, found);
        let rule = rules::strictest(self, found);
        let denied = [group, rule].into_iter().flatten().max_by_key(|(decision, _)| *decision);
        if let Some((decision, objection)) = denied {
            return Some(self.reason(decision, objection, &found.span));
        }
        if rules::allows(self, found) {
            return None;
        }
        let objection = profile::check_effect(self, found)?;
        Some(self.reason(Decision::Ask, objection, &found.span))
    }

    /// What is wrong with the text itself, and what of it was not understood.
    fn check_text(&self) -> Vec<Reason> {
        let findings = self.analysis.findings.iter().filter_map(|finding| {
            let decision = finding.decision();
            (decision > Decision::Allow).then(|| {
                let objection = Objection::new("text", finding.why()).instead(finding.instead());
                self.reason(decision, objection, &finding.span)
            })
        });
        let problems = self.analysis.problems.iter().map(|problem| {
            let why = format!("This could not be understood: {}.", problem.what);
            let objection = Objection::new("unknown", why)
                .instead("Write it as a few plain commands, each in a call of its own.");
            self.reason(Decision::Ask, objection, &problem.span)
        });
        findings.chain(problems).collect()
    }

    /// The reason that an objection becomes, with the words that it is about.
    fn reason(&self, decision: Decision, objection: Objection, span: &Span) -> Reason {
        Reason {
            decision,
            category: objection.category.to_owned(),
            words: shown::words(&self.analysis.text, span),
            span: span.clone(),
            why: objection.why,
            instead: objection.instead,
            hard_deny: false,
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
