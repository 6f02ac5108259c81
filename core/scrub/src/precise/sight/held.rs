//! The sights of one batch, held as bits.

use super::super::super::simd::{BLOCK, Lanes};
use super::super::kinds::Kinds;
use super::places::{BATCH, Places};
use super::{Sight, Sights, Sort};

/// The sights of a batch.
pub(super) struct Held<'a> {
    pub sights: &'a Sights,
    pub kinds: &'a Kinds,
    pub text: &'a [u8],
    /// Where the batch starts.
    pub start: usize,
    /// Where what is sought of words is in each block, and where runs start.
    pub words: [u64; BATCH],
    pub runs: [u64; BATCH],
    /// The blocks that may have some, a bit each.
    pub blocks: u64,
    /// Starts in the next batch that an escape sequence in this one has put there.
    pub late: u64,
}

impl<'a> Held<'a> {
    pub(super) fn new(sights: &'a Sights, kinds: &'a Kinds, text: &'a [u8]) -> Held<'a> {
        let (words, runs) = ([0; BATCH], [0; BATCH]);
        Held { sights, kinds, text, start: 0, words, runs, blocks: 0, late: 0 }
    }

    /// Takes the first sight.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Sight> {
        while self.blocks != 0 {
            let block = self.blocks.trailing_zeros() as usize;
            let (words, runs) = (self.words[block], self.runs[block]);
            let left = words | runs;
            if left == 0 {
                self.blocks &= self.blocks - 1;
                continue;
            }
            let bit = left & left.wrapping_neg();
            let at = self.start + block * BLOCK + bit.trailing_zeros() as usize;
            (self.words[block], self.runs[block]) = (words & !bit, runs & !bit);
            self.blocks ^= u64::from(left == bit) << block;
            if runs & bit != 0 {
                let then = self.sights.word_from(self.text, at).map(|word| word.sort);
                return Some(Sight { at, sort: Sort::Run, then });
            }
            if let Some(word) = self.sights.word(self.text, at) {
                return Some(Sight { at: at - word.lead, sort: word.sort, then: None });
            }
        }
        None
    }

    /// Holds those of the places that may be words, but for links that hold nothing, and empties
    /// the list.
    #[inline(always)]
    pub(super) fn hold_words<L: Lanes>(&mut self, places: &mut Places<'_>, links: &mut Places<'_>) {
        let Held { sights, text, start, .. } = *self;
        places.keep(|place| {
            let (stays, link) = sights.may_be_word(text, start + place);
            links.add(place, link);
            stays & !link
        });
        for place in places.all() {
            self.hold_word(place);
        }
        for place in links.all() {
            if sights.links.may_hold::<L>(text, start + place) {
                self.hold_word(place);
            }
        }
        (places.length, links.length) = (0, 0);
    }

    #[inline(always)]
    fn hold_word(&mut self, place: usize) {
        self.words[place / BLOCK % BATCH] |= 1 << (place % BLOCK);
        self.blocks |= 1 << (place / BLOCK % BATCH);
    }

    /// Holds the run that starts at the place, in a batch of so many blocks or behind it.
    #[inline(always)]
    pub(super) fn hold(&mut self, place: usize, blocks: usize) {
        let bit = 1 << (place % BLOCK);
        match self.runs[..blocks].get_mut(place / BLOCK) {
            Some(runs) => {
                *runs |= bit;
                self.blocks |= 1 << (place / BLOCK);
            }
            None => self.late |= bit,
        }
    }

    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.get(at.checked_sub(1)?).copied()
    }
}
