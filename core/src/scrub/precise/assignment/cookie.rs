//! The values of cookies, whatever their names.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name;
use super::value::{Value, bare, blanks};

/// How many cookies of a header are looked at.
const MOST: usize = 16;

/// True if the name is `Cookie` or `Set-Cookie`.
pub(super) fn is_header(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"cookie") || name.eq_ignore_ascii_case(b"set-cookie")
}

/// True if a name behind this part of a line is a cookie's, in a header.
pub(super) fn is_inside(line: &[u8]) -> bool {
    if !line.ends_with(b" ") {
        return false;
    }
    // The byte of the mark that is rare: a search for all of it would cost more to prepare.
    let cookies = memchr::memrchr_iter(b'k', line)
        .find_map(|at| line[at.checked_sub(2)?..].strip_prefix(b"ookie: "));
    let Some(cookies) = cookies else { return false };
    !cookies.iter().any(|b| matches!(b, b'"' | b'\''))
}

/// The first random value among the cookies at `at`, up to one that has a telling name.
pub(super) fn first_random(view: &View<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let mut at = at;
    for _ in 0..MOST {
        at += blanks(text, at);
        let belongs = |b: u8| b.is_ascii_alphanumeric() || b"_-.[]:".contains(&b);
        let length = text[at..].iter().take(64).take_while(|&&b| belongs(b)).count();
        let name = &text[at..at + length];
        if name.is_empty() || text.get(at + length) != Some(&b'=') || name::telling(name).is_some()
        {
            return None;
        }
        let value = bare(view, at + length + 1, Form::Query)?;
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
