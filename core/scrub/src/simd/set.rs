//! Sets of byte values.

/// A set of byte values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteSet([bool; 256]);

impl ByteSet {
    /// Every byte value.
    pub(crate) const ANY: ByteSet = ByteSet([true; 256]);

    /// The values for which `belongs` is true.
    pub(crate) fn of(belongs: impl Fn(u8) -> bool) -> ByteSet {
        let mut set = ByteSet([false; 256]);
        for byte in 0..=u8::MAX {
            set.0[usize::from(byte)] = belongs(byte);
        }
        set
    }

    /// True if the set has the byte.
    #[inline(always)]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// The lower halves of members with this upper half: bit 3 for `0x?3`.
    pub(super) fn row(&self, upper: u8) -> u16 {
        (0..16).filter(|lower| self.has(upper << 4 | lower)).fold(0, |row, lower| row | 1 << lower)
    }

    /// All lower halves of members, one bit each.
    pub(super) fn lower(&self) -> u16 {
        (0..16).fold(0, |all, upper| all | self.row(upper))
    }

    /// All upper halves of members, one bit each.
    pub(super) fn upper(&self) -> u16 {
        (0..16).filter(|upper| self.row(*upper) != 0).fold(0, |all, upper| all | 1 << upper)
    }
}
