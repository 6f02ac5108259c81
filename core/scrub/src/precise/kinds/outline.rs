//! What a run may be at most, by what it opens with: all gates in a few look-ups, without a
//! branch.
//!
//! It says no to most that the gates say no to, and to nothing else.

use std::collections::BTreeMap;

use super::gate::{Gate, LONG, Opening, WIDE};

/// A kind with a mark, one that a word near tells, and of these one that need not stand where a
/// value is given.
pub(super) const MARKED: u8 = 1;
pub(super) const TOLD: u8 = 2;
pub(super) const FREE: u8 = 4;

pub(super) struct Outline {
    /// By the number of letters and digits, and by the byte behind them.
    narrow: Box<[[Narrow; 128]; LONG + 1]>,
    /// By the first byte: what may go on.
    onward: Vec<[u8; 128]>,
    /// By how many bytes of a run and how many of base64 there are.
    wide: Box<[[u8; WIDE + 1]; WIDE + 1]>,
    /// For those of which neither says much: which byte must stand where.
    signs: Vec<(usize, u8, u8)>,
}

/// What may end behind so many letters and digits, and which of `onward` may go on.
#[derive(Clone, Copy)]
struct Narrow {
    ends: u8,
    onward: u8,
}

impl Outline {
    pub(super) fn new(gates: [(&Gate, u8); 3]) -> Outline {
        let mut narrow = Box::new([[Narrow { ends: 0, onward: 0 }; 128]; LONG + 1]);
        let mut onward = vec![[0; 128]];
        let mut wide = Box::new([[0; WIDE + 1]; WIDE + 1]);
        let sorts = |may: &dyn Fn(&Gate) -> bool| {
            gates.iter().fold(0, |all, (gate, sort)| all | if may(gate) { *sort } else { 0 })
        };
        for (letters, row) in narrow.iter_mut().enumerate() {
            for (next, narrow) in (0..).zip(row.iter_mut()) {
                narrow.ends = sorts(&|gate| gate.may_end(letters, next));
            }
            // Few signs go on, so only their rows are made.
            let mut ways: BTreeMap<u8, [u8; 128]> = BTreeMap::new();
            for (gate, sort) in gates {
                for (next, way) in gate.going_on(letters) {
                    let firsts = ways.entry(next).or_insert([0; 128]);
                    for (first, sorts) in (0..).zip(firsts) {
                        *sorts |= if way.begins(first) { sort } else { 0 };
                    }
                }
            }
            for (next, firsts) in ways {
                if let Some(narrow) = row.get_mut(usize::from(next)) {
                    narrow.onward = number(&mut onward, firsts);
                }
            }
        }
        for (dotted, row) in wide.iter_mut().enumerate() {
            for (base64, wide) in row.iter_mut().enumerate() {
                *wide = sorts(&|gate| gate.may_be_wide(Opening { letters: 0, dotted, base64 }));
            }
        }
        let mut signs = Vec::new();
        for (gate, sort) in gates {
            for (least, most, literal) in gate.brief() {
                let sign = literal.first().copied().unwrap_or_default();
                signs.extend((least..=most).map(|place| (place, sign, sort)));
            }
        }
        Outline { narrow, onward, wide, signs }
    }

    /// The sorts of which a gate may let pass what opens so at `at`, `crossing` as there.
    #[inline(always)]
    pub(super) fn sorts(&self, text: &[u8], at: usize, opening: Opening, crossing: bool) -> u8 {
        let letters = opening.letters.min(LONG);
        let next = text.get(at + opening.letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let narrow = self.narrow[letters][usize::from(next)];
        let onward = self.onward[usize::from(narrow.onward)][usize::from(text[at] & 127)];
        let wide = self.wide[opening.dotted.min(WIDE)][opening.base64.min(WIDE)];
        let ends = if crossing { 0 } else { narrow.ends };
        let mut sorts = wide | onward | ends;
        for (place, sign, sort) in &self.signs {
            sorts |= if text.get(at + place) == Some(sign) { *sort } else { 0 };
        }
        sorts
    }
}

/// Which of the rows is like this one; it is added if there is none.
fn number(rows: &mut Vec<[u8; 128]>, row: [u8; 128]) -> u8 {
    let known = rows.iter().position(|other| *other == row);
    let number = known.unwrap_or_else(|| {
        rows.push(row);
        rows.len() - 1
    });
    // A test counts them.
    number as u8
}

#[cfg(test)]
mod tests {
    use super::super::Kinds;

    #[test]
    fn every_way_to_go_on_has_a_number() {
        let rows = Kinds::new().outline.onward.len();
        assert!((2..=256).contains(&rows), "there are {rows}");
    }
}
