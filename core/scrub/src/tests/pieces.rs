//! A text in pieces gives what the whole gives.

use super::*;

fn streamed(scrubber: &Scrubber, text: &[u8], mut piece: impl FnMut() -> usize) -> Vec<u8> {
    let mut stream = scrubber.stream();
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = text.len().min(at + piece());
        out.extend(stream.push(&text[at..end]));
        at = end;
    }
    out.extend(stream.finish());
    out
}

#[track_caller]
fn same(scrubber: &Scrubber, text: &[u8], how: &str, piece: impl FnMut() -> usize) {
    let whole = scrubber.scrub_bytes(text);
    let pieces = streamed(scrubber, text, piece);
    if *whole != *pieces {
        let at = whole.iter().zip(&pieces).take_while(|(a, b)| a == b).count();
        let near = |bytes: &[u8]| {
            let end = bytes.len().min(at + 80);
            String::from_utf8_lossy(&bytes[at.saturating_sub(80).min(end)..end]).into_owned()
        };
        panic!(
            "{} {how}: differs at {at}\nwhole:  {:?}\npieces: {:?}",
            scrubber.profile(),
            near(&whole),
            near(&pieces)
        );
    }
}

#[test]
fn any_pieces_give_what_the_whole_gives() {
    let rows = corpus();
    let mut random = Random::new();
    for round in 0..crate::test_rounds::rounds(6, 20_000) {
        let length = [300, 9_000, 30_000][random.below(3)];
        let text = mixture(&mut random, &rows, length);
        for scrubber in plain().iter().chain(&with_values()) {
            same(scrubber, text.as_bytes(), "random pieces", || 1 + random.below(9_000));
            same(scrubber, text.as_bytes(), "small pieces", || 1 + random.below(40));
            if round % 8 == 0 {
                same(scrubber, text.as_bytes(), "bytes", || 1);
            }
        }
    }
}

#[test]
fn a_text_of_several_steps_in_pieces_gives_what_the_whole_gives() {
    let rows = corpus();
    let mut random = Random::new();
    for _ in 0..crate::test_rounds::rounds(1, 300) {
        let text = mixture(&mut random, &rows, 2 * SCAN_STEP + 20_000);
        for scrubber in plain().iter().chain(&with_values()) {
            same(scrubber, text.as_bytes(), "one piece", || text.len());
            same(scrubber, text.as_bytes(), "long pieces", || 1 + random.below(SCAN_STEP));
        }
    }
}
