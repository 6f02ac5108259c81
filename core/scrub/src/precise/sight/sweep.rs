//! Goes through a text in batches of blocks of 64 bytes.

use super::super::super::simd::{BLOCK, Lanes, Task};
use super::super::escape;
use super::super::kinds::Kinds;
use super::batch::{Batch, Notes};
use super::held::Held;
use super::places::BATCH;
use super::{Sight, Sights};

/// A pass over a text.
pub(in crate::precise) struct Sweep<'a> {
    held: Held<'a>,
    notes: Notes,
    /// Sights lie before it.
    to: usize,
    /// Where the batch starts that comes next.
    next: usize,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        sights: &'a Sights,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> Sweep<'a> {
        let held = Held::new(sights, kinds, text);
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
    pub(in crate::precise) fn next(&mut self, from: usize) -> Option<Sight> {
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
