//! The simple commands of a script, at every level of nesting.

use crate::ir::{Assigned, Command, CommandKind, Operation, Piece, RedirectionKind, Script, Word};

/// A simple command, as far as two parsers can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Seen {
    /// Its first word, with a `?` for what is expanded; empty if there is none.
    pub first: String,
    /// How many words it has, before any expansion.
    pub words: usize,
    /// How many variables are set before it.
    pub assignments: usize,
}

/// All of them, in no order.
pub(in super::super) fn commands(script: &Script) -> Vec<Seen> {
    let mut found = Vec::new();
    in_script(script, &mut found);
    found
}

fn in_script(script: &Script, found: &mut Vec<Seen>) {
    for command in script.items.iter().flat_map(|item| &item.pipeline.commands) {
        in_command(command, found);
    }
}

fn in_command(command: &Command, found: &mut Vec<Seen>) {
    match &command.kind {
        CommandKind::Simple(simple) => {
            if !simple.words.is_empty() || !simple.assignments.is_empty() {
                found.push(Seen {
                    first: simple.words.first().map(shown).unwrap_or_default(),
                    words: simple.words.len(),
                    assignments: simple.assignments.len(),
                });
            }
            for assignment in simple.assignments.iter().chain(&simple.arrays) {
                assignment.index.iter().for_each(|index| in_word(index, found));
                match &assignment.value {
                    Assigned::Word(word) => in_word(word, found),
                    Assigned::Array(words) => in_words(words, found),
                }
            }
            in_words(&simple.words, found);
        }
        CommandKind::Group(body) | CommandKind::Subshell(body) => in_script(body, found),
        CommandKind::If(branches, otherwise) => {
            for (condition, body) in branches {
                in_script(condition, found);
                in_script(body, found);
            }
            otherwise.iter().for_each(|body| in_script(body, found));
        }
        CommandKind::While { condition, body } => {
            in_script(condition, found);
            in_script(body, found);
        }
        CommandKind::For { words, body, .. } => {
            in_words(words.as_deref().unwrap_or_default(), found);
            in_script(body, found);
        }
        CommandKind::ForArithmetic { words, body } => {
            in_words(words, found);
            in_script(body, found);
        }
        CommandKind::Case { subject, arms } => {
            in_word(subject, found);
            for (patterns, body) in arms {
                in_words(patterns, found);
                in_script(body, found);
            }
        }
        CommandKind::Function { body, .. } => in_command(body, found),
        CommandKind::Test(words) | CommandKind::Arithmetic { words, .. } => in_words(words, found),
        CommandKind::Time(pipeline) => {
            pipeline.commands.iter().for_each(|command| in_command(command, found));
        }
        CommandKind::Coproc { body: command, .. } => in_command(command, found),
        CommandKind::Unknown(what) => {
            found.push(Seen { first: format!("<{what}>"), words: 1, assignments: 0 });
        }
    }
    in_redirections(command, found);
}

fn in_redirections(command: &Command, found: &mut Vec<Seen>) {
    for redirection in &command.redirections {
        match &redirection.kind {
            RedirectionKind::Read(word)
            | RedirectionKind::Write { to: word, .. }
            | RedirectionKind::Append(word)
            | RedirectionKind::ReadWrite(word)
            | RedirectionKind::WriteBoth { to: word, .. }
            | RedirectionKind::Duplicate(word)
            | RedirectionKind::HereDocument { body: word, .. }
            | RedirectionKind::HereString(word) => in_word(word, found),
        }
    }
}

fn in_words(words: &[Word], found: &mut Vec<Seen>) {
    words.iter().for_each(|word| in_word(word, found));
}

fn in_word(word: &Word, found: &mut Vec<Seen>) {
    in_pieces(&word.pieces, found);
}

fn in_pieces(pieces: &[Piece], found: &mut Vec<Seen>) {
    for piece in pieces {
        match piece {
            Piece::Variable(variable) => {
                variable.index.iter().for_each(|index| in_word(index, found));
                if variable.operation != Operation::None {
                    in_words(&variable.operation.words(), found);
                }
            }
            Piece::Command { script, .. } | Piece::Process { script, .. } => {
                in_script(script, found)
            }
            Piece::Arithmetic { words, .. } => in_words(words, found),
            Piece::Brace(alternatives) => {
                alternatives.iter().for_each(|pieces| in_pieces(pieces, found));
            }
            Piece::Literal { .. } | Piece::Tilde(_) | Piece::Glob(_) | Piece::Unknown(_) => {}
        }
    }
}

/// A word as it is shown.
fn shown(word: &Word) -> String {
    if word.pieces.iter().any(|piece| matches!(piece, Piece::Brace(_))) {
        return "?".to_owned();
    }
    let shown = word.pieces.iter().map(|piece| match piece {
        Piece::Literal { text, .. } => text,
        _ => "?",
    });
    shown.collect()
}
