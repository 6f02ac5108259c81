//! Values behind their name and blanks: flags of commands, `ENV K V`, netrc, SQL, device settings.

use super::super::super::view::View;
use super::super::judge::Form;
use super::site::Site;
use super::value::{Value, blanks, quoted, requiring_random, unquoted};
use crate::words;

/// The argument at `at`, if the name is a flag or a keyword that takes one.
pub(super) fn argument(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    if site.dashes > 0 {
        let apart = matches!(site.before(), b' ' | b'\t' | b'\n' | b'[' | b'(' | b',' | b'=');
        let other = is_flag(&text[at..]) || has_secret_option(site, &text[at..]);
        return (apart && !other).then(|| word(view, at, Form::Flag)).flatten();
    }
    let name = site.name();
    if site.word_before() == b"#define" {
        return quoted(view, at, Form::QuotedCode);
    }
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
    if text[at..].len() > 3 && text[at..at + 3].eq_ignore_ascii_case(b"by ") && name.contains(&b'_')
    {
        // `IDENTIFIED WITH mysql_native_password BY 'v'`
        return quoted(view, at + 3, Form::QuotedData);
    }
    if is_device(site) {
        let class = text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let skipped = if class == 1 { 1 + blanks(text, at + 1) } else { 0 };
        return word(view, at + skipped, Form::Line);
    }
    if let Some(value) = labelled(view, site, at) {
        return Some(value);
    }
    if matches!(name, b"storePassword" | b"keyPassword") {
        return quoted(view, at, Form::QuotedCode);
    }
    if name.eq_ignore_ascii_case(b"password") || name.eq_ignore_ascii_case(b"passwd") {
        if text[..at].ends_with(b" ") && text.get(at) == Some(&b'\'') {
            return quoted(view, at, Form::QuotedData);
        }
        if is_login(site, text) {
            return word(view, at, Form::Flag);
        }
    }
    is_setting(site).then(|| word(view, behind_body(text, at), Form::Env)).flatten()
}

/// Values with more between name and value: `reg add … /v Password /t REG_SZ /d v`, `Key Content :
/// v`, `Unseal Key 1: v`; and settings that take a password.
fn labelled(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let rest = &text[at..];
    let name = site.name();
    if let Some(data) = rest.strip_prefix(b"/t REG_SZ /d ").or(rest.strip_prefix(b"/d ")) {
        return word(view, text.len() - data.len(), Form::Flag);
    }
    let line = site.line_before().trim_ascii();
    if name == b"insecure-password" || name == b"password" && line.starts_with(b"d-i ") {
        return word(view, at, Form::Flag);
    }
    if name == b"AUTH" && site.is_command() {
        // In mail protocols, the name of a mechanism follows.
        let value = word(view, at, Form::Flag)?;
        return text[value.span.clone()].iter().any(u8::is_ascii_lowercase).then_some(value);
    }
    if name != b"Key" {
        return None;
    }
    if let Some(content) = rest.strip_prefix(b"Content") {
        let colon = text.len() - content.len() + blanks(text, text.len() - content.len());
        let has_colon = text[colon..].starts_with(b": ");
        return has_colon.then(|| unquoted(view, colon + b": ".len(), Form::Query)).flatten();
    }
    let digits = rest.iter().take(2).take_while(|b| b.is_ascii_digit()).count();
    let numbered = digits > 0 && rest[digits..].starts_with(b": ");
    numbered
        .then(|| requiring_random(unquoted(view, at + digits + b": ".len(), Form::Line)))
        .flatten()
}

/// Where the value starts in `gh secret set K --body V`.
fn behind_body(text: &[u8], at: usize) -> usize {
    let flag = [&b"--body "[..], b"-b "].into_iter().find(|flag| text[at..].starts_with(flag));
    at + flag.map_or(0, <[u8]>::len)
}

/// The word at `at`: a string, or an unquoted value of this form.
fn word(view: &View<'_>, at: usize, form: Form) -> Option<Value> {
    if let Some(value) = quoted(view, at, Form::QuotedData) {
        return Some(value);
    }
    unquoted(view, at, form)
}

/// True if the next flag follows instead of a value.
fn is_flag(text: &[u8]) -> bool {
    match text {
        [b'-', b'-', ..] => true,
        [b'-', _, rest @ ..] => rest.first().is_none_or(u8::is_ascii_whitespace),
        _ => false,
    }
}

/// True if a sentence mentions the flag and goes on: `the --username and --password options`.
fn has_secret_option(site: &Site<'_>, rest: &[u8]) -> bool {
    /// The longest word that a sentence goes on with.
    const WORD: usize = 24;
    let word = rest.iter().take(WORD).take_while(|b| b.is_ascii_lowercase()).count();
    let ends = rest.get(word).is_none_or(|b| b" \n\r.,)".contains(b));
    ends && matches!(site.word_before(), b"and" | b"or" | b"the" | b"both" | b"either")
}

/// A netrc file, `machine … login … password …`, on one line or several: keywords and values
/// alternate.
fn is_login(site: &Site<'_>, text: &[u8]) -> bool {
    let before = &text[site.start.saturating_sub(256)..site.start];
    let mut words = before.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (value, keyword) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    value == b"default" || words::NETRC_KEYWORDS.contains(&keyword)
}

/// A line that configures a router or switch: `enable password v`, `username u password 7 v`,
/// `radius-server key v`.
///
/// Source: the command reference of Cisco IOS.
fn is_device(site: &Site<'_>) -> bool {
    let line = site.line_before().trim_ascii();
    let first = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    line.is_empty() && site.name() == b"pre-shared-key" || words::DEVICE_COMMANDS.contains(&first)
}

/// A declaration: `var password string = "…"`.
fn is_declared(site: &Site<'_>) -> bool {
    matches!(site.word_before(), b"var" | b"const" | b"static" | b"let")
}

/// True if the line sets the name: `ENV K V`, `setenv K V`, `git config k v`.
fn is_setting(site: &Site<'_>) -> bool {
    let known =
        |word: &[u8]| words::SETTING_COMMANDS.iter().any(|first| first.eq_ignore_ascii_case(word));
    let last = site.word_before();
    match last {
        b"set" | b"config" | b"--add" | b"--global" => is_configuring(site),
        _ if known(last) => site.line_before().trim_ascii().len() <= last.len() + 1,
        // `npm config set //registry.npmjs.org/:_authToken V`
        [b'/', b'/', .., b'/', b':'] => {
            memchr::memmem::find(site.line_before(), b"config set ").is_some()
        }
        // `set -gx K V`, `RequestHeader set K V`
        [b'-', ..] => {
            site.line_before().trim_ascii().split(u8::is_ascii_whitespace).next().is_some_and(known)
        }
        _ => false,
    }
}

/// True if the line configures something: `aws configure set K V`, `git config --global K V`.
fn is_configuring(site: &Site<'_>) -> bool {
    let line = site.line_before().trim_ascii();
    let mut words = line.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match last {
        b"set" => before.is_empty() || before.starts_with(b"config") || before == b"secret",
        b"config" => matches!(before, b"git" | b"npm" | b"yarn" | b"poetry" | b"composer"),
        _ => before == b"config",
    }
}
