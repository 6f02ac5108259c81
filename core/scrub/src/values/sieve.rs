//! The sieve of grams: a set of hashes that may let through what it has not, never the other way
//! round.
//!
//! It is changed while others read it: bits are only ever set, one word at a time.

use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(target_arch = "x86_64")]
mod x86;

/// The most bits that a sieve has for each of its grams, when it is full. Two of them are set.
const BITS: usize = 64;
/// It has fewer, but so many at least, where it would not fit the cache next to the core: a miss
/// costs more than a needless look.
const BITS_OF_MANY: usize = 16;
/// The most words of a sieve: what gathers them takes a place for a signed number.
const MOST: usize = 1 << 31;
/// The bits of a sieve that fits: 256 KiB.
const NEAR: usize = 8 << 18;

/// How far the grams are apart that are looked at together, how many there are in a block, the bytes
/// that these take in, and how far it is to the next block.
pub(super) const STEP: usize = 4;
const GRAMS: usize = u16::BITS as usize;
pub(super) const BLOCK: usize = (GRAMS + 1) * STEP;
pub(super) const STRIDE: usize = GRAMS * STEP;
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
    pub short: u16,
    pub long: u16,
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

    /// Looks at the next blocks, as long as there are any, for what `look` sees of one. How many
    /// there were stays in a register meanwhile.
    #[inline(always)]
    fn fill(&mut self, mut text: &[u8], look: impl Fn(&[u8; BLOCK]) -> [u16; 2]) {
        let (mut blocks, mut count) = (0, 0);
        while blocks < BLOCKS
            && let Some(block) = text.first_chunk()
        {
            let [short, long] = look(block);
            // Does the same whether there is anything in it or not, as nobody can tell in advance.
            self.seen[count] = Seen { block: blocks as u8, short, long };
            count += usize::from(short | long != 0);
            blocks += 1;
            text = &text[STRIDE..];
        }
        (self.blocks, self.count) = (blocks, count);
    }
}

/// A set of grams.
pub(super) struct Sieve {
    words: Box<[AtomicU32]>,
}

impl Sieve {
    /// With room for some grams.
    pub(super) fn new(grams: usize) -> Sieve {
        let bits = (NEAR / grams.max(1)).clamp(BITS_OF_MANY, BITS);
        let words = (grams * bits / 32).next_power_of_two().min(MOST);
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
        self.see_by(Way::best(), text, sights);
    }

    /// The same in one way.
    #[inline]
    pub(super) fn see_by(&self, way: Way, text: &[u8], sights: &mut Sights) {
        match way.0 {
            Width::One => self.see_one_by_one(text, sights),
            // SAFETY: a way is there only where the processor has what it needs.
            #[cfg(target_arch = "x86_64")]
            Width::Eight => unsafe { x86::avx2::see(self, text, sights) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Width::Sixteen => unsafe { x86::avx512::see::<false>(self, text, sights) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Width::Gathered => unsafe { x86::avx512::see::<true>(self, text, sights) },
        }
    }

    fn see_one_by_one(&self, text: &[u8], sights: &mut Sights) {
        sights.fill(text, |block| {
            let (halves, _) = block.as_chunks::<4>();
            let half = |n: usize| halves.get(n).map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let (mut short, mut long) = (0, 0);
            let mut first = half(0);
            for n in 0..GRAMS {
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

/// How many grams are looked at together. A way is there only where the processor has what it
/// needs. All see the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way(Width);

#[derive(Clone, Copy, Debug)]
enum Width {
    One,
    #[cfg(target_arch = "x86_64")]
    Eight,
    #[cfg(target_arch = "x86_64")]
    Sixteen,
    /// Sixteen too, with one instruction for their words.
    #[cfg(target_arch = "x86_64")]
    Gathered,
}

impl Way {
    #[inline]
    fn best() -> Way {
        Way::all().next().unwrap_or(Way(Width::One))
    }

    /// The fastest first.
    #[inline]
    pub(super) fn all() -> impl Iterator<Item = Way> {
        let widths = [
            // Nothing tells whether a processor gathers fast. One with AVX512-FP16 did where it was
            // measured, an Intel Xeon; Zen 5, which has none, was no faster with it. Of Intel's
            // older ones some lost it to the mending of Downfall (CVE-2022-40982).
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
        widths.into_iter().flatten().map(Way)
    }
}
