//! Nested sets: sets of bytes, each a subset of the one before it.

use super::set::ByteSet;

/// Nested sets that can be tested for a whole block at once, for less than [`Classes`] cost.
///
/// The tables give one bit per byte. The more sets contain the byte, the higher the bit. So a byte
/// is in a set if its bit is no lower than the lowest bit of the set. Adding a constant carries
/// into the top bit, which one instruction collects.
///
/// [`Classes`]: super::Classes
#[derive(Clone, Copy)]
pub(crate) struct NestedSets<const COUNT: usize> {
    pub(super) lower: [u8; 16],
    pub(super) upper: [u8; 16],
    /// The constant to add for each set.
    pub(super) lifts: [u8; COUNT],
    /// The combined entry of each byte, for one byte at a time.
    pub(super) whole: [u8; 256],
}

/// The highest bit of a byte.
pub(super) const TOP: u8 = 0x80;

impl<const COUNT: usize> NestedSets<COUNT> {
    /// `None` if the sets are not nested, or if there are more than eight different rows.
    pub(crate) fn new(sets: &[ByteSet; COUNT]) -> Option<NestedSets<COUNT>> {
        let depth = |byte: u8| sets.iter().filter(|set| set.has(byte)).count();
        // Rows: the lower halves of bytes with the same upper half that are in equally many sets.
        // Those in most sets come first.
        let mut rows: Vec<(usize, u16)> = Vec::new();
        for byte in (0..=u8::MAX).filter(|byte| depth(*byte) > 0) {
            let row = row(byte, depth);
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows.sort_unstable_by(|one, other| other.cmp(one));
        let (mut lower, mut upper, mut whole) = ([0; 16], [0; 16], [0; 256]);
        for byte in (0..=u8::MAX).filter(|byte| depth(*byte) > 0) {
            let number = rows.iter().position(|other| *other == row(byte, depth))?;
            let bit = TOP.checked_shr(number as u32)?;
            upper[usize::from(byte >> 4)] |= bit;
            lower[usize::from(byte & 15)] |= bit;
        }
        for (byte, entry) in whole.iter_mut().enumerate() {
            *entry = lower[byte & 15] & upper[byte >> 4];
        }
        let lifts = sets.each_ref().map(|set| {
            let members = (0..=u8::MAX).filter(|byte| set.has(*byte));
            TOP - members.map(|byte| whole[usize::from(byte)]).min().unwrap_or(TOP)
        });
        let looked_up = |(set, lift): (&ByteSet, &u8)| {
            (0..=u8::MAX).all(|byte| set.has(byte) == (whole[usize::from(byte)] + lift >= TOP))
        };
        sets.iter().zip(&lifts).all(looked_up).then_some(NestedSets { lower, upper, lifts, whole })
    }
}

/// In how many sets the byte is, and the lower halves of all bytes of its row.
fn row(byte: u8, depth: impl Fn(u8) -> usize) -> (usize, u16) {
    let same = |lower: &u8| depth(byte & 0xF0 | lower) == depth(byte);
    (depth(byte), (0..16).filter(same).fold(0, |row, lower| row | 1 << lower))
}
