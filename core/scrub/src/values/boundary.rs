//! Boundaries: where something longer goes on around a value, it is not the value.
//!
//! `10.0.0.1` does not stand in `110.0.0.12`, nor a PIN in a longer number. A long random token,
//! on the other hand, is found wherever it stands.

/// What must not stand next to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Anything may.
    None,
    /// A digit, or a point with a digit behind it: more of the number. Nor a letter next to a
    /// short one: it is part of an identifier.
    Number { short: bool },
    /// A digit, or another part behind the separator.
    Address { separator: u8 },
    /// A letter; next to a value shorter than 8 bytes also a digit or `_`.
    Word { short: bool },
}

/// Numbers and words up to this length stand in longer ones by chance.
const LONG: usize = 16;

impl Guard {
    pub(super) fn of(value: &[u8]) -> Guard {
        let short = value.len() < LONG;
        let only = |extra: &[u8]| value.iter().all(|b| b.is_ascii_digit() || extra.contains(b));
        let hex = |b: &u8| b.is_ascii_hexdigit() || *b == b':' || *b == b'.';
        let edges_are_digits = value.first().is_some_and(u8::is_ascii_digit)
            && value.last().is_some_and(u8::is_ascii_digit);
        if only(b"") {
            Guard::Number { short }
        } else if edges_are_digits && only(b".") {
            Guard::Address { separator: b'.' }
        } else if edges_are_digits && only(b"-") {
            Guard::Address { separator: b'-' }
        } else if value.iter().all(hex) && value.iter().filter(|b| **b == b':').count() > 1 {
            Guard::Address { separator: b':' }
        } else if value.len() < super::weigh::LEAST_ENCODED {
            Guard::Word { short: true }
        } else if short && value.iter().all(u8::is_ascii_alphabetic) {
            Guard::Word { short: false }
        } else {
            Guard::None
        }
    }

    /// True for a word or a number, as everyday texts have them.
    pub(super) fn is_common(self) -> bool {
        matches!(self, Guard::Number { .. } | Guard::Word { .. })
    }

    /// True if a value with these edges may stand between `before` and `behind`.
    pub(super) fn passes(self, before: &[u8], value: &[u8], behind: &[u8]) -> bool {
        let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return false };
        // Its last letters belong to no word.
        let before = if ends_with_escape(before) { b"" } else { before };
        let next = |at: usize| behind.get(at).copied().unwrap_or(b' ');
        let previous =
            |back: usize| before.len().checked_sub(back + 1).map_or(b' ', |at| before[at]);
        !self.goes_on(first, previous(0), previous(1)) && !self.goes_on(last, next(0), next(1))
    }

    /// True if behind `edge` the bytes `next` and `after` make it longer. The same in both
    /// directions.
    fn goes_on(self, edge: u8, next: u8, after: u8) -> bool {
        match self {
            Guard::None => false,
            Guard::Number { short } => {
                next.is_ascii_digit()
                    || next == b'.' && after.is_ascii_digit()
                    || short && next.is_ascii_alphabetic()
            }
            Guard::Address { separator: b':' } => {
                next == b':'
                    || next.is_ascii_hexdigit() && edge != b':'
                    || next == b'.' && after.is_ascii_digit()
            }
            Guard::Address { separator } => {
                next.is_ascii_alphanumeric() || next == separator && after.is_ascii_digit()
            }
            Guard::Word { short } => {
                let word = |b: u8| b.is_ascii_alphabetic() || short && is_digit_or_low_line(b);
                word(edge) && word(next)
            }
        }
    }
}

fn is_digit_or_low_line(b: u8) -> bool {
    b.is_ascii_digit() || b == b'_'
}

/// True if the text ends with an escape: `\n`, `%3D`, `\u003d`, `\x1b[31m`.
fn ends_with_escape(text: &[u8]) -> bool {
    let before = |back: usize| text.len().checked_sub(back).map(|end| &text[..end]);
    let escaped = |back: usize| before(back).is_some_and(odd_backslashes);
    let hex = |count: usize, prefix: u8| {
        let digits = before(count).map(|before| &text[before.len()..]);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            && before(count).is_some_and(|before| before.last() == Some(&prefix))
    };
    let letter = text.last().is_some_and(|b| b"nrtbfv0ae".contains(b));
    letter && escaped(1)
        || hex(2, b'%')
        || hex(2, b'x') && escaped(3)
        || hex(4, b'u') && escaped(5)
        || ends_with_color(text)
}

/// True if the text ends with what sets a terminal's colour: `ESC [ 0 ; 31 m` (ECMA-48, SGR).
fn ends_with_color(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b"m") else { return false };
    let digit = |b: &&u8| b.is_ascii_digit() || **b == b';';
    let digits = text.iter().rev().take(24).take_while(digit).count();
    text[..text.len() - digits].ends_with(b"\x1b[")
}

/// True if the text ends with a backslash that escapes what follows.
pub(super) fn odd_backslashes(text: &[u8]) -> bool {
    text.iter().rev().take(64).take_while(|b| **b == b'\\').count() % 2 == 1
}
