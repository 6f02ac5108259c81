//! Shared by the tests of the detectors: texts with marks around their secrets.

use crate::placeholder;
use crate::{Profile, Scrubber, TagKey};

pub(super) fn scrub(text: &str) -> String {
    Scrubber::new(Profile::Precise, TagKey::new([7; 32])).scrub(text).into_owned()
}

/// Asserts that exactly what stands between `«` and `»` is replaced, and that scrubbing again
/// changes nothing.
#[track_caller]
pub(super) fn masks(marked: &str) {
    let masked = scrub(&marked.replace(['«', '»'], ""));
    let mut rest = masked.as_str();
    for (number, part) in marked.split(['«', '»']).enumerate() {
        let found = match number % 2 {
            0 => rest.strip_prefix(part),
            _ => placeholder::length(rest.as_bytes()).map(|length| &rest[length..]),
        };
        let Some(found) = found else { panic!("{part:?} in {masked}") };
        rest = found;
    }
    assert!(marked.contains('«') && rest.is_empty(), "{masked}");
    assert_eq!(scrub(&masked), masked);
}

/// Asserts that nothing is replaced.
#[track_caller]
pub(super) fn leaves(text: &str) {
    assert_eq!(scrub(text), text);
}
