//! Says no to nearly every run that is of no kind without a prefix, from what stands where in the
//! 64 bytes behind its start, and, where it may go on with something before it, around it.

use super::super::super::simd::{self, BLOCK, ByteSet, Class, Classes, Lanes};
use super::super::sight::{escape, is_sign};
use super::AHEAD;
use super::gate::Opening;
use super::outline::{FREE, MARKED, TOLD};
use super::shape::Set;
use super::{DIGIT_WITHIN, JOINED, JOINTS, Kinds, PLAIN, is_plain, joint, vicinity};

/// The sets that are asked for.
pub(super) struct Glance {
    classes: Classes<SETS>,
    joints: Class,
    /// What may stand before a value, and before what goes on with something before it.
    leads: ByteSet,
}

/// What may be asked of a plain run.
pub(in super::super) struct Doubts {
    /// Whether a kind begins with it that needs nothing before it.
    pub bare: bool,
    /// Whether one begins with it that what stands before tells.
    pub told: bool,
    /// Whether it goes on with something before it.
    pub joined: bool,
}

const SETS: usize = 5;
/// The set of `A-Z a-z 0-9 _ - .` among them.
const DOTTED: usize = 2;

/// Which bytes of a stretch of text are in which set: bit 0 for its first byte.
#[derive(Clone, Copy)]
struct Seen {
    digit: u128,
    letters: u128,
    dotted: u128,
    base64: u128,
    hexadecimal: u128,
    /// How many bytes are known.
    length: u32,
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
        let leads = |b: u8| vicinity::may_stand_before(b) || JOINTS.contains(&b) || is_sign(b);
        Glance { classes, joints, leads: ByteSet::of(leads) }
    }
}

impl Kinds {
    /// False only if [`may_be_plain`](Kinds::may_be_plain) is false for each plain run that begins
    /// behind this byte and is shorter than [`Kinds::unsaid`].
    #[inline(always)]
    pub(in super::super) fn leads(&self, before: u8) -> bool {
        self.glance.leads.has(before)
    }

    /// What is still to be asked of the plain run at `at`. If nothing,
    /// [`may_be_plain`](Kinds::may_be_plain) is false.
    #[inline(always)]
    pub(in super::super) fn doubts<L: Lanes>(&self, text: &[u8], at: usize) -> Doubts {
        let here = simd::block(text, at);
        let seen = Seen::new(L::each(&self.glance.classes, here.bytes()));
        let sorts = self.outline.sorts(text, at, seen.cut(0));
        let before = at.checked_sub(1).map_or(0, |before| text[before]);
        Doubts {
            bare: sorts & (MARKED | FREE) != 0,
            told: (sorts & TOLD != 0) & vicinity::may_stand_before(before),
            joined: self.glance.joints.has(before) | is_sign(before),
        }
    }

    /// False only if nothing says that the run at `at` is the value of something.
    #[inline(always)]
    pub(in super::super) fn may_be_given<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let here = simd::block(text, at);
        let [.., hexadecimal] = L::each(&self.glance.classes, here.bytes());
        let length = hexadecimal.trailing_ones() as usize;
        let goes_on = text.get(at + length).is_some_and(|b| Set::of(*b).is_some());
        let before = at.checked_sub(1).map_or(0, |before| text[before]);
        self.may_be_said::<L>(text, at) | goes_on & vicinity::may_assign(before)
    }

    /// False only if no kind without a prefix begins with the plain run at `at`.
    #[inline(always)]
    pub(in super::super) fn glance<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let here = simd::block(text, at);
        let seen = Seen::new(L::each(&self.glance.classes, here.bytes()));
        self.may_open_bare::<L>(text, at, seen, 0, false)
    }

    /// False only if the plain run at `at` goes on with nothing before it.
    #[inline(always)]
    pub(in super::super) fn glance_back<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let Some(joint) = joint(text, at) else { return false };
        let crossed = if self.crossed.has(text[joint]) { 0 } else { joint + 1 };
        let from = at.saturating_sub(BLOCK);
        let piece = simd::block(text, from);
        // Where less stands before, the bits begin later.
        let missing = (BLOCK - (at - from)) as u32;
        let joints = L::matching(&self.glance.joints, piece.bytes()) << missing;
        let behind = L::each(&self.glance.classes, piece.bytes())[DOTTED] << missing;
        let cut = !(behind | joints);
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
        let before = start.checked_sub(1).map(|n| text[n]);
        let hidden = escape::hidden(before, &text[start..at]);
        for start in [start, start + hidden].into_iter().take(1 + usize::from(hidden > 0)) {
            if self.may_have_prefix(text, start)
                || start >= crossed && self.may_cross::<L>(text, at, start)
            {
                return true;
            }
        }
        false
    }

    /// True if a secret without a prefix may begin at `start` and go on at `at`, little behind it.
    #[inline(always)]
    fn may_cross<L: Lanes>(&self, text: &[u8], at: usize, start: usize) -> bool {
        let from = at.saturating_sub(JOINED);
        let pieces = [simd::block(text, from), simd::block(text, from + BLOCK)];
        let [first, then] = [pieces[0].bytes(), pieces[1].bytes()];
        let classes = &self.glance.classes;
        let seen = Seen::of_two(L::each(classes, first), L::each(classes, then));
        self.may_open_bare::<L>(text, start, seen, (start - from) as u32, true)
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
        let classes = &self.glance.classes;
        let dotted = both(L::each(classes, first)[DOTTED], L::each(classes, then)[DOTTED]);
        let dotted = dotted << missing;
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

    /// False only if [`may_be_bare`](Kinds::may_be_bare) is false for `at`, which is at `offset` of
    /// what has been seen.
    #[inline(always)]
    fn may_open_bare<L: Lanes>(
        &self,
        text: &[u8],
        at: usize,
        seen: Seen,
        offset: u32,
        crossing: bool,
    ) -> bool {
        let opening = seen.opening(offset).unwrap_or_else(|| {
            // As far as the closer look looks.
            Opening::of(&text[at..text.len().min(at + AHEAD)])
        });
        let lets = |gate: &super::Gate| gate.lets(text, at, opening, crossing);
        let sorts = self.outline.sorts(text, at, opening);
        if sorts & MARKED != 0 && lets(&self.marked) {
            return true;
        }
        if sorts & TOLD == 0 {
            return false;
        }
        let value = vicinity::may_be_told(text, at)
            && (seen.is_given(text, at, offset) || self.may_be_said::<L>(text, at));
        (value || sorts & FREE != 0)
            && lets(&self.told)
            && seen.may_be_plain(text, at, offset)
            && (value || lets(&self.free))
            && self.vicinity.may_tell(text, at, opening)
    }

    /// False if no word that says that a secret follows stands before `at`.
    #[inline(always)]
    fn may_be_said<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let from = at.saturating_sub(BLOCK);
        let words = L::starting(&self.vicinity.telling, simd::block(text, from).bytes());
        words & (u64::MAX >> (BLOCK - (at - from)).min(63)) != 0
    }
}

impl Seen {
    #[inline(always)]
    fn new([digit, letters, dotted, base64, hexadecimal]: [u64; SETS]) -> Seen {
        Seen {
            digit: digit.into(),
            letters: letters.into(),
            dotted: dotted.into(),
            base64: base64.into(),
            hexadecimal: hexadecimal.into(),
            length: u64::BITS,
        }
    }

    /// The same of two blocks that follow each other.
    #[inline(always)]
    fn of_two(first: [u64; SETS], then: [u64; SETS]) -> Seen {
        Seen {
            digit: both(first[0], then[0]),
            letters: both(first[1], then[1]),
            dotted: both(first[2], then[2]),
            base64: both(first[3], then[3]),
            hexadecimal: both(first[4], then[4]),
            length: u128::BITS,
        }
    }

    /// What the text opens with at `offset`; `None` if it goes on behind what has been seen.
    #[inline(always)]
    fn opening(&self, offset: u32) -> Option<Opening> {
        let opening = self.cut(offset);
        let rest = (self.length - offset) as usize;
        (opening.dotted.max(opening.base64) < rest).then_some(opening)
    }

    /// The same with lengths cut to what has been seen.
    #[inline(always)]
    fn cut(&self, offset: u32) -> Opening {
        let length = |set: u128| (set >> offset).trailing_ones() as usize;
        let letters = length(self.letters);
        Opening { letters, dotted: length(self.dotted), base64: length(self.base64) }
    }

    /// False only if [`is_plain`] is false at `at`.
    #[inline(always)]
    fn may_be_plain(&self, text: &[u8], at: usize, offset: u32) -> bool {
        let run = ((self.dotted | self.base64) >> offset).trailing_ones().min(DIGIT_WITHIN as u32);
        let within = (self.digit >> offset) as u64 & ((1 << run) - 1);
        let ends = run == self.length - offset;
        ends || run as usize >= PLAIN && within != 0
            || matches!(text.get(at + run as usize), Some(b':' | b'~')) && is_plain(&text[at..])
    }

    /// False only if [`vicinity::is_given`] is false at `at`.
    #[inline(always)]
    fn is_given(&self, text: &[u8], at: usize, offset: u32) -> bool {
        let length = (self.hexadecimal >> offset).trailing_ones();
        vicinity::is_given(text, at, length as usize)
    }
}

/// The bits of two blocks that follow each other.
#[inline(always)]
fn both(first: u64, then: u64) -> u128 {
    u128::from(first) | u128::from(then) << u64::BITS
}
