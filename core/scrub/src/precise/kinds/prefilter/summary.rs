//! The length summary: all length filters in a few table lookups, without a branch.
//!
//! It rejects most of what the length filters reject, and never anything they accept.

use std::collections::BTreeMap;

use super::length::{LengthFilter, MAX_LETTERS, MAX_WIDE, RunStart};

/// The group of kinds with an infix. Groups are bits.
pub(in crate::precise::kinds) const INFIX: u8 = 1;
/// The group of kinds with a keyword.
pub(in crate::precise::kinds) const KEYWORD: u8 = 2;
/// The group of keyword kinds that need no value context.
pub(in crate::precise::kinds) const UNVALUED: u8 = 4;

/// The tables of the summary.
pub(in crate::precise::kinds) struct LengthSummary {
    /// By the number of letters and digits, and by the byte behind them.
    by_letters: Box<[[LetterEntry; 128]; MAX_LETTERS + 1]>,
    /// By the first byte: the groups that may continue. Equal rows are stored once.
    next_by_first_byte: Vec<[u8; 128]>,
    /// By the numbers of token bytes and of base64 bytes.
    by_width: Box<[[u8; MAX_WIDE + 1]; MAX_WIDE + 1]>,
    /// For short wide starts: the place of a byte, the byte, and the group.
    literal_bytes: Vec<(usize, u8, u8)>,
}

/// The groups that may end behind so many letters and digits, and the row of those that may
/// continue.
#[derive(Clone, Copy)]
struct LetterEntry {
    ends: u8,
    next_by_first_byte: u8,
}

impl LengthSummary {
    pub(in crate::precise::kinds) fn new(filters: [(&LengthFilter, u8); 3]) -> LengthSummary {
        let mut by_letters =
            Box::new([[LetterEntry { ends: 0, next_by_first_byte: 0 }; 128]; MAX_LETTERS + 1]);
        let mut next_by_first_byte = vec![[0; 128]];
        let mut by_width = Box::new([[0; MAX_WIDE + 1]; MAX_WIDE + 1]);
        let groups = |may: &dyn Fn(&LengthFilter) -> bool| {
            filters
                .iter()
                .fold(0, |all, (filter, group)| all | if may(filter) { *group } else { 0 })
        };
        for (letters, row) in by_letters.iter_mut().enumerate() {
            for (next, entry) in (0..).zip(row.iter_mut()) {
                entry.ends = groups(&|filter| filter.may_end(letters, next));
            }
            // Few bytes continue a secret, so only their rows are built.
            let mut rows: BTreeMap<u8, [u8; 128]> = BTreeMap::new();
            for (filter, group) in filters {
                for (next, literal) in filter.next_literals_after(letters) {
                    let firsts = rows.entry(next).or_insert([0; 128]);
                    for (first, entry) in (0..).zip(firsts) {
                        *entry |= if literal.begins(first) { group } else { 0 };
                    }
                }
            }
            for (next, firsts) in rows {
                if let Some(entry) = row.get_mut(usize::from(next)) {
                    entry.next_by_first_byte = intern_row(&mut next_by_first_byte, firsts);
                }
            }
        }
        for (dotted, row) in by_width.iter_mut().enumerate() {
            for (base64, entry) in row.iter_mut().enumerate() {
                *entry =
                    groups(&|filter| filter.may_be_wide(RunStart { letters: 0, dotted, base64 }));
            }
        }
        let mut literal_bytes = Vec::new();
        for (filter, group) in filters {
            for (least, most, literal) in filter.short_wide_literals() {
                let sign = literal.first().copied().unwrap_or_default();
                literal_bytes.extend((least..=most).map(|place| (place, sign, group)));
            }
        }
        LengthSummary { by_letters, next_by_first_byte, by_width, literal_bytes }
    }

    /// The groups of which a length filter may accept the run at `at`. `must_continue` as in the
    /// length filter.
    #[inline(always)]
    pub(in crate::precise::kinds) fn possible_groups(
        &self,
        text: &[u8],
        at: usize,
        run_start: RunStart,
        must_continue: bool,
    ) -> u8 {
        let letters = run_start.letters.min(MAX_LETTERS);
        let next =
            text.get(at + run_start.letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let entry = self.by_letters[letters][usize::from(next)];
        let next_by_first_byte = self.next_by_first_byte[usize::from(entry.next_by_first_byte)]
            [usize::from(text[at] & 127)];
        let by_width =
            self.by_width[run_start.dotted.min(MAX_WIDE)][run_start.base64.min(MAX_WIDE)];
        let ends = if must_continue { 0 } else { entry.ends };
        let mut groups = by_width | next_by_first_byte | ends;
        for (place, sign, group) in &self.literal_bytes {
            groups |= if text.get(at + place) == Some(sign) { *group } else { 0 };
        }
        groups
    }
}

/// The number of an equal row; adds the row if there is none.
fn intern_row(rows: &mut Vec<[u8; 128]>, row: [u8; 128]) -> u8 {
    let known = rows.iter().position(|other| *other == row);
    let number = known.unwrap_or_else(|| {
        rows.push(row);
        rows.len() - 1
    });
    // A test counts the rows.
    number as u8
}

#[cfg(test)]
mod tests {
    use crate::precise::kinds::Kinds;

    #[test]
    fn every_way_to_go_on_has_a_number() {
        let rows = Kinds::new().summary.next_by_first_byte.len();
        assert!((2..=256).contains(&rows), "there are {rows}");
    }
}
