//! Lists of places in a batch of blocks, filled and thinned without a branch.

use super::super::super::simd::BLOCK;

/// The most blocks of a batch: a bit each.
pub(super) const BATCH: usize = u64::BITS as usize;

/// Places of a batch, counted from its start.
pub(super) struct Places<'l> {
    list: &'l mut [u16],
    pub length: usize,
}

impl<'l> Places<'l> {
    #[inline(always)]
    pub(super) fn new(list: &'l mut [u16]) -> Places<'l> {
        Places { list, length: 0 }
    }

    /// Adds the place if it counts, without a branch.
    #[inline(always)]
    pub(super) fn add(&mut self, place: usize, counts: bool) {
        self.list[self.length] = place as u16;
        self.length += usize::from(counts);
    }

    /// Adds where the bits of a block are set: one at least, and mostly two or fewer.
    #[inline(always)]
    pub(super) fn add_bits(&mut self, block: usize, mut bits: u64) {
        let count = bits.count_ones() as usize;
        let base = block * BLOCK;
        let mut length = self.length;
        self.length += count;
        loop {
            for _ in 0..2 {
                self.list[length] = (base + bits.trailing_zeros() as usize) as u16;
                length += 1;
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                return;
            }
        }
    }

    /// Keeps those that count, in their order, and without a branch.
    #[inline(always)]
    pub(super) fn keep(&mut self, mut counts: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.length {
            let place = self.list[at];
            self.list[kept] = place;
            kept += usize::from(counts(usize::from(place)));
        }
        self.length = kept;
    }

    #[inline(always)]
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.list[..self.length].iter().map(|place| usize::from(*place))
    }

    /// The same, so many at a time.
    #[inline(always)]
    pub(super) fn in_parts(
        &self,
        length: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = usize>> {
        let parts = self.list[..self.length].chunks(length);
        parts.map(|part| part.iter().map(|place| usize::from(*place)))
    }
}
