//! Where a value starts and ends.

use std::ops::Range;

use super::super::super::hit::Until;
use super::super::super::view::View;
use super::super::judge::Form;
use super::site::{Quote, is_quote, quote_at};

/// What a value must be to be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// What its name tells.
    Told,
    /// Random to the eye, though its name may tell more.
    Weak,
    /// Random beyond doubt: it stands in prose.
    Random,
}

/// A value that was found behind a name.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub span: Range<usize>,
    pub form: Form,
    pub need: Need,
    pub open: Option<Until>,
    /// Only its beginning was read: the end is sought when it is known to be a secret.
    pub begun: bool,
}

/// How much of an unquoted value is read before it is judged, in bytes.
const BEGINNING: usize = 256;
/// So much of it is read first.
const HEAD: usize = 64;
/// The most `=` in the beginning of a long secret. What has more is a chain of assignments, each
/// of which is looked at by itself.
const SIGNS: usize = 6;

impl Value {
    pub(super) fn closed(span: Range<usize>, form: Form) -> Value {
        Value { span, form, need: Need::Told, open: None, begun: false }
    }

    pub(super) fn needs(self, need: Need) -> Value {
        Value { need, ..self }
    }
}

/// The string that opens at `at`, with the letters that may stand before its quote in code: `r"…"`,
/// `b'…'`, `@"…"`, `"""…"""`, `r#"…"#`.
pub(super) fn quoted(view: &View<'_>, at: usize, form: Form) -> Option<Value> {
    let at = at + prefix_length(&view.text[at..]);
    let (quote, start) = quote_at(view.text, at)?;
    let triple = [quote.byte; 2];
    if quote.slashes == 0 && view.text[start..].starts_with(&triple) {
        return tripled(view, start + 2, quote.byte, form);
    }
    let end = closing(view.text, start, quote);
    let open = (end == view.text.len() && !view.last).then_some(Until::Quote(quote.byte));
    Some(Value { span: start..end, form, need: Need::Told, open, begun: false })
}

/// False if [`quoted`] finds no string that opens here, for most texts of which that is true.
pub(super) fn may_open(text: &[u8]) -> bool {
    text.get(prefix_length(text)).is_some_and(|&b| is_quote(b) || b == b'\\')
}

fn prefix_length(text: &[u8]) -> usize {
    let letters =
        text.iter().take(2).take_while(|&&b| b.is_ascii_alphabetic() || b == b'@').count();
    let hashes = text[letters..].iter().take(8).take_while(|&&b| b == b'#').count();
    let known = |b: &u8| {
        matches!(b.to_ascii_lowercase(), b'r' | b'b' | b'u' | b'f' | b'l' | b'c' | b'n' | b'@')
    };
    let length = letters + hashes;
    let opens = matches!(text.get(length), Some(b'"' | b'\''));
    if length > 0 && opens && text[..letters].iter().all(known) { length } else { 0 }
}

fn tripled(view: &View<'_>, start: usize, byte: u8, form: Form) -> Option<Value> {
    let end = memchr::memmem::find(&view.text[start..], &[byte; 3])?;
    // An empty string, followed by another, looks the same.
    let text = &view.text[start..start + end];
    let blank = |b: &&u8| b.is_ascii_whitespace();
    let front = text.iter().take_while(blank).count();
    let back = text[front..].iter().rev().take_while(blank).count();
    Some(Value::closed(start + front..start + end - back, form))
}

/// Where the string that `quote` opened ends: at its closing quote and the backslashes that
/// belong to it, at the end of the line, of the text, or of a string around it.
fn closing(text: &[u8], start: usize, quote: Quote) -> usize {
    let mut slashes = 0;
    for (at, &byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'\\' => {
                slashes += 1;
                continue;
            }
            b'\n' | b'\r' => return at - slashes.min(at - start),
            // An outer string has fewer backslashes before its quotes.
            _ if byte == quote.byte && is_outer(slashes, quote.slashes) => return at - slashes,
            _ if byte == quote.byte && closes(slashes, quote.slashes) => {
                let doubled = byte == b'\'' && at > start && text.get(at + 1) == Some(&byte);
                if !doubled || text.get(at + 2) == Some(&byte) {
                    return at - quote.slashes;
                }
            }
            b'"' if byte != quote.byte && ends_member(&text[at + 1..]) => return at - slashes,
            // The second of two that stand for one.
            _ => {}
        }
        slashes = 0;
    }
    text.len()
}

/// True if the quote before `rest` seems to end a string of JSON.
pub(super) fn ends_member(rest: &[u8]) -> bool {
    let blank = rest.iter().take(64).take_while(|b| b.is_ascii_whitespace()).count();
    matches!(rest.get(blank), None | Some(b',' | b'}' | b']' | b':'))
}

/// True if a string of JSON seems to end in `text`.
pub(super) fn leaves_string(text: &[u8]) -> bool {
    memchr::memchr_iter(b'"', text).any(|at| ends_member(&text[at + 1..]))
}

/// True if a quote behind so many backslashes is one of a string around that whose quotes have
/// `own` of them: fewer, or as many as its escaped backslashes need.
fn is_outer(slashes: usize, own: usize) -> bool {
    slashes < own || (own + 1).is_power_of_two() && slashes & own != own
}

/// True if a quote behind so many backslashes ends a string whose quotes have `own` of them. Each
/// backslash in the string is written with `own + 1` at this depth, and twice that before a quote.
fn closes(slashes: usize, own: usize) -> bool {
    slashes >= own && (slashes - own).is_multiple_of(2 * (own + 1))
}

/// The same value, if it is random to the eye.
pub(super) fn weak(value: Option<Value>) -> Option<Value> {
    value.map(|value| value.needs(Need::Weak))
}

/// The unquoted value at `start`.
pub(super) fn bare(view: &View<'_>, start: usize, form: Form) -> Option<Value> {
    let rest = &view.text[start..];
    let head = rest.get(..HEAD).filter(|head| bare_length(head, form) == HEAD);
    if head.is_some_and(is_chain) {
        return None;
    }
    let (length, begun) = match bare_length(&rest[..rest.len().min(BEGINNING)], form) {
        BEGINNING if rest.len() > BEGINNING => {
            if is_chain(&rest[..BEGINNING]) {
                return None;
            }
            (BEGINNING, true)
        }
        length => (length, false),
    };
    let value = Value { begun, ..Value::closed(start..start + length, form) };
    let value = if begun { value } else { ended(view, value) };
    (!value.span.is_empty()).then_some(value)
}

/// The unquoted value of fewer bytes than `most` that stands behind a sign with which `behind`
/// starts, and then the end of what is assigned: `=libc:8986` and a line end, `: u64,` and one.
pub(super) fn short(behind: &[u8], most: usize) -> Option<Range<usize>> {
    let (sign, length) = match behind {
        [b'=', rest @ ..] => (1, short_behind_equals(rest, most)?),
        [b':', b' ', rest @ ..] => (2, short_line(rest, most)?),
        _ => return None,
    };
    Some(sign..sign + length)
}

fn short_behind_equals(rest: &[u8], most: usize) -> Option<usize> {
    let plain = |b: u8| PLAIN[usize::from(b)] && b != b'=';
    let length = rest.iter().take(most).take_while(|&&b| plain(b)).count();
    // Where a value goes on behind a bracket or a comma, it is none that looks random.
    let ends = matches!(rest.get(length), Some(b'\n' | b'\r' | b';' | b')' | b','));
    (ends && (1..most).contains(&length)).then_some(length)
}

/// The same for the rest of a line: one word.
fn short_line(rest: &[u8], most: usize) -> Option<usize> {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let length = rest.iter().take(most).take_while(|&&b| belongs(b)).count();
    let ends = match rest[length..] {
        [b'\n' | b'\r', ..] => true,
        [b',', next, ..] => matches!(next, b'\r' | b'\n'),
        _ => false,
    };
    (ends && (1..most).contains(&length)).then_some(length)
}

/// True if the value is a macro that takes a string, as in `key: &hex!("00ff")`: code, of which fewer
/// bytes than `least` stand before the string.
pub(super) fn is_macro(behind: &[u8], least: usize) -> bool {
    let Some(value) = behind.strip_prefix(b": ") else { return false };
    let path = value.strip_prefix(b"&").unwrap_or(value);
    let length = path.iter().take(least).take_while(|b| b.is_ascii_lowercase()).count();
    length > 0 && length + 3 < least && path[length..].starts_with(b"!(\"")
}

/// True of `a=b=c=d=…`.
fn is_chain(text: &[u8]) -> bool {
    text.iter().filter(|&&b| b == b'=').count() > SIGNS
}

/// The same value with its end, if only its beginning was read.
pub(super) fn whole(view: &View<'_>, value: Value) -> Value {
    if !value.begun {
        return value;
    }
    let end = value.span.start + bare_length(&view.text[value.span.start..], value.form);
    ended(view, Value { span: value.span.start..end, begun: false, ..value })
}

fn ended(view: &View<'_>, mut value: Value) -> Value {
    let end = value.span.end;
    value.open = (end == view.text.len() && !view.last).then_some(Until::Space);
    let ends = view.text.get(end).is_none_or(u8::is_ascii_whitespace);
    while ends && matches!(view.text[value.span.clone()].last(), Some(b':' | b',')) {
        value.span.end -= 1;
    }
    value
}

/// What ends no unquoted value, whatever follows it.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric()
            || matches!(
                byte as u8,
                b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b':' | b'@' | b'!' | b'*'
            );
        byte += 1;
    }
    plain
};

fn bare_length(text: &[u8], form: Form) -> usize {
    let mut depth = 0_u32;
    let query = form == Form::Query;
    for (at, &byte) in text.iter().enumerate() {
        if PLAIN[usize::from(byte)] {
            continue;
        }
        let next = &text[at + 1..];
        let ends = match byte {
            0..=b' ' | 0x7F | b'"' | b'\'' | b'`' | b';' => true,
            b'\\' => {
                matches!(next.first(), Some(b'n' | b'r' | b't' | b'u' | b'"' | b'\'' | b'\\'))
            }
            b'<' => {
                query || form == Form::Element || next.starts_with(b"/") || next.starts_with(b"br")
            }
            b'(' | b'[' | b'{' => {
                depth += 1;
                false
            }
            b')' | b']' | b'}' => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    false
                }
                // Where a call ends, no letter follows at once.
                None => byte == b'}' || !next.first().is_some_and(u8::is_ascii_alphanumeric),
            },
            b'&' => query || next.starts_with(b"&") || starts_pair(next) || is_entity(next),
            b'#' | b'>' => query,
            b',' => match next.first() {
                None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'') => true,
                _ => starts_pair(next),
            },
            b'%' => query && (next.starts_with(b"26") || next.starts_with(b"20")),
            // Wide commas, full stops and quotes.
            0xE2 => matches!(next, [0x80, 0x98..=0x9F, ..]),
            0xE3 => matches!(next, [0x80, 0x81 | 0x82, ..]),
            0xEF => matches!(next, [0xBC, 0x8C | 0x9B, ..]),
            _ => false,
        };
        if ends {
            return at;
        }
    }
    text.len()
}

/// True of `amp;`, `rdquo;` and the like.
fn is_entity(text: &[u8]) -> bool {
    let length = text.iter().take(8).take_while(|b| b.is_ascii_lowercase()).count();
    length > 1 && text.get(length) == Some(&b';')
}

/// True if a `name=` follows: the next of a list.
fn starts_pair(text: &[u8]) -> bool {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let length = text.iter().take(48).take_while(|&&b| belongs(b)).count();
    length > 0 && text.get(length) == Some(&b'=') && text.get(length + 1) != Some(&b'=')
}

/// The block of a YAML scalar whose indicator (`|`, `>-`) stands at `at`: its one line, or its
/// lines if each is a single word.
pub(super) fn block(view: &View<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let indicator = text[at..]
        .iter()
        .take_while(|&&b| matches!(b, b'|' | b'>' | b'-' | b'+' | b'0'..=b'9'))
        .count();
    let mut line = next_line(text, at + indicator)?;
    let indent = blanks(text, line);
    let mut span: Option<Range<usize>> = None;
    while indent > 0 && blanks(text, line) == indent {
        let start = line + indent;
        let length = text[start..].iter().take_while(|&&b| !b.is_ascii_whitespace()).count();
        span = Some(span.map_or(start, |span| span.start)..start + length);
        if length == 0 {
            return None;
        }
        match next_line(text, start + length) {
            Some(next) => line = next,
            // A line of more than one word, or the end.
            None if start + length + blanks(text, start + length) < text.len() => return None,
            None => break,
        }
    }
    let span = span?;
    let open = (span.end == text.len() && !view.last).then_some(Until::Space);
    Some(Value { span, form: Form::Block, need: Need::Told, open, begun: false })
}

/// How many blanks stand at `at`.
pub(super) fn blanks(text: &[u8], at: usize) -> usize {
    text[at..].iter().take_while(|&&b| matches!(b, b' ' | b'\t')).count()
}

/// Where the next line starts if only blanks are left of this one.
pub(super) fn next_line(text: &[u8], at: usize) -> Option<usize> {
    let end = at + blanks(text, at);
    match text.get(end..)? {
        [b'\n', ..] => Some(end + 1),
        [b'\r', b'\n', ..] => Some(end + 2),
        _ => None,
    }
}
