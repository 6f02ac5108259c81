//! The `seed` profile: fourteen fixed patterns, applied one after another.
//!
//! Its result is exact: a later pattern sees the text that the earlier ones left, so a key that
//! one pattern masked can be taken again, together with its name, by another.
//!
//! Nearly all text is clean, so the work is arranged around finding that out. `anchor` names the
//! few places where some pattern could match at all; a text without one is returned as it came,
//! without a copy. `window` cuts the smallest pieces around those places that no match can
//! leave, and only there `pattern` runs the patterns that were named.
//!
//! What may be done without changing the result rests on two facts. No pattern needs a bracket in
//! the part by which it is recognised, so a replacement never makes a match possible that the
//! original text did not already announce. And no pattern crosses white space that has neither
//! `:` nor `=` next to it.

use std::borrow::Cow;

mod anchor;
mod pattern;
mod window;

#[cfg(test)]
mod tests;

/// The patterns and the search for them.
pub(super) struct Seed {
    anchors: anchor::Anchors,
    patterns: pattern::Patterns,
}

impl Seed {
    pub(super) fn new() -> Seed {
        Seed {
            anchors: anchor::Anchors::new(),
            patterns: pattern::Patterns::new(),
        }
    }

    /// The text with every match replaced by `[REDACTED]`; borrowed if there was none.
    pub(super) fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let candidates = self.anchors.candidates(text);
        if candidates.is_empty() {
            return Cow::Borrowed(text);
        }
        self.mask(text, &candidates)
    }

    fn mask<'t>(&self, text: &'t str, candidates: &[anchor::Candidate]) -> Cow<'t, str> {
        let mut masked = String::new();
        let mut copied = 0;
        let mut floor = 0;
        let mut rest = candidates;
        while let Some(first) = rest.first() {
            let window = window::around(text, first.at, floor);
            let (here, later) = rest.split_at(rest.partition_point(|c| c.at < window.end));
            let passes = here
                .iter()
                .fold(pattern::Passes::NONE, |all, c| all | c.passes);
            if let Cow::Owned(piece) = self.patterns.run(&text[window.clone()], passes) {
                masked.push_str(&text[copied..window.start]);
                masked.push_str(&piece);
                copied = window.end;
            }
            floor = window.end;
            rest = later;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(&text[copied..]);
        Cow::Owned(masked)
    }
}
