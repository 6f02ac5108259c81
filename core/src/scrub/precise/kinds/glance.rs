//! Says no to nearly every run that is of no kind without a prefix, from what stands where in the
//! 64 bytes behind its start, and, where it may go on with something before it, around it.

use super::super::super::simd::{self, BLOCK, ByteSet, Class, Classes, Lanes};
use super::super::sight::escape;
use super::AHEAD;
use super::gate::Opening;
use super::shape::Set;
use super::{DIGIT_WITHIN, JOINED, JOINTS, Kinds, PLAIN, is_plain, vicinity};

/// The sets that are asked for.
pub(super) struct Glance {
    classes: Classes<SETS>,
    joints: Class,
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
        Glance { classes, joints }
    }
}

impl Kinds {
    /// False only if [`may_be_plain`](Kinds::may_be_plain) is false.
    #[inline(always)]
    pub(in super::super) fn glance<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let here = simd::block(text, at);
        let sets = L::each(&self.glance.classes, here.bytes());
        let seen = Seen::new(sets);
        if !seen.may_be_plain(text, at, 0) {
            return false;
        }
        self.may_open_bare::<L>(text, at, seen, 0, false)
            || self.is_joined(text, at) && self.glance_back::<L>(text, at, sets)
    }

    /// True if the run at `at` goes on with something before it, as [`joined`](super::joined) asks
    /// first.
    #[inline(always)]
    fn is_joined(&self, text: &[u8], at: usize) -> bool {
        let behind = text[at.saturating_sub(JOINED)..at].iter().rev();
        let cut = behind.copied().find(|b| !matches!(b, b'_' | b'-' | b'.'));
        cut.is_some_and(|b| self.glance.joints.has(b))
    }

    /// The same of the starts before `at` that are joined to the run there, of which `here` is what
    /// follows `at`.
    #[inline(always)]
    fn glance_back<L: Lanes>(&self, text: &[u8], at: usize, here: [u64; SETS]) -> bool {
        let from = at.saturating_sub(BLOCK);
        let piece = simd::block(text, from);
        // Where less stands before, the bits begin later.
        let missing = (BLOCK - (at - from)) as u32;
        let joints = L::matching(&self.glance.joints, piece.bytes()) << missing;
        let behind = L::each(&self.glance.classes, piece.bytes()).map(|set| set << missing);
        let seen = Seen::of_two(behind, here, 0);
        let cut = !(behind[DOTTED] | joints);
        if cut == 0 && from > 0 {
            return self.glance_far::<L>(text, at);
        }
        let first = u64::BITS - cut.leading_zeros();
        if first == u64::BITS {
            return false;
        }
        let mut starts = behind[DOTTED] & (joints << 1 | 1 << first) & (u64::MAX << first);
        if matches!(text[at + first as usize - BLOCK], b'/' | b'+') {
            starts |= 1 << first;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros();
            starts &= starts - 1;
            if self.may_begin_before::<L>(text, at, at + offset as usize - BLOCK, seen, offset) {
                return true;
            }
        }
        false
    }

    /// True if a secret may begin at `start`, at `offset` of what has been seen, or behind what
    /// hides its start, and go on at `at`.
    #[inline(always)]
    fn may_begin_before<L: Lanes>(
        &self,
        text: &[u8],
        at: usize,
        start: usize,
        seen: Seen,
        offset: u32,
    ) -> bool {
        let may_begin = |start: usize, offset: u32| {
            self.may_have_prefix(text, start)
                || self.may_open_bare::<L>(text, start, seen, offset, true)
        };
        let before = start.checked_sub(1).map(|n| text[n]);
        let hidden = escape::hidden(before, &text[start..at]);
        may_begin(start, offset) || hidden > 0 && may_begin(start + hidden, offset + hidden as u32)
    }

    /// [`glance_back`](Kinds::glance_back) for one that reaches farther back than a block.
    #[inline(always)]
    fn glance_far<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let from = at.saturating_sub(JOINED);
        let pieces = [simd::block(text, from), simd::block(text, from + BLOCK)];
        let [first, then] = pieces.each_ref().map(simd::Piece::bytes);
        // Where less stands before, the bits begin later.
        let missing = (JOINED - (at - from)) as u32;
        let both = |first: u64, then: u64| u128::from(first) | u128::from(then) << u64::BITS;
        let joint = &self.glance.joints;
        let joints = both(L::matching(joint, first), L::matching(joint, then)) << missing;
        let classes = &self.glance.classes;
        let seen = Seen::of_two(L::each(classes, first), L::each(classes, then), missing);
        let behind = u128::MAX >> (u128::BITS - JOINED as u32);
        let cut = !(seen.dotted | joints) & behind;
        let first = u128::BITS - cut.leading_zeros();
        if first as usize == JOINED {
            return false;
        }
        let mut starts = seen.dotted & (joints << 1 | 1 << first) & (u128::MAX << first) & behind;
        if matches!(text[at + first as usize - JOINED], b'/' | b'+') {
            starts |= 1 << first;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros();
            starts &= starts - 1;
            if self.may_begin_before::<L>(text, at, at + offset as usize - JOINED, seen, offset) {
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
        lets(&self.marked)
            || lets(&self.told)
                && seen.may_be_plain(text, at, offset)
                && (lets(&self.free)
                    || vicinity::may_be_told(text, at)
                        && (seen.is_given(text, at, offset) || self.may_be_said::<L>(text, at)))
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

    /// The same of two blocks that follow each other, so many bits later.
    #[inline(always)]
    fn of_two(first: [u64; SETS], then: [u64; SETS], later: u32) -> Seen {
        let both = |n: usize| (u128::from(first[n]) | u128::from(then[n]) << u64::BITS) << later;
        Seen {
            digit: both(0),
            letters: both(1),
            dotted: both(2),
            base64: both(3),
            hexadecimal: both(4),
            length: u128::BITS,
        }
    }

    /// What the text opens with at `offset`; `None` if it goes on behind what has been seen.
    #[inline(always)]
    fn opening(&self, offset: u32) -> Option<Opening> {
        let length = |set: u128| (set >> offset).trailing_ones() as usize;
        let letters = length(self.letters);
        let opening = Opening { letters, dotted: length(self.dotted), base64: length(self.base64) };
        let rest = (self.length - offset) as usize;
        (opening.dotted.max(opening.base64) < rest).then_some(opening)
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
