//! Repetitions: text that repeats itself is inspected once.
//!
//! Invariant: every decision follows from a view alone. So if a stretch of text repeats the one
//! before it, and the text around it as well, as far as a view reaches, nothing can be found there
//! that was not found before. Real text is seldom like that. Text made to keep the detectors busy
//! mostly is, and then costs as little as text without candidates.

use super::super::view::{AHEAD, BACK};

/// The shortest period, in bytes.
const MIN_PERIOD: usize = 16;
/// The longest period, in bytes: what a view shows ahead.
const MAX_PERIOD: usize = AHEAD;
/// How many bytes are compared before whole views are.
const QUICK_COMPARE: usize = 64;

/// What is remembered of inspections without a hit.
#[derive(Default)]
pub(super) struct RepeatSkipper {
    /// A candidate that was inspected. Nothing was found since.
    anchor: Option<usize>,
    /// The anchor moves on when a candidate is farther away from it than this.
    span: usize,
    /// Nothing is compared before this position. So all unsuccessful comparisons together read no
    /// more than the text.
    no_compare_before: usize,
}

impl RepeatSkipper {
    /// A secret was found; what follows must be inspected anew.
    pub(super) fn reset(&mut self) {
        *self =
            RepeatSkipper { no_compare_before: self.no_compare_before, ..RepeatSkipper::default() };
    }

    /// The position in `text[at..to]` that is the same as `at` after whole periods, with nothing to
    /// find in between; `None` if `at` must be inspected.
    pub(super) fn skip(
        &mut self,
        text: &[u8],
        at: usize,
        to: usize,
        floor: usize,
    ) -> Option<usize> {
        let Some(anchor) = self.anchor else {
            // A view that is cut by the start of the text or by the last hit is like no other.
            (self.anchor, self.span) = (Some(at).filter(|at| *at >= floor + BACK), MIN_PERIOD);
            return None;
        };
        let period = at.checked_sub(anchor).filter(|period| *period > 0)?;
        let first = |at: usize| text.get(at..).and_then(<[u8]>::first_chunk::<8>);
        let quick = |at: usize| text.get(at..at + QUICK_COMPARE);
        // Most places differ in their first bytes.
        let alike = first(at) == first(anchor) && quick(at).is_some();
        if at >= self.no_compare_before && alike && quick(at) == quick(anchor) {
            let same = BACK + AHEAD + (to - at);
            let (first, again) = (&text[anchor - BACK..], &text[at - BACK..]);
            // No earlier view shows the end of the text.
            let again = &again[..again.len().saturating_sub(1).min(same)];
            let free = common_prefix(first, again).saturating_sub(BACK + AHEAD);
            if free >= period {
                return Some(at + free / period * period);
            }
            self.no_compare_before = at + AHEAD;
        }
        if period > self.span {
            self.span = if self.span < MAX_PERIOD { 2 * self.span } else { MIN_PERIOD };
            self.anchor = Some(at);
        }
        None
    }
}

/// How many leading bytes both texts share.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    /// Long enough to be compared by vector instructions.
    const BLOCK: usize = 64;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let whole = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let no_compare_before = one[whole..].iter().zip(&other[whole..]);
    whole + no_compare_before.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
pub(super) mod tests;
