//! Packed search: many short words at once, by the halves of their first four bytes.
//!
//! This is the algorithm that Hyperscan calls Teddy. The words are distributed over eight buckets,
//! one bit each. For each of the four places there are two tables, one for the lower and one for
//! the upper half of a byte, that say which buckets have a word that allows it. A place that passes
//! all eight tables is a candidate.

use super::set::ByteSet;

/// How many bytes of a word are compared.
pub(super) const LENGTH: usize = 4;

/// The bit that distinguishes upper-case and lower-case letters.
const CASE: u8 = 0x20;

/// One bit each in the bytes of the tables.
const BUCKETS: usize = 8;
/// How often each word is redistributed. Fewer rounds find the same words with more false
/// positives.
const ROUNDS: usize = 4;

/// The most frequent bytes of common text (source code and English above all), the most frequent
/// first.
const COMMON_BYTES: &[u8] =
    b" etrasnoilcdpum_fgh\"y.bv,w-k/x:(0)1=;2j{}TSAECIRq'DNzPLO3M4F5<>[]U86B7&9*|";

/// The first bytes of a word: the lower and upper halves that each of them may have.
#[derive(Clone, Copy)]
pub(crate) struct Gram {
    lower: [u16; LENGTH],
    upper: [u16; LENGTH],
}

impl Gram {
    /// A word in any case. Missing bytes may be anything. The case bit is ignored for all ASCII
    /// bytes, so that a table needs half as many entries: `=` also matches a control character, `{`
    /// matches `[`, and `-` a carriage return.
    pub(crate) fn folded(word: &[u8]) -> Gram {
        let other = |b: u8| if b.is_ascii() { b ^ CASE } else { b };
        Gram::of(|place| word.get(place).map_or(Halves::ANY, |&b| Halves::of(&[b, other(b)])))
    }

    /// A word in exact case. Missing bytes must be in `then`.
    pub(crate) fn exact(word: &[u8], then: ByteSet) -> Gram {
        let then = Halves { lower: then.lower(), upper: then.upper() };
        Gram::of(|place| word.get(place).map_or(then, |&b| Halves::of(&[b])))
    }

    /// The same word with `then` as its last byte.
    pub(crate) fn then(mut self, then: ByteSet) -> Gram {
        let last = LENGTH - 1;
        (self.lower[last], self.upper[last]) = (then.lower(), then.upper());
        self
    }

    /// A word from the halves of each of its bytes.
    fn of(halves: impl Fn(usize) -> Halves) -> Gram {
        let halves: [Halves; LENGTH] = std::array::from_fn(halves);
        Gram { lower: halves.map(|h| h.lower), upper: halves.map(|h| h.upper) }
    }
}

#[cfg(test)]
impl Gram {
    /// Allows what either word allows.
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
    /// Any byte.
    const ANY: Halves = Halves { lower: u16::MAX, upper: u16::MAX };

    /// The halves of any of the bytes.
    fn of(bytes: &[u8]) -> Halves {
        let none = Halves { lower: 0, upper: 0 };
        bytes.iter().fold(none, |all, byte| Halves {
            lower: all.lower | 1 << (byte & 15),
            upper: all.upper | 1 << (byte >> 4),
        })
    }
}

/// For each place, the combined entry of each byte.
#[derive(Clone)]
pub(super) struct ByteTables(pub [[u8; 256]; LENGTH]);

/// For each place, the combined entry of each ASCII byte in either case, indexed by its bits
/// without the case bit. Aligned to be loaded into a register at once.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct CaseFoldedTables(pub [[u8; 64]; LENGTH]);

/// The tables of a search for words.
#[derive(Clone)]
pub(crate) struct Grams {
    pub(super) lower: [[u8; 16]; LENGTH],
    pub(super) upper: [[u8; 16]; LENGTH],
    /// The combined tables of each place, for one byte at a time.
    pub(super) per_byte: Box<ByteTables>,
    pub(super) case_folded: Box<CaseFoldedTables>,
}

impl Grams {
    /// A search for any of the words, which are distributed so that few texts pass by chance.
    pub(crate) fn new(grams: &[Gram]) -> Grams {
        Grams::of(&distribute(grams))
    }

    /// Two searches that share the words: with many words, they have fewer false positives than
    /// one. `buckets_of_words` gives the bucket of each word; any distribution finds the same
    /// words.
    pub(crate) fn two(grams: &[Gram], buckets_of_words: &[u8]) -> [Grams; 2] {
        let mut buckets = [Bucket::default(); 2 * BUCKETS];
        for (gram, looked_up) in
            grams.iter().zip(buckets_of_words.iter().chain(std::iter::repeat(&0)))
        {
            let bucket = &mut buckets[usize::from(*looked_up) % (2 * BUCKETS)];
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
        let mut per_byte = Box::new(ByteTables([[0; 256]; LENGTH]));
        for (at, table) in per_byte.0.iter_mut().enumerate() {
            for (byte, entry) in table.iter_mut().enumerate() {
                *entry = lower[at][byte & 15] & upper[at][byte >> 4];
            }
        }
        let mut case_folded = Box::new(CaseFoldedTables([[0; 64]; LENGTH]));
        for (case_folded, per_byte) in case_folded.0.iter_mut().zip(&per_byte.0) {
            for byte in 0..128 {
                case_folded[(byte & 0x1F) | (byte >> 1 & 0x20)] |= per_byte[byte];
            }
        }
        Grams { lower, upper, per_byte, case_folded }
    }
}

/// Distributes the words so that little else passes. Each word goes where it adds least, several
/// times over, since later words may make another bucket better for earlier ones.
fn distribute(grams: &[Gram]) -> [Bucket; BUCKETS] {
    let usual = ByteFrequencies::new();
    let mut places: Vec<Option<usize>> = vec![None; grams.len()];
    let mut buckets = [Bucket::default(); BUCKETS];
    let mut passing = buckets.map(|bucket| usual.passes(&bucket));
    for index in (0..grams.len()).cycle().take(ROUNDS * grams.len()) {
        if let Some(place) = places[index].take() {
            buckets[place] = bucket_content(grams, &places, place);
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

/// What a bucket allows with the words that it has.
fn bucket_content(grams: &[Gram], places: &[Option<usize>], bucket: usize) -> Bucket {
    let dealt = grams.iter().zip(places).filter(|(_, place)| **place == Some(bucket));
    dealt.fold(Bucket::default(), |all, (gram, _)| all.with(gram))
}

/// The halves that the words of a bucket allow at each place, one bit each.
#[derive(Clone, Copy, Default)]
struct Bucket {
    lower: [u16; LENGTH],
    upper: [u16; LENGTH],
}

impl Bucket {
    /// The bucket with one more word.
    fn with(mut self, gram: &Gram) -> Bucket {
        for place in 0..LENGTH {
            self.lower[place] |= gram.lower[place];
            self.upper[place] |= gram.upper[place];
        }
        self
    }
}

/// How frequent bytes are in common text.
struct ByteFrequencies {
    /// By the upper half of an ASCII byte: the total frequency of every set of lower halves among
    /// the first eight, and among the last eight.
    shares: [[[f64; 256]; 2]; 8],
}

impl ByteFrequencies {
    /// The frequencies, estimated from the rank of each byte.
    fn new() -> ByteFrequencies {
        let mut shares = [[[0.0; 256]; 2]; 8];
        for (rank, byte) in COMMON_BYTES.iter().enumerate() {
            let (upper, lower) = (usize::from(byte >> 4), usize::from(byte & 15));
            shares[upper][lower / 8][1 << (lower % 8)] = 1.0 / (rank as f64 + 6.0);
        }
        for sums in shares.as_flattened_mut() {
            for set in 1..sums.len() {
                let first = set & set.wrapping_neg();
                sums[set] = sums[first] + sums[set ^ first];
            }
        }
        ByteFrequencies { shares }
    }

    /// How much text passes a bucket, for comparisons only.
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
