//! Streams: scrub a text that arrives in pieces.
//!
//! A stream keeps what is not settled and hands it to the [scan](crate::scan) when it has more than
//! [`MAX_HELD`] bytes. What the scan settles is returned at once, with masks in it. The result is
//! the same as for the whole text, however it is cut.

use std::fmt;

use super::Scrubber;
use super::mask;
use super::scan::{Piece, Scan};

/// The most that a stream keeps back, in bytes. It scans when it has more.
const MAX_HELD: usize = 8 * 1_024;
/// The most of a piece that is scanned at once, in bytes: it stays in the cache.
const MAX_BLOCK: usize = 64 * 1_024;
/// Pieces are cut at multiples of this, the size of the blocks that the scan reads.
const CUT_ALIGNMENT: usize = 64;

/// A text that is scrubbed piece by piece. Give it each piece with [`push`](Stream::push) and the
/// end of the text with [`finish`](Stream::finish). Concatenate what they return.
///
/// A stream keeps back at most 8 KiB, and less where everything is certain. A longer secret is
/// masked while it arrives; only what is needed to find its end is kept.
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
    kept_start: usize,
    /// How much of the whole text was returned or masked.
    returned: usize,
}

impl Stream {
    /// A stream that has read nothing.
    pub(super) fn new(scrubber: Scrubber) -> Stream {
        Stream { scrubber, scan: Scan::default(), kept: Vec::new(), kept_start: 0, returned: 0 }
    }

    /// Takes the next piece and returns what is certain by now, possibly nothing. The result may
    /// end inside a character if pieces do.
    #[must_use = "this is the scrubbed text"]
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.push_to(piece, |part| {
            if out.is_empty() {
                out.reserve(piece.len() + MAX_HELD);
            }
            out.extend_from_slice(part);
        });
        out
    }

    /// The same as [`push`](Stream::push), but hands each certain part to `sink`.
    pub fn push_to(&mut self, piece: &[u8], mut sink: impl FnMut(&[u8])) {
        for block in piece.chunks(MAX_BLOCK) {
            self.push_from(|kept| kept.extend_from_slice(block), &mut sink);
        }
    }

    /// The same as [`push_to`](Stream::push_to), but `read` appends the next piece to the buffer.
    pub fn push_from(&mut self, read: impl FnOnce(&mut Vec<u8>), mut sink: impl FnMut(&[u8])) {
        read(&mut self.kept);
        if self.kept_start + self.kept.len() - self.scan.settled() > MAX_HELD {
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

    /// What [`finish`](Stream::finish) would return if the text ended here. Pushing more may change
    /// it: what ends here may be the start of a secret.
    #[must_use = "this is the end of the scrubbed text so far"]
    pub fn so_far(&self) -> Vec<u8> {
        self.clone().finish()
    }

    /// Scans what is kept, hands what is settled to `sink`, and drops what is no longer needed.
    fn advance(&mut self, last: bool, sink: &mut impl FnMut(&[u8])) {
        let piece = Piece { text: &self.kept, base: self.kept_start, last };
        let masks = self.scan.advance(self.scrubber.detectors(), piece);
        let settled = self.scan.settled();
        let end = self.scan.open_region_start().map_or(settled, |start| start.min(settled));
        if masks.is_empty() {
            sink(self.take_up_to(end));
        } else {
            let mut out = Vec::new();
            for mask in &masks {
                out.extend_from_slice(self.take_up_to(mask.start));
                mask::write(mask, mask.tag.as_deref(), self.scrubber.is_plain(), &mut out);
                self.returned = mask.end;
            }
            out.extend_from_slice(self.take_up_to(end));
            sink(&out);
        }
        let gone = self.scan.earliest_needed().saturating_sub(self.kept_start) / CUT_ALIGNMENT
            * CUT_ALIGNMENT;
        self.kept.drain(..gone);
        self.kept_start += gone;
    }

    /// The text up to `to` that was not returned yet.
    fn take_up_to(&mut self, to: usize) -> &[u8] {
        if to <= self.returned {
            return &[];
        }
        let from = std::mem::replace(&mut self.returned, to);
        &self.kept[from - self.kept_start..to - self.kept_start]
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("profile", &self.scrubber.profile).finish_non_exhaustive()
    }
}
