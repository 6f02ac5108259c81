//! Passwords that are handed over without a name: `mysqli_connect("db", "root", "v")`,
//! `smtp.login("me@example.org", "v")`, `jwt.sign(claims, "v")`, `auth=("me", "v")`.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::value::{Need, Value, quoted};

/// How far the arguments may reach, in bytes.
const REACH: usize = 512;

/// A function that takes a secret, as it is written up to its bracket and in any case, and the
/// place of the secret among its arguments.
///
/// Sources: the manuals of PHP, JDBC, .NET, Go, Python's smtplib and requests, and the JWT libraries.
const CALLS: &[(&[u8], usize)] = &[
    (b"_connect(", 2),
    (b"new pdo(", 2),
    (b"new mysqli(", 2),
    (b"plainauth(", 2),
    (b"getconnection(", 2),
    (b"networkcredential(", 1),
    (b".login(", 1),
    (b"jwt.sign(", 1),
    (b"jwt.encode(", 1),
    (b"basicauth(", 1),
    (b"auth=(", 1),
    (b"auth(", 1),
];

/// Where the arguments of the call start, and which is the secret.
pub(super) fn call(text: &[u8]) -> Option<(usize, usize)> {
    let begins =
        |name: &[u8]| text.len() >= name.len() && text[..name.len()].eq_ignore_ascii_case(name);
    CALLS.iter().find(|(name, _)| begins(name)).map(|(name, nth)| (name.len(), *nth))
}

/// The literal that stands as that argument behind `at`.
pub(super) fn secret(view: &View<'_>, at: usize, nth: usize) -> Option<Value> {
    let text = &view.text[..view.text.len().min(at + REACH)];
    let (mut at, mut depth, mut place) = (at, 0_u32, 0);
    let mut fresh = true;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => {
                let value = quoted(view, at, Form::QuotedCode)?;
                let end = value.span.end + 1;
                if place == nth && depth == 0 {
                    return (fresh && is_whole(text, end) && is_likely(&text[value.span.clone()]))
                        .then(|| value.needs(Need::Told));
                }
                (at, fresh) = (end, false);
                continue;
            }
            // Calls in calls, over and over, are no log-in.
            b'(' | b'[' | b'{' if depth >= 3 => return None,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => (place, fresh) = (place + 1, true),
            b';' if depth == 0 => return None,
            b' ' | b'\t' | b'\n' | b'\r' | b',' => {}
            _ => fresh = false,
        }
        at += 1;
        if place > nth {
            return None;
        }
    }
    None
}

/// True if the argument ends where the string does.
fn is_whole(text: &[u8], end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default().trim_ascii_start();
    matches!(rest.first(), Some(b',' | b')'))
}

/// What stands there may be the name of a thing as well: it must look like no word.
fn is_likely(value: &[u8]) -> bool {
    judge::is_opaque(value)
        || judge::is_password_like(value)
        || judge::is_memorable(value)
        || judge::is_passphrase(value)
}
