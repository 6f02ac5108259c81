//! Password hashes that stand as values: `crypt(3)`, bcrypt, Argon2, PBKDF2, LDAP.
//!
//! The candidate scan stops at the marker (`$2b$`, `{SSHA}`). The hash must have the parts and the
//! length of its method, and must not be one byte over and over, as in examples.
//!
//! Sources: crypt(5) of libxcrypt, the PHC string format, passlib's modular crypt format, Django's
//! password hashers, RFC 2307.

use super::super::hit::{Confidence, Hit};
use super::super::view::{Outcome, View};

/// The longest hash, in bytes. Argon2 with long parameters stays below it.
const MAX_HASH: usize = 400;

/// The most `$` in a hash: Argon2 has five.
const MAX_DOLLARS: usize = 6;

/// Inspects the first byte of the marker.
pub(super) fn inspect(view: &View<'_>) -> Outcome {
    let (text, at) = (view.text, view.at);
    let rest = &text[at..text.len().min(at + MAX_HASH)];
    let joined = at > 0 && text[at - 1].is_ascii_alphanumeric();
    let length = if joined { None } else { length(rest) };
    match length.filter(|_| at >= view.floor) {
        Some(length) => {
            Outcome::found(Hit::known(at..at + length, "password-hash", Confidence::High))
        }
        None => Outcome::none(at + 1),
    }
}

/// The length of the hash that `text` starts with.
fn length(text: &[u8]) -> Option<usize> {
    if text[0] == b'{' {
        return ldap(text);
    }
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"./$+=,_-".contains(b);
    let mut signs = 0;
    let fits = |b: &&u8| {
        signs += usize::from(**b == b'$');
        belongs(b) && signs <= MAX_DOLLARS
    };
    let whole = text.iter().take_while(fits).count();
    let whole = text[..whole].iter().rposition(|b| !b"._,-".contains(b)).map_or(0, |at| at + 1);
    let text = &text[..whole];
    let mut parts = text.split(|&b| b == b'$').skip(usize::from(text[0] == b'$'));
    let method = parts.next()?;
    let last = text.rsplit(|&b| b == b'$').next()?;
    let count = parts.count();
    let fits = match method {
        // A cost of two digits, then 22 letters of salt and 31 of hash.
        b"2a" | b"2b" | b"2y" => return bcrypt(text),
        b"1" | b"apr1" => count == 2 && last.len() == 22,
        b"5" => count >= 2 && last.len() == 43,
        b"6" => count >= 2 && last.len() == 86,
        b"y" | b"7" => count >= 2 && last.len() >= 40,
        _ => count >= 2 && last.len() >= 20 && last.iter().any(u8::is_ascii_digit),
    };
    let is_uniform = last.iter().all(|b| *b == last[0]);
    (fits && !is_uniform).then_some(whole)
}

/// The length of a bcrypt hash: always 60 bytes.
fn bcrypt(text: &[u8]) -> Option<usize> {
    /// The algorithm and cost in 7 bytes, 22 of salt, and 31 of hash.
    const LENGTH: usize = 60;
    let hash = text.get(7..LENGTH)?;
    let cost = text[4].is_ascii_digit() && text[5].is_ascii_digit() && text[6] == b'$';
    let letters = hash.iter().all(|b| b.is_ascii_alphanumeric() || b"./".contains(b));
    let is_uniform = hash.iter().all(|b| *b == hash[0]);
    let more = text.get(LENGTH).is_some_and(u8::is_ascii_alphanumeric);
    (cost && letters && !is_uniform && !more).then_some(LENGTH)
}

/// `{SSHA}` or `{SSHA512}`, and base64.
fn ldap(text: &[u8]) -> Option<usize> {
    let close = text.iter().take(12).position(|&b| b == b'}')? + 1;
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
    let length = text[close..].iter().take_while(|b| belongs(b)).count();
    (length >= 28).then_some(close + length)
}

#[cfg(test)]
mod tests;
