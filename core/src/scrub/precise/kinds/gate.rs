//! Says no to nearly every run that is of no kind without a prefix, by its length alone.
//!
//! Such a kind begins with so many letters and digits, and then ends, or goes on with a literal:
//! a table by the length says what may follow. A kind that begins with other signs as well is
//! told by how many of them follow each other.

use super::shape::{Part, Set, Shape};

/// Runs of letters and digits that are longer count as this long.
const LONG: usize = 127;

/// What kinds of one sort may begin with.
pub(super) struct Gate {
    /// By the length of the first run of letters and digits: which bytes may follow it where the
    /// secret ends, and where it goes on.
    ends: Box<[u128; LONG + 1]>,
    goes_on: Box<[u128; LONG + 1]>,
    /// So many bytes of a set, the fewest first.
    wide: Vec<(usize, Set)>,
}

impl Gate {
    pub(super) fn new<'s>(shapes: impl Iterator<Item = &'s Shape>) -> Gate {
        let none = || Box::new([0; LONG + 1]);
        let mut gate = Gate { ends: none(), goes_on: none(), wide: Vec::new() };
        shapes.for_each(|shape| gate.add(shape));
        gate.wide.sort_unstable_by_key(|(least, _)| *least);
        gate
    }

    /// Adds so many bytes of a set, unless fewer of as many signs are enough already.
    fn add_wide(&mut self, least: usize, set: Set) {
        if !self.wide.iter().any(|(few, wider)| *few <= least && wider.covers(set)) {
            self.wide.retain(|(many, smaller)| *many < least || !set.covers(*smaller));
            self.wide.push((least, set));
        }
    }

    fn add(&mut self, shape: &Shape) {
        let (mut least, mut most) = (0, 0);
        for part in shape.parts {
            match part {
                Part::Lit(literal) => {
                    let literal = literal.as_bytes();
                    let sign = literal.iter().position(|b| !Set::ALNUM.has(*b));
                    let letters = sign.unwrap_or(literal.len());
                    (least, most) = (least + letters, most + letters);
                    if let Some(sign) = sign {
                        let next = 1 << (literal[sign] & 127);
                        allow(&mut self.goes_on, least, most, next);
                        return;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.covers(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(set, few, _) => {
                    let least = least + usize::from(*few);
                    return self.add_wide(least, set.with(Set::ALNUM));
                }
            }
        }
        // As `Shape::end` asks, and `Vicinity::fits` where the shape is not sure.
        let never: &[u8] = if shape.sure { b"_" } else { b"_-/+" };
        let next = never.iter().fold(u128::MAX, |all, sign| all & !(1 << sign));
        allow(&mut self.ends, least, most, next);
    }

    /// False if no secret of these kinds starts at `at`, where so many letters and digits follow
    /// each other. With `crossing`, one that ends with them does not count.
    #[inline]
    pub(super) fn lets(&self, text: &[u8], at: usize, letters: usize, crossing: bool) -> bool {
        let next = text.get(at + letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let row = letters.min(LONG);
        let ends = if crossing { 0 } else { self.ends[row] };
        (ends | self.goes_on[row]) >> next & 1 == 1 || self.is_wide(&text[at..])
    }

    fn is_wide(&self, text: &[u8]) -> bool {
        let mut seen = Set::NONE;
        let mut read = 0;
        for (least, set) in &self.wide {
            while read < *least {
                let Some(class) = text.get(read).and_then(|b| Set::of(*b)) else { return false };
                seen = seen.with(class);
                read += 1;
            }
            if set.covers(seen) {
                return true;
            }
        }
        false
    }
}

fn allow(rows: &mut [u128; LONG + 1], least: usize, most: usize, next: u128) {
    for row in &mut rows[least.min(LONG)..=most.min(LONG)] {
        *row |= next;
    }
}

/// How many letters and digits `text` starts with.
#[inline]
pub(super) fn letters(text: &[u8]) -> usize {
    text.iter().position(|b| !Set::ALNUM.has(*b)).unwrap_or(text.len())
}
