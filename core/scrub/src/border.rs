//! Borders: a mask never cuts a character, an escape sequence or a placeholder in half.
//!
//! Half of a sequence is a different text: `\n` without its `n` is no longer JSON. A hit that
//! begins or ends inside a sequence is extended to all of it. If that would take a backslash from
//! the text behind the hit, the hit leaves the backslash. Each border is decided from the
//! [`BORDER_REACH`] bytes around it.

use std::ops::Range;

use super::placeholder;

/// How many bytes around the end of a hit decide about its border. More than the longest
/// placeholder.
pub(super) const BORDER_REACH: usize = 128;

/// The nearest span that cuts nothing in half; `None` if nothing is left.
pub(super) fn snap(text: &[u8], span: Range<usize>) -> Option<Range<usize>> {
    let (start, end) = (snap_start(text, span.start), snap_end(text, span.end));
    let left = start < end && placeholder::length(&text[start..end]) != Some(end - start);
    left.then_some(start..end)
}

/// The adjusted start of a hit that was found to begin at `at`.
pub(super) fn snap_start(text: &[u8], at: usize) -> usize {
    let at = character_start(text, before_escape(text, before_percent(text, at)));
    placeholder::containing(text, at).map_or(at, |placeholder| placeholder.end)
}

/// The adjusted end of a hit that was found to end at `at`.
pub(super) fn snap_end(text: &[u8], at: usize) -> usize {
    let at = character_end(text, behind_escape(text, behind_percent(text, at)));
    placeholder::containing(text, at).map_or(at, |placeholder| placeholder.start)
}

/// True for the second and later bytes of a character in UTF-8.
fn is_continuation_byte(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The start of the character that `at` is inside of, or `at`.
fn character_start(text: &[u8], at: usize) -> usize {
    let back =
        (0..=at.min(3)).find(|back| text.get(at - back).is_none_or(|&b| !is_continuation_byte(b)));
    let Some(back @ 1..) = back else { return at };
    if utf8_length(text[at - back]) > back { at - back } else { at }
}

/// The end of the character that `at` is inside of, or `at`.
fn character_end(text: &[u8], at: usize) -> usize {
    let start = character_start(text, at);
    if start == at {
        return at;
    }
    let most = text.len().min(start + utf8_length(text[start]));
    (at..most).find(|&i| !is_continuation_byte(text[i])).unwrap_or(most)
}

/// The length of a character in UTF-8, by its first byte.
fn utf8_length(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}

/// True if a backslash before `at` escapes what stands there, and is not escaped itself.
fn is_escaped(text: &[u8], at: usize) -> bool {
    let floor = at.saturating_sub(BORDER_REACH);
    text[floor..at].iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1
}

/// The backslash of a `\u` escape if `at` is inside its four digits.
fn unicode_escape(text: &[u8], at: usize) -> Option<usize> {
    let letter = (at.saturating_sub(5)..at).rev().find(|&i| text[i] == b'u')?;
    let digits = text.get(letter + 1..letter + 5)?;
    let whole = digits.iter().all(u8::is_ascii_hexdigit) && at < letter + 5;
    (whole && is_escaped(text, letter)).then(|| letter - 1)
}

/// The start of the backslash escape that `at` is inside of, or `at`.
fn before_escape(text: &[u8], at: usize) -> usize {
    match unicode_escape(text, at) {
        Some(backslash) => backslash,
        None if is_escaped(text, at) => at - 1,
        None => at,
    }
}

/// The end of a `\u` escape that `at` is inside of; the backslash before `at`, if one escapes what
/// stands there; or `at`.
fn behind_escape(text: &[u8], at: usize) -> usize {
    match unicode_escape(text, at) {
        Some(backslash) => backslash + 6,
        None if at < text.len() && is_escaped(text, at) => at - 1,
        None => at,
    }
}

/// The `%` of an escape if `at` is inside its two digits.
fn percent_escape(text: &[u8], at: usize) -> Option<usize> {
    let sign = (at.saturating_sub(2)..at).rev().find(|&i| text[i] == b'%')?;
    let digits = text.get(sign + 1..sign + 3)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(sign)
}

/// The start of the percent escape that `at` is inside of, or `at`.
fn before_percent(text: &[u8], at: usize) -> usize {
    percent_escape(text, at).unwrap_or(at)
}

/// The end of the percent escape that `at` is inside of, or `at`.
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
        std::str::from_utf8(&text.as_bytes()[snap(text.as_bytes(), start..end).unwrap()]).unwrap()
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
        assert_eq!(snap(text, 2..4), Some(1..6));
        assert_eq!(snap(text, 7..8), Some(6..10));
        assert_eq!(snap(text, 3..6), Some(3..6));
        assert_eq!(snap(b"\x80\x80\x80\x80\x80", 2..3), Some(2..3));
        assert_eq!(snap(b"\xF0\x80", 1..2), Some(0..2));
    }

    #[test]
    fn no_hit_begins_or_ends_inside_a_placeholder() {
        let text = b"ab[REDACTED:x]cd";
        assert_eq!(snap(text, 0..5), Some(0..2));
        assert_eq!(snap(text, 4..16), Some(14..16));
        assert_eq!(snap(text, 4..9), None);
        assert_eq!(snap(text, 2..14), None);
        assert_eq!(snap(text, 1..15), Some(1..15));
    }
}
