//! What the tests of the finders share: texts with a mark around their secret.

use crate::scrub::{Profile, Scrubber, TagKey};

pub(super) fn scrub(text: &str) -> String {
    Scrubber::new(Profile::Precise, TagKey::new([7; 32])).scrub(text).into_owned()
}

/// Asserts that what stands between `«` and `»` alone is replaced, and that the result stays.
#[track_caller]
pub(super) fn masks(marked: &str) {
    let (before, rest) = marked.split_once('«').expect("a mark");
    let (secret, after) = rest.split_once('»').expect("an end");
    let masked = scrub(&format!("{before}{secret}{after}"));
    assert!(masked.starts_with(&format!("{before}[REDACTED:")), "{masked}");
    assert!(masked.ends_with(&format!("]{after}")), "{masked}");
    assert_eq!(masked.matches("[REDACTED:").count(), 1, "{masked}");
    assert_eq!(scrub(&masked), masked);
}

/// Asserts that nothing is replaced.
#[track_caller]
pub(super) fn leaves(text: &str) {
    assert_eq!(scrub(text), text);
}
