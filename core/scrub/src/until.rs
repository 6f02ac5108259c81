//! Where a secret ends that goes on behind the view in which it was found.
//!
//! A whole text and a stream ask the same function, so both mask the same bytes. It remembers
//! nothing: what it answers follows from the bytes at and behind `from` alone, and a stream that
//! is told to wait asks again from where it was told, with more bytes.

use super::hit::Until;

pub(crate) mod body;

/// The most bytes that stay undecided. A stream that holds back this many behind the place where
/// it asks always gets on.
#[cfg(test)]
const HOLD: usize = body::HOLD;

/// How far a secret goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It ends here.
    At(usize),
    /// All before this place belongs to it; what stands there is to be shown again, with more.
    /// Never more than [`HOLD`] bytes before the end of what was shown.
    Beyond(usize),
}

/// The end of a secret that has reached `from` in `text`. `last` says that no more text follows.
pub(crate) fn end(until: Until, text: &[u8], from: usize, last: bool) -> End {
    match until {
        Until::Token => plain(text, from, last, is_token),
        Until::Space => plain(text, from, last, |byte| !ends_word(byte)),
        Until::Quote(quote) => quoted(quote, text, from, last),
        Until::Block => body::end(text, from, last),
    }
}

/// True for the bytes of a token: `A-Z a-z 0-9 _ - . + / = ~ %`.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%')
}

fn ends_word(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | 0x7f)
}

fn plain(text: &[u8], from: usize, last: bool, belongs: impl Fn(u8) -> bool) -> End {
    match text[from..].iter().position(|&byte| !belongs(byte)) {
        Some(length) => End::At(from + length),
        None if last => End::At(text.len()),
        None => End::Beyond(text.len()),
    }
}

fn quoted(quote: u8, text: &[u8], from: usize, last: bool) -> End {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if at + 1 == text.len() && !last => return End::Beyond(at),
            b'\\' => at += 2,
            _ if byte == quote => return End::At(at),
            _ => at += 1,
        }
    }
    let end = at.min(text.len());
    if last { End::At(end) } else { End::Beyond(end) }
}

#[cfg(test)]
mod tests;
