//! Cookies: any random value in a cookie header is a secret, whatever its name.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name;
use super::value::{Value, blanks, unquoted};

/// The longest name of a cookie.
const MAX_COOKIE_NAME: usize = 64;

/// How many cookies of a header are inspected.
const MAX_COOKIES: usize = 16;

/// True if the name is `Cookie` or `Set-Cookie`.
pub(super) fn is_header(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"cookie") || name.eq_ignore_ascii_case(b"set-cookie")
}

/// True if a name behind this part of a line is the name of a cookie: in a header, in a field
/// called cookie, or behind a flag of curl.
pub(super) fn is_inside(line: &[u8]) -> bool {
    if !line.ends_with(b" ")
        && !line.ends_with(b"\"")
        && !line.ends_with(b"'")
        && !line.ends_with(b";")
    {
        return false;
    }
    // The `k` is the rare byte of the word; preparing a search for all of it would cost more.
    let cookies = memchr::memrchr_iter(b'k', line).find_map(|at| {
        let start = at.checked_sub(2)?;
        line[start..].strip_prefix(b"ookie").map(|rest| (&line[..start], rest))
    });
    let Some((before, rest)) = cookies else { return is_jar(line) };
    let length = rest.iter().take(8).take_while(|b| b"\"': =[],\\".contains(b)).count();
    let (marker, cookies) = rest.split_at(length);
    let is_field = marker.len() > 1 && marker.iter().any(|b| matches!(b, b':' | b',' | b'='));
    let is_flag = before.ends_with(b"--c") && marker.iter().any(|b| matches!(b, b' ' | b'='));
    let is_next = cookies.is_empty() || matches!(cookies, [.., b';'] | [.., b';', b' ']);
    (is_field || is_flag) && is_next && !cookies.iter().any(|b| matches!(b, b'"' | b'\''))
}

/// True behind `-b` of curl.
fn is_jar(line: &[u8]) -> bool {
    let flag = line.strip_suffix(b"\"").or_else(|| line.strip_suffix(b"'")).unwrap_or(line);
    flag.ends_with(b" -b ") && memchr::memmem::find(flag, b"curl ").is_some()
}

/// The first random value among the cookies at `at`, up to one with a secret's name.
pub(super) fn first_random(view: &View<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let mut at = at;
    for _ in 0..MAX_COOKIES {
        at += blanks(text, at);
        let belongs = |b: u8| b.is_ascii_alphanumeric() || b"_-.[]:".contains(&b);
        let length = text[at..].iter().take(MAX_COOKIE_NAME).take_while(|&&b| belongs(b)).count();
        let name = &text[at..at + length];
        if name.is_empty() || text.get(at + length) != Some(&b'=') || name::classify(name).is_some()
        {
            return None;
        }
        let value = unquoted(view, at + length + 1, Form::Query)?;
        if judge::is_random(&text[value.span.clone()]) {
            return Some(value);
        }
        at = value.span.end;
        if text.get(at) != Some(&b';') {
            return None;
        }
        at += 1;
    }
    None
}
