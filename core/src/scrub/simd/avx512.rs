//! AVX-512 with VBMI: a block is one register, and a table holds all of ASCII.

use std::arch::x86_64::*;

use super::{BLOCK, Class, Classes, Grams, Lanes, Level, Nest, REACH, Task, gram::LENGTH};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn with_avx512<T: Task>(task: T) -> T::Answer {
    task.run::<Avx512>()
}

/// True if the processor has all that this level asks for.
pub(super) fn is_there() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512vbmi")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
}

#[derive(Clone, Copy)]
pub(super) struct Avx512;

const _: () = assert!(BLOCK == size_of::<__m512i>() && REACH >= BLOCK + LENGTH - 1);

impl Lanes for Avx512 {
    const LEVEL: Level = Level::Avx512;

    #[inline(always)]
    fn matching(class: &Class, bytes: &[u8; REACH]) -> u64 {
        // SAFETY: this is run inside `Level::run` only, so the processor has the features.
        unsafe {
            let (low, up) = halves(load(bytes, 0), &class.lower, &class.upper);
            _mm512_test_epi8_mask(low, up)
        }
    }

    #[inline(always)]
    fn each<const COUNT: usize>(classes: &Classes<COUNT>, bytes: &[u8; REACH]) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        // SAFETY: as above.
        unsafe {
            let (low, up) = halves(load(bytes, 0), &classes.lower, &classes.upper);
            let told = _mm512_and_si512(low, up);
            for (answer, bits) in answers.iter_mut().zip(classes.bits) {
                *answer = _mm512_test_epi8_mask(told, _mm512_set1_epi8(bits.cast_signed()));
            }
        }
        answers
    }

    #[inline(always)]
    fn nested<const COUNT: usize>(nest: &Nest<COUNT>, bytes: &[u8; REACH]) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        // SAFETY: as above.
        unsafe {
            let (low, up) = halves(load(bytes, 0), &nest.lower, &nest.upper);
            let told = _mm512_and_si512(low, up);
            for (answer, lift) in answers.iter_mut().zip(nest.lifts) {
                let lifted = _mm512_add_epi8(told, _mm512_set1_epi8(lift.cast_signed()));
                *answer = _mm512_movepi8_mask(lifted);
            }
        }
        answers
    }

    #[inline(always)]
    fn starting(grams: &Grams, bytes: &[u8; REACH]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let all = _mm512_and_si512(passing(grams, 0, bytes), passing(grams, 1, bytes));
            let last = _mm512_and_si512(passing(grams, 2, bytes), passing(grams, 3, bytes));
            _mm512_test_epi8_mask(all, last)
        }
    }

    type Sought<'g, const COUNT: usize> = Sought<'g, COUNT>;

    #[inline(always)]
    fn seek<const COUNT: usize>(grams: &[Grams; COUNT]) -> Sought<'_, COUNT> {
        // SAFETY: as above.
        let mut taken = [unsafe { [[_mm512_setzero_si512(); 2]; LENGTH] }; COUNT];
        for (tables, grams) in taken.iter_mut().zip(grams) {
            for (table, whole) in tables.iter_mut().zip(&grams.whole.0) {
                let from = whole.as_ptr();
                // SAFETY: as above, and each table is 256 bytes long.
                *table = unsafe {
                    [_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(BLOCK).cast())]
                };
            }
        }
        Sought { grams, tables: taken }
    }

    #[inline(always)]
    fn starting_any<const COUNT: usize>(sought: &Sought<'_, COUNT>, bytes: &[u8; REACH]) -> u64 {
        // SAFETY: as above.
        unsafe {
            let (start, rest) = (load(bytes, 0), load(bytes, LENGTH - 1));
            if _mm512_movepi8_mask(_mm512_or_si512(start, rest)) != 0 {
                let mut bits = 0;
                for grams in sought.grams {
                    bits |= Avx512::starting(grams, bytes);
                }
                return bits;
            }
            let mut any = _mm512_setzero_si512();
            for tables in &sought.tables {
                any = _mm512_or_si512(any, ascii(tables, bytes));
            }
            _mm512_test_epi8_mask(any, any)
        }
    }
}

/// Some searches, and what their tables say of ASCII.
#[derive(Clone, Copy)]
pub(super) struct Sought<'g, const COUNT: usize> {
    grams: &'g [Grams; COUNT],
    tables: [Tables; COUNT],
}

/// The lower and the upper half of the table of each place.
type Tables = [[__m512i; 2]; LENGTH];

/// The block of `bytes` that starts at `place`, below [`LENGTH`].
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn load(bytes: &[u8; REACH], place: usize) -> __m512i {
    debug_assert!(place < LENGTH, "a block behind what is read");
    // SAFETY: as the caller says, and `place + BLOCK <= REACH`.
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
unsafe fn passing(grams: &Grams, place: usize, bytes: &[u8; REACH]) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let (low, up) = halves(load(bytes, place), &grams.lower[place], &grams.upper[place]);
        _mm512_and_si512(low, up)
    }
}

/// The buckets of words that may start at each byte, if all bytes are ASCII.
///
/// # Safety
///
/// The processor must have AVX-512 with BW and VBMI.
#[inline(always)]
unsafe fn ascii(tables: &Tables, bytes: &[u8; REACH]) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let first = _mm512_and_si512(entries(tables, 0, bytes), entries(tables, 1, bytes));
        let second = _mm512_and_si512(entries(tables, 2, bytes), entries(tables, 3, bytes));
        _mm512_and_si512(first, second)
    }
}

/// The buckets that the bytes from `place` on allow, of which each is ASCII.
///
/// # Safety
///
/// The processor must have AVX-512 with VBMI.
#[inline(always)]
unsafe fn entries(tables: &Tables, place: usize, bytes: &[u8; REACH]) -> __m512i {
    let [first, second] = tables[place];
    // SAFETY: as the caller says.
    unsafe { _mm512_permutex2var_epi8(first, load(bytes, place), second) }
}
