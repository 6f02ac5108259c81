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

/// `machine … login … password …` of a netrc file, on one line or several: keywords and values
/// take turns.
fn is_login(site: &Site<'_>, text: &[u8]) -> bool {
    const KEYWORDS: &[&[u8]] = &[b"machine", b"login", b"account", b"port", b"protocol"];
    let before = &text[site.start.saturating_sub(256)..site.start];
    let mut words = before.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (value, keyword) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    value == b"default" || KEYWORDS.contains(&keyword)
}

/// `var password string = "…"`.
fn is_declared(site: &Site<'_>) -> bool {
    matches!(site.word_before(), b"var" | b"const" | b"static" | b"let")
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
    let known = |word: &[u8]| FIRST.iter().any(|first| first.eq_ignore_ascii_case(word));
    let last = site.word_before();
    match last {
        b"set" | b"config" | b"--add" | b"--global" => is_configuring(site),
        _ if known(last) => site.line_before().trim_ascii().len() <= last.len() + 1,
        // `set -gx K V`, `RequestHeader set K V`
        [b'-', ..] => site
            .line_before()
            .trim_ascii()
            .split(u8::is_ascii_whitespace)
            .next()
            .is_some_and(|first| known(first)),
        _ => false,
    }
}

/// `aws configure set K V`, `git config --global K V`.
fn is_configuring(site: &Site<'_>) -> bool {
    let line = site.line_before().trim_ascii();
    let mut words = line.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match last {
        b"set" => before.is_empty() || before.starts_with(b"config"),
        b"config" => matches!(before, b"git" | b"npm" | b"yarn" | b"poetry" | b"composer"),
        _ => before == b"config",
    }
}
