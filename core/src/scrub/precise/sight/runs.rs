//! What is asked of the runs of a batch, one thing of all of them before the next.

use super::super::super::simd::Lanes;
use super::super::escape::{self, is_sign};
use super::super::kinds::{Kinds, PLAIN};
use super::places::{BATCH, Places};
use super::{begins_as_known, eight};

/// The text of a batch, and what is known of its bytes.
#[derive(Clone, Copy)]
pub(super) struct Runs<'n, 'a> {
    pub kinds: &'a Kinds,
    pub text: &'a [u8],
    /// Where the batch starts.
    pub start: usize,
    pub plain_bytes: &'n Bits,
    pub digits: &'n Bits,
}

/// The bits of the blocks of a batch and of two more, which can be read from any place on.
pub(super) type Bits = [[u8; 8]; BATCH + 2];

impl Runs<'_, '_> {
    /// Lists what is to be asked of the run that starts at the place: whether it begins with a
    /// prefix, whether it is one without, and whether it hides the start of another.
    #[inline(always)]
    pub(super) fn list(
        self,
        place: usize,
        opening: &mut Places<'_>,
        plain: &mut Places<'_>,
        hiding: &mut Places<'_>,
    ) {
        let at = self.start + place;
        let first = self.text[at];
        let may_start = !is_sign(first);
        opening.add(place, may_start & self.kinds.may_open(self.text, at));
        plain.add(place, may_start & self.is_plain(place));
        hiding.add(place, escape::may_hide(self.before(place), first));
    }

    /// Lists what is hidden at the start of a run, for which hardly a branch is needed mostly.
    #[inline(always)]
    pub(super) fn uncover(self, place: usize, opening: &mut Places<'_>, plain: &mut Places<'_>) {
        let eight = eight(self.text, self.start + place);
        let before = self.before(place);
        let Some(escape::Hidden { length, digits }) = escape::seen(before, eight) else {
            return self.uncover_rare(place, opening, plain);
        };
        let place = place + length;
        opening.add(place, (length > 0) & self.kinds.may_open_with((eight >> (8 * length)) as u32));
        // Behind digits no value stands, nor is anything joined to them.
        plain.add(place, (length > 0) & self.is_plain(place) & (!digits | self.is_long(place)));
    }

    #[inline(never)]
    fn uncover_rare(self, place: usize, opening: &mut Places<'_>, plain: &mut Places<'_>) {
        let at = self.start + place;
        let length = escape::hidden(Some(self.before(place)), &self.text[at..]);
        if length > 0 && self.text.get(at + length).is_some_and(|first| !is_sign(*first)) {
            let (place, at) = (place + length, at + length);
            opening.add(place, self.kinds.may_open(self.text, at));
            plain.add(place, self.is_plain(place));
        }
    }

    /// The byte before a place, zero before the text.
    #[inline(always)]
    fn before(self, place: usize) -> u8 {
        self.text.get((self.start + place).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// The bits of a batch from a place on, at most 32.
    #[inline(always)]
    fn from(bits: &Bits, place: usize) -> u32 {
        let eight = bits.as_flattened().get(place / 8..).and_then(<[u8]>::first_chunk);
        (eight.map_or(0, |eight| u64::from_le_bytes(*eight)) >> (place % 8)) as u32
    }

    /// True if a run starts there that is long enough to be a secret, with a digit.
    #[inline(always)]
    fn is_plain(self, place: usize) -> bool {
        let belongs = Self::from(self.plain_bytes, place);
        let run = belongs & !belongs.wrapping_add(1);
        (run & Self::from(self.digits, place) != 0) & (run >> (PLAIN - 1) & 1 == 1)
    }

    /// True if a plain run at the place need not be a value.
    #[inline(always)]
    fn is_long(self, place: usize) -> bool {
        let length = Self::from(self.plain_bytes, place).trailing_ones() as usize;
        let next = self.text.get(self.start + place + length).copied().unwrap_or(0);
        (length >= self.kinds.unsaid) | self.kinds.closes(next)
    }

    /// Lists what is left to be asked of a plain run: of most nothing, as they are of no kind
    /// without a prefix, and go on with nothing before them.
    #[inline(always)]
    pub(super) fn sort<L: Lanes>(
        self,
        place: usize,
        left: &mut Places<'_>,
        joined: &mut Places<'_>,
    ) {
        let before = self.before(place);
        let value = self.kinds.may_be_value(before);
        let bare = self.kinds.may_be_bare_run::<L>(self.text, self.start + place, value);
        left.add(place, (value | self.is_long(place)) & bare);
        joined.add(place, self.kinds.may_join(before));
    }

    /// True if the run begins as a kind with a prefix does.
    #[inline(always)]
    pub(super) fn begins_as_known(self, place: usize) -> bool {
        begins_as_known(self.kinds, self.text, self.start + place)
    }

    /// True if the plain run may be of a kind without a prefix.
    #[inline(always)]
    pub(super) fn is_bare<L: Lanes>(self, place: usize) -> bool {
        let at = self.start + place;
        self.kinds.glance::<L>(self.text, at) && self.kinds.may_be_plain(self.text, at)
    }

    /// The same of one that goes on with something before it.
    #[inline(always)]
    pub(super) fn is_joined<L: Lanes>(self, place: usize) -> bool {
        let at = self.start + place;
        self.kinds.glance_back::<L>(self.text, at) && self.kinds.may_be_plain(self.text, at)
    }
}
