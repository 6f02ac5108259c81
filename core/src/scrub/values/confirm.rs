//! Confirms that a whole form of a value stands around its anchor.

use std::ops::Range;
use std::sync::Weak;

use super::super::hit::{Confidence, Hit, Kind};
use super::super::view::AHEAD;
use super::Registered;
use super::boundary::odd_backslashes;
use super::breaks;
use super::form::{Edges, Form};

/// The longest match. What decides about it, a few bytes around it included, is in the look ahead
/// of a stream.
const LONGEST: usize = AHEAD - 64;

/// How many bytes a form of some length may take, with the line ends and the indents inside.
pub(super) fn longest(length: usize) -> usize {
    (4 * length + 128).min(LONGEST)
}

/// What a stretch belongs to.
#[derive(Clone)]
pub(super) struct Entry {
    pub value: Weak<Registered>,
    /// Where the stretch stands in the form.
    pub at: u16,
    pub part: u16,
    pub form: Form,
}

/// A form of a value in a text.
pub(super) struct Match {
    pub span: Range<usize>,
    /// The plainest form is the least.
    pub rank: Form,
    kind: Kind,
    wrapped: bool,
}

impl Match {
    pub(super) fn into_hit(self) -> Hit {
        let wrapped = self.wrapped.then_some("wrapped");
        Hit {
            span: self.span,
            kind: self.kind,
            confidence: Confidence::High,
            verified: true,
            encoding: self.rank.name().or(wrapped),
            open: None,
        }
    }
}

/// The match that has its anchor at `at`, if there is one. It starts at `from` or behind it.
pub(super) fn confirm(entry: &Entry, text: &[u8], from: usize, at: usize) -> Option<Match> {
    // It may just have been removed.
    let value = entry.value.upgrade()?;
    let part = &value.parts[usize::from(entry.part)];
    let form = entry.form.of(part.text());
    let anchor = usize::from(entry.at);
    let whole = at.checked_sub(anchor).filter(|start| *start >= from);
    let whole = whole.map(|start| start..start + form.len());
    let same = |span: &Range<usize>| {
        text.get(span.clone()).is_some_and(|found| {
            if entry.form.any_case() {
                found.eq_ignore_ascii_case(&form)
            } else {
                found == &form[..]
            }
        })
    };
    let (span, wrapped) = match whole.filter(same) {
        Some(span) => (span, false),
        None if entry.form.wraps() => (unwrapped(&form, anchor, text, from, at)?, true),
        None => return None,
    };
    let guarded =
        entry.form.is_plain() && !part.guard.passes(&text[..span.start], &form, &text[span.end..]);
    if guarded || splits_character(text, &span) {
        return None;
    }
    let span = with_edges(entry.form.edges(part.text()), entry.form, text, from, span);
    let span = with_whole_escapes(text, from, span);
    Some(Match { span, rank: entry.form, kind: value.kind.clone(), wrapped })
}

/// The span of a form with line ends in it.
fn unwrapped(
    form: &[u8],
    anchor: usize,
    text: &[u8],
    from: usize,
    at: usize,
) -> Option<Range<usize>> {
    let most = longest(form.len());
    let mut end = at;
    for &b in &form[anchor..] {
        // At the anchor itself no break can be.
        while text.get(end) != Some(&b) {
            let skipped = breaks::at_start(text.get(end..)?);
            if skipped == 0 || end - at > most {
                return None;
            }
            end += skipped;
        }
        end += 1;
    }
    let mut start = at;
    for &b in form[..anchor].iter().rev() {
        while start == from || text[start - 1] != b {
            let skipped = breaks::at_end(&text[from..start]);
            if skipped == 0 || end - start > most {
                return None;
            }
            start -= skipped;
        }
        start -= 1;
    }
    (end - start <= most).then_some(start..end)
}

/// UTF-16 that is not ASCII may by chance begin or end inside a character of UTF-8.
pub(super) fn splits_character(text: &[u8], span: &Range<usize>) -> bool {
    let goes_on = |at: usize| text.get(at).is_some_and(|b| b & 0xc0 == 0x80);
    goes_on(span.start) || goes_on(span.end)
}

/// With the characters of base64 that hold the first and the last bits of the value, and the
/// padding.
fn with_edges(
    edges: Edges,
    form: Form,
    text: &[u8],
    from: usize,
    mut span: Range<usize>,
) -> Range<usize> {
    let digit = |at: usize| text.get(at).and_then(|b| sextet(*b));
    let (count, bits) = edges.before;
    if count > 0 && span.start > from {
        let shared = digit(span.start - 1).filter(|digit| digit & ((1 << count) - 1) == bits);
        span.start -= usize::from(shared.is_some());
    }
    let (count, bits) = edges.behind;
    if count > 0 && digit(span.end).is_some_and(|digit| digit >> (6 - count) == bits) {
        span.end += 1;
    }
    if form.is_base64() {
        let padding = text[span.end..].iter().take(2).take_while(|b| **b == b'=').count();
        span.end += padding;
    }
    span
}

/// The bits of a digit of either alphabet of base64.
fn sextet(b: u8) -> Option<u8> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// With the whole of an escape inside which the span begins or ends: `\n` where the value begins
/// with `n`, `%41` where it begins with `41`.
fn with_whole_escapes(text: &[u8], from: usize, span: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = span;
    for back in 1..=5 {
        let Some(escape) = start.checked_sub(back).filter(|escape| *escape >= from) else { break };
        let length = escape_length(&text[..escape], &text[escape..]);
        if length > back {
            start = escape;
            break;
        }
    }
    for back in 1..=5.min(end - start) {
        let escape = end - back;
        let length = escape_length(&text[..escape], &text[escape..]);
        if length > back {
            end = escape + length;
            break;
        }
    }
    start..end
}

/// The length of the escape of JSON or of a URL that `text` starts with, or 0.
fn escape_length(before: &[u8], text: &[u8]) -> usize {
    let hex = |range: Range<usize>| {
        text.get(range).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match text {
        [b'\\', ..] if odd_backslashes(before) => 0,
        [b'\\', b'u', ..] if hex(2..6) => 6,
        [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
        [b'%', ..] if hex(1..3) => 3,
        _ => 0,
    }
}
