//! Kinds without a mark of their own: a plain run of letters and digits that is a secret because
//! of the vendor's name that stands near.

use super::demand::looks_random;
use super::shape::Shape;

/// How far before a token a telling word may stand, in bytes.
pub(super) const REACH: usize = 64;

/// The words, by their first three letters.
pub(super) struct Vicinity {
    /// A bit for each three letters with which a word begins.
    starts: Box<[u64; 512]>,
    /// The first three letters, a word, and the kind it tells; sorted.
    words: Vec<(u16, &'static str, u16)>,
}

/// What stands before a token that is the value of something.
const BEFORE_VALUE: &[u8] = b"\"'`=: \t\n\r>([{,|";

/// The same as escapes.
const ESCAPED_BEFORE_VALUE: &[&str] = &[
    "\\n", "\\t", "\\r", "\\u0022", "\\u003d", "\\u003a", "\\x22", "%3D", "%3d", "%3A", "%3a",
    "%20", "%22", "%27", "[0m", "[1m",
];

/// Words that say that a secret follows.
const TELLING: &[&str] = &[
    "key",
    "token",
    "secret",
    "auth",
    "pass",
    "pwd",
    "cred",
    "bearer",
    "pat",
    "api",
    "sid",
    "license",
    "private",
    "signature",
    "webhook",
];

impl Vicinity {
    /// The words of the shapes with these numbers.
    pub(super) fn new(shapes: &[&'static Shape]) -> Vicinity {
        let mut starts = Box::new([0; 512]);
        let mut words = Vec::new();
        for (number, shape) in (0..).zip(shapes) {
            for word in shape.near.iter().filter(|_| shape.prefix.is_empty()) {
                let Some(three) = word.as_bytes().first_chunk() else {
                    continue;
                };
                let three = letters(*three);
                starts[usize::from(three >> 6)] |= 1 << (three & 63);
                words.push((three, *word, number));
            }
        }
        words.sort_unstable();
        Vicinity { starts, words }
    }

    /// The kinds that a word before `at` tells, each with whether the word says enough by itself.
    pub(super) fn told(&self, text: &[u8], at: usize) -> Vec<(u16, bool)> {
        let behind = &text[at.saturating_sub(REACH)..at];
        let mut told = Vec::new();
        for (place, three) in behind.windows(3).enumerate() {
            let three = letters([three[0], three[1], three[2]]);
            if self.starts[usize::from(three >> 6)] & (1 << (three & 63)) == 0 {
                continue;
            }
            let first = self.words.partition_point(|(start, ..)| *start < three);
            for (_, word, number) in
                self.words[first..].iter().take_while(|(start, ..)| *start == three)
            {
                if stands(behind, place, word) {
                    told.push((*number, word.contains(['.', '/'])));
                }
            }
        }
        told
    }

    /// True if a shape of the kind that was told may be a secret where it stands.
    pub(super) fn fits(text: &[u8], at: usize, end: usize, enough: bool) -> bool {
        let goes_on = text.get(end).is_some_and(|b| matches!(b, b'-' | b'/' | b'+'));
        if goes_on || !looks_random(&text[at..end]) {
            return false;
        }
        let behind = &text[at.saturating_sub(REACH)..at];
        enough
            || begins_value(behind)
                && (assigned(behind) || TELLING.iter().any(|word| holds(behind, word)))
    }
}

/// True if a value may begin behind this text.
fn begins_value(behind: &[u8]) -> bool {
    behind.last().is_some_and(|b| BEFORE_VALUE.contains(b))
        || ESCAPED_BEFORE_VALUE.iter().any(|escape| behind.ends_with(escape.as_bytes()))
}

/// True if one of these words stands before `at`, for a kind that has a prefix as well.
pub(super) fn stands_near(text: &[u8], at: usize, words: &[&str]) -> bool {
    let behind = &text[at.saturating_sub(REACH)..at];
    words.iter().any(|word| (0..behind.len()).any(|place| stands(behind, place, word)))
}

/// A name, an equals sign or a colon, and nothing between that and the value but a quote.
fn assigned(behind: &[u8]) -> bool {
    let skipped = |b: &&u8| matches!(**b, b' ' | b'"' | b'\'' | b'\\');
    let sign = behind.iter().rev().find(|b| !skipped(b));
    sign.is_some_and(|b| matches!(b, b'=' | b':'))
}

/// True if a word starts at `place`, in any case, and is no later part of another word.
fn stands(text: &[u8], place: usize, word: &str) -> bool {
    let Some(found) = text.get(place..place + word.len()) else {
        return false;
    };
    if !found.eq_ignore_ascii_case(word.as_bytes()) {
        return false;
    }
    let before = place.checked_sub(1).map_or(b' ', |n| text[n]);
    !before.is_ascii_alphabetic() || (before.is_ascii_lowercase() && found[0].is_ascii_uppercase())
}

fn holds(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}

/// Three letters without their case, in 15 bits. Other bytes may fall together with a letter.
fn letters(three: [u8; 3]) -> u16 {
    three.iter().fold(0, |sum, byte| (sum << 5) | u16::from(byte & 31))
}
