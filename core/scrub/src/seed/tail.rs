//! Tails: where a match ends that continues behind the window in which it was found.
//!
//! It continues to the byte that ends its pattern. At that end it may have to give bytes back. An
//! earlier pattern may match across the end, as `AKIA…` does behind a long run of hexadecimal
//! digits, and without its first letter it would not be found again.

use super::pattern::{self, Passes};
use super::{AHEAD, BACK, Seed, window};
use crate::continuation::End;
use crate::placeholder;

/// The most bytes that a match gives back: more than a name with its sign, or the required part of
/// a key, has. No more than what stays undecided at the end of a hit.
const GIVEN_BACK: usize = 64;

/// The continuation of a match that reached the end of its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    pub(super) pass: usize,
    pub(super) barriers: bool,
}

impl Seed {
    /// The end of the match that reaches `from`.
    pub(crate) fn end(&self, tail: Tail, text: &[u8], from: usize, last: bool) -> End {
        let end = pattern::end(tail.pass, text.get(from..).unwrap_or_default());
        let stop = end.map_or(text.len(), |end| from + end);
        let barrier = if tail.barriers { barrier(text, from, stop, last) } else { None };
        if let Some(end) = barrier {
            return end;
        }
        // A later match begins where this one ends, or close enough before.
        let back = from.max(stop.saturating_sub(BACK));
        if last || end.is_some() && text.len() - stop >= AHEAD + placeholder::MAX_LENGTH {
            End::At(self.given_back(tail, text, back, stop))
        } else {
            End::Beyond(back)
        }
    }

    /// Where an earlier pattern's match begins that crosses the end at `stop`, or `stop`.
    fn given_back(&self, tail: Tail, text: &[u8], from: usize, stop: usize) -> usize {
        let floor = from.saturating_sub(GIVEN_BACK);
        let ahead = text.len().min(stop + AHEAD);
        let next = placeholder::next_start(text, stop, ahead).filter(|_| tail.barriers);
        let text = &text[..next.unwrap_or(ahead)];
        let window = window::around(text, stop - 1, floor);
        let mut candidates = Vec::new();
        self.anchors.search(text, window.start, window.end, &mut candidates);
        let passes = candidates.iter().fold(Passes::NONE, |all, place| all | place.passes);
        let taken = self.patterns.run(&text[window.clone()], passes.before(tail.pass));
        // A pattern whose matches contain masks takes over what an earlier one matched before the
        // end.
        let least = stop - window.start + usize::from(pattern::takes_masks(tail.pass));
        let across = taken.iter().find(|one| one.span.end >= least);
        across.map_or(stop, |one| stop.min(window.start + one.span.start))
    }
}

/// The placeholder in `text[from..to]` at which a match ends, or text that may become one.
fn barrier(text: &[u8], from: usize, to: usize, last: bool) -> Option<End> {
    let mut brackets = memchr::memchr_iter(b'[', text.get(from..to)?).map(|at| from + at);
    brackets.find_map(|at| match placeholder::length(&text[at..]) {
        Some(_) => Some(End::At(at)),
        None if !last && text.len() - at < placeholder::MAX_LENGTH => Some(End::Beyond(at)),
        None => None,
    })
}
