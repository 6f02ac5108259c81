//! How the words are dealt into the sixteen buckets of their two searches.

use super::WORDS;

/// The bucket of each word, in the order of [`WORDS`]. Any finds the same words; with this one the
/// fewest other places seem to be words in sources, JSON, minified JavaScript, build logs and
/// prose. A new word needs a number here, and then a search for better ones: `TOOLKEEP_UPDATE=1
/// cargo test --release -p toolkeep --lib deal` fails and says some for the texts that crates have.
#[rustfmt::skip]
pub(super) const DEAL: [u8; WORDS.len()] = [
    14, 14, 14, 14, 14, 13, 13, 13, 13, 13, 10, 1, 1, 8, 8, 6, 5, 15, 10, 10, 4, 4, 7, 7,
    0, 0, 0, 7, 6, 5, 6, 0, 0, 0, 0, 0, 5, 5, 3, 5, 11, 4, 9, 12, 3, 8, 5, 5,
    5, 9, 9, 9, 9, 14, 9, 11, 11, 11, 14, 11, 8, 11, 11, 9, 6, 7, 11, 2, 15, 2, 1, 1,
    9, 3, 14, 0, 1, 4, 15, 4, 10, 4, 11, 1, 2, 13, 3, 3, 6, 2, 2, 6, 6, 13, 0, 13,
    13, 13, 13, 8, 5, 12, 1, 8, 7, 2, 2, 15, 15, 15, 15, 12, 12, 2, 3, 6, 0, 0,
    1, 7, 7, 10, 9, 6, 9, 5, 6, 8, 3,
];

#[cfg(test)]
mod tests;
