//! Finds the sights of some blocks that follow each other: one question is asked of all before the
//! next one, so that hardly a branch hangs on what the text says.

use super::super::super::simd::{self, BLOCK, Lanes, REACH};
use super::super::hex;
use super::super::kinds::{is_plain, is_token};
use super::held::Held;
use super::places::{BATCH, Places};
use super::runs::{Bits, Marks, Runs};
use super::{DIGITS, RUN};

/// The most blocks at the end of a text that are not read where they lie.
const LAST: usize = REACH.div_ceil(BLOCK) + 1;
/// The most runs of a batch.
const RUNS: usize = BATCH * BLOCK / (RUN + 1) + 4;
/// So many of them are looked at together, and what is hidden at their starts: most batches have
/// fewer, and short lists are soon made.
const TOGETHER: usize = 64;
const STARTS: usize = 2 * TOGETHER + 2;
/// Some places that may be words are gathered before they are looked at.
const WORDS: usize = 160;

/// What is known of the bytes of a batch, one bit each, and the lists of what is looked at. Made
/// once for a sweep.
pub(super) struct Notes {
    /// What the bytes of each block and of the next one are. Nothing is known of one more.
    marks: Marks,
    lists: Lists,
}

struct Lists {
    words: [u16; WORDS],
    links: [u16; WORDS],
    /// Runs; and of those that are looked at together, which hide the start of another.
    starts: [u16; RUNS],
    hiding: [u16; STARTS],
    /// What may begin with a prefix, and later what is left of the plain runs; these, and those of
    /// them that go on with something before them.
    opening: [u16; STARTS],
    plain: [u16; STARTS],
    joined: [u16; STARTS],
}

impl Notes {
    pub(super) fn new() -> Notes {
        let (bits, places) = ([[0; 8]; BATCH + 2], [0; STARTS]);
        let (hiding, opening, plain, joined) = (places, places, places, places);
        let (words, links, starts) = ([0; WORDS], [0; WORDS], [0; RUNS]);
        let lists = Lists { words, links, starts, hiding, opening, plain, joined };
        Notes { marks: Marks { tokens: bits, plain: bits, letters: bits, digits: bits }, lists }
    }

    /// Notes which bytes of a block are in each of the sets.
    #[inline(always)]
    fn know(&mut self, block: usize, [tokens, plain, letters, digits]: [u64; 4]) {
        self.marks.tokens[block] = tokens.to_le_bytes();
        self.marks.plain[block] = plain.to_le_bytes();
        self.marks.letters[block] = letters.to_le_bytes();
        self.marks.digits[block] = digits.to_le_bytes();
    }
}

/// The blocks that are looked at.
pub(super) struct Batch<'s, 'a> {
    pub held: &'s mut Held<'a>,
    pub notes: &'s mut Notes,
    pub blocks: usize,
}

impl Batch<'_, '_> {
    /// Holds the sights of the batch, of which the bytes have been looked at.
    #[inline(always)]
    pub(super) fn look<L: Lanes>(&mut self) {
        self.look_at_long_runs::<L>();
        self.check_words::<L>();
        self.check_runs::<L>();
    }

    /// What the bytes are, and where words may start. By itself, its tables stay in registers.
    #[inline(always)]
    pub(super) fn look_at_bytes<L: Lanes>(&mut self) {
        let text = &self.held.text[self.held.start..];
        // Copies, which nothing that is written may change, stay in registers.
        let classes = self.held.sights.classes;
        let sought = L::seek(&self.held.sights.grams);
        let sure = (text.len().saturating_sub(REACH) / BLOCK).min(self.blocks).min(BATCH);
        for block in 0..sure {
            // The next batch, of which the processor would not think by itself while it is busy
            // with this one.
            simd::fetch(text, (block + BATCH) * BLOCK);
            if let Some(bytes) = text[block * BLOCK..].first_chunk() {
                // All is asked before anything is written, so that each byte is read once.
                let (sets, words) = (L::nested(&classes, bytes), L::starting_any(&sought, bytes));
                self.notes.know(block, sets);
                self.held.words[block] = words;
            }
        }
        let mut padded = [0; LAST * BLOCK + REACH];
        let rest = text.get(sure * BLOCK..).unwrap_or_default();
        let whole = (self.blocks - sure) * BLOCK + REACH;
        let rest = if rest.len() >= whole {
            rest
        } else {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        };
        for block in sure..=self.blocks {
            let Some(bytes) = rest[(block - sure) * BLOCK..].first_chunk() else { break };
            self.notes.know(block, L::nested(&classes, bytes));
            if block < self.blocks {
                self.held.words[block] = L::starting_any(&sought, bytes);
            }
        }
        self.notes.know(self.blocks + 1, [0; 4]);
    }

    /// Runs of 64 token bytes and more are no words, and may be digits.
    #[inline(always)]
    fn look_at_long_runs<L: Lanes>(&mut self) {
        self.held.runs[..self.blocks].fill(0);
        self.held.runs[0] = std::mem::take(&mut self.held.late);
        self.held.blocks = u64::from(self.held.runs[0] != 0);
        if !may_be_long(&self.notes.marks.tokens) {
            return;
        }
        for block in 0..self.blocks {
            let (reaching, reached) = (
                self.notes.marks.tokens(block).leading_ones(),
                self.notes.marks.tokens(block + 1).trailing_ones(),
            );
            if reaching + reached >= DIGITS {
                // Those from which on a whole block of token bytes follows.
                self.held.words[block] &= !(u64::MAX << (BLOCK as u32 - reaching).min(63)
                    & (u64::MAX >> (63 - reached.min(63))));
                let at = self.held.start + block * BLOCK;
                let digits = &self.held.sights.hexadecimal;
                let here = simd::block(self.held.text, at);
                let behind = simd::block(self.held.text, at + BLOCK);
                let digits = self.digits(
                    at,
                    L::matching(digits, here.bytes()),
                    L::matching(digits, behind.bytes()),
                );
                self.held.runs[block] |= digits;
                self.held.blocks |= u64::from(digits != 0) << block;
            }
        }
    }

    /// The start of a run of digits that lasts from this block into the next one. Where a token
    /// starts that is plain, all kinds are asked for by themselves, and it is none unless it may
    /// be a key.
    fn digits(&self, at: usize, here: u64, ahead: u64) -> u64 {
        let length = here.leading_ones();
        if length == 0 || length + ahead.trailing_ones() < DIGITS {
            return 0;
        }
        let start = BLOCK - length as usize;
        let fresh = match self.held.byte_before(at + start) {
            Some(before) if is_token(before) => !self.held.sights.hexadecimal.has(before),
            _ => {
                hex::may_stand(self.held.text, at + start)
                    || !is_plain(&self.held.text[at + start..])
            }
        };
        u64::from(fresh) << start
    }

    /// Forgets most words that only seem to be there.
    #[inline(always)]
    fn check_words<L: Lanes>(&mut self) {
        let held = &mut *self.held;
        let mut places = Places::new(&mut self.notes.lists.words);
        let mut links = Places::new(&mut self.notes.lists.links);
        let mut some = set_blocks(&held.words[..self.blocks]);
        while some != 0 {
            let block = some.trailing_zeros() as usize;
            some &= some - 1;
            places.add_bits(block, std::mem::take(&mut held.words[block]));
            if places.length + BLOCK + 2 > WORDS {
                held.hold_words::<L>(&mut places, &mut links);
            }
        }
        held.hold_words::<L>(&mut places, &mut links);
    }

    /// Holds the runs that begin as a kind does, and those behind escapes.
    #[inline(always)]
    fn check_runs<L: Lanes>(&mut self) {
        let Notes { marks, lists } = &mut *self.notes;
        let mut starts = Places::new(&mut lists.starts);
        let before = self.held.byte_before(self.held.start);
        let before = u64::from(before.is_some_and(is_token));
        let mut fresh = [0; BATCH];
        let starts_in = |block: usize, last: u64| {
            let here = marks.tokens(block);
            here & !(here << 1 | last) & lasting(here, marks.tokens(block + 1))
        };
        fresh[0] = starts_in(0, before);
        #[expect(clippy::needless_range_loop, reason = "so some blocks are done at a time")]
        for block in 1..self.blocks.min(BATCH) {
            fresh[block] = starts_in(block, marks.tokens(block - 1) >> (BLOCK - 1));
        }
        let mut some = set_blocks(&fresh[..self.blocks]);
        while some != 0 {
            let block = some.trailing_zeros() as usize;
            some &= some - 1;
            starts.add_bits(block, fresh[block]);
        }
        let Held { kinds, text, start, .. } = *self.held;
        let runs = Runs { kinds, text, start, marks };
        for some in starts.in_parts(TOGETHER) {
            let hiding = Places::new(&mut lists.hiding);
            let opening = Places::new(&mut lists.opening);
            let plain = Places::new(&mut lists.plain);
            let joined = Places::new(&mut lists.joined);
            let mut checks = Checks { runs, blocks: self.blocks, hiding, opening, plain, joined };
            checks.check::<L>(some, self.held);
        }
    }
}

/// Some runs, and what is asked of them.
struct Checks<'l, 'n, 'a> {
    runs: Runs<'n, 'a>,
    blocks: usize,
    hiding: Places<'l>,
    opening: Places<'l>,
    plain: Places<'l>,
    joined: Places<'l>,
}

impl Checks<'_, '_, '_> {
    /// Holds those of the runs that may be secrets. All is asked of each without a branch in
    /// between, which would mostly be guessed wrong.
    #[inline(always)]
    fn check<L: Lanes>(&mut self, starts: impl Iterator<Item = usize>, held: &mut Held<'_>) {
        let Checks { runs, blocks, hiding, opening, plain, joined } = self;
        for place in starts {
            runs.list(place, opening, plain, hiding);
        }
        for place in hiding.all() {
            runs.uncover(place, opening, plain);
        }
        for place in opening.all() {
            if runs.begins_as_known(place) {
                held.hold(place, *blocks);
            }
        }
        // The list is free again.
        let left = opening;
        left.length = 0;
        for place in plain.all() {
            runs.sort(place, left, joined);
        }
        for place in left.all() {
            if runs.is_bare::<L>(place) {
                held.hold(place, *blocks);
            }
        }
        for place in joined.all() {
            if runs.is_joined::<L>(place) {
                held.hold(place, *blocks);
            }
        }
    }
}

/// The blocks that have a bit, one bit each: few do, and the others cost nothing more.
#[inline(always)]
fn set_blocks(blocks: &[u64]) -> u64 {
    blocks.iter().enumerate().fold(0, |all, (block, bits)| all | u64::from(*bits != 0) << block)
}

/// False if no run is as long as a block: one that is fills the first or the last 32 bytes of a
/// block. Asks all at once, so that some are done at a time.
#[inline(always)]
fn may_be_long(tokens: &Bits) -> bool {
    let full = |bits: u64| (bits as u32 == u32::MAX) | (bits >> 32 == u64::from(u32::MAX));
    tokens.iter().fold(false, |any, bits| any | full(u64::from_le_bytes(*bits)))
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
