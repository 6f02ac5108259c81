//! Puts placeholders in place of hits.

use super::hit::Hit;
use super::placeholder::{self, Placeholders, Seal};

/// The text with the hits replaced. The hits are in order and do not overlap.
pub(super) fn splice(
    text: &[u8],
    hits: &[Hit],
    placeholders: &Placeholders,
    seal: Option<&dyn Seal>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    for hit in hits {
        out.extend_from_slice(&text[copied..hit.span.start]);
        let secret = &text[hit.span.clone()];
        let mut tag = tag(placeholders, secret);
        let given = seal.and_then(|seal| seal.seal(&hit.kind, tag.as_deref(), secret));
        tag = tag.or(given.filter(|tag| placeholder::is_tag(tag.as_bytes())));
        placeholder::write(&hit.kind, tag.as_deref(), &mut out);
        copied = hit.span.end;
    }
    out.extend_from_slice(&text[copied..]);
    out
}

pub(super) fn tag(placeholders: &Placeholders, secret: &[u8]) -> Option<String> {
    let mut tagger = placeholders.tagger();
    tagger.feed(secret);
    placeholders.tag(tagger)
}
