//! The pass over a text: reads it in batches and returns candidates in order.

use super::super::super::simd::{BLOCK, Lanes, Task};
use super::super::escape;
use super::super::kinds::Kinds;
use super::batch::{Batch, Scratch};
use super::offsets::BATCH;
use super::pending::PendingCandidates;
use super::{Candidate, CandidateScanner};

/// A pass over a text.
pub(in crate::precise) struct CandidateScan<'a> {
    pending: PendingCandidates<'a>,
    scratch: Scratch,
    /// Candidates lie before this.
    to: usize,
    /// Where the next batch starts.
    next: usize,
}

impl<'a> CandidateScan<'a> {
    pub(super) fn new(
        candidates: &'a CandidateScanner,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> CandidateScan<'a> {
        let pending = PendingCandidates::new(candidates, kinds, text);
        let mut scan = CandidateScan { pending, scratch: Scratch::new(), to, next: 0 };
        scan.restart_at(from);
        scan
    }

    /// Makes the next batch start at `from`, or as far before it as an escape sequence may be long.
    fn restart_at(&mut self, from: usize) {
        self.next = from.saturating_sub(escape::MAX_HIDDEN);
        (self.pending.blocks, self.pending.carried_runs) = (0, 0);
    }

    /// The first candidate that is not before `from`. `from` never goes back.
    pub(in crate::precise) fn next(&mut self, from: usize) -> Option<Candidate> {
        if from > self.next {
            self.restart_at(from);
        }
        loop {
            while let Some(candidate) = self.pending.take_first() {
                if candidate.at >= from {
                    return (candidate.at < self.to).then_some(candidate);
                }
            }
            // A keyword may be searched by what is behind its start.
            let end = self
                .to
                .saturating_add(self.pending.candidates.probe_offset)
                .min(self.pending.text.len());
            if self.next >= end {
                return None;
            }
            let blocks = (end - self.next).div_ceil(BLOCK).min(BATCH);
            self.pending.start = self.next;
            self.next += blocks * BLOCK;
            let level = self.pending.candidates.level;
            let mut batch =
                Batch { pending: &mut self.pending, scratch: &mut self.scratch, blocks };
            level.run(ClassifyBytes(&mut batch));
            level.run(FindCandidates(&mut batch));
        }
    }
}

/// The first pass over a batch: classifies its bytes. A task of its own, so that its tables stay in
/// registers.
struct ClassifyBytes<'b, 's, 'a>(&'b mut Batch<'s, 'a>);

impl Task for ClassifyBytes<'_, '_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.0.classify_bytes::<L>();
    }
}

/// The second pass over a batch: finds its candidates.
struct FindCandidates<'b, 's, 'a>(&'b mut Batch<'s, 'a>);

impl Task for FindCandidates<'_, '_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.0.find_candidates::<L>();
    }
}
