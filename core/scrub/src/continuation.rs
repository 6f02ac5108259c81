//! Continuations: where an open secret ends.
//!
//! A secret that reaches the end of its view is left open, with a rule (a [`Continuation`]).
//! [`end`] applies the rule to more text. Whole texts and streams call the same function, so both
//! mask the same bytes.
//!
//! Invariant: the answer follows from the bytes at and behind `from` alone. A stream that must wait
//! asks again from the place that it was given, with more text.

use super::hit::Continuation;

pub(crate) mod body;

/// The most bytes that stay undecided. A stream that keeps this many bytes behind the place where
/// it asks always makes progress.
#[cfg(test)]
const MAX_UNDECIDED: usize = body::MAX_UNDECIDED;

/// How far a secret goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It ends here.
    At(usize),
    /// Everything before this belongs to the secret; ask again from here, with more text. At most
    /// `MAX_UNDECIDED` bytes before the end of the given text.
    Beyond(usize),
}

/// The end of a secret that reaches `from` in `text`. `last` says that no more text follows.
pub(crate) fn end(continuation: Continuation, text: &[u8], from: usize, last: bool) -> End {
    match continuation {
        Continuation::Token => end_of_run(text, from, last, is_token),
        Continuation::Space => end_of_run(text, from, last, |byte| !ends_unquoted(byte)),
        Continuation::Quote(quote) => end_of_quoted(quote, text, from, last),
        Continuation::Block => body::end(text, from, last),
    }
}

/// True for the bytes of a token: `A-Z a-z 0-9 _ - . + / = ~ %`.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%')
}

/// True for a byte that ends an unquoted secret.
fn ends_unquoted(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | 0x7f)
}

/// The end of a secret that goes on while `belongs` holds.
fn end_of_run(text: &[u8], from: usize, last: bool, belongs: impl Fn(u8) -> bool) -> End {
    match text[from..].iter().position(|&byte| !belongs(byte)) {
        Some(length) => End::At(from + length),
        None if last => End::At(text.len()),
        None => End::Beyond(text.len()),
    }
}

/// The end of a secret in quotes: its closing quote, if no backslash escapes it.
fn end_of_quoted(quote: u8, text: &[u8], from: usize, last: bool) -> End {
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
