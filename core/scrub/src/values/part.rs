//! What is looked for of a value: all of it, or the pieces of a long one.
//!
//! A stream sees a bounded stretch, so no form of what is looked for may be longer than that. The
//! pieces of a key block are the lines of its body: they are in it however it is indented, escaped
//! or encoded.

use zeroize::Zeroizing;

use super::boundary::Guard;
use super::weigh::LEAST_ENCODED;

/// The longest value, in bytes. A private key of 16,384 bits has 12,700 in PEM.
pub(super) const LONGEST: usize = 16 * 1_024;
/// The longest part. Its longest form has six times as many bytes (`&#x41;`, `\u0041`).
const LONGEST_PART: usize = 512;
/// Pieces of a long value have about this many bytes: unlikely to be in an unrelated text.
const PIECE: usize = 256;
/// The longest line of a key block (RFC 7468 has 64, PGP 76); a longer one is cut.
const LINE: usize = 76;

/// Something to look for.
pub(super) struct Part {
    text: Zeroizing<Box<str>>,
    pub guard: Guard,
    /// False for what is too short to be looked for in encodings.
    pub encoded: bool,
}

impl Part {
    fn new(text: &str) -> Part {
        Part {
            text: Zeroizing::new(text.into()),
            guard: Guard::of(text.as_bytes()),
            encoded: text.len() >= LEAST_ENCODED,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

pub(super) fn parts(value: &str) -> Box<[Part]> {
    let mut parts = Vec::new();
    for line in key_lines(value) {
        parts.extend(pieces(line, LINE).map(Part::new));
    }
    if value.len() <= LONGEST_PART {
        parts.push(Part::new(value));
    } else if parts.is_empty() {
        parts.extend(pieces(value, PIECE).map(Part::new));
    }
    parts.into()
}

/// The lines of the body of a PEM or PGP block.
fn key_lines(value: &str) -> impl Iterator<Item = &str> {
    let block = value.strip_prefix("-----BEGIN ").and_then(|rest| rest.split_once("-----"));
    let body = block.and_then(|(_, rest)| rest.split_once("-----END "));
    let lines = body.map_or("", |(body, _)| body).lines().map(str::trim);
    // Headers (`Proc-Type:`, `Version:`) are no part of the key.
    lines.filter(|line| line.len() >= LEAST_ENCODED && !line.contains(':'))
}

/// Nearly equal pieces of about `size` bytes, cut between characters, the white space around them
/// left off.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let count = text.len().div_ceil(size).max(1);
    let cut = move |n: usize| {
        let mut at = text.len() * n / count;
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    (0..count).map(move |n| text[cut(n)..cut(n + 1)].trim()).filter(|p| p.len() >= LEAST_ENCODED)
}
