//! A verdict as models and people read it.
//!
//! Everything that comes from the command is made visible first, so that no control character
//! reaches a terminal and no bidirectional override hides a word.

use std::borrow::Cow;

use super::segments;
use crate::analyse::Analysis;
use crate::decision::Decision;
use crate::effect::{Certainty, Found};
use crate::ir::Span;
use crate::verdict::{Check, Reason, ShownEffect, Verdict};
use crate::visible::visible;

/// The most characters of the words that a reason shows. Longer words push the reason itself out of
/// sight.
const MAX_SHOWN_CHARS: usize = 120;

/// The most reasons in one text. The rest is counted.
const MAX_SHOWN_REASONS: usize = 4;

/// Everything that is shown of a verdict.
pub(super) fn check(analysis: &Analysis, mut verdict: Verdict) -> Check {
    for reason in &mut verdict.reasons {
        make_visible(&mut reason.why);
        if let Some(instead) = &mut reason.instead {
            make_visible(instead);
        }
    }
    verdict.unknowns.iter_mut().for_each(make_visible);
    let mut categories: Vec<String> = Vec::new();
    for reason in &verdict.reasons {
        if !categories.contains(&reason.category) {
            categories.push(reason.category.clone());
        }
    }
    let strictest = verdict.reasons.iter().filter(|reason| reason.decision == verdict.decision);
    let suggestion = strictest.clone().find_map(|reason| reason.instead.clone());
    Check {
        verdict: verdict.decision,
        categories,
        for_llm: text(&verdict, "It was not run.", true),
        for_user: text(&verdict, "", false),
        suggestion,
        segments: segments::segments(analysis, &verdict.reasons),
        effects: verdict.effects.iter().map(effect).collect(),
        reasons: verdict.reasons,
        unknowns: verdict.unknowns,
        plan: None,
        without_approver: verdict.without_approver,
        confined: verdict.confined,
    }
}

/// Writes out what a person would not see of a text.
fn make_visible(text: &mut String) {
    if let Cow::Owned(visible) = visible(text) {
        *text = visible;
    }
}

/// An effect as it is shown.
fn effect(found: &Found) -> ShownEffect {
    ShownEffect {
        effect: found.effect.label(),
        program: found.program.clone(),
        sure: found.certainty == Certainty::Must,
        span: found.span.clone(),
    }
}

/// What was decided and why. `tail` ends what is said of a denial.
fn text(verdict: &Verdict, tail: &str, with_instead: bool) -> String {
    let head = match verdict.decision {
        Decision::Allow if verdict.confined => "Allowed in a confinement.",
        Decision::Allow => return "Allowed.".to_owned(),
        Decision::Ask => "This command needs approval.",
        Decision::Deny => "This command is denied.",
    };
    let mut all = head.to_owned();
    if verdict.decision == Decision::Deny && !tail.is_empty() {
        all.push(' ');
        all.push_str(tail);
    }
    let strictest = verdict.reasons.iter().filter(|reason| reason.decision == verdict.decision);
    for reason in strictest.clone().take(MAX_SHOWN_REASONS) {
        all.push('\n');
        all.push_str(&line(reason, with_instead));
    }
    let more = strictest.count().saturating_sub(MAX_SHOWN_REASONS);
    if more > 0 {
        all.push_str(&format!("\n- and {more} more of this kind"));
    }
    if with_instead && verdict.reasons.iter().any(|reason| reason.hard_deny) {
        all.push_str(
            "\nNo approval lifts this. Don't try another spelling: it is judged by what it does.",
        );
    }
    all
}

/// One reason as a line.
fn line(reason: &Reason, with_instead: bool) -> String {
    let mut line = format!("- {}: {}", reason.category, reason.why);
    if !reason.words.is_empty() {
        line.push_str(&format!(" (`{}`)", reason.words));
    }
    if let Some(instead) = reason.instead.as_ref().filter(|_| with_instead) {
        line.push_str(" Instead: ");
        line.push_str(instead);
    }
    line
}

/// The words at a place, on one line, with characters that are not seen as escapes.
pub(super) fn words(text: &str, span: &Span) -> String {
    let cut = text.get(span.start.min(text.len())..span.end.min(text.len())).unwrap_or_default();
    let mut shown = String::new();
    let mut blank = false;
    for (count, char) in cut.trim().chars().enumerate() {
        if count == MAX_SHOWN_CHARS {
            shown.push('…');
            break;
        }
        if char == ' ' || char == '\t' || char == '\n' {
            if !blank {
                shown.push(' ');
            }
            blank = true;
            continue;
        }
        blank = false;
        let is_plain = char.is_ascii_graphic() || char.is_alphanumeric();
        if is_plain {
            shown.push(char);
        } else {
            shown.extend(char.escape_unicode());
        }
    }
    shown
}
