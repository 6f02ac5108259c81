//! Goes through a text in batches of blocks of 64 bytes and holds the sights of one batch as bits.

use super::super::super::simd::{BLOCK, Lanes, Task};
use super::super::kinds::Kinds;
use super::batch::{BATCH, Batch};
use super::{Sight, Sights, Sort, escape};

/// A pass over a text.
pub(in crate::scrub::precise) struct Sweep<'a> {
    pub(super) sights: &'a Sights,
    pub(super) kinds: &'a Kinds,
    pub(super) text: &'a [u8],
    /// Sights lie before it.
    to: usize,
    /// Where the batch starts whose sights are held, and where the next one does.
    pub(super) start: usize,
    next: usize,
    /// Where words are in each block, and where runs start.
    pub(super) words: [u64; BATCH],
    pub(super) runs: [u64; BATCH],
    /// The blocks of the batch that may have some.
    held: u64,
    /// Starts in the next batch that an escape sequence in the one before has put there.
    pub(super) late: u64,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        sights: &'a Sights,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> Sweep<'a> {
        let none = [0; BATCH];
        let (start, next) = (0, 0);
        let mut sweep = Sweep {
            sights,
            kinds,
            text,
            to,
            start,
            next,
            words: none,
            runs: none,
            held: 0,
            late: 0,
        };
        sweep.seat(from);
        sweep
    }

    /// Lets the next batch start at `from`, or so little before it that no start behind an escape
    /// sequence is lost.
    fn seat(&mut self, from: usize) {
        self.next = from.saturating_sub(escape::LONGEST);
        (self.held, self.late) = (0, 0);
    }

    /// The first sight that is not before `from`, which never goes back.
    pub(in crate::scrub::precise) fn next(&mut self, from: usize) -> Option<Sight> {
        if from > self.next {
            self.seat(from);
        }
        loop {
            while self.held != 0 {
                let block = self.held.trailing_zeros() as usize;
                let left = self.words[block] | self.runs[block];
                if left == 0 {
                    self.held &= self.held - 1;
                    continue;
                }
                let sight = self.take(block, left & left.wrapping_neg());
                if let Some(sight) = sight.filter(|sight| sight.at >= from) {
                    return (sight.at < self.to).then_some(sight);
                }
            }
            if self.next >= self.end() {
                return None;
            }
            self.sights.level.run(Fill(self));
        }
    }

    /// Where the last block ends that may have sights: a word may be sought by what is behind its
    /// start.
    fn end(&self) -> usize {
        self.to.saturating_add(self.sights.lead).min(self.text.len())
    }

    /// Takes the sight of a block that has this bit.
    #[inline]
    fn take(&mut self, block: usize, bit: u64) -> Option<Sight> {
        let at = self.start + block * BLOCK + bit.trailing_zeros() as usize;
        let is_run = self.runs[block] & bit != 0;
        let is_word = self.words[block] & bit != 0;
        self.words[block] &= !bit;
        self.runs[block] &= !bit;
        let word = if is_word { self.sights.word(self.text, at) } else { None };
        match (is_run, word) {
            (true, word) => Some(Sight { at, sort: Sort::Run, then: word.map(|word| word.sort) }),
            (false, Some(word)) => Some(Sight { at: at - word.lead, sort: word.sort, then: None }),
            (false, None) => None,
        }
    }

    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.get(at.checked_sub(1)?).copied()
    }
}

/// Goes on to the next batch.
struct Fill<'s, 'a>(&'s mut Sweep<'a>);

impl Task for Fill<'_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let sweep = self.0;
        sweep.start = sweep.next;
        let blocks = (sweep.end() - sweep.start).div_ceil(BLOCK).min(BATCH);
        sweep.next = sweep.start + blocks * BLOCK;
        let mut batch = Batch::new(sweep, blocks);
        batch.look::<L>();
        sweep.held = u64::MAX >> (BATCH - blocks);
    }
}
