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
/// How often each word is dealt anew. Fewer rounds find the same words, with more places looked at in
/// vain; an unoptimised build would take a tenth of a second for all.
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 4 };

/// The bytes of usual text, source code and English above all, the most frequent first.
const COMMON: &[u8] =
    b" etrasnoilcdpum_fgh\"y.bv,w-k/x:(0)1=;2j{}TSAECIRq'DNzPLO3M4F5<>[]U86B7&9*|";

/// The first bytes of a word: the lower and upper halves that each of them may have.
#[derive(Clone, Copy)]
pub(in crate::scrub) struct Gram {
    lower: [u16; LENGTH],
    upper: [u16; LENGTH],
}

impl Gram {
    /// A word in any case; what is missing of it to four bytes may be anything.
    pub(in crate::scrub) fn folded(word: &[u8]) -> Gram {
        Gram::of(|place| word.get(place).map_or(ByteSet::ANY, |&b| ByteSet::folded(b)))
    }

    /// A word as it is; what is missing of it to four bytes must be one of `then`.
    pub(in crate::scrub) fn exact(word: &[u8], then: ByteSet) -> Gram {
        Gram::of(|place| word.get(place).map_or(then, |&b| ByteSet::of(|c| c == b)))
    }

    /// The same with `then` as its last byte.
    pub(in crate::scrub) fn then(mut self, then: ByteSet) -> Gram {
        let last = LENGTH - 1;
        (self.lower[last], self.upper[last]) = (then.lower(), then.upper());
        self
    }

    fn of(set: impl Fn(usize) -> ByteSet) -> Gram {
        let lower = std::array::from_fn(|place| set(place).lower());
        Gram { lower, upper: std::array::from_fn(|place| set(place).upper()) }
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
        Grams::of(&dealt::<BUCKETS>(grams))
    }

    /// Two searches that share the words: of many words less else passes. A word may start where
    /// one of them says so.
    pub(in crate::scrub) fn two(grams: &[Gram]) -> [Grams; 2] {
        let buckets = dealt::<{ 2 * BUCKETS }>(grams);
        let (first, second) = buckets.split_at(BUCKETS);
        [Grams::of(first), Grams::of(second)]
    }

    /// The tables of at most eight buckets.
    fn of(buckets: &[Bucket]) -> Grams {
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

/// Deals the words so that little else passes: each where it adds least, and then again, as
/// the last ones may have made a better place for the first.
fn dealt<const COUNT: usize>(grams: &[Gram]) -> [Bucket; COUNT] {
    let mut places: Vec<Option<usize>> = vec![None; grams.len()];
    let mut buckets = [Bucket::default(); COUNT];
    let mut passing = buckets.map(|bucket| bucket.passes());
    for index in (0..grams.len()).cycle().take(ROUNDS * grams.len()) {
        if let Some(place) = places[index].take() {
            buckets[place] = filled(grams, &places, place);
            passing[place] = buckets[place].passes();
        }
        let with = buckets.map(|bucket| bucket.with(&grams[index]));
        let all = with.map(|bucket| bucket.passes());
        let growth = |bucket: &usize| all[*bucket] - passing[*bucket];
        let Some(best) = (0..COUNT).min_by(|a, b| growth(a).total_cmp(&growth(b))) else { break };
        places[index] = Some(best);
        (buckets[best], passing[best]) = (with[best], all[best]);
    }
    buckets
}

/// What a bucket allows with the words that have been dealt to it.
fn filled(grams: &[Gram], places: &[Option<usize>], bucket: usize) -> Bucket {
    let dealt = grams.iter().zip(places).filter(|(_, place)| **place == Some(bucket));
    dealt.fold(Bucket::default(), |all, (gram, _)| all.with(gram))
}

/// The halves that the words of a bucket allow in each place, one bit each.
#[derive(Clone, Copy, Default)]
struct Bucket {
    lower: [u16; LENGTH],
    upper: [u16; LENGTH],
}

impl Bucket {
    fn with(mut self, gram: &Gram) -> Bucket {
        for place in 0..LENGTH {
            self.lower[place] |= gram.lower[place];
            self.upper[place] |= gram.upper[place];
        }
        self
    }

    /// How much of all text passes, for comparison only.
    fn passes(&self) -> f64 {
        let place = |place: usize| {
            let allowed = COMMON.iter().enumerate().filter(|(_, byte)| {
                let (lower, upper) = (self.lower[place], self.upper[place]);
                lower >> (**byte & 15) & upper >> (**byte >> 4) & 1 == 1
            });
            allowed.map(|(rank, _)| 1.0 / (rank as f64 + 6.0)).sum::<f64>() + 1e-3
        };
        (0..LENGTH).map(place).product()
    }
}
