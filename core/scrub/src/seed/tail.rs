//! Where a match ends that goes on behind the window in which it was found.
//!
//! It goes on to what ends its pattern. Only there it may have to give something back: a pattern
//! that runs earlier may match across that end, as `AKIA…` does behind a long run of hexadecimal
//! digits, and without its first letter it would not be found again.

use super::pattern::{self, Passes};
use super::{AHEAD, BACK, Seed, window};
use crate::placeholder;
use crate::until::End;

/// So many bytes that a match is known to have may be given back: more than a name and its sign
/// have, and than a key must have. No more than what stays undecided at the end of a hit.
const GIVEN_BACK: usize = 64;

/// What belongs to a match that has reached the end of its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    pub(super) pass: usize,
    pub(super) barriers: bool,
}

impl Seed {
    /// Where the match ends that has reached `from`.
    pub(crate) fn end(&self, tail: Tail, text: &[u8], from: usize, last: bool) -> End {
        let end = pattern::end(tail.pass, text.get(from..).unwrap_or_default());
        let stop = end.map_or(text.len(), |end| from + end);
        let barrier = if tail.barriers { barrier(text, from, stop, last) } else { None };
        if let Some(end) = barrier {
            return end;
        }
        // A later match begins where this one ends, or not so long before that it matters.
        let back = from.max(stop.saturating_sub(BACK));
        if last || end.is_some() && text.len() - stop >= AHEAD + placeholder::LONGEST {
            End::At(self.given_back(tail, text, back, stop))
        } else {
            End::Beyond(back)
        }
    }

    /// Where the match begins that an earlier pattern takes at the end of one that has come to
    /// `stop`, or `stop`.
    fn given_back(&self, tail: Tail, text: &[u8], from: usize, stop: usize) -> usize {
        let floor = from.saturating_sub(GIVEN_BACK);
        let ahead = text.len().min(stop + AHEAD);
        let next = placeholder::next(text, stop, ahead).filter(|_| tail.barriers);
        let text = &text[..next.unwrap_or(ahead)];
        let window = window::around(text, stop - 1, floor);
        let mut places = Vec::new();
        self.anchors.search(text, window.start, window.end, &mut places);
        let passes = places.iter().fold(Passes::NONE, |all, place| all | place.passes);
        let taken = self.patterns.run(&text[window.clone()], passes.before(tail.pass));
        // A pattern that takes masks takes what an earlier one took before the end.
        let least = stop - window.start + usize::from(pattern::takes_masks(tail.pass));
        let across = taken.iter().find(|one| one.span.end >= least);
        across.map_or(stop, |one| stop.min(window.start + one.span.start))
    }
}

/// The placeholder in `text[from..to]` at which a match ends, or what may become one.
fn barrier(text: &[u8], from: usize, to: usize, last: bool) -> Option<End> {
    let mut brackets = memchr::memchr_iter(b'[', text.get(from..to)?).map(|at| from + at);
    brackets.find_map(|at| match placeholder::length(&text[at..]) {
        Some(_) => Some(End::At(at)),
        None if !last && text.len() - at < placeholder::LONGEST => Some(End::Beyond(at)),
        None => None,
    })
}
