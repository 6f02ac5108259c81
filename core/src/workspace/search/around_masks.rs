//! Which lines match no matter what the secrets in them are.
//!
//! Files are searched as they are, and masked only if a line matches. If the masked text were then simply
//! searched again, a query could ask two things at once: "the placeholder, or a secret that begins with
//! `a`". It would find the placeholder only if the secret begins so. So a line with a placeholder counts
//! only if the query matches a piece of text outside the placeholders, for every letter that the secret
//! could have next to it. Such a line also matches unmasked, so the masked text alone decides what is
//! found.

use std::ops::Range;

use grep_matcher::{Match, Matcher, NoCaptures, NoError};
use regex_automata::meta::Regex;
use regex_automata::{Input, util::syntax};

use super::pattern::{Pattern, Reading};
use crate::scrub::placeholder_length;

/// What a text is full of that stands in place of secrets.
const HEADS: [&str; 2] = ["REDACTED", "SERVER_IP"];

/// True if a query may be about placeholders. Then every file is masked before it is searched.
pub(super) fn is_about_masks(query: &str) -> bool {
    let query = query.to_ascii_uppercase();
    HEADS.iter().any(|head| query.contains(head))
}

/// Finds the lines of a masked text that match whatever is masked in them.
pub(super) struct AroundMasks<'p>(pub &'p Pattern);

impl Matcher for AroundMasks<'_> {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, text: &[u8], mut at: usize) -> Result<Option<Match>, NoError> {
        while at <= text.len() {
            let Some(found) = self.0.matcher.find_at(text, at)? else { return Ok(None) };
            let start = memchr::memrchr(b'\n', &text[..found.start()]).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', &text[found.start()..]);
            let end = end.map_or(text.len(), |length| found.start() + length);
            if self.0.is_about_masks || stands(self.0, &text[start..end]) {
                return Ok(Some(found));
            }
            at = end + 1;
        }
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<grep_matcher::LineTerminator> {
        self.0.matcher.line_terminator()
    }
}

/// True if the line matches whatever is masked in it.
fn stands(pattern: &Pattern, line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    pieces(line).any(|(piece, is_behind, is_before)| {
        // A line without a placeholder is as it was.
        let is_whole = !is_behind && !is_before;
        is_whole || matches_piece(pattern, &line[piece], is_behind, is_before)
    })
}

/// The pieces of a text beside its placeholders, each with whether one is right before it, and
/// right after it.
pub(super) fn pieces(text: &[u8]) -> impl Iterator<Item = (Range<usize>, bool, bool)> {
    let mut from = Some((0, false));
    std::iter::from_fn(move || {
        let (start, is_behind) = from.take()?;
        let mut at = start;
        while let Some(bracket) = memchr::memchr(b'[', &text[at..]) {
            at += bracket;
            match placeholder_length(&text[at..]) {
                Some(length) => {
                    from = Some((at + length, true));
                    return Some((start..at, is_behind, true));
                }
                None => at += 1,
            }
        }
        Some((start..text.len(), is_behind, false))
    })
}

/// True if the piece has a match of its own, whichever letter of a secret stands before and after
/// it. All that an expression can ask of a letter beside a match is whether it is one of a word.
pub(super) fn matches_piece(
    pattern: &Pattern,
    piece: &[u8],
    is_behind: bool,
    is_before: bool,
) -> bool {
    let Some(regex) = pattern.around_masks_regex() else { return false };
    let letters = |is_secret: bool| if is_secret { &["a", "."][..] } else { &[""][..] };
    letters(is_behind).iter().all(|before| {
        letters(is_before).iter().all(|after| {
            let text = [before.as_bytes(), piece, after.as_bytes()].concat();
            let input = Input::new(&text).range(before.len()..before.len() + piece.len());
            regex.is_match(input)
        })
    })
}

/// The same expression for an engine that accepts where a match must end.
pub(super) fn compiled(query: &str, reading: Reading) -> Option<Regex> {
    let query = if reading.is_literal { regex::escape(query) } else { query.to_owned() };
    let syntax = syntax::Config::new().dot_matches_new_line(reading.is_multiline);
    let ignores_case = reading.ignores_case;
    let syntax = syntax.multi_line(true).crlf(true).case_insensitive(ignores_case).utf8(false);
    let config = Regex::config().utf8_empty(false);
    Regex::builder().syntax(syntax).configure(config).build(&query).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "API_KEY=[REDACTED:github-pat:abcdefgh] # of the door";

    #[test]
    fn a_line_counts_if_it_matches_whatever_the_secret_is() {
        for (query, counts) in [
            ("API_KEY", true),
            ("API_KEY=", true),
            ("API_KEY=.*", true),
            ("door", true),
            ("^API", true),
            ("door$", true),
            (" # of", true),
            ("(?i)api_key", true),
            // Only a secret that ends like that has it before the blank.
            (r"\S+ # of", false),
            // These would reveal something of the secret, or ask for the placeholder.
            ("API_KEY=ghp_", false),
            ("RED.CTED|ghp_a", false),
            ("^.{40,60}$|ghp_a", false),
            (r"=\b", false),
            (r"=\B", false),
            (r"\[|ghp_a", false),
            ("git.ub-pat", false),
            ("=.+ #", false),
        ] {
            let pattern = Pattern::new(query, Reading::default()).unwrap();
            assert_eq!(stands(&pattern, LINE.as_bytes()), counts, "{query}");
            let text = format!("first\n{LINE}\nlast");
            let found = AroundMasks(&pattern).find_at(text.as_bytes(), 0).unwrap();
            assert_eq!(found.is_some(), counts, "{query}");
        }
    }

    #[test]
    fn a_line_without_a_placeholder_is_a_line_like_any_other() {
        let pattern = Pattern::new(r"^\[\w+", Reading::default()).unwrap();
        assert!(stands(&pattern, b"[section]"));
        let literal = Reading { is_literal: true, ..Reading::default() };
        let pattern = Pattern::new("a.c", literal).unwrap();
        assert!(stands(&pattern, b"a.c [REDACTED:password]"));
        assert!(!stands(&pattern, b"abc [REDACTED:password]"));
    }
}
