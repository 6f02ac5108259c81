//! Oracle's way to write a log-in: `user/password@//host:port/service`, `sqlplus user/password@name`.
//!
//! Source: Oracle's SQL*Plus User's Guide, "SQL*Plus Program Syntax".

use super::super::super::view::View;
use super::super::judge::Form;
use super::value::Value;

/// How much may stand before the `@`, in bytes.
const BEFORE: usize = 128;

/// The password before `@//`, which stands at the sight.
pub(super) fn before_host(view: &View<'_>) -> Option<Value> {
    let from = view.at.saturating_sub(BEFORE);
    let before = &view.text[from..view.at];
    let outside = |&b: &u8| b <= b' ' || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'(');
    let start = before.iter().rposition(outside).map_or(0, |at| at + 1);
    let slash = start + before[start..].iter().position(|&b| b == b'/')?;
    let user = before[start..slash].last()?;
    let names = user.is_ascii_alphanumeric() || matches!(user, b'_' | b'$' | b'#' | b']');
    names.then(|| Value::closed(from + slash + 1..view.at, Form::Query))
}

/// The password behind `sqlplus user/` or `:thin:user/`; `at` is where the user starts.
pub(super) fn behind_user(view: &View<'_>, at: usize) -> Option<Value> {
    let rest = &view.text[at..];
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
    let user = rest.iter().take(64).take_while(|&&b| belongs(b)).count();
    if user == 0 || rest.get(user) != Some(&b'/') {
        return None;
    }
    let start = at + user + 1;
    let inside = |b: u8| b > b' ' && !matches!(b, b'"' | b'\'' | b'`' | b'@' | b'/');
    let length = view.text[start..].iter().take(BEFORE).take_while(|&&b| inside(b)).count();
    let named = view.text.get(start + length) == Some(&b'@');
    named.then(|| Value::closed(start..start + length, Form::Query))
}
