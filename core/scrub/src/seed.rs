//! The `seed` profile: fourteen fixed patterns, applied one after another.
//!
//! Its result is exact: a later pattern sees the text that the earlier ones left, so a key that
//! one pattern masked can be taken again, together with its name, by another.
//!
//! Nearly all text is clean, so the work is arranged around finding that out. `anchor` names the
//! few places where some pattern could match at all; a text without one is returned as it came,
//! without a copy. `window` cuts the smallest pieces around those places that no match can
//! leave, and only there `pattern` runs the patterns that were named.
//!
//! What may be done without changing the result rests on two facts. No pattern needs a bracket in
//! the part by which it is recognised, so a replacement never makes a match possible that the
//! original text did not already announce. And no pattern crosses white space that has neither
//! `:` nor `=` next to it.
//!
//! # Bounds
//!
//! A stream cannot wait for ever, and must give what the whole gives. So a window reaches from
//! [`BACK`] bytes before a place to [`AHEAD`] bytes behind it and no further, in both. Inside of
//! that the result is exact. Where a text goes on for longer without a cut:
//!
//! - a match that reaches the end of its window goes on to what ends it: white space for a value,
//!   a quote for a link, any other character for a key or a digest; at that end, an earlier
//!   pattern takes what it would have taken;
//! - of a name of more than [`BACK`] letters, the letters before those stay;
//! - a name and its value with more than that between them (white space) are not seen together.

use super::hit::{Confidence, Hit};
use super::until::End;
use places::Places;
use reach::Reach;
pub(super) use tail::Tail;

use super::simd::Level;

mod anchor;
mod key;
mod name;
mod pattern;
mod places;
mod reach;
mod run;
mod tail;
mod window;

#[cfg(test)]
mod tests;

/// How far before a place a match may begin, in bytes.
pub(super) const BACK: usize = 2_048;
/// How far behind a place is looked, in bytes.
pub(super) const AHEAD: usize = 4_096;

/// The patterns and the search for them.
pub(super) struct Seed {
    anchors: anchor::Anchors,
    patterns: pattern::Patterns,
}

/// How far a search came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Everything before this is decided.
    pub at: usize,
    /// Nothing before this becomes part of another match.
    pub floor: usize,
    /// Set where the last match may go on at `at`.
    pub open: Option<Tail>,
}

impl Seed {
    pub(super) fn new(level: Level) -> Seed {
        Seed { anchors: anchor::Anchors::new(level), patterns: pattern::Patterns::new() }
    }

    /// Finds what the patterns take from `text[from..to]`, in order. `to` is the end of the text,
    /// or more than [`AHEAD`] bytes before it. Stops at a match that goes on behind the text that
    /// is given. With `barriers`, no match takes or crosses a placeholder.
    pub(super) fn find(
        &self,
        text: &[u8],
        (from, to): (usize, usize),
        floor: usize,
        barriers: bool,
        found: &mut Vec<Hit>,
    ) -> Step {
        let mut step = Step { at: from, floor, open: None };
        let mut places = Places::new(&self.anchors, text, from);
        while step.open.is_none() {
            let Some(at) = places.next(step.at, to) else {
                step.at = step.at.max(to);
                break;
            };
            match Reach::around(text, at, step.floor, barriers) {
                Ok(reach) => {
                    let end = |pass, from| {
                        let tail = Tail { pass, barriers };
                        (tail, self.end(tail, text, from, to == text.len()))
                    };
                    self.look(at, &reach, &mut places, end, &mut step, found);
                }
                Err(behind) => (step.at, step.floor) = (behind, behind),
            }
        }
        step
    }

    /// Takes what the patterns take in the window around `at`.
    fn look(
        &self,
        at: usize,
        reach: &Reach,
        places: &mut Places<'_>,
        end: impl Fn(usize, usize) -> (Tail, End),
        step: &mut Step,
        found: &mut Vec<Hit>,
    ) {
        let text = places.text;
        let mut window = window::around(&text[..reach.span.end], at, reach.span.start);
        let mut border = window.end;
        if reach.ends(text, &window) {
            // What begins in the second half may go on too far to be judged from here.
            window.end = reach.span.end;
            border = at + AHEAD / 2;
        }
        let passes = places.passes(&window);
        step.at = border;
        for taken in self.patterns.run(&text[window.clone()], passes) {
            let mut span = taken.span.start + window.start..taken.span.end + window.start;
            if span.start >= border {
                break;
            }
            if reach.cut && span.end == reach.span.end {
                match end(taken.pass, span.end) {
                    (_, End::At(end)) => span.end = end,
                    (tail, End::Beyond(end)) => {
                        span.end = end;
                        step.open = Some(tail);
                    }
                }
            }
            step.at = step.at.max(span.end);
            found.push(Hit::known(span, pattern::kind(taken.pass), Confidence::Medium));
        }
        step.floor = step.at;
    }
}
