//! Scrubs a text that arrives in pieces.

use std::fmt;

use super::Scrubber;
use super::mask;
use super::scan::{Piece, Scan};

/// The most that is kept back of a text, in bytes. A stream looks at what it has when it has more.
const HOLD: usize = 8 * 1_024;
/// The largest part of a piece that is looked at at once: what fits a cache.
const BLOCK: usize = 64 * 1_024;
/// Pieces of a text are cut at multiples of this.
const STEP: usize = 64;

/// A text in the making. Give it each piece with [`push`](Stream::push), and the end of the text
/// with [`finish`](Stream::finish); put what they return together.
///
/// It keeps back at most 8 KiB of what was pushed, or less where all is certain. A longer secret
/// is masked as it goes: of that, nothing is kept but what its end is told by.
///
/// ```
/// use toolkeep_scrub::Scrubber;
///
/// let mut stream = Scrubber::seed().stream();
/// let mut out = stream.push(b"a pass");
/// out.extend(stream.push(b"word=correct-ho"));
/// out.extend(stream.push(b"rse, then"));
/// out.extend(stream.finish());
/// assert_eq!(out, b"a [REDACTED] then");
/// ```
#[derive(Clone)]
pub struct Stream {
    scrubber: Scrubber,
    scan: Scan,
    /// What is not settled, and what must be remembered of what is.
    kept: Vec<u8>,
    /// Where `kept` starts in the whole text.
    base: usize,
    /// How much of the whole text was returned or masked.
    done: usize,
}

impl Stream {
    pub(super) fn new(scrubber: Scrubber) -> Stream {
        Stream { scrubber, scan: Scan::default(), kept: Vec::new(), base: 0, done: 0 }
    }

    /// Takes the next piece and returns what is certain by now: possibly nothing. It may end
    /// inside a character if pieces do.
    #[must_use = "this is the scrubbed text"]
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.push_to(piece, |part| {
            if out.is_empty() {
                out.reserve(piece.len() + HOLD);
            }
            out.extend_from_slice(part);
        });
        out
    }

    /// The same, where what is certain goes to a sink as it lies.
    pub fn push_to(&mut self, piece: &[u8], mut sink: impl FnMut(&[u8])) {
        for block in piece.chunks(BLOCK) {
            self.push_from(|kept| kept.extend_from_slice(block), &mut sink);
        }
    }

    /// The same, where a reader puts the next piece behind what is kept.
    pub fn push_from(&mut self, read: impl FnOnce(&mut Vec<u8>), mut sink: impl FnMut(&[u8])) {
        read(&mut self.kept);
        if self.base + self.kept.len() - self.scan.settled() > HOLD {
            self.advance(false, &mut sink);
        }
    }

    /// Ends the text and returns the rest of it.
    #[must_use = "this is the end of the scrubbed text"]
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.advance(true, &mut |part: &[u8]| out.extend_from_slice(part));
        out
    }

    /// What [`finish`](Stream::finish) would return if the text ended here. It may be another text
    /// once more was pushed: what ends here may be the start of a secret.
    #[must_use = "this is the end of the scrubbed text so far"]
    pub fn so_far(&self) -> Vec<u8> {
        self.clone().finish()
    }

    fn advance(&mut self, last: bool, sink: &mut impl FnMut(&[u8])) {
        let piece = Piece { text: &self.kept, base: self.base, last };
        let masks = self.scan.advance(self.scrubber.eyes(), piece);
        let settled = self.scan.settled();
        let end = self.scan.live().map_or(settled, |start| start.min(settled));
        if masks.is_empty() {
            sink(self.taken(end));
        } else {
            let mut out = Vec::new();
            for mask in &masks {
                out.extend_from_slice(self.taken(mask.start));
                mask::write(mask, mask.tag.as_deref(), self.scrubber.is_plain(), &mut out);
                self.done = mask.end;
            }
            out.extend_from_slice(self.taken(end));
            sink(&out);
        }
        let gone = self.scan.needed().saturating_sub(self.base) / STEP * STEP;
        self.kept.drain(..gone);
        self.base += gone;
    }

    /// What was not returned of the text up to a position.
    fn taken(&mut self, to: usize) -> &[u8] {
        if to <= self.done {
            return &[];
        }
        let from = std::mem::replace(&mut self.done, to);
        &self.kept[from - self.base..to - self.base]
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("profile", &self.scrubber.profile).finish_non_exhaustive()
    }
}
