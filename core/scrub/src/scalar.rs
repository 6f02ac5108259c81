//! Finds out whether a secret is a bare number of a JSON text, which only a string can replace.
//!
//! There is no telling for sure without reading the text from its start, which a stream cannot. So
//! the [`BACK`] bytes before the number decide: it follows a quoted name and a colon, or stands in
//! a list that can be seen to be one. Elsewhere (in prose, inside of a string) a placeholder needs
//! no quotes.

use std::ops::Range;

use super::view::BACK;

/// A number as a whole, and the quotes that its replacement needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bare {
    pub span: Range<usize>,
    /// The backslashes that stand before each quote: the text may be a string of another.
    pub escapes: usize,
}

/// The longest number that is looked at.
const LONGEST: usize = 64;

/// The bare JSON number of which `span` is all or a part.
pub(super) fn bare(text: &[u8], span: &Range<usize>) -> Option<Bare> {
    if !text[span.clone()].iter().all(|&b| is_part(b)) {
        return None;
    }
    let floor = span.start.saturating_sub(LONGEST);
    let before = text[floor..span.start].iter().rev().take_while(|&&b| is_part(b)).count();
    let after = text[span.end..].iter().take(LONGEST).take_while(|&&b| is_part(b)).count();
    let span = span.start - before..span.end + after;
    if !is_number(&text[span.clone()]) || !is_followed(&text[span.end..]) {
        return None;
    }
    let floor = span.start.saturating_sub(BACK);
    let escapes = quotes_before(&text[floor..span.start], floor > 0)?;
    Some(Bare { span, escapes })
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}

fn is_number(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Number>(text).is_ok() || is_huge(text)
}

/// True for whole numbers and fractions that are JSON though no machine number can hold them.
fn is_huge(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = digits.iter().all(u8::is_ascii_digit);
    plain && digits.first().is_some_and(|&first| first != b'0')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// True if what follows is what follows a JSON number.
fn is_followed(rest: &[u8]) -> bool {
    let rest = &rest[..rest.len().min(LONGEST)];
    let Some(at) = rest.iter().position(|&b| !is_blank(b)) else { return false };
    match rest[at] {
        b'}' | b']' => true,
        b',' => {
            let next = rest[at + 1..].iter().find(|&&b| !is_blank(b));
            next.is_none_or(|&b| b.is_ascii_digit() || b"\"\\-{[tfn".contains(&b))
        }
        _ => false,
    }
}

fn trim(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take_while(|&&b| is_blank(b)).count();
    &text[..text.len() - blanks]
}

/// The escapes of the quotes that a string needs behind `before`; `None` if a JSON number would
/// not stand there. `cut` says that there is more before it.
fn quotes_before(before: &[u8], cut: bool) -> Option<usize> {
    let mut before = trim(before);
    let mut escapes = None;
    loop {
        let Some((sign, rest)) = before.split_last() else {
            // A list that is longer than what is seen.
            return cut.then_some(escapes.unwrap_or(0));
        };
        match (sign, rest) {
            (b':', name) => {
                let (_, own) = string_before(trim(name), b"{,")?;
                return (escapes.is_none_or(|known| known == own)).then_some(own);
            }
            (b'[', rest) => match trim(rest) {
                [] => return Some(escapes.unwrap_or(0)),
                // The list begins a string; its own quotes have more backslashes.
                [outer @ .., b'"'] => return escapes.filter(|&own| self::escapes(outer) < own),
                rest => before = rest,
            },
            (b',', rest) => {
                let rest = trim(rest);
                let Some(last) = rest.last() else {
                    return cut.then_some(escapes.unwrap_or(0));
                };
                match last {
                    b'"' => {
                        let (start, own) = string_before(rest, b"[,")?;
                        if escapes.replace(own).is_some_and(|known| known != own) {
                            return None;
                        }
                        before = trim(&rest[..start]);
                    }
                    // What is inside of a list or an object before this one is not looked at.
                    b'}' | b']' => return Some(escapes.unwrap_or_else(|| nearest_escapes(rest))),
                    _ => {
                        let word = rest.iter().rev().take_while(|&&b| is_word(b)).count();
                        let (left, word) = rest.split_at(rest.len() - word);
                        if !is_literal(word, cut && left.is_empty()) {
                            return None;
                        }
                        before = trim(left);
                        if !matches!(before.last(), Some(b',' | b'[') | None) {
                            return None;
                        }
                    }
                }
            }
            _ => return None,
        }
    }
}

/// A number, `true`, `false` or `null`; where it is `cut`, the end of one.
fn is_literal(word: &[u8], cut: bool) -> bool {
    let named = |name: &&[u8]| *name == word || cut && name.ends_with(word);
    is_number(word)
        || [&b"true"[..], b"false", b"null"].iter().any(named)
        || cut && word.iter().all(|&b| is_part(b))
}

fn is_word(byte: u8) -> bool {
    is_part(byte) || byte.is_ascii_lowercase()
}

/// Where the string starts with which `text` ends, its backslashes included, and how many they
/// are. Before it must stand one of `signs`, or nothing.
fn string_before(text: &[u8], signs: &[u8]) -> Option<(usize, usize)> {
    let body = text.strip_suffix(b"\"")?;
    let escapes = escapes(body);
    let mut end = body.len() - escapes;
    while let Some(quote) = memchr::memrchr(b'"', &body[..end]) {
        let own = self::escapes(&body[..quote]);
        if own <= escapes {
            let start = quote - own;
            let fits = trim(&body[..start]).last().is_none_or(|sign| signs.contains(sign));
            return (own == escapes && fits).then_some((start, escapes));
        }
        end = quote;
    }
    // The string is longer than what is seen.
    Some((0, escapes))
}

/// How many of the backslashes before a quote are its own: none, or 1, 3, 7 in a text that is a
/// string of another, once, twice, three times. Pairs before those are what the string holds.
fn escapes(text: &[u8]) -> usize {
    let all = text.iter().rev().take_while(|&&b| b == b'\\').count();
    (1 << all.trailing_ones().min(16)) - 1
}

fn nearest_escapes(text: &[u8]) -> usize {
    memchr::memrchr(b'"', text).map_or(0, |quote| escapes(&text[..quote]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn quoted(text: &str) -> Option<(&str, usize)> {
        let start = text.find("4711").unwrap();
        let bare = bare(text.as_bytes(), &(start..start + 4))?;
        Some((&text[bare.span], bare.escapes))
    }

    #[test]
    fn numbers_of_a_json_text_need_quotes() {
        for text in [
            r#"{"pin": 4711}"#,
            r#"{"a":1,"pin":4711,"b":2}"#,
            "{\n  \"pin\" :\t4711\n}",
            r#"[4711]"#,
            r#"{"x": [1, -2.5e3, true, null, "a, b", 4711, 3]}"#,
            r#"[{"a": 1}, 4711]"#,
            r#"[["x"], 4711]"#,
        ] {
            assert_eq!(quoted(text), Some(("4711", 0)), "{text}");
        }
        assert_eq!(quoted(r#"{"pin": -10.4711e5}"#), Some(("-10.4711e5", 0)));
        assert_eq!(quoted(r#""{\"pin\": 4711}""#), Some(("4711", 1)));
        assert_eq!(quoted(r#""[\"a\", 4711]""#), Some(("4711", 1)));
        assert_eq!(quoted(r#"["a\\", 4711]"#), Some(("4711", 0)));
        assert_eq!(quoted(r#"[{"a": "\\\""}, 4711]"#), Some(("4711", 0)));
        assert_eq!(quoted(r#""\"{\\\"pin\\\": 4711}\"""#), Some(("4711", 3)));
    }

    #[test]
    fn it_is_the_same_wherever_the_stretch_begins_that_is_looked_at() {
        for length in BACK - 60..BACK + 10 {
            let text = format!(r#"{{"x": [[1], true,-2.5e+3, "{}", 4711]}}"#, "x".repeat(length));
            assert_eq!(quoted(&text), Some(("4711", 0)), "{length}");
        }
    }

    #[test]
    fn numbers_elsewhere_do_not() {
        for text in [
            "the pin is 4711, and so on",
            "1, 4711, 2",
            "pin: 4711",
            "x[1, 4711]",
            r#"{"a": "1, 4711, 2"}"#,
            r#"{"a": "[1, 4711]"}"#,
            r#"{"a": ": 4711, "}"#,
            r#"{"a": "04711"}"#,
            r#"{"pin": 004711}"#,
            r#"{"pin": x4711}"#,
            r#"{"pin": "4711"}"#,
        ] {
            assert_eq!(quoted(text), None, "{text}");
        }
    }
}
