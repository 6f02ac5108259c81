//! Values that a sentence tells: "the password is …".

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::{Strength, Telling};
use super::value::{Need, Value, bare, blanks, quoted};
use super::writing::weak;

/// What the sentence says that the name is.
pub(super) fn told(view: &View<'_>, telling: Telling, at: usize) -> Option<Value> {
    const LONGEST: usize = 6;
    const VERBS: &[&[u8]] = &[
        b"is",
        b"was",
        b"to",
        b"as",
        b"ist",
        b"lautet",
        b"es",
        b"est",
        b"are",
        "è".as_bytes(),
        "é".as_bytes(),
        "är".as_bytes(),
        b"er",
        b"->",
        "→".as_bytes(),
        b"-",
        "–".as_bytes(),
        "—".as_bytes(),
    ];
    let text = view.text;
    let mut at = at;
    if text[at..].starts_with(b"|") {
        return weak(bare(view, at + 1 + blanks(text, at + 1), Form::Line));
    }
    for turn in 0..3 {
        let most = if turn == 0 { 24 } else { 64 };
        let length =
            text[at..].iter().take(most).take_while(|&&b| !b.is_ascii_whitespace()).count();
        let word = &text[at..at + length];
        let next = at + length + blanks(text, at + length);
        let strong = telling.strength == Strength::Strong;
        if word.is_empty() || next == at + length {
            // Something long, or the last word of a line.
            return (turn == 0 && strong).then(|| spoken(view, at)).flatten();
        }
        let verb = word.strip_suffix(b":").unwrap_or(word);
        if verb.len() <= LONGEST && VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb)) {
            return said(view, telling, next);
        }
        // `password for bob: …`
        if turn > 0 && word.ends_with(b":") {
            return said(view, telling, next);
        }
        // `the password for staging is …`
        if turn == 0 && !matches!(word, b"for" | b"of" | b"in" | b"on") {
            // `use token …`
            return strong.then(|| spoken(view, at)).flatten();
        }
        at = next;
    }
    None
}

fn said(view: &View<'_>, telling: Telling, at: usize) -> Option<Value> {
    if let Some(value) = quoted(view, at, Form::QuotedCode) {
        let need = if telling.kind == "password" { Need::Random } else { Need::Weak };
        return Some(value.needs(need));
    }
    spoken(view, at)
}

/// A word of a sentence, without the mark that ends it.
fn spoken(view: &View<'_>, at: usize) -> Option<Value> {
    let mut value = bare(view, at, Form::Line)?;
    while matches!(view.text[value.span.clone()].last(), Some(b'.' | b',' | b'!' | b'?' | b':')) {
        value.span.end -= 1;
    }
    (!value.span.is_empty()).then(|| value.needs(Need::Random))
}
