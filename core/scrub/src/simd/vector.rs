//! Operations for all vector instructions that look up sixteen bytes in a table at once.

use super::{BLOCK, BLOCK_WINDOW, Class, Classes, Grams, Lanes, Level, NestedSets, gram::LENGTH};

/// A register of `BYTES` bytes.
///
/// # Safety
///
/// Every function may be called only where the processor has what the type stands for.
pub(super) unsafe trait Vector: Copy {
    const LEVEL: Level;
    /// The bytes of a register.
    const BYTES: usize;

    /// `BYTES` bytes, wherever they lie.
    ///
    /// # Safety
    ///
    /// As many bytes must be readable.
    unsafe fn load(from: *const u8) -> Self;
    /// The table, once in each sixteen bytes.
    unsafe fn table(entries: &[u8; 16]) -> Self;
    /// The same byte everywhere.
    unsafe fn filled(byte: u8) -> Self;
    /// The entries at `indices`, each below sixteen.
    unsafe fn look_up(self, indices: Self) -> Self;
    /// The lower half of each byte.
    unsafe fn lower(self) -> Self;
    /// The upper half of each byte.
    unsafe fn upper(self) -> Self;
    /// The bits that both have.
    unsafe fn and(self, other: Self) -> Self;
    /// The bits that either has.
    unsafe fn or(self, other: Self) -> Self;
    /// The sum of each two bytes, which is less than 256.
    unsafe fn plus(self, other: Self) -> Self;
    /// One bit for each byte that is not zero.
    unsafe fn set_bytes(self) -> u64;
    /// The highest bit of each byte.
    unsafe fn top_bits(self) -> u64;
}

impl<V: Vector> Lanes for V {
    const LEVEL: Level = V::LEVEL;

    #[inline(always)]
    fn matching(class: &Class, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
        let mut bits = 0;
        // SAFETY: this is run inside `Level::run` only, so the processor has the feature, and
        // `at + V::BYTES <= BLOCK`.
        unsafe {
            let (lower, upper) = (V::table(&class.lower), V::table(&class.upper));
            let mut at = 0;
            while at < BLOCK {
                let chunk = V::load(bytes.as_ptr().add(at));
                let passes = lower.look_up(chunk.lower()).and(upper.look_up(chunk.upper()));
                bits |= passes.set_bytes() << at;
                at += V::BYTES;
            }
        }
        bits
    }

    #[inline(always)]
    fn each<const COUNT: usize>(
        classes: &Classes<COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        // SAFETY: as above.
        unsafe {
            let (lower, upper) = (V::table(&classes.lower), V::table(&classes.upper));
            let mut at = 0;
            while at < BLOCK {
                let chunk = V::load(bytes.as_ptr().add(at));
                let looked_up = lower.look_up(chunk.lower()).and(upper.look_up(chunk.upper()));
                for (answer, bits) in answers.iter_mut().zip(classes.bits) {
                    *answer |= looked_up.and(V::filled(bits)).set_bytes() << at;
                }
                at += V::BYTES;
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
            let (lower, upper) = (V::table(&nested_sets.lower), V::table(&nested_sets.upper));
            let mut at = 0;
            while at < BLOCK {
                let chunk = V::load(bytes.as_ptr().add(at));
                let looked_up = lower.look_up(chunk.lower()).and(upper.look_up(chunk.upper()));
                for (answer, lift) in answers.iter_mut().zip(nested_sets.lifts) {
                    *answer |= looked_up.plus(V::filled(lift)).top_bits() << at;
                }
                at += V::BYTES;
            }
        }
        answers
    }

    #[inline(always)]
    fn gram_starts(grams: &Grams, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
        let mut bits = 0;
        // SAFETY: as above, and `at + place + V::BYTES <= BLOCK_WINDOW`.
        unsafe {
            let mut at = 0;
            while at < BLOCK {
                let chunk = bytes.as_ptr().add(at);
                let first = passing::<V>(grams, 0, chunk).and(passing::<V>(grams, 1, chunk));
                let second = passing::<V>(grams, 2, chunk).and(passing::<V>(grams, 3, chunk));
                bits |= first.and(second).set_bytes() << at;
                at += V::BYTES;
            }
        }
        bits
    }

    type LoadedTables<'g, const COUNT: usize> = &'g [Grams; COUNT];

    #[inline(always)]
    fn load_tables<const COUNT: usize>(grams: &[Grams; COUNT]) -> &[Grams; COUNT] {
        grams
    }

    #[inline(always)]
    fn any_gram_starts<const COUNT: usize>(
        grams: &&[Grams; COUNT],
        bytes: &[u8; BLOCK_WINDOW],
    ) -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < COUNT {
            bits |= match &grams[at..] {
                [first, second, ..] => either_gram_starts::<V>(first, second, bytes),
                [last] => V::gram_starts(last, bytes),
                [] => 0,
            };
            at += 2;
        }
        bits
    }
}

/// Where one of the words of both may start. Loads each table and halves each byte once: that is
/// most of the work.
#[inline(always)]
fn either_gram_starts<V: Vector>(first: &Grams, second: &Grams, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
    let grams = [first, second];
    let mut bits = 0;
    // SAFETY: as above, and `at + V::BYTES + place + V::BYTES <= BLOCK_WINDOW`.
    unsafe {
        let mut at = 0;
        while at < BLOCK {
            let from = bytes.as_ptr().add(at);
            let mut all = passing_pair::<V>(grams, 0, from);
            let mut place = 1;
            while place < LENGTH {
                let pass = passing_pair::<V>(grams, place, from);
                all = [
                    [all[0][0].and(pass[0][0]), all[0][1].and(pass[0][1])],
                    [all[1][0].and(pass[1][0]), all[1][1].and(pass[1][1])],
                ];
                place += 1;
            }
            bits |= all[0][0].or(all[0][1]).set_bytes() << at;
            bits |= all[1][0].or(all[1][1]).set_bytes() << (at + V::BYTES);
            at += 2 * V::BYTES;
        }
    }
    bits
}

/// The buckets of both searches that the bytes from `place` on allow, in two registers that follow
/// each other. No closure, as that would not be compiled for the level.
///
/// # Safety
///
/// `place` and twice `V::BYTES` bytes must be readable, and the processor must have what `V`
/// stands for.
#[inline(always)]
unsafe fn passing_pair<V: Vector>(
    grams: [&Grams; 2],
    place: usize,
    bytes: *const u8,
) -> [[V; 2]; 2] {
    // SAFETY: as the caller says.
    unsafe {
        let (here, next) = (V::load(bytes.add(place)), V::load(bytes.add(place + V::BYTES)));
        let (lower, upper) = ([here.lower(), next.lower()], [here.upper(), next.upper()]);
        let (first, second) = (V::table(&grams[0].lower[place]), V::table(&grams[1].lower[place]));
        let low = [
            [first.look_up(lower[0]), second.look_up(lower[0])],
            [first.look_up(lower[1]), second.look_up(lower[1])],
        ];
        let (first, second) = (V::table(&grams[0].upper[place]), V::table(&grams[1].upper[place]));
        [
            [low[0][0].and(first.look_up(upper[0])), low[0][1].and(second.look_up(upper[0]))],
            [low[1][0].and(first.look_up(upper[1])), low[1][1].and(second.look_up(upper[1]))],
        ]
    }
}

/// The buckets that the bytes from `place` on allow. No closure, as that would not be compiled for
/// the level.
///
/// # Safety
///
/// `place + V::BYTES` bytes must be readable, and the processor must have what `V` stands for.
#[inline(always)]
unsafe fn passing<V: Vector>(grams: &Grams, place: usize, bytes: *const u8) -> V {
    // SAFETY: as the caller says.
    unsafe {
        let chunk = V::load(bytes.add(place));
        let lower = V::table(&grams.lower[place]).look_up(chunk.lower());
        lower.and(V::table(&grams.upper[place]).look_up(chunk.upper()))
    }
}
