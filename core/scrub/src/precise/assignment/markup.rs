//! XML and HTML: values of elements, of attributes, and of pairs of elements.

use std::ops::Range;

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::site::Site;
use super::value::{Value, blanks, leaves_string, next_line, quoted};

/// The longest name of a tag or attribute behind the name, in bytes.
const MAX_TAG_NAME: usize = 32;

/// How far the end of a tag may be from the name in it, in bytes.
const MAX_TAG: usize = 256;

/// The content of an element: `<password>v</password>`.
pub(super) fn element(view: &View<'_>, site: &Site<'_>) -> Option<Value> {
    let text = view.text;
    let tag = &text[site.end..text.len().min(site.end + MAX_TAG)];
    if !matches!(tag.first(), Some(b'>' | b' ')) {
        return None;
    }
    let close = tag.iter().position(|&b| matches!(b, b'>' | b'<' | b'\n'))?;
    if tag[close] != b'>' || tag[..close].ends_with(b"/") {
        return None;
    }
    content(view, site.end + close + 1)
}

/// The text between `start` and the next closing tag.
fn content(view: &View<'_>, start: usize) -> Option<Value> {
    const CDATA: &[u8] = b"<![CDATA[";
    let text = view.text;
    let start = next_line(text, start).unwrap_or(start);
    let start = start + blanks(text, start);
    // Windows answer files: `<Password><Value>v</Value>`.
    let value = b"<Value>";
    let start = if text[start..].starts_with(value) { start + value.len() } else { start };
    if text[start..].starts_with(CDATA) {
        let start = start + CDATA.len();
        let end = memchr::memmem::find(&text[start..], b"]]>")?;
        return inside(view, start..start + end);
    }
    let end = start + memchr::memchr3(b'<', b'\n', b'\r', &text[start..])?;
    let closing = match next_line(text, end) {
        Some(line) => line + blanks(text, line),
        None => end,
    };
    let length = text[start..end].trim_ascii_end().len();
    text[closing..].starts_with(b"</").then(|| inside(view, start..start + length)).flatten()
}

/// The content of an element, unless it reaches from one JSON string into another.
fn inside(view: &View<'_>, span: Range<usize>) -> Option<Value> {
    let whole = !leaves_string(&view.text[span.clone()]);
    whole.then(|| Value::closed(span, Form::Element))
}

/// `name="password" value="v"` inside a tag, from behind the quoted name.
pub(super) fn attribute(view: &View<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let mut at = at;
    for _ in 0..6 {
        if text.get(at) == Some(&b'>') {
            return named(view, at + 1);
        }
        let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':');
        let length = text[at..].iter().take(MAX_TAG_NAME).take_while(|&&b| belongs(b)).count();
        let name = &text[at..at + length];
        if name.is_empty() || text.get(at + length) != Some(&b'=') {
            return None;
        }
        let value = quoted(view, at + length + 1, Form::QuotedData)?;
        let own = name.rsplit(|&b| b == b':').next().unwrap_or(name);
        if [&b"value"[..], b"content", b"defaultvalue"].iter().any(|w| w.eq_ignore_ascii_case(own))
        {
            return Some(value);
        }
        if value.span.len() > MAX_TAG {
            return None;
        }
        at = value.span.end + 1;
        at += blanks(text, at.min(text.len()));
        if at >= text.len() {
            return None;
        }
    }
    None
}

/// `<string name="password">v</string>` and `<setting name="password"><value>v</value>`, from
/// behind the tag.
fn named(view: &View<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let at = next_line(text, at).unwrap_or(at);
    let at = at + blanks(text, at);
    let value = b"<value>";
    content(view, at + if text[at..].starts_with(value) { value.len() } else { 0 })
}

/// `<name>password</name> <value>v</value>`, from behind the name.
pub(super) fn sibling(view: &View<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let close = text[at..].iter().take(MAX_TAG_NAME).position(|&b| b == b'>')?;
    let mut at = at + close + 1;
    at = next_line(text, at).unwrap_or(at);
    at += blanks(text, at);
    let opens = |tags: &[&[u8]]| {
        tags.iter().find(|tag| text[at..].starts_with(tag)).map(|tag| at + tag.len())
    };
    if let Some(start) = opens(&[b"<value>", b"<string>", b"<data>", b"<val>"]) {
        return content(view, start);
    }
    // On a page: a label, and the value next to it.
    let start = opens(&[b"<span>", b"<dd>", b"<td>", b"<code>", b"<strong>", b"<b>", b"<p>"])?;
    let value = content(view, start)?;
    let shown = &text[value.span.clone()];
    (judge::is_memorable(shown) || judge::is_opaque(shown) || judge::is_password_like(shown))
        .then_some(value)
}

/// `&lt;password&gt;v&lt;/password&gt;`, from behind the name's tag.
pub(super) fn escaped(view: &View<'_>, start: usize) -> Option<Value> {
    let rest = &view.text[start..];
    let end = rest.iter().take(MAX_TAG).position(|&b| matches!(b, b'&' | b'<' | b'"' | b'\n'))?;
    rest[end..].starts_with(b"&lt;/").then(|| Value::closed(start..start + end, Form::Element))
}

/// `&quot;password&quot;:&quot;v&quot;` and `%22password%22%3A%22v%22`, from behind the name.
pub(super) fn encoded(view: &View<'_>, at: usize) -> Option<Value> {
    /// How each encoding writes a quote, and how it writes a colon.
    const WAYS: [(&[u8], &[&[u8]]); 2] =
        [(b"&quot;", &[b":", b": "]), (b"%22", &[b"%3A", b"%3a", b":", b"%3A%20", b"%3A+"])];
    let rest = &view.text[at..];
    let (quote, colons) = WAYS.iter().find(|(quote, _)| rest.starts_with(quote))?;
    let opens = |colon: &&&[u8]| {
        let rest = &rest[quote.len()..];
        rest.strip_prefix(**colon).is_some_and(|rest| rest.starts_with(quote))
    };
    let start = 2 * quote.len() + colons.iter().find(opens)?.len();
    let end = memchr::memmem::find(&rest[start..rest.len().min(start + 1_024)], quote)?;
    let span = at + start..at + start + end;
    let whole = !view.text[span.clone()].iter().any(|&b| b.is_ascii_whitespace() || b == b'"');
    whole.then(|| Value::closed(span, Form::QuotedData))
}
