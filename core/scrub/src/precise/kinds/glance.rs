//! Says no to nearly every run that is of no kind without a prefix, from what stands where in the
//! 64 bytes behind its start, and, where it may go on with something before it, around it.

use super::super::super::simd::{self, BLOCK, ByteSet, Class, Classes, Lanes, Task};
use super::super::escape::{self, is_sign};
use super::AHEAD;
use super::gate::{Gate, Opening, WIDE};
use super::outline::{FREE, MARKED, TOLD};
use super::shape::Set;
use super::{DIGIT_WITHIN, JOINED, JOINTS, Kinds, PLAIN, is_plain, joint, vicinity};

/// The sets that are asked for.
pub(super) struct Glance {
    classes: Classes<SETS>,
    joints: Class,
    /// Token bytes, and the signs among them.
    behind: Classes<2>,
    /// What may stand directly before what goes on with something before it.
    links: ByteSet,
    letters: Class,
}

/// What a block shows of signs is as much as a gate asks.
const _: () = assert!(BLOCK >= WIDE);

const SETS: usize = 5;

/// Which bytes of a block are in which set: bit 0 for its first byte.
#[derive(Clone, Copy)]
struct Seen {
    digit: u64,
    letters: u64,
    dotted: u64,
    base64: u64,
    hexadecimal: u64,
}

impl Glance {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(super) fn new() -> Glance {
        let dashed = |b: u8| b.is_ascii_hexdigit() || b == b'-';
        let sets = [
            ByteSet::of(|b| b.is_ascii_digit()),
            ByteSet::of(|b| Set::ALNUM.has(b)),
            ByteSet::of(|b| Set::DOTTED.has(b)),
            ByteSet::of(|b| Set::BASE64.has(b)),
            ByteSet::of(dashed),
        ];
        let classes = Classes::new(&sets).expect("the classes of a run");
        let joints = Class::new(ByteSet::of(|b| JOINTS.contains(&b))).expect("the joints");
        let sets = [ByteSet::of(|b| Set::DOTTED.has(b)), ByteSet::of(is_sign)];
        let behind = Classes::new(&sets).expect("the classes before a run");
        let links = ByteSet::of(|b| JOINTS.contains(&b) || is_sign(b));
        let letters = Class::new(ByteSet::of(|b| Set::ALNUM.has(b))).expect("letters");
        Glance { classes, joints, behind, links, letters }
    }

    /// How many letters and digits there are from `at` on.
    #[inline(always)]
    fn letters<L: Lanes>(&self, text: &[u8], at: usize) -> usize {
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
    /// False if no value stands behind this byte. Then [`may_be_plain`](Kinds::may_be_plain) is
    /// false but for runs that are [long](Kinds::unsaid), [closed](Kinds::closes) or
    /// [joined](Kinds::may_join).
    #[inline(always)]
    pub(in super::super) fn may_be_value(&self, before: u8) -> bool {
        vicinity::may_stand_before(before)
    }

    /// False if a run behind this byte does not go on with something before it.
    #[inline(always)]
    pub(in super::super) fn may_join(&self, before: u8) -> bool {
        self.glance.links.has(before)
    }

    /// True for a joint behind which a kind without a prefix may go on.
    #[inline(always)]
    pub(in super::super) fn is_crossed(&self, joint: u8) -> bool {
        self.crossed.has(joint)
    }

    /// True for the sign behind the opening of a kind that needs no value before it and opens
    /// with fewer bytes than others.
    #[inline(always)]
    pub(in super::super) fn closes(&self, next: u8) -> bool {
        self.closing.has(next)
    }

    /// What stands at `at`, and what it opens with: letters and digits are counted as far as a
    /// closer look counts them, the rest as far as a gate asks.
    #[inline(always)]
    fn opening<L: Lanes>(&self, text: &[u8], at: usize) -> (Seen, Opening) {
        let here = simd::block(text, at);
        let seen = Seen::new(L::each(&self.glance.classes, here.bytes()));
        let mut opening = seen.opening();
        if opening.letters == BLOCK {
            opening.letters = self.glance.letters::<L>(&text[..text.len().min(at + AHEAD)], at);
        }
        (seen, opening)
    }

    #[inline(always)]
    fn sorts(&self, text: &[u8], at: usize, opening: Opening, crossing: bool) -> u8 {
        let sorts = self.outline.sorts(text, at, opening, crossing);
        // Long base64 has all but the literals.
        let unsigned = sorts & MARKED != 0 && !self.marked.lets(text, at, opening, crossing);
        if unsigned { sorts & !MARKED } else { sorts }
    }

    /// False only if no kind without a prefix begins with the plain run at `at`.
    #[inline(always)]
    pub(in super::super) fn glance<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        self.may_open_bare::<L>(text, at, false)
    }

    /// False only if the plain run at `at` goes on with nothing before it.
    #[inline(always)]
    pub(in super::super) fn glance_back<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let from = at.saturating_sub(BLOCK);
        let piece = simd::block(text, from);
        // Where less stands before, the bits begin later.
        let missing = (BLOCK - (at - from)) as u32;
        let joints = L::matching(&self.glance.joints, piece.bytes()) << missing;
        let [behind, signs] = L::each(&self.glance.behind, piece.bytes());
        let (behind, signs) = (behind << missing, signs << missing);
        let cut = !(behind | joints);
        let joint = match signs.leading_ones() as usize {
            BLOCK => joint(text, at),
            signs => (joints << signs >> (BLOCK - 1) == 1).then(|| at - 1 - signs),
        };
        let Some(joint) = joint else { return false };
        let crossed = if self.is_crossed(text[joint]) { 0 } else { joint + 1 };
        if cut == 0 && from > 0 {
            return self.glance_far::<L>(text, at, crossed);
        }
        let first = u64::BITS - cut.leading_zeros();
        if first == u64::BITS {
            return false;
        }
        let mut starts = behind & (joints << 1 | 1 << first) & (u64::MAX << first);
        if matches!(text[at + first as usize - BLOCK], b'/' | b'+') {
            starts |= 1 << first;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            if self.may_begin_before::<L>(text, at, at + offset - BLOCK, crossed) {
                return true;
            }
        }
        false
    }

    /// True if a secret may begin at `start`, or behind what hides its start, and go on at `at`.
    /// Only one with a prefix begins before `crossed`.
    #[inline(always)]
    fn may_begin_before<L: Lanes>(
        &self,
        text: &[u8],
        at: usize,
        start: usize,
        crossed: usize,
    ) -> bool {
        if self.may_begin::<L>(text, start, crossed) {
            return true;
        }
        let before = start.checked_sub(1).map(|n| text[n]);
        if !escape::may_hide(before.unwrap_or(0), text[start]) && !is_sign(text[start]) {
            return false;
        }
        let hidden = escape::hidden(before, &text[start..at]);
        // What begins at `at` itself is asked of the run.
        hidden > 0 && start + hidden != at && self.may_begin::<L>(text, start + hidden, crossed)
    }

    #[inline(always)]
    fn may_begin<L: Lanes>(&self, text: &[u8], start: usize, crossed: usize) -> bool {
        self.may_open(text, start) && self.may_have_prefix(text, start)
            || start >= crossed && self.may_open_bare::<L>(text, start, true)
    }

    /// [`glance_back`](Kinds::glance_back) for one that reaches farther back than a block.
    #[inline(always)]
    fn glance_far<L: Lanes>(&self, text: &[u8], at: usize, crossed: usize) -> bool {
        let from = at.saturating_sub(JOINED);
        let pieces = [simd::block(text, from), simd::block(text, from + BLOCK)];
        let [first, then] = [pieces[0].bytes(), pieces[1].bytes()];
        // Where less stands before, the bits begin later.
        let missing = (JOINED - (at - from)) as u32;
        let joint = &self.glance.joints;
        let joints = both(L::matching(joint, first), L::matching(joint, then)) << missing;
        let behind = &self.glance.behind;
        let ([first, _], [then, _]) = (L::each(behind, first), L::each(behind, then));
        let dotted = both(first, then) << missing;
        let behind = u128::MAX >> (u128::BITS - JOINED as u32);
        let cut = !(dotted | joints) & behind;
        let first = u128::BITS - cut.leading_zeros();
        if first as usize == JOINED {
            return false;
        }
        let mut starts = dotted & (joints << 1 | 1 << first) & (u128::MAX << first) & behind;
        if matches!(text[at + first as usize - JOINED], b'/' | b'+') {
            starts |= 1 << first;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            if self.may_begin_before::<L>(text, at, at + offset - JOINED, crossed) {
                return true;
            }
        }
        false
    }

    /// False only if [`may_be_bare`](Kinds::may_be_bare) is false for `at`.
    #[inline(always)]
    fn may_open_bare<L: Lanes>(&self, text: &[u8], at: usize, crossing: bool) -> bool {
        let (seen, opening) = self.opening::<L>(text, at);
        let sorts = self.sorts(text, at, opening, crossing);
        if sorts & MARKED != 0 {
            return true;
        }
        if sorts & TOLD == 0 {
            return false;
        }
        let rest = Rest { kinds: self, text, at, seen, opening, free: sorts & FREE != 0, crossing };
        L::apart(rest)
    }
}

/// What is left to be asked of a run that a word may tell.
struct Rest<'a> {
    kinds: &'a Kinds,
    text: &'a [u8],
    at: usize,
    seen: Seen,
    opening: Opening,
    /// False if it is no secret but where a value is given.
    free: bool,
    crossing: bool,
}

impl Task for Rest<'_> {
    type Answer = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Rest { kinds, text, at, seen, opening, free, crossing } = self;
        let lets = |gate: &Gate| gate.lets(text, at, opening, crossing);
        // The last word is the gates', but most runs have no vendor's name before them.
        (free || self.may_be_value::<L>())
            && seen.may_be_plain(text, at)
            && kinds.vicinity.may_tell::<L>(text, at, opening)
            && lets(&kinds.told)
            && (!free || lets(&kinds.free) || self.may_be_value::<L>())
    }
}

impl Rest<'_> {
    /// False only if no value of which more is said stands there.
    #[inline(always)]
    fn may_be_value<L: Lanes>(&self) -> bool {
        let Rest { kinds, text, at, seen, .. } = *self;
        vicinity::may_be_told(text, at)
            && (seen.is_given(text, at)
                || may_be_said::<L>(text, at, &L::seek(&kinds.vicinity.telling)))
    }
}

/// False if no word that says that a secret follows stands before `at`.
#[inline(always)]
fn may_be_said<L: Lanes>(text: &[u8], at: usize, telling: &L::Sought<'_, 1>) -> bool {
    let from = at.saturating_sub(BLOCK);
    let words = L::starting_any(telling, simd::block(text, from).bytes());
    words & (u64::MAX >> (BLOCK - (at - from)).min(63)) != 0
}

impl Seen {
    #[inline(always)]
    fn new([digit, letters, dotted, base64, hexadecimal]: [u64; SETS]) -> Seen {
        Seen { digit, letters, dotted, base64, hexadecimal }
    }

    /// What the text opens with, as far as has been seen: all but the letters are counted no
    /// further by a gate.
    #[inline(always)]
    fn opening(&self) -> Opening {
        let length = |set: u64| set.trailing_ones() as usize;
        let letters = length(self.letters);
        Opening { letters, dotted: length(self.dotted), base64: length(self.base64) }
    }

    /// False only if [`is_plain`] is false at `at`.
    #[inline(always)]
    fn may_be_plain(&self, text: &[u8], at: usize) -> bool {
        let run = (self.dotted | self.base64).trailing_ones().min(DIGIT_WITHIN as u32);
        let within = self.digit & ((1 << run) - 1);
        run as usize >= PLAIN && within != 0
            || matches!(text.get(at + run as usize), Some(b':' | b'~')) && is_plain(&text[at..])
    }

    /// False only if [`vicinity::is_given`] is false at `at`.
    #[inline(always)]
    fn is_given(&self, text: &[u8], at: usize) -> bool {
        let length = self.hexadecimal.trailing_ones();
        vicinity::is_given(text, at, length as usize)
    }
}

/// The bits of two blocks that follow each other.
#[inline(always)]
fn both(first: u64, then: u64) -> u128 {
    u128::from(first) | u128::from(then) << u64::BITS
}
