//! Finds the sights of some blocks that follow each other: one question is asked of all before the
//! next one, so that hardly a branch hangs on what the text says.

use super::super::super::simd::{self, BLOCK, Lanes, REACH};
use super::super::kinds::{PLAIN, is_token};
use super::sweep::Sweep;
use super::{DIGITS, RUN, begins_as_known, escape, is_sign};

/// The most blocks of a batch: a bit each.
pub(super) const BATCH: usize = u64::BITS as usize;
/// The most runs of a batch, and what is hidden at their starts.
const RUNS: usize = BATCH * BLOCK / (RUN + 1) + 4;
const STARTS: usize = 2 * RUNS;
/// Some places that may be words are gathered before they are looked at.
const WORDS: usize = 512;

/// What is known of a batch.
pub(super) struct Batch<'s, 'a> {
    sweep: &'s mut Sweep<'a>,
    blocks: usize,
    /// Which bytes of each block and of the next one are token bytes, which belong to a plain
    /// run, and which are digits.
    token: [u64; BATCH + 1],
    plain: [u64; BATCH + 1],
    digit: [u64; BATCH + 1],
}

/// Places of a batch, counted from its start.
struct Places<const COUNT: usize> {
    list: [u16; COUNT],
    length: usize,
}

impl<const COUNT: usize> Places<COUNT> {
    #[inline(always)]
    fn new() -> Places<COUNT> {
        Places { list: [0; COUNT], length: 0 }
    }

    /// Adds the place if it counts, without a branch.
    #[inline(always)]
    fn add(&mut self, place: usize, counts: bool) {
        self.list[self.length] = place as u16;
        self.length += usize::from(counts);
    }

    /// Adds where the bits of a block are set: mostly two or fewer.
    #[inline(always)]
    fn add_bits(&mut self, block: usize, mut bits: u64) {
        let count = bits.count_ones() as usize;
        let base = block * BLOCK;
        let mut length = self.length;
        self.length += count;
        loop {
            for _ in 0..2 {
                self.list[length] = (base + bits.trailing_zeros() as usize) as u16;
                length += 1;
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                return;
            }
        }
    }

    #[inline(always)]
    fn all(&self) -> &[u16] {
        &self.list[..self.length]
    }
}

impl<'s, 'a> Batch<'s, 'a> {
    #[inline(always)]
    pub(super) fn new(sweep: &'s mut Sweep<'a>, blocks: usize) -> Batch<'s, 'a> {
        let none = [0; BATCH + 1];
        Batch { sweep, blocks, token: none, plain: none, digit: none }
    }

    /// Holds the sights of the batch.
    #[inline(always)]
    pub(super) fn look<L: Lanes>(&mut self) {
        self.look_at_bytes::<L>();
        self.look_at_long_runs::<L>();
        self.check_words();
        self.check_runs::<L>();
    }

    /// What the bytes are, and where words may start.
    #[inline(always)]
    fn look_at_bytes<L: Lanes>(&mut self) {
        let text = &self.sweep.text[self.sweep.start..];
        // Copies, which nothing that is written may change, stay in registers.
        let classes = self.sweep.sights.sieve.classes;
        let sought = L::seek(&self.sweep.sights.grams);
        let sure = text.len().saturating_sub(REACH) / BLOCK;
        for block in 0..self.blocks.min(sure) {
            // The next batch, of which the processor would not think by itself while it is busy
            // with this one.
            simd::fetch(text, (block + BATCH) * BLOCK);
            if let Some(bytes) = text[block * BLOCK..].first_chunk() {
                [self.token[block], self.plain[block], self.digit[block]] =
                    L::each(&classes, bytes);
                self.sweep.words[block] = L::starting_either(&sought, bytes);
            }
        }
        for block in sure.min(self.blocks)..=self.blocks {
            let piece = simd::block(text, block * BLOCK);
            let bytes = piece.bytes();
            [self.token[block], self.plain[block], self.digit[block]] = L::each(&classes, bytes);
            if block < self.blocks {
                self.sweep.words[block] = L::starting_either(&sought, bytes);
            }
        }
    }

    /// Runs of 64 token bytes and more are no words, and may be digits.
    #[inline(always)]
    fn look_at_long_runs<L: Lanes>(&mut self) {
        self.sweep.runs[..self.blocks].fill(0);
        self.sweep.runs[0] = std::mem::take(&mut self.sweep.late);
        for block in 0..self.blocks {
            let (reaching, reached) =
                (self.token[block].leading_ones(), self.token[block + 1].trailing_ones());
            if reaching + reached >= DIGITS {
                // Those from which on a whole block of token bytes follows.
                self.sweep.words[block] &= !(u64::MAX << (BLOCK as u32 - reaching).min(63)
                    & (u64::MAX >> (63 - reached.min(63))));
                let at = self.sweep.start + block * BLOCK;
                let digits = &self.sweep.sights.hexadecimal;
                let here = simd::block(self.sweep.text, at);
                let behind = simd::block(self.sweep.text, at + BLOCK);
                self.sweep.runs[block] |= self.digits(
                    at,
                    L::matching(digits, here.bytes()),
                    L::matching(digits, behind.bytes()),
                );
            }
        }
    }

    /// The start of a run of digits that lasts from this block into the next one.
    fn digits(&self, at: usize, here: u64, ahead: u64) -> u64 {
        let length = here.leading_ones();
        if length == 0 || length + ahead.trailing_ones() < DIGITS {
            return 0;
        }
        let start = BLOCK - length as usize;
        let before = self.sweep.byte_before(at + start);
        let fresh = !before.is_some_and(|byte| self.sweep.sights.hexadecimal.has(byte));
        u64::from(fresh) << start
    }

    /// Forgets most words that only seem to be there.
    #[inline(always)]
    fn check_words(&mut self) {
        let mut places = Places::<WORDS>::new();
        for block in 0..self.blocks {
            places.add_bits(block, std::mem::take(&mut self.sweep.words[block]));
            if places.length + BLOCK + 2 > WORDS {
                self.hold_words(&places);
                places.length = 0;
            }
        }
        self.hold_words(&places);
    }

    #[inline(always)]
    fn hold_words(&mut self, places: &Places<WORDS>) {
        let sweep = &mut *self.sweep;
        for &place in places.all() {
            let place = usize::from(place);
            let stays = sweep.sights.may_be_word(sweep.text, sweep.start + place);
            sweep.words[place / BLOCK % BATCH] |= u64::from(stays) << (place % BLOCK);
        }
    }

    /// Holds the runs that begin as a kind does, and those behind escapes. All is asked of each
    /// without a branch in between, which would mostly be guessed wrong.
    #[inline(always)]
    fn check_runs<L: Lanes>(&mut self) {
        let mut starts = Places::<RUNS>::new();
        let before = self.sweep.byte_before(self.sweep.start);
        let before = u64::from(before.is_some_and(is_token));
        let mut fresh = [0; BATCH];
        for (block, fresh) in fresh.iter_mut().enumerate() {
            let token = self.token[block];
            let last = if block == 0 { before } else { self.token[block - 1] >> (BLOCK - 1) };
            *fresh = token & !(token << 1 | last) & lasting(token, self.token[block + 1]);
        }
        for (block, fresh) in fresh[..self.blocks].iter().enumerate() {
            starts.add_bits(block, *fresh);
        }
        let (mut opening, mut plain) = (Places::<STARTS>::new(), Places::<STARTS>::new());
        let mut hiding = Places::<RUNS>::new();
        let sieve = &self.sweep.sights.sieve;
        for &place in starts.all() {
            let place = usize::from(place);
            let at = self.sweep.start + place;
            let first = self.sweep.text[at];
            let before = self.sweep.byte_before(at);
            let may_start = !is_sign(first);
            opening.add(place, may_start & self.sweep.kinds.may_open(self.sweep.text, at));
            plain.add(place, may_start & self.may_be_plain(place, before));
            hiding.add(place, sieve.may_hide(before, first));
        }
        for &place in hiding.all() {
            self.uncover(usize::from(place), &mut opening, &mut plain);
        }
        for &place in opening.all() {
            let place = usize::from(place);
            if begins_as_known(self.sweep.kinds, self.sweep.text, self.sweep.start + place) {
                self.hold(place);
            }
        }
        self.check_plain::<L>(&plain);
    }

    /// Holds the plain runs that may be of a kind without a prefix.
    #[inline(always)]
    fn check_plain<L: Lanes>(&mut self, plain: &Places<STARTS>) {
        let (mut bare, mut told) = (Places::<STARTS>::new(), Places::<STARTS>::new());
        let mut joined = Places::<STARTS>::new();
        let (kinds, text, start) = (self.sweep.kinds, self.sweep.text, self.sweep.start);
        for &place in plain.all() {
            let place = usize::from(place);
            let doubts = kinds.doubts::<L>(text, start + place);
            bare.add(place, doubts.bare);
            told.add(place, doubts.told & !doubts.bare);
            joined.add(place, doubts.joined);
        }
        for &place in told.all() {
            let place = usize::from(place);
            bare.add(place, kinds.may_be_given::<L>(text, start + place));
        }
        for &place in bare.all() {
            let at = start + usize::from(place);
            if kinds.glance::<L>(text, at) && kinds.may_be_plain(text, at) {
                self.hold(usize::from(place));
            }
        }
        for &place in joined.all() {
            let at = start + usize::from(place);
            if kinds.glance_back::<L>(text, at) && kinds.may_be_plain(text, at) {
                self.hold(usize::from(place));
            }
        }
    }

    /// Adds what is hidden at the start of a run.
    #[inline(always)]
    fn uncover(&self, place: usize, opening: &mut Places<STARTS>, plain: &mut Places<STARTS>) {
        let (text, at) = (self.sweep.text, self.sweep.start + place);
        let length = escape::hidden(self.sweep.byte_before(at), &text[at..]);
        let (place, at) = (place + length, at + length);
        let may_start = length > 0 && text.get(at).is_some_and(|first| !is_sign(*first));
        if may_start {
            opening.add(place, self.sweep.kinds.may_open(text, at));
            plain.add(place, self.may_be_plain(place, self.sweep.byte_before(at)));
        }
    }

    /// False only if no kind without a prefix starts at the place, behind this byte: true for a run
    /// with a digit that is long enough to be a secret, if something before it may tell so, and for
    /// a longer one.
    #[inline(always)]
    fn may_be_plain(&self, place: usize, before: Option<u8>) -> bool {
        let (block, offset) = (place / BLOCK, (place % BLOCK) as u32);
        let from = |bits: &[u64; BATCH + 1]| {
            let ahead = bits.get(block + 1).copied().unwrap_or(0);
            (bits[block] >> offset | ahead << 1 << (BLOCK as u32 - 1 - offset)) as u32
        };
        let belongs = from(&self.plain);
        let run = belongs & !belongs.wrapping_add(1);
        let has = |length: usize| run >> (length - 1) & 1 == 1;
        let kinds = self.sweep.kinds;
        let enough = has(PLAIN) & kinds.leads(before.unwrap_or(0)) | has(kinds.unsaid);
        (run & from(&self.digit) != 0) & enough
    }

    #[inline(always)]
    fn hold(&mut self, place: usize) {
        let bit = 1 << (place % BLOCK);
        match self.sweep.runs[..self.blocks].get_mut(place / BLOCK) {
            Some(runs) => *runs |= bit,
            None => self.sweep.late |= bit,
        }
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
