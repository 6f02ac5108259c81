//! The sieves: sets of hashes that may let through what they have not, never the other way round.
//!
//! They are changed while others read them: bits are only ever set, one word at a time.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many bits a sieve has for each of its entries, when it is full. Two of them are set.
/// Fewer where the sieve would not fit the cache next to the core: a miss costs more than a
/// needless look.
const BITS: usize = 32;
const BITS_OF_MANY: usize = 16;
/// From how many entries on (their sieve has 256 KiB).
const MANY: usize = 65_536;

/// How far the grams are apart that are looked at together, the bytes that the eight of a block
/// take in, and how far it is to the next block.
pub(super) const STEP: usize = 4;
pub(super) const BLOCK: usize = 9 * STEP;
pub(super) const STRIDE: usize = 8 * STEP;

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
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Where the block starts.
    pub at: usize,
    /// A bit for each place of the block at which a short gram may be, and a long one.
    pub short: u32,
    pub long: u32,
}

/// A set of grams, or of keys.
pub(super) struct Sieve {
    words: Box<[AtomicU32]>,
}

impl Sieve {
    /// With room for some entries.
    pub(super) fn new(entries: usize) -> Sieve {
        let bits = if entries < MANY { BITS } else { BITS_OF_MANY };
        let words = (entries * bits / 32).next_power_of_two();
        Sieve { words: (0..words).map(|_| AtomicU32::new(0)).collect() }
    }

    pub(super) fn set_short(&self, gram: Gram) {
        self.set(gram.word, gram.short);
    }

    pub(super) fn set_long(&self, gram: Gram) {
        self.set(gram.word, gram.long);
    }

    pub(super) fn set_key(&self, key: u64) {
        self.set(key as u32, (key >> 32) as u32);
    }

    pub(super) fn has_key(&self, key: u64) -> bool {
        test(self.word(key as u32), (key >> 32) as u32)
    }

    /// True if the gram may be there as a short one, and as a long one.
    pub(super) fn has(&self, gram: Gram) -> (bool, bool) {
        let word = self.word(gram.word);
        (test(word, gram.short), test(word, gram.long))
    }

    /// Finds in `text[at..]` the first block in which a gram may be that stands at a multiple of
    /// four bytes; `None` if in no whole block there is one.
    #[inline]
    pub(super) fn next(&self, text: &[u8], at: usize) -> Option<Seen> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2.
            return unsafe { avx2::next(self, text, at) };
        }
        self.next_anywhere(text, at)
    }

    /// The same on any CPU.
    pub(super) fn next_anywhere(&self, text: &[u8], mut at: usize) -> Option<Seen> {
        while let Some(block) = text.get(at..)?.first_chunk::<BLOCK>() {
            let (halves, _) = block.as_chunks::<4>();
            let half = |n: usize| halves.get(n).map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let (mut short, mut long) = (0, 0);
            let mut first = half(0);
            for n in 0..8 {
                let second = half(n + 1);
                let seen = self.has(Gram::new(first, second));
                short |= u32::from(seen.0) << n;
                long |= u32::from(seen.1) << n;
                first = second;
            }
            if short | long != 0 {
                return Some(Seen { at, short, long });
            }
            at += STRIDE;
        }
        None
    }

    #[inline(always)]
    fn word(&self, hash: u32) -> u32 {
        // The length is a power of two, so this is never out of bounds.
        let at = hash as usize & (self.words.len() - 1);
        self.words.get(at).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    fn set(&self, word: u32, bits: u32) {
        let at = word as usize & (self.words.len() - 1);
        self.words[at].fetch_or(1 << (bits >> 27) | 1 << (bits >> 22 & 31), Ordering::Release);
    }
}

/// True if the word has both bits.
#[inline(always)]
fn test(word: u32, bits: u32) -> bool {
    (word >> (bits >> 27) & 1 != 0) & (word >> (bits >> 22 & 31) & 1 != 0)
}

/// Eight grams at once.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, FOLD, GOLD, ROOT3, STRIDE, Seen, Sieve};

    #[target_feature(enable = "avx2")]
    pub(super) fn next(sieve: &Sieve, text: &[u8], mut at: usize) -> Option<Seen> {
        let fold = _mm256_set1_epi32(FOLD.cast_signed());
        let gold = _mm256_set1_epi32(GOLD.cast_signed());
        let root3 = _mm256_set1_epi32(ROOT3.cast_signed());
        while let Some(block) = text.get(at..)?.first_chunk::<BLOCK>() {
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
            let (short, long) = (test(found, short), test(found, long));
            if _mm256_testz_si256(_mm256_or_si256(short, long), _mm256_set1_epi32(1)) == 0 {
                return Some(Seen { at, short: mask_of(short), long: mask_of(long) });
            }
            at += STRIDE;
        }
        None
    }

    /// The lowest bits of the eight.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn mask_of(bits: __m256i) -> u32 {
        let signs = _mm256_slli_epi32::<31>(bits);
        _mm256_movemask_ps(_mm256_castsi256_ps(signs)).cast_unsigned()
    }

    /// The words at eight places. No gather: they may be changed meanwhile, so each load has to
    /// be atomic.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn words_at(sieve: &Sieve, at: __m256i) -> __m256i {
        let mut places = [0_u32; 8];
        // SAFETY: both arrays have eight times four bytes, and these instructions need no more.
        unsafe { _mm256_storeu_si256(places.as_mut_ptr().cast(), at) };
        let words = places.map(|place| sieve.word(place));
        // SAFETY: as above.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn test(words: __m256i, bits: __m256i) -> __m256i {
        let a = _mm256_srlv_epi32(words, _mm256_srli_epi32::<27>(bits));
        let five = _mm256_set1_epi32(31);
        let b = _mm256_and_si256(_mm256_srli_epi32::<22>(bits), five);
        _mm256_and_si256(a, _mm256_srlv_epi32(words, b))
    }
}
