//! What tells of most runs that they are no sight, without asking any kind.

use super::super::super::simd::{ByteSet, Classes};
use super::super::kinds::{is_plain_byte, is_token};
use super::is_sign;

pub(super) struct Sieve {
    /// Which bytes of a block are token bytes, which belong to a plain run, and which are digits.
    pub classes: Classes<3>,
    /// What stands before and what is at the start of a run behind which something may be hidden:
    /// both have a bit in common.
    before: [u8; 256],
    first: [u8; 256],
}

/// Ways to hide the start of a token, as [`hidden`](super::escape::hidden) knows them: signs, a
/// backslash, hexadecimal digits, a colour.
const SIGNS: u8 = 1;
const BACKSLASH: u8 = 2;
const HEXADECIMAL: u8 = 4;
const COLOUR: u8 = 8;

impl Sieve {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(super) fn new() -> Sieve {
        let sets = [
            ByteSet::of(is_token),
            ByteSet::of(is_plain_byte),
            ByteSet::of(|b| b.is_ascii_digit()),
        ];
        let classes = Classes::new(&sets).expect("the classes of runs");
        let (mut before, mut first) = ([SIGNS; 256], [BACKSLASH; 256]);
        before[usize::from(b'\\')] |= BACKSLASH;
        for byte in [b'%', b'='] {
            before[usize::from(byte)] |= HEXADECIMAL;
        }
        for byte in [b'[', b';'] {
            before[usize::from(byte)] |= COLOUR;
        }
        for byte in 0..=u8::MAX {
            let ways = [
                (is_sign(byte), SIGNS),
                (byte.is_ascii_hexdigit(), HEXADECIMAL),
                (byte.is_ascii_digit() || byte == b'm', COLOUR),
            ];
            let ways = ways.iter().filter(|(may, _)| *may);
            first[usize::from(byte)] |= ways.fold(0, |all, (_, way)| all | way);
        }
        Sieve { classes, before, first }
    }

    /// False only if [`hidden`](super::escape::hidden) is zero for such a run.
    #[inline(always)]
    pub(super) fn may_hide(&self, before: Option<u8>, first: u8) -> bool {
        self.before[usize::from(before.unwrap_or(0))] & self.first[usize::from(first)] != 0
    }
}
