//! Values that a sentence tells: "the password is …".

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::Telling;
use super::site::Site;
use super::value::{Need, Value, bare, blanks, quoted};
use super::writing::weak;

/// What the sentence says that the name is.
pub(super) fn told(view: &View<'_>, site: &Site<'_>, telling: Telling, at: usize) -> Option<Value> {
    const LONGEST: usize = 3;
    const VERBS: &[&[u8]] = &[b"is", b"was", b"to", b"as", b"ist", b"es", b"est", b"are"];
    let text = view.text;
    let _ = (site, telling);
    let mut at = at;
    if text[at..].starts_with(b"|") {
        return weak(bare(view, at + 1 + blanks(text, at + 1), Form::Line));
    }
    for turn in 0..3 {
        let length = text[at..].iter().take(24).take_while(|&&b| !b.is_ascii_whitespace()).count();
        let word = &text[at..at + length];
        let next = at + length + blanks(text, at + length);
        if word.is_empty() || next == at + length {
            return None;
        }
        let verb = word.strip_suffix(b":").unwrap_or(word);
        if verb.len() <= LONGEST && VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb)) {
            return said(view, next);
        }
        // `the password for staging is …`
        if turn == 0 && !matches!(word, b"for" | b"of" | b"in" | b"on") {
            return None;
        }
        at = next;
    }
    None
}

fn said(view: &View<'_>, at: usize) -> Option<Value> {
    if let Some(value) = quoted(view, at, Form::QuotedCode) {
        return Some(value.needs(Need::Weak));
    }
    let mut value = bare(view, at, Form::Line)?;
    while matches!(view.text[value.span.clone()].last(), Some(b'.' | b',' | b'!' | b'?' | b':')) {
        value.span.end -= 1;
    }
    (!value.span.is_empty()).then(|| value.needs(Need::Random))
}
