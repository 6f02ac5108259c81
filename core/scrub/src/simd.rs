//! SIMD: reads 64 bytes at once, with AVX-512, AVX2, SSE4.2, NEON or plain code.
//!
//! Two questions are answered about a block of 64 bytes, with one bit per byte: which bytes are in
//! a [`Class`], and at which bytes a short word of a [`Grams`] may start. A scan is written once,
//! as a [`Task`] over [`Lanes`]. [`Level::run`] compiles it for every level, and runs it at the
//! best level of the processor.
//!
//! Invariant: all levels give the same bits. Tests compare them.
//!
//! [`ByteSet`] is a set of bytes; [`Class`], [`Classes`] and [`NestedSets`] are tables that test
//! one or several sets; [`Gram`] and [`Grams`] are the packed search for words.

mod class;
mod classes;
mod gram;
mod nested_sets;
mod scalar;
mod set;
mod vector;

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub(super) use class::Class;
pub(super) use classes::Classes;
pub(super) use gram::{Gram, Grams};
pub(super) use nested_sets::NestedSets;
pub(super) use set::ByteSet;

/// The bytes of a block: one bit each in a 64-bit word.
pub(super) const BLOCK: usize = 64;
/// The bytes that are read for a block: a word may start at its last byte.
pub(super) const BLOCK_WINDOW: usize = BLOCK + gram::LENGTH - 1;

/// The operations on a block; bit 0 is its first byte.
pub(super) trait Lanes: Copy {
    /// The level of these operations.
    const LEVEL: Level;

    /// Which bytes are in the class.
    fn matching(class: &Class, bytes: &[u8; BLOCK_WINDOW]) -> u64;

    /// Which bytes are in each of the classes.
    fn each<const COUNT: usize>(
        classes: &Classes<COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> [u64; COUNT];

    /// Which bytes are in each of the nested sets.
    fn nested<const COUNT: usize>(
        nested_sets: &NestedSets<COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> [u64; COUNT];

    /// Where a word may start. There may be false positives, the same ones at all levels.
    fn gram_starts(grams: &Grams, bytes: &[u8; BLOCK_WINDOW]) -> u64;

    /// The tables of several searches, loaded into registers if there are enough.
    type LoadedTables<'g, const COUNT: usize>: Copy;

    /// Loads the tables; to be done before a loop. All words must be
    /// [case-insensitive](Gram::folded).
    fn load_tables<const COUNT: usize>(grams: &[Grams; COUNT]) -> Self::LoadedTables<'_, COUNT>;

    /// Where a word of any of the searches may start.
    fn any_gram_starts<const COUNT: usize>(
        sought: &Self::LoadedTables<'_, COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> u64;

    /// Runs a task in a function of its own: for what a loop rarely needs and should not prepare.
    #[inline(always)]
    fn run_outlined<T: Task>(task: T) -> T::Answer {
        Self::LEVEL.run(task)
    }
}

/// Work that is written once for all levels. `run`, and what it calls in its loops, should be
/// `#[inline(always)]`; only then is it compiled for the level.
pub(super) trait Task {
    /// What the work results in.
    type Answer;

    /// Does the work with the operations of a level.
    fn run<L: Lanes>(self) -> Self::Answer;
}

/// A set of instructions. A value of a level exists only if the processor has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Plain code.
    Scalar,
    /// 16 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Sse42,
    /// 32 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 64 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 16 bytes at a time.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Level {
    /// The levels of this processor, the best one last.
    pub(super) fn all() -> impl Iterator<Item = Level> {
        let others = [
            #[cfg(target_arch = "x86_64")]
            x86::has_sse42().then_some(Level::Sse42),
            #[cfg(target_arch = "x86_64")]
            std::arch::is_x86_feature_detected!("avx2").then_some(Level::Avx2),
            #[cfg(target_arch = "x86_64")]
            avx512::is_there().then_some(Level::Avx512),
            #[cfg(target_arch = "aarch64")]
            std::arch::is_aarch64_feature_detected!("neon").then_some(Level::Neon),
            None,
        ];
        std::iter::once(Level::Scalar).chain(others.into_iter().flatten())
    }

    /// The best level of this processor.
    pub(super) fn best() -> Level {
        Level::all().last().unwrap_or(Level::Scalar)
    }

    /// The best level that every processor of this architecture since 2009 has: what runs without
    /// AVX2.
    pub(super) fn portable() -> Level {
        Level::all().nth(1).unwrap_or(Level::Scalar)
    }

    /// Runs the task in a function compiled for this level.
    #[inline(always)]
    pub(super) fn run<T: Task>(self, task: T) -> T::Answer {
        match self {
            Level::Scalar => scalar::without(task),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` makes this level only where the processor has the feature.
            Level::Sse42 => unsafe { x86::with_sse42(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { x86::with_avx2(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx512 => unsafe { avx512::with_avx512(task) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Level::Neon => unsafe { arm::with_neon(task) },
        }
    }
}

/// Prefetches the bytes at `at`, which may lie behind the text.
#[inline(always)]
pub(super) fn fetch(text: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the architecture, and a hint reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(text.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (text, at);
}

/// The bytes of the block at `at`, with zeros behind the end of the text.
#[inline(always)]
pub(super) fn block(text: &[u8], at: usize) -> Piece<'_> {
    match text.get(at..at + BLOCK_WINDOW).and_then(|bytes| bytes.try_into().ok()) {
        Some(bytes) => Piece::Whole(bytes),
        None => Piece::Padded(padded(text, at)),
    }
}

/// A block inside a text, or a padded copy of its last bytes.
pub(super) enum Piece<'t> {
    /// Where the text has all bytes that are read.
    Whole(&'t [u8; BLOCK_WINDOW]),
    /// With zeros behind the end of the text.
    Padded([u8; BLOCK_WINDOW]),
}

impl Piece<'_> {
    /// The bytes of the block and of what is read behind it.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8; BLOCK_WINDOW] {
        match self {
            Piece::Whole(bytes) => bytes,
            Piece::Padded(bytes) => bytes,
        }
    }
}

#[cold]
fn padded(text: &[u8], at: usize) -> [u8; BLOCK_WINDOW] {
    let mut bytes = [0; BLOCK_WINDOW];
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.len().min(BLOCK_WINDOW);
    bytes[..length].copy_from_slice(&rest[..length]);
    bytes
}
