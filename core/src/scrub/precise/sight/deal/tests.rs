use std::collections::HashMap;

use super::super::super::super::simd::Gram;
use super::super::super::corpus::sources::of_kind;
use super::super::{WORDS, Word};
use super::DEAL;

/// Buckets.
const COUNT: usize = 16;

/// How often each row of four bytes stands in some texts, in a million.
struct Sample(Vec<([u8; 4], f64)>);

impl Sample {
    fn new(texts: &[String]) -> Sample {
        let mut counts: HashMap<[u8; 4], f64> = HashMap::new();
        for text in texts {
            for four in text.as_bytes().array_windows() {
                *counts.entry(*four).or_default() += 1e6 / (text.len() * texts.len()) as f64;
            }
        }
        Sample(counts.into_iter().collect())
    }

    /// How many places seem to be one of the words.
    fn passing(&self, words: &[Gram]) -> f64 {
        let Some(all) = words.iter().copied().reduce(Gram::or) else { return 0.0 };
        self.0.iter().filter(|(four, _)| all.allows(*four)).map(|(_, count)| count).sum()
    }
}

fn grams() -> Vec<Gram> {
    let gram = |word: Word| Gram::folded(&word.text[word.lead..]);
    WORDS.iter().map(Word::new).map(gram).collect()
}

fn bucket(grams: &[Gram], deal: &[u8], bucket: u8) -> Vec<Gram> {
    let own = grams.iter().zip(deal).filter(|(_, told)| **told == bucket);
    own.map(|(gram, _)| *gram).collect()
}

fn passing(sample: &Sample, grams: &[Gram], deal: &[u8]) -> f64 {
    (0..COUNT as u8).map(|number| sample.passing(&bucket(grams, deal, number))).sum()
}

#[test]
fn little_text_seems_to_be_a_word() {
    if std::env::var_os("TOOLKEEP_UPDATE").is_some() {
        let sample = Sample::new(&["rs", "json", "js"].map(|kind| of_kind(kind, 3 << 20)));
        panic!("a better deal: {:?}", annealed(&sample, &grams()));
    }
    let (sample, grams) = (Sample::new(&[crate::scrub::tests::corpus().join("\n")]), grams());
    let dealt = passing(&sample, &grams, &DEAL);
    let turns: Vec<u8> = (0..WORDS.len()).map(|at| (at % COUNT) as u8).collect();
    let in_turns = passing(&sample, &grams, &turns);
    assert!(DEAL.iter().all(|told| usize::from(*told) < COUNT), "no such bucket");
    assert!(dealt * 10.0 < in_turns, "{dealt} of a million, {in_turns} when dealt in turns");
}

/// Looks for a better deal: moves words and swaps them, at first also where that is worse.
fn annealed(sample: &Sample, grams: &[Gram]) -> Vec<u8> {
    const STEPS: u32 = 60_000;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit
    };
    let mut deal: Vec<u8> = (0..grams.len()).map(|at| (at % COUNT) as u8).collect();
    let cost = |deal: &[u8], number: u8| sample.passing(&bucket(grams, deal, number));
    let mut costs: Vec<f64> = (0..COUNT as u8).map(|number| cost(&deal, number)).collect();
    for step in 0..STEPS {
        let heat = 2_000.0 * (1.0 - f64::from(step) / f64::from(STEPS)).powi(3);
        let (word, other) = (below(grams.len()), below(grams.len()));
        let swaps = below(3) == 0;
        let (from, to) = (deal[word], if swaps { deal[other] } else { below(COUNT) as u8 });
        if from == to {
            continue;
        }
        let kept = deal.clone();
        deal[word] = to;
        if swaps {
            deal[other] = from;
        }
        let (one, two) = (cost(&deal, from), cost(&deal, to));
        let (from, to) = (usize::from(from), usize::from(to));
        let worse = one + two - costs[from] - costs[to];
        if worse <= 0.0 || (below(1 << 20) as f64 / f64::from(1 << 20)) < (-worse / heat).exp() {
            (costs[from], costs[to]) = (one, two);
        } else {
            deal = kept;
        }
    }
    deal
}
