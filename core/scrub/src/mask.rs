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

/// A text in which masks are put in place.
pub(super) struct Splice<'t> {
    text: &'t [u8],
    /// How much of the text was copied or masked.
    done: usize,
    out: Vec<u8>,
}

impl<'t> Splice<'t> {
    pub(super) fn new(text: &'t [u8]) -> Splice<'t> {
        Splice { text, done: 0, out: Vec::with_capacity(text.len()) }
    }

    /// Puts a mask in place. Masks come in the order of the text and do not overlap.
    pub(super) fn add(&mut self, mask: &Mask, style: Style<'_>) {
        self.out.extend_from_slice(&self.text[self.done..mask.start]);
        put(mask, self.text, style, &mut self.out);
        self.done = mask.end;
    }

    /// The text with all masks in place.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.text[self.done..]);
        self.out
    }
}

/// Appends what stands for one secret of a text, once the seal was told of it.
pub(super) fn put(mask: &Mask, text: &[u8], style: Style<'_>, out: &mut Vec<u8>) {
    // Put back, a number would stand in the quotes that its placeholder needs.
    let seal = style.seal.filter(|_| mask.quotes.is_none());
    let secret = &text[mask.start..mask.end];
    let given = seal.and_then(|seal| seal.seal(&mask.kind, mask.tag.as_deref(), secret));
    let given = given.filter(|tag| placeholder::is_tag(tag.as_bytes()));
    write(mask, mask.tag.as_deref().or(given.as_deref()), style.plain, out);
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
