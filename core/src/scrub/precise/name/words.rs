//! Splits a name into words: snake, kebab, camel, dotted, screaming.

use super::Telling;

/// The longest name that is looked at, in bytes.
pub(in crate::scrub::precise) const MAX_NAME: usize = 128;

/// The words of a name, in lower case.
pub(super) struct Words {
    lower: [u8; MAX_NAME],
    /// A bit for the first byte of each word, and one for its last.
    starts: u128,
    ends: u128,
}

const _: () = assert!(MAX_NAME == u128::BITS as usize);

impl Words {
    /// `None` if the name is empty, too long, or has no words.
    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<Words> {
        if name.len() > MAX_NAME {
            return None;
        }
        let mut words = Words { lower: [0; MAX_NAME], starts: 0, ends: 0 };
        words.lower[..name.len()].copy_from_slice(name);
        if name.iter().all(u8::is_ascii_lowercase) {
            let last = name.len().checked_sub(1)?;
            return Some(Words { starts: 1, ends: 1 << last, ..words });
        }
        words.lower[..name.len()].make_ascii_lowercase();
        let mut before = Class::Other;
        for (at, &byte) in name.iter().enumerate() {
            let class = CLASSES[usize::from(byte)];
            let fresh = match (before, class) {
                (_, Class::Other) => false,
                (Class::Other, _) | (Class::Lower, Class::Upper) => true,
                // The last capital of `APIKey`.
                (Class::Upper, Class::Upper) => {
                    name.get(at + 1).is_some_and(u8::is_ascii_lowercase)
                }
                (before, class) => (before == Class::Digit) != (class == Class::Digit),
            };
            words.starts |= u128::from(fresh) << at;
            if before != Class::Other && (fresh || class == Class::Other) {
                words.ends |= 1 << (at - 1);
            }
            before = class;
        }
        if before != Class::Other {
            words.ends |= 1 << (name.len() - 1);
        }
        (words.ends != 0).then_some(words)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.count_ones() as usize
    }

    pub(super) fn drop_last(&mut self) {
        self.ends = without_highest(self.ends);
    }

    /// The word that many before the last; there must be so many.
    pub(super) fn nth_last(&self, back: usize) -> &[u8] {
        let ends = (0..back).fold(self.ends, |ends, _| without_highest(ends));
        let end = highest(ends);
        let start = highest(self.starts & (u128::MAX >> (MAX_NAME - 1 - end)));
        &self.lower[start..=end]
    }

    /// The first word.
    pub(super) fn first(&self) -> &[u8] {
        &self.lower[self.starts.trailing_zeros() as usize..=self.ends.trailing_zeros() as usize]
    }

    /// The word before the one that many before the last; empty if there is none.
    pub(super) fn before(&self, back: usize) -> &[u8] {
        if back + 1 < self.len() { self.nth_last(back + 1) } else { b"" }
    }

    /// What a name tells whose last word tells nothing, but the first does: `VIRTUAL_KEY_…`.
    pub(super) fn vendor(&self) -> Option<Telling> {
        let virtual_ = self.first() == VENDOR && self.len() > 1;
        virtual_.then_some(Telling::weak("credential")).flatten()
    }
}

/// The first word that tells what the last one does not.
pub(super) const VENDOR: &[u8] = b"virtual";

/// The place of the highest bit; there must be one.
fn highest(bits: u128) -> usize {
    (u128::BITS - 1 - bits.leading_zeros()) as usize
}

fn without_highest(bits: u128) -> u128 {
    bits & !(1 << highest(bits))
}

/// What a byte of a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A separator.
    Other,
    Lower,
    Upper,
    Digit,
    /// A part of a letter that is not in ASCII.
    Foreign,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            0x80.. => Class::Foreign,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// True for what words are made of.
pub(super) fn belongs(byte: u8) -> bool {
    CLASSES[usize::from(byte)] != Class::Other
}
