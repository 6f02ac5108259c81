//! Where a hit may begin and end: never inside a character, an escape sequence or a placeholder.
//!
//! What is cut in half becomes another text: `\n` without its `n` is no JSON any more. A hit that
//! begins or ends inside a sequence takes all of it; where that would take a backslash away from
//! what follows the hit, it leaves the backslash. What is decided here follows from the [`EDGE`]
//! bytes around each end of the hit.

use std::ops::Range;

use super::placeholder;

/// How far from an end of a hit is looked, in bytes.
pub(super) const EDGE: usize = 128;

/// The nearest span that cuts nothing in half; `None` if nothing is left of it.
pub(super) fn fit(text: &[u8], span: Range<usize>) -> Option<Range<usize>> {
    let (start, end) = (start(text, span.start), end(text, span.end));
    let left = start < end && placeholder::length(&text[start..end]) != Some(end - start);
    left.then_some(start..end)
}

/// Where a hit begins that was found to begin at `at`.
pub(super) fn start(text: &[u8], at: usize) -> usize {
    let at = character_start(text, before_escape(text, before_percent(text, at)));
    placeholder::across(text, at).map_or(at, |placeholder| placeholder.end)
}

/// Where a hit ends that was found to end at `at`.
pub(super) fn end(text: &[u8], at: usize) -> usize {
    let at = character_end(text, behind_escape(text, behind_percent(text, at)));
    placeholder::across(text, at).map_or(at, |placeholder| placeholder.start)
}

fn is_middle(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The start of the character in which `at` is, or `at` if it is in none.
fn character_start(text: &[u8], at: usize) -> usize {
    let back = (0..=at.min(3)).find(|back| text.get(at - back).is_none_or(|&b| !is_middle(b)));
    let Some(back @ 1..) = back else { return at };
    if width(text[at - back]) > back { at - back } else { at }
}

/// The end of the character in which `at` is, or `at` if it is in none.
fn character_end(text: &[u8], at: usize) -> usize {
    let start = character_start(text, at);
    if start == at {
        return at;
    }
    let most = text.len().min(start + width(text[start]));
    (at..most).find(|&i| !is_middle(text[i])).unwrap_or(most)
}

fn width(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}

/// True if the backslash before `at` is no escaped one itself.
fn is_escaped(text: &[u8], at: usize) -> bool {
    let floor = at.saturating_sub(EDGE);
    text[floor..at].iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1
}

/// The backslash of `\u` if `at` is among the four digits behind it.
fn unicode_escape(text: &[u8], at: usize) -> Option<usize> {
    let letter = (at.saturating_sub(5)..at).rev().find(|&i| text[i] == b'u')?;
    let digits = text.get(letter + 1..letter + 5)?;
    let whole = digits.iter().all(u8::is_ascii_hexdigit) && at < letter + 5;
    (whole && is_escaped(text, letter)).then(|| letter - 1)
}

fn before_escape(text: &[u8], at: usize) -> usize {
    match unicode_escape(text, at) {
        Some(backslash) => backslash,
        None if is_escaped(text, at) => at - 1,
        None => at,
    }
}

fn behind_escape(text: &[u8], at: usize) -> usize {
    match unicode_escape(text, at) {
        Some(backslash) => backslash + 6,
        None if at < text.len() && is_escaped(text, at) => at - 1,
        None => at,
    }
}

/// The `%` if `at` is among the two digits behind it.
fn percent_escape(text: &[u8], at: usize) -> Option<usize> {
    let sign = (at.saturating_sub(2)..at).rev().find(|&i| text[i] == b'%')?;
    let digits = text.get(sign + 1..sign + 3)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(sign)
}

fn before_percent(text: &[u8], at: usize) -> usize {
    percent_escape(text, at).unwrap_or(at)
}

fn behind_percent(text: &[u8], at: usize) -> usize {
    percent_escape(text, at).map_or(at, |sign| sign + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fitted<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
        let start = text.find(from).unwrap();
        let end = text.find(to).unwrap() + to.len();
        std::str::from_utf8(&text.as_bytes()[fit(text.as_bytes(), start..end).unwrap()]).unwrap()
    }

    #[test]
    fn escapes_are_taken_whole_or_left_whole() {
        assert_eq!(fitted(r"x\name y", "name", "name"), r"\name");
        assert_eq!(fitted(r"x\\name y", "name", "name"), "name");
        assert_eq!(fitted(r"x\u00e9abc y", "e9a", "bc"), r"\u00e9abc");
        assert_eq!(fitted(r"abc\u00e9x", "ab", "00"), r"abc\u00e9");
        assert_eq!(fitted(r#"abc\" y"#, "a", r"\"), "abc");
        assert_eq!(fitted("abc\\", "a", "\\"), "abc\\");
        assert_eq!(fitted("a%3Dbc%3D", "Db", "c%3"), "%3Dbc%3D");
    }

    #[test]
    fn characters_are_taken_whole() {
        let text = "aé日🦀b".as_bytes();
        assert_eq!(fit(text, 2..4), Some(1..6));
        assert_eq!(fit(text, 7..8), Some(6..10));
        assert_eq!(fit(text, 3..6), Some(3..6));
        assert_eq!(fit(b"\x80\x80\x80\x80\x80", 2..3), Some(2..3));
        assert_eq!(fit(b"\xF0\x80", 1..2), Some(0..2));
    }

    #[test]
    fn no_hit_begins_or_ends_inside_a_placeholder() {
        let text = b"ab[REDACTED:x]cd";
        assert_eq!(fit(text, 0..5), Some(0..2));
        assert_eq!(fit(text, 4..16), Some(14..16));
        assert_eq!(fit(text, 4..9), None);
        assert_eq!(fit(text, 2..14), None);
        assert_eq!(fit(text, 1..15), Some(1..15));
    }
}
