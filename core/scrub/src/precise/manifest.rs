//! Kubernetes manifests: masks every value below `data` and `stringData` in an object of `kind:
//! Secret`.
//!
//! Values farther away than a view are judged by their names, as anywhere else.
//!
//! Source: Kubernetes documentation, "Secrets".

use std::ops::Range;

use super::super::hit::{Confidence, Hit};
use super::super::view::{Outcome, View};
use super::judge;
use super::link::dummy_password;

/// How far behind the start of `kind` its value may begin: quotes, a colon and blanks.
const MAX_TO_TYPE: usize = 24;

/// Inspects the `kind`.
pub(super) fn inspect(view: &View<'_>) -> Outcome {
    let (text, at) = (view.text, view.at);
    let word =
        text[at..].iter().take(MAX_TO_TYPE).position(|b| matches!(b, b's' | b'S')).unwrap_or(0);
    let end = at + word + b"Secret".len();
    let exact = text[at + word..].starts_with(b"Secret")
        && text.get(end).is_none_or(|&b| b <= b' ' || b == b'"');
    let mut hits = Vec::new();
    if exact {
        let object = object(text, at, end);
        match text[at] {
            b'"' => json(view, object, &mut hits),
            _ => yaml(view, object, &mut hits),
        }
    }
    let resume = hits.iter().map(|hit: &Hit| hit.span.end).fold(end, usize::max);
    let mut hits = hits.into_iter();
    Outcome { hit: hits.next(), more: hits.collect(), resume }
}

/// The object that the `kind` in `text[at..end]` belongs to. It contains no other `kind: Secret`
/// and does not reach into the next object, which starts with its `apiVersion`.
fn object(text: &[u8], at: usize, end: usize) -> Range<usize> {
    let mark = &text[at..end];
    let start = memchr::memmem::rfind(&text[..at], mark).map_or(0, |other| other + mark.len());
    let stop = memchr::memmem::find(&text[end..], mark).map_or(text.len(), |other| end + other);
    let version = b"apiVersion";
    let start = memchr::memmem::rfind(&text[start..at], version).map_or(start, |own| start + own);
    let stop = memchr::memmem::find(&text[end..stop], version).map_or(stop, |next| end + next);
    let first = memchr::memrchr(b'\n', &text[..start]).map_or(0, |line| line + 1);
    let cut = memchr::memmem::find(&text[end..stop], b"\n---");
    first..cut.map_or(stop, |cut| end + cut)
}

/// The lines below `data:` that are indented deeper, each of them `name: value`.
fn yaml(view: &View<'_>, object: Range<usize>, hits: &mut Vec<Hit>) {
    let mut at = object.start;
    let mut map: Option<(usize, bool)> = None;
    while at < object.end {
        let rest = &view.text[at..object.end];
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
        let whole = length < rest.len() || object.end < view.text.len() || view.last;
        let indent = line.iter().take_while(|&&b| b == b' ').count();
        let body = &line[indent..];
        match map {
            _ if body.is_empty() => {}
            Some((outer, encoded)) if indent > outer => {
                let value = entry(body).filter(|_| whole);
                let span = value.map(|value| at + indent + value.start..at + indent + value.end);
                hits.extend(span.and_then(|span| secret(view, span, encoded)));
            }
            _ if body == b"data:" => map = Some((indent, true)),
            _ if body == b"stringData:" => map = Some((indent, false)),
            _ => map = None,
        }
        at += length + 1;
    }
}

/// The value of `name: value`, without quotes.
fn entry(line: &[u8]) -> Option<Range<usize>> {
    let name =
        line.iter().take_while(|b| b.is_ascii_alphanumeric() || b"._-\"'".contains(b)).count();
    if name == 0 || !line[name..].starts_with(b": ") {
        return None;
    }
    let blanks = line[name + 1..].iter().take_while(|&&b| b == b' ').count();
    let start = name + 1 + blanks;
    let quote = line.get(start).copied().filter(|b| matches!(b, b'"' | b'\''));
    let Some(quote) = quote else { return Some(start..line.len()) };
    let length = line[start + 1..].iter().position(|&b| b == quote)?;
    Some(start + 1..start + 1 + length)
}

/// The members of the object below `"data"`.
fn json(view: &View<'_>, object: Range<usize>, hits: &mut Vec<Hit>) {
    let text = &view.text[..object.end];
    let Some(data) = memchr::memmem::find(&text[object.start..], b"\"data\":") else { return };
    let mut at = object.start + data + b"\"data\":".len();
    let skip = |mut at: usize, set: &[u8]| {
        while text.get(at).is_some_and(|b| set.contains(b)) {
            at += 1;
        }
        at
    };
    at = skip(at, b" \t\r\n");
    if text.get(at) != Some(&b'{') {
        return;
    }
    loop {
        at = skip(at + 1, b" \t\r\n");
        let Some(name) = string(text, at) else { return };
        at = skip(name.end + 1, b" \t\r\n:");
        let Some(value) = string(text, at) else { return };
        at = skip(value.end + 1, b" \t\r\n");
        hits.extend(secret(view, value, true));
        if text.get(at) != Some(&b',') {
            return;
        }
    }
}

/// The inside of the string that starts at `at`.
fn string(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text.get(at) != Some(&b'"') {
        return None;
    }
    let rest = &text[at + 1..];
    let length = rest.iter().position(|b| matches!(b, b'"' | b'\\'))?;
    (rest[length] == b'"').then_some(at + 1..at + 1 + length)
}

/// The hit for a value, unless it is a dummy.
fn secret(view: &View<'_>, span: Range<usize>, encoded: bool) -> Option<Hit> {
    let value = &view.text[span.clone()];
    let base64 = value.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b));
    let fits =
        if encoded { base64 && value.len() >= 4 } else { value.len() >= 4 && value[0] != b'|' };
    let stands = judge::is_dummy_value(value) || dummy_password::is_template(value);
    (fits && !stands && span.start >= view.floor)
        .then(|| Hit::known(span, "kubernetes-secret", Confidence::Medium))
}

#[cfg(test)]
mod tests;
