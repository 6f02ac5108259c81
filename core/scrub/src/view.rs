//! What a finder may look at: a bounded stretch of text around the place in question.
//!
//! Every decision of the `precise` profile is a function of such a view and of nothing else. That
//! is what makes a text that arrives in pieces give the same result as the whole: a stream waits
//! until a view is complete, then decides as if it had everything.

use std::ops::Range;

use super::hit::Hit;

/// How far a finder may look back from a sight, in bytes.
pub(super) const BACK: usize = 1_024;
/// How far a finder may look ahead of a sight, in bytes.
pub(super) const AHEAD: usize = 4_096;

/// A text around a sight, cut to [`BACK`] and [`AHEAD`]. May begin or end inside a character.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'t> {
    /// The stretch itself. All positions that a finder reads or answers count from its start.
    pub text: &'t [u8],
    /// Where the sight is.
    pub at: usize,
    /// Where the last hit ended: nothing before it may become part of another.
    pub floor: usize,
    /// True if the text ends with this view, false if the view was cut or more may follow.
    pub last: bool,
}

impl<'t> View<'t> {
    /// The view around `at` in `text`, and where it starts there.
    pub(super) fn around(text: &'t [u8], at: usize, floor: usize) -> (View<'t>, usize) {
        let start = at.saturating_sub(BACK);
        let end = text.len().min(at + AHEAD);
        let floor = floor.max(start) - start;
        let view = View { text: &text[start..end], at: at - start, floor, last: end == text.len() };
        (view, start)
    }

    /// What follows the sight, its own first byte included.
    pub(super) fn ahead(&self) -> &'t [u8] {
        &self.text[self.at..]
    }
}

/// What a finder answers about a sight. Positions count from the start of the view.
#[derive(Debug)]
pub(super) struct Look {
    /// The secret, if there is one. It may start before the sight, but not before the floor.
    pub hit: Option<Hit>,
    /// Secrets behind it that only this sight gives away, in order. Mostly empty.
    pub more: Vec<Hit>,
    /// Where to look on: nothing that starts in between is looked at again. Always behind the
    /// sight. A finder that has read far to say no says here how far, so that adversarial text
    /// is not read twice.
    pub resume: usize,
}

impl Look {
    pub(super) fn nothing(resume: usize) -> Look {
        Look { hit: None, more: Vec::new(), resume }
    }

    pub(super) fn found(hit: Hit) -> Look {
        let resume = hit.span.end;
        Look { hit: Some(hit), more: Vec::new(), resume }
    }

    /// The same, with positions that count from the start of the whole text.
    pub(super) fn moved(mut self, by: usize) -> Look {
        for hit in self.hit.iter_mut().chain(&mut self.more) {
            hit.span = Range { start: hit.span.start + by, end: hit.span.end + by };
        }
        self.resume += by;
        self
    }
}
