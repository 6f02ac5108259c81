//! Lists of places in a batch, filled and filtered without branches.

use super::super::super::simd::BLOCK;

/// The most blocks of a batch: one bit each in a 64-bit word.
pub(super) const BATCH: usize = u64::BITS as usize;

/// A list of places, as offsets from the start of the batch.
pub(super) struct OffsetList<'l> {
    bucket: &'l mut [u16],
    pub length: usize,
}

impl<'l> OffsetList<'l> {
    #[inline(always)]
    /// An empty list.
    pub(super) fn new(bucket: &'l mut [u16]) -> OffsetList<'l> {
        OffsetList { bucket, length: 0 }
    }

    /// Adds the place if `keeps` is true, without a branch.
    #[inline(always)]
    pub(super) fn add(&mut self, place: usize, keeps: bool) {
        self.bucket[self.length] = place as u16;
        self.length += usize::from(keeps);
    }

    /// Adds the places of the set bits of a block. There is at least one, and mostly there are at
    /// most two.
    #[inline(always)]
    pub(super) fn add_bits(&mut self, block: usize, mut bits: u64) {
        let count = bits.count_ones() as usize;
        let base = block * BLOCK;
        let mut length = self.length;
        self.length += count;
        loop {
            for _ in 0..2 {
                self.bucket[length] = (base + bits.trailing_zeros() as usize) as u16;
                length += 1;
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                return;
            }
        }
    }

    /// Keeps the places for which `keeps` is true, in order and without a branch.
    #[inline(always)]
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.length {
            let place = self.bucket[at];
            self.bucket[kept] = place;
            kept += usize::from(keeps(usize::from(place)));
        }
        self.length = kept;
    }

    /// All places.
    #[inline(always)]
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.bucket[..self.length].iter().map(|place| usize::from(*place))
    }

    /// The places, `length` at a time.
    #[inline(always)]
    pub(super) fn chunks(
        &self,
        length: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = usize>> {
        let parts = self.bucket[..self.length].chunks(length);
        parts.map(|part| part.iter().map(|place| usize::from(*place)))
    }
}
