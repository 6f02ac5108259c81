//! Values that follow their name with nothing but blanks between: flags of commands, `ENV K V`,
//! netrc, SQL.

use super::super::super::view::View;
use super::super::judge::Form;
use super::site::Site;
use super::value::{Value, bare, blanks, quoted};

/// What follows the name at `at`, if it is a flag's or keyword's argument.
pub(super) fn argument(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    if site.dashes > 0 {
        let apart = matches!(site.before(), b' ' | b'\t' | b'\n' | b'[' | b'(' | b',' | b'=');
        return (apart && !is_flag(&text[at..])).then(|| word(view, at, Form::Flag)).flatten();
    }
    let name = site.name();
    if is_declared(site) {
        let kind = text[at..]
            .iter()
            .take(32)
            .take_while(|&&b| !b.is_ascii_whitespace() && b != b'"')
            .count();
        let equals = at + kind + blanks(text, at + kind);
        let assigned = text[equals..].starts_with(b"= ");
        return assigned.then(|| quoted(view, equals + 2, Form::QuotedCode)).flatten();
    }
    if matches!(name, b"requirepass" | b"masterauth") && site.line_before().trim_ascii().is_empty()
    {
        return word(view, at, Form::Flag);
    }
    if name.eq_ignore_ascii_case(b"password") || name.eq_ignore_ascii_case(b"passwd") {
        if text.get(at) == Some(&b'\'') {
            return quoted(view, at, Form::QuotedData);
        }
        if is_login(site, text) {
            return word(view, at, Form::Flag);
        }
    }
    is_setting(site).then(|| word(view, at, Form::Env)).flatten()
}

fn word(view: &View<'_>, at: usize, form: Form) -> Option<Value> {
    if let Some(value) = quoted(view, at, Form::QuotedData) {
        return Some(value);
    }
    bare(view, at, form)
}

/// True if the next flag follows where a value might.
fn is_flag(text: &[u8]) -> bool {
    match text {
        [b'-', b'-', ..] => true,
        [b'-', _, rest @ ..] => rest.first().is_none_or(u8::is_ascii_whitespace),
        _ => false,
    }
}

/// `machine … login … password …` of a netrc file, on one line or several.
fn is_login(site: &Site<'_>, text: &[u8]) -> bool {
    let before = &text[site.start.saturating_sub(256)..site.start];
    memchr::memmem::find(before, b"login ").is_some()
        || memchr::memmem::find(before, b"machine ").is_some()
        || before.ends_with(b"default ")
}

/// `var password string = "…"`.
fn is_declared(site: &Site<'_>) -> bool {
    let before = site.line_before().trim_ascii_end();
    [&b"var"[..], b"const", b"static", b"let"].iter().any(|word| before.ends_with(word))
}

/// True if the line sets what it names: `ENV K V`, `setenv K V`, `git config k v`.
fn is_setting(site: &Site<'_>) -> bool {
    const FIRST: &[&[u8]] = &[
        b"env",
        b"arg",
        b"setenv",
        b"set",
        b"fastcgi_param",
        b"uwsgi_param",
        b"proxy_set_header",
        b"grpc_set_header",
        b"add_header",
        b"requestheader",
    ];
    const LAST: &[&[u8]] = &[b"set", b"config", b"--add", b"--global", b"add-generic-password"];
    let line = site.line_before().trim_ascii();
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (Some(first), last) = (words.next(), words.last()) else { return false };
    let known = |list: &[&[u8]], word: &[u8]| list.iter().any(|w| w.eq_ignore_ascii_case(word));
    match last {
        None => known(FIRST, first),
        Some(last) => known(LAST, last) || (known(FIRST, first) && last.starts_with(b"-")),
    }
}
