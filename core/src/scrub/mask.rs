//! Puts placeholders in place of hits.

use super::hit::Hit;
use super::placeholder::Placeholders;

/// The text with the hits replaced. The hits are in order and do not overlap.
pub(super) fn splice(text: &[u8], hits: &[Hit], placeholders: &Placeholders) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    for hit in hits {
        out.extend_from_slice(&text[copied..hit.span.start]);
        placeholders.write(hit, &text[hit.span.clone()], &mut out);
        copied = hit.span.end;
    }
    out.extend_from_slice(&text[copied..]);
    out
}
