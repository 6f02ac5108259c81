//! Sets of bytes each of which lies in another: digits, letters and digits, what a run is made of.

use super::set::ByteSet;

/// Sets of bytes of which a block can be asked all at once, for less than [`Classes`] cost.
///
/// What the tables say of a byte is one bit, and the more sets the byte is in, the higher the bit:
/// a byte is of a set if the bit is no lower than that of any byte of it. A sum brings that bit to
/// the top of the byte, from where one instruction gathers it.
///
/// [`Classes`]: super::Classes
#[derive(Clone, Copy)]
pub(crate) struct Nest<const COUNT: usize> {
    pub(super) lower: [u8; 16],
    pub(super) upper: [u8; 16],
    /// What is to be added for each set.
    pub(super) lifts: [u8; COUNT],
    /// What both tables say of a byte, for one byte at a time.
    pub(super) whole: [u8; 256],
}

/// The highest bit of a byte.
pub(super) const TOP: u8 = 0x80;

impl<const COUNT: usize> Nest<COUNT> {
    /// `None` if the sets do not lie in each other, or if there are more than eight different rows.
    pub(crate) fn new(sets: &[ByteSet; COUNT]) -> Option<Nest<COUNT>> {
        let depth = |byte: u8| sets.iter().filter(|set| set.has(byte)).count();
        // The lower halves that stand together: of bytes with the same upper half and in as many
        // sets. Those in most sets come first.
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
        let told = |(set, lift): (&ByteSet, &u8)| {
            (0..=u8::MAX).all(|byte| set.has(byte) == (whole[usize::from(byte)] + lift >= TOP))
        };
        sets.iter().zip(&lifts).all(told).then_some(Nest { lower, upper, lifts, whole })
    }
}

/// In how many sets the byte is, and the lower halves of all bytes with its upper half of which
/// that is true.
fn row(byte: u8, depth: impl Fn(u8) -> usize) -> (usize, u16) {
    let same = |lower: &u8| depth(byte & 0xF0 | lower) == depth(byte);
    (depth(byte), (0..16).filter(same).fold(0, |row, lower| row | 1 << lower))
}
