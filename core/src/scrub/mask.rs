//! Puts placeholders in place of secrets.

use super::placeholder::{self, Seal};
use super::region::Mask;

/// How secrets are replaced.
#[derive(Clone, Copy)]
pub(super) struct Style<'s> {
    /// `[REDACTED]` for all.
    pub plain: bool,
    /// Is told what is replaced.
    pub seal: Option<&'s dyn Seal>,
}

/// The text with the masks in place. They are in order and do not overlap.
pub(super) fn splice(text: &[u8], masks: &[Mask], style: Style<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    for mask in masks {
        out.extend_from_slice(&text[copied..mask.start]);
        // Put back, a number would stand in the quotes that its placeholder needs.
        let seal = style.seal.filter(|_| mask.quotes.is_none());
        let given = seal.and_then(|seal| {
            let secret = &text[mask.start..mask.end];
            seal.seal(&mask.kind, mask.tag.as_deref(), secret)
        });
        let given = given.filter(|tag| placeholder::is_tag(tag.as_bytes()));
        write(mask, mask.tag.as_deref().or(given.as_deref()), style.plain, &mut out);
        copied = mask.end;
    }
    out.extend_from_slice(&text[copied..]);
    out
}

/// Appends what stands for one secret.
pub(super) fn write(mask: &Mask, tag: Option<&str>, plain: bool, out: &mut Vec<u8>) {
    let quote = |out: &mut Vec<u8>| {
        if let Some(escapes) = mask.quotes {
            out.resize(out.len() + escapes, b'\\');
            out.push(b'"');
        }
    };
    quote(out);
    placeholder::write(&mask.kind, tag, plain, out);
    quote(out);
}
