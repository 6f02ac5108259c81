//! Views: the bounded part of a text that a detector may read.
//!
//! Invariant: every decision of the `precise` profile is a function of one view and of nothing
//! else. This makes a stream give the same result as the whole text. The stream waits until the
//! view around a place is complete, and then decides as if it had all of the text.
//!
//! A detector gets a [`View`] around a candidate and returns an [`Outcome`]: a hit or nothing, and
//! where to continue.

use std::ops::Range;

use super::hit::Hit;

/// How many bytes before a candidate a detector may read. Enough for a line with a name, a command
/// or the start of a JSON object.
pub(super) const BACK: usize = 1_024;
/// How many bytes after a candidate a detector may read. Enough for all but the longest tokens;
/// longer secrets are left open.
pub(super) const AHEAD: usize = 4_096;

/// A text around a candidate, cut to [`BACK`] and [`AHEAD`]. It may begin or end inside a
/// character.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'t> {
    /// The bytes of the view. All positions that a detector reads or returns count from its start.
    pub text: &'t [u8],
    /// Where the candidate starts.
    pub at: usize,
    /// Where the last hit ended. No other hit may include a byte before it.
    pub floor: usize,
    /// True if the text ends with this view. False if the view was cut, or if more text may follow.
    pub last: bool,
}

impl<'t> View<'t> {
    /// The view around `at` in `text`, and where the view starts there.
    pub(super) fn around(text: &'t [u8], at: usize, floor: usize) -> (View<'t>, usize) {
        let start = at.saturating_sub(BACK);
        let end = text.len().min(at + AHEAD);
        let floor = floor.max(start) - start;
        let view = View { text: &text[start..end], at: at - start, floor, last: end == text.len() };
        (view, start)
    }

    /// The text from the candidate on.
    pub(super) fn ahead(&self) -> &'t [u8] {
        &self.text[self.at..]
    }
}

/// What a detector returns about a candidate. Positions count from the start of the view.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The secret, if there is one. It may start before the candidate, but not before the floor.
    pub hit: Option<Hit>,
    /// Further secrets behind it that only this candidate reveals, in text order. Mostly empty.
    pub more: Vec<Hit>,
    /// Where the scan continues; always behind the candidate. No candidate before it is looked at
    /// again. A detector that reads far and finds nothing says so here, so that adversarial text is
    /// not read twice.
    pub resume: usize,
}

impl Outcome {
    /// No secret; the scan continues at `resume`.
    pub(super) fn none(resume: usize) -> Outcome {
        Outcome { hit: None, more: Vec::new(), resume }
    }

    /// One secret; the scan continues behind it.
    pub(super) fn found(hit: Hit) -> Outcome {
        let resume = hit.span.end;
        Outcome { hit: Some(hit), more: Vec::new(), resume }
    }

    /// The same outcome with positions that count from the start of the whole text.
    pub(super) fn shifted(mut self, by: usize) -> Outcome {
        for hit in self.hit.iter_mut().chain(&mut self.more) {
            hit.span = Range { start: hit.span.start + by, end: hit.span.end + by };
        }
        self.resume += by;
        self
    }
}
