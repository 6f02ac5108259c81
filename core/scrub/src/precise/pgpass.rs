//! PostgreSQL's password file: `host:port:database:user:password`.
//!
//! The candidate scan stops at the default port, `:5432:`.
//!
//! Source: PostgreSQL documentation, "The Password File".

use super::super::hit::{Confidence, Hit};
use super::super::view::{Outcome, View};
use super::link::dummy_password;

/// The longest field of a line.
const MAX_FIELD: usize = 64;
/// The longest password that is read.
const MAX_PASSWORD: usize = 256;

/// Inspects the colon before the port.
pub(super) fn inspect(view: &View<'_>) -> Outcome {
    match password(view).filter(|hit| hit.span.start >= view.floor) {
        Some(hit) => Outcome::found(hit),
        None => Outcome::none(view.at + 1),
    }
}

/// The password of the line.
fn password(view: &View<'_>) -> Option<Hit> {
    let (text, at) = (view.text, view.at);
    let is_host = |b: &u8| b.is_ascii_alphanumeric() || b".-*/_".contains(b);
    let host = text[..at].iter().rev().take_while(|b| is_host(b)).count();
    let before = at.checked_sub(host + 1).map(|at| text[at]);
    if host == 0 || before.is_some_and(|b| !b" \t\n\r\"'`n".contains(&b)) {
        return None;
    }
    let database = at + b":5432:".len();
    let user = database + field(text, database)? + 1;
    let start = user + field(text, user)? + 1;
    let ends = |b: &u8| *b <= b' ' || b"\"'`\\".contains(b);
    let length = text[start..]
        .iter()
        .take(MAX_PASSWORD)
        .position(ends)
        .unwrap_or(text.len().min(start + MAX_PASSWORD) - start);
    let value = &text[start..start + length];
    let user = &text[user..start - 1];
    (!value.is_empty() && !dummy_password::is_dummy_password(user, value, b"a.host"))
        .then(|| Hit::known(start..start + length, "password", Confidence::High))
}

/// The length of a field: a name or `*`.
fn field(text: &[u8], from: usize) -> Option<usize> {
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b".-_*".contains(b);
    let length = text[from..].iter().take(MAX_FIELD).take_while(|b| belongs(b)).count();
    (length > 0 && text.get(from + length) == Some(&b':')).then_some(length)
}

#[cfg(test)]
mod tests;
