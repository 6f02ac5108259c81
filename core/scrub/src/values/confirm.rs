//! Confirmation: checks that a whole form of a value stands around its anchor.
//!
//! The anchor says where the form would start. It may stand there as it is, or wrapped, with
//! [breaks] inside. Then the bytes around it are checked: a boundary, shared base64
//! characters, whole escapes.

use std::ops::Range;
use std::sync::Weak;

use super::super::hit::{Confidence, Hit, Kind};
use super::super::view::AHEAD;
use super::Registered;
use super::boundary::odd_backslashes;
use super::breaks;
use super::form::{Edges, Form};

/// The longest match, in bytes. With a few bytes around it, it fits into what a stream looks ahead.
const MAX_MATCH: usize = AHEAD - 64;

/// How many bytes a form of this length may take with breaks inside.
pub(super) fn longest(length: usize) -> usize {
    (16 * length + 512).min(MAX_MATCH)
}

/// What an anchor belongs to.
#[derive(Clone)]
pub(super) struct Entry {
    pub value: Weak<Registered>,
    /// Where the anchor stands in the form.
    pub at: u16,
    pub part: u16,
    pub form: Form,
}

/// A form of a value in a text.
pub(super) struct Match {
    pub span: Range<usize>,
    /// The form; the plainest is the least.
    pub rank: Form,
    kind: Kind,
    wrapped: bool,
}

impl Match {
    /// The match as a hit of a registered value.
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

/// The match with its anchor at `at`. It starts at `from` or behind it.
pub(super) fn confirm(entry: &Entry, text: &[u8], from: usize, at: usize) -> Option<Match> {
    // The value may just have been removed.
    let value = entry.value.upgrade()?;
    let part = &value.parts[usize::from(entry.part)];
    let form = entry.form.of(part.text());
    let anchor = usize::from(entry.at);
    let any_case = entry.form.any_case();
    let whole = at.checked_sub(anchor).filter(|start| *start >= from);
    let whole = whole.map(|start| start..start + form.len());
    let same = |span: &Range<usize>| {
        text.get(span.clone()).is_some_and(|found| {
            if any_case { found.eq_ignore_ascii_case(&form) } else { found == &form[..] }
        })
    };
    let (span, wrapped) = match whole.filter(same) {
        Some(span) => (span, false),
        None if entry.form.wraps() => {
            let wrapped = Wrapped { form: &form, any_case, text, from };
            (wrapped.around(anchor, at)?.0, true)
        }
        None => return None,
    };
    checked_match(entry, &value, &form, text, from, span, wrapped)
}

/// The match with its anchor at `at`, where breaks may stand anywhere, even in the anchor, and in
/// forms that are not commonly wrapped.
pub(super) fn confirm_broken(entry: &Entry, text: &[u8], from: usize, at: usize) -> Option<Match> {
    let value = entry.value.upgrade()?;
    let part = &value.parts[usize::from(entry.part)];
    if at < from || !part.encoded {
        return None;
    }
    let form = entry.form.of(part.text());
    let wrapped = Wrapped { form: &form, any_case: entry.form.any_case(), text, from };
    let (span, lines) = wrapped.around(usize::from(entry.at), at)?;
    // A word or a number may occur by chance where one line ends and the next begins.
    let by_chance = form.len() < MIN_SPLIT && part.boundary.is_common();
    if lines == 1 && by_chance {
        return None;
    }
    checked_match(entry, &value, &form, text, from, span, true)
}

/// A shorter form has no anchor on both sides of a break.
pub(super) const MIN_SPLIT: usize = 14;

/// Checks what stands around a match, and extends it by what belongs to it.
fn checked_match(
    entry: &Entry,
    value: &Registered,
    form: &[u8],
    text: &[u8],
    from: usize,
    span: Range<usize>,
    wrapped: bool,
) -> Option<Match> {
    let part = &value.parts[usize::from(entry.part)];
    let rank = entry.form;
    let guarded =
        rank.is_plain() && !part.boundary.allows(&text[..span.start], form, &text[span.end..]);
    if guarded || splits_character(text, &span) {
        return None;
    }
    let span = with_edges(rank.edges(part.text()), rank, text, from, span);
    let span = with_whole_escapes(text, from, span);
    Some(Match { span, rank, kind: value.kind.clone(), wrapped })
}

/// A form that may have breaks in it, and where it is searched.
struct Wrapped<'t> {
    form: &'t [u8],
    any_case: bool,
    text: &'t [u8],
    from: usize,
}

impl Wrapped<'_> {
    /// The span of the form whose byte `anchor` stands at `at`, and how many line ends it contains.
    fn around(&self, anchor: usize, at: usize) -> Option<(Range<usize>, usize)> {
        let most = longest(self.form.len());
        let (end, behind) = self.end(anchor, at, most)?;
        let (start, before) = self.start(anchor, at, most)?;
        (end - start <= most).then_some((start..end, behind + before))
    }

    /// The end of the form, and the number of lines that it crosses. `at` is where its anchor stands.
    fn end(&self, anchor: usize, at: usize, most: usize) -> Option<(usize, usize)> {
        let (mut end, mut lines) = (at, 0);
        for &b in &self.form[anchor..] {
            loop {
                if self.has_byte(end, b) {
                    end += 1;
                    break;
                }
                let skipped = breaks::at_start(self.text.get(end..)?)?;
                end += skipped.length;
                lines += usize::from(skipped.line);
                if end - at > most {
                    return None;
                }
                // Where words are wrapped, a line end replaces a blank.
                if b == b' ' && skipped.line {
                    break;
                }
            }
        }
        Some((end, lines))
    }

    /// The start of the form, and the number of lines that it crosses.
    fn start(&self, anchor: usize, at: usize, most: usize) -> Option<(usize, usize)> {
        let (mut start, mut lines) = (at, 0);
        for &b in self.form[..anchor].iter().rev() {
            loop {
                if start > self.from && self.has_byte(start - 1, b) {
                    start -= 1;
                    break;
                }
                let skipped = breaks::at_end(self.text.get(self.from..start)?)?;
                start -= skipped.length;
                lines += usize::from(skipped.line);
                if at - start > most {
                    return None;
                }
                if b == b' ' && skipped.line {
                    break;
                }
            }
        }
        Some((start, lines))
    }

    /// True if the text has this byte at `at`; in any case if the form allows it.
    fn has_byte(&self, at: usize, b: u8) -> bool {
        let found = self.text.get(at);
        found.is_some_and(|c| *c == b || self.any_case && c.eq_ignore_ascii_case(&b))
    }
}

/// True if the span begins or ends inside a UTF-8 character. UTF-16 outside ASCII may do so by
/// chance.
pub(super) fn splits_character(text: &[u8], span: &Range<usize>) -> bool {
    let goes_on = |at: usize| text.get(at).is_some_and(|b| b & 0xc0 == 0x80);
    goes_on(span.start) || goes_on(span.end)
}

/// The span with the base64 characters that hold the first and last bits of the value, and with the
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

/// The six bits of a digit in either base64 alphabet.
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

/// The span extended to whole escapes: `\n` if the value begins with `n`, `%41` if it begins with
/// `41`.
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

/// The length of the JSON or URL escape that `text` starts with, or 0.
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
