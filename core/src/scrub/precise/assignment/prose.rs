//! Values that a sentence tells: "the password is …".

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name::{Strength, Telling};
use super::site::Site;
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

/// The value that the rest of the sentence tells of a password: `… has been changed, use v`.
pub(super) fn told_later(view: &View<'_>, site: &Site<'_>) -> Option<Value> {
    let rest = &view.text[site.end..view.text.len().min(site.end + SENTENCE)];
    let rest = &rest[..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())];
    let (mut at, mut leads) = (site.end, false);
    for word in rest.split(|b| matches!(b, b' ' | b'\t')) {
        let start = at;
        at += word.len() + 1;
        if leads && let Some(value) = spoken(view, start) {
            let told = &view.text[value.span.clone()];
            if judge::is_memorable(told) || judge::is_password_like(told) {
                return Some(value);
            }
        }
        leads = LEADS.contains(&word);
    }
    None
}

/// True for the names for which a sentence may tell a value later, or before them: words for
/// passwords, whole.
pub(super) fn may_tell_apart(name: &[u8]) -> bool {
    let ends = [&b"ord"[..], b"ort", b"asse", b"lave", b"nha", b"ase", b"ode"];
    ends.iter().any(|end| {
        name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
    })
}

/// The value that stands before the name: `use v as the password`.
pub(super) fn told_before(view: &View<'_>, site: &Site<'_>) -> Option<Value> {
    let before = site.line_before();
    let ends = [&b" as the "[..], b" as ", b" as your ", b" as a "];
    let front = ends.iter().find_map(|end| before.strip_suffix(*end))?;
    let length = front.iter().rev().take(64).take_while(|b| !b.is_ascii_whitespace()).count();
    let start = site.start - before.len() + front.len() - length;
    let value = spoken(view, start)?;
    let told = &view.text[value.span.clone()];
    let likely = judge::is_memorable(told) || judge::is_password_like(told);
    (likely && start >= view.floor).then_some(value)
}

/// The string before a comment that the name ends or goes on in: `x = "v"  # db password`.
pub(super) fn commented(view: &View<'_>, site: &Site<'_>) -> Option<Value> {
    let before = site.line_before();
    let signs = [&b"# "[..], b"// ", b"-- "];
    let comment = signs.iter().filter_map(|sign| memchr::memmem::rfind(before, sign)).max()?;
    let code = before[..comment].trim_ascii_end();
    let code = code.strip_suffix(b",").or(code.strip_suffix(b";")).unwrap_or(code);
    let (quote, inner) = code.split_last().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let open = inner.iter().rposition(|b| b == quote)?;
    let start = site.start - before.len() + open + 1;
    let value = Value::closed(start..start + inner.len() - open - 1, Form::QuotedCode);
    (start >= view.floor).then(|| value.needs(Need::Random))
}

/// How far behind a name a sentence may tell its value, in bytes.
const SENTENCE: usize = 128;

/// Words directly before what a sentence tells.
const LEADS: &[&[u8]] = &[
    b"use",
    b"using",
    b"try",
    b"now",
    b"currently",
    b"maintenant",
    b"heute",
    b"jetzt",
    b"sea",
    b"ahora",
    b"adesso",
    b"agora",
    b"is",
    b"to",
];

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
