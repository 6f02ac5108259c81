//! Looks at 64 bytes at a time with what the processor has: AVX-512, AVX2, SSE4.2, NEON, or plain
//! code.
//!
//! Two questions are answered about a block of 64 bytes, each with one bit per byte: which bytes
//! are of a [`Class`], and at which one of the short words of a [`Grams`] may start. All levels
//! give the same bits. A sweep is written once, as a [`Task`], over [`Lanes`]; [`Level::run`]
//! compiles it for every level and runs it at the one that was chosen when the program started.

mod class;
mod classes;
mod gram;
mod nest;
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
pub(super) use nest::Nest;
pub(super) use set::ByteSet;

/// The bytes of a block.
pub(super) const BLOCK: usize = 64;
/// What a look at a block reads: a word may start with its last byte.
pub(super) const REACH: usize = BLOCK + gram::LENGTH - 1;

/// The answers about a block, bit 0 for its first byte.
pub(super) trait Lanes: Copy {
    /// The level that this is.
    const LEVEL: Level;

    /// Which bytes are of the class.
    fn matching(class: &Class, bytes: &[u8; REACH]) -> u64;

    /// Which bytes are of each of the classes.
    fn each<const COUNT: usize>(classes: &Classes<COUNT>, bytes: &[u8; REACH]) -> [u64; COUNT];

    /// Which bytes are of each of the sets that lie in each other.
    fn nested<const COUNT: usize>(nest: &Nest<COUNT>, bytes: &[u8; REACH]) -> [u64; COUNT];

    /// Where one of the words may start. May name too many, but the same at all levels.
    fn starting(grams: &Grams, bytes: &[u8; REACH]) -> u64;

    /// The tables of some searches, where the processor has room for them in its registers.
    type Sought<'g, const COUNT: usize>: Copy;

    /// Takes the tables up. To be done before a loop. All words must be
    /// [in any case](Gram::folded).
    fn seek<const COUNT: usize>(grams: &[Grams; COUNT]) -> Self::Sought<'_, COUNT>;

    /// Where one of the words of all of them may start.
    fn starting_any<const COUNT: usize>(
        sought: &Self::Sought<'_, COUNT>,
        bytes: &[u8; REACH],
    ) -> u64;

    /// Runs the task in a function of its own, for what is rarely asked for in a loop that should
    /// not make anything ready for it.
    #[inline(always)]
    fn apart<T: Task>(task: T) -> T::Answer {
        Self::LEVEL.run(task)
    }
}

/// Work that is written once for all levels. `run` and what it calls in each turn of its loop
/// should be `#[inline(always)]`, as only then are they compiled for the level.
pub(super) trait Task {
    type Answer;

    fn run<L: Lanes>(self) -> Self::Answer;
}

/// What the processor can do. A value of a level means that the processor has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Sse42,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Level {
    /// The levels that this processor has, the best last.
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

    /// The best of this processor.
    pub(super) fn best() -> Level {
        Level::all().last().unwrap_or(Level::Scalar)
    }

    /// The best that every processor of this architecture has that is younger than 2009: what
    /// runs where there is no AVX2.
    pub(super) fn portable() -> Level {
        Level::all().nth(1).unwrap_or(Level::Scalar)
    }

    /// Runs the task, as a function of its own.
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

/// Lets the processor fetch what is at `at`, which may lie behind the text.
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

/// What is read at `at`, with zeros behind the end of the text.
#[inline(always)]
pub(super) fn block(text: &[u8], at: usize) -> Piece<'_> {
    match text.get(at..at + REACH).and_then(|bytes| bytes.try_into().ok()) {
        Some(bytes) => Piece::Whole(bytes),
        None => Piece::Padded(padded(text, at)),
    }
}

/// A block that lies in a text, or the last of it.
pub(super) enum Piece<'t> {
    Whole(&'t [u8; REACH]),
    Padded([u8; REACH]),
}

impl Piece<'_> {
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8; REACH] {
        match self {
            Piece::Whole(bytes) => bytes,
            Piece::Padded(bytes) => bytes,
        }
    }
}

#[cold]
fn padded(text: &[u8], at: usize) -> [u8; REACH] {
    let mut bytes = [0; REACH];
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.len().min(REACH);
    bytes[..length].copy_from_slice(&rest[..length]);
    bytes
}
