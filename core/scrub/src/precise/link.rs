//! Links: the password in the user part of a URL, secret parameters of its query (`parameter`), and
//! tokens in its path (`webhook`).
//!
//! The user part is read as people write it, not as RFC 3986 defines it. A password may contain
//! `/`, `#`, `?` or `@` if a host follows the last `@`. Templates and example passwords are
//! excluded by `dummy_password`.

use super::super::hit::{Confidence, Hit};
use super::super::placeholder;
use super::super::view::{Outcome, View};
use super::judge;
use super::kinds::Kinds;
use crate::words;

pub(super) mod dummy_password;
mod parameter;
mod prefilter;
mod webhook;

pub(super) use parameter::inspect as inspect_parameter;
pub(super) use prefilter::LinkFilter;

/// The longest user part of a DSN without a scheme, in bytes.
const MAX_DSN_USER: usize = 200;

/// The longest scheme, with what stands before it: `jdbc:postgresql`.
const MAX_SCHEME: usize = 40;

/// The longest host, in bytes.
const MAX_HOST: usize = 255;

/// Inspects `://`, `:\/\/`, `@//`, `@tcp(` or `@unix(`.
pub(super) fn inspect(kinds: &Kinds, view: &View<'_>) -> Outcome {
    let (text, at) = (view.text, view.at);
    if text[at] == b'@' {
        let hit = if text[at..].starts_with(b"@//") { oracle(view) } else { protocol(view) };
        return Outcome { hit, ..Outcome::none(at + 3) };
    }
    let start = at + if text[at + 1] == b'\\' { 5 } else { 3 };
    if start > text.len() || start < view.floor {
        return Outcome::none(at + 3);
    }
    let rows = text[at..].chunks_exact(3).take_while(|mark| *mark == b"://").count();
    if rows > 1 {
        // Nothing stands between the marks.
        return Outcome::none(at + 3 * (rows - 1));
    }
    let url = url_bytes(text, start, false);
    let user =
        memchr::memchr(b'@', url).and_then(|_| Url::read(text, at, start).secret_user(kinds));
    let secret = user.or_else(|| webhook::find(text, start, url, view.last));
    match secret {
        Some(hit) if hit.span.start >= view.floor => Outcome::found(hit),
        _ => Outcome::none(at + 3),
    }
}

/// The parts of a URL in a text.
struct Url<'t> {
    text: &'t [u8],
    scheme: &'t [u8],
    /// Where the authority starts.
    start: usize,
    /// Where the user part ends: its `@`.
    user_end: Option<usize>,
}

impl<'t> Url<'t> {
    /// Finds the parts of the URL whose scheme ends at `colon`.
    fn read(text: &'t [u8], colon: usize, start: usize) -> Url<'t> {
        let belongs = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':');
        let back = text[..colon].iter().rev().take(MAX_SCHEME).take_while(|b| belongs(b)).count();
        let scheme = &text[colon - back..colon];
        let user_end = user_end(text, start, scheme);
        Url { text, scheme, start, user_end }
    }

    /// The secret in the user part.
    fn secret_user(&self, kinds: &Kinds) -> Option<Hit> {
        let (text, start, end) = (self.text, self.start, self.user_end?);
        let part = &text[start..end];
        let masked = placeholder::length(part).unwrap_or(0);
        let Some(colon) = part[masked..].iter().position(|&b| b == b':') else {
            return self.token(kinds, start..end);
        };
        let colon = masked + colon;
        let (user, password) = (&part[..colon], &part[colon + 1..]);
        if self.is_sentry(end) && user.iter().all(u8::is_ascii_hexdigit) && password.is_empty() {
            return None;
        }
        let idle = password.is_empty() || dummy_password::is_unused_password(password);
        if idle || kinds.match_whole(user).is_some() && !judge::is_dummy_value(user) {
            let mut hit = self.token(kinds, start..start + colon)?;
            hit.span.end = if idle { hit.span.end } else { end };
            return Some(hit);
        }
        if dummy_password::is_dummy_password(user, password, host(text, end)) {
            return None;
        }
        let span = start + colon + 1..end;
        Some(match kinds.match_whole(password) {
            Some(known) => Hit { span, ..known },
            None => Hit::known(span, "password", Confidence::High),
        })
    }

    /// The user part as a token: `https://ghp_…@github.com`.
    fn token(&self, kinds: &Kinds, span: std::ops::Range<usize>) -> Option<Hit> {
        let value = &self.text[span.clone()];
        if judge::is_dummy_value(value)
            || dummy_password::is_template(value)
            || self.is_sentry(span.end)
        {
            return None;
        }
        if let Some(known) = kinds.match_whole(value) {
            return Some(Hit { span, ..known });
        }
        let keyed = words::KEY_ONLY_SCHEMES.contains(&self.scheme) && value.len() >= 6;
        let is_web = self.scheme.ends_with(b"http") || self.scheme.ends_with(b"https");
        let found = keyed || is_token(value) || is_web && is_short_token(value);
        found.then(|| Hit::known(span, "token", Confidence::Medium))
    }

    /// The user of a Sentry DSN is a public key.
    fn is_sentry(&self, at: usize) -> bool {
        let host = host(self.text, at);
        host.windows(6).any(|part| part == b"sentry") || host.starts_with(b"errors.")
    }
}

/// True for a user that is no name: long, of letters and digits, without dots.
fn is_token(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'~');
    let uuid = value.len() == 36 && value.iter().filter(|&&b| b == b'-').count() == 4;
    value.len() >= 20 && value.iter().all(plain) && digits >= 3 && letters >= 4 && !uuid
}

/// True for a short token as the user of a web address: it has a service's prefix, or mixes digits
/// and letters as no name does. `alice`, `alice2024` and `j.smith` are names.
fn is_short_token(value: &[u8]) -> bool {
    if words::USER_TOKEN_PREFIXES.iter().any(|mark| value.starts_with(mark)) {
        return true;
    }
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'~');
    if value.len() < 8 || !value.iter().all(plain) {
        return false;
    }
    // How often a digit follows a letter, or a letter a digit.
    let turns = value.windows(2).filter(|pair| {
        pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    });
    turns.count() >= 3 || judge::is_random(value)
}

/// The end of the user part: the last `@` before a host.
fn user_end(text: &[u8], start: usize, scheme: &[u8]) -> Option<usize> {
    let url_bytes = url_bytes(text, start, scheme.starts_with(b"jdbc:"));
    memchr::memchr(b'@', url_bytes)?;
    let strict =
        url_bytes.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(url_bytes.len());
    let near = url_bytes[..strict].iter().rposition(|&b| b == b'@');
    let colon = url_bytes[..strict].iter().position(|&b| b == b':');
    let wide = |from: usize| {
        let far = url_bytes.iter().rposition(|&b| b == b'@').filter(|&far| far >= from)?;
        let query = url_bytes[from..far].iter().skip_while(|&&b| b != b'?');
        let queried = query.into_iter().any(|&b| matches!(b, b'=' | b'&'));
        (!queried && is_host(host(text, start + far), true)).then_some(far)
    };
    let end = match near {
        Some(near) if strict == url_bytes.len() || is_host(host(text, start + near), true) => near,
        Some(near) => wide(strict).unwrap_or(near),
        None => {
            let port = &url_bytes[colon? + 1..strict];
            let plain = port.iter().all(u8::is_ascii_digit) || url_bytes.first() == Some(&b'[');
            if plain {
                return None;
            }
            wide(strict)?
        }
    };
    Some(start + end)
}

/// Bytes that may end a URL.
static MAY_END_URL: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = matches!(
            byte as u8,
            0..=b' ' | 0x7f | b'"' | b'\'' | b'`' | b'<' | b'>' | b';' | b':' | b'\\'
        );
        byte += 1;
    }
    ends
};

/// The bytes that a user part may be in: up to white space, a quote or the next link; with `lists`,
/// up to a `;`.
fn url_bytes(text: &[u8], start: usize, lists: bool) -> &[u8] {
    let mut at = start;
    while let Some(ahead) = text[at..].iter().position(|&byte| MAY_END_URL[usize::from(byte)]) {
        at += ahead;
        match text[at] {
            b';' if !lists => {}
            b':' if ![&b"://"[..], b":\\/\\/"].iter().any(|mark| text[at..].starts_with(mark)) => {}
            b'\\'
                if !matches!(text.get(at + 1), None | Some(b'n' | b'r' | b't' | b'"' | b'\'')) =>
            {
                at += 1;
            }
            _ => return &text[start..at],
        }
        at += 1;
    }
    &text[start..]
}

/// The host behind the `@`, with its port.
fn host(text: &[u8], at: usize) -> &[u8] {
    let rest = text.get(at + 1..).unwrap_or_default();
    let rest = &rest[..rest.len().min(MAX_HOST)];
    let belongs =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    &rest[..rest.iter().take_while(|b| belongs(b)).count()]
}

/// True for a possible host. With `sure` it must have a dot or a port, or be `localhost`.
fn is_host(host: &[u8], sure: bool) -> bool {
    let starts = host.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'[');
    let has_dot_or_port =
        host.iter().any(|b| matches!(b, b'.' | b':')) || host.starts_with(b"localhost");
    starts && (has_dot_or_port || !sure)
}

/// The password in a DSN of Go's MySQL driver: `user:password@tcp(host:3306)/name`.
fn protocol(view: &View<'_>) -> Option<Hit> {
    let (text, at) = (view.text, view.at);
    let behind = &text[view.floor..at];
    let ends = |b: &u8| *b <= b' ' || matches!(b, b'"' | b'\'' | b'`' | b'=' | b'<' | b'>');
    let length = behind.iter().rev().take(MAX_DSN_USER).take_while(|b| !ends(b)).count();
    let part = &behind[behind.len() - length..];
    let part = memchr::memmem::find(part, b"://").map_or(part, |scheme| &part[scheme + 3..]);
    let colon = part.iter().position(|&b| b == b':')?;
    let (user, password) = (&part[..colon], &part[colon + 1..]);
    let named =
        !user.is_empty() && user.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b));
    if !named || password.is_empty() {
        return None;
    }
    let open = memchr::memchr(b'(', &text[at..]).map_or(at, |open| at + open);
    let stands = dummy_password::is_dummy_password(user, password, host(text, open));
    (!stands).then(|| Hit::known(at - password.len()..at, "password", Confidence::High))
}

/// The password in Oracle's easy connect form: `user/password@//host:1521/service`.
fn oracle(view: &View<'_>) -> Option<Hit> {
    let (text, at) = (view.text, view.at);
    let behind = &text[view.floor..at];
    let ends = |b: &u8| *b <= b' ' || matches!(b, b'"' | b'\'' | b'`' | b'=' | b'<' | b'>' | b'@');
    let length = behind.iter().rev().take(MAX_DSN_USER).take_while(|b| !ends(b)).count();
    let part = &behind[behind.len() - length..];
    let slash = part.iter().position(|&b| b == b'/')?;
    let user = &part[..slash];
    let user = user.rsplit(|&b| b == b':').next().unwrap_or(user);
    let password = &part[slash + 1..];
    let named =
        !user.is_empty() && user.iter().all(|b| b.is_ascii_alphanumeric() || b"_$#".contains(b));
    let host = host(text, at + 2);
    if !named || password.is_empty() || !is_host(host, false) {
        return None;
    }
    let stands = dummy_password::is_dummy_password(user, password, host);
    (!stands).then(|| Hit::known(at - password.len()..at, "password", Confidence::High))
}

#[cfg(test)]
mod tests;
