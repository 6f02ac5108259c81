//! The prefilter of names: rejects nearly every name that is no secret's, by its last three
//! letters.
//!
//! Invariant: it rejects only names that [`classify`](super::classify) rejects. The endings of all
//! words that the classifier knows are data: `word_endings` in `data/words/names.toml`. A debug
//! assertion in `classify` fails if an ending is missing.

use super::split::{VENDOR_WORD, is_word_byte};
use crate::words;

/// One bit for each row of three letters without their case, in 15 bits. Where a word is shorter,
/// the letters before it may be any.
const ENDING_BITS: [u64; 512] = {
    let mut ends = [0_u64; 512];
    let mut index = 0;
    while index < words::WORD_ENDINGS.len() {
        let word = words::WORD_ENDINGS[index].as_bytes();
        let free = 3 - word.len();
        let mut any = 0;
        while any < 1 << (5 * free) {
            let mut row: usize = any;
            let mut at = 0;
            while at < word.len() {
                row = row << 5 | (word[at] & 31) as usize;
                at += 1;
            }
            ends[row / 64] |= 1 << (row % 64);
            any += 1;
        }
        index += 1;
    }
    ends
};

/// Endings of common words such as `signal` and `passing`, with all the letters that stand before
/// them in known words.
const RARE_ENDINGS: &[(&[u8; 3], &[u8])] = &[(b"nal", b"r"), (b"ing", b"gtr")];

/// False only if [`classify`](super::classify) rejects the name.
#[inline]
pub(in crate::precise) fn may_be_secret_name(name: &[u8]) -> bool {
    let &[.., first, second, last] = name else { return !name.is_empty() };
    if !last.is_ascii_alphabetic() || !(first | second).is_ascii() {
        return true;
    }
    // A word ends at a byte that is no letter.
    let letter = |b: u8| if b.is_ascii_alphabetic() { usize::from(b & 31) } else { 0 };
    let row = letter(first) << 10 | letter(second) << 5 | letter(last);
    ENDING_BITS[row / 64] >> (row % 64) & 1 == 1 && !is_rare_ending(name)
        || starts_like_known_name(name)
}

/// True if the name has a known ending but cannot be a known word.
fn is_rare_ending(name: &[u8]) -> bool {
    let Some((before, end)) = name.split_last_chunk::<3>() else { return false };
    let before = before.last().map_or(0, u8::to_ascii_lowercase);
    let rare = RARE_ENDINGS.iter().find(|(rare, _)| rare.eq_ignore_ascii_case(end));
    rare.is_some_and(|(_, known)| before.is_ascii() && !known.contains(&before))
}

/// True if the name begins with a vendor's word, or with one of [`words::FIRST_WORDS`].
#[inline]
fn starts_like_known_name(name: &[u8]) -> bool {
    let start = name.iter().position(|&b| is_word_byte(b)).unwrap_or(name.len());
    let name = &name[start..];
    let begins =
        |word: &[u8]| name.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    match name.first().map(|first| first | 0x20) {
        Some(first) if first == VENDOR_WORD[0] => begins(VENDOR_WORD),
        Some(b'c' | b's') => words::FIRST_WORDS.iter().any(|word| begins(word)),
        _ => false,
    }
}
