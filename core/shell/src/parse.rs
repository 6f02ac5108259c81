//! From a text to the [`ir`](crate::ir). Only this module knows the parser crate.
//!
//! The parser crate reads Bash well, but not in every corner. So its tree is not taken on faith:
//! each word is read again from the text (`word`, `atoms`), and places at which the crate is known
//! to read something else than a shell does are problems (`misread`, `doubt`). A text with a
//! [`Problem`] is never allowed, so an error of the parser can make a verdict stricter, and never
//! weaker.
//!
//! - Commands: `command`, `compound`, `redirection`. Words: `word`, `atoms`, `ansi`, `parameter`,
//!   `substitution`.
//! - Here-documents: `document`. Lines that go on: `continuation`. `case` in unusual places:
//!   `cases`.
//! - Calls of the crate, guarded against panics: `reading`.
//!
//! # Why words are read again
//!
//! A shell and a parser for editors have different aims. The crate gives a useful tree for any
//! text; a judge needs to know when the tree may be wrong. `misread` lists the places where the two
//! are known to differ, each found by comparing the crate with Bash itself on generated texts
//! (`tests::differential`, `tests::brush`). Where such a place occurs the text has a problem, and
//! is asked about at least.

mod ansi;
mod atoms;
mod cases;
mod command;
mod compound;
mod continuation;
mod document;
mod doubt;
mod misread;
mod parameter;
mod reading;
mod redirection;
mod substitution;
#[cfg(test)]
pub(super) mod suite;
mod word;

use std::cell::Cell;

use shuck_parser::parser::ParseStatus;

use crate::ir::{Script, Span};

/// How often a text within the text is parsed again, one within the other: backticks in backticks.
const DEEPEST: usize = 12;

/// The most substitutions within each other. The crate does not say what is wrong inside of one, so
/// each is parsed once more for every one around it.
const DEEPEST_SUBSTITUTION: usize = 8;

/// The most bytes that are parsed again, all together: backticks, words of expansions, the inside
/// of substitutions. A text that never closes them would otherwise be parsed again in many ways.
const MOST_AGAIN: usize = 2 * crate::precheck::LONGEST;

/// The cost of parsing a text again, besides its bytes, so that many short texts count as well.
const COST_OF_TEXT: usize = 64;

/// A parsed text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parse {
    /// What was understood, which is all of it if there is no problem.
    pub script: Script,
    /// What was not. With a problem the text is never understood as a whole.
    pub problems: Vec<Problem>,
}

impl Parse {
    /// Joins two readings of a text, neither of which is whole: what either of them shows.
    fn or(mut self, other: Parse) -> Parse {
        if self.script != other.script {
            self.script.items.extend(other.script.items);
        }
        for problem in other.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        self
    }
}

/// Something that the parser did not understand as a shell would. A text with one is never allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is, for a reader.
    pub what: String,
    /// Where it stands.
    pub span: Span,
}

/// Parses a text, which must have passed [`precheck`](crate::precheck).
#[must_use]
pub fn parse(text: &str) -> Parse {
    parse_at(text, None)
}

/// Parses a text that stands within another one. Everything in it gets the place of the word that
/// holds it.
#[must_use]
pub fn parse_within(text: &str, place: &Span) -> Parse {
    parse_at(text, Some(place))
}

/// Parses a text with all of its places set to `place`, if there is one.
fn parse_at(text: &str, place: Option<&Span>) -> Parse {
    let moved = &*continuation::moved(text);
    let altered = moved != text;
    let first = lower(moved, altered, place, false);
    if first.problems.is_empty() || cases::apart(moved).is_none() {
        return first;
    }
    let second = lower(moved, altered, place, true);
    if second.problems.is_empty() { second } else { first.or(second) }
}

/// Parses a text and lowers the tree of the crate.
fn lower(source: &str, altered: bool, place: Option<&Span>, apart: bool) -> Parse {
    let mut problems = Vec::new();
    let place = place.cloned();
    let mut lowering = Lowering {
        source,
        altered,
        place,
        depth: 0,
        nesting: 0,
        singles: false,
        apart,
        problems: &mut problems,
        again: &Cell::new(MOST_AGAIN),
    };
    let script = lowering.whole();
    Parse { script, problems }
}

/// One text on its way from the crate's tree to the [`ir`](crate::ir).
struct Lowering<'s, 'p> {
    /// The text that the crate's spans count in.
    source: &'s str,
    /// True if continuations were moved in it or in a text around it.
    altered: bool,
    /// Where the text stands, if it is not the whole.
    place: Option<Span>,
    /// How many texts are around it.
    depth: usize,
    /// How many substitutions of this text are around.
    nesting: usize,
    /// True where single quotes are ordinary characters: between double quotes, in arithmetic.
    singles: bool,
    /// True if the crate is asked with what [`cases`] makes of the text.
    apart: bool,
    /// What was not understood, so far.
    problems: &'p mut Vec<Problem>,
    /// How many bytes may still be parsed again.
    again: &'p Cell<usize>,
}

impl Lowering<'_, '_> {
    /// Lowers the text as a script.
    fn whole(&mut self) -> Script {
        let Some(parsed) = reading::read(self.source, self.apart) else {
            let span = self.place.clone().unwrap_or(0..self.source.len());
            self.problem("the parser gave up", span);
            return Script::default();
        };
        if parsed.status != ParseStatus::Clean {
            let what = match (parsed.terminal_error, parsed.diagnostics.first()) {
                (Some(error), _) => error.to_string(),
                (None, Some(diagnostic)) => diagnostic.message.clone(),
                (None, None) => "not a complete command".to_owned(),
            };
            let end = self.source.len();
            let span = self.place.clone().unwrap_or(0..end);
            self.problems.push(Problem { what, span });
        }
        self.check_rest(&parsed.file.body);
        self.sequence(&parsed.file.body)
    }

    /// Lowers a text within this one as a script. Nothing if it is nested too deeply.
    fn script_within(&mut self, text: &str, place: Span) -> Option<Script> {
        if !self.may_read(text, &place) {
            return None;
        }
        let moved = &*continuation::moved(text);
        let mut within = Lowering {
            source: moved,
            altered: self.altered || moved != text,
            place: Some(place),
            depth: self.depth + 1,
            nesting: 0,
            singles: false,
            apart: self.apart,
            problems: &mut *self.problems,
            again: self.again,
        };
        Some(within.whole())
    }

    /// Checks that a quoted text, in which a backslash before a line end stands for itself, is as
    /// it was written. If continuations were moved in the text, one of its own may have been among
    /// them, which is a problem.
    fn check_quoted(&mut self, text: &str, place: &Span) {
        if self.altered && text.contains("\\\n") {
            self.problem("a quoted text that could not be read", place.clone());
        }
    }

    /// True if a text within this one may be parsed. Otherwise that is recorded as a problem.
    fn may_read(&mut self, text: &str, place: &Span) -> bool {
        let left = self.again.get().checked_sub(text.len() + COST_OF_TEXT);
        if let Some(left) = left.filter(|_| self.depth < DEEPEST) {
            self.again.set(left);
            return true;
        }
        let problem = Problem { what: "nested too deep".to_owned(), span: place.clone() };
        if self.problems.last() != Some(&problem) {
            self.problems.push(problem);
        }
        false
    }

    /// The place of a span of the crate in the whole text.
    fn span(&self, span: shuck_ast::Span) -> Span {
        match &self.place {
            Some(place) => place.clone(),
            None => {
                let start = span.start.offset().min(self.source.len());
                start..span.end.offset().clamp(start, self.source.len())
            }
        }
    }

    /// The text of a span of the crate.
    fn slice(&self, span: shuck_ast::Span) -> &str {
        let end = span.end.offset().min(self.source.len());
        self.source.get(span.start.offset()..end).unwrap_or_default()
    }

    /// Records something that is not understood.
    fn problem(&mut self, what: impl Into<String>, span: Span) {
        self.problems.push(Problem { what: what.into(), span });
    }
}
