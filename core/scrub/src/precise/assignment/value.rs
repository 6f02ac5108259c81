//! Values: where a quoted, unquoted or block value starts and ends.
//!
//! An unquoted value may be very long. Only its first bytes are read before it is judged; the end
//! is found afterwards, if it is a secret.

use std::ops::Range;

use super::super::super::hit::Continuation;
use super::super::super::view::View;
use super::super::judge::Form;
use super::site::{Quote, is_quote, quote_at};

/// The most white space that is skipped before what follows.
const MAX_BLANKS: usize = 64;

/// What a value must look like to be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    /// What the class of its name requires.
    ByName,
    /// It must look random, even if the name is strong.
    LooksRandom,
    /// It must be random beyond doubt: it stands in prose.
    SurelyRandom,
}

/// A value that was found for a name.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub span: Range<usize>,
    pub form: Form,
    pub requirement: Requirement,
    pub open: Option<Continuation>,
    /// True if only its beginning was read. The end is found once the value is known to be a
    /// secret.
    pub partial: bool,
}

/// How much of an unquoted value is read before it is judged, in bytes.
const MAX_UNJUDGED: usize = 256;
/// How much of it is read first, in bytes: enough to recognise a chain of assignments.
const FIRST_READ: usize = 64;
/// The most `=` at the beginning of a long secret. Text with more is a chain of assignments, whose
/// names are candidates of their own.
const MAX_EQUALS: usize = 6;

impl Value {
    /// A value that ends inside the view.
    pub(super) fn closed(span: Range<usize>, form: Form) -> Value {
        Value { span, form, requirement: Requirement::ByName, open: None, partial: false }
    }

    /// The same value with another requirement.
    pub(super) fn requiring(self, requirement: Requirement) -> Value {
        Value { requirement, ..self }
    }
}

/// The string that opens at `at`, with the prefix that it may have in code: `r"…"`, `b'…'`, `@"…"`,
/// `"""…"""`, `r#"…"#`.
pub(super) fn quoted(view: &View<'_>, at: usize, form: Form) -> Option<Value> {
    let at = at + prefix_length(&view.text[at..]);
    let (quote, start) = quote_at(view.text, at)?;
    let triple = [quote.byte; 2];
    if quote.slashes == 0 && view.text[start..].starts_with(&triple) {
        return tripled(view, start + 2, quote.byte, form);
    }
    let end = string_end(view.text, start, quote);
    let open = (end == view.text.len() && !view.last).then_some(Continuation::Quote(quote.byte));
    Some(Value { span: start..end, form, requirement: Requirement::ByName, open, partial: false })
}

/// A prefilter: false only if [`quoted`] finds no string here.
pub(super) fn may_open(text: &[u8]) -> bool {
    text.get(prefix_length(text)).is_some_and(|&b| is_quote(b) || b == b'\\')
}

/// The length of the prefix of a string literal.
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

/// The text between triple quotes.
fn tripled(view: &View<'_>, start: usize, byte: u8, form: Form) -> Option<Value> {
    let end = memchr::memmem::find(&view.text[start..], &[byte; 3])?;
    // An empty string followed by another one looks the same.
    let text = &view.text[start..start + end];
    let blank = |b: &&u8| b.is_ascii_whitespace();
    let front = text.iter().take_while(blank).count();
    let back = text[front..].iter().rev().take_while(blank).count();
    Some(Value::closed(start + front..start + end - back, form))
}

/// Where the string that `quote` opened ends: at its closing quote and the backslashes that belong
/// to it, or at the end of the line, of the text, or of an outer string.
fn string_end(text: &[u8], start: usize, quote: Quote) -> usize {
    let mut slashes = 0;
    for (at, &byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'\\' => {
                slashes += 1;
                continue;
            }
            b'\n' | b'\r' => return at - slashes.min(at - start),
            // The quotes of an outer string have fewer backslashes.
            _ if byte == quote.byte && is_outer(slashes, quote.slashes) => return at - slashes,
            _ if byte == quote.byte && closes_string(slashes, quote.slashes) => {
                let doubled = byte == b'\'' && at > start && text.get(at + 1) == Some(&byte);
                if !doubled || text.get(at + 2) == Some(&byte) {
                    return at - quote.slashes;
                }
            }
            b'"' if byte != quote.byte && ends_member(&text[at + 1..]) => return at - slashes,
            // The second of two quotes that stand for one.
            _ => {}
        }
        slashes = 0;
    }
    text.len()
}

/// True if the quote before `rest` seems to end a JSON string.
pub(super) fn ends_member(rest: &[u8]) -> bool {
    let blank = rest.iter().take(MAX_BLANKS).take_while(|b| b.is_ascii_whitespace()).count();
    matches!(rest.get(blank), None | Some(b',' | b'}' | b']' | b':'))
}

/// True if a JSON string seems to end in `text`.
pub(super) fn leaves_string(text: &[u8]) -> bool {
    memchr::memchr_iter(b'"', text).any(|at| ends_member(&text[at + 1..]))
}

/// True if a quote with this many backslashes belongs to a string around the one whose quotes have
/// `own`: it has fewer, or as many as the escaped backslashes of the outer string need.
fn is_outer(slashes: usize, own: usize) -> bool {
    slashes < own || (own + 1).is_power_of_two() && slashes & own != own
}

/// True if a quote with this many backslashes ends a string whose quotes have `own`. At this depth,
/// a backslash in the string is written with `own + 1` of them, and with twice as many before a
/// quote.
fn closes_string(slashes: usize, own: usize) -> bool {
    slashes >= own && (slashes - own).is_multiple_of(2 * (own + 1))
}

/// The same value, but it must look random.
pub(super) fn requiring_random(value: Option<Value>) -> Option<Value> {
    value.map(|value| value.requiring(Requirement::LooksRandom))
}

/// The unquoted value at `start`.
pub(super) fn unquoted(view: &View<'_>, start: usize, form: Form) -> Option<Value> {
    let rest = &view.text[start..];
    let head = rest.get(..FIRST_READ).filter(|head| unquoted_length(head, form) == FIRST_READ);
    if head.is_some_and(is_chain) {
        return None;
    }
    let (length, partial) = match unquoted_length(&rest[..rest.len().min(MAX_UNJUDGED)], form) {
        MAX_UNJUDGED if rest.len() > MAX_UNJUDGED => {
            if is_chain(&rest[..MAX_UNJUDGED]) {
                return None;
            }
            (MAX_UNJUDGED, true)
        }
        length => (length, false),
    };
    let value = Value { partial, ..Value::closed(start..start + length, form) };
    let value = if partial { value } else { with_end(view, value) };
    (!value.span.is_empty()).then_some(value)
}

/// An unquoted value of fewer than `most` bytes behind the sign that `behind` starts with, if the
/// assignment ends there: `=libc:8986` or `: u64,` and a line end.
pub(super) fn short_value(behind: &[u8], most: usize) -> Option<Range<usize>> {
    let (sign, length) = match behind {
        [b'=', rest @ ..] => (1, short_after_equals(rest, most)?),
        [b':', b' ', rest @ ..] => (2, short_line(rest, most)?),
        _ => return None,
    };
    Some(sign..sign + length)
}

fn short_after_equals(rest: &[u8], most: usize) -> Option<usize> {
    let plain = |b: u8| NEVER_ENDS[usize::from(b)] && b != b'=';
    let length = rest.iter().take(most).take_while(|&&b| plain(b)).count();
    // A value that goes on behind a bracket or a comma does not look random.
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

/// True if the value is a macro that takes a string, as in `key: &hex!("00ff")`, with fewer than
/// `least` bytes before the string.
pub(super) fn is_macro(behind: &[u8], least: usize) -> bool {
    let Some(value) = behind.strip_prefix(b": ") else { return false };
    let path = value.strip_prefix(b"&").unwrap_or(value);
    let length = path.iter().take(least).take_while(|b| b.is_ascii_lowercase()).count();
    length > 0 && length + 3 < least && path[length..].starts_with(b"!(\"")
}

/// True for a chain of assignments: `a=b=c=d=…`.
fn is_chain(text: &[u8]) -> bool {
    text.iter().filter(|&&b| b == b'=').count() > MAX_EQUALS
}

/// The same value with its end.
pub(super) fn completed(view: &View<'_>, value: Value) -> Value {
    if !value.partial {
        return value;
    }
    let end = value.span.start + unquoted_length(&view.text[value.span.start..], value.form);
    with_end(view, Value { span: value.span.start..end, partial: false, ..value })
}

/// The same value, open if the text ends with it.
fn with_end(view: &View<'_>, mut value: Value) -> Value {
    let end = value.span.end;
    value.open = (end == view.text.len() && !view.last).then_some(Continuation::Space);
    let ends = view.text.get(end).is_none_or(u8::is_ascii_whitespace);
    while ends && matches!(view.text[value.span.clone()].last(), Some(b':' | b',')) {
        value.span.end -= 1;
    }
    value
}

/// Bytes that never end an unquoted value.
static NEVER_ENDS: [bool; 256] = {
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

/// The length of the unquoted value that `text` starts with.
fn unquoted_length(text: &[u8], form: Form) -> usize {
    let mut depth = 0_u32;
    let query = form == Form::Query;
    for (at, &byte) in text.iter().enumerate() {
        if NEVER_ENDS[usize::from(byte)] {
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
                // No letter follows directly where a call ends.
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

/// True for an HTML entity: `amp;`, `rdquo;`.
fn is_entity(text: &[u8]) -> bool {
    let length = text.iter().take(8).take_while(|b| b.is_ascii_lowercase()).count();
    length > 1 && text.get(length) == Some(&b';')
}

/// True if a `name=` follows: the next pair of a list.
fn starts_pair(text: &[u8]) -> bool {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let length = text.iter().take(48).take_while(|&&b| belongs(b)).count();
    length > 0 && text.get(length) == Some(&b'=') && text.get(length + 1) != Some(&b'=')
}

/// The block of a YAML scalar whose indicator (`|`, `>-`) stands at `at`: its only line, or its
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
            // A line of several words, or the end.
            None if start + length + blanks(text, start + length) < text.len() => return None,
            None => break,
        }
    }
    let span = span?;
    let open = (span.end == text.len() && !view.last).then_some(Continuation::Space);
    Some(Value { span, form: Form::Block, requirement: Requirement::ByName, open, partial: false })
}

/// How many blanks stand at `at`.
pub(super) fn blanks(text: &[u8], at: usize) -> usize {
    text[at..].iter().take_while(|&&b| matches!(b, b' ' | b'\t')).count()
}

/// The start of the next line, if only blanks are left on this one.
pub(super) fn next_line(text: &[u8], at: usize) -> Option<usize> {
    let end = at + blanks(text, at);
    match text.get(end..)? {
        [b'\n', ..] => Some(end + 1),
        [b'\r', b'\n', ..] => Some(end + 2),
        _ => None,
    }
}
