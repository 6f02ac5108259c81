//! The kinds of secrets that are told by their shape, as data.

use super::super::hit::Hit;

/// The table, arranged so that a look costs the same however many kinds there are.
pub(super) struct Kinds {}

impl Kinds {
    pub(super) fn new() -> Kinds {
        Kinds {}
    }

    /// The secret of a known kind that starts at `at`, if there is one: its prefix, its alphabet,
    /// its length and what may stand beside it fit. `text` is a view: a token that reaches its end
    /// while more follows (`last` is false) is left open.
    pub(super) fn at(&self, text: &[u8], at: usize, last: bool) -> Option<Hit> {
        let _ = (text, at, last);
        None
    }

    /// The kind of a whole value: `github-pat` for `ghp_…`. For a value that was found by its name
    /// and may be something better known.
    pub(super) fn whole(&self, value: &[u8]) -> Option<Hit> {
        self.at(value, 0, true).filter(|hit| hit.span == (0..value.len()))
    }
}
