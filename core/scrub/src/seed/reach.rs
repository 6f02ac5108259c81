//! How far the patterns look around a place, and where they must stop.

use std::ops::Range;

use super::pattern::is_space;
use super::{AHEAD, BACK};
use crate::placeholder;

/// The bytes around a place that decide what the patterns take there.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    pub(super) span: Range<usize>,
    /// The text goes on behind it, and a match may.
    pub(super) cut: bool,
}

impl Reach {
    /// What is around `at`, nothing before `floor`. With `barriers`, only as far as the next
    /// placeholders; where `at` is inside of one, its end is the error.
    pub(super) fn around(
        text: &[u8],
        at: usize,
        floor: usize,
        barriers: bool,
    ) -> Result<Reach, usize> {
        let mut span = floor.max(at.saturating_sub(BACK))..text.len().min(at + AHEAD);
        let mut cut = span.end < text.len();
        if cut {
            // No pattern takes a part of a character: a match that goes on would seem to end there.
            let part = |b: &&u8| matches!(b, 0x80..=0xBF);
            let inside = part(&&text[span.end]);
            let parts = text[..span.end].iter().rev().take(3).take_while(part).count();
            span.end -= if inside { (parts + 1).min(3) } else { 0 };
        }
        if barriers {
            if let Some(placeholder) = placeholder::across(text, at + 1) {
                return Err(placeholder.end);
            }
            span.start = placeholder::last_end(&text[..at], span.start).unwrap_or(span.start);
            if let Some(next) = placeholder::next(text, at, span.end) {
                span.end = next;
                cut = false;
            }
        }
        Ok(Reach { span, cut })
    }

    /// True if a window inside of this does not end at a place that no match can cross.
    pub(super) fn ends(&self, text: &[u8], window: &Range<usize>) -> bool {
        self.cut && text[window.end..self.span.end].iter().all(|&b| is_space(b))
    }
}
