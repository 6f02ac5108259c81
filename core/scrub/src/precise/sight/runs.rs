//! What is asked of the runs of a batch, one thing of all of them before the next.

use super::super::super::simd::{BLOCK, Lanes};
use super::super::escape::{self, is_sign};
use super::super::kinds::{COUNTED, Kinds, PLAIN, eight};
use super::begins_as_known;
use super::places::{BATCH, Places};

/// The text of a batch, and what is known of its bytes.
#[derive(Clone, Copy)]
pub(super) struct Runs<'n, 'a> {
    pub kinds: &'a Kinds,
    pub text: &'a [u8],
    /// Where the batch starts.
    pub start: usize,
    pub marks: &'n Marks,
}

/// Which bytes of a batch are token bytes, which belong to a plain run, which are letters and
/// digits, and which are digits.
pub(super) struct Marks {
    pub tokens: Bits,
    pub plain: Bits,
    pub letters: Bits,
    pub digits: Bits,
}

/// The bits of the blocks of a batch and of two more, which can be read from any place on.
pub(super) type Bits = [[u8; 8]; BATCH + 2];

/// Behind fewer signs, the first eight bytes around a run show the four that are asked for.
const SHOWN: usize = 4;

/// So many bits can be read from any place on.
const KNOWN: usize = 57;
/// Of a run that is hidden behind the last block, the bits of one block more are known.
const _: () = assert!(COUNTED < KNOWN && COUNTED + escape::LONGEST <= BLOCK);

impl Marks {
    /// Which bytes of a block are token bytes.
    #[inline(always)]
    pub(super) fn tokens(&self, block: usize) -> u64 {
        u64::from_le_bytes(self.tokens[block])
    }
}

impl Runs<'_, '_> {
    /// Lists what is to be asked of the run that starts at the place: whether it begins with a
    /// prefix, whether it is one without, both behind the signs at its start, and whether it hides
    /// the start of another.
    #[inline(always)]
    pub(super) fn list(
        self,
        place: usize,
        opening: &mut Places<'_>,
        plain: &mut Places<'_>,
        hiding: &mut Places<'_>,
    ) {
        let around = self.around(place);
        let [before, first, ..] = around.to_le_bytes();
        hiding.add(place, escape::may_hide(before, first));
        let signs = Self::all_from(&self.marks.letters, place).trailing_zeros() as usize;
        let (place, few) = (place + signs, signs <= escape::LONGEST);
        let shown = signs < SHOWN;
        let begin = if shown { around >> (8 * (1 + signs)) } else { self.eight(place) };
        opening.add(place, few & self.kinds.may_open_with(begin as u32));
        plain.add(place, few & self.is_plain(place));
    }

    /// Lists what is hidden at the start of a run, for which hardly a branch is needed mostly.
    #[inline(always)]
    pub(super) fn uncover(self, place: usize, opening: &mut Places<'_>, plain: &mut Places<'_>) {
        let around = self.around(place);
        let seen = escape::seen(around as u8, around >> 8);
        let length = match seen {
            Some(length) => length,
            None => self.hidden(place),
        };
        let (place, hides) = (place + length, length > 0);
        opening.add(place, hides & self.kinds.may_open_with(self.eight(place) as u32));
        // Behind digits no value stands, nor is anything joined to them.
        let may_be_plain = seen.is_none() | self.is_long(place);
        plain.add(place, hides & self.is_plain(place) & may_be_plain);
    }

    /// How many bytes stand before what is hidden at the start of a run; zero if nothing is.
    #[inline(never)]
    fn hidden(self, place: usize) -> usize {
        let at = self.start + place;
        let length = escape::hidden(Some(self.before(place)), &self.text[at..]);
        let begins = self.text.get(at + length).is_some_and(|first| !is_sign(*first));
        if begins { length } else { 0 }
    }

    /// The byte before a place and seven from it on, zeros outside the text.
    #[inline(always)]
    fn around(self, place: usize) -> u64 {
        match (self.start + place).checked_sub(1) {
            Some(before) => eight(self.text, before),
            None => eight(self.text, 0) << 8,
        }
    }

    /// Eight bytes from a place on.
    #[inline(always)]
    fn eight(self, place: usize) -> u64 {
        eight(self.text, self.start + place)
    }

    /// The byte before a place, zero before the text.
    #[inline(always)]
    fn before(self, place: usize) -> u8 {
        self.text.get((self.start + place).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// The bits of a batch from a place on, [`KNOWN`] of them.
    #[inline(always)]
    fn all_from(bits: &Bits, place: usize) -> u64 {
        let eight = bits.as_flattened().get(place / 8..).and_then(<[u8]>::first_chunk);
        eight.map_or(0, |eight| u64::from_le_bytes(*eight)) >> (place % 8)
    }

    /// The bits of a batch from a place on, at most 32.
    #[inline(always)]
    fn from(bits: &Bits, place: usize) -> u32 {
        Self::all_from(bits, place) as u32
    }

    /// True if a run starts there that is long enough to be a secret, with a digit.
    #[inline(always)]
    fn is_plain(self, place: usize) -> bool {
        let belongs = Self::from(&self.marks.plain, place);
        let run = belongs & !belongs.wrapping_add(1);
        (run & Self::from(&self.marks.digits, place) != 0) & (run >> (PLAIN - 1) & 1 == 1)
    }

    /// True if a plain run at the place need not be a value.
    #[inline(always)]
    fn is_long(self, place: usize) -> bool {
        let length = Self::from(&self.marks.plain, place).trailing_ones() as usize;
        let next = self.text.get(self.start + place + length).copied().unwrap_or(0);
        (length >= self.kinds.unsaid) | self.kinds.closes(next)
    }

    /// Lists what is left to be asked of a plain run: of most nothing, as no kind without a prefix
    /// begins with as many letters and digits, and they go on with nothing before them.
    #[inline(always)]
    pub(super) fn sort(self, place: usize, left: &mut Places<'_>, joined: &mut Places<'_>) {
        let before = self.before(place);
        let value = self.kinds.may_be_value(before);
        let length = |bits: &Bits| Self::all_from(bits, place).trailing_ones();
        let (letters, tokens) = (length(&self.marks.letters), length(&self.marks.tokens));
        let start = self.start + place;
        let stretches = &self.kinds.stretches;
        let may_start = stretches.may_start(self.text, start, letters, tokens, value);
        left.add(place, (value | self.is_long(place)) & may_start);
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
        !self.is_assigned(place)
            && self.kinds.glance_back::<L>(self.text, at)
            && self.kinds.may_be_plain(self.text, at)
    }

    /// True for most of those that go on with nothing, as in `name=run` and `name=-run`: no kind
    /// without a prefix crosses the joint, and the one run before it begins as no kind does.
    #[inline(always)]
    fn is_assigned(self, place: usize) -> bool {
        if self.kinds.is_crossed(self.before(place)) {
            return false;
        }
        let Some(signs) = self.tokens_before(place) else { return false };
        let Some(joint) = place.checked_sub(signs + 1) else { return false };
        let Some(length) = self.tokens_before(joint) else { return false };
        let name = joint - length;
        if place - name > BLOCK {
            return false;
        }
        let Runs { kinds, text, start, .. } = self;
        let (before, first) = (self.before(name), text[start + name]);
        !kinds.is_crossed(text[start + joint])
            & !kinds.may_join(before)
            & !escape::may_hide(before, first)
            & !is_sign(first)
            && !kinds.may_have_prefix(text, start + name)
            && (signs == 0 || !self.may_start(place - signs))
    }

    /// False only if no kind starts at the sign there.
    #[inline(always)]
    fn may_start(self, place: usize) -> bool {
        let (at, tokens) = (self.start + place, Self::all_from(&self.marks.tokens, place));
        self.kinds.may_open(self.text, at)
            | self.kinds.stretches.may_start(self.text, at, 0, tokens.trailing_ones(), true)
    }

    /// How many token bytes stand before a place; `None` where that is not known.
    #[inline(always)]
    fn tokens_before(self, place: usize) -> Option<usize> {
        let bits = Self::all_from(&self.marks.tokens, place.checked_sub(KNOWN)?);
        let count = (bits << (u64::BITS as usize - KNOWN)).leading_ones() as usize;
        (count < KNOWN).then_some(count)
    }
}
