//! Many short words, sought all at once by the halves of four bytes.
//!
//! This is the packed search that Hyperscan calls Teddy: the words are dealt into eight buckets,
//! one bit each. For each of four places there are two tables, one for the lower and one for the
//! upper half of the byte there, that say in which buckets a word allows it. What passes all eight
//! tables is a place to look at.

use super::set::ByteSet;

/// The bytes of a word that are looked at.
pub(super) const LENGTH: usize = 4;

const BUCKETS: usize = 8;

/// The first bytes of a word: what each of them may be.
#[derive(Clone, Copy)]
pub(in crate::scrub) struct Gram(pub(in crate::scrub) [ByteSet; LENGTH]);

impl Gram {
    /// A word in any case; what is missing of it to four bytes may be anything.
    pub(in crate::scrub) fn folded(word: &[u8]) -> Gram {
        Gram(std::array::from_fn(|at| word.get(at).map_or(ByteSet::ANY, |&b| ByteSet::folded(b))))
    }

    /// A word as it is; what is missing of it to four bytes must be one of `then`.
    pub(in crate::scrub) fn exact(word: &[u8], then: ByteSet) -> Gram {
        Gram(std::array::from_fn(|at| word.get(at).map_or(then, |&b| ByteSet::of(|c| c == b))))
    }

    /// The same with `then` as its last byte.
    pub(in crate::scrub) fn then(mut self, then: ByteSet) -> Gram {
        self.0[LENGTH - 1] = then;
        self
    }
}

/// The tables of a search for words.
#[derive(Clone)]
pub(in crate::scrub) struct Grams {
    pub(super) lower: [[u8; 16]; LENGTH],
    pub(super) upper: [[u8; 16]; LENGTH],
    /// Both tables of a place taken together, for one byte at a time.
    pub(super) whole: Box<[[u8; 256]; LENGTH]>,
}

impl Grams {
    pub(in crate::scrub) fn new(grams: &[Gram]) -> Grams {
        let mut buckets: [Bucket; BUCKETS] = std::array::from_fn(|_| Bucket::default());
        for gram in grams {
            let growth = |bucket: &Bucket| bucket.with(gram).passes() - bucket.passes();
            let best = buckets.iter_mut().min_by(|a, b| growth(a).total_cmp(&growth(b)));
            if let Some(best) = best {
                *best = best.with(gram);
            }
        }
        let mut lower = [[0; 16]; LENGTH];
        let mut upper = [[0; 16]; LENGTH];
        for (index, bucket) in buckets.iter().enumerate() {
            for at in 0..LENGTH {
                for half in 0..16 {
                    lower[at][half] |= u8::from(bucket.lower[at] >> half & 1 == 1) << index;
                    upper[at][half] |= u8::from(bucket.upper[at] >> half & 1 == 1) << index;
                }
            }
        }
        let mut whole = Box::new([[0; 256]; LENGTH]);
        for (at, table) in whole.iter_mut().enumerate() {
            for (byte, entry) in table.iter_mut().enumerate() {
                *entry = lower[at][byte & 15] & upper[at][byte >> 4];
            }
        }
        Grams { lower, upper, whole }
    }
}

/// The halves that the words of a bucket allow in each place, one bit each.
#[derive(Clone, Copy, Default)]
struct Bucket {
    lower: [u16; LENGTH],
    upper: [u16; LENGTH],
}

impl Bucket {
    fn with(mut self, gram: &Gram) -> Bucket {
        for (at, set) in gram.0.iter().enumerate() {
            for upper in 0..16 {
                let row = set.row(upper);
                self.lower[at] |= row;
                self.upper[at] |= u16::from(row != 0) << upper;
            }
        }
        self
    }

    /// How much of all text passes, for comparison only. The upper halves are weighed by how much
    /// of usual text has them: nearly all of it is lower-case letters, then digits and signs.
    fn passes(&self) -> f64 {
        const WEIGHTS: [f64; 16] =
            [2.0, 0.1, 20.0, 8.0, 4.0, 4.0, 35.0, 26.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1];
        let place = |at: usize| {
            let upper = (0..16).filter(|half| self.upper[at] >> half & 1 == 1);
            f64::from(self.lower[at].count_ones()) * upper.map(|half| WEIGHTS[half]).sum::<f64>()
        };
        (0..LENGTH).map(place).product()
    }
}
