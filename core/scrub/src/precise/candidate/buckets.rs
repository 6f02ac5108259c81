//! The buckets of the keywords: how the words are distributed over the two packed searches of the
//! candidate scan.
//!
//! The bucket of each word is data, in `data/keywords.toml`: any distribution finds the same words,
//! but a bad one passes more text that has none. The test here checks that the present one is good;
//! with `TOOLKEEP_UPDATE=1` it searches for a better one and prints it.

use super::super::corpus::sources::of_kind;
use super::{BUCKET_OF_KEYWORD, KEYWORDS, Keyword};
use crate::simd::Gram;

/// How many buckets the two packed searches have.
const COUNT: usize = 16;

/// How many places of each text are sampled, at random.
const PLACES: usize = 200_000;

/// The four bytes at sampled places of texts.
struct Sample(Vec<[u8; 4]>);

impl Sample {
    fn new(texts: &[String]) -> Sample {
        let mut dice = Dice(0x2545_F491_4F6C_DD1D);
        let place = |text: &String| {
            let at = dice.below(text.len() - 4);
            text.as_bytes()[at..].first_chunk().copied()
        };
        let offsets = texts.iter().flat_map(|text| std::iter::repeat_n(text, PLACES));
        Sample(offsets.filter_map(place).collect())
    }

    /// How many of a million places look like one of the keywords.
    fn passing(&self, keywords: &[Gram]) -> f64 {
        let Some(all) = keywords.iter().copied().reduce(Gram::or) else { return 0.0 };
        let passing = self.0.iter().filter(|four| all.allows(**four)).count();
        1e6 * passing as f64 / self.0.len() as f64
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

fn grams() -> Vec<Gram> {
    let gram = |keyword: Keyword| Gram::folded(&keyword.text[keyword.probe_offset..]);
    KEYWORDS.iter().map(Keyword::new).map(gram).collect()
}

fn bucket(grams: &[Gram], buckets: &[u8], bucket: u8) -> Vec<Gram> {
    let own = grams.iter().zip(buckets).filter(|(_, assigned)| **assigned == bucket);
    own.map(|(gram, _)| *gram).collect()
}

fn passing(sample: &Sample, grams: &[Gram], buckets: &[u8]) -> f64 {
    (0..COUNT as u8).map(|number| sample.passing(&bucket(grams, buckets, number))).sum()
}

#[test]
fn little_text_passes_as_a_keyword() {
    if std::env::var_os("TOOLKEEP_UPDATE").is_some() {
        let kinds = ["rs", "json", "js", "md", "toml"].iter().map(|kind| of_kind(kind, 3 << 20));
        // Some kinds of files may be in no crate.
        let texts: Vec<String> = kinds.filter(|text| text.len() > 1 << 16).collect();
        let (buckets, passing) = annealed(&Sample::new(&texts), &grams());
        panic!("better buckets, with {passing} of a million: {buckets:?}");
    }
    let (sample, grams) = (Sample::new(&[crate::tests::corpus().join("\n")]), grams());
    let passed = passing(&sample, &grams, &BUCKET_OF_KEYWORD);
    let turns: Vec<u8> = (0..KEYWORDS.len()).map(|at| (at % COUNT) as u8).collect();
    let in_turns = passing(&sample, &grams, &turns);
    assert!(
        BUCKET_OF_KEYWORD.iter().all(|assigned| usize::from(*assigned) < COUNT),
        "no such bucket"
    );
    assert!(passed * 10.0 < in_turns, "{passed} of a million, {in_turns} if assigned in turns");
}

/// Searches for a better distribution by simulated annealing: moves and swaps keywords, at first
/// also where that is worse. Returns it with how many of a million places pass.
fn annealed(sample: &Sample, grams: &[Gram]) -> (Vec<u8>, f64) {
    const STEPS: u32 = 60_000;
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut buckets: Vec<u8> = (0..grams.len()).map(|at| (at % COUNT) as u8).collect();
    let cost = |buckets: &[u8], number: u8| sample.passing(&bucket(grams, buckets, number));
    let mut costs: Vec<f64> = (0..COUNT as u8).map(|number| cost(&buckets, number)).collect();
    let mut best = (buckets.clone(), f64::MAX);
    for step in 0..STEPS {
        let heat = 800.0 * (1.0 - f64::from(step) / f64::from(STEPS)).powi(3);
        let (keyword, other) = (dice.below(grams.len()), dice.below(grams.len()));
        let swaps = dice.below(3) == 0;
        let (from, to) =
            (buckets[keyword], if swaps { buckets[other] } else { dice.below(COUNT) as u8 });
        if from == to {
            continue;
        }
        let kept = buckets.clone();
        buckets[keyword] = to;
        if swaps {
            buckets[other] = from;
        }
        let (one, two) = (cost(&buckets, from), cost(&buckets, to));
        let (from, to) = (usize::from(from), usize::from(to));
        let worse = one + two - costs[from] - costs[to];
        if worse <= 0.0 || (dice.below(1 << 20) as f64 / f64::from(1 << 20)) < (-worse / heat).exp()
        {
            (costs[from], costs[to]) = (one, two);
            let all = costs.iter().sum();
            if all < best.1 {
                best = (buckets.clone(), all);
            }
        } else {
            buckets = kept;
        }
    }
    best
}
