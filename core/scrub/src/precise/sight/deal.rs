//! How the words are dealt into the sixteen buckets of their two searches.

use super::WORDS;

/// The bucket of each word, in the order of [`WORDS`]. Any finds the same words; with this one the
/// fewest other places seem to be words in sources, JSON, minified JavaScript, build logs and
/// prose. A new word needs a number here, and then a search for better ones: `TOOLKEEP_UPDATE=1
/// cargo test --release -p toolkeep --lib deal` fails and says some for the texts that crates have.
#[rustfmt::skip]
pub(super) const DEAL: [u8; WORDS.len()] = [
    14, 0, 14, 4, 10, 13, 1, 9, 9, 9, 9, 1, 1, 8, 8, 2, 5, 3, 10, 10, 4, 4, 7, 7,
    0, 10, 0, 7, 2, 5, 2, 0, 0, 0, 0, 0, 5, 5, 12, 5, 11, 15, 6, 12, 6, 2, 5, 5,
    5, 9, 9, 9, 9, 14, 11, 11, 11, 11, 14, 14, 8, 14, 14, 9, 2, 7, 11, 6, 3, 13, 1, 1,
    9, 15, 1, 14, 11, 3, 12, 10, 3, 10, 11, 9, 13, 3, 15, 15, 3, 14, 14, 2, 2, 12, 0, 7,
    7, 13, 13, 5, 5, 10, 11, 8, 7, 4, 15, 11, 3, 3, 12, 6, 13, 6, 15, 2, 14, 14, 9, 7,
    7, 3, 9, 9, 12, 10, 4, 3, 12, 13, 13, 13, 12, 14, 13, 14,
];

#[cfg(test)]
mod tests;
