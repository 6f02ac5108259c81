//! The gram filter with AVX2 and AVX-512: tests eight or sixteen grams at once.

use std::sync::atomic::Ordering;

use super::GramFilter;

/// The words at these places, of which each number holds two: so they come out of a register in
/// half as many steps. They may be changed meanwhile, so each load has to be atomic.
///
/// # Safety
///
/// No place may be behind the last word.
#[inline(always)]
unsafe fn words_at<const PAIRS: usize>(
    gram_filter: &GramFilter,
    places: [u64; PAIRS],
) -> [[i32; 2]; PAIRS] {
    places.map(|two| {
        [two as u32, (two >> u32::BITS) as u32].map(|place| {
            // SAFETY: as the caller says.
            let word = unsafe { gram_filter.words.get_unchecked(place as usize) };
            word.load(Ordering::Relaxed).cast_signed()
        })
    })
}

/// Eight grams at once.
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::super::{BLOCK, FOLD, GOLD, GramFilter, GramHits, ROOT3};
    use super::words_at;

    #[target_feature(enable = "avx2")]
    pub(in super::super) fn find_hits(gram_filter: &GramFilter, text: &[u8], hits: &mut GramHits) {
        hits.fill_blocks(text, |block| {
            let [first, second] = [half::<0>(gram_filter, block), half::<1>(gram_filter, block)];
            [0, 1].map(|layer| u16::from_le_bytes([first[layer], second[layer]]))
        });
    }

    /// A bit for each of eight grams of the block: whether it may be there as a short one, and as
    /// a long one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn half<const HALF: usize>(gram_filter: &GramFilter, block: &[u8; BLOCK]) -> [u8; 2] {
        const { assert!(HALF * 32 + 36 <= BLOCK, "both halves are in the block") };
        let fold = _mm256_set1_epi32(FOLD.cast_signed());
        let block = block.as_ptr();
        // SAFETY: the half has 36 bytes, of which these are 0..32 and 4..36.
        let (first, second) = unsafe {
            (
                _mm256_loadu_si256(block.add(HALF * 32).cast()),
                _mm256_loadu_si256(block.add(HALF * 32 + 4).cast()),
            )
        };
        let gold = _mm256_set1_epi32(GOLD.cast_signed());
        let short = _mm256_mullo_epi32(_mm256_or_si256(first, fold), gold);
        let mixed = _mm256_xor_si256(short, _mm256_or_si256(second, fold));
        let long = _mm256_mullo_epi32(mixed, _mm256_set1_epi32(ROOT3.cast_signed()));
        let word = _mm256_xor_si256(short, _mm256_srli_epi32::<15>(short));
        let mask = _mm256_set1_epi32((gram_filter.words.len() - 1) as i32);
        let mut places = [0_u64; 4];
        // SAFETY: the array has four times eight bytes, and the instruction needs no more. No
        // place is more than the mask, which is the last place there is.
        let words = unsafe {
            _mm256_storeu_si256(places.as_mut_ptr().cast(), _mm256_and_si256(word, mask));
            words_at(gram_filter, places)
        };
        let [[a, b], [c, d], [e, f], [g, h]] = words;
        let words = _mm256_setr_epi32(a, b, c, d, e, f, g, h);
        [has_both_bits(words, short), has_both_bits(words, long)]
    }

    /// A bit for each of the words that has both bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn has_both_bits(words: __m256i, bits: __m256i) -> u8 {
        let a = _mm256_sllv_epi32(words, _mm256_srli_epi32::<27>(bits));
        let five = _mm256_set1_epi32(31);
        let b = _mm256_and_si256(_mm256_srli_epi32::<22>(bits), five);
        let both = _mm256_and_si256(a, _mm256_sllv_epi32(words, b));
        _mm256_movemask_ps(_mm256_castsi256_ps(both)) as u8
    }
}

/// Sixteen grams at once.
pub(super) mod avx512 {
    use std::arch::asm;
    use std::arch::x86_64::*;

    use super::super::{BLOCK, FOLD, GOLD, GramFilter, GramHits, HIGHEST, ROOT3};
    use super::words_at;

    const _: () = assert!(BLOCK == 68, "a register, and four bytes more");

    /// `GATHERS` where one instruction for all words is faster than one for each.
    #[target_feature(enable = "avx512f")]
    pub(in super::super) fn find_hits<const GATHERS: bool>(
        gram_filter: &GramFilter,
        text: &[u8],
        hits: &mut GramHits,
    ) {
        let fold = _mm512_set1_epi32(FOLD.cast_signed());
        let gold = _mm512_set1_epi32(GOLD.cast_signed());
        let root3 = _mm512_set1_epi32(ROOT3.cast_signed());
        let mask = _mm512_set1_epi32((gram_filter.words.len() - 1) as i32);
        // A closure in a function has its features.
        hits.fill_blocks(text, |block| {
            let block = block.as_ptr();
            // SAFETY: the block has 68 bytes, of which these are 0..64 and 4..68.
            let (first, second) = unsafe {
                (_mm512_loadu_si512(block.cast()), _mm512_loadu_si512(block.add(4).cast()))
            };
            let short = _mm512_mullo_epi32(_mm512_or_si512(first, fold), gold);
            let mixed = _mm512_xor_si512(short, _mm512_or_si512(second, fold));
            let long = _mm512_mullo_epi32(mixed, root3);
            let word = _mm512_xor_si512(short, _mm512_srli_epi32::<15>(short));
            let places = _mm512_and_si512(word, mask);
            // SAFETY: no place is more than the mask, which is the last place there is.
            let words = unsafe {
                if GATHERS {
                    gathered(gram_filter, places)
                } else {
                    one_by_one(gram_filter, places)
                }
            };
            [has_both_bits(words, short), has_both_bits(words, long)]
        });
    }

    /// The words at the places.
    ///
    /// # Safety
    ///
    /// No place may be behind the last word.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn one_by_one(gram_filter: &GramFilter, places: __m512i) -> __m512i {
        let mut pairs = [0_u64; 8];
        // SAFETY: the array has eight times eight bytes, and the instruction needs no more; the
        // places are as the caller says.
        let words = unsafe {
            _mm512_storeu_si512(pairs.as_mut_ptr().cast(), places);
            words_at(gram_filter, pairs)
        };
        let [[a, b], [c, d], [e, f], [g, h], [i, j], [k, l], [m, n], [o, p]] = words;
        _mm512_setr_epi32(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
    }

    /// The same with one instruction. Written as such, since the intrinsic stands for reads that
    /// nobody may write to meanwhile; what the processor does is to read each word for itself.
    ///
    /// # Safety
    ///
    /// No place may be behind the last word.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn gathered(gram_filter: &GramFilter, places: __m512i) -> __m512i {
        let words;
        // SAFETY: what is read lies in the filter, as the caller says; no filter has more than `MAX_WORDS`
        // words, so no place is taken for a negative one. Words lie at multiples of four bytes, and
        // a processor reads such as a whole: these are relaxed loads. Nothing is written but the
        // two registers named.
        unsafe {
            asm!(
                "kxnorw {all}, {all}, {all}",
                "vpxord {words}, {words}, {words}",
                "vpgatherdd {words}{{{all}}}, [{start} + {places} * 4]",
                all = out(kreg) _,
                words = out(zmm_reg) words,
                start = in(reg) gram_filter.words.as_ptr(),
                places = in(zmm_reg) places,
                options(readonly, nostack, preserves_flags),
            );
        }
        words
    }

    /// A bit for each of the words that has both bits. A turn counts no further than a word is
    /// wide, and brings a bit to where the sign is as a shift does.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn has_both_bits(words: __m512i, bits: __m512i) -> u16 {
        let a = _mm512_rolv_epi32(words, _mm512_srli_epi32::<27>(bits));
        let b = _mm512_rolv_epi32(words, _mm512_srli_epi32::<22>(bits));
        let both = _mm512_and_si512(a, b);
        _mm512_test_epi32_mask(both, _mm512_set1_epi32(HIGHEST.cast_signed()))
    }
}
