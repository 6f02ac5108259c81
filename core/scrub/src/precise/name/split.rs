//! Splits a name into words: snake, kebab, camel, dotted and screaming case.
//!
//! It processes eight bytes at once, with one bit per byte: which bytes are letters and digits,
//! where words start, and where they end. A test compares it with a loop over single bytes.

use super::NameClass;

/// The longest name, in bytes: one bit each in a 128-bit word.
pub(in crate::precise) const MAX_NAME: usize = 128;

/// The words of a name, in lower case.
pub(super) struct Words<'n> {
    lower: Lower<'n>,
    /// One bit for the first byte of each word, and one for its last.
    starts: u128,
    ends: u128,
    count: usize,
}

const _: () = assert!(MAX_NAME == u128::BITS as usize);

/// A name in lower case.
enum Lower<'n> {
    /// The name itself, if it is in lower case.
    Written(&'n [u8]),
    Made([u8; MAX_NAME]),
}

impl<'n> Words<'n> {
    /// Splits a name; `None` if it is empty, too long, or has no words.
    #[inline]
    pub(super) fn of(name: &'n [u8]) -> Option<Words<'n>> {
        if name.len() > MAX_NAME {
            return None;
        }
        if !name.is_empty() && name.iter().all(u8::is_ascii_lowercase) {
            // Most names are one word.
            let (lower, ends) = (Lower::Written(name), 1 << (name.len() - 1));
            return Some(Words { lower, starts: 1, ends, count: 1 });
        }
        let mut lower = [0; MAX_NAME];
        lower[..name.len()].copy_from_slice(name);
        let (mut small, mut capital, mut digit, mut all) = (0, 0, 0, 0);
        let (eights, _) = lower.as_chunks_mut::<8>();
        for (number, bytes) in eights.iter_mut().take(name.len().div_ceil(8)).enumerate() {
            let flags = ByteFlags::new(u64::from_le_bytes(*bytes));
            let shift = 8 * number;
            small |= u128::from(gather_high_bits(flags.small)) << shift;
            capital |= u128::from(gather_high_bits(flags.capital)) << shift;
            digit |= u128::from(gather_high_bits(flags.digit)) << shift;
            all |= u128::from(gather_high_bits(flags.all)) << shift;
            *bytes = flags.lower.to_le_bytes();
        }
        // A word starts behind a byte that is in none, at a capital behind a lower-case letter, at
        // the last capital of `APIKey`, and where digits start or end.
        let humps = capital & (small << 1 | capital << 1 & small >> 1);
        let starts = all & (!(all << 1) | humps | (digit << 1 ^ digit));
        let ends = all & (starts >> 1 | !(all >> 1));
        let count = ends.count_ones() as usize;
        (count > 0).then_some(Words { lower: Lower::Made(lower), starts, ends, count })
    }

    /// The name in lower case.
    fn lower(&self) -> &[u8] {
        match &self.lower {
            Lower::Written(name) => name,
            Lower::Made(name) => name,
        }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Removes the last word.
    pub(super) fn drop_last(&mut self) {
        self.ends = without_highest(self.ends);
        self.count -= 1;
    }

    /// The word with `back` words behind it. There must be one.
    pub(super) fn nth_last(&self, back: usize) -> &[u8] {
        let ends = (0..back).fold(self.ends, |ends, _| without_highest(ends));
        let end = highest(ends);
        let start = highest(self.starts & (u128::MAX >> (MAX_NAME - 1 - end)));
        &self.lower()[start..=end]
    }

    /// The first word.
    pub(super) fn first(&self) -> &[u8] {
        let (start, end) = (self.starts.trailing_zeros(), self.ends.trailing_zeros());
        &self.lower()[start as usize..=end as usize]
    }

    /// The word before the one with `back` words behind it; empty if there is none.
    pub(super) fn before(&self, back: usize) -> &[u8] {
        if back + 1 < self.len() { self.nth_last(back + 1) } else { b"" }
    }

    /// Classifies by the vendor's word at the start, for a name whose last word has no class:
    /// `VIRTUAL_KEY_…`.
    pub(super) fn classify_by_vendor(&self) -> Option<NameClass> {
        let virtual_ = self.first() == VENDOR_WORD && self.len() > 1;
        virtual_.then_some(NameClass::weak("credential")).flatten()
    }
}

/// The first word of a vendor's names.
pub(super) const VENDOR_WORD: &[u8] = b"virtual";

/// The place of the highest bit. There must be one.
fn highest(bits: u128) -> usize {
    (u128::BITS - 1 - bits.leading_zeros()) as usize
}

/// The bits without the highest one.
fn without_highest(bits: u128) -> u128 {
    bits & !(1 << highest(bits))
}

/// Flags for eight bytes of a name: the highest bit of each byte is set if the byte is of a class.
struct ByteFlags {
    small: u64,
    capital: u64,
    digit: u64,
    /// Bytes of words: letters, digits, and parts of letters outside ASCII.
    all: u64,
    /// The bytes in lower case.
    lower: u64,
}

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = EACH << 7;

impl ByteFlags {
    #[inline]
    fn new(flags: u64) -> ByteFlags {
        let ascii = flags & !HIGH;
        // ASCII bytes between the two. No sum overflows its byte.
        let between = |bytes: u64, first: u8, last: u8| {
            let (from, past) = (EACH * u64::from(0x80 - first), EACH * u64::from(0x7F - last));
            (bytes + from) & !(bytes + past) & !flags & HIGH
        };
        let letters = between(ascii | EACH << 5, b'a', b'z');
        let (small, capital) = (letters & flags << 2, letters & !(flags << 2));
        let digit = between(ascii, b'0', b'9');
        let all = letters | digit | flags & HIGH;
        ByteFlags { small, capital, digit, all, lower: flags | capital >> 2 }
    }
}

/// Gathers the highest bit of each of eight bytes.
#[inline]
fn gather_high_bits(bits: u64) -> u64 {
    ((bits & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// True for a byte of a word.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a name, one byte after the other.
    fn one_by_one(name: &[u8]) -> Vec<Vec<u8>> {
        let sort = |b: u8| match b {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 3,
            0x80.. => 4,
            _ => 0,
        };
        let mut words: Vec<Vec<u8>> = Vec::new();
        let mut before = 0;
        for (at, &byte) in name.iter().enumerate() {
            let small_follows = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            let fresh = match (before, sort(byte)) {
                (_, 0) => false,
                (0, _) | (1, 2) => true,
                (2, 2) => small_follows,
                (before, here) => (before == 3) != (here == 3),
            };
            before = sort(byte);
            if fresh {
                words.push(Vec::new());
            }
            if let Some(word) = words.last_mut().filter(|_| before != 0) {
                word.push(byte.to_ascii_lowercase());
            }
        }
        words
    }

    #[test]
    fn eight_bytes_at_a_time_are_split_as_one_by_one() {
        const BYTES: &[u8] = b"azAZ09_-.@[`{/:\x80\xD0\xFF";
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..20_000 {
            let mut name = Vec::new();
            for _ in 0..round % (MAX_NAME + 2) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let byte = BYTES[state as usize % BYTES.len()];
                // Longer rows of a sort as well.
                name.extend(std::iter::repeat_n(
                    byte,
                    1 + (state >> 32) as usize % 3 * (round % 2),
                ));
            }
            name.truncate(MAX_NAME + 1);
            let expected = one_by_one(&name);
            let Some(words) = Words::of(&name) else {
                assert!(expected.is_empty() || name.len() > MAX_NAME, "{name:?}");
                continue;
            };
            let mut split: Vec<Vec<u8>> =
                (0..words.len()).map(|back| words.nth_last(back).to_vec()).collect();
            split.reverse();
            assert_eq!(split, expected, "{name:?}");
        }
    }
}
