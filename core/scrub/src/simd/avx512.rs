//! AVX-512 with VBMI and GFNI: a block is one register, and a table holds all of ASCII without
//! case.

use std::arch::x86_64::*;

use super::{
    BLOCK, BLOCK_WINDOW, Class, Classes, Grams, Lanes, Level, NestedSets, Task, gram::LENGTH,
};

/// Runs the task in code compiled for AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni,avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn with_avx512<T: Task>(task: T) -> T::Answer {
    task.run::<Avx512>()
}

/// True if the processor has all instructions of this level.
pub(super) fn is_there() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512vbmi")
        && std::arch::is_x86_feature_detected!("gfni")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
}

/// 64 bytes at a time: a block is one register.
#[derive(Clone, Copy)]
pub(super) struct Avx512;

const _: () = assert!(BLOCK == size_of::<__m512i>() && BLOCK_WINDOW >= BLOCK + LENGTH - 1);

impl Lanes for Avx512 {
    const LEVEL: Level = Level::Avx512;

    #[inline(always)]
    fn matching(class: &Class, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
        // SAFETY: this is run inside `Level::run` only, so the processor has the features.
        unsafe {
            let (low, up) = halves(load(bytes, 0), &class.lower, &class.upper);
            _mm512_test_epi8_mask(low, up)
        }
    }

    #[inline(always)]
    fn each<const COUNT: usize>(
        classes: &Classes<COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        // SAFETY: as above.
        unsafe {
            let (low, up) = halves(load(bytes, 0), &classes.lower, &classes.upper);
            let looked_up = _mm512_and_si512(low, up);
            for (answer, bits) in answers.iter_mut().zip(classes.bits) {
                *answer = _mm512_test_epi8_mask(looked_up, _mm512_set1_epi8(bits.cast_signed()));
            }
        }
        answers
    }

    #[inline(always)]
    fn nested<const COUNT: usize>(
        nested_sets: &NestedSets<COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        // SAFETY: as above.
        unsafe {
            let (low, up) = halves(load(bytes, 0), &nested_sets.lower, &nested_sets.upper);
            let looked_up = _mm512_and_si512(low, up);
            for (answer, lift) in answers.iter_mut().zip(nested_sets.lifts) {
                let lifted = _mm512_add_epi8(looked_up, _mm512_set1_epi8(lift.cast_signed()));
                *answer = _mm512_movepi8_mask(lifted);
            }
        }
        answers
    }

    #[inline(always)]
    fn gram_starts(grams: &Grams, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let all = _mm512_and_si512(passing(grams, 0, bytes), passing(grams, 1, bytes));
            let last = _mm512_and_si512(passing(grams, 2, bytes), passing(grams, 3, bytes));
            _mm512_test_epi8_mask(all, last)
        }
    }

    type LoadedTables<'g, const COUNT: usize> = LoadedTables<'g, COUNT>;

    #[inline(always)]
    fn load_tables<const COUNT: usize>(grams: &[Grams; COUNT]) -> LoadedTables<'_, COUNT> {
        // SAFETY: as above.
        let mut taken = [unsafe { [_mm512_setzero_si512(); LENGTH] }; COUNT];
        for (tables, grams) in taken.iter_mut().zip(grams) {
            for (table, case_folded) in tables.iter_mut().zip(&grams.case_folded.0) {
                // SAFETY: as above, and each table is 64 bytes long.
                *table = unsafe { _mm512_loadu_si512(case_folded.as_ptr().cast()) };
            }
        }
        LoadedTables { grams, tables: taken }
    }

    #[inline(always)]
    fn any_gram_starts<const COUNT: usize>(
        sought: &LoadedTables<'_, COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> u64 {
        // SAFETY: as above.
        unsafe {
            let (start, rest) = (load(bytes, 0), load(bytes, LENGTH - 1));
            if _mm512_movepi8_mask(_mm512_or_si512(start, rest)) != 0 {
                let mut bits = 0;
                for grams in sought.grams {
                    bits |= Avx512::gram_starts(grams, bytes);
                }
                return bits;
            }
            let places = [
                case_folded(bytes, 0),
                case_folded(bytes, 1),
                case_folded(bytes, 2),
                case_folded(bytes, 3),
            ];
            let mut any = _mm512_setzero_si512();
            for tables in &sought.tables {
                any = _mm512_or_si512(any, ascii(tables, &places));
            }
            _mm512_test_epi8_mask(any, any)
        }
    }
}

/// Several searches, with their tables for ASCII in registers.
#[derive(Clone, Copy)]
pub(super) struct LoadedTables<'g, const COUNT: usize> {
    grams: &'g [Grams; COUNT],
    tables: [Tables; COUNT],
}

/// One table for each of the four bytes of a word.
type Tables = [__m512i; LENGTH];

/// The block of `bytes` that starts at `place`, below [`LENGTH`].
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn load(bytes: &[u8; BLOCK_WINDOW], place: usize) -> __m512i {
    debug_assert!(place < LENGTH, "a block behind what is read");
    // SAFETY: as the caller says, and `place + BLOCK <= BLOCK_WINDOW`.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().add(place).cast()) }
}

/// What the tables say of the halves of each byte.
///
/// # Safety
///
/// The processor must have AVX-512 with BW.
#[inline(always)]
unsafe fn halves(chunk: __m512i, lower: &[u8; 16], upper: &[u8; 16]) -> (__m512i, __m512i) {
    // SAFETY: as the caller says, and the tables are sixteen bytes long.
    unsafe {
        let lower = _mm_loadu_si128(lower.as_ptr().cast());
        let upper = _mm_loadu_si128(upper.as_ptr().cast());
        let mask = _mm512_set1_epi8(15);
        let low = _mm512_and_si512(chunk, mask);
        let up = _mm512_and_si512(_mm512_srli_epi16::<4>(chunk), mask);
        let low = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(lower), low);
        (low, _mm512_shuffle_epi8(_mm512_broadcast_i32x4(upper), up))
    }
}

/// The buckets that the bytes from `place` on allow.
///
/// # Safety
///
/// The processor must have AVX-512 with BW.
#[inline(always)]
unsafe fn passing(grams: &Grams, place: usize, bytes: &[u8; BLOCK_WINDOW]) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let (low, up) = halves(load(bytes, place), &grams.lower[place], &grams.upper[place]);
        _mm512_and_si512(low, up)
    }
}

/// The bytes from `place` on, of which each is ASCII, without the bit of their case: the lower
/// six bits of each are a place in a table.
///
/// # Safety
///
/// The processor must have AVX-512 and GFNI.
#[inline(always)]
unsafe fn case_folded(bytes: &[u8; BLOCK_WINDOW], place: usize) -> __m512i {
    /// Which bits make up each bit of what comes out, the lowest first from the top.
    const BITS: u64 = u64::from_be_bytes([1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 6, 0, 0]);
    // SAFETY: as the caller says.
    unsafe {
        let bits = _mm512_set1_epi64(BITS.cast_signed());
        _mm512_gf2p8affine_epi64_epi8::<0>(load(bytes, place), bits)
    }
}

/// The buckets of words that may start at each byte, by the places in the tables of what stands
/// there and behind it.
///
/// # Safety
///
/// The processor must have AVX-512 with VBMI.
#[inline(always)]
unsafe fn ascii(tables: &Tables, places: &[__m512i; LENGTH]) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let first = _mm512_permutexvar_epi8(places[0], tables[0]);
        let second = _mm512_permutexvar_epi8(places[1], tables[1]);
        let third = _mm512_permutexvar_epi8(places[2], tables[2]);
        let fourth = _mm512_permutexvar_epi8(places[3], tables[3]);
        _mm512_and_si512(_mm512_and_si512(first, second), _mm512_and_si512(third, fourth))
    }
}
