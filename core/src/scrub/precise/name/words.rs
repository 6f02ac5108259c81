//! Splits a name into words: snake, kebab, camel, dotted, screaming.

use super::Telling;

/// The longest name that is looked at, in bytes.
pub(in crate::scrub::precise) const MAX_NAME: usize = 128;

/// The words of a name, in lower case.
pub(super) struct Words {
    lower: [u8; MAX_NAME],
    spans: [(u8, u8); MAX_NAME],
    len: usize,
}

impl Words {
    /// `None` if the name is empty, too long, or has no words.
    pub(super) fn of(name: &[u8]) -> Option<Words> {
        if name.len() > MAX_NAME {
            return None;
        }
        let mut words = Words { lower: [0; MAX_NAME], spans: [(0, 0); MAX_NAME], len: 0 };
        let mut start = 0;
        for (at, &byte) in name.iter().enumerate() {
            words.lower[at] = byte.to_ascii_lowercase();
            if starts_word(name, at) {
                words.push(start, at);
                start = at;
            }
            if !belongs(byte) {
                words.push(start, at);
                start = at + 1;
            }
        }
        words.push(start, name.len());
        (words.len > 0).then_some(words)
    }

    fn push(&mut self, start: usize, end: usize) {
        // Both are at most MAX_NAME, which a byte holds.
        if let (Ok(from), Ok(to)) = (u8::try_from(start), u8::try_from(end))
            && from < to
        {
            self.spans[self.len] = (from, to);
            self.len += 1;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn drop_last(&mut self) {
        self.len -= 1;
    }

    /// The word that many before the last; there must be so many.
    pub(super) fn nth_last(&self, back: usize) -> &[u8] {
        let (from, to) = self.spans[self.len - 1 - back];
        &self.lower[usize::from(from)..usize::from(to)]
    }

    /// The word before the one that many before the last; empty if there is none.
    pub(super) fn before(&self, back: usize) -> &[u8] {
        if back + 1 < self.len { self.nth_last(back + 1) } else { b"" }
    }

    /// What a name tells whose last word tells nothing, but the first does: `VIRTUAL_KEY_…`.
    pub(super) fn vendor(&self) -> Option<Telling> {
        let first = self.nth_last(self.len - 1);
        (first == b"virtual" && self.len > 1).then_some(Telling::weak("credential")).flatten()
    }
}

fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// True if a new word starts at `at` without a separator before it.
fn starts_word(name: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|at| name[at]) else { return false };
    let here = name[at];
    if here.is_ascii_digit() != before.is_ascii_digit() {
        return belongs(here) && belongs(before);
    }
    if !here.is_ascii_uppercase() {
        return false;
    }
    // `apiKey`, and the last capital of `APIKey`.
    before.is_ascii_lowercase()
        || (before.is_ascii_uppercase() && name.get(at + 1).is_some_and(u8::is_ascii_lowercase))
}
