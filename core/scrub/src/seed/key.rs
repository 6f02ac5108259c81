//! The keys that begin with a fixed prefix. Their patterns are so simple that they are matched
//! without an automaton, and a place is judged by the same table that matches.

use std::ops::Range;

use super::run;

/// A pattern: a prefix, and so many of some bytes behind it.
pub(super) struct Key {
    prefix: &'static [u8],
    of: Of,
    /// The fewest bytes behind the prefix.
    least: usize,
    /// More of them belong to the key.
    goes_on: bool,
}

/// What stands behind a prefix: digits, and some or all letters.
#[derive(Clone, Copy)]
enum Of {
    Capitals,
    Letters,
    LettersAndDashes,
}

/// In the order of the patterns, of which they are the first.
pub(super) static KEYS: [Key; 8] = [
    Key { prefix: b"sk-", of: Of::Letters, least: 20, goes_on: true },
    Key { prefix: b"sk-ant-", of: Of::LettersAndDashes, least: 20, goes_on: true },
    Key::github(b"ghp_"),
    Key::github(b"gho_"),
    Key::github(b"ghu_"),
    Key::github(b"ghs_"),
    Key::github(b"ghr_"),
    Key { prefix: b"AKIA", of: Of::Capitals, least: 16, goes_on: false },
];

impl Of {
    /// True if all of the bytes belong. Keys are more often whole than not, so that no byte is
    /// worth a branch.
    #[inline]
    fn all(self, bytes: &[u8]) -> bool {
        match self {
            Of::Capitals => all(bytes, |b| b.is_ascii_digit() | b.is_ascii_uppercase()),
            Of::Letters => all(bytes, |b| b.is_ascii_alphanumeric()),
            Of::LettersAndDashes => all(bytes, |b| b.is_ascii_alphanumeric() | (b == b'-')),
        }
    }

    /// How many bytes belong until one does not.
    fn length(self, bytes: &[u8]) -> usize {
        let ends = |byte: u8| !self.all(&[byte]);
        run::first(bytes, ends).unwrap_or(bytes.len())
    }
}

#[inline(always)]
fn all(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |all, b| all & belongs(*b))
}

impl Key {
    const fn github(prefix: &'static [u8]) -> Key {
        Key { prefix, of: Of::Letters, least: 36, goes_on: false }
    }

    /// True if `text` starts with a key.
    #[inline]
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        text.starts_with(self.prefix) && self.is_followed(text)
    }

    /// True if what stands behind the prefix, with which `text` starts, makes it a key.
    #[inline]
    fn is_followed(&self, text: &[u8]) -> bool {
        let rest = text.get(self.prefix.len()..self.prefix.len() + self.least);
        rest.is_some_and(|rest| self.of.all(rest))
    }

    /// All keys in `text`: the first, the first behind that one, and so on.
    pub(super) fn find_all(&self, text: &[u8], mut found: impl FnMut(Range<usize>)) {
        let finder = memchr::memmem::Finder::new(self.prefix);
        let mut at = 0;
        while at < text.len() {
            // Where key follows key, nothing has to be sought.
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
                end += self.of.length(&text[end..]);
            }
            found(at..end);
            at = end;
        }
    }
}

/// The fewest hexadecimal digits that are taken.
pub(super) const DIGITS: usize = 64;

/// All runs of at least [`DIGITS`] hexadecimal digits in `text`.
pub(super) fn find_digits(text: &[u8], mut found: impl FnMut(Range<usize>)) {
    let mut at = 0;
    while let Some(window) = text.get(at..at + DIGITS) {
        // A run that begins in the window reaches its last byte, or is too short.
        let length = window.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
        let start = at + DIGITS - length;
        let rest = if length > 0 { &text[at + DIGITS..] } else { &[] };
        let more = run::first(rest, |b| !b.is_ascii_hexdigit()).unwrap_or(rest.len());
        let end = at + DIGITS + more;
        if end - start >= DIGITS {
            found(start..end);
        }
        at = end;
    }
}
