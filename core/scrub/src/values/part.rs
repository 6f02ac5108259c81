//! Parts: what is searched for a value. The value itself, or pieces of a long one.
//!
//! A stream sees a bounded stretch of text, so no form of a part may be longer than that. A key
//! block is searched by the lines of its body, which occur however it is indented, escaped or
//! encoded.

use zeroize::Zeroizing;

use super::acceptance::MIN_ENCODED;
use super::boundary::Boundary;

/// The longest value, in bytes. A private key of 16,384 bits takes 12,700 in PEM.
pub(super) const MAX_VALUE: usize = 16 * 1_024;
/// The longest part, in bytes. Its longest form has six times as many (`&#x41;`, `\u0041`).
const MAX_PART: usize = 512;
/// The approximate length of the pieces of a long value, in bytes: long enough not to occur in an
/// unrelated text.
const PIECE_SIZE: usize = 256;
/// The longest line of a key block, in bytes (RFC 7468 has 64, PGP 76). A longer one is cut.
const MAX_KEY_LINE: usize = 76;

/// A text to search for.
pub(super) struct Part {
    text: Zeroizing<Box<str>>,
    pub boundary: Boundary,
    /// False for a part that is too short to be searched in encodings.
    pub encoded: bool,
}

impl Part {
    /// A part with what guards it.
    fn new(text: &str) -> Part {
        Part {
            text: Zeroizing::new(text.into()),
            boundary: Boundary::of(text.as_bytes()),
            encoded: text.len() >= MIN_ENCODED,
        }
    }

    /// The text of the part.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// The parts of a value.
pub(super) fn parts(value: &str) -> Box<[Part]> {
    let mut parts = Vec::new();
    for line in key_lines(value) {
        parts.extend(pieces(line, MAX_KEY_LINE).map(Part::new));
    }
    if value.len() <= MAX_PART {
        parts.push(Part::new(value));
    } else if parts.is_empty() {
        parts.extend(pieces(value, PIECE_SIZE).map(Part::new));
    }
    parts.into()
}

/// The lines of the body of a PEM or PGP block.
fn key_lines(value: &str) -> impl Iterator<Item = &str> {
    let block = value.strip_prefix("-----BEGIN ").and_then(|rest| rest.split_once("-----"));
    let body = block.and_then(|(_, rest)| rest.split_once("-----END "));
    let lines = body.map_or("", |(body, _)| body).lines().map(str::trim);
    // Headers (`Proc-Type:`, `Version:`) do not belong to the key.
    lines.filter(|line| line.len() >= MIN_ENCODED && !line.contains(':'))
}

/// Pieces of nearly equal length, about `size` bytes, cut between characters, without the white
/// space around them.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let count = text.len().div_ceil(size).max(1);
    let cut = move |n: usize| {
        let mut at = text.len() * n / count;
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    (0..count).map(move |n| text[cut(n)..cut(n + 1)].trim()).filter(|p| p.len() >= MIN_ENCODED)
}
