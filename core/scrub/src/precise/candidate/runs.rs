//! Checks of the runs of a batch, from cheap to expensive.
//!
//! Each function asks one question about one run and puts it on the list for the next question. See
//! the [prefilters](super::super::kinds) for why no run with a secret is lost.

use super::super::super::simd::{BLOCK, Lanes};
use super::super::escape::{self, is_sign};
use super::super::kinds::{Kinds, MAX_COUNTED, MIN_PLAIN_RUN, load_u64};
use super::offsets::{BATCH, OffsetList};
use super::starts_like_known_kind;

/// The text of a batch, and the classes of its bytes.
#[derive(Clone, Copy)]
pub(super) struct Runs<'n, 'a> {
    pub kinds: &'a Kinds,
    pub text: &'a [u8],
    /// Where the batch starts.
    pub start: usize,
    pub classes: &'n ByteClasses,
}

/// One bit for each byte of a batch: token bytes, bytes of a plain run, letters and digits, digits.
pub(super) struct ByteClasses {
    pub tokens: Bits,
    pub plain: Bits,
    pub letters: Bits,
    pub digits: Bits,
}

/// The bits of the blocks of a batch and of two more, in bytes, so that they can be read from any
/// place.
pub(super) type Bits = [[u8; 8]; BATCH + 2];

/// With fewer signs at the start of a run than this, the eight bytes around the start include the
/// four that are checked.
const SIGNS_IN_WORD: usize = 4;

/// How many bits can be read from any place: 64 less the seven that may lie before it in its byte.
const READABLE_BITS: usize = 57;
/// A hidden run behind the last block still has the bits of one more block.
const _: () = assert!(MAX_COUNTED < READABLE_BITS && MAX_COUNTED + escape::MAX_HIDDEN <= BLOCK);

impl ByteClasses {
    /// Which bytes of a block are token bytes.
    #[inline(always)]
    pub(super) fn tokens(&self, block: usize) -> u64 {
        u64::from_le_bytes(self.tokens[block])
    }
}

impl Runs<'_, '_> {
    /// Queues the checks of the run that starts at a place: does it begin with a prefix, is it a
    /// plain run (both behind the signs at its start), and does it hide the start of another run?
    #[inline(always)]
    pub(super) fn queue(
        self,
        place: usize,
        prefixed: &mut OffsetList<'_>,
        unprefixed: &mut OffsetList<'_>,
        hidden: &mut OffsetList<'_>,
    ) {
        let bytes = self.bytes_around(place);
        let [before, first, ..] = bytes.to_le_bytes();
        hidden.add(place, escape::may_hide(before, first));
        let signs = Self::bits_from(&self.classes.letters, place).trailing_zeros() as usize;
        let (place, few) = (place + signs, signs <= escape::MAX_HIDDEN);
        let shown = signs < SIGNS_IN_WORD;
        let begin = if shown { bytes >> (8 * (1 + signs)) } else { self.load_u64(place) };
        prefixed.add(place, few & self.kinds.may_start_with(begin as u32));
        unprefixed.add(place, few & self.is_plain(place));
    }

    /// Queues what is hidden at the start of a run. Mostly without a branch.
    #[inline(always)]
    pub(super) fn queue_hidden(
        self,
        place: usize,
        prefixed: &mut OffsetList<'_>,
        unprefixed: &mut OffsetList<'_>,
    ) {
        let bytes = self.bytes_around(place);
        let seen = escape::quick_hidden_length(bytes as u8, bytes >> 8);
        let length = match seen {
            Some(length) => length,
            None => self.hidden_length(place),
        };
        let (place, hides) = (place + length, length > 0);
        prefixed.add(place, hides & self.kinds.may_start_with(self.load_u64(place) as u32));
        // Behind hexadecimal digits no value starts, and nothing is joined to them.
        let may_be_unprefixed = seen.is_none() | self.needs_no_value(place);
        unprefixed.add(place, hides & self.is_plain(place) & may_be_unprefixed);
    }

    /// How many bytes stand before what is hidden at the start of a run; zero if nothing is.
    #[inline(never)]
    fn hidden_length(self, place: usize) -> usize {
        let at = self.start + place;
        let length = escape::hidden_length(Some(self.before(place)), &self.text[at..]);
        let begins = self.text.get(at + length).is_some_and(|first| !is_sign(*first));
        if begins { length } else { 0 }
    }

    /// The byte before a place and seven bytes from it on; zeros outside the text.
    #[inline(always)]
    fn bytes_around(self, place: usize) -> u64 {
        match (self.start + place).checked_sub(1) {
            Some(before) => load_u64(self.text, before),
            None => load_u64(self.text, 0) << 8,
        }
    }

    /// Eight bytes from a place on.
    #[inline(always)]
    fn load_u64(self, place: usize) -> u64 {
        load_u64(self.text, self.start + place)
    }

    /// The byte before a place; zero at the start of the text.
    #[inline(always)]
    fn before(self, place: usize) -> u8 {
        self.text.get((self.start + place).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// The bits from a place on, [`READABLE_BITS`] of them.
    #[inline(always)]
    fn bits_from(bits: &Bits, place: usize) -> u64 {
        let word = bits.as_flattened().get(place / 8..).and_then(<[u8]>::first_chunk);
        word.map_or(0, |word| u64::from_le_bytes(*word)) >> (place % 8)
    }

    /// The bits from a place on, at most 32.
    #[inline(always)]
    fn low_bits_from(bits: &Bits, place: usize) -> u32 {
        Self::bits_from(bits, place) as u32
    }

    /// True if a plain run starts there that is long enough to be a secret and has a digit.
    #[inline(always)]
    fn is_plain(self, place: usize) -> bool {
        let belongs = Self::low_bits_from(&self.classes.plain, place);
        let run = belongs & !belongs.wrapping_add(1);
        (run & Self::low_bits_from(&self.classes.digits, place) != 0)
            & (run >> (MIN_PLAIN_RUN - 1) & 1 == 1)
    }

    /// True if a plain run at the place may be a secret although no value starts there.
    #[inline(always)]
    fn needs_no_value(self, place: usize) -> bool {
        let length = Self::low_bits_from(&self.classes.plain, place).trailing_ones() as usize;
        let next = self.text.get(self.start + place + length).copied().unwrap_or(0);
        (length >= self.kinds.min_unvalued_run) | self.kinds.is_short_closer(next)
    }

    /// Queues the remaining checks of a plain run. Mostly there are none: no unprefixed kind begins
    /// with as many letters and digits, and nothing before the run is joined to it.
    #[inline(always)]
    pub(super) fn queue_unprefixed(
        self,
        place: usize,
        left: &mut OffsetList<'_>,
        continued: &mut OffsetList<'_>,
    ) {
        let before = self.before(place);
        let value = self.kinds.may_follow(before);
        let length = |bits: &Bits| Self::bits_from(bits, place).trailing_ones();
        let (letters, tokens) = (length(&self.classes.letters), length(&self.classes.tokens));
        let start = self.start + place;
        let start_counts = &self.kinds.start_counts;
        let may_start = start_counts.may_start(self.text, start, letters, tokens, value);
        left.add(place, (value | self.needs_no_value(place)) & may_start);
        continued.add(place, self.kinds.may_continue_after(before));
    }

    /// True if the run starts like a kind with a prefix.
    #[inline(always)]
    pub(super) fn starts_like_known_kind(self, place: usize) -> bool {
        starts_like_known_kind(self.kinds, self.text, self.start + place)
    }

    /// True if the plain run may be of an unprefixed kind.
    #[inline(always)]
    pub(super) fn may_be_unprefixed<L: Lanes>(self, place: usize) -> bool {
        let at = self.start + place;
        self.kinds.may_match_block::<L>(self.text, at)
            && self.kinds.may_be_unprefixed(self.text, at)
    }

    /// The same for a run that may continue what stands before it.
    #[inline(always)]
    pub(super) fn may_continue<L: Lanes>(self, place: usize) -> bool {
        let at = self.start + place;
        !self.is_plain_assignment(place)
            && self.kinds.may_continue_block::<L>(self.text, at)
            && self.kinds.may_be_unprefixed(self.text, at)
    }

    /// A prefilter for assignments such as `name=run` and `name=-run`. True for most of those that
    /// continue nothing: no unprefixed kind crosses the joiner, and the one run before it starts
    /// like no kind.
    #[inline(always)]
    fn is_plain_assignment(self, place: usize) -> bool {
        if self.kinds.is_crossed_joiner(self.before(place)) {
            return false;
        }
        let Some(signs) = self.tokens_before(place) else { return false };
        let Some(joiner) = place.checked_sub(signs + 1) else { return false };
        let Some(length) = self.tokens_before(joiner) else { return false };
        let name = joiner - length;
        if place - name > BLOCK {
            return false;
        }
        let Runs { kinds, text, start, .. } = self;
        let (before, first) = (self.before(name), text[start + name]);
        !kinds.is_crossed_joiner(text[start + joiner])
            & !kinds.may_continue_after(before)
            & !escape::may_hide(before, first)
            & !is_sign(first)
            && !kinds.may_have_prefix(text, start + name)
            && (signs == 0 || !self.may_start(place - signs))
    }

    /// A prefilter: false only if no kind starts at the sign there.
    #[inline(always)]
    fn may_start(self, place: usize) -> bool {
        let (at, tokens) = (self.start + place, Self::bits_from(&self.classes.tokens, place));
        self.kinds.may_start(self.text, at)
            | self.kinds.start_counts.may_start(self.text, at, 0, tokens.trailing_ones(), true)
    }

    /// How many token bytes stand before a place; `None` if that is not known.
    #[inline(always)]
    fn tokens_before(self, place: usize) -> Option<usize> {
        let bits = Self::bits_from(&self.classes.tokens, place.checked_sub(READABLE_BITS)?);
        let count = (bits << (u64::BITS as usize - READABLE_BITS)).leading_ones() as usize;
        (count < READABLE_BITS).then_some(count)
    }
}
