//! Finds placeholders in a text.

use std::borrow::Cow;
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

/// The text with this in place of every placeholder.
pub(crate) fn without_placeholders(text: &str, instead: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut copied = 0;
    for one in placeholders(text) {
        plain.push_str(&text[copied..one.span.start]);
        plain.push_str(instead);
        copied = one.span.end;
    }
    plain.push_str(&text[copied..]);
    plain
}

/// The length of a tag that the vault gives, which is another one each time. Those that show whether
/// two secrets are the same are shorter.
pub(super) const FRESH_TAG: usize = 16;

/// The text as it is where nobody gives tags that are another one each time.
pub(crate) fn without_fresh_tags(text: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    let mut copied = 0;
    for one in placeholders(text) {
        let tag = one.text.trim_end_matches(']').rsplit_once(':').map_or("", |(_, tag)| tag);
        if tag.len() == FRESH_TAG {
            plain.push_str(&text[copied..one.span.end - 1 - FRESH_TAG]);
            copied = one.span.end - 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    plain.push_str(&text[copied..]);
    Cow::Owned(plain)
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

    #[test]
    fn only_tags_that_differ_each_time_are_left_out() {
        let fresh = "a".repeat(FRESH_TAG);
        let text = format!("a [REDACTED:password:{fresh}] b [REDACTED:github-pat:abcdefgh]");
        let plain = "a [REDACTED:password:] b [REDACTED:github-pat:abcdefgh]";
        assert_eq!(without_fresh_tags(&text), plain);
        assert!(matches!(without_fresh_tags("nothing [REDACTED]"), Cow::Borrowed(_)));
    }
}
