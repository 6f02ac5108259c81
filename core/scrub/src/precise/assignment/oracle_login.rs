//! Oracle logins: `sqlplus user/password@name`, and the same in a JDBC address. What has `@//` is a
//! link.
//!
//! Source: Oracle's SQL*Plus User's Guide, "SQL*Plus Program Syntax".

use super::super::super::view::View;
use super::super::judge::Form;
use super::value::Value;

/// The longest name of a user.
const MAX_USER: usize = 64;

/// The longest password, in bytes.
const MAX_PASSWORD: usize = 128;

/// The password behind `sqlplus user/` or `:thin:user/`; `at` is where the user starts.
pub(super) fn after_user(view: &View<'_>, at: usize) -> Option<Value> {
    let rest = &view.text[at..];
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
    let user = rest.iter().take(MAX_USER).take_while(|&&b| belongs(b)).count();
    if user == 0 || rest.get(user) != Some(&b'/') {
        return None;
    }
    let start = at + user + 1;
    let inside = |b: u8| b > b' ' && !matches!(b, b'"' | b'\'' | b'`' | b'@' | b'/');
    let length = view.text[start..].iter().take(MAX_PASSWORD).take_while(|&&b| inside(b)).count();
    let named = view.text.get(start + length) == Some(&b'@');
    named.then(|| Value::closed(start..start + length, Form::Query))
}
