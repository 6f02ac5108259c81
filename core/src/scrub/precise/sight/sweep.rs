//! Goes through a text in blocks of 64 bytes and holds the sights of one block as bits.

use super::super::super::simd::{self, BLOCK, Lanes, Task};
use super::super::kinds::{Kinds, PLAIN, is_token};
use super::sieve::Bytes;
use super::{DIGITS, RUN, Sight, Sights, Sort, begins_as_known, escape, is_sign};

/// A pass over a text.
pub(in crate::scrub::precise) struct Sweep<'a> {
    sights: &'a Sights,
    kinds: &'a Kinds,
    text: &'a [u8],
    /// Sights lie before it.
    to: usize,
    /// The block that comes next. The sights that are held lie in the block before it.
    next: usize,
    /// Where words are, and where runs start.
    words: u64,
    runs: u64,
    /// What the bytes of the next block are; whether the one before it is a token byte (0 or 1).
    here: Bytes,
    before: u64,
    /// Starts in the next block that an escape sequence in the block before has put there.
    late: u64,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        sights: &'a Sights,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> Sweep<'a> {
        let mut sweep = Sweep {
            sights,
            kinds,
            text,
            to,
            next: 0,
            words: 0,
            runs: 0,
            here: [0; 3],
            before: 0,
            late: 0,
        };
        sweep.seat(from);
        sweep
    }

    /// Lets the next block start at `from`, or so little before it that no start behind an escape
    /// sequence is lost.
    fn seat(&mut self, from: usize) {
        self.next = from.saturating_sub(escape::LONGEST);
        let before = self.byte_before(self.next);
        self.before = u64::from(before.is_some_and(is_token));
        self.here = self.sights.level.run(Here(self));
        (self.words, self.runs, self.late) = (0, 0, 0);
    }

    /// The first sight that is not before `from`, which never goes back.
    pub(in crate::scrub::precise) fn next(&mut self, from: usize) -> Option<Sight> {
        if from > self.next {
            self.seat(from);
        }
        loop {
            while self.words | self.runs != 0 {
                let sight = self.take();
                if let Some(sight) = sight.filter(|sight| sight.at >= from) {
                    return (sight.at < self.to).then_some(sight);
                }
            }
            // A word may be sought by what is behind its start.
            if self.next >= self.to.saturating_add(self.sights.lead).min(self.text.len()) {
                return None;
            }
            self.sights.level.run(Advance(self));
        }
    }

    /// Takes the first of the sights that are held.
    fn take(&mut self) -> Option<Sight> {
        let held = self.words | self.runs;
        let first = held & held.wrapping_neg();
        let at = self.next - BLOCK + held.trailing_zeros() as usize;
        let is_run = self.runs & first != 0;
        let word = if self.words & first == 0 { None } else { self.sights.word(self.text, at) };
        self.words &= !first;
        self.runs &= !first;
        match (is_run, word) {
            (true, word) => Some(Sight { at, sort: Sort::Run, then: word.map(|word| word.sort) }),
            (false, Some(word)) => Some(Sight { at: at - word.lead, sort: word.sort, then: None }),
            (false, None) => None,
        }
    }

    /// Takes the next block.
    #[inline(always)]
    fn step<L: Lanes>(&mut self) {
        let here = simd::block(self.text, self.next);
        let behind = simd::block(self.text, self.next + BLOCK);
        let seen = L::each(&self.sights.sieve.classes, behind.bytes());
        let ([token, ..], [ahead, ..]) = (self.here, seen);
        self.words = L::starting_either(&self.sights.grams, here.bytes());
        let fresh = token & !(token << 1 | self.before);
        self.runs = fresh & lasting(token, ahead);
        let (reaching, reached) = (token.leading_ones(), ahead.trailing_ones());
        if reaching + reached >= BLOCK as u32 {
            // Those from which on a whole block of token bytes follows.
            self.words &= !(u64::MAX << (BLOCK as u32 - reaching).min(63)
                & (u64::MAX >> (63 - reached.min(63))));
        }
        self.check_words();
        let sifted = self.sift(self.runs, seen);
        self.runs = std::mem::take(&mut self.late);
        if sifted.opens | sifted.plain | sifted.hides != 0 {
            self.sights.level.run(CheckRuns(self, sifted));
        }
        if reaching + reached >= DIGITS {
            let digits = &self.sights.hexadecimal;
            self.runs |=
                self.digits(L::matching(digits, here.bytes()), L::matching(digits, behind.bytes()));
        }
        self.before = token >> (BLOCK - 1);
        self.here = seen;
        self.next += BLOCK;
    }

    /// Forgets most words that only seem to be there.
    #[inline(always)]
    fn check_words(&mut self) {
        let mut left = self.words;
        while left != 0 {
            let offset = left.trailing_zeros();
            left &= left - 1;
            let stays = self.sights.may_be_word(self.text, self.next + offset as usize);
            self.words ^= u64::from(!stays) << offset;
        }
    }

    /// The runs that [`check_runs`](Sweep::check_runs) has to look at: those that begin as a kind
    /// with a prefix does, or with an escape, or have a digit. All is asked of each without a
    /// branch in between, which would mostly be guessed wrong.
    #[inline(always)]
    fn sift(&self, runs: u64, ahead: Bytes) -> Sifted {
        let sieve = &self.sights.sieve;
        let from = |set: usize, offset: u32| {
            (self.here[set] >> offset | ahead[set] << 1 << (BLOCK as u32 - 1 - offset)) as u32
        };
        let (mut left, mut sifted) = (runs, Sifted::default());
        while left != 0 {
            let offset = left.trailing_zeros();
            left &= left - 1;
            let at = self.next + offset as usize;
            let belongs = from(1, offset);
            let run = belongs & !belongs.wrapping_add(1);
            let plain = (run & from(2, offset) != 0) & (run >> (PLAIN - 1) & 1 == 1);
            let hides = sieve.may_hide(self.byte_before(at), self.text[at]);
            let opens = self.kinds.may_open(self.text, at);
            sifted.opens |= u64::from(opens) << offset;
            sifted.plain |= u64::from(plain) << offset;
            sifted.hides |= u64::from(hides) << offset;
        }
        sifted
    }

    /// Holds the runs that begin as a kind does, and those behind escapes.
    #[inline(always)]
    fn check_runs<L: Lanes>(&mut self, sifted: Sifted) {
        let mut left = sifted.opens | sifted.plain | sifted.hides;
        while left != 0 {
            let offset = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = self.next + offset;
            let is = |sort: u64| sort >> offset & 1 == 1;
            let starts = is(sifted.opens) && begins_as_known(self.kinds, self.text, at)
                || is(sifted.plain) && self.may_be_plain::<L>(at);
            if starts && !is_sign(self.text[at]) {
                self.runs |= 1 << offset;
            }
            if is(sifted.hides) {
                self.uncover::<L>(at, offset);
            }
        }
    }

    /// Holds what is hidden at the start of the run at `at`, if it begins as a kind does.
    #[inline(always)]
    fn uncover<L: Lanes>(&mut self, at: usize, offset: usize) {
        let length = escape::hidden(self.byte_before(at), &self.text[at..]);
        if length > 0 && self.may_start::<L>(at + length) {
            let place = 1_u128 << (offset + length);
            self.runs |= place as u64;
            self.late |= (place >> BLOCK) as u64;
        }
    }

    /// As [`may_start`](super::may_start) says, which is asked only where a glance does not tell.
    #[inline(always)]
    fn may_start<L: Lanes>(&self, at: usize) -> bool {
        let Some(&first) = self.text.get(at) else { return false };
        !is_sign(first)
            && (begins_as_known(self.kinds, self.text, at) || self.may_be_plain::<L>(at))
    }

    /// The same of kinds without a prefix.
    #[inline(always)]
    fn may_be_plain<L: Lanes>(&self, at: usize) -> bool {
        self.kinds.glance::<L>(self.text, at) && self.kinds.may_be_plain(self.text, at)
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.get(at.checked_sub(1)?).copied()
    }

    /// The start of a run of digits that lasts from this block into the next one.
    fn digits(&self, here: u64, ahead: u64) -> u64 {
        let length = here.leading_ones();
        if length == 0 || length + ahead.trailing_ones() < DIGITS {
            return 0;
        }
        let start = BLOCK - length as usize;
        let before = self.byte_before(self.next + start);
        let fresh = !before.is_some_and(|byte| self.sights.hexadecimal.has(byte));
        u64::from(fresh) << start
    }
}

/// The places from which at least [`RUN`] token bytes follow each other.
#[inline(always)]
fn lasting(token: u64, ahead: u64) -> u64 {
    let shifted = |bits: (u64, u64), by: u32| {
        (bits.0 & (bits.0 >> by | bits.1 << (u64::BITS - by)), bits.1 & bits.1 >> by)
    };
    let mut bits = (token, ahead);
    let mut length = 1;
    while length < RUN {
        let by = length.min(RUN - length);
        bits = shifted(bits, by as u32);
        length += by;
    }
    bits.0
}

/// Goes on to the next block with a sight.
struct Advance<'s, 'a>(&'s mut Sweep<'a>);

impl Task for Advance<'_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let sweep = self.0;
        let end = sweep.to.saturating_add(sweep.sights.lead).min(sweep.text.len());
        while sweep.next < end {
            sweep.step::<L>();
            if sweep.words | sweep.runs != 0 {
                return;
            }
        }
    }
}

/// What the runs of a block may be: of a kind with a prefix or a JWT, of a kind without a prefix,
/// or what hides the start of one.
#[derive(Clone, Copy, Default)]
struct Sifted {
    opens: u64,
    plain: u64,
    hides: u64,
}

/// Holds those of the next block that begin as a kind does, and those behind escapes.
struct CheckRuns<'s, 'a>(&'s mut Sweep<'a>, Sifted);

impl Task for CheckRuns<'_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.0.check_runs::<L>(self.1);
    }
}

/// What the bytes of the next block are.
struct Here<'s, 'a>(&'s Sweep<'a>);

impl Task for Here<'_, '_> {
    type Answer = Bytes;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Bytes {
        let piece = simd::block(self.0.text, self.0.next);
        L::each(&self.0.sights.sieve.classes, piece.bytes())
    }
}
