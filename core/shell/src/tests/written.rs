//! The words of a text that are written without quotes and expansions, and where they stand.

use crate::ir::{Command, CommandKind, Piece, Script, SimpleCommand, Span};
use crate::parse;

/// A command whose program is a plain word.
pub(super) struct Written {
    /// Its words that are plain, with their places; the first is the program.
    pub words: Vec<(String, Span)>,
    /// True if all of its words are plain, with nothing but blanks between.
    pub whole: bool,
    /// True if the text is nothing but this command.
    pub alone: bool,
}

impl Written {
    /// The program.
    pub fn program(&self) -> &str {
        &self.words[0].0
    }

    /// From its first word to its last.
    pub fn span(&self) -> Span {
        self.words[0].1.start..self.words[self.words.len() - 1].1.end
    }
}

/// The commands of a text that can be written otherwise; none if it defines functions, whose names
/// are no programs.
pub(super) fn commands(text: &str) -> Vec<Written> {
    let parsed = parse::parse(text);
    let mut all = Vec::new();
    let mut has_functions = false;
    of_script(&parsed.script, text, &mut all, &mut has_functions);
    if has_functions || text.contains("alias ") || !parsed.problems.is_empty() {
        return Vec::new();
    }
    all
}

fn of_script(script: &Script, text: &str, all: &mut Vec<Written>, functions: &mut bool) {
    let commands = script.items.iter().flat_map(|item| &item.pipeline.commands);
    for command in commands {
        of_command(command, text, all, functions);
    }
}

fn of_command(command: &Command, text: &str, all: &mut Vec<Written>, functions: &mut bool) {
    let mut inner = |script: &Script| of_script(script, text, all, functions);
    match &command.kind {
        CommandKind::Simple(simple) => all.extend(of_simple(simple, text)),
        CommandKind::Group(script) | CommandKind::Subshell(script) => inner(script),
        CommandKind::While { condition, body } => {
            inner(condition);
            inner(body);
        }
        CommandKind::For { body, .. } | CommandKind::ForArithmetic { body, .. } => inner(body),
        CommandKind::If(branches, other) => {
            for (condition, body) in branches {
                inner(condition);
                inner(body);
            }
            other.iter().for_each(inner);
        }
        CommandKind::Case { arms, .. } => arms.iter().for_each(|(_, body)| inner(body)),
        CommandKind::Function { .. } => *functions = true,
        CommandKind::Time(pipeline) => {
            for command in &pipeline.commands {
                of_command(command, text, all, functions);
            }
        }
        CommandKind::Coproc { body: command, .. } => of_command(command, text, all, functions),
        CommandKind::Test(_) | CommandKind::Arithmetic { .. } | CommandKind::Unknown(_) => {}
    }
}

fn of_simple(simple: &SimpleCommand, text: &str) -> Option<Written> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./:=,@%+-".contains(char);
    let plain = simple.words.iter().map(|word| match &word.pieces[..] {
        [Piece::Literal { text: literal, quoted: false }] => {
            (text.get(word.span.clone()) == Some(literal) && literal.chars().all(is_plain))
                .then(|| (literal.clone(), word.span.clone()))
        }
        _ => None,
    });
    let plain: Vec<_> = plain.collect();
    plain.first()?.as_ref()?;
    let words: Vec<_> = plain.iter().flatten().cloned().collect();
    let blank = |span: Span| text[span].trim_matches([' ', '\t']).is_empty();
    let whole = words.len() == plain.len()
        && words.windows(2).all(|pair| blank(pair[0].1.end..pair[1].1.start));
    let alone = whole && text.trim() == &text[words[0].1.start..words[words.len() - 1].1.end];
    Some(Written { words, whole, alone })
}
