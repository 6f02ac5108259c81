//! What is scrubbed stays as it is when it is scrubbed again.
//!
//! That is so for texts of whole lines. Where lines of different kinds are torn apart and glued
//! together, a secret that goes may let a finder see another that it took for code.

use super::*;

#[test]
fn what_is_scrubbed_is_clean() {
    let rows = corpus();
    let mut random = Random::new();
    // The seed patterns are exact, so they take a name again with the placeholder behind it.
    let kept = |scrubber: &Scrubber| scrubber.profile() != Profile::Seed;
    let scrubbers: Vec<_> = plain().into_iter().chain(with_values()).filter(kept).collect();
    for _ in 0..crate::test_rounds::rounds(60, 200_000) {
        let length = [10, 300, 6_000][random.below(3)];
        let text = lines(&mut random, &rows, length);
        for scrubber in &scrubbers {
            let once = scrubber.scrub(&text);
            let twice = scrubber.scrub(&once);
            if once != twice {
                let at = once.bytes().zip(twice.bytes()).take_while(|(a, b)| a == b).count();
                let near = |text: &str| {
                    let start = text.floor_char_boundary(at.saturating_sub(900));
                    text[start..text.floor_char_boundary(at + 300)].to_owned()
                };
                panic!("{}: once {:?}\ntwice {:?}", scrubber.profile(), near(&once), near(&twice),);
            }
        }
    }
}

#[test]
fn every_row_alone_is_clean_after_one_pass() {
    let mut wrong = Vec::new();
    for scrubber in plain().iter().filter(|scrubber| scrubber.profile() != Profile::Seed) {
        for text in corpus() {
            let once = scrubber.scrub(&text).into_owned();
            let twice = scrubber.scrub(&once);
            if once != twice {
                wrong.push(format!("{}: {once:?} became {twice:?}", scrubber.profile()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} rows: {:#?}", wrong.len(), wrong);
}
