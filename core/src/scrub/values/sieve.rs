//! The sieve of grams: a set of hashes that may let through what it has not, never the other way
//! round.
//!
//! It is changed while others read it: bits are only ever set, one word at a time.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many bits a sieve has for each of its grams, when it is full. Two of them are set.
/// Fewer where the sieve would not fit the cache next to the core: a miss costs more than a
/// needless look.
const BITS: usize = 32;
const BITS_OF_MANY: usize = 16;
/// From how many grams on (their sieve has 256 KiB).
const MANY: usize = 65_536;

/// How far the grams are apart that are looked at together, the bytes that the eight of a block
/// take in, and how far it is to the next block.
pub(super) const STEP: usize = 4;
pub(super) const BLOCK: usize = 9 * STEP;
pub(super) const STRIDE: usize = 8 * STEP;
/// So many blocks are looked at before what was seen is looked into. Both wait for memory, each for
/// many places at once.
pub(super) const BLOCKS: usize = 64;

/// Makes the case of letters not count, and leaves enough of other bytes to tell them apart.
const FOLD: u32 = 0x2020_2020;

// Odd constants with well-mixed bits: the fractional parts of the golden ratio and of the square
// root of 3, times 2^32. The high bits of a product are the mixed ones.
const GOLD: u32 = 0x9e37_79b9;
const ROOT3: u32 = 0xbb67_ae85;

/// Four or eight bytes of a text, as places in a sieve: both are in the same word, so that one
/// look serves both.
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

    /// The gram at the start of `text`; what is behind its end counts as zero.
    pub(super) fn at(text: &[u8]) -> Gram {
        Gram::new(load(text), load(text.get(4..).unwrap_or_default()))
    }
}

#[inline(always)]
fn load(text: &[u8]) -> u32 {
    text.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// A block in which grams may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Its number among the blocks that were looked at.
    pub block: u8,
    /// A bit for each place of the block at which a short gram may be, and a long one.
    pub short: u8,
    pub long: u8,
}

/// What was seen in some blocks that follow each other.
pub(super) struct Sights {
    /// How many blocks were looked at.
    pub blocks: usize,
    seen: [Seen; BLOCKS],
    count: usize,
}

impl Sights {
    pub(super) fn new() -> Sights {
        Sights { blocks: 0, seen: [Seen::default(); BLOCKS], count: 0 }
    }

    /// The blocks in which grams may be.
    pub(super) fn seen(&self) -> &[Seen] {
        self.seen.get(..self.count).unwrap_or_default()
    }

    fn clear(&mut self) {
        (self.blocks, self.count) = (0, 0);
    }

    /// Adds the next block. Does the same whether there is anything in it or not, as nobody can
    /// tell in advance.
    #[inline(always)]
    fn add(&mut self, short: u8, long: u8) {
        if let Some(seen) = self.seen.get_mut(self.count) {
            *seen = Seen { block: self.blocks as u8, short, long };
        }
        self.count += usize::from(short | long != 0);
        self.blocks += 1;
    }
}

/// A set of grams.
pub(super) struct Sieve {
    words: Box<[AtomicU32]>,
}

impl Sieve {
    /// With room for some grams.
    pub(super) fn new(grams: usize) -> Sieve {
        let bits = if grams < MANY { BITS } else { BITS_OF_MANY };
        let words = (grams * bits / 32).next_power_of_two();
        Sieve { words: (0..words).map(|_| AtomicU32::new(0)).collect() }
    }

    pub(super) fn set_short(&self, gram: Gram) {
        self.set(gram.word, gram.short);
    }

    pub(super) fn set_long(&self, gram: Gram) {
        self.set(gram.word, gram.long);
    }

    /// True if the gram may be there as a short one, and as a long one.
    pub(super) fn has(&self, gram: Gram) -> (bool, bool) {
        let word = self.word(gram.word);
        (test(word, gram.short), test(word, gram.long))
    }

    /// Looks at the blocks that `text` starts with, [`BLOCKS`] at most, for grams that stand at a
    /// multiple of four bytes.
    #[inline]
    pub(super) fn see(&self, text: &[u8], sights: &mut Sights) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2.
            return unsafe { avx2::see(self, text, sights) };
        }
        self.see_anywhere(text, sights);
    }

    /// The same on any CPU.
    pub(super) fn see_anywhere(&self, mut text: &[u8], sights: &mut Sights) {
        sights.clear();
        while sights.blocks < BLOCKS
            && let Some(block) = text.first_chunk::<BLOCK>()
        {
            let (halves, _) = block.as_chunks::<4>();
            let half = |n: usize| halves.get(n).map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let (mut short, mut long) = (0, 0);
            let mut first = half(0);
            for n in 0..8 {
                let second = half(n + 1);
                let seen = self.has(Gram::new(first, second));
                short |= u8::from(seen.0) << n;
                long |= u8::from(seen.1) << n;
                first = second;
            }
            sights.add(short, long);
            text = &text[STRIDE..];
        }
    }

    #[inline(always)]
    fn word(&self, hash: u32) -> u32 {
        // The length is a power of two, so this is never out of bounds.
        let at = hash as usize & (self.words.len() - 1);
        self.words.get(at).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    fn set(&self, word: u32, bits: u32) {
        let at = word as usize & (self.words.len() - 1);
        let bits = HIGHEST >> (bits >> 27) | HIGHEST >> (bits >> 22 & 31);
        self.words[at].fetch_or(bits, Ordering::Release);
    }
}

/// The bits of a word are counted from here: so a shift brings one to where the sign is.
const HIGHEST: u32 = 1 << 31;

/// True if the word has both bits.
#[inline(always)]
fn test(word: u32, bits: u32) -> bool {
    word << (bits >> 27) & word << (bits >> 22 & 31) & HIGHEST != 0
}

/// Eight grams at once.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::sync::atomic::Ordering;

    use super::{BLOCK, BLOCKS, FOLD, GOLD, ROOT3, STRIDE, Sieve, Sights};

    #[target_feature(enable = "avx2")]
    pub(super) fn see(sieve: &Sieve, mut text: &[u8], sights: &mut Sights) {
        sights.clear();
        let fold = _mm256_set1_epi32(FOLD.cast_signed());
        let gold = _mm256_set1_epi32(GOLD.cast_signed());
        let root3 = _mm256_set1_epi32(ROOT3.cast_signed());
        while sights.blocks < BLOCKS
            && let Some(block) = text.first_chunk::<BLOCK>()
        {
            let block = block.as_ptr();
            // SAFETY: the block has 36 bytes, of which these are 0..32 and 4..36.
            let (first, second) = unsafe {
                (_mm256_loadu_si256(block.cast()), _mm256_loadu_si256(block.add(4).cast()))
            };
            let short = _mm256_mullo_epi32(_mm256_or_si256(first, fold), gold);
            let mixed = _mm256_xor_si256(short, _mm256_or_si256(second, fold));
            let long = _mm256_mullo_epi32(mixed, root3);
            let word = _mm256_xor_si256(short, _mm256_srli_epi32::<15>(short));
            let found = words_at(sieve, word);
            sights.add(test(found, short), test(found, long));
            text = &text[STRIDE..];
        }
    }

    /// The words for eight hashes. No gather: they may be changed meanwhile, so each load has to
    /// be atomic.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn words_at(sieve: &Sieve, hashes: __m256i) -> __m256i {
        let mask = _mm256_set1_epi32((sieve.words.len() - 1) as i32);
        let mut places = [0_u32; 8];
        let inside = _mm256_and_si256(hashes, mask);
        // SAFETY: the array has eight times four bytes, and the instruction needs no more.
        unsafe { _mm256_storeu_si256(places.as_mut_ptr().cast(), inside) };
        let words = places.map(|place| {
            // SAFETY: no place is more than the mask, which is the last place there is.
            let word = unsafe { sieve.words.get_unchecked(place as usize) };
            word.load(Ordering::Relaxed).cast_signed()
        });
        let [a, b, c, d, e, f, g, h] = words;
        _mm256_setr_epi32(a, b, c, d, e, f, g, h)
    }

    /// A bit for each of the words that has both bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn test(words: __m256i, bits: __m256i) -> u8 {
        let a = _mm256_sllv_epi32(words, _mm256_srli_epi32::<27>(bits));
        let five = _mm256_set1_epi32(31);
        let b = _mm256_and_si256(_mm256_srli_epi32::<22>(bits), five);
        let both = _mm256_and_si256(a, _mm256_sllv_epi32(words, b));
        _mm256_movemask_ps(_mm256_castsi256_ps(both)) as u8
    }
}
