//! Ways to give a value to a name that only some languages, tools and pages have.

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::Telling;
use super::site::Site;
use super::value::{Need, Value, bare, blanks, next_line, quoted};
use super::{call, pair};

/// What stands behind a name.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Where the name and its quote end.
    pub end: usize,
    /// Where it goes on behind blanks, and what may stand between a name and a sign.
    pub at: usize,
    /// A quote ends the name.
    pub closed: bool,
}

/// The value behind the name.
pub(super) fn value(
    view: &View<'_>,
    site: &Site<'_>,
    telling: Telling,
    Place { end, at, closed }: Place,
) -> Option<Value> {
    let text = view.text;
    let string = |at: usize| quoted(view, at + blanks(text, at), Form::QuotedCode);
    match text[at..] {
        // What PHP prints of an array: `[password] => v`, and of its types a line below.
        [b'=', b'>', ..] if site.before() == b'[' => dumped(view, at + 2, closed),
        // R assigns so.
        [b'<', b'-', ..] => string(at + 2),
        [b'<', b'<', b'-', ..] => string(at + 3),
        // `std::string password{"v"}`
        [b'{', b'"', ..] if at == site.end => {
            string(at + 1).filter(|value| text[value.span.end..].starts_with(b"\"}"))
        }
        // `{password, <<"v">>}` of Erlang.
        [b',', ..] if site.before() == b'{' => {
            let start = at + 1 + blanks(text, at + 1);
            text[start..].starts_with(b"<<\"").then(|| string(start + 2))?
        }
        [b'A' | b'a', b's' | b'S', b' ', ..] if at > end => typed(view, at + 3),
        // What is handed to the element of a page, or expected of a name by a test.
        [b')', b'.', ..] if closed => call::sent(view, at),
        [b'"' | b'\'', b')', b'.', ..] if at > end => call::sent(view, at + 1),
        [b')', b'.', ..] if at == site.end => call::expected(view, at),
        // A row that psql prints below the one before.
        [b'|', b' ', ..] if telling.kind == "password" && site.line_before().is_empty() => {
            let value = bare(view, at + 1 + blanks(text, at + 1), Form::Line)?;
            Some(value.needs(Need::Random))
        }
        [b'\n' | b'\r', ..] if closed && site.before() == b'=' => pair::part_below(view, site, at),
        _ => None,
    }
}

/// The value that PHP prints behind `[password] => `, or in `["password"]=>` and a line below.
fn dumped(view: &View<'_>, at: usize, closed: bool) -> Option<Value> {
    let start = next_line(view.text, at).unwrap_or(at);
    let start = start + blanks(view.text, start);
    if let Some(sized) = view.text[start..].strip_prefix(b"string(") {
        let digits = sized.iter().take(8).take_while(|b| b.is_ascii_digit()).count();
        let string = sized[digits..].starts_with(b") \"");
        let quote = start + b"string(".len() + digits + b") ".len();
        return string.then(|| quoted(view, quote, Form::QuotedData)).flatten();
    }
    // Between quotes the name is a literal's, of which more is known elsewhere.
    if closed { None } else { bare(view, start, Form::Line) }
}

/// `name As String = "v"` of Visual Basic, from the type.
fn typed(view: &View<'_>, at: usize) -> Option<Value> {
    let kind = view.text[at..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric()).count();
    let equals = at + kind;
    let assigns = kind > 0 && view.text[equals..].starts_with(b" = \"");
    assigns.then(|| quoted(view, equals + b" = ".len(), Form::QuotedCode)).flatten()
}

/// A literal between brackets: `q{v}` of Perl, `[[v]]` of Lua, `<<"v">>` of Erlang.
pub(super) fn bracketed(view: &View<'_>, at: usize) -> Option<Value> {
    const WAYS: [(&[u8], &[u8]); 6] = [
        (b"q{", b"}"),
        (b"qq{", b"}"),
        (b"q(", b")"),
        (b"qq(", b")"),
        (b"[[", b"]]"),
        (b"<<\"", b"\">>"),
    ];
    if !view.text[..at].trim_ascii_end().ends_with(b"=") {
        return None;
    }
    let rest = &view.text[at..view.text.len().min(at + 256)];
    let (open, close) = WAYS.iter().find(|(open, _)| rest.starts_with(open))?;
    let inner = &rest[open.len()..];
    let line = memchr::memchr(b'\n', inner).unwrap_or(inner.len());
    let length = memchr::memmem::find(&inner[..line], close)?;
    let start = at + open.len();
    // Lists of lists look the same.
    let list = inner[..length].iter().all(|b| b.is_ascii_digit() || b", ".contains(b));
    (length > 0 && !list).then(|| Value::closed(start..start + length, Form::QuotedCode))
}
