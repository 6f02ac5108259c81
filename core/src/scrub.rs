//! Masks secrets in text before a model, a host or a log sees it.
//!
//! The `seed` profile applies fourteen fixed patterns one after another and writes `[REDACTED]` in
//! place of what they match. Its result is exact: a later pattern sees the text that the earlier
//! ones left, so a key that one pattern masked can be taken again, together with its name, by
//! another.
//!
//! Nearly all text is clean, so the work is arranged around finding that out. `anchor` names the
//! few places where some pattern could match at all; a text without one is returned as it came,
//! without a copy. `window` cuts the smallest pieces around those places that no match can
//! leave, and only there `seed` runs the patterns that were named.
//!
//! What may be done without changing the result rests on two facts. No pattern needs a bracket in
//! the part by which it is recognised, so a replacement never makes a match possible that the
//! original text did not already announce. And no pattern crosses white space that has neither
//! `:` nor `=` next to it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

mod anchor;
mod json;
mod seed;
mod window;

#[cfg(test)]
mod tests;

/// Masks secrets in text. Cheap to clone, and one instance serves any number of threads.
///
/// ```
/// use toolkeep::scrub::Scrubber;
///
/// let scrubber = Scrubber::seed();
/// assert_eq!(scrubber.scrub("password=correct-horse, then"), "[REDACTED] then");
/// assert_eq!(scrubber.scrub("nothing to hide"), "nothing to hide");
/// ```
#[derive(Clone)]
pub struct Scrubber {
    inner: Arc<Inner>,
}

struct Inner {
    anchors: anchor::Anchors,
    patterns: seed::Patterns,
}

impl Scrubber {
    /// The fixed patterns of the `seed` profile: OpenAI, Anthropic, GitHub and AWS keys, secrets
    /// assigned to a telling name, connection URLs, and runs of 64 or more hexadecimal digits.
    ///
    /// Each pattern is compiled once per instance, when a text first needs it: keep one and clone
    /// it rather than make one per text.
    pub fn seed() -> Scrubber {
        let inner = Inner { anchors: anchor::Anchors::new(), patterns: seed::Patterns::new() };
        Scrubber { inner: Arc::new(inner) }
    }

    /// The text with every secret replaced by `[REDACTED]`; borrowed if there was none.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let candidates = self.inner.anchors.candidates(text);
        if candidates.is_empty() {
            return Cow::Borrowed(text);
        }
        self.inner.mask(text, &candidates)
    }

    /// Scrubs every string in `value`, the keys of objects included, each as a text of its own.
    ///
    /// A secret is told by its own string alone: `{"password": "hunter2hunter2"}` stays as it is,
    /// since neither the key nor the value is a secret by the `seed` patterns. They leave its JSON
    /// text alone as well, because a quote stands between the name and the colon.
    ///
    /// Entries keep their order and none is lost: where masking would make two keys of an object
    /// equal, a masked one gets a number, as in `[REDACTED] #2`.
    pub fn scrub_json(&self, value: &mut Value) {
        json::scrub(value, |text| match self.scrub(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        });
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").finish_non_exhaustive()
    }
}

impl Inner {
    fn mask<'t>(&self, text: &'t str, candidates: &[anchor::Candidate]) -> Cow<'t, str> {
        let mut masked = String::new();
        let mut copied = 0;
        let mut floor = 0;
        let mut rest = candidates;
        while let Some(first) = rest.first() {
            let window = window::around(text, first.at, floor);
            let (here, later) = rest.split_at(rest.partition_point(|c| c.at < window.end));
            let passes = here.iter().fold(seed::Passes::NONE, |all, c| all | c.passes);
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
