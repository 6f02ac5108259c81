//! View bounds: how far the patterns look around a candidate, and where they must stop.

use std::ops::Range;

use super::pattern::is_space;
use super::{AHEAD, BACK};
use crate::placeholder;

/// The bytes around a candidate that decide what the patterns match there.
#[derive(Clone, Debug)]
pub(super) struct ViewBounds {
    pub(super) span: Range<usize>,
    /// True if the text, and possibly a match, goes on behind it.
    pub(super) cut: bool,
}

impl ViewBounds {
    /// The bounds around `at`, not before `floor`. With `barriers`, they end at the nearest
    /// placeholders; if `at` is inside a placeholder, its end is the error.
    pub(super) fn around(
        text: &[u8],
        at: usize,
        floor: usize,
        barriers: bool,
    ) -> Result<ViewBounds, usize> {
        let mut span = floor.max(at.saturating_sub(BACK))..text.len().min(at + AHEAD);
        let mut cut = span.end < text.len();
        if cut {
            // No pattern matches part of a character. A match that goes on would seem to end there.
            let part = |b: &&u8| matches!(b, 0x80..=0xBF);
            let inside = part(&&text[span.end]);
            let parts = text[..span.end].iter().rev().take(3).take_while(part).count();
            span.end -= if inside { (parts + 1).min(3) } else { 0 };
        }
        if barriers {
            if let Some(placeholder) = placeholder::containing(text, at + 1) {
                return Err(placeholder.end);
            }
            span.start = placeholder::last_end(&text[..at], span.start).unwrap_or(span.start);
            if let Some(next) = placeholder::next_start(text, at, span.end) {
                span.end = next;
                cut = false;
            }
        }
        Ok(ViewBounds { span, cut })
    }

    /// True if a window inside does not end at a place that no match can cross.
    pub(super) fn ends(&self, text: &[u8], window: &Range<usize>) -> bool {
        self.cut && text[window.end..self.span.end].iter().all(|&b| is_space(b))
    }
}
