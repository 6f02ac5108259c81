//! A queue of candidates: searches a text as far as is asked for, and each part of it once.

use std::ops::Range;

use super::anchor::{AnchorSearch, Candidate};
use super::pattern::Passes;

/// How many bytes are searched at once. Parts that a long match covers are not searched.
const STRIDE: usize = 16_384;

/// A search that goes as far as is asked for.
pub(super) struct CandidateQueue<'s> {
    anchors: &'s AnchorSearch,
    pub(super) text: &'s [u8],
    /// The candidates, in text order.
    found: Vec<Candidate>,
    /// The first one that may still be asked for.
    first: usize,
    /// Everything before this is searched.
    searched: usize,
}

impl<'s> CandidateQueue<'s> {
    /// A queue of the candidates from `from` on. None is searched yet.
    pub(super) fn new(
        anchors: &'s AnchorSearch,
        text: &'s [u8],
        from: usize,
    ) -> CandidateQueue<'s> {
        CandidateQueue { anchors, text, found: Vec::new(), first: 0, searched: from }
    }

    /// The first candidate in `text[from..to]`. `from` never goes back.
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

    /// The patterns of all candidates in the window. It contains the candidate that was returned
    /// last, and none before it.
    pub(super) fn passes(&mut self, window: &Range<usize>) -> Passes {
        self.search(window.end);
        let inside = self.found[self.first..].iter().take_while(|one| one.at < window.end);
        inside.fold(Passes::NONE, |all, candidate| all | candidate.passes)
    }

    /// Searches as far as `to`.
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
