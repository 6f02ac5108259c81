//! Says no to nearly every run that is of no kind without a prefix, by how many letters and digits
//! it begins with, by the byte behind them, and by how many token bytes there are, before anything
//! else is read.

use super::shape::{Part, Set, Shape};
use super::{eight, is_token, is_unsaid};

/// How far letters and digits are counted, and token bytes: so many may be any kind's.
pub(in super::super) const COUNTED: usize = 48;
/// A kind is told by its first literal where that stands among its first eight bytes, others than
/// letters and digits may stand beside it, and it may begin with fewer token bytes than this.
const BRIEF: usize = 18;
/// The most of these at the same place of the eight.
const SIGNS: usize = 2;
/// More than a run is counted to.
const NEVER: u8 = u8::MAX;

/// The kinds without a prefix, by what they begin with.
pub(in super::super) struct Stretches {
    /// Those that need no value before them, and all.
    sides: [Side; 2],
}

struct Side {
    /// How many token bytes there are at least, by the number of letters and digits among the
    /// first, and by the byte behind these.
    tokens: Box<[[u8; 128]; COUNTED + 1]>,
    signs: [Signs; SIGNS],
}

/// Bytes that tell kinds, each by its place among eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signs {
    sought: u64,
    /// All bits of the other bytes: nothing is sought there.
    others: u64,
}

impl Signs {
    const NONE: Signs = Signs { sought: 0, others: u64::MAX };

    /// Seeks one byte more; false if another is sought at its place.
    fn add(&mut self, (place, byte): (usize, u8)) -> bool {
        let bits = |byte: u8| u64::from(byte) << (8 * place);
        let free = self.others & bits(u8::MAX) != 0;
        if free {
            self.others &= !bits(u8::MAX);
            self.sought |= bits(byte);
        }
        free || self.sought & bits(u8::MAX) == bits(byte)
    }

    /// True if one of the bytes is among these eight, at its place.
    #[inline(always)]
    fn stand_in(self, eight: u64) -> bool {
        const ONES: u64 = u64::MAX / 0xFF;
        // Zero in a byte that is as it is sought, and a borrow reaches the top bit of the first.
        let differ = (eight ^ self.sought) | self.others;
        differ.wrapping_sub(ONES) & !differ & (ONES << 7) != 0
    }
}

impl Stretches {
    pub(super) fn new<'s>(shapes: impl Iterator<Item = &'s Shape> + Clone) -> Stretches {
        let free = shapes.clone().filter(|shape| is_unsaid(shape));
        Stretches { sides: [Side::new(free), Side::new(shapes)] }
    }

    /// False only if no secret of a kind without a prefix starts at `at`, where so many letters and
    /// digits follow each other, and so many token bytes; where no `value` stands, of the kinds that
    /// need none. Has no branch.
    #[inline(always)]
    pub(in super::super) fn may_start(
        &self,
        text: &[u8],
        at: usize,
        letters: u32,
        tokens: u32,
        value: bool,
    ) -> bool {
        let letters = letters.min(COUNTED as u32) as usize;
        let next = text.get(at + letters).copied().unwrap_or(0);
        let next = if next.is_ascii() { next } else { 0 };
        let Side { tokens: least, signs } = &self.sides[usize::from(value)];
        let enough = tokens >= u32::from(least[letters][usize::from(next)]);
        let first = eight(text, at);
        signs.iter().fold(enough, |any, signs| any | signs.stand_in(first))
    }
}

impl Side {
    fn new<'s>(shapes: impl Iterator<Item = &'s Shape>) -> Side {
        let mut tokens = Box::new([[NEVER; 128]; COUNTED + 1]);
        tokens[COUNTED] = [0; 128];
        let mut signs = [Signs::NONE; SIGNS];
        for shape in shapes {
            let told = sign(shape).is_some_and(|sign| signs.iter_mut().any(|some| some.add(sign)));
            if !told {
                add(shape, &mut tokens);
            }
        }
        Side { tokens, signs }
    }
}

/// Adds what a secret of the shape begins with.
fn add(shape: &Shape, rows: &mut [[u8; 128]; COUNTED + 1]) {
    let tokens = tokens_of(shape);
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
                let (goes_on, other) = (set.meets(Set::ALNUM), !Set::ALNUM.covers(*set));
                if other && goes_on && Set::DOTTED.covers(*set) {
                    return allow(rows, 0, COUNTED, |_| true, tokens);
                }
                let further = if goes_on { many } else { 0 };
                if other {
                    let stops = |next| set.has(next) && !Set::ALNUM.has(next);
                    allow(rows, least, most + further, stops, tokens);
                }
                if goes_on {
                    (least, most) = (least + few, most + many);
                } else if few > 0 {
                    return;
                }
            }
        }
    }
    // As `Shape::end` asks, and `Vicinity::fits` where a word near tells a shape that is not sure.
    let sure = shape.sure || shape.near.is_empty();
    let never: &[u8] = if sure { b"_" } else { b"_-/+" };
    allow(rows, least, most, |next| !never.contains(&next), tokens);
}

/// Allows so many letters and digits before these bytes, where there are so many token bytes.
fn allow(
    rows: &mut [[u8; 128]; COUNTED + 1],
    least: usize,
    most: usize,
    before: impl Fn(u8) -> bool,
    tokens: u8,
) {
    let rows = rows.get_mut(least..=most.min(COUNTED)).unwrap_or_default();
    for (next, entry) in rows.iter_mut().flat_map(|row| (0..).zip(row)) {
        *entry = if before(next) { tokens.min(*entry) } else { *entry };
    }
}

/// What tells a kind that may begin with few token bytes, of which the first need not be letters
/// and digits: its first literal, where it stands and how it begins.
fn sign(shape: &Shape) -> Option<(usize, u8)> {
    let tokens = tokens_of(shape);
    let other = |set: &Set| !Set::ALNUM.covers(*set);
    let (place, literal) = match shape.parts {
        [Part::Run(set, least, most), Part::Lit(literal), ..] if least == most && other(set) => {
            (usize::from(*least), literal)
        }
        [Part::Lit(literal), Part::Run(set, ..), ..] if other(set) => (0, literal),
        _ => return None,
    };
    let byte = *literal.as_bytes().first()?;
    (place < 8 && usize::from(tokens) < BRIEF).then_some((place, byte))
}

/// With how many token bytes every secret of the shape begins at least, as far as is counted.
fn tokens_of(shape: &Shape) -> u8 {
    shape.opening(is_token).0.min(COUNTED) as u8
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    #[test]
    fn every_sign_is_asked_for() {
        let bare = table::all().filter(|shape| shape.prefix.is_empty());
        let mut signs = [Signs::NONE; SIGNS];
        let mut known = 0;
        for sign in bare.filter_map(sign) {
            known += 1;
            assert!(signs.iter_mut().any(|some| some.add(sign)), "no room for {sign:?}");
        }
        assert!(known > 0, "no kind is told by a sign");
    }

    #[test]
    fn a_sign_stands_at_its_place() {
        let mut signs = Signs::NONE;
        assert!(signs.add((0, b'A')) && signs.add((4, b'.')) && signs.add((7, 0xFF)));
        assert!(signs.add((4, b'.')), "it is sought already");
        assert!(!signs.add((4, b'A')), "another is sought there");
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
            assert_eq!(signs.stand_in(u64::from_le_bytes(*text)), expected, "{text:?}");
            assert!(!Signs::NONE.stand_in(u64::from_le_bytes(*text)), "{text:?}");
        }
    }
}
