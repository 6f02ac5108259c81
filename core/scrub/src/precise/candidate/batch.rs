//! A batch: finds the candidates of consecutive blocks.
//!
//! One question is asked of all blocks, or of all places in a list, before the next question. So
//! hardly any branch depends on the text.

use super::super::super::simd::{self, BLOCK, BLOCK_WINDOW, Lanes};
use super::super::hex;
use super::super::kinds::{is_plain, is_token};
use super::offsets::{BATCH, OffsetList};
use super::pending::PendingCandidates;
use super::runs::{Bits, ByteClasses, Runs};
use super::{MIN_HEX_DIGITS, MIN_RUN};

/// The most blocks at the end of a text that are copied and padded, as they cannot be read in
/// place.
const MAX_PADDED_BLOCKS: usize = BLOCK_WINDOW.div_ceil(BLOCK) + 1;
/// The most runs that a batch can have.
const MAX_RUNS: usize = BATCH * BLOCK / (MIN_RUN + 1) + 4;
/// How many runs are checked together, with what is hidden at their starts. Most batches have
/// fewer, and short lists are quick to make.
const RUNS_PER_CHECK: usize = 64;
/// The runs that are checked together, and as many hidden starts.
const MAX_STARTS: usize = 2 * RUNS_PER_CHECK + 2;
/// How many places of possible keywords are collected before they are checked.
const MAX_KEYWORDS: usize = 160;

/// What is known about the bytes of a batch, one bit each, and lists of places. Allocated once for
/// a scan.
pub(super) struct Scratch {
    /// The classes of the bytes of each block and of the next one. One more block is zero.
    classes: ByteClasses,
    lists: WorkLists,
}

/// Lists of places in the batch, relative to its start. They have a fixed size, so that the scan
/// allocates nothing.
struct WorkLists {
    keywords: [u16; MAX_KEYWORDS],
    links: [u16; MAX_KEYWORDS],
    /// The starts of runs; and, of those that are checked together, the ones with something hidden
    /// at their start.
    starts: [u16; MAX_RUNS],
    hidden: [u16; MAX_STARTS],
    /// Places that may begin with a prefix, later the plain runs that are left; plain runs; and
    /// those of them that may continue what stands before them.
    prefixed: [u16; MAX_STARTS],
    unprefixed: [u16; MAX_STARTS],
    continued: [u16; MAX_STARTS],
}

impl Scratch {
    /// Empty lists.
    pub(super) fn new() -> Scratch {
        let (bits, offsets) = ([[0; 8]; BATCH + 2], [0; MAX_STARTS]);
        let (hidden, prefixed, unprefixed, continued) = (offsets, offsets, offsets, offsets);
        let (keywords, links, starts) = ([0; MAX_KEYWORDS], [0; MAX_KEYWORDS], [0; MAX_RUNS]);
        let lists = WorkLists { keywords, links, starts, hidden, prefixed, unprefixed, continued };
        Scratch {
            classes: ByteClasses { tokens: bits, plain: bits, letters: bits, digits: bits },
            lists,
        }
    }

    /// Stores which bytes of a block are in which class.
    #[inline(always)]
    fn record(&mut self, block: usize, [tokens, plain, letters, digits]: [u64; 4]) {
        self.classes.tokens[block] = tokens.to_le_bytes();
        self.classes.plain[block] = plain.to_le_bytes();
        self.classes.letters[block] = letters.to_le_bytes();
        self.classes.digits[block] = digits.to_le_bytes();
    }
}

/// The blocks of a batch and what is found in them.
pub(super) struct Batch<'s, 'a> {
    pub pending: &'s mut PendingCandidates<'a>,
    pub scratch: &'s mut Scratch,
    pub blocks: usize,
}

impl Batch<'_, '_> {
    /// Adds the candidates of the batch; its bytes are classified already.
    #[inline(always)]
    pub(super) fn find_candidates<L: Lanes>(&mut self) {
        self.mark_long_hex_runs::<L>();
        self.check_keywords::<L>();
        self.check_runs::<L>();
    }

    /// Classifies the bytes and marks where keywords may start. A function of its own, so that its
    /// tables stay in registers.
    #[inline(always)]
    pub(super) fn classify_bytes<L: Lanes>(&mut self) {
        let text = &self.pending.text[self.pending.start..];
        // Copies that no write can change stay in registers.
        let classes = self.pending.candidates.classes;
        let tables = L::load_tables(&self.pending.candidates.grams);
        let sure = (text.len().saturating_sub(BLOCK_WINDOW) / BLOCK).min(self.blocks).min(BATCH);
        for block in 0..sure {
            // Fetches the next batch. The processor would not do so by itself while it is busy with
            // this one.
            simd::fetch(text, (block + BATCH) * BLOCK);
            if let Some(bytes) = text[block * BLOCK..].first_chunk() {
                // Both results are computed before anything is written, so that each byte is read
                // once.
                let (sets, keywords) =
                    (L::nested(&classes, bytes), L::any_gram_starts(&tables, bytes));
                self.scratch.record(block, sets);
                self.pending.keywords[block] = keywords;
            }
        }
        let mut padded = [0; MAX_PADDED_BLOCKS * BLOCK + BLOCK_WINDOW];
        let rest = text.get(sure * BLOCK..).unwrap_or_default();
        let whole = (self.blocks - sure) * BLOCK + BLOCK_WINDOW;
        let rest = if rest.len() >= whole {
            rest
        } else {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        };
        for block in sure..=self.blocks {
            let Some(bytes) = rest[(block - sure) * BLOCK..].first_chunk() else { break };
            self.scratch.record(block, L::nested(&classes, bytes));
            if block < self.blocks {
                self.pending.keywords[block] = L::any_gram_starts(&tables, bytes);
            }
        }
        self.scratch.record(self.blocks + 1, [0; 4]);
    }

    /// Removes keywords in runs of 64 and more token bytes, as no name is that long, and marks long
    /// runs of hexadecimal digits.
    #[inline(always)]
    fn mark_long_hex_runs<L: Lanes>(&mut self) {
        self.pending.runs[..self.blocks].fill(0);
        self.pending.runs[0] = std::mem::take(&mut self.pending.carried_runs);
        self.pending.blocks = u64::from(self.pending.runs[0] != 0);
        if !may_have_long_run(&self.scratch.classes.tokens) {
            return;
        }
        for block in 0..self.blocks {
            let (reaching, reached) = (
                self.scratch.classes.tokens(block).leading_ones(),
                self.scratch.classes.tokens(block + 1).trailing_ones(),
            );
            if reaching + reached >= MIN_HEX_DIGITS {
                // The places from which on a whole block of token bytes follows.
                self.pending.keywords[block] &= !(u64::MAX << (BLOCK as u32 - reaching).min(63)
                    & (u64::MAX >> (63 - reached.min(63))));
                let at = self.pending.start + block * BLOCK;
                let digits = &self.pending.candidates.hexadecimal;
                let here = simd::block(self.pending.text, at);
                let behind = simd::block(self.pending.text, at + BLOCK);
                let digits = self.long_hex_start(
                    at,
                    L::matching(digits, here.bytes()),
                    L::matching(digits, behind.bytes()),
                );
                self.pending.runs[block] |= digits;
                self.pending.blocks |= u64::from(digits != 0) << block;
            }
        }
    }

    /// The start of a run of digits that goes on from this block into the next one. At the start of
    /// a plain token the checks of runs decide, so it is marked only if it may be a key.
    fn long_hex_start(&self, at: usize, here: u64, ahead: u64) -> u64 {
        let length = here.leading_ones();
        if length == 0 || length + ahead.trailing_ones() < MIN_HEX_DIGITS {
            return 0;
        }
        let start = BLOCK - length as usize;
        let fresh = match self.pending.byte_before(at + start) {
            Some(before) if is_token(before) => !self.pending.candidates.hexadecimal.has(before),
            _ => {
                hex::may_start_key(self.pending.text, at + start)
                    || !is_plain(&self.pending.text[at + start..])
            }
        };
        u64::from(fresh) << start
    }

    /// Removes most false keywords.
    #[inline(always)]
    fn check_keywords<L: Lanes>(&mut self) {
        let pending = &mut *self.pending;
        let mut offsets = OffsetList::new(&mut self.scratch.lists.keywords);
        let mut links = OffsetList::new(&mut self.scratch.lists.links);
        let mut remaining = nonzero_blocks(&pending.keywords[..self.blocks]);
        while remaining != 0 {
            let block = remaining.trailing_zeros() as usize;
            remaining &= remaining - 1;
            offsets.add_bits(block, std::mem::take(&mut pending.keywords[block]));
            if offsets.length + BLOCK + 2 > MAX_KEYWORDS {
                pending.add_keywords::<L>(&mut offsets, &mut links);
            }
        }
        pending.add_keywords::<L>(&mut offsets, &mut links);
    }

    /// Adds the runs that may be tokens of a known kind, also behind escape sequences.
    #[inline(always)]
    fn check_runs<L: Lanes>(&mut self) {
        let Scratch { classes, lists } = &mut *self.scratch;
        let mut starts = OffsetList::new(&mut lists.starts);
        let before = self.pending.byte_before(self.pending.start);
        let before = u64::from(before.is_some_and(is_token));
        let mut fresh = [0; BATCH];
        let run_starts_in = |block: usize, last: u64| {
            let here = classes.tokens(block);
            here & !(here << 1 | last) & long_run_starts(here, classes.tokens(block + 1))
        };
        fresh[0] = run_starts_in(0, before);
        #[expect(clippy::needless_range_loop, reason = "so some blocks are done at a time")]
        for block in 1..self.blocks.min(BATCH) {
            fresh[block] = run_starts_in(block, classes.tokens(block - 1) >> (BLOCK - 1));
        }
        let mut remaining = nonzero_blocks(&fresh[..self.blocks]);
        while remaining != 0 {
            let block = remaining.trailing_zeros() as usize;
            remaining &= remaining - 1;
            starts.add_bits(block, fresh[block]);
        }
        let PendingCandidates { kinds, text, start, .. } = *self.pending;
        let runs = Runs { kinds, text, start, classes };
        for remaining in starts.chunks(RUNS_PER_CHECK) {
            let hidden = OffsetList::new(&mut lists.hidden);
            let prefixed = OffsetList::new(&mut lists.prefixed);
            let unprefixed = OffsetList::new(&mut lists.unprefixed);
            let continued = OffsetList::new(&mut lists.continued);
            let mut checks =
                RunChecks { runs, blocks: self.blocks, hidden, prefixed, unprefixed, continued };
            checks.check::<L>(remaining, self.pending);
        }
    }
}

/// Runs that are checked together, and the lists of each check.
struct RunChecks<'l, 'n, 'a> {
    runs: Runs<'n, 'a>,
    blocks: usize,
    hidden: OffsetList<'l>,
    prefixed: OffsetList<'l>,
    unprefixed: OffsetList<'l>,
    continued: OffsetList<'l>,
}

impl RunChecks<'_, '_, '_> {
    /// Adds the runs that may be secrets. All checks of a step run before the next step, without
    /// branches in between: most would be guessed wrong.
    #[inline(always)]
    fn check<L: Lanes>(
        &mut self,
        starts: impl Iterator<Item = usize>,
        pending: &mut PendingCandidates<'_>,
    ) {
        let RunChecks { runs, blocks, hidden, prefixed, unprefixed, continued } = self;
        for place in starts {
            runs.queue(place, prefixed, unprefixed, hidden);
        }
        for place in hidden.all() {
            runs.queue_hidden(place, prefixed, unprefixed);
        }
        for place in prefixed.all() {
            if runs.starts_like_known_kind(place) {
                pending.add_run(place, *blocks);
            }
        }
        // The list is free again.
        let left = prefixed;
        left.length = 0;
        for place in unprefixed.all() {
            runs.queue_unprefixed(place, left, continued);
        }
        for place in left.all() {
            if runs.may_be_unprefixed::<L>(place) {
                pending.add_run(place, *blocks);
            }
        }
        for place in continued.all() {
            if runs.may_continue::<L>(place) {
                pending.add_run(place, *blocks);
            }
        }
    }
}

/// One bit for each block that has a bit set.
#[inline(always)]
fn nonzero_blocks(blocks: &[u64]) -> u64 {
    blocks.iter().enumerate().fold(0, |all, (block, bits)| all | u64::from(*bits != 0) << block)
}

/// A prefilter: false if no run is as long as a block. Such a run fills the first or the last 32
/// bytes of some block. Reads all blocks without a branch, so that several are done at once.
#[inline(always)]
fn may_have_long_run(tokens: &Bits) -> bool {
    let full = |bits: u64| (bits as u32 == u32::MAX) | (bits >> 32 == u64::from(u32::MAX));
    tokens.iter().fold(false, |any, bits| any | full(u64::from_le_bytes(*bits)))
}

/// The places from which at least [`MIN_RUN`] token bytes follow.
#[inline(always)]
fn long_run_starts(token: u64, ahead: u64) -> u64 {
    let shifted = |bits: (u64, u64), by: u32| {
        (bits.0 & (bits.0 >> by | bits.1 << (u64::BITS - by)), bits.1 & bits.1 >> by)
    };
    let mut bits = (token, ahead);
    let mut length = 1;
    while length < MIN_RUN {
        let by = length.min(MIN_RUN - length);
        bits = shifted(bits, by as u32);
        length += by;
    }
    bits.0
}
