//! Plain code for processors without vectors: one byte at a time.

use super::{
    BLOCK, BLOCK_WINDOW, Class, Classes, Grams, Lanes, Level, NestedSets, Task, nested_sets::TOP,
};

/// Runs the task in code that any processor can run.
#[inline(never)]
pub(super) fn without<T: Task>(task: T) -> T::Answer {
    task.run::<Scalar>()
}

/// The operations on a block, each a loop over its bytes. They define what the vector code answers.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Lanes for Scalar {
    const LEVEL: Level = Level::Scalar;

    #[inline(always)]
    fn matching(class: &Class, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
        let mut bits = 0;
        for (at, &byte) in bytes[..BLOCK].iter().enumerate() {
            bits |= u64::from(class.set.has(byte)) << at;
        }
        bits
    }

    #[inline(always)]
    fn each<const COUNT: usize>(
        classes: &Classes<COUNT>,
        bytes: &[u8; BLOCK_WINDOW],
    ) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        for (at, &byte) in bytes[..BLOCK].iter().enumerate() {
            let looked_up = classes.whole[usize::from(byte)];
            for (answer, bits) in answers.iter_mut().zip(classes.bits) {
                *answer |= u64::from(looked_up & bits != 0) << at;
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
        for (at, &byte) in bytes[..BLOCK].iter().enumerate() {
            let looked_up = nested_sets.whole[usize::from(byte)];
            for (answer, lift) in answers.iter_mut().zip(nested_sets.lifts) {
                *answer |= u64::from(looked_up + lift >= TOP) << at;
            }
        }
        answers
    }

    #[inline(always)]
    fn gram_starts(grams: &Grams, bytes: &[u8; BLOCK_WINDOW]) -> u64 {
        let [first, second, third, fourth] = &grams.per_byte.0;
        let mut bits = 0;
        for at in 0..BLOCK {
            let passes = first[usize::from(bytes[at])]
                & second[usize::from(bytes[at + 1])]
                & third[usize::from(bytes[at + 2])]
                & fourth[usize::from(bytes[at + 3])];
            bits |= u64::from(passes != 0) << at;
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
        grams.iter().fold(0, |bits, grams| bits | Scalar::gram_starts(grams, bytes))
    }
}
