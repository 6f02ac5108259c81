//! Keys with a fixed prefix. Their patterns are so simple that they are matched without an
//! automaton. The same table finds their candidates.

use std::ops::Range;

use super::byte_search;

/// A pattern: a prefix, and some bytes of an alphabet.
pub(super) struct Key {
    prefix: &'static [u8],
    alphabet: Alphabet,
    /// The fewest bytes behind the prefix.
    least: usize,
    /// True if all further bytes of the alphabet belong to the key.
    goes_on: bool,
}

/// The alphabet behind a prefix: digits, and some or all letters.
#[derive(Clone, Copy)]
enum Alphabet {
    Capitals,
    Letters,
    LettersAndDashes,
}

/// In the order of the patterns; keys are the first of them.
pub(super) static KEYS: [Key; 8] = [
    Key { prefix: b"sk-", alphabet: Alphabet::Letters, least: 20, goes_on: true },
    Key { prefix: b"sk-ant-", alphabet: Alphabet::LettersAndDashes, least: 20, goes_on: true },
    Key::github(b"ghp_"),
    Key::github(b"gho_"),
    Key::github(b"ghu_"),
    Key::github(b"ghs_"),
    Key::github(b"ghr_"),
    Key { prefix: b"AKIA", alphabet: Alphabet::Capitals, least: 16, goes_on: false },
];

impl Alphabet {
    /// True if all bytes are in the alphabet. Mostly they are, so there is no branch per byte.
    #[inline]
    fn all_belong(self, bytes: &[u8]) -> bool {
        match self {
            Alphabet::Capitals => {
                all_belong(bytes, |b| b.is_ascii_digit() | b.is_ascii_uppercase())
            }
            Alphabet::Letters => all_belong(bytes, |b| b.is_ascii_alphanumeric()),
            Alphabet::LettersAndDashes => {
                all_belong(bytes, |b| b.is_ascii_alphanumeric() | (b == b'-'))
            }
        }
    }

    /// How many leading bytes are in the alphabet.
    fn length(self, bytes: &[u8]) -> usize {
        let ends = |byte: u8| !self.all_belong(&[byte]);
        byte_search::first(bytes, ends).unwrap_or(bytes.len())
    }
}

/// True if all bytes belong. Has no branch, so that many are tested at once.
#[inline(always)]
fn all_belong(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |all, b| all & belongs(*b))
}

impl Key {
    /// A token of GitHub: 36 letters and digits behind the prefix.
    const fn github(prefix: &'static [u8]) -> Key {
        Key { prefix, alphabet: Alphabet::Letters, least: 36, goes_on: false }
    }

    /// True if `text` starts with a key.
    #[inline]
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        text.starts_with(self.prefix) && self.is_followed(text)
    }

    /// True if the bytes behind the prefix that `text` starts with make it a key.
    #[inline]
    fn is_followed(&self, text: &[u8]) -> bool {
        let rest = text.get(self.prefix.len()..self.prefix.len() + self.least);
        rest.is_some_and(|rest| self.alphabet.all_belong(rest))
    }

    /// All keys in `text`, from the first on, without overlaps.
    pub(super) fn find_all(&self, text: &[u8], mut found: impl FnMut(Range<usize>)) {
        let finder = memchr::memmem::Finder::new(self.prefix);
        let mut at = 0;
        while at < text.len() {
            // Where one key follows another, nothing has to be searched.
            if !text[at..].starts_with(self.prefix) {
                let Some(next) = finder.find(&text[at..]) else { return };
                at += next;
            }
            if !self.is_followed(&text[at..]) {
                at += 1;
                continue;
            }
            let mut end = at + self.prefix.len() + self.least;
            if self.goes_on {
                end += self.alphabet.length(&text[end..]);
            }
            found(at..end);
            at = end;
        }
    }
}

/// The fewest hexadecimal digits of a match.
pub(super) const DIGITS: usize = 64;

/// All runs of at least [`DIGITS`] hexadecimal digits in `text`.
pub(super) fn find_digits(text: &[u8], mut found: impl FnMut(Range<usize>)) {
    let mut at = 0;
    while let Some(window) = text.get(at..at + DIGITS) {
        // A run that begins in the window reaches its last byte, or is too short.
        let length = window.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
        let start = at + DIGITS - length;
        let rest = if length > 0 { &text[at + DIGITS..] } else { &[] };
        let more = byte_search::first(rest, |b| !b.is_ascii_hexdigit()).unwrap_or(rest.len());
        let end = at + DIGITS + more;
        if end - start >= DIGITS {
            found(start..end);
        }
        at = end;
    }
}
