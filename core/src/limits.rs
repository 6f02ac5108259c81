//! Caps on text and JSON. Nothing here ever splits a character, and what is shown to anybody says
//! where it was cut: a text that looks whole may hide what matters behind its end.

use std::borrow::Cow;

use crate::error::Code;

/// The deepest nesting of JSON that is taken from a host or a model. Deeper input is refused
/// before it is parsed, so that no parser or validator can exhaust the stack.
pub const MAX_JSON_DEPTH: usize = 128;

/// The largest JSON text of one call's arguments, in bytes (32 MiB).
pub const MAX_ARGUMENT_BYTES: usize = 32 << 20;

/// The longest prefix of `text` that has at most `max` bytes and ends between two characters.
pub fn prefix_of_bytes(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The longest prefix of `text` that has at most `max` characters.
pub fn prefix_of_chars(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Stands where a text was cut.
const CUT: char = '…';

/// The text with at most `max` characters, for somebody to read. One that is longer ends with `…`.
pub fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    match exceeds_chars(text, max) {
        true => format!("{}{CUT}", prefix_of_chars(text, max.saturating_sub(1))).into(),
        false => text.into(),
    }
}

/// The text with about `max` characters, for somebody to read: of one that is longer the beginning
/// and the end, and how much is left out between them. The end of a command matters as much as its
/// beginning.
pub fn abridged(text: &str, max: usize) -> Cow<'_, str> {
    if !exceeds_chars(text, max) {
        return text.into();
    }
    let tail = max / 3;
    let head = prefix_of_chars(text, max - tail);
    let end = text.char_indices().rev().nth(tail.saturating_sub(1)).map_or(0, |(at, _)| at);
    let end = end.max(head.len());
    let left_out = text[head.len()..end].chars().count();
    format!("{head}{CUT}[{left_out} characters left out]{CUT}{}", &text[end..]).into()
}

/// A name that somebody sent, as a message repeats it: at most 80 characters. A longer one ends
/// with `…`.
pub fn echo(name: &str) -> Cow<'_, str> {
    shortened(name, 80)
}

/// True if `text` has more than `max` characters. Reads no further than it must.
pub fn exceeds_chars(text: &str, max: usize) -> bool {
    text.len() > max && text.char_indices().nth(max).is_some()
}

/// Why JSON is refused without being looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// Deeper than [`MAX_JSON_DEPTH`].
    #[error("it is nested deeper than {MAX_JSON_DEPTH} levels")]
    Deep,
    /// Larger than [`MAX_ARGUMENT_BYTES`].
    #[error("it is larger than {} MiB", MAX_ARGUMENT_BYTES >> 20)]
    Large,
}

impl TooMuch {
    /// The stable code, where a host sent it.
    pub fn code(self) -> Code {
        match self {
            TooMuch::Deep => Code::InvalidJson,
            TooMuch::Large => Code::TooLarge,
        }
    }
}

/// Refuses a JSON value that is too deep or too large. Reads no further than it must.
pub fn check_json(value: &serde_json::Value) -> Result<(), TooMuch> {
    let mut bytes = 0;
    measure(value, 1, &mut bytes)
}

/// Drops a JSON value level by level: dropping a deep one as it is would exhaust the stack.
pub fn discard(value: serde_json::Value) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            serde_json::Value::Array(items) => pending.extend(items),
            serde_json::Value::Object(fields) => {
                pending.extend(fields.into_iter().map(|(_, field)| field));
            }
            _ => {}
        }
    }
}

fn measure(value: &serde_json::Value, depth: usize, bytes: &mut usize) -> Result<(), TooMuch> {
    if depth > MAX_JSON_DEPTH {
        return Err(TooMuch::Deep);
    }
    match value {
        serde_json::Value::String(text) => *bytes += text.len() + 2,
        serde_json::Value::Array(items) => {
            *bytes += 2 + items.len();
            for item in items {
                measure(item, depth + 1, bytes)?;
            }
        }
        serde_json::Value::Object(fields) => {
            *bytes += 2 + fields.len();
            for (key, item) in fields {
                *bytes += key.len() + 3;
                measure(item, depth + 1, bytes)?;
            }
        }
        _ => *bytes += 4,
    }
    if *bytes > MAX_ARGUMENT_BYTES {
        return Err(TooMuch::Large);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_never_splits_a_character() {
        let text = "a🦀é";
        for max in 0..10 {
            assert!(prefix_of_bytes(text, max).len() <= max);
        }
        assert_eq!(prefix_of_bytes(text, 4), "a");
        assert_eq!(prefix_of_chars(text, 2), "a🦀");
        assert_eq!(prefix_of_chars(text, 9), text);
    }

    #[test]
    fn a_text_that_was_cut_says_so() {
        let long = "é".repeat(81);
        assert_eq!(echo("é"), "é");
        assert_eq!(echo(&long[2..]), long[2..]);
        assert_eq!(echo(&long), format!("{}…", "é".repeat(79)));
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn an_abridged_text_shows_both_ends() {
        assert_eq!(abridged("abcdefghi", 9), "abcdefghi");
        assert_eq!(abridged("abcdefghij", 9), "abcdef…[1 characters left out]…hij");
        let long = format!("{}; rm -rf /", "é".repeat(1_000));
        let shown = abridged(&long, 60);
        assert!(
            shown.ends_with("; rm -rf /") && shown.contains("[950 characters left out]"),
            "{shown}"
        );
        for max in 0..4 {
            assert!(abridged("🦀🦀🦀🦀🦀", max).contains("left out"), "{max}");
        }
    }

    #[test]
    fn exceeding_counts_characters_and_not_bytes() {
        assert!(!exceeds_chars("ééé", 3));
        assert!(exceeds_chars("éééé", 3));
    }
}
