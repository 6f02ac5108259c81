//! The start filter: rejects runs by three counts, before any other byte is read.
//!
//! The counts come from the bits of the candidate scan: how many letters and digits a run begins
//! with, the byte behind them, and how many token bytes there are.

use crate::precise::kinds::shape::{Part, Set, Shape};
use crate::precise::kinds::{is_token, load_u64, needs_no_value};

/// How far letters, digits and token bytes are counted. A longer run may be of any kind.
pub(in crate::precise) const MAX_COUNTED: usize = 48;
/// Some kinds begin with so few token bytes that the counts say little. Below this number, a kind
/// is recognised by its first literal instead, if that stands among the first eight bytes.
const MIN_SELECTIVE_TOKENS: usize = 18;
/// How many of these literals may share a place.
const LITERAL_SETS: usize = 2;
/// More than is ever counted: no kind fits.
const NEVER: u8 = u8::MAX;

/// The counts that unprefixed kinds begin with.
pub(in crate::precise) struct StartCounts {
    /// For kinds that need no value context, and for all.
    tables: [CountTable; 2],
}

/// The counts for one group of kinds.
struct CountTable {
    /// The least number of token bytes, by the number of leading letters and digits and by the byte
    /// behind them.
    tokens: Box<[[u8; 128]; MAX_COUNTED + 1]>,
    literals: [LiteralBytes; LITERAL_SETS],
}

/// Bytes that identify kinds, each by its place among eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LiteralBytes {
    bytes: u64,
    /// All bits of the places without a byte.
    unused_bits: u64,
}

impl LiteralBytes {
    const NONE: LiteralBytes = LiteralBytes { bytes: 0, unused_bits: u64::MAX };

    /// Adds a byte; false if another one has its place.
    fn add(&mut self, (place, byte): (usize, u8)) -> bool {
        let bits = |byte: u8| u64::from(byte) << (8 * place);
        let is_unused = self.unused_bits & bits(u8::MAX) != 0;
        if is_unused {
            self.unused_bits &= !bits(u8::MAX);
            self.bytes |= bits(byte);
        }
        is_unused || self.bytes & bits(u8::MAX) == bits(byte)
    }

    /// True if one of the bytes is among these eight, at its place.
    #[inline(always)]
    fn any_in(self, word: u64) -> bool {
        const ONES: u64 = u64::MAX / 0xFF;
        // A byte that matches becomes zero, and the subtraction borrows into its top bit.
        let differ = (word ^ self.bytes) | self.unused_bits;
        differ.wrapping_sub(ONES) & !differ & (ONES << 7) != 0
    }
}

impl StartCounts {
    pub(in crate::precise::kinds) fn new<'s>(
        shapes: impl Iterator<Item = &'s Shape> + Clone,
    ) -> StartCounts {
        let unvalued = shapes.clone().filter(|shape| needs_no_value(shape));
        StartCounts { tables: [CountTable::new(unvalued), CountTable::new(shapes)] }
    }

    /// The filter: false only if no unprefixed secret starts at `at`, where so many letters and
    /// digits and so many token bytes follow each other. If no value starts there (`value` is
    /// false), only kinds that need none count. Has no branch.
    #[inline(always)]
    pub(in crate::precise) fn may_start(
        &self,
        text: &[u8],
        at: usize,
        letters: u32,
        tokens: u32,
        value: bool,
    ) -> bool {
        let letters = letters.min(MAX_COUNTED as u32) as usize;
        let next = text.get(at + letters).copied().unwrap_or(0);
        let next = if next.is_ascii() { next } else { 0 };
        let CountTable { tokens: least, literals } = &self.tables[usize::from(value)];
        let enough = tokens >= u32::from(least[letters][usize::from(next)]);
        let first = load_u64(text, at);
        literals.iter().fold(enough, |any, literals| any | literals.any_in(first))
    }
}

impl CountTable {
    /// The counts of the shapes. A shape with a leading literal is recognised by one of its bytes, as long as
    /// there is room; the others by their length.
    fn new<'s>(shapes: impl Iterator<Item = &'s Shape>) -> CountTable {
        let mut tokens = Box::new([[NEVER; 128]; MAX_COUNTED + 1]);
        tokens[MAX_COUNTED] = [0; 128];
        let mut literals = [LiteralBytes::NONE; LITERAL_SETS];
        for shape in shapes {
            let known = leading_literal_byte(shape).is_some_and(|leading_literal_byte| {
                literals.iter_mut().any(|some| some.add(leading_literal_byte))
            });
            if !known {
                add(shape, &mut tokens);
            }
        }
        CountTable { tokens, literals }
    }
}

/// Adds the counts of a shape.
fn add(shape: &Shape, rows: &mut [[u8; 128]; MAX_COUNTED + 1]) {
    let tokens = min_leading_tokens(shape);
    let (mut least, mut most) = (0, 0);
    for part in shape.parts {
        match part {
            Part::Lit(literal) => {
                for byte in literal.bytes() {
                    if !Set::ALNUM.has(byte) {
                        return allow(rows, least, most, |next| next == byte, tokens);
                    }
                    (least, most) = (least + 1, most + 1);
                }
            }
            Part::Run(set, few, many) => {
                let (few, many) = (usize::from(*few), usize::from(*many));
                let (continues, other) =
                    (set.intersects(Set::ALNUM), !Set::ALNUM.contains_set(*set));
                if other && continues && Set::DOTTED.contains_set(*set) {
                    return allow(rows, 0, MAX_COUNTED, |_| true, tokens);
                }
                let further = if continues { many } else { 0 };
                if other {
                    let stops = |next| set.has(next) && !Set::ALNUM.has(next);
                    allow(rows, least, most + further, stops, tokens);
                }
                if continues {
                    (least, most) = (least + few, most + many);
                } else if few > 0 {
                    return;
                }
            }
        }
    }
    // As `Shape::end` requires, and `is_believable_value` if a keyword kind's shape does not
    // suffice.
    let sure = shape.shape_suffices || shape.keywords.is_empty();
    let never: &[u8] = if sure { b"_" } else { b"_-/+" };
    allow(rows, least, most, |next| !never.contains(&next), tokens);
}

/// Allows so many letters and digits before these bytes, with at least so many token bytes.
fn allow(
    rows: &mut [[u8; 128]; MAX_COUNTED + 1],
    least: usize,
    most: usize,
    before: impl Fn(u8) -> bool,
    tokens: u8,
) {
    let rows = rows.get_mut(least..=most.min(MAX_COUNTED)).unwrap_or_default();
    for (next, entry) in rows.iter_mut().flat_map(|row| (0..).zip(row)) {
        *entry = if before(next) { tokens.min(*entry) } else { *entry };
    }
}

/// The first literal of a kind that may begin with few token bytes: its place and first byte.
fn leading_literal_byte(shape: &Shape) -> Option<(usize, u8)> {
    let tokens = min_leading_tokens(shape);
    let other = |set: &Set| !Set::ALNUM.contains_set(*set);
    let (place, literal) = match shape.parts {
        [Part::Run(set, least, most), Part::Lit(literal), ..] if least == most && other(set) => {
            (usize::from(*least), literal)
        }
        [Part::Lit(literal), Part::Run(set, ..), ..] if other(set) => (0, literal),
        _ => return None,
    };
    let byte = *literal.as_bytes().first()?;
    (place < 8 && usize::from(tokens) < MIN_SELECTIVE_TOKENS).then_some((place, byte))
}

/// The least number of token bytes that every secret of the shape begins with, as far as is
/// counted.
fn min_leading_tokens(shape: &Shape) -> u8 {
    shape.leading_bytes(is_token).0.min(MAX_COUNTED) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::precise::kinds::table;

    #[test]
    fn every_sign_is_asked_for() {
        let bare = table::all().filter(|shape| shape.prefix.is_empty());
        let mut literals = [LiteralBytes::NONE; LITERAL_SETS];
        let mut known = 0;
        for leading_literal_byte in bare.filter_map(leading_literal_byte) {
            known += 1;
            assert!(
                literals.iter_mut().any(|some| some.add(leading_literal_byte)),
                "no room for {leading_literal_byte:?}"
            );
        }
        assert!(known > 0, "no kind is recognised by a leading literal");
    }

    #[test]
    fn a_sign_stands_at_its_place() {
        let mut literals = LiteralBytes::NONE;
        assert!(literals.add((0, b'A')) && literals.add((4, b'.')) && literals.add((7, 0xFF)));
        assert!(literals.add((4, b'.')), "it is sought already");
        assert!(!literals.add((4, b'A')), "another is sought there");
        for (text, expected) in [
            (b"A-------", true),
            (b"--A-----", false),
            (b"----.---", true),
            (b".------.", false),
            (b"-------\xFF", true),
            (b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0", false),
            (b"\0\0\0\0\0\0\0\0", false),
            (b"@\x01\x01\x01/\x01\x01\xFE", false),
        ] {
            assert_eq!(literals.any_in(u64::from_le_bytes(*text)), expected, "{text:?}");
            assert!(!LiteralBytes::NONE.any_in(u64::from_le_bytes(*text)), "{text:?}");
        }
    }
}
