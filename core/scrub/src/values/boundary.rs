//! Boundaries: a value inside something longer of the same sort is not the value.
//!
//! `10.0.0.1` does not stand in `110.0.0.12`, nor a PIN in a longer number. A long random token is
//! found anywhere.

/// What must not stand next to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    /// Anything may stand next to it.
    None,
    /// A number: no digit, and no point with a digit behind it. Next to a short number also no
    /// letter, as in an identifier.
    Number { short: bool },
    /// An address: no digit, and no further part behind the separator.
    Address { separator: u8 },
    /// A word: no letter. Next to a value of fewer than 8 bytes also no digit or `_`.
    Word { short: bool },
}

/// The longest list of numbers of a terminal colour: `0;38;5;214`.
const MAX_COLOUR: usize = 24;
/// The most backslashes that are counted before a byte.
const MAX_ESCAPES: usize = 64;
/// Numbers and words below this length stand in longer ones by chance.
const MIN_UNGUARDED: usize = 16;

impl Boundary {
    /// The boundary that a value needs.
    pub(super) fn of(value: &[u8]) -> Boundary {
        let short = value.len() < MIN_UNGUARDED;
        let only = |extra: &[u8]| value.iter().all(|b| b.is_ascii_digit() || extra.contains(b));
        let hex = |b: &u8| b.is_ascii_hexdigit() || *b == b':' || *b == b'.';
        let edges_are_digits = value.first().is_some_and(u8::is_ascii_digit)
            && value.last().is_some_and(u8::is_ascii_digit);
        if only(b"") {
            Boundary::Number { short }
        } else if edges_are_digits && only(b".") {
            Boundary::Address { separator: b'.' }
        } else if edges_are_digits && only(b"-") {
            Boundary::Address { separator: b'-' }
        } else if value.iter().all(hex) && value.iter().filter(|b| **b == b':').count() > 1 {
            Boundary::Address { separator: b':' }
        } else if value.len() < super::acceptance::MIN_ENCODED {
            Boundary::Word { short: true }
        } else if short && value.iter().all(u8::is_ascii_alphabetic) {
            Boundary::Word { short: false }
        } else {
            Boundary::None
        }
    }

    /// True for words and numbers as everyday texts have them.
    pub(super) fn is_common(self) -> bool {
        matches!(self, Boundary::Number { .. } | Boundary::Word { .. })
    }

    /// True if a value may stand between `before` and `behind`.
    pub(super) fn allows(self, before: &[u8], value: &[u8], behind: &[u8]) -> bool {
        let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return false };
        // The last letters of an escape belong to no word.
        let before = if ends_with_escape(before) { b"" } else { before };
        let next = |at: usize| behind.get(at).copied().unwrap_or(b' ');
        let previous =
            |back: usize| before.len().checked_sub(back + 1).map_or(b' ', |at| before[at]);
        !self.extends(first, previous(0), previous(1)) && !self.extends(last, next(0), next(1))
    }

    /// True if `next` and `after` make the value longer behind `edge`. The same in both directions.
    fn extends(self, edge: u8, next: u8, after: u8) -> bool {
        match self {
            Boundary::None => false,
            Boundary::Number { short } => {
                next.is_ascii_digit()
                    || next == b'.' && after.is_ascii_digit()
                    || short && next.is_ascii_alphabetic()
            }
            Boundary::Address { separator: b':' } => {
                next == b':'
                    || next.is_ascii_hexdigit() && edge != b':'
                    || next == b'.' && after.is_ascii_digit()
            }
            Boundary::Address { separator } => {
                next.is_ascii_alphanumeric() || next == separator && after.is_ascii_digit()
            }
            Boundary::Word { short } => {
                let word = |b: u8| b.is_ascii_alphabetic() || short && is_digit_or_underscore(b);
                word(edge) && word(next)
            }
        }
    }
}

/// True for what continues an identifier behind a short word.
fn is_digit_or_underscore(b: u8) -> bool {
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

/// True if the text ends with a terminal's colour sequence: `ESC [ 0 ; 31 m` (ECMA-48, SGR).
fn ends_with_color(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b"m") else { return false };
    let digit = |b: &&u8| b.is_ascii_digit() || **b == b';';
    let digits = text.iter().rev().take(MAX_COLOUR).take_while(digit).count();
    text[..text.len() - digits].ends_with(b"\x1b[")
}

/// True if the text ends with a backslash that escapes what follows.
pub(super) fn odd_backslashes(text: &[u8]) -> bool {
    text.iter().rev().take(MAX_ESCAPES).take_while(|b| **b == b'\\').count() % 2 == 1
}
