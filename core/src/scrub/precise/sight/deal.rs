//! How the words are dealt into the sixteen buckets of their two searches.

use super::WORDS;

/// The bucket of each word, in the order of [`WORDS`]. Any finds the same words; with this one the
/// fewest other places seem to be words in sources, JSON and minified JavaScript. A new word needs
/// a number here, and then a search for better ones: `TOOLKEEP_UPDATE=1 cargo test --release -p
/// toolkeep --lib deal` fails and says them.
#[rustfmt::skip]
pub(super) const DEAL: [u8; WORDS.len()] = [
    12, 12, 12, 2, 8, 1, 1, 12, 1, 12, 13, 14, 14, 4, 4, 5, 11, 3, 2, 13, 7, 7, 5, 5,
    12, 0, 12, 7, 11, 11, 5, 11, 11, 11, 11, 11, 5, 11, 11, 11, 3, 6, 0, 0, 5, 5, 5, 5,
    5, 6, 6, 6, 6, 1, 9, 9, 9, 9, 1, 9, 4, 9, 9, 6, 10, 3, 10, 0, 3, 10, 14, 14,
    6, 15, 3, 1, 4, 6, 2, 8, 6, 15, 15, 6, 14, 15, 11, 15, 5, 2, 2, 5, 5, 11, 0, 1,
    7, 1, 7, 11, 11, 8, 6, 8, 7, 8, 8, 6, 10, 10, 13, 4, 7, 0, 7, 4, 1, 1,
];

#[cfg(test)]
mod tests;
