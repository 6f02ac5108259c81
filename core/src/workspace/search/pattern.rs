//! What to search for.

use std::sync::OnceLock;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_automata::meta::Regex;

use super::around_masks::{compiled, is_about_masks};
use crate::limits::echo;

/// The longest query, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// How large a compiled query may be, as by default in the `regex` crate. Where the fast engine
/// gives up, each byte of a file may cost a look at all of it.
const COMPILED_BYTES: usize = 10 << 20;

/// How much memory each thread may take to remember what it has compiled of a query as it went.
const CACHE_BYTES: usize = 16 << 20;

/// What to search for in a line.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// What is wrong with the query as a regular expression, where it was taken literally for that.
    pub problem: Option<String>,
    /// True if it may be about what stands in the place of secrets.
    pub(super) is_about_masks: bool,
    query: String,
    reading: Reading,
    around_masks: OnceLock<Option<Regex>>,
}

/// How to read a query.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    pub is_literal: bool,
    pub ignores_case: bool,
    /// A match may go over several lines, and `.` matches the ends of lines.
    pub is_multiline: bool,
}

/// A query that cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadQuery {
    #[error("the query is empty; give a regular expression or a text to search for")]
    Empty,
    #[error("the query is longer than {MOST_BYTES} bytes")]
    TooLong,
    #[error("the query goes over several lines; set `multiline`, or search for one of them")]
    Lines,
    #[error("the query `{}` cannot be searched for: {problem}", echo(query))]
    Refused { query: String, problem: String },
}

impl Pattern {
    /// A regular expression, or a text where the query is none.
    pub(crate) fn new(query: &str, reading: Reading) -> Result<Pattern, BadQuery> {
        if query.is_empty() {
            return Err(BadQuery::Empty);
        }
        if query.len() > MOST_BYTES {
            return Err(BadQuery::TooLong);
        }
        let (matcher, problem) = match built(query, reading) {
            Ok(matcher) => (matcher, None),
            Err(_) if reading.is_literal && spans_lines(query, reading) => {
                return Err(BadQuery::Lines);
            }
            Err(problem) => {
                let literal = built(query, Reading { is_literal: true, ..reading });
                let refused = |_| match spans_lines(query, reading) {
                    true => BadQuery::Lines,
                    false => {
                        BadQuery::Refused { query: query.to_owned(), problem: problem.clone() }
                    }
                };
                (literal.map_err(refused)?, Some(problem))
            }
        };
        let is_literal = reading.is_literal || problem.is_some();
        Ok(Pattern {
            matcher,
            problem,
            is_about_masks: is_about_masks(query),
            query: query.to_owned(),
            reading: Reading { is_literal, ..reading },
            around_masks: OnceLock::new(),
        })
    }

    /// The same pattern for pieces of a line; made when it is first needed.
    pub(super) fn around_masks_regex(&self) -> Option<&Regex> {
        self.around_masks.get_or_init(|| compiled(&self.query, self.reading)).as_ref()
    }

    /// True if a match may go over several lines.
    pub(super) fn is_multiline(&self) -> bool {
        self.reading.is_multiline
    }

    /// Where the first match in a line is.
    pub(super) fn find(&self, line: &[u8]) -> Option<std::ops::Range<usize>> {
        self.matcher.find(line).ok().flatten().map(|found| found.start()..found.end())
    }
}

/// True for a query over several lines where a match is within one.
fn spans_lines(query: &str, reading: Reading) -> bool {
    query.contains('\n') && !reading.is_multiline
}

fn built(query: &str, reading: Reading) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .crlf(true)
        .line_terminator((!reading.is_multiline).then_some(b'\n'))
        .dot_matches_new_line(reading.is_multiline)
        .case_insensitive(reading.ignores_case)
        .fixed_strings(reading.is_literal)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(CACHE_BYTES);
    builder.build(query).map_err(|error| {
        let text = error.to_string();
        // The library draws the place over several lines; its last line says what is wrong.
        let last = text.trim_end().lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_is_no_expression_is_taken_literally_and_says_so() {
        let pattern = Pattern::new("main(", Reading::default()).unwrap();
        assert_eq!(pattern.problem.as_deref(), Some("unclosed group"));
        assert_eq!(pattern.find(b"fn main() {"), Some(3..8));
        assert!(Pattern::new(r"m..n\(", Reading::default()).unwrap().problem.is_none());
    }

    #[test]
    fn literal_and_case_insensitive_queries_are_read_as_asked() {
        let literal = Reading { is_literal: true, ..Reading::default() };
        assert_eq!(Pattern::new("a.c", literal).unwrap().find(b"abc a.c"), Some(4..7));
        let caseless = Reading { ignores_case: true, ..Reading::default() };
        assert_eq!(Pattern::new("STRASSE", caseless).unwrap().find(b"strasse"), Some(0..7));
        assert_eq!(Pattern::new("x$", Reading::default()).unwrap().find(b"x\r\n"), Some(0..1));
    }

    #[test]
    fn what_cannot_be_searched_for_says_why() {
        let refusal = |query: &str| Pattern::new(query, Reading::default()).unwrap_err();
        assert_eq!(refusal(""), BadQuery::Empty);
        assert_eq!(refusal(&"x".repeat(MOST_BYTES + 1)), BadQuery::TooLong);
        assert_eq!(refusal("one\ntwo"), BadQuery::Lines);
        let multiline = Reading { is_multiline: true, ..Reading::default() };
        assert_eq!(Pattern::new("one\ntwo", multiline).unwrap().find(b"one\ntwo"), Some(0..7));
        assert_eq!(Pattern::new("e.t", multiline).unwrap().find(b"one\ntwo"), Some(2..5));
    }
}
