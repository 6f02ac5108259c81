//! Functions that take a password without its name: `mysqli_connect("db", "root", "v")`,
//! `smtp.login("me@example.org", "v")`, `jwt.sign(claims, "v")`, `auth=("me", "v")`.
//!
//! The functions are data: `data/calls.toml`.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::value::{Requirement, Value, quoted};

/// How far the arguments are read, in bytes.
const MAX_ARGUMENTS: usize = 512;

include!(concat!(env!("OUT_DIR"), "/calls.rs"));

/// Where the arguments of the call start, and which one is the secret.
pub(super) fn call(text: &[u8]) -> Option<(usize, usize)> {
    let begins =
        |name: &[u8]| text.len() >= name.len() && text[..name.len()].eq_ignore_ascii_case(name);
    CALLS.iter().find(|(name, _)| begins(name)).map(|(name, nth)| (name.len(), *nth))
}

/// The literal that is the argument number `nth` behind `at`.
pub(super) fn secret(view: &View<'_>, at: usize, nth: usize) -> Option<Value> {
    let text = &view.text[..view.text.len().min(at + MAX_ARGUMENTS)];
    let (mut at, mut depth, mut place) = (at, 0_u32, 0);
    let mut only_literal = true;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => {
                let value = quoted(view, at, Form::QuotedCode)?;
                let end = value.span.end + 1;
                if place == nth && depth == 0 {
                    return (only_literal
                        && ends_argument(text, end)
                        && looks_like_secret(&text[value.span.clone()]))
                    .then(|| value.requiring(Requirement::ByName));
                }
                (at, only_literal) = (end, false);
                continue;
            }
            // Deeply nested calls are no login.
            b'(' | b'[' | b'{' if depth >= 3 => return None,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => (place, only_literal) = (place + 1, true),
            b';' if depth == 0 => return None,
            b' ' | b'\t' | b'\n' | b'\r' | b',' => {}
            _ => only_literal = false,
        }
        at += 1;
        if place > nth {
            return None;
        }
    }
    None
}

/// True if the argument ends with the string.
fn ends_argument(text: &[u8], end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default().trim_ascii_start();
    matches!(rest.first(), Some(b',' | b')'))
}

/// True if the literal looks like a secret. It may also be an identifier.
fn looks_like_secret(value: &[u8]) -> bool {
    judge::is_opaque(value)
        || judge::is_password_like(value)
        || judge::is_memorable(value)
        || judge::is_passphrase(value)
}
