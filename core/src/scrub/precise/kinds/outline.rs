//! What a run may be at most, by what it opens with: all gates in two look-ups, without a branch.
//!
//! It says no to most of what the gates say no to, and to nothing else.

use super::gate::{Gate, Inner, Opening, WIDE, has_literal};

/// A kind with a mark, one that a word near tells, and of these one that need not stand where a
/// value is given.
pub(super) const MARKED: u8 = 1;
pub(super) const TOLD: u8 = 2;
pub(super) const FREE: u8 = 4;

/// More letters and digits than this are not told apart.
const MOST: usize = WIDE;

pub(super) struct Outline {
    /// By the number of letters and digits, and by the byte behind them.
    narrow: Box<[[u8; 128]; MOST + 1]>,
    /// By how many bytes of a run and how many of base64 there are.
    wide: Box<[[u8; WIDE + 1]; WIDE + 1]>,
    /// Of those of which neither says anything.
    literals: Vec<(Inner, u8)>,
}

impl Outline {
    pub(super) fn new(gates: [(&Gate, u8); 3]) -> Outline {
        let mut narrow = Box::new([[0; 128]; MOST + 1]);
        let mut wide = Box::new([[0; WIDE + 1]; WIDE + 1]);
        for (gate, sort) in gates {
            for (letters, row) in narrow.iter_mut().enumerate() {
                for (next, sorts) in (0..).zip(row) {
                    let may = letters == MOST || gate.may_be_narrow(letters, next);
                    *sorts |= if may { sort } else { 0 };
                }
            }
            for (dotted, row) in wide.iter_mut().enumerate() {
                for (base64, sorts) in row.iter_mut().enumerate() {
                    let may = gate.may_be_wide(Opening { letters: 0, dotted, base64 });
                    *sorts |= if may { sort } else { 0 };
                }
            }
        }
        let literals = gates.iter().flat_map(|(gate, sort)| gate.always().map(|one| (one, *sort)));
        Outline { narrow, wide, literals: literals.collect() }
    }

    /// The sorts of which a gate may let pass what opens so at `at`. All lengths may be cut to
    /// [`WIDE`].
    #[inline(always)]
    pub(super) fn sorts(&self, text: &[u8], at: usize, opening: Opening) -> u8 {
        let next = text.get(at + opening.letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let mut sorts = self.narrow[opening.letters.min(MOST)][usize::from(next)]
            | self.wide[opening.dotted.min(WIDE)][opening.base64.min(WIDE)];
        for (literal, sort) in &self.literals {
            sorts |= if has_literal(&text[at..], literal) { *sort } else { 0 };
        }
        sorts
    }
}
