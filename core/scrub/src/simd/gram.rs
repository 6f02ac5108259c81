//! Many short words, sought all at once by the halves of four bytes.
//!
//! This is the packed search that Hyperscan calls Teddy: the words are dealt into eight buckets,
//! one bit each. For each of four places there are two tables, one for the lower and one for the
//! upper half of the byte there, that say in which buckets a word allows it. What passes all eight
//! tables is a place to look at.

use super::set::ByteSet;

/// The bytes of a word that are looked at.
pub(super) const LENGTH: usize = 4;

/// The bit that tells an upper from a lower case letter.
const CASE: u8 = 0x20;

const BUCKETS: usize = 8;
/// How often each word is dealt anew. Fewer rounds find the same words, with more places looked at in
/// vain.
const ROUNDS: usize = 4;

/// The bytes of usual text, source code and English above all, the most frequent first.
const COMMON: &[u8] =
    b" etrasnoilcdpum_fgh\"y.bv,w-k/x:(0)1=;2j{}TSAECIRq'DNzPLO3M4F5<>[]U86B7&9*|";

/// The first bytes of a word: the lower and upper halves that each of them may have.
#[derive(Clone, Copy)]
pub(crate) struct Gram {
    lower: [u16; LENGTH],
    upper: [u16; LENGTH],
}

impl Gram {
    /// A word in any case; what is missing of it to four bytes may be anything. Of all ASCII bytes
    /// the bit of the case is not looked at, so that a table needs half as many entries: `=` may
    /// be a control character too, `{` a `[`, and `-` a carriage return.
    pub(crate) fn folded(word: &[u8]) -> Gram {
        let other = |b: u8| if b.is_ascii() { b ^ CASE } else { b };
        Gram::of(|place| word.get(place).map_or(Halves::ANY, |&b| Halves::of(&[b, other(b)])))
    }

    /// A word as it is; what is missing of it to four bytes must be one of `then`.
    pub(crate) fn exact(word: &[u8], then: ByteSet) -> Gram {
        let then = Halves { lower: then.lower(), upper: then.upper() };
        Gram::of(|place| word.get(place).map_or(then, |&b| Halves::of(&[b])))
    }

    /// The same with `then` as its last byte.
    pub(crate) fn then(mut self, then: ByteSet) -> Gram {
        let last = LENGTH - 1;
        (self.lower[last], self.upper[last]) = (then.lower(), then.upper());
        self
    }

    fn of(halves: impl Fn(usize) -> Halves) -> Gram {
        let halves: [Halves; LENGTH] = std::array::from_fn(halves);
        Gram { lower: halves.map(|h| h.lower), upper: halves.map(|h| h.upper) }
    }
}

#[cfg(test)]
impl Gram {
    /// What either of the words allows.
    pub(crate) fn or(self, other: Gram) -> Gram {
        Gram::of(|place| Halves {
            lower: self.lower[place] | other.lower[place],
            upper: self.upper[place] | other.upper[place],
        })
    }

    /// True if a word may begin with these bytes.
    pub(crate) fn allows(&self, four: [u8; LENGTH]) -> bool {
        (0..LENGTH).all(|place| {
            let (lower, upper) = (four[place] & 15, four[place] >> 4);
            self.lower[place] >> lower & self.upper[place] >> upper & 1 == 1
        })
    }
}

/// The lower and upper halves of some bytes, one bit each.
#[derive(Clone, Copy)]
struct Halves {
    lower: u16,
    upper: u16,
}

impl Halves {
    const ANY: Halves = Halves { lower: u16::MAX, upper: u16::MAX };

    fn of(bytes: &[u8]) -> Halves {
        let none = Halves { lower: 0, upper: 0 };
        bytes.iter().fold(none, |all, byte| Halves {
            lower: all.lower | 1 << (byte & 15),
            upper: all.upper | 1 << (byte >> 4),
        })
    }
}

/// For each place what both tables say of each byte.
#[derive(Clone)]
pub(super) struct Whole(pub [[u8; 256]; LENGTH]);

/// For each place what they say of each ASCII byte in either case, by its bits but for that of the
/// case. A register is loaded at once.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Blind(pub [[u8; 64]; LENGTH]);

/// The tables of a search for words.
#[derive(Clone)]
pub(crate) struct Grams {
    pub(super) lower: [[u8; 16]; LENGTH],
    pub(super) upper: [[u8; 16]; LENGTH],
    /// Both tables of a place taken together, for one byte at a time.
    pub(super) whole: Box<Whole>,
    pub(super) blind: Box<Blind>,
}

impl Grams {
    pub(crate) fn new(grams: &[Gram]) -> Grams {
        Grams::of(&dealt(grams))
    }

    /// Two searches that share the words: of many words less else passes. A word may start where
    /// one of them says so. `deal` tells the bucket of each word; any finds the same words.
    pub(crate) fn two(grams: &[Gram], deal: &[u8]) -> [Grams; 2] {
        let mut buckets = [Bucket::default(); 2 * BUCKETS];
        for (gram, told) in grams.iter().zip(deal.iter().chain(std::iter::repeat(&0))) {
            let bucket = &mut buckets[usize::from(*told) % (2 * BUCKETS)];
            *bucket = bucket.with(gram);
        }
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
        let mut whole = Box::new(Whole([[0; 256]; LENGTH]));
        for (at, table) in whole.0.iter_mut().enumerate() {
            for (byte, entry) in table.iter_mut().enumerate() {
                *entry = lower[at][byte & 15] & upper[at][byte >> 4];
            }
        }
        let mut blind = Box::new(Blind([[0; 64]; LENGTH]));
        for (blind, whole) in blind.0.iter_mut().zip(&whole.0) {
            for byte in 0..128 {
                blind[(byte & 0x1F) | (byte >> 1 & 0x20)] |= whole[byte];
            }
        }
        Grams { lower, upper, whole, blind }
    }
}

/// Deals the words so that little else passes: each where it adds least, and then again, as
/// the last ones may have made a better place for the first.
fn dealt(grams: &[Gram]) -> [Bucket; BUCKETS] {
    let usual = Usual::new();
    let mut places: Vec<Option<usize>> = vec![None; grams.len()];
    let mut buckets = [Bucket::default(); BUCKETS];
    let mut passing = buckets.map(|bucket| usual.passes(&bucket));
    for index in (0..grams.len()).cycle().take(ROUNDS * grams.len()) {
        if let Some(place) = places[index].take() {
            buckets[place] = filled(grams, &places, place);
            passing[place] = usual.passes(&buckets[place]);
        }
        let with = buckets.map(|bucket| bucket.with(&grams[index]));
        let all = with.map(|bucket| usual.passes(&bucket));
        let growth = |bucket: &usize| all[*bucket] - passing[*bucket];
        let Some(best) = (0..BUCKETS).min_by(|a, b| growth(a).total_cmp(&growth(b))) else { break };
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
}

/// How frequent bytes are in usual text.
struct Usual {
    /// By the upper half of an ASCII byte: how frequent all bytes are whose lower half is among the first
    /// eight, one bit each, and among the last eight.
    shares: [[[f64; 256]; 2]; 8],
}

impl Usual {
    fn new() -> Usual {
        let mut shares = [[[0.0; 256]; 2]; 8];
        for (rank, byte) in COMMON.iter().enumerate() {
            let (upper, lower) = (usize::from(byte >> 4), usize::from(byte & 15));
            shares[upper][lower / 8][1 << (lower % 8)] = 1.0 / (rank as f64 + 6.0);
        }
        for sums in shares.as_flattened_mut() {
            for set in 1..sums.len() {
                let first = set & set.wrapping_neg();
                sums[set] = sums[first] + sums[set ^ first];
            }
        }
        Usual { shares }
    }

    /// How much of all text passes a bucket, for comparison only.
    fn passes(&self, bucket: &Bucket) -> f64 {
        let mut all = 1.0;
        for place in 0..LENGTH {
            let [first, last] = bucket.lower[place].to_le_bytes();
            let mut share = 1e-3;
            let [mut uppers, _] = bucket.upper[place].to_le_bytes();
            while uppers != 0 {
                let [firsts, lasts] = &self.shares[uppers.trailing_zeros() as usize];
                share += firsts[usize::from(first)] + lasts[usize::from(last)];
                uppers &= uppers - 1;
            }
            all *= share;
        }
        all
    }
}
