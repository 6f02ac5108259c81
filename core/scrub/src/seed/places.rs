//! The places of a text where patterns could match. Each part of it is searched once, however many
//! windows it is in.

use std::ops::Range;

use super::anchor::{Anchors, Candidate};
use super::pattern::Passes;

/// So many bytes are searched at once: those that a long match covers are not searched.
const STRIDE: usize = 16_384;

/// A search that goes on as far as is asked for.
pub(super) struct Places<'s> {
    anchors: &'s Anchors,
    pub(super) text: &'s [u8],
    /// In their order.
    found: Vec<Candidate>,
    /// The first of them that may still be asked for.
    first: usize,
    /// All before it have been found.
    searched: usize,
}

impl<'s> Places<'s> {
    pub(super) fn new(anchors: &'s Anchors, text: &'s [u8], from: usize) -> Places<'s> {
        Places { anchors, text, found: Vec::new(), first: 0, searched: from }
    }

    /// The first place in `text[from..to]`, where `from` never goes back.
    pub(super) fn next(&mut self, from: usize, to: usize) -> Option<usize> {
        loop {
            while let Some(candidate) = self.found.get(self.first) {
                if candidate.at >= from {
                    return Some(candidate.at).filter(|at| *at < to);
                }
                self.first += 1;
            }
            self.searched = self.searched.max(from);
            if self.searched >= to {
                return None;
            }
            self.search(to.min(self.searched + STRIDE));
        }
    }

    /// The patterns that could match inside of the window, in which the place is that was answered
    /// last, and before that no other.
    pub(super) fn passes(&mut self, window: &Range<usize>) -> Passes {
        self.search(window.end);
        let inside = self.found[self.first..].iter().take_while(|one| one.at < window.end);
        inside.fold(Passes::NONE, |all, candidate| all | candidate.passes)
    }

    fn search(&mut self, to: usize) {
        if self.searched < to {
            #[cfg(test)]
            super::tests::count_searched(to - self.searched);
            self.found.drain(..std::mem::take(&mut self.first));
            self.anchors.search(self.text, self.searched, to, &mut self.found);
            self.searched = to;
        }
    }
}
