//! The `seed` profile: fourteen fixed patterns, applied one after another.
//!
//! The result is exact. A later pattern sees the text that the earlier ones left. So a key that one
//! pattern masked can be matched again, together with its name, by another.
//!
//! Nearly all text is clean, and the work is arranged to find that out fast. `anchor` finds the few
//! candidates where some pattern could match at all; a text without any is returned without a copy.
//! `window` cuts the smallest windows around candidates that no match can leave. Only there,
//! `pattern` runs the patterns that the candidates name.
//!
//! Two facts allow this without changing the result. No pattern needs a bracket in the part by
//! which it is recognised, so a replacement never makes a match possible that the original text did
//! not already announce. And no pattern crosses white space that has neither `:` nor `=` next to
//! it.
//!
//! # Bounds
//!
//! A stream cannot wait for ever, and must give the same result as the whole text. So a window
//! reaches from [`BACK`] bytes before a candidate to [`AHEAD`] bytes behind it, in both cases.
//! Inside the window the result is exact. Where a text goes on for longer without a cut:
//!
//! - a match that reaches the end of its window goes on to the byte that ends it: white space for a
//!   value, a quote for a link, any other character for a key or a digest. At that end, an earlier
//!   pattern matches what it would have matched (see `tail`);
//! - of a name of more than [`BACK`] letters, the letters before those stay;
//! - a name and its value with more white space than that between them are not seen together.

use super::continuation::End;
use super::hit::{Confidence, Hit};
use candidate_queue::CandidateQueue;
pub(super) use tail::Tail;
use view_bounds::ViewBounds;

use super::simd::Level;

mod anchor;
mod byte_search;
mod candidate_queue;
mod key;
mod name;
mod pattern;
mod tail;
mod view_bounds;
mod window;

#[cfg(test)]
mod tests;

/// How far before a candidate a match may begin, in bytes.
pub(super) const BACK: usize = 2_048;
/// How far behind a candidate the text is read, in bytes.
pub(super) const AHEAD: usize = 4_096;

/// The patterns, and the search for their candidates.
pub(super) struct Seed {
    anchors: anchor::AnchorSearch,
    patterns: pattern::Patterns,
}

/// How far a search came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Everything before this is decided.
    pub at: usize,
    /// No other match may include a byte before this.
    pub floor: usize,
    /// Set if the last match may continue at `at`.
    pub open: Option<Tail>,
}

impl Seed {
    /// The patterns, and the search for their anchors.
    pub(super) fn new(level: Level) -> Seed {
        Seed { anchors: anchor::AnchorSearch::new(level), patterns: pattern::Patterns::new() }
    }

    /// Finds the matches in `text[from..to]`, in order. `to` is the end of the text, or more than
    /// [`AHEAD`] bytes before it. Stops at a match that goes on behind the given text. With
    /// `barriers`, no match contains or crosses a placeholder.
    pub(super) fn find(
        &self,
        text: &[u8],
        (from, to): (usize, usize),
        floor: usize,
        barriers: bool,
        found: &mut Vec<Hit>,
    ) -> Step {
        let mut step = Step { at: from, floor, open: None };
        let mut candidate_queue = CandidateQueue::new(&self.anchors, text, from);
        while step.open.is_none() {
            let Some(at) = candidate_queue.next(step.at, to) else {
                step.at = step.at.max(to);
                break;
            };
            match ViewBounds::around(text, at, step.floor, barriers) {
                Ok(bounds) => {
                    let end = |pass, from| {
                        let tail = Tail { pass, barriers };
                        (tail, self.end(tail, text, from, to == text.len()))
                    };
                    self.take_matches(at, &bounds, &mut candidate_queue, end, &mut step, found);
                }
                Err(behind) => (step.at, step.floor) = (behind, behind),
            }
        }
        step
    }

    /// Adds the matches in the window around `at`.
    fn take_matches(
        &self,
        at: usize,
        bounds: &ViewBounds,
        candidate_queue: &mut CandidateQueue<'_>,
        end: impl Fn(usize, usize) -> (Tail, End),
        step: &mut Step,
        found: &mut Vec<Hit>,
    ) {
        let text = candidate_queue.text;
        let mut window = window::around(&text[..bounds.span.end], at, bounds.span.start);
        let mut border = window.end;
        if bounds.ends(text, &window) {
            // A match that begins in the second half may go on too far to be decided here.
            window.end = bounds.span.end;
            border = at + AHEAD / 2;
        }
        let passes = candidate_queue.passes(&window);
        step.at = border;
        for taken in self.patterns.run(&text[window.clone()], passes) {
            let mut span = taken.span.start + window.start..taken.span.end + window.start;
            if span.start >= border {
                break;
            }
            if bounds.cut && span.end == bounds.span.end {
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
