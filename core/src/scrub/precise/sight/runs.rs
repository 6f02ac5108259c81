//! Asks the runs of a batch, all of them one thing before the next.

use super::super::super::simd::{BLOCK, Lanes};
use super::super::kinds::PLAIN;
use super::batch::{BATCH, Places};
use super::sweep::Held;
use super::{begins_as_known, escape, is_sign};

/// The runs that are left to be asked.
pub(super) struct Runs<'l, 'a> {
    pub held: &'l mut Held<'a>,
    pub plain_bytes: &'l [u64; BATCH + 2],
    pub digits: &'l [u64; BATCH + 2],
    pub blocks: usize,
    /// What may begin with a prefix.
    pub opening: Places<'l>,
    /// Those that are long enough to be a secret, with a digit.
    pub plain: Places<'l>,
    /// Of these those that may be a value, that are so long that they need not be one, and that
    /// go on with something before them.
    pub valued: Places<'l>,
    pub long: Places<'l>,
    pub joined: Places<'l>,
}

impl Runs<'_, '_> {
    /// Lists what is to be asked of the run that starts at the place. True if it may hide the start
    /// of another.
    #[inline(always)]
    pub(super) fn list(&mut self, place: usize) -> bool {
        let (kinds, text, at) = (self.held.kinds, self.held.text, self.held.start + place);
        let (before, first) = (self.held.byte_before(at), text[at]);
        let may_start = !is_sign(first);
        self.opening.add(place, may_start & kinds.may_open(text, at));
        self.plain.add(place, may_start & self.is_plain(place));
        self.held.sights.sieve.may_hide(before, first)
    }

    /// Lists what is hidden at the start of a run.
    #[inline(always)]
    pub(super) fn uncover(&mut self, place: usize) {
        let (text, at) = (self.held.text, self.held.start + place);
        let length = escape::hidden(self.held.byte_before(at), &text[at..]);
        if length > 0 && text.get(at + length).is_some_and(|first| !is_sign(*first)) {
            let (place, at) = (place + length, at + length);
            self.opening.add(place, self.held.kinds.may_open(text, at));
            self.plain.add(place, self.is_plain(place));
        }
    }

    /// So many bits of a batch from a place on, at most 32.
    #[inline(always)]
    fn from(bits: &[u64; BATCH + 2], place: usize) -> u32 {
        let (block, offset) = (place / BLOCK, (place % BLOCK) as u32);
        (bits[block] >> offset | bits[block + 1] << 1 << (BLOCK as u32 - 1 - offset)) as u32
    }

    /// True if a run starts there that is long enough to be a secret, with a digit.
    #[inline(always)]
    fn is_plain(&self, place: usize) -> bool {
        let belongs = Self::from(self.plain_bytes, place);
        let run = belongs & !belongs.wrapping_add(1);
        (run & Self::from(self.digits, place) != 0) & (run >> (PLAIN - 1) & 1 == 1)
    }

    /// Lists what is to be asked of the plain runs.
    #[inline(always)]
    pub(super) fn sort(&mut self) {
        let (kinds, text, start) = (self.held.kinds, self.held.text, self.held.start);
        for place in self.plain.all() {
            let length = Self::from(self.plain_bytes, place).trailing_ones() as usize;
            let before = self.held.byte_before(start + place).unwrap_or(0);
            let next = text.get(start + place + length).copied().unwrap_or(0);
            let valued = kinds.may_be_value(before);
            self.valued.add(place, valued);
            let long = (length >= kinds.unsaid) | kinds.closes(next);
            self.long.add(place, long & !valued);
            self.joined.add(place, kinds.may_join(before));
        }
    }

    #[inline(always)]
    pub(super) fn check_opening(&mut self) {
        for place in self.opening.all() {
            if begins_as_known(self.held.kinds, self.held.text, self.held.start + place) {
                self.held.hold(place, self.blocks);
            }
        }
    }

    /// Holds the plain runs that may be of a kind without a prefix.
    #[inline(always)]
    pub(super) fn check_valued<L: Lanes>(&mut self, mut left: Places<'_>) {
        let (kinds, text, start) = (self.held.kinds, self.held.text, self.held.start);
        for place in self.valued.all() {
            left.add(place, kinds.may_be_bare_run::<L>(text, start + place, true));
        }
        for place in self.long.all() {
            left.add(place, kinds.may_be_bare_run::<L>(text, start + place, false));
        }
        for place in left.all() {
            let at = start + place;
            if kinds.glance::<L>(text, at) && kinds.may_be_plain(text, at) {
                self.held.hold(place, self.blocks);
            }
        }
    }

    /// The same of those that go on with something before them.
    #[inline(always)]
    pub(super) fn check_joined<L: Lanes>(&mut self) {
        let (kinds, text, start) = (self.held.kinds, self.held.text, self.held.start);
        for place in self.joined.all() {
            let at = start + place;
            if kinds.glance_back::<L>(text, at) && kinds.may_be_plain(text, at) {
                self.held.hold(place, self.blocks);
            }
        }
    }
}
