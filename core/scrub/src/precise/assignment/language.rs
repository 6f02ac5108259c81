//! Assignments that only some languages, tools and pages have: PHP dumps, R, C++, Erlang, Visual
//! Basic, psql, forms.

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::NameClass;
use super::site::Site;
use super::value::{Requirement, Value, blanks, next_line, quoted, unquoted};
use super::{call, pair};

/// The longest name of a type.
const MAX_TYPE_NAME: usize = 24;

/// The text behind a name.
#[derive(Clone, Copy)]
pub(super) struct AfterName {
    /// Where the name and its quote end.
    pub end: usize,
    /// Where the text goes on behind blanks and what may stand between a name and a sign.
    pub at: usize,
    /// True if a quote ends the name.
    pub closed: bool,
}

/// The value behind the name, if it is assigned in one of these ways.
pub(super) fn value(
    view: &View<'_>,
    site: &Site<'_>,
    class: NameClass,
    AfterName { end, at, closed }: AfterName,
) -> Option<Value> {
    let text = view.text;
    let string = |at: usize| quoted(view, at + blanks(text, at), Form::QuotedCode);
    match text[at..] {
        // A dump of a PHP array: `[password] => v`; with types, the value is a line below.
        [b'=', b'>', ..] if site.before() == b'[' => php_dump(view, at + 2, closed),
        // R.
        [b'<', b'-', ..] => string(at + 2),
        [b'<', b'<', b'-', ..] => string(at + 3),
        // C++: `std::string password{"v"}`.
        [b'{', b'"', ..] if at == site.end => {
            string(at + 1).filter(|value| text[value.span.end..].starts_with(b"\"}"))
        }
        // Erlang: `{password, <<"v">>}`.
        [b',', ..] if site.before() == b'{' => {
            let start = at + 1 + blanks(text, at + 1);
            text[start..].starts_with(b"<<\"").then(|| string(start + 2))?
        }
        [b'A' | b'a', b's' | b'S', b' ', ..] if at > end => typed(view, at + 3),
        // A string sent to the element of a page, or expected by a test.
        [b')', b'.', ..] if closed => call::sent_to_element(view, at),
        [b'"' | b'\'', b')', b'.', ..] if at > end => call::sent_to_element(view, at + 1),
        [b')', b'.', ..] if at == site.end => call::expected_by_test(view, at),
        // A row that psql prints below the one before.
        [b'|', b' ', ..] if class.kind == "password" && site.line_before().is_empty() => {
            let value = unquoted(view, at + 1 + blanks(text, at + 1), Form::Line)?;
            Some(value.requiring(Requirement::SurelyRandom))
        }
        [b'\n' | b'\r', ..] if closed && site.before() == b'=' => pair::part_below(view, site, at),
        _ => None,
    }
}

/// The value in a PHP dump, behind `[password] => ` or on the line below `["password"]=>`.
fn php_dump(view: &View<'_>, at: usize, closed: bool) -> Option<Value> {
    let start = next_line(view.text, at).unwrap_or(at);
    let start = start + blanks(view.text, start);
    if let Some(sized) = view.text[start..].strip_prefix(b"string(") {
        let digits = sized.iter().take(8).take_while(|b| b.is_ascii_digit()).count();
        let string = sized[digits..].starts_with(b") \"");
        let quote = start + b"string(".len() + digits + b") ".len();
        return string.then(|| quoted(view, quote, Form::QuotedData)).flatten();
    }
    // A quoted name is a literal, which other modules know better.
    if closed { None } else { unquoted(view, start, Form::Line) }
}

/// Visual Basic: `name As String = "v"`, from the type on.
fn typed(view: &View<'_>, at: usize) -> Option<Value> {
    let kind = view.text[at..]
        .iter()
        .take(MAX_TYPE_NAME)
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    let equals = at + kind;
    let assigns = kind > 0 && view.text[equals..].starts_with(b" = \"");
    assigns.then(|| quoted(view, equals + b" = ".len(), Form::QuotedCode)).flatten()
}

/// A literal between brackets: `q{v}` in Perl, `[[v]]` in Lua, `<<"v">>` in Erlang.
pub(super) fn bracketed(view: &View<'_>, at: usize) -> Option<Value> {
    const BRACKETS: [(&[u8], &[u8]); 6] = [
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
    let (open, close) = BRACKETS.iter().find(|(open, _)| rest.starts_with(open))?;
    let inner = &rest[open.len()..];
    let line = memchr::memchr(b'\n', inner).unwrap_or(inner.len());
    let length = memchr::memmem::find(&inner[..line], close)?;
    let start = at + open.len();
    // Lists of lists of numbers look the same.
    let list = inner[..length].iter().all(|b| b.is_ascii_digit() || b", ".contains(b));
    (length > 0 && !list).then(|| Value::closed(start..start + length, Form::QuotedCode))
}
