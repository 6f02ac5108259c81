//! JSON numbers: a secret that is a bare number needs quotes around its placeholder.
//!
//! Only a parse from the start of the text could tell for sure, and a stream cannot do that. So the
//! [`BACK`] bytes before the number decide. It is a bare number if it follows a quoted name and a
//! colon, or stands in something that is visibly a list. Anywhere else, as in prose or inside a
//! string, a placeholder needs no quotes.

use std::ops::Range;

use super::view::BACK;

/// A bare JSON number, and the quotes that its replacement needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonNumber {
    pub span: Range<usize>,
    /// How many backslashes each quote needs: the JSON text may itself be a string in another one.
    pub escapes: usize,
}

/// The longest number that is looked at, in bytes.
const MAX_NUMBER: usize = 64;

/// The bare JSON number that contains `span`.
pub(super) fn json_number(text: &[u8], span: &Range<usize>) -> Option<JsonNumber> {
    if !text[span.clone()].iter().all(|&b| is_number_byte(b)) {
        return None;
    }
    let floor = span.start.saturating_sub(MAX_NUMBER);
    let before = text[floor..span.start].iter().rev().take_while(|&&b| is_number_byte(b)).count();
    let after =
        text[span.end..].iter().take(MAX_NUMBER).take_while(|&&b| is_number_byte(b)).count();
    let span = span.start - before..span.end + after;
    if !is_number(&text[span.clone()]) || !is_followed(&text[span.end..]) {
        return None;
    }
    let floor = span.start.saturating_sub(BACK);
    let escapes = quote_escapes_before(&text[floor..span.start], floor > 0)?;
    Some(JsonNumber { span, escapes })
}

/// True for a byte that numbers are written with.
fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}

/// True if JSON allows the text as a number.
fn is_number(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Number>(text).is_ok() || is_big_integer(text)
}

/// True for a big integer: JSON allows it although no machine number holds it.
fn is_big_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = digits.iter().all(u8::is_ascii_digit);
    plain && digits.first().is_some_and(|&first| first != b'0')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// True if the text continues as it does behind a JSON number.
fn is_followed(rest: &[u8]) -> bool {
    let rest = &rest[..rest.len().min(MAX_NUMBER)];
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

/// The text without blanks at its end.
fn trim(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take_while(|&&b| is_blank(b)).count();
    &text[..text.len() - blanks]
}

/// How many backslashes the quotes of a string behind `before` need; `None` if a JSON number would
/// not stand there. `cut` says that more text stands before it.
fn quote_escapes_before(before: &[u8], cut: bool) -> Option<usize> {
    let mut before = trim(before);
    let mut escapes = None;
    loop {
        let Some((sign, rest)) = before.split_last() else {
            // The list is longer than the visible text.
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
                    // Values inside an earlier list or object are not read.
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

/// True for a number, `true`, `false` or `null`, and, if it is `cut`, for the end of one.
fn is_literal(word: &[u8], cut: bool) -> bool {
    let named = |name: &&[u8]| *name == word || cut && name.ends_with(word);
    is_number(word)
        || [&b"true"[..], b"false", b"null"].iter().any(named)
        || cut && word.iter().all(|&b| is_number_byte(b))
}

/// True for a byte of a number, `true`, `false` or `null`.
fn is_word(byte: u8) -> bool {
    is_number_byte(byte) || byte.is_ascii_lowercase()
}

/// Where the string starts that `text` ends with, with its backslashes, and how many they are. One
/// of `signs` must stand before it, or nothing.
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
    // The string is longer than the visible text.
    Some((0, escapes))
}

/// How many backslashes before a quote belong to it: 0, or 1, 3, 7 if the text is a string inside
/// another, nested once, twice or three times. Pairs before those are content.
fn escapes(text: &[u8]) -> usize {
    let all = text.iter().rev().take_while(|&&b| b == b'\\').count();
    (1 << all.trailing_ones().min(16)) - 1
}

/// How many backslashes the last quote in `text` has.
fn nearest_escapes(text: &[u8]) -> usize {
    memchr::memrchr(b'"', text).map_or(0, |quote| escapes(&text[..quote]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn quoted(text: &str) -> Option<(&str, usize)> {
        let start = text.find("4711").unwrap();
        let bare = json_number(text.as_bytes(), &(start..start + 4))?;
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
