//! The simple commands of a text, each with what is decided of it, for a person who approves.
//!
//! The text is walked as a tree, and every simple command becomes a segment, also those in
//! substitutions. A reason counts for all segments that it touches.

use crate::analyse::Analysis;
use crate::decision::Decision;
use crate::ir::{
    Assigned, Command, CommandKind, Piece, Pipeline, RedirectionKind, Script, SimpleCommand, Span,
    Word,
};
use crate::verdict::{Reason, Segment};

/// The most commands that are shown. The rest is one segment, with all that is decided of them.
const MAX_SEGMENTS: usize = 256;

/// The simple commands of a text in their order, those in substitutions behind the command that
/// they stand in.
pub(super) fn segments(analysis: &Analysis, reasons: &[Reason]) -> Vec<Segment> {
    let mut spans = Vec::new();
    script(&analysis.script, &mut spans);
    let mut all: Vec<Segment> =
        spans.into_iter().map(|span| segment(&analysis.text, span, reasons)).collect();
    if all.len() > MAX_SEGMENTS {
        let rest = all.split_off(MAX_SEGMENTS - 1);
        all.push(left_out(&rest));
    }
    all
}

/// One segment in place of those that are not shown. Nothing of what is decided of them is lost.
fn left_out(rest: &[Segment]) -> Segment {
    let mut categories: Vec<String> = Vec::new();
    for category in rest.iter().flat_map(|segment| &segment.categories) {
        if !categories.contains(category) {
            categories.push(category.clone());
        }
    }
    let start = rest.iter().map(|segment| segment.span.start).min().unwrap_or_default();
    let end = rest.iter().map(|segment| segment.span.end).max().unwrap_or_default();
    let verdict = rest.iter().map(|segment| segment.verdict).max().unwrap_or(Decision::Allow);
    Segment {
        text: format!("… {} more commands, which are not shown", rest.len()),
        verdict,
        categories,
        span: start..end,
    }
}

/// The segment at a place.
fn segment(text: &str, span: Span, reasons: &[Reason]) -> Segment {
    let touches = |other: &Span| other.start < span.end && span.start < other.end;
    let mut verdict = Decision::Allow;
    let mut categories: Vec<String> = Vec::new();
    for reason in reasons.iter().filter(|reason| touches(&reason.span)) {
        verdict = verdict.max(reason.decision);
        if !categories.contains(&reason.category) {
            categories.push(reason.category.clone());
        }
    }
    let cut = text.get(span.clone()).unwrap_or_default();
    let text = without_end(cut.trim_end());
    let span = span.start..span.start + text.len();
    Segment { text: text.trim_start().to_owned(), verdict, categories, span }
}

/// A command without what joins it to the next one: `;`, `&`, `|`, `||`. `\;` is a word of it.
fn without_end(text: &str) -> &str {
    let before = text.trim_end_matches([';', '&', '|']);
    if before.ends_with('\\') {
        let escaped = text.len().min(before.len() + 1);
        return text[..escaped].trim_end();
    }
    before.trim_end()
}

/// Collects the places of the commands of a script.
fn script(script: &Script, spans: &mut Vec<Span>) {
    script.items.iter().for_each(|item| pipeline(&item.pipeline, spans));
}

/// Collects the places of the commands of a pipeline.
fn pipeline(pipeline: &Pipeline, spans: &mut Vec<Span>) {
    pipeline.commands.iter().for_each(|one| command(one, spans));
}

/// Collects the places of the simple commands in a command.
fn command(command: &Command, spans: &mut Vec<Span>) {
    match &command.kind {
        CommandKind::Simple(simple) => {
            spans.push(command.span.clone());
            of_simple(simple, spans);
        }
        CommandKind::Group(inner) | CommandKind::Subshell(inner) => script(inner, spans),
        CommandKind::If(branches, otherwise) => {
            for (condition, body) in branches {
                script(condition, spans);
                script(body, spans);
            }
            otherwise.iter().for_each(|inner| script(inner, spans));
        }
        CommandKind::While { condition, body } => {
            script(condition, spans);
            script(body, spans);
        }
        CommandKind::For { words: list, body, .. } => {
            list.iter().for_each(|list| words(list, spans));
            script(body, spans);
        }
        CommandKind::ForArithmetic { words: list, body } => {
            words(list, spans);
            script(body, spans);
        }
        CommandKind::Case { subject, arms } => {
            word(subject, spans);
            arms.iter().for_each(|(_, body)| script(body, spans));
        }
        CommandKind::Function { body, .. } => self::command(body, spans),
        CommandKind::Test(list) | CommandKind::Arithmetic { words: list, .. } => {
            words(list, spans);
        }
        CommandKind::Time(inner) => pipeline(inner, spans),
        CommandKind::Coproc { body, .. } => self::command(body, spans),
        CommandKind::Unknown(_) => spans.push(command.span.clone()),
    }
    for redirection in &command.redirections {
        match &redirection.kind {
            RedirectionKind::Read(to)
            | RedirectionKind::Append(to)
            | RedirectionKind::ReadWrite(to)
            | RedirectionKind::Duplicate(to)
            | RedirectionKind::HereString(to)
            | RedirectionKind::Write { to, .. }
            | RedirectionKind::WriteBoth { to, .. }
            | RedirectionKind::HereDocument { body: to, .. } => word(to, spans),
        }
    }
}

/// Collects what stands in the words of a simple command.
fn of_simple(simple: &SimpleCommand, spans: &mut Vec<Span>) {
    for assignment in simple.assignments.iter().chain(&simple.arrays) {
        match &assignment.value {
            Assigned::Word(value) => word(value, spans),
            Assigned::Array(values) => words(values, spans),
        }
    }
    words(&simple.words, spans);
}

/// Collects what stands in words.
fn words(words: &[Word], spans: &mut Vec<Span>) {
    words.iter().for_each(|one| word(one, spans));
}

/// Collects what stands in a word.
fn word(word: &Word, spans: &mut Vec<Span>) {
    pieces(&word.pieces, spans);
}

/// Collects what stands in the pieces of a word.
fn pieces(all: &[Piece], spans: &mut Vec<Span>) {
    for piece in all {
        match piece {
            Piece::Command { script: inner, .. } | Piece::Process { script: inner, .. } => {
                script(inner, spans);
            }
            Piece::Variable(variable) => words(&variable.operation.words(), spans),
            Piece::Arithmetic { words: list, .. } => words(list, spans),
            Piece::Brace(parts) => parts.iter().for_each(|part| pieces(part, spans)),
            Piece::Literal { .. } | Piece::Tilde(_) | Piece::Glob(_) | Piece::Unknown(_) => {}
        }
    }
}

/// What runs commands within a word, if something does.
pub(super) fn substitution(piece: &Piece) -> Option<&'static str> {
    match piece {
        Piece::Command { .. } => Some("a substitution"),
        Piece::Process { .. } => Some("a process substitution"),
        Piece::Literal { .. } | Piece::Tilde(_) | Piece::Glob(_) => None,
        Piece::Variable(variable) => of_words(&variable.operation.words()),
        Piece::Arithmetic { words, .. } => of_words(words),
        Piece::Brace(parts) => parts.iter().flatten().find_map(substitution),
        Piece::Unknown(_) => Some("something that is not known"),
    }
}

/// What runs commands within these words, if something does.
fn of_words(words: &[Word]) -> Option<&'static str> {
    words.iter().flat_map(|word| &word.pieces).find_map(substitution)
}

#[cfg(test)]
mod tests {
    use super::without_end;

    #[test]
    fn what_ends_a_command_is_none_of_it() {
        for (text, expected) in [
            ("ls;", "ls"),
            ("ls &", "ls"),
            ("ls ||", "ls"),
            ("ls |&", "ls"),
            ("ls", "ls"),
            (r"find -exec a \;", r"find -exec a \;"),
            (r"find -exec a \; &", r"find -exec a \;"),
        ] {
            assert_eq!(without_end(text), expected);
        }
    }
}
