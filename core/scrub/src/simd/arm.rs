//! NEON, for 64-bit ARM.

use std::arch::aarch64::*;

use super::vector::Vector;
use super::{Level, Task};

/// Runs the task in code compiled for NEON.
#[target_feature(enable = "neon")]
#[inline(never)]
pub(super) fn with_neon<T: Task>(task: T) -> T::Answer {
    task.run::<Neon>()
}

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint8x16_t);

// SAFETY: what is called is what NEON has.
unsafe impl Vector for Neon {
    const LEVEL: Level = Level::Neon;
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller says that the bytes are readable.
        Neon(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        // SAFETY: sixteen bytes are readable.
        Neon(unsafe { vld1q_u8(entries.as_ptr()) })
    }

    #[inline(always)]
    unsafe fn filled(byte: u8) -> Self {
        // SAFETY: the caller says that the processor has NEON.
        Neon(unsafe { vdupq_n_u8(byte) })
    }

    #[inline(always)]
    unsafe fn look_up(self, indices: Self) -> Self {
        // SAFETY: the caller says that the processor has NEON.
        Neon(unsafe { vqtbl1q_u8(self.0, indices.0) })
    }

    #[inline(always)]
    unsafe fn lower(self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vandq_u8(self.0, vdupq_n_u8(15)) })
    }

    #[inline(always)]
    unsafe fn upper(self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vshrq_n_u8::<4>(self.0) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vaddq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn set_bytes(self) -> u64 {
        const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: as above, and the weights are sixteen bytes. The bits of eight bytes sum up
        // to one byte without a carry.
        unsafe {
            let bits = vandq_u8(vtstq_u8(self.0, self.0), vld1q_u8(WEIGHTS.as_ptr()));
            let first = vaddv_u8(vget_low_u8(bits));
            let second = vaddv_u8(vget_high_u8(bits));
            u64::from(first) | u64::from(second) << 8
        }
    }

    #[inline(always)]
    unsafe fn top_bits(self) -> u64 {
        // SAFETY: as above.
        unsafe { Neon(vshrq_n_u8::<7>(self.0)).set_bytes() }
    }
}
