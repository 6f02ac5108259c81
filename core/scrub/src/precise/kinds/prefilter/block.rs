//! The block filter: rejects runs by the 64 bytes from their start on, and, for a run that may
//! continue something, by the 64 bytes before it.
//!
//! It reads all bytes at once. From their classes it takes the counts for the [length
//! summary](super::summary), and then asks in this order: a possible length, a value context, a
//! digit, a keyword.

use super::length::{LengthFilter, MAX_WIDE, RunStart};
use super::summary::{INFIX, KEYWORD, UNVALUED};
use crate::precise::escape::{self, is_sign};
use crate::precise::kinds::shape::Set;
use crate::precise::kinds::{
    DIGIT_WINDOW, JOINERS, Kinds, MAX_JOINED, MIN_PLAIN_RUN, is_plain, joiner_before,
    keyword_context,
};
use crate::simd::{self, BLOCK, ByteSet, Class, Classes, Lanes, Task};
use crate::view::AHEAD;

/// The classes of bytes that the filter needs.
pub(in crate::precise::kinds) struct BlockFilter {
    classes: Classes<SETS>,
    joiners: Class,
    /// Token bytes, and the signs among them.
    before: Classes<2>,
    /// Bytes that may stand directly before a run that continues something.
    joining_bytes: ByteSet,
    letters: Class,
}

/// One block shows as much as the length filter counts.
const _: () = assert!(BLOCK >= MAX_WIDE);

/// How many classes of bytes the filter counts.
const SETS: usize = 5;

/// One bit for each byte of a block, for each class: bit 0 for the first byte.
#[derive(Clone, Copy)]
struct BlockClasses {
    digit: u64,
    letters: u64,
    dotted: u64,
    base64: u64,
    hexadecimal: u64,
}

impl BlockFilter {
    /// Builds the lookup tables of the classes.
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(in crate::precise::kinds) fn new() -> BlockFilter {
        let dashed = |b: u8| b.is_ascii_hexdigit() || b == b'-';
        let sets = [
            ByteSet::of(|b| b.is_ascii_digit()),
            ByteSet::of(|b| Set::ALNUM.has(b)),
            ByteSet::of(|b| Set::DOTTED.has(b)),
            ByteSet::of(|b| Set::BASE64.has(b)),
            ByteSet::of(dashed),
        ];
        let classes = Classes::new(&sets).expect("the classes of a run");
        let joiners = Class::new(ByteSet::of(|b| JOINERS.contains(&b))).expect("the joiners");
        let sets = [ByteSet::of(|b| Set::DOTTED.has(b)), ByteSet::of(is_sign)];
        let before = Classes::new(&sets).expect("the classes before a run");
        let joining_bytes = ByteSet::of(|b| JOINERS.contains(&b) || is_sign(b));
        let letters = Class::new(ByteSet::of(|b| Set::ALNUM.has(b))).expect("letters");
        BlockFilter { classes, joiners, before, joining_bytes, letters }
    }

    /// How many letters and digits there are from `at` on.
    #[inline(always)]
    fn letter_run_length<L: Lanes>(&self, text: &[u8], at: usize) -> usize {
        let mut end = at;
        loop {
            let more = L::matching(&self.letters, simd::block(text, end).bytes()).trailing_ones();
            end += more as usize;
            if more as usize != BLOCK {
                return end - at;
            }
        }
    }
}

impl Kinds {
    /// False only if no value starts behind this byte. Then
    /// [`may_be_unprefixed`](Kinds::may_be_unprefixed) is false, except for runs that are
    /// [long](Kinds::min_unvalued_run), [closed](Kinds::is_short_closer) or [continue
    /// something](Kinds::may_continue_after).
    #[inline(always)]
    pub(in crate::precise) fn may_follow(&self, before: u8) -> bool {
        keyword_context::may_stand_before(before)
    }

    /// False only if a run behind this byte does not continue anything.
    #[inline(always)]
    pub(in crate::precise) fn may_continue_after(&self, before: u8) -> bool {
        self.block_filter.joining_bytes.has(before)
    }

    /// True for a joiner that unprefixed kinds contain.
    #[inline(always)]
    pub(in crate::precise) fn is_crossed_joiner(&self, joiner: u8) -> bool {
        self.crossed_joiners.has(joiner)
    }

    /// True for a byte that ends the short first run of a kind that needs no value context.
    #[inline(always)]
    pub(in crate::precise) fn is_short_closer(&self, next: u8) -> bool {
        self.short_closers.has(next)
    }

    /// The classes of the bytes at `at`, and their counts. Letters and digits are counted as far as
    /// a full match counts them.
    #[inline(always)]
    fn run_start<L: Lanes>(&self, text: &[u8], at: usize) -> (BlockClasses, RunStart) {
        let here = simd::block(text, at);
        let classes = BlockClasses::new(L::each(&self.block_filter.classes, here.bytes()));
        let mut run_start = classes.run_start();
        if run_start.letters == BLOCK {
            run_start.letters =
                self.block_filter.letter_run_length::<L>(&text[..text.len().min(at + AHEAD)], at);
        }
        (classes, run_start)
    }

    /// The groups of kinds that the counts leave possible, as bits.
    #[inline(always)]
    fn possible_groups(
        &self,
        text: &[u8],
        at: usize,
        run_start: RunStart,
        must_continue: bool,
    ) -> u8 {
        let groups = self.summary.possible_groups(text, at, run_start, must_continue);
        // In a long run of base64 only the literals are missing.
        let unsigned =
            groups & INFIX != 0 && !self.infix_filter.allows(text, at, run_start, must_continue);
        if unsigned { groups & !INFIX } else { groups }
    }

    /// False only if no unprefixed kind begins with the plain run at `at`.
    #[inline(always)]
    pub(in crate::precise) fn may_match_block<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        self.may_start_unprefixed::<L>(text, at, false)
    }

    /// False only if the plain run at `at` continues nothing.
    #[inline(always)]
    pub(in crate::precise) fn may_continue_block<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let from = at.saturating_sub(BLOCK);
        let piece = simd::block(text, from);
        // At the start of the text the bits are shifted.
        let missing = (BLOCK - (at - from)) as u32;
        let joiners = L::matching(&self.block_filter.joiners, piece.bytes()) << missing;
        let [before, signs] = L::each(&self.block_filter.before, piece.bytes());
        let (before, signs) = (before << missing, signs << missing);
        let cut = !(before | joiners);
        let joiner = match signs.leading_ones() as usize {
            BLOCK => joiner_before(text, at),
            signs => (joiners << signs >> (BLOCK - 1) == 1).then(|| at - 1 - signs),
        };
        let Some(joiner) = joiner else { return false };
        let unprefixed_from = if self.is_crossed_joiner(text[joiner]) { 0 } else { joiner + 1 };
        if cut == 0 && from > 0 {
            return self.may_continue_two_blocks::<L>(text, at, unprefixed_from);
        }
        let first = u64::BITS - cut.leading_zeros();
        if first == u64::BITS {
            return false;
        }
        let mut starts = before & (joiners << 1 | 1 << first) & (u64::MAX << first);
        if matches!(text[at + first as usize - BLOCK], b'/' | b'+') {
            starts |= 1 << first;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            if self.may_begin_before::<L>(text, at, at + offset - BLOCK, unprefixed_from) {
                return true;
            }
        }
        false
    }

    /// True if a secret may begin at `start`, or behind what hides its start, and continue at `at`.
    /// Before `unprefixed_from`, only a secret with a prefix may begin.
    #[inline(always)]
    fn may_begin_before<L: Lanes>(
        &self,
        text: &[u8],
        at: usize,
        start: usize,
        unprefixed_from: usize,
    ) -> bool {
        if self.may_begin::<L>(text, start, unprefixed_from) {
            return true;
        }
        let before = start.checked_sub(1).map(|n| text[n]);
        if !escape::may_hide(before.unwrap_or(0), text[start]) && !is_sign(text[start]) {
            return false;
        }
        let hidden = escape::hidden_length(before, &text[start..at]);
        // A secret that begins at `at` is checked with the run itself.
        hidden > 0
            && start + hidden != at
            && self.may_begin::<L>(text, start + hidden, unprefixed_from)
    }

    /// True if a secret with a prefix may begin at `start`, or one without.
    #[inline(always)]
    fn may_begin<L: Lanes>(&self, text: &[u8], start: usize, unprefixed_from: usize) -> bool {
        self.may_start(text, start) && self.may_have_prefix(text, start)
            || start >= unprefixed_from && self.may_start_unprefixed::<L>(text, start, true)
    }

    /// [`may_continue_block`](Kinds::may_continue_block) for a run that reaches back farther than
    /// one block.
    #[inline(always)]
    fn may_continue_two_blocks<L: Lanes>(
        &self,
        text: &[u8],
        at: usize,
        unprefixed_from: usize,
    ) -> bool {
        let from = at.saturating_sub(MAX_JOINED);
        let pieces = [simd::block(text, from), simd::block(text, from + BLOCK)];
        let [first, then] = [pieces[0].bytes(), pieces[1].bytes()];
        // At the start of the text the bits are shifted.
        let missing = (MAX_JOINED - (at - from)) as u32;
        let joiner = &self.block_filter.joiners;
        let joiners = concat_bits(L::matching(joiner, first), L::matching(joiner, then)) << missing;
        let before = &self.block_filter.before;
        let ([first, _], [then, _]) = (L::each(before, first), L::each(before, then));
        let dotted = concat_bits(first, then) << missing;
        let before = u128::MAX >> (u128::BITS - MAX_JOINED as u32);
        let cut = !(dotted | joiners) & before;
        let first = u128::BITS - cut.leading_zeros();
        if first as usize == MAX_JOINED {
            return false;
        }
        let mut starts = dotted & (joiners << 1 | 1 << first) & (u128::MAX << first) & before;
        if matches!(text[at + first as usize - MAX_JOINED], b'/' | b'+') {
            starts |= 1 << first;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            if self.may_begin_before::<L>(text, at, at + offset - MAX_JOINED, unprefixed_from) {
                return true;
            }
        }
        false
    }

    /// False only if [`may_be_unprefixed_at`](Kinds::may_be_unprefixed_at) is false for `at`.
    #[inline(always)]
    fn may_start_unprefixed<L: Lanes>(&self, text: &[u8], at: usize, must_continue: bool) -> bool {
        let (classes, run_start) = self.run_start::<L>(text, at);
        let groups = self.possible_groups(text, at, run_start, must_continue);
        if groups & INFIX != 0 {
            return true;
        }
        if groups & KEYWORD == 0 {
            return false;
        }
        let check = KeywordCheck {
            kinds: self,
            text,
            at,
            classes,
            run_start,
            needs_no_value: groups & UNVALUED != 0,
            must_continue,
        };
        L::run_outlined(check)
    }
}

/// The remaining checks of a run that may be of a keyword kind.
struct KeywordCheck<'a> {
    kinds: &'a Kinds,
    text: &'a [u8],
    at: usize,
    classes: BlockClasses,
    run_start: RunStart,
    /// True if the run may be a secret without a value context.
    needs_no_value: bool,
    must_continue: bool,
}

impl Task for KeywordCheck<'_> {
    type Answer = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let KeywordCheck { kinds, text, at, classes, run_start, needs_no_value, must_continue } =
            self;
        let allows = |filter: &LengthFilter| filter.allows(text, at, run_start, must_continue);
        // The length filters decide last, because most runs have no keyword before them.
        (needs_no_value || self.may_follow::<L>())
            && classes.may_be_unprefixed(text, at)
            && kinds.keyword_context.may_have_keyword::<L>(text, at, run_start)
            && allows(&kinds.keyword_filter)
            && (!needs_no_value || allows(&kinds.unvalued_filter) || self.may_follow::<L>())
    }
}

impl KeywordCheck<'_> {
    /// False only if no value starts there, or nothing says that it is a secret.
    #[inline(always)]
    fn may_follow<L: Lanes>(&self) -> bool {
        let KeywordCheck { kinds, text, at, classes, .. } = *self;
        keyword_context::may_be_value_at(text, at)
            && (classes.may_be_assigned(text, at)
                || may_have_secret_word::<L>(
                    text,
                    at,
                    &L::load_tables(&kinds.keyword_context.secret_words),
                ))
    }
}

/// False only if no word that announces a secret stands before `at`.
#[inline(always)]
fn may_have_secret_word<L: Lanes>(
    text: &[u8],
    at: usize,
    secret_words: &L::LoadedTables<'_, 1>,
) -> bool {
    let from = at.saturating_sub(BLOCK);
    let words = L::any_gram_starts(secret_words, simd::block(text, from).bytes());
    words & (u64::MAX >> (BLOCK - (at - from)).min(63)) != 0
}

impl BlockClasses {
    /// The answers of the classes, by name.
    #[inline(always)]
    fn new([digit, letters, dotted, base64, hexadecimal]: [u64; SETS]) -> BlockClasses {
        BlockClasses { digit, letters, dotted, base64, hexadecimal }
    }

    /// The counts of the first block. The length filter counts only letters further.
    #[inline(always)]
    fn run_start(&self) -> RunStart {
        let length = |set: u64| set.trailing_ones() as usize;
        let letters = length(self.letters);
        RunStart { letters, dotted: length(self.dotted), base64: length(self.base64) }
    }

    /// False only if [`is_plain`] is false at `at`.
    #[inline(always)]
    fn may_be_unprefixed(&self, text: &[u8], at: usize) -> bool {
        let run = (self.dotted | self.base64).trailing_ones().min(DIGIT_WINDOW as u32);
        let within = self.digit & ((1 << run) - 1);
        run as usize >= MIN_PLAIN_RUN && within != 0
            || matches!(text.get(at + run as usize), Some(b':' | b'~')) && is_plain(&text[at..])
    }

    /// False only if [`keyword_context::is_assigned`] is false at `at`.
    #[inline(always)]
    fn may_be_assigned(&self, text: &[u8], at: usize) -> bool {
        let length = self.hexadecimal.trailing_ones();
        keyword_context::is_assigned(text, at, length as usize)
    }
}

/// The bits of two consecutive blocks.
#[inline(always)]
fn concat_bits(first: u64, then: u64) -> u128 {
    u128::from(first) | u128::from(then) << u64::BITS
}
