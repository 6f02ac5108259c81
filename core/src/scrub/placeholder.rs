//! What stands in a text in place of a secret: `[REDACTED:kind:tag]`.

use super::TagKey;
use super::hit::Hit;

/// Makes placeholders. Holds the key of the tags.
pub(super) struct Placeholders {
    key: TagKey,
}

impl Placeholders {
    pub(super) fn new(key: TagKey) -> Placeholders {
        Placeholders { key }
    }

    /// Appends what stands for `secret`.
    pub(super) fn write(&self, hit: &Hit, secret: &[u8], out: &mut Vec<u8>) {
        let _ = (&self.key, secret);
        out.extend_from_slice(format!("[REDACTED:{}]", hit.kind).as_bytes());
    }
}

/// The length of the placeholder that `text` starts with, whoever wrote it; `None` if it starts
/// with none.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"[REDACTED")?;
    let end = rest.iter().take(64).position(|&b| b == b']')?;
    let fits = |&b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b':' | b'-');
    rest[..end]
        .iter()
        .all(fits)
        .then_some(b"[REDACTED".len() + end + 1)
}
