//! Replaces secrets by placeholders.
//!
//! A [`Mask`] says which bytes to replace and what to show. [`Splice`] copies a text and puts the
//! placeholders in; a stream calls [`write()`] directly, as it returns its text piece by piece. A
//! [`Seal`] may keep each secret and may give it a tag.

use super::placeholder::{self, Seal};
use super::region::Mask;

/// How placeholders look.
#[derive(Clone, Copy)]
pub(super) struct Style<'s> {
    /// Show `[REDACTED]` for every secret, without kind and tag.
    pub plain: bool,
    /// Called with each secret that is replaced.
    pub seal: Option<&'s dyn Seal>,
}

/// Builds a copy of a text with masks in it.
pub(super) struct Splice<'t> {
    text: &'t [u8],
    /// How much of the text is copied or masked.
    done: usize,
    out: Vec<u8>,
}

impl<'t> Splice<'t> {
    /// Starts with nothing copied.
    pub(super) fn new(text: &'t [u8]) -> Splice<'t> {
        Splice { text, done: 0, out: Vec::with_capacity(text.len()) }
    }

    /// Adds a mask. Masks come in text order and do not overlap.
    pub(super) fn add(&mut self, mask: &Mask, style: Style<'_>) {
        self.out.extend_from_slice(&self.text[self.done..mask.start]);
        put(mask, self.text, style, &mut self.out);
        self.done = mask.end;
    }

    /// Copies the rest of the text and returns the result.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.text[self.done..]);
        self.out
    }
}

/// Calls the seal with the secret, then appends its placeholder.
pub(super) fn put(mask: &Mask, text: &[u8], style: Style<'_>, out: &mut Vec<u8>) {
    // A number has no seal. Its placeholder stands in quotes, and restoring it would leave the
    // quotes.
    let seal = style.seal.filter(|_| mask.quotes.is_none());
    let secret = &text[mask.start..mask.end];
    let given = seal.and_then(|seal| seal.seal(&mask.kind, mask.tag.as_deref(), secret));
    let given = given.filter(|tag| placeholder::is_tag(tag.as_bytes()));
    write(mask, mask.tag.as_deref().or(given.as_deref()), style.plain, out);
}

/// Appends a placeholder, with quotes around it where a bare JSON number stood.
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
