//! The gram filter: a set of hashes of four or eight bytes, a Bloom filter with two bits per gram.
//!
//! Invariant: no false negatives. It may accept a gram that it does not contain, never the other
//! way round. It is changed while others read it: bits are only ever set, one word at a time.
//!
//! [`GramFilter::find_hits`] tests many places of a text at once, with AVX2 or AVX-512 where the
//! processor has it; all ways give the same hits.

use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(target_arch = "x86_64")]
mod x86;

/// The bits of a full filter per gram, if it fits the cache. Two of them are set.
const MAX_BITS_PER_GRAM: usize = 64;
/// The least bits per gram if the filter does not fit the cache next to the core: a cache miss
/// costs more than a false positive.
const MIN_BITS_PER_GRAM: usize = 16;
/// The most words of a filter: the gather instruction takes signed numbers.
const MAX_WORDS: usize = 1 << 31;
/// The bits of a filter that fits the cache: 256 KiB.
const CACHED_BITS: usize = 8 << 18;

/// How far apart the grams are that are tested together, in bytes.
pub(super) const STEP: usize = 4;
/// How many grams a block has.
const GRAMS_PER_BLOCK: usize = u16::BITS as usize;
/// The bytes that the grams of a block cover.
pub(super) const BLOCK: usize = (GRAMS_PER_BLOCK + 1) * STEP;
/// The distance from one block to the next.
pub(super) const STRIDE: usize = GRAMS_PER_BLOCK * STEP;
/// How many blocks are tested before their hits are followed up. Both wait for memory, each for
/// many places at once.
pub(super) const BLOCKS: usize = 64;

/// Makes case irrelevant, and leaves enough of other bytes to distinguish them.
const FOLD: u32 = 0x2020_2020;

// Odd constants with well-mixed bits: the fractional parts of the golden ratio and of the square
// root of 3, times 2^32. The high bits of a product are the mixed ones.
const GOLD: u32 = 0x9e37_79b9;
const ROOT3: u32 = 0xbb67_ae85;

/// Four or eight bytes of a text, as bits of the filter. Both are in the same word, so that one
/// load serves both.
#[derive(Clone, Copy)]
pub(super) struct Gram {
    word: u32,
    /// The bits for the first four bytes, and for all eight.
    short: u32,
    long: u32,
}

impl Gram {
    /// The gram of two halves, as they are loaded from the text in little-endian order.
    #[inline(always)]
    pub(super) fn new(first: u32, second: u32) -> Gram {
        let short = (first | FOLD).wrapping_mul(GOLD);
        let long = (short ^ (second | FOLD)).wrapping_mul(ROOT3);
        Gram { word: short ^ short >> 15, short, long }
    }

    /// The gram at the start of `text`. Bytes behind its end count as zero.
    pub(super) fn at(text: &[u8]) -> Gram {
        Gram::new(load(text), load(text.get(4..).unwrap_or_default()))
    }
}

/// The first four bytes of `text`; 0 if there are fewer.
#[inline(always)]
fn load(text: &[u8]) -> u32 {
    text.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// A block with possible grams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockHits {
    /// Its number among the tested blocks.
    pub block: u8,
    /// One bit for each place of the block where a short gram may be, and a long one.
    pub short: u16,
    pub long: u16,
}

/// The hits in consecutive blocks.
pub(super) struct GramHits {
    /// How many blocks were tested.
    pub blocks: usize,
    seen: [BlockHits; BLOCKS],
    count: usize,
}

impl GramHits {
    /// No hits.
    pub(super) fn new() -> GramHits {
        GramHits { blocks: 0, seen: [BlockHits::default(); BLOCKS], count: 0 }
    }

    /// The blocks with possible grams.
    pub(super) fn blocks(&self) -> &[BlockHits] {
        self.seen.get(..self.count).unwrap_or_default()
    }

    /// Tests the next blocks with `look`, as long as there are any. The count stays in a register.
    #[inline(always)]
    fn fill_blocks(&mut self, mut text: &[u8], look: impl Fn(&[u8; BLOCK]) -> [u16; 2]) {
        let (mut blocks, mut count) = (0, 0);
        while blocks < BLOCKS
            && let Some(block) = text.first_chunk()
        {
            let [short, long] = look(block);
            // The same work with and without hits, as nobody can predict them.
            self.seen[count] = BlockHits { block: blocks as u8, short, long };
            count += usize::from(short | long != 0);
            blocks += 1;
            text = &text[STRIDE..];
        }
        (self.blocks, self.count) = (blocks, count);
    }
}

/// A set of grams.
pub(super) struct GramFilter {
    words: Box<[AtomicU32]>,
}

impl GramFilter {
    /// A filter with room for so many grams.
    pub(super) fn new(grams: usize) -> GramFilter {
        let bits = (CACHED_BITS / grams.max(1)).clamp(MIN_BITS_PER_GRAM, MAX_BITS_PER_GRAM);
        let words = (grams * bits / 32).next_power_of_two().min(MAX_WORDS);
        GramFilter { words: (0..words).map(|_| AtomicU32::new(0)).collect() }
    }

    /// Adds a gram of four bytes.
    pub(super) fn set_short(&self, gram: Gram) {
        self.set(gram.word, gram.short);
    }

    /// Adds a gram of eight bytes.
    pub(super) fn set_long(&self, gram: Gram) {
        self.set(gram.word, gram.long);
    }

    /// True if the set may contain the gram as a short one, and as a long one.
    pub(super) fn has(&self, gram: Gram) -> (bool, bool) {
        let word = self.word(gram.word);
        (has_both_bits(word, gram.short), has_both_bits(word, gram.long))
    }

    /// Tests the grams at multiples of four bytes in the blocks that `text` starts with, at most
    /// [`BLOCKS`] of them.
    #[inline]
    pub(super) fn find_hits(&self, text: &[u8], hits: &mut GramHits) {
        self.find_hits_with(SimdWidth::best(), text, hits);
    }

    /// The same with the given instructions.
    #[inline]
    pub(super) fn find_hits_with(&self, way: SimdWidth, text: &[u8], hits: &mut GramHits) {
        match way.0 {
            Width::One => self.find_hits_scalar(text, hits),
            // SAFETY: a width exists only where the processor has its instructions.
            #[cfg(target_arch = "x86_64")]
            Width::Eight => unsafe { x86::avx2::find_hits(self, text, hits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Width::Sixteen => unsafe { x86::avx512::find_hits::<false>(self, text, hits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Width::Gathered => unsafe { x86::avx512::find_hits::<true>(self, text, hits) },
        }
    }

    /// The search one gram at a time. It defines what the other widths find.
    fn find_hits_scalar(&self, text: &[u8], hits: &mut GramHits) {
        hits.fill_blocks(text, |block| {
            let (halves, _) = block.as_chunks::<4>();
            let half = |n: usize| halves.get(n).map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let (mut short, mut long) = (0, 0);
            let mut first = half(0);
            for n in 0..GRAMS_PER_BLOCK {
                let second = half(n + 1);
                let seen = self.has(Gram::new(first, second));
                short |= u16::from(seen.0) << n;
                long |= u16::from(seen.1) << n;
                first = second;
            }
            [short, long]
        });
    }

    #[inline(always)]
    fn word(&self, hash: u32) -> u32 {
        // The length is a power of two, so this is never out of bounds.
        let at = hash as usize & (self.words.len() - 1);
        self.words.get(at).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// Adds two bits to a word of the filter.
    fn set(&self, word: u32, bits: u32) {
        let at = word as usize & (self.words.len() - 1);
        let bits = HIGHEST >> (bits >> 27) | HIGHEST >> (bits >> 22 & 31);
        self.words[at].fetch_or(bits, Ordering::Release);
    }
}

/// The bits of a word are counted from here, so that a shift brings a bit to the sign.
const HIGHEST: u32 = 1 << 31;

/// True if the word has both bits.
#[inline(always)]
fn has_both_bits(word: u32, bits: u32) -> bool {
    word << (bits >> 27) & word << (bits >> 22 & 31) & HIGHEST != 0
}

/// How many grams are tested together. A width exists only where the processor has its
/// instructions. All widths give the same hits.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimdWidth(Width);

#[derive(Clone, Copy, Debug)]
enum Width {
    One,
    #[cfg(target_arch = "x86_64")]
    Eight,
    #[cfg(target_arch = "x86_64")]
    Sixteen,
    /// Sixteen as well, with one gather instruction for their words.
    #[cfg(target_arch = "x86_64")]
    Gathered,
}

impl SimdWidth {
    #[inline]
    fn best() -> SimdWidth {
        SimdWidth::all().next().unwrap_or(SimdWidth(Width::One))
    }

    /// The fastest first.
    #[inline]
    pub(super) fn all() -> impl Iterator<Item = SimdWidth> {
        let widths = [
            // No feature flag tells whether a processor gathers fast. One with AVX512-FP16, an
            // Intel Xeon, did when measured; Zen 5, which lacks it, was no faster with gathers.
            // Some older Intel processors became slow by the mitigation of Downfall
            // (CVE-2022-40982).
            #[cfg(target_arch = "x86_64")]
            (std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512fp16"))
            .then_some(Width::Gathered),
            #[cfg(target_arch = "x86_64")]
            std::arch::is_x86_feature_detected!("avx512f").then_some(Width::Sixteen),
            #[cfg(target_arch = "x86_64")]
            std::arch::is_x86_feature_detected!("avx2").then_some(Width::Eight),
            Some(Width::One),
        ];
        widths.into_iter().flatten().map(SimdWidth)
    }
}
