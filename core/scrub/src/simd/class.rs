//! A class: one set of bytes, tested with two tables of sixteen entries.

use super::set::ByteSet;

/// A set of bytes that can be tested for a whole block at once.
///
/// Bytes with the same upper half form a row. Rows with the same lower halves share a bit. A byte
/// is in the set if the entries of its lower and its upper half have a bit in common.
#[derive(Clone)]
pub(crate) struct Class {
    pub(super) lower: [u8; 16],
    pub(super) upper: [u8; 16],
    pub(super) set: ByteSet,
}

impl Class {
    /// `None` if the set has more than eight different rows.
    pub(crate) fn new(set: ByteSet) -> Option<Class> {
        let mut rows: Vec<u16> = Vec::new();
        let mut class = Class { lower: [0; 16], upper: [0; 16], set };
        for upper in 0..16 {
            let row = set.row(upper);
            if row == 0 {
                continue;
            }
            let index = rows.iter().position(|&other| other == row).unwrap_or_else(|| {
                rows.push(row);
                rows.len() - 1
            });
            let bit = 1_u8.checked_shl(u32::try_from(index).ok()?)?;
            class.upper[usize::from(upper)] = bit;
            for lower in (0..16).filter(|lower| row >> lower & 1 == 1) {
                class.lower[lower] |= bit;
            }
        }
        Some(class)
    }

    /// True if the byte is in the class.
    #[inline(always)]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.set.has(byte)
    }
}
