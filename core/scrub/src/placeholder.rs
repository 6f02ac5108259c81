//! Placeholders: `[REDACTED:kind:tag]` in place of a secret.
//!
//! The tag lets a reader see whether two secrets are the same, and reveals nothing else. It is the
//! first 40 bits of HMAC-SHA-256 (RFC 2104) of the secret's bytes, under a key that no reader has,
//! in base32 (RFC 4648) with lower-case letters. An attacker who can have texts scrubbed could
//! still test guesses against it. So a secret that can be guessed has no tag: see [`Tagger`].
//!
//! No byte of a placeholder needs an escape in JSON, XML, double quotes of a shell, or the user
//! part of a URL.

use data_encoding::{Encoding, Specification};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::TagKey;
use super::hit::Kind;

/// A secret with fewer bytes gets no tag: it could be guessed.
const MIN_TAGGED_LENGTH: u64 = 16;
/// A secret with fewer different bytes gets no tag: it could be guessed.
const MIN_TAGGED_DISTINCT: u32 = 8;
/// How many bytes of the authentication code a tag shows: 40 bits, which is eight letters.
const TAG_BYTES: usize = 5;

/// The longest name of a kind, in bytes.
const MAX_KIND: usize = 40;
/// The longest tag, in bytes. Tags of this crate have 8 letters; a [`Seal`] may give longer ones.
const MAX_TAG: usize = 32;
/// The longest placeholder, in bytes.
pub(super) const MAX_LENGTH: usize = PREFIX.len() + 1 + MAX_KIND + 1 + MAX_TAG + 1;

/// How every placeholder but one begins.
const PREFIX: &[u8] = b"[REDACTED";
/// The placeholder of an address of the server itself.
const SERVER_ADDRESS: &[u8] = b"[SERVER_IP]";

/// The kind of an address of the server itself. It has a placeholder of its own.
pub(super) const SERVER_IP: &str = "server-ip";

/// Keeps secrets so that their placeholders can be resolved again, for example in a vault.
pub trait Seal {
    /// Receives each secret that is replaced: its exact bytes, and the tag that its placeholder
    /// shows. For a secret without a tag it may return one, which the placeholder then shows: 1 to
    /// 32 lower-case letters or digits. Any other text is ignored, and so is a tag for a secret
    /// that has one.
    fn seal(&self, kind: &Kind, tag: Option<&str>, secret: &[u8]) -> Option<String>;
}

/// Computes tags. Holds their key.
pub(super) struct Placeholders {
    start: Hmac<Sha256>,
    letters: Encoding,
}

impl Placeholders {
    #[expect(clippy::expect_used, reason = "any key fits, and the alphabet is a constant")]
    /// Placeholders with tags made from `key`.
    pub(super) fn new(key: &TagKey) -> Placeholders {
        let start = Hmac::new_from_slice(&key.0[..]).expect("a key of any length");
        let mut specification = Specification::new();
        specification.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
        Placeholders { start, letters: specification.encoding().expect("32 letters") }
    }

    /// Starts the computation of a tag.
    pub(super) fn tagger(&self) -> Tagger {
        Tagger { code: self.start.clone(), length: 0, seen: [0; 4] }
    }

    /// The tag of the secret that was fed to `tagger`; `None` if the secret could be guessed.
    pub(super) fn tag(&self, tagger: Tagger) -> Option<String> {
        let distinct: u32 = tagger.seen.iter().map(|bits| bits.count_ones()).sum();
        if tagger.length < MIN_TAGGED_LENGTH || distinct < MIN_TAGGED_DISTINCT {
            return None;
        }
        let code = tagger.code.finalize().into_bytes();
        Some(self.letters.encode(&code[..TAG_BYTES]))
    }
}

/// Computes the tag of a secret that may arrive in pieces.
///
/// Only a secret of at least 16 bytes, 8 of them different, gets a tag. Passwords that people
/// choose are mostly below that, generated keys above. The rule reads nothing but the bytes, so
/// equal secrets have equal tags everywhere.
#[derive(Clone)]
pub(super) struct Tagger {
    code: Hmac<Sha256>,
    length: u64,
    /// One bit for each byte value that occurred.
    seen: [u64; 4],
}

impl Tagger {
    /// Adds the next piece of the secret.
    pub(super) fn feed(&mut self, secret: &[u8]) {
        self.code.update(secret);
        self.length += secret.len() as u64;
        for &byte in secret {
            self.seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }
}

/// Appends the placeholder of a secret. A plain one shows neither kind nor tag.
pub(super) fn write(kind: &Kind, tag: Option<&str>, plain: bool, out: &mut Vec<u8>) {
    if kind.as_str() == SERVER_IP {
        out.extend_from_slice(SERVER_ADDRESS);
        return;
    }
    out.extend_from_slice(PREFIX);
    for part in [Some(kind.as_str()), tag].into_iter().flatten().filter(|_| !plain) {
        out.push(b':');
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b']');
}

/// True if `tag` may stand in a placeholder.
pub(super) fn is_tag(tag: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=MAX_TAG).contains(&tag.len()) && tag.iter().all(belongs)
}

/// True if `kind` may stand in a placeholder.
fn is_kind(kind: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
    (1..=MAX_KIND).contains(&kind.len()) && kind.iter().all(belongs)
}

/// The length of the placeholder that `text` starts with, whoever wrote it; `None` if it starts
/// with none.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    if text.starts_with(SERVER_ADDRESS) {
        return Some(SERVER_ADDRESS.len());
    }
    let rest = text.strip_prefix(PREFIX)?;
    let end = rest.iter().take(MAX_LENGTH - PREFIX.len()).position(|&b| b == b']')?;
    let fits = match rest[..end].split_first() {
        None => true,
        Some((b':', parts)) => match parts.iter().position(|&b| b == b':') {
            None => is_kind(parts),
            Some(colon) => is_kind(&parts[..colon]) && is_tag(&parts[colon + 1..]),
        },
        Some(_) => false,
    };
    fits.then_some(PREFIX.len() + end + 1)
}

/// The placeholder that `at` is inside of: it starts before `at` and ends behind it.
pub(super) fn containing(text: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let floor = at.saturating_sub(MAX_LENGTH);
    let start = floor + memchr::memrchr(b'[', &text[floor..at])?;
    let end = start + length(&text[start..])?;
    (end > at).then_some(start..end)
}

/// The end of the last placeholder that contains `from` or starts between `from` and `to`.
pub(super) fn end_between(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let held = containing(text, from).map(|placeholder| placeholder.end);
    last_end(&text[..to.max(from)], from).or(held)
}

/// The start of the first placeholder that starts in `text[from..to]`. It may end behind that.
pub(super) fn next_start(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let mut brackets = memchr::memchr_iter(b'[', &text[from..to]).map(|at| from + at);
    brackets.find(|&at| length(&text[at..]).is_some())
}

/// The end of the last placeholder in `text` that starts at or behind `from`.
pub(super) fn last_end(text: &[u8], from: usize) -> Option<usize> {
    let mut brackets = memchr::memrchr_iter(b'[', &text[from..]).map(|at| from + at);
    brackets.find_map(|at| length(&text[at..]).map(|length| at + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(secret: &[u8]) -> Option<String> {
        let placeholders = Placeholders::new(&TagKey::new([7; 32]));
        let mut tagger = placeholders.tagger();
        tagger.feed(secret);
        placeholders.tag(tagger)
    }

    #[test]
    fn a_tag_is_eight_letters_of_the_keyed_code() {
        // As Python's `hmac` and `base64` say.
        assert_eq!(tag(b"abcdefghijklmnop").as_deref(), Some("oqxnufca"));
    }

    #[test]
    fn what_can_be_guessed_has_no_tag() {
        assert_eq!(tag(b"hunter2hunter2"), None);
        assert_eq!(tag(b"abcdefghijklmno"), None);
        assert_eq!(tag(&b"abcdefg".repeat(5)), None);
        assert!(tag(b"abcdefghabcdefgh").is_some());
    }

    #[test]
    fn a_secret_in_pieces_has_the_tag_of_the_whole() {
        let placeholders = Placeholders::new(&TagKey::new([7; 32]));
        let mut tagger = placeholders.tagger();
        for piece in b"abcdefghijklmnop".chunks(3) {
            tagger.feed(piece);
        }
        assert_eq!(placeholders.tag(tagger), tag(b"abcdefghijklmnop"));
    }

    #[test]
    fn placeholders_are_known_and_what_is_like_them_is_not() {
        for text in [
            "[REDACTED]",
            "[SERVER_IP]",
            "[REDACTED:api-key]",
            "[REDACTED:api-key:abcd2345]",
            "[REDACTED:a:1]",
        ] {
            assert_eq!(length(text.as_bytes()), Some(text.len()), "{text}");
            assert_eq!(length(format!("{text}]x").as_bytes()), Some(text.len()), "{text}");
            assert_eq!(containing(text.as_bytes(), 1), Some(0..text.len()));
            assert_eq!(containing(text.as_bytes(), text.len()), None);
        }
        for text in [
            "[REDACTED",
            "[REDACTED:]",
            "[REDACTED::a]",
            "[REDACTED:a:]",
            "[REDACTED:a:b:c]",
            "[REDACTED:A]",
            "[REDACTED:a b]",
            "[REDACTED: a]",
            "[REDACTEDx]",
            "[redacted]",
            "REDACTED]",
        ] {
            assert_eq!(length(text.as_bytes()), None, "{text}");
        }
        let long = format!("[REDACTED:{}:{}]", "a".repeat(40), "b".repeat(32));
        assert_eq!(length(long.as_bytes()), Some(long.len()));
        assert_eq!(long.len(), MAX_LENGTH);
        assert_eq!(length(format!("[REDACTED:{}]", "a".repeat(41)).as_bytes()), None);
    }
}
