//! Placeholders as they stand in a text.

use std::ops::Range;

use crate::scrub::placeholder_length;

/// A placeholder in a text, whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written<'t> {
    /// Where it stands.
    pub span: Range<usize>,
    /// All of it, with its brackets.
    pub text: &'t str,
}

impl Written<'_> {
    /// True if it does not even say what kind of secret it stands for.
    pub(crate) fn is_bare(&self) -> bool {
        !self.text.contains(':')
    }
}

/// The placeholders in a text, from left to right.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = Written<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += memchr::memchr(b'[', text.get(at..)?.as_bytes())?;
            match placeholder_length(&text.as_bytes()[at..]) {
                Some(length) => {
                    let span = at..at + length;
                    at = span.end;
                    return Some(Written { text: &text[span.clone()], span });
                }
                None => at += 1,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_wherever_they_stand_and_nothing_else_is() {
        let text = "a [REDACTED:github-pat:0a1b]é[REDACTED:password][[REDACTED] [SERVER_IP] \
                    [REDACTED:] [REDACTED:A] [REDACTEDx] [REDACTED:a b] [REDACTED:open";
        let found: Vec<&str> = placeholders(text).map(|one| one.text).collect();
        let expected =
            ["[REDACTED:github-pat:0a1b]", "[REDACTED:password]", "[REDACTED]", "[SERVER_IP]"];
        assert_eq!(found, expected);
        let bare: Vec<bool> = placeholders(text).map(|one| one.is_bare()).collect();
        assert_eq!(bare, [false, false, true, true]);
        assert!(placeholders(text).all(|one| &text[one.span.clone()] == one.text));
    }
}
