//! Pending candidates: the candidates of one batch, as bits, returned in text order.

use super::super::super::simd::{BLOCK, Lanes};
use super::super::kinds::Kinds;
use super::offsets::{BATCH, OffsetList};
use super::{Candidate, CandidateScanner, Detector};

/// The candidates of a batch.
pub(super) struct PendingCandidates<'a> {
    pub candidates: &'a CandidateScanner,
    pub kinds: &'a Kinds,
    pub text: &'a [u8],
    /// Where the batch starts.
    pub start: usize,
    /// For each block, where the searched parts of keywords are, and where runs start.
    pub keywords: [u64; BATCH],
    pub runs: [u64; BATCH],
    /// One bit for each block that may have some.
    pub blocks: u64,
    /// Runs that start in the next batch, put there by an escape sequence in this one.
    pub carried_runs: u64,
}

impl<'a> PendingCandidates<'a> {
    pub(super) fn new(
        candidates: &'a CandidateScanner,
        kinds: &'a Kinds,
        text: &'a [u8],
    ) -> PendingCandidates<'a> {
        let (keywords, runs) = ([0; BATCH], [0; BATCH]);
        PendingCandidates {
            candidates,
            kinds,
            text,
            start: 0,
            keywords,
            runs,
            blocks: 0,
            carried_runs: 0,
        }
    }

    /// Removes and returns the first candidate.
    #[inline]
    pub(super) fn take_first(&mut self) -> Option<Candidate> {
        while self.blocks != 0 {
            let block = self.blocks.trailing_zeros() as usize;
            let (keywords, runs) = (self.keywords[block], self.runs[block]);
            let left = keywords | runs;
            if left == 0 {
                self.blocks &= self.blocks - 1;
                continue;
            }
            let bit = left & left.wrapping_neg();
            let at = self.start + block * BLOCK + bit.trailing_zeros() as usize;
            (self.keywords[block], self.runs[block]) = (keywords & !bit, runs & !bit);
            self.blocks ^= u64::from(left == bit) << block;
            if runs & bit != 0 {
                let fallback =
                    self.candidates.keyword_from(self.text, at).map(|keyword| keyword.detector);
                return Some(Candidate { at, detector: Detector::Run, fallback });
            }
            if let Some(keyword) = self.candidates.keyword(self.text, at) {
                return Some(Candidate {
                    at: at - keyword.probe_offset,
                    detector: keyword.detector,
                    fallback: None,
                });
            }
        }
        None
    }

    /// Adds those places that may be keywords, except links that cannot have a secret, and empties
    /// the lists.
    #[inline(always)]
    pub(super) fn add_keywords<L: Lanes>(
        &mut self,
        offsets: &mut OffsetList<'_>,
        links: &mut OffsetList<'_>,
    ) {
        let PendingCandidates { candidates, text, start, .. } = *self;
        offsets.retain(|place| {
            let (stays, link) = candidates.may_be_keyword(text, start + place);
            links.add(place, link);
            stays & !link
        });
        for place in offsets.all() {
            self.add_keyword(place);
        }
        for place in links.all() {
            if candidates.link_filter.may_have_secret::<L>(text, start + place) {
                self.add_keyword(place);
            }
        }
        (offsets.length, links.length) = (0, 0);
    }

    /// Marks a keyword and its block.
    #[inline(always)]
    fn add_keyword(&mut self, place: usize) {
        self.keywords[place / BLOCK % BATCH] |= 1 << (place % BLOCK);
        self.blocks |= 1 << (place / BLOCK % BATCH);
    }

    /// Adds the run that starts at a place of a batch with so many blocks, or behind the batch.
    #[inline(always)]
    pub(super) fn add_run(&mut self, place: usize, blocks: usize) {
        let bit = 1 << (place % BLOCK);
        match self.runs[..blocks].get_mut(place / BLOCK) {
            Some(runs) => {
                *runs |= bit;
                self.blocks |= 1 << (place / BLOCK);
            }
            None => self.carried_runs |= bit,
        }
    }

    /// The byte before a position, if there is one.
    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.get(at.checked_sub(1)?).copied()
    }
}
