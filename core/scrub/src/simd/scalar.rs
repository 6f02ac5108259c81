//! One byte at a time, for processors without vectors.

use super::{BLOCK, Class, Classes, Grams, Lanes, Level, Nest, REACH, Task, nest::TOP};

#[inline(never)]
pub(super) fn without<T: Task>(task: T) -> T::Answer {
    task.run::<Scalar>()
}

#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Lanes for Scalar {
    const LEVEL: Level = Level::Scalar;

    #[inline(always)]
    fn matching(class: &Class, bytes: &[u8; REACH]) -> u64 {
        let mut bits = 0;
        for (at, &byte) in bytes[..BLOCK].iter().enumerate() {
            bits |= u64::from(class.set.has(byte)) << at;
        }
        bits
    }

    #[inline(always)]
    fn each<const COUNT: usize>(classes: &Classes<COUNT>, bytes: &[u8; REACH]) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        for (at, &byte) in bytes[..BLOCK].iter().enumerate() {
            let told = classes.whole[usize::from(byte)];
            for (answer, bits) in answers.iter_mut().zip(classes.bits) {
                *answer |= u64::from(told & bits != 0) << at;
            }
        }
        answers
    }

    #[inline(always)]
    fn nested<const COUNT: usize>(nest: &Nest<COUNT>, bytes: &[u8; REACH]) -> [u64; COUNT] {
        let mut answers = [0; COUNT];
        for (at, &byte) in bytes[..BLOCK].iter().enumerate() {
            let told = nest.whole[usize::from(byte)];
            for (answer, lift) in answers.iter_mut().zip(nest.lifts) {
                *answer |= u64::from(told + lift >= TOP) << at;
            }
        }
        answers
    }

    #[inline(always)]
    fn starting(grams: &Grams, bytes: &[u8; REACH]) -> u64 {
        let [first, second, third, fourth] = &grams.whole.0;
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

    type Sought<'g, const COUNT: usize> = &'g [Grams; COUNT];

    #[inline(always)]
    fn seek<const COUNT: usize>(grams: &[Grams; COUNT]) -> &[Grams; COUNT] {
        grams
    }

    #[inline(always)]
    fn starting_any<const COUNT: usize>(grams: &&[Grams; COUNT], bytes: &[u8; REACH]) -> u64 {
        grams.iter().fold(0, |bits, grams| bits | Scalar::starting(grams, bytes))
    }
}
