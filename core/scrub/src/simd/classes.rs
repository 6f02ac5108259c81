//! Classes: several sets of bytes, tested with the same two tables.

use super::set::ByteSet;

/// Several sets of bytes that can be tested for a whole block at once, for little more than one
/// [`Class`] costs.
///
/// Bytes in the same sets and with the same upper half form a row. Rows with the same lower halves
/// and sets share a bit of the tables. A set is a choice of these bits.
///
/// [`Class`]: super::Class
#[derive(Clone, Copy)]
pub(crate) struct Classes<const COUNT: usize> {
    pub(super) lower: [u8; 16],
    pub(super) upper: [u8; 16],
    /// The bits of each set.
    pub(super) bits: [u8; COUNT],
    /// The combined entry of each byte, for one byte at a time.
    pub(super) whole: [u8; 256],
}

impl<const COUNT: usize> Classes<COUNT> {
    /// `None` if there are more than eight different rows.
    pub(crate) fn new(sets: &[ByteSet; COUNT]) -> Option<Classes<COUNT>> {
        let mut rows: Vec<([bool; COUNT], u16)> = Vec::new();
        let mut classes =
            Classes { lower: [0; 16], upper: [0; 16], bits: [0; COUNT], whole: [0; 256] };
        for upper in 0..16_u8 {
            let sets_of = |lower: u8| sets.each_ref().map(|set| set.has(upper << 4 | lower));
            for lower in 0..16 {
                let belongs = sets_of(lower);
                if belongs == [false; COUNT] {
                    continue;
                }
                let same = (0..16).filter(|other| sets_of(*other) == belongs);
                let row = (belongs, same.fold(0, |row, other| row | 1 << other));
                let index = rows.iter().position(|other| *other == row).unwrap_or_else(|| {
                    rows.push(row);
                    rows.len() - 1
                });
                let bit = 1_u8.checked_shl(u32::try_from(index).ok()?)?;
                classes.upper[usize::from(upper)] |= bit;
                classes.lower[usize::from(lower)] |= bit;
                for (bits, _) in classes.bits.iter_mut().zip(belongs).filter(|(_, has)| *has) {
                    *bits |= bit;
                }
            }
        }
        for (byte, entry) in classes.whole.iter_mut().enumerate() {
            *entry = classes.lower[byte & 15] & classes.upper[byte >> 4];
        }
        Some(classes)
    }
}
