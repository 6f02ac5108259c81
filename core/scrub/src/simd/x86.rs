//! SSE4.2 and AVX2, for 64-bit x86.

use std::arch::x86_64::*;

use super::vector::Vector;
use super::{Level, Task};

/// Runs the task in code compiled for SSE4.2 and what every processor with it has.
#[target_feature(enable = "ssse3,sse4.1,sse4.2,popcnt")]
#[inline(never)]
pub(super) fn with_sse42<T: Task>(task: T) -> T::Answer {
    task.run::<Sse42>()
}

/// Runs the task in code compiled for AVX2 and what every processor with it has.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn with_avx2<T: Task>(task: T) -> T::Answer {
    task.run::<Avx2>()
}

/// True if the processor has what [`with_sse42`] asks for.
pub(super) fn has_sse42() -> bool {
    std::arch::is_x86_feature_detected!("sse4.2")
        && std::arch::is_x86_feature_detected!("ssse3")
        && std::arch::is_x86_feature_detected!("sse4.1")
        && std::arch::is_x86_feature_detected!("popcnt")
}

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(super) struct Sse42(__m128i);

// SAFETY: what is called is what SSSE3 has, a part of it.
unsafe impl Vector for Sse42 {
    const LEVEL: Level = Level::Sse42;
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller says that the bytes are readable.
        Sse42(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        // SAFETY: sixteen bytes are readable.
        Sse42(unsafe { _mm_loadu_si128(entries.as_ptr().cast()) })
    }

    #[inline(always)]
    unsafe fn filled(byte: u8) -> Self {
        // SAFETY: the caller says that the processor has SSE4.2.
        Sse42(unsafe { _mm_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn look_up(self, indices: Self) -> Self {
        // SAFETY: the caller says that the processor has SSE4.2.
        Sse42(unsafe { _mm_shuffle_epi8(self.0, indices.0) })
    }

    #[inline(always)]
    unsafe fn lower(self) -> Self {
        // SAFETY: as above.
        Sse42(unsafe { _mm_and_si128(self.0, _mm_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn upper(self) -> Self {
        // SAFETY: as above.
        Sse42(unsafe { _mm_and_si128(_mm_srli_epi16::<4>(self.0), _mm_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Sse42(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Sse42(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        // SAFETY: as above.
        Sse42(unsafe { _mm_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn set_bytes(self) -> u64 {
        // SAFETY: as above.
        let zeros = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())) };
        u64::from(!zeros.cast_unsigned() & 0xFFFF)
    }

    #[inline(always)]
    unsafe fn top_bits(self) -> u64 {
        // SAFETY: as above.
        let bits = unsafe { _mm_movemask_epi8(self.0) };
        u64::from(bits.cast_unsigned())
    }
}

/// Thirty-two bytes. A table is in both halves: the processor looks up in each half apart.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

// SAFETY: what is called is what AVX2 has.
unsafe impl Vector for Avx2 {
    const LEVEL: Level = Level::Avx2;
    const BYTES: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller says that the bytes are readable.
        Avx2(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        // SAFETY: sixteen bytes are readable.
        Avx2(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(entries.as_ptr().cast())) })
    }

    #[inline(always)]
    unsafe fn filled(byte: u8) -> Self {
        // SAFETY: the caller says that the processor has AVX2.
        Avx2(unsafe { _mm256_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn look_up(self, indices: Self) -> Self {
        // SAFETY: the caller says that the processor has AVX2.
        Avx2(unsafe { _mm256_shuffle_epi8(self.0, indices.0) })
    }

    #[inline(always)]
    unsafe fn lower(self) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn upper(self) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), _mm256_set1_epi8(15)) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        // SAFETY: as above.
        Avx2(unsafe { _mm256_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn set_bytes(self) -> u64 {
        // SAFETY: as above.
        let zeros =
            unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(self.0, _mm256_setzero_si256())) };
        u64::from(!zeros.cast_unsigned())
    }

    #[inline(always)]
    unsafe fn top_bits(self) -> u64 {
        // SAFETY: as above.
        let bits = unsafe { _mm256_movemask_epi8(self.0) };
        u64::from(bits.cast_unsigned())
    }
}
