//! Runs the examples of `data/kinds/*.toml`: every kind is found in its hit and not in its miss.

use super::super::super::simd::Level;
use super::super::candidate::CandidateScanner;
use super::tests::{Dice, drawn, hits, masked};
use super::*;

/// Breaks an example so that scanners of repositories do not take it for a live secret. It is nothing.
const BREAK: char = '·';

fn finds(kinds: &Kinds, candidates: &CandidateScanner, text: &str, name: &str) -> bool {
    hits(kinds, candidates, text).iter().any(|hit| hit.kind.as_str() == name)
}

#[test]
fn every_kind_is_found_in_its_hit_and_not_in_its_miss() {
    let (kinds, candidates) = (Kinds::new(), CandidateScanner::new(Level::best()));
    if std::env::var_os("TOOLKEEP_EXAMPLES").is_some() {
        return print_examples(&kinds, &candidates);
    }
    assert_eq!(table::EXAMPLES.len(), table::all().count());
    let mut wrong = Vec::new();
    for (name, shadow, hit, miss) in table::EXAMPLES {
        let (hit, miss) = (hit.replace(BREAK, ""), miss.replace(BREAK, ""));
        let found = shadow.unwrap_or(name);
        if !finds(&kinds, &candidates, &hit, found) {
            wrong.push(format!("{name}: {found} is not found in {hit:?}"));
        }
        if miss.is_empty() || finds(&kinds, &candidates, &miss, found) {
            wrong.push(format!("{name}: {found} is found in {miss:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Prints a hit and a miss for each kind without them: its name, the hit and the miss, with tabs.
#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn print_examples(kinds: &Kinds, candidates: &CandidateScanner) {
    for (number, shape) in (0..).zip(table::all()) {
        let (_, shadow, hit, miss) = table::EXAMPLES[number as usize];
        let name = shadow.unwrap_or(shape.name);
        if !hit.is_empty() && !miss.is_empty() {
            continue;
        }
        let found = (0..40).find_map(|seed| {
            let secret = drawn(shape, &mut Dice(number * 101 + seed));
            let hit = contexts(shape, &secret).into_iter().find(|text| {
                finds(kinds, candidates, text, name) && masked(kinds, candidates, text, &secret)
            })?;
            let miss = near_misses(shape, &hit, &secret);
            let mut miss = miss.into_iter().filter(|text| !text.is_empty());
            let miss =
                miss.find(|text| !finds(kinds, candidates, &text.replace(BREAK, ""), name))?;
            Some((broken(&hit, &secret), miss))
        });
        match found {
            Some((hit, miss)) => println!("EXAMPLE\t{}\t{hit}\t{miss}", shape.name),
            None => {
                let secret = drawn(shape, &mut Dice(number * 101));
                let text = &contexts(shape, &secret)[0];
                let hits = hits(kinds, candidates, text);
                let found = hits.iter().map(|hit| hit.kind.as_str()).collect::<Vec<_>>();
                println!("NO EXAMPLE\t{}\t{}", shape.name, found.join(","));
            }
        }
    }
}

/// Texts in which the secret may be found.
fn contexts(shape: &Shape, secret: &str) -> Vec<String> {
    if shape.keywords.is_empty() {
        return vec![format!("key {secret}"), secret.to_owned(), format!("key=\"{secret}\"")];
    }
    let texts = shape.keywords.iter().flat_map(|word| {
        let word = if word.contains(['.', '/', ':', '~']) {
            format!("{word}/")
        } else {
            format!("{word} ")
        };
        [
            format!("{word}key {secret}"),
            format!("{word}token=\"{secret}\""),
            format!("{word}{secret}"),
        ]
    });
    texts.collect()
}

/// Texts that are nearly a hit, the nearest first, with breaks.
fn near_misses(shape: &Shape, hit: &str, secret: &str) -> Vec<String> {
    let mut misses = Vec::new();
    if !shape.keywords.is_empty() {
        misses.push(broken(&format!("key {secret}"), secret));
    }
    let short = &secret[..secret.len() - 1];
    misses.push(broken(&hit.replace(secret, short), short));
    let half = &secret[..secret.len() / 2];
    misses.push(broken(&hit.replace(secret, half), half));
    let dummy = format!("{}{}", shape.prefix, "x".repeat(secret.len() - shape.prefix.len()));
    misses.push(broken(&hit.replace(secret, &dummy), &dummy));
    misses
}

/// The text with breaks in the secret: in its prefix, and after every eight bytes.
fn broken(text: &str, secret: &str) -> String {
    let mut parts = String::new();
    for (at, letter) in secret.chars().enumerate() {
        if at == 2 || at > 2 && (at - 2).is_multiple_of(8) {
            parts.push(BREAK);
        }
        parts.push(letter);
    }
    text.replace(secret, &parts)
}
