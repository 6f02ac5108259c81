//! Goes through a text in batches of blocks of 64 bytes and holds the sights of one batch as bits.

use super::super::super::simd::{BLOCK, Lanes, Task};
use super::super::kinds::Kinds;
use super::batch::{BATCH, Batch, Notes, Places};
use super::{Sight, Sights, Sort, escape};

/// A pass over a text.
pub(in crate::scrub::precise) struct Sweep<'a> {
    held: Held<'a>,
    notes: Notes,
    /// Sights lie before it.
    to: usize,
    /// Where the batch starts that comes next.
    next: usize,
}

/// The sights of a batch.
pub(super) struct Held<'a> {
    pub sights: &'a Sights,
    pub kinds: &'a Kinds,
    pub text: &'a [u8],
    /// Where the batch starts.
    pub start: usize,
    /// Where words are in each block, and where runs start.
    pub words: [u64; BATCH],
    pub runs: [u64; BATCH],
    /// The blocks that may have some, a bit each.
    pub blocks: u64,
    /// Starts in the next batch that an escape sequence in this one has put there.
    pub late: u64,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        sights: &'a Sights,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> Sweep<'a> {
        let (words, runs) = ([0; BATCH], [0; BATCH]);
        let held = Held { sights, kinds, text, start: 0, words, runs, blocks: 0, late: 0 };
        let mut sweep = Sweep { held, notes: Notes::new(), to, next: 0 };
        sweep.seat(from);
        sweep
    }

    /// Lets the next batch start at `from`, or so little before it that no start behind an escape
    /// sequence is lost.
    fn seat(&mut self, from: usize) {
        self.next = from.saturating_sub(escape::LONGEST);
        (self.held.blocks, self.held.late) = (0, 0);
    }

    /// The first sight that is not before `from`, which never goes back.
    pub(in crate::scrub::precise) fn next(&mut self, from: usize) -> Option<Sight> {
        if from > self.next {
            self.seat(from);
        }
        loop {
            while let Some(sight) = self.held.take() {
                if sight.at >= from {
                    return (sight.at < self.to).then_some(sight);
                }
            }
            // A word may be sought by what is behind its start.
            let end = self.to.saturating_add(self.held.sights.lead).min(self.held.text.len());
            if self.next >= end {
                return None;
            }
            let blocks = (end - self.next).div_ceil(BLOCK).min(BATCH);
            self.held.start = self.next;
            self.next += blocks * BLOCK;
            let level = self.held.sights.level;
            let mut batch = Batch { held: &mut self.held, notes: &mut self.notes, blocks };
            level.run(Read(&mut batch));
            level.run(Fill(&mut batch));
        }
    }
}

impl Held<'_> {
    /// Takes the first sight.
    #[inline]
    fn take(&mut self) -> Option<Sight> {
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
            let word = if words & bit != 0 { self.sights.word(self.text, at) } else { None };
            if runs & bit != 0 {
                let then = word.map(|word| word.sort);
                return Some(Sight { at, sort: Sort::Run, then });
            }
            if let Some(word) = word {
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

/// Looks at the bytes of a batch.
struct Read<'b, 's, 'a>(&'b mut Batch<'s, 'a>);

impl Task for Read<'_, '_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.0.look_at_bytes::<L>();
    }
}

/// Finds the sights of a batch.
struct Fill<'b, 's, 'a>(&'b mut Batch<'s, 'a>);

impl Task for Fill<'_, '_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.0.look::<L>();
    }
}
