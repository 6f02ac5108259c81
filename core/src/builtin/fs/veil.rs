//! Changing a file as the model sees it, so that no change finds out what is masked.
//!
//! A file is shown with its secrets masked. Were an edit matched against the file itself, whether it
//! fits would tell how a secret begins, one letter per call. So edits and hunks are applied to a
//! *veiled* text: the file with a token in place of each secret. A token has a random part, so no
//! text of a model matches one, whole or in part. A placeholder that the vault opens stands for the
//! token of its secret: that is the one way to name a secret in a change. At the end each token
//! becomes its secret again, byte for byte. Whether a change fits, where, how often and with which
//! error depends on the veiled text alone.
//!
//! A change must not uncover a secret, either: without the name in front of it, or with a letter
//! more, a secret may look like any other text to the next who reads the file. So each secret that
//! stays in a file must still be masked in the changed file; otherwise the change is refused.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use crate::scrub::{Scrubber, Seal};
use crate::tool::ToolError;
use crate::vault::Sealing;

/// What a token begins with, before its random part.
const OPENS: char = '\u{10fffe}';
/// What a token ends with.
const CLOSES: char = '\u{10ffff}';

/// The secrets of one file while it is changed.
pub(super) struct Veil {
    /// What all tokens begin with.
    head: String,
    secrets: Vec<Secret>,
    by_value: HashMap<Vec<u8>, usize>,
}

/// A secret that tokens stand for.
struct Secret {
    value: Vec<u8>,
    /// What the model sees in its place.
    placeholder: String,
    /// True if it is masked from now on wherever it stands.
    is_guarded: bool,
}

/// A text with its secrets in their places, and where they are.
pub(super) struct Unveiled {
    pub content: Vec<u8>,
    /// Where secrets are that only their surroundings tell.
    unguarded: Vec<Range<usize>>,
}

impl Veil {
    /// Puts tokens in place of the secrets of a text. `seal` is told of each.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    pub(super) fn over<'c>(
        content: &'c [u8],
        scrubber: &Scrubber,
        seal: Option<&Sealing<'_>>,
    ) -> Result<(Veil, Cow<'c, [u8]>), ToolError> {
        let random = getrandom::u64();
        let random = random.map_err(|error| {
            ToolError::failed(format!(
                "Nothing was changed: no random number could be had: {error}"
            ))
        })?;
        let head = format!("{OPENS}{random:016x}:");
        let mut veil = Veil { head, secrets: Vec::new(), by_value: HashMap::new() };
        let seal = seal.map(|seal| seal as &dyn Seal);
        let masks = masks(content, scrubber, seal);
        if masks.is_empty() {
            return Ok((veil, Cow::Borrowed(content)));
        }
        let (mut veiled, mut copied) = (Vec::with_capacity(content.len()), 0);
        for (span, placeholder) in masks {
            veiled.extend_from_slice(&content[copied..span.start]);
            let token = veil.token(&content[span.clone()], &placeholder, false);
            veiled.extend_from_slice(token.as_bytes());
            copied = span.end;
        }
        veiled.extend_from_slice(&content[copied..]);
        Ok((veil, Cow::Owned(veiled)))
    }

    /// The token of a secret. The same secret has the same token.
    pub(super) fn token(&mut self, value: &[u8], placeholder: &str, is_guarded: bool) -> String {
        let at = match self.by_value.get(value) {
            Some(at) => *at,
            None => {
                let (value, placeholder) = (value.to_owned(), placeholder.to_owned());
                self.by_value.insert(value.clone(), self.secrets.len());
                self.secrets.push(Secret { value, placeholder, is_guarded: false });
                self.secrets.len() - 1
            }
        };
        self.secrets[at].is_guarded |= is_guarded;
        format!("{}{at}{CLOSES}", self.head)
    }

    /// The same text with tokens also where a secret stands in the clear that was opened for the file
    /// and cannot be guessed.
    pub(super) fn covered<'t>(&self, veiled: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        let opened = self.secrets.iter().enumerate().filter(|(_, secret)| secret.is_guarded);
        opened.fold(veiled, |veiled, (at, secret)| {
            let mut places = memmem::find_iter(&veiled, &secret.value).peekable();
            if secret.value.is_empty() || places.peek().is_none() {
                drop(places);
                return veiled;
            }
            let token = format!("{}{at}{CLOSES}", self.head);
            let (mut covered, mut copied) = (Vec::with_capacity(veiled.len()), 0);
            for start in places {
                covered.extend_from_slice(&veiled[copied..start]);
                covered.extend_from_slice(token.as_bytes());
                copied = start + secret.value.len();
            }
            covered.extend_from_slice(&veiled[copied..]);
            Cow::Owned(covered)
        })
    }

    /// The tokens of a veiled text: where each is, and its secret.
    fn tokens<'t>(&'t self, veiled: &'t [u8]) -> impl Iterator<Item = (Range<usize>, &'t Secret)> {
        let head = self.head.as_bytes();
        memmem::find_iter(veiled, head).filter_map(move |start| {
            let rest = &veiled[start + head.len()..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(&rest[..digits]).ok()?;
            let secret = self.secrets.get(number.parse::<usize>().ok()?)?;
            let end = start + head.len() + digits + CLOSES.len_utf8();
            Some((start..end, secret))
        })
    }

    /// A veiled text as it may be shown.
    pub(super) fn shown(&self, veiled: &[u8]) -> Vec<u8> {
        let (mut shown, mut copied) = (Vec::with_capacity(veiled.len()), 0);
        for (span, secret) in self.tokens(veiled) {
            shown.extend_from_slice(&veiled[copied..span.start]);
            shown.extend_from_slice(secret.placeholder.as_bytes());
            copied = span.end;
        }
        shown.extend_from_slice(&veiled[copied..]);
        shown
    }

    /// A veiled text with every secret back in its place.
    pub(super) fn lifted(&self, veiled: &[u8]) -> Unveiled {
        let (mut content, mut unguarded) = (Vec::with_capacity(veiled.len()), Vec::new());
        let mut copied = 0;
        for (span, secret) in self.tokens(veiled) {
            content.extend_from_slice(&veiled[copied..span.start]);
            let start = content.len();
            content.extend_from_slice(&secret.value);
            copied = span.end;
            if !secret.is_guarded {
                unguarded.push(start..content.len());
            }
        }
        content.extend_from_slice(&veiled[copied..]);
        Unveiled { content, unguarded }
    }
}

impl Unveiled {
    /// A text in which the secrets of `before`, its beginning, are to stay masked.
    pub(super) fn begun_with(before: &[u8], content: Vec<u8>, scrubber: &Scrubber) -> Unveiled {
        let unguarded = masks(before, scrubber, None).into_iter().map(|(span, _)| span).collect();
        Unveiled { content, unguarded }
    }

    /// True if a secret in it would be shown to whoever reads it.
    pub(super) fn uncovers(&self, scrubber: &Scrubber) -> bool {
        if self.unguarded.is_empty() {
            return false;
        }
        let mut covered: Vec<Range<usize>> = Vec::new();
        for (span, _) in masks(&self.content, scrubber, None) {
            match covered.last_mut() {
                Some(last) if last.end == span.start => last.end = span.end,
                _ => covered.push(span),
            }
        }
        self.unguarded.iter().any(|secret| {
            let at = covered.partition_point(|span| span.end < secret.end);
            let holds = |span: &Range<usize>| span.start <= secret.start;
            !secret.is_empty() && !covered.get(at).is_some_and(holds)
        })
    }
}

/// What is masked in a content as a reader sees it, where bytes that are no UTF-8 are marks. The
/// places are those of the content.
fn masks(
    content: &[u8],
    scrubber: &Scrubber,
    seal: Option<&dyn Seal>,
) -> Vec<(Range<usize>, String)> {
    if let Ok(text) = std::str::from_utf8(content) {
        return scrubber.masks(text, seal);
    }
    let (mut text, mut at) = (String::with_capacity(content.len()), 0);
    // Where each piece of text begins in what is read, and in the content.
    let mut pieces = Vec::new();
    for chunk in content.utf8_chunks() {
        pieces.push((text.len(), at));
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            pieces.push((text.len(), at));
            text.push(char::REPLACEMENT_CHARACTER);
            at += chunk.invalid().len();
        }
    }
    pieces.push((text.len(), at));
    let place = |read: usize| {
        let next = pieces.partition_point(|(start, _)| *start <= read);
        let (start, at) = pieces[next.saturating_sub(1)];
        let end = pieces.get(next).map_or(content.len(), |(_, end)| *end);
        (at + (read - start)).min(end)
    };
    let masks = scrubber.masks(&text, seal).into_iter();
    masks.map(|(span, placeholder)| (place(span.start)..place(span.end), placeholder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "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";

    fn scrubber() -> Scrubber {
        use crate::scrub::{Profile, TagKey};
        Scrubber::new(Profile::Precise, TagKey::new([7; 32]))
    }

    #[test]
    fn a_veiled_text_has_no_secret_and_gets_each_back_byte_for_byte() {
        let text = format!("a = {TOKEN}\r\nb = 1\nc = {TOKEN}");
        for content in
            [text.as_bytes().to_vec(), [b"\xff\xfe ", text.as_bytes(), b" \xff"].concat()]
        {
            let (veil, veiled) = Veil::over(&content, &scrubber(), None).unwrap();
            assert!(memmem::find(&veiled, b"ghp").is_none());
            assert_eq!(veil.secrets.len(), 1);
            assert_eq!(veil.lifted(&veiled).content, content);
            let shown = veil.shown(&veiled);
            assert_eq!(
                String::from_utf8_lossy(&shown),
                scrubber().scrub(&String::from_utf8_lossy(&content))
            );
        }
    }

    #[test]
    fn a_secret_that_would_be_shown_is_noticed() {
        let scrubber = scrubber();
        for (before, behind, uncovers) in
            [("k = ", "\n", false), ("k = Q", "", true), ("", "", false), ("\nQ", "\n", true)]
        {
            let content = format!("{before}{TOKEN}{behind}").into_bytes();
            let secret = before.len()..before.len() + TOKEN.len();
            let text = Unveiled { content, unguarded: [secret].into() };
            assert_eq!(text.uncovers(&scrubber), uncovers, "{before}");
        }
    }

    #[test]
    fn a_secret_that_was_opened_has_its_token_where_it_stands_in_the_clear_too() {
        let (mut veil, veiled) = Veil::over(b"a", &scrubber(), None).unwrap();
        let token = veil.token(b"in-the-clear-4711", "[REDACTED:x:y]", true);
        assert_eq!(&*veil.covered(veiled), b"a");
        let covered = veil.covered(Cow::Borrowed(b"<in-the-clear-4711>"));
        assert_eq!(covered, format!("<{token}>").as_bytes());
    }
}
