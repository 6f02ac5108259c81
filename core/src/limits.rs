//! Caps on text. Nothing here ever splits a character.

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

/// True if `text` has more than `max` characters. Reads no further than it must.
pub fn exceeds_chars(text: &str, max: usize) -> bool {
    text.len() > max && text.char_indices().nth(max).is_some()
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
    fn exceeding_counts_characters_and_not_bytes() {
        assert!(!exceeds_chars("ééé", 3));
        assert!(exceeds_chars("éééé", 3));
    }
}
