//! Text that repeats itself is looked at once.
//!
//! Every decision follows from a view alone. So where a stretch of text is the one before it all
//! over again, far enough around that each view in it has been seen already, nothing can be found
//! that was not found there. Real text is seldom like that; text that is made to keep the finders
//! busy mostly is, and costs as little as text that has nothing to look at.

use super::super::view::{AHEAD, BACK};

/// The shortest distance over which a repetition is sought, in bytes.
const NEAREST: usize = 16;
/// The longest.
const FARTHEST: usize = AHEAD;
/// How much is compared before it is worth to compare whole views.
const GLANCE: usize = 64;

/// What is remembered of the looks that found nothing.
#[derive(Default)]
pub(super) struct Repeats {
    /// A place that was looked at. All looks since then have found nothing.
    anchor: Option<usize>,
    /// The anchor moves on when the looks are farther from it than this.
    span: usize,
    /// Nothing is compared before this, so that what is compared in vain is no more than the text.
    rest: usize,
}

impl Repeats {
    /// Something was found: what is behind it has to be looked at anew.
    pub(super) fn forget(&mut self) {
        *self = Repeats { rest: self.rest, ..Repeats::default() };
    }

    /// A place in `text[at..to]` that is to be looked at as `at` would be, where nothing is found
    /// between them; `None` if `at` itself must be looked at.
    pub(super) fn skip(
        &mut self,
        text: &[u8],
        at: usize,
        to: usize,
        floor: usize,
    ) -> Option<usize> {
        let Some(anchor) = self.anchor else {
            // A view that is cut by the start of the text or the last hit is like no other.
            (self.anchor, self.span) = (Some(at).filter(|at| *at >= floor + BACK), NEAREST);
            return None;
        };
        let period = at.checked_sub(anchor).filter(|period| *period > 0)?;
        let first = |at: usize| text.get(at..).and_then(<[u8]>::first_chunk::<8>);
        let glance = |at: usize| text.get(at..at + GLANCE);
        // Most places differ in their first bytes, and the rest of them is not looked at.
        let alike = first(at) == first(anchor) && glance(at).is_some();
        if at >= self.rest && alike && glance(at) == glance(anchor) {
            let same = BACK + AHEAD + (to - at);
            let (first, again) = (&text[anchor - BACK..], &text[at - BACK..]);
            // The end of the text is seen in no view before.
            let again = &again[..again.len().saturating_sub(1).min(same)];
            let free = common(first, again).saturating_sub(BACK + AHEAD);
            if free >= period {
                return Some(at + free / period * period);
            }
            self.rest = at + AHEAD;
        }
        if period > self.span {
            self.span = if self.span < FARTHEST { 2 * self.span } else { NEAREST };
            self.anchor = Some(at);
        }
        None
    }
}

/// How many bytes both texts start with.
fn common(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let whole = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
pub(super) mod tests;
