//! What stands in a text in place of a secret: `[REDACTED:kind:tag]`.
//!
//! The tag lets a reader tell two secrets apart and see that two are the same, and tells nothing
//! else: it is the first 40 bits of HMAC-SHA-256 (RFC 2104) of the secret's bytes under a key that
//! no reader has, in base32 (RFC 4648) with lower-case letters. Whoever can have texts scrubbed
//! could still try guesses against it, so a secret that can be guessed has no tag: see [`Tagger`].
//!
//! Nothing in a placeholder needs an escape in JSON, XML, a shell's double quotes, or the user part
//! of a URL.

use data_encoding::{Encoding, Specification};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::TagKey;
use super::hit::Kind;

/// The fewest bytes that a secret with a tag has.
const TAGGED_LENGTH: u64 = 16;
/// The fewest different bytes that a secret with a tag has.
const TAGGED_VARIETY: u32 = 8;
/// The bytes of the code that make a tag: 40 bits.
const TAG_BYTES: usize = 5;

/// The longest name of a kind, in bytes.
const LONGEST_KIND: usize = 40;
/// The longest tag. Ours have 8 letters; a [`Seal`] may give longer ones.
const LONGEST_TAG: usize = 32;
/// The longest placeholder, in bytes.
pub(super) const LONGEST: usize = HEAD.len() + 1 + LONGEST_KIND + 1 + LONGEST_TAG + 1;

const HEAD: &[u8] = b"[REDACTED";
const ADDRESS: &[u8] = b"[SERVER_IP]";

/// The kind of the addresses of the server itself, which have a placeholder of their own.
pub(super) const SERVER_IP: &str = "server-ip";

/// Keeps the secrets for which placeholders stand, so that they can be put back: a vault.
pub trait Seal {
    /// Told of each secret that is replaced: its exact bytes, and the tag that its placeholder
    /// shows. For a secret without a tag it may answer one, which then stands in the placeholder:
    /// 1 to 32 lower-case letters or digits; anything else is not used. What it answers for a
    /// secret that has a tag is not used either.
    fn seal(&self, kind: &Kind, tag: Option<&str>, secret: &[u8]) -> Option<String>;
}

/// Makes tags and placeholders. Holds the key of the tags.
pub(super) struct Placeholders {
    start: Hmac<Sha256>,
    letters: Encoding,
}

impl Placeholders {
    #[expect(clippy::expect_used, reason = "any key fits, and the alphabet is a constant")]
    pub(super) fn new(key: &TagKey) -> Placeholders {
        let start = Hmac::new_from_slice(&key.0[..]).expect("a key of any length");
        let mut specification = Specification::new();
        specification.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
        Placeholders { start, letters: specification.encoding().expect("32 letters") }
    }

    /// Starts the tag of a secret.
    pub(super) fn tagger(&self) -> Tagger {
        Tagger { code: self.start.clone(), length: 0, seen: [0; 4] }
    }

    /// The tag of the secret that `tagger` was given; `None` if it could be guessed.
    pub(super) fn tag(&self, tagger: Tagger) -> Option<String> {
        let variety: u32 = tagger.seen.iter().map(|bits| bits.count_ones()).sum();
        if tagger.length < TAGGED_LENGTH || variety < TAGGED_VARIETY {
            return None;
        }
        let code = tagger.code.finalize().into_bytes();
        Some(self.letters.encode(&code[..TAG_BYTES]))
    }
}

/// The tag of a secret, in the making: a secret may come in pieces.
///
/// Only a secret of at least 16 bytes, 8 of them different, gets a tag. A password that people
/// choose is mostly below that, a generated key above. The rule looks at nothing but the bytes,
/// so equal secrets have equal tags everywhere.
#[derive(Clone)]
pub(super) struct Tagger {
    code: Hmac<Sha256>,
    length: u64,
    /// One bit for each value of a byte.
    seen: [u64; 4],
}

impl Tagger {
    pub(super) fn feed(&mut self, secret: &[u8]) {
        self.code.update(secret);
        self.length += secret.len() as u64;
        for &byte in secret {
            self.seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }
}

/// Appends the placeholder of a secret; a plain one tells nothing of it.
pub(super) fn write(kind: &Kind, tag: Option<&str>, plain: bool, out: &mut Vec<u8>) {
    if kind.as_str() == SERVER_IP {
        out.extend_from_slice(ADDRESS);
        return;
    }
    out.extend_from_slice(HEAD);
    for part in [Some(kind.as_str()), tag].into_iter().flatten().filter(|_| !plain) {
        out.push(b':');
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b']');
}

/// True if `tag` can stand in a placeholder.
pub(super) fn is_tag(tag: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=LONGEST_TAG).contains(&tag.len()) && tag.iter().all(belongs)
}

fn is_kind(kind: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
    (1..=LONGEST_KIND).contains(&kind.len()) && kind.iter().all(belongs)
}

/// The length of the placeholder that `text` starts with, whoever wrote it; `None` if it starts
/// with none.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    if text.starts_with(ADDRESS) {
        return Some(ADDRESS.len());
    }
    let rest = text.strip_prefix(HEAD)?;
    let end = rest.iter().take(LONGEST - HEAD.len()).position(|&b| b == b']')?;
    let fits = match rest[..end].split_first() {
        None => true,
        Some((b':', parts)) => match parts.iter().position(|&b| b == b':') {
            None => is_kind(parts),
            Some(colon) => is_kind(&parts[..colon]) && is_tag(&parts[colon + 1..]),
        },
        Some(_) => false,
    };
    fits.then_some(HEAD.len() + end + 1)
}

/// The placeholder inside of which `at` is: it starts before `at` and ends behind it.
pub(super) fn across(text: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let floor = at.saturating_sub(LONGEST);
    let start = floor + memchr::memrchr(b'[', &text[floor..at])?;
    let end = start + length(&text[start..])?;
    (end > at).then_some(start..end)
}

/// Where the last placeholder ends that holds `from` or starts between `from` and `to`.
pub(super) fn end_between(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let held = across(text, from).map(|placeholder| placeholder.end);
    last_end(&text[..to.max(from)], from).or(held)
}

/// Where the first placeholder in `text[from..to]` starts; it may end behind that.
pub(super) fn next(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let mut brackets = memchr::memchr_iter(b'[', &text[from..to]).map(|at| from + at);
    brackets.find(|&at| length(&text[at..]).is_some())
}

/// Where the last placeholder in `text` ends that starts at or behind `from`.
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
            assert_eq!(across(text.as_bytes(), 1), Some(0..text.len()));
            assert_eq!(across(text.as_bytes(), text.len()), None);
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
        assert_eq!(long.len(), LONGEST);
        assert_eq!(length(format!("[REDACTED:{}]", "a".repeat(41)).as_bytes()), None);
    }
}
