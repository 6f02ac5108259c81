//! Values that a sentence tells: "the password is …".

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::{Strength, Telling};
use super::value::{Need, Value, bare, blanks, next_line, quoted, weak};

/// What the sentence says that the name is.
pub(super) fn told(view: &View<'_>, telling: Telling, at: usize) -> Option<Value> {
    let text = view.text;
    // What is done in one or more turns: `a two-pass …`.
    if text[..at].trim_ascii_end().ends_with(b"-pass") {
        return None;
    }
    let strong = telling.strength == Strength::Strong;
    match text[at..] {
        [b'|', ..] => return weak(bare(view, at + 1 + blanks(text, at + 1), Form::Line)),
        [b'(', ..] if strong => return enclosed(view, at + 1),
        [b'"' | b'\'' | b'`', ..] if strong => return said(view, telling, at),
        _ => {}
    }
    let mut at = at;
    let mut placed = false;
    for turn in 0..WORDS_BETWEEN {
        let most = if turn == 0 { 24 } else { 64 };
        let length =
            text[at..].iter().take(most).take_while(|&&b| !b.is_ascii_whitespace()).count();
        let word = &text[at..at + length];
        let next = at + length + blanks(text, at + length);
        let verb = word.strip_suffix(b":").unwrap_or(word);
        let is_verb = verb.len() <= LONGEST_VERB
            && VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb));
        if word.is_empty() || next == at + length {
            // The last word of a line, or something long.
            let below = if is_verb { alone_below(view, at + length) } else { None };
            return below.or_else(|| (turn == 0 && strong).then(|| spoken(view, at)).flatten());
        }
        let done = |word: &[u8]| DONE.contains(&word);
        let behind = text[next..].split(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
        if is_verb && !done(behind) {
            return said(view, telling, next);
        }
        // `password for bob: …`
        if placed && word.ends_with(b":") {
            return said(view, telling, next);
        }
        // `the password for staging is …`, `the password was set to …`
        let place = PLACES.contains(&word);
        if !placed && !is_verb && !done(word) && !place {
            // `use token …`
            return (turn == 0 && strong).then(|| spoken(view, at)).flatten();
        }
        placed |= place;
        at = next;
    }
    None
}

/// True if a sentence that goes on with this word of small letters tells no value.
pub(super) fn is_beside(word: &[u8]) -> bool {
    let leads = |list: &[&[u8]]| list.contains(&word);
    word.len() > LONGEST_LEAD || !(leads(VERBS) || leads(PLACES) || leads(DONE))
}

/// What says that a name is what follows.
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

/// The length of the longest of `VERBS`, in bytes.
const LONGEST_VERB: usize = 6;

/// What leads to the place that a password is for.
const PLACES: &[&[u8]] = &[
    b"for",
    b"of",
    b"in",
    b"on",
    b"del",
    b"della",
    b"di",
    b"de",
    b"du",
    b"do",
    b"da",
    "für".as_bytes(),
    b"von",
    b"van",
    b"voor",
];

/// How many words may stand between a name and what is said of it.
const WORDS_BETWEEN: usize = 7;

/// What may have been done to a password before it is told.
const DONE: &[&[u8]] =
    &[b"set", b"reset", b"changed", b"updated", b"generated", b"created", b"assigned"];

/// The length of the longest word behind which a value may be told.
const LONGEST_LEAD: usize = 9;

/// What stands in parentheses behind a name.
fn enclosed(view: &View<'_>, at: usize) -> Option<Value> {
    const LONGEST: usize = 64;
    let rest = &view.text[at..view.text.len().min(at + LONGEST)];
    let length = rest.iter().position(|b| b.is_ascii_whitespace() || b"()".contains(b))?;
    let closed = rest[length] == b')' && length > 0;
    closed.then(|| Value::closed(at..at + length, Form::Line).needs(Need::Random))
}

/// The only word of the next line that is not empty.
fn alone_below(view: &View<'_>, at: usize) -> Option<Value> {
    let mut line = next_line(view.text, at)?;
    line = next_line(view.text, line).unwrap_or(line);
    let value = spoken(view, line + blanks(view.text, line))?;
    let end = value.span.end;
    let alone = next_line(view.text, end).is_some()
        || view.last && end + blanks(view.text, end) == view.text.len();
    alone.then_some(value)
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
