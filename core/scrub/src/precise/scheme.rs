//! Authentication schemes: the credentials of `Bearer`, `Basic` and `Digest`, and the `auth` of
//! Docker's configuration, which is what `Basic` sends.
//!
//! Sources: RFC 6750 (Bearer), RFC 7617 (Basic), RFC 7616 (Digest), Docker's `config.json`.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};

use super::super::hit::{Confidence, Continuation, Hit};
use super::super::view::{Outcome, View};
use super::judge;
use super::kinds::Kinds;
use super::link::dummy_password;

/// How far before the scheme the name of its header may stand, in bytes.
const MAX_HEADER_DISTANCE: usize = 48;
/// The longest separator between a scheme and its credentials, in bytes.
const MAX_SEPARATOR: usize = 12;
/// How many letters of Basic credentials are decoded.
const MAX_DECODED: usize = 344;

/// Inspects the first byte of a scheme.
pub(super) fn inspect(kinds: &Kinds, view: &View<'_>) -> Outcome {
    let (text, at) = (view.text, view.at);
    let word = text[at..].iter().take(8).take_while(|b| b.is_ascii_alphabetic()).count();
    let none = Outcome::none(at + word.max(1));
    let hit = match text[at] {
        b'"' => docker(view, at + b"\"auth".len()),
        b'r' | b'R' => digest(view),
        _ if !stands_alone(text, at) => None,
        _ => match credentials_start(text, at + word) {
            Some(start) if word == b"basic".len() => basic(view, start),
            Some(start) => bearer(kinds, view, start),
            None => None,
        },
    };
    match hit.filter(|hit| hit.span.start >= view.floor) {
        Some(hit) => Outcome::found(hit),
        None => none,
    }
}

/// True if no longer word ends at `at`. The letter of an escape sequence is no word.
fn stands_alone(text: &[u8], at: usize) -> bool {
    let behind = &text[..at];
    let inside =
        behind.last().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    !inside || [&b"\\n"[..], b"\\t", b"\\r", b"%20"].iter().any(|end| behind.ends_with(end))
}

/// Where the credentials start behind a scheme: behind blanks, or a colon and blanks, or those and
/// a quote. A quote needs the colon, because `"Bearer "` in code ends with its blank.
fn credentials_start(text: &[u8], from: usize) -> Option<usize> {
    let rest = &text[from..text.len().min(from + MAX_SEPARATOR)];
    if rest.starts_with(b"%20") {
        return Some(from + 3);
    }
    let colon = usize::from(rest.first() == Some(&b':'));
    let blanks = rest[colon..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let open = rest[colon + blanks..].iter().take(2).take_while(|b| b"\\\"'`".contains(b)).count();
    (blanks > 0 && (open == 0 || colon > 0)).then_some(from + colon + blanks + open)
}

/// True if the name of an `Authorization` header stands before the scheme.
fn follows_header_name(text: &[u8], at: usize) -> bool {
    let name = b"authorization";
    let mut before = text[at.saturating_sub(MAX_HEADER_DISTANCE)..at].windows(name.len());
    before.any(|part| part.eq_ignore_ascii_case(name))
}

/// The token of a `Bearer` scheme.
fn bearer(kinds: &Kinds, view: &View<'_>, start: usize) -> Option<Hit> {
    let text = view.text;
    let ends = |b: &u8| *b <= b' ' || *b == 0x7f || b"\"'`\\<>,;()[]{}".contains(b);
    let length = text[start..].iter().position(ends).unwrap_or(text.len() - start);
    let value = &text[start..start + length];
    let value = &value[..value.iter().rposition(|b| !b".:!?".contains(b)).map_or(0, |at| at + 1)];
    if value.len() < 8 {
        return None;
    }
    let stop = start + value.len();
    let open = (stop == text.len() && !view.last).then_some(Continuation::Token);
    if let Some(known) = kinds.match_whole(value) {
        return Some(Hit { span: start..stop, open, ..known });
    }
    let stands = judge::is_dummy_value(value) || dummy_password::is_template(value);
    if stands || !is_bearer(value) {
        return None;
    }
    Some(Hit { open, ..Hit::known(start..stop, "bearer-token", Confidence::High) })
}

/// True for a token, as opposed to a word of a sentence or of code: letters and digits mixed, or
/// long.
fn is_bearer(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let name = value.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'_').count();
    let behind = &value[name..];
    let assigned = behind.first() == Some(&b'=') && behind.iter().any(|&b| b != b'=');
    let attribute = assigned || behind.first() == Some(&b'=') && name < 16;
    let link = memchr::memmem::find(value, b"://").is_some();
    let mixed = value.len() >= 10 && digits >= 2 && letters >= 2;
    let upper = value.iter().skip(1).filter(|b| b.is_ascii_uppercase()).count();
    let long = value.len() >= 24 && upper >= 3 && judge::is_random(value);
    !attribute && !link && (mixed || long || digits >= 16 && value.len() == digits)
}

/// The credentials of a `Basic` scheme.
fn basic(view: &View<'_>, start: usize) -> Option<Hit> {
    let text = view.text;
    let value = encoded(&text[start..]);
    let stop = start + value.len();
    let open = (stop == text.len() && !view.last).then_some(Continuation::Token);
    let hit = Hit { open, ..Hit::known(start..stop, "basic-auth", Confidence::High) };
    match decoded_login_is_secret(value) {
        Some(secret) => secret.then_some(hit),
        None => {
            let random = judge::is_random(value) && !judge::is_dummy_value(value);
            (random && follows_header_name(text, view.at)).then_some(hit)
        }
    }
}

/// The `"auth": "…"` of a registry in Docker's configuration.
fn docker(view: &View<'_>, from: usize) -> Option<Hit> {
    let text = view.text;
    let rest = &text[from..text.len().min(from + MAX_SEPARATOR)];
    let gap = rest.iter().take_while(|b| b"\\\": ".contains(b)).count();
    let colons = rest[..gap].iter().filter(|&&b| b == b':').count();
    let start = from + gap;
    let value = encoded(&text[start..]);
    let closed = matches!(text.get(start + value.len()), Some(b'"' | b'\\'));
    (colons == 1 && closed && decoded_login_is_secret(value) == Some(true))
        .then(|| Hit::known(start..start + value.len(), "basic-auth", Confidence::High))
}

/// The run of base64 at the start of `text`.
fn encoded(text: &[u8]) -> &[u8] {
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"+/=-_".contains(b);
    &text[..text.iter().take_while(|b| belongs(b)).count()]
}

/// True if the value encodes a user and a password that are secret, false if they are dummies;
/// `None` if it encodes no login.
fn decoded_login_is_secret(value: &[u8]) -> Option<bool> {
    let bare = &value[..value.iter().rposition(|&b| b != b'=')? + 1];
    if bare.len() < 6 || bare.contains(&b'=') {
        return None;
    }
    let bare = &bare[..bare.len().min(MAX_DECODED)];
    let (mut letters, mut decoded) = ([b'A'; MAX_DECODED], [0; MAX_DECODED / 4 * 3]);
    letters[..bare.len()].copy_from_slice(bare);
    let letters = &letters[..bare.len().next_multiple_of(4)];
    let decoded = &mut decoded[..letters.len() / 4 * 3];
    let plain = BASE64_NOPAD.decode_mut(letters, decoded);
    plain.or_else(|_| BASE64URL_NOPAD.decode_mut(letters, decoded)).ok()?;
    let decoded = &decoded[..bare.len() * 3 / 4];
    if decoded.iter().any(|&b| b < b' ' || b == 0x7f) || has_bad_ending(decoded) {
        return None;
    }
    let colon = decoded.iter().position(|&b| b == b':')?;
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    Some(
        password != b"open sesame" && !dummy_password::is_dummy_password(user, password, b"a.host"),
    )
}

/// True if the bytes are no UTF-8. A character that is cut at the end does not count.
fn has_bad_ending(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some())
}

/// The `response` of a `Digest` header.
fn digest(view: &View<'_>) -> Option<Hit> {
    let (text, at) = (view.text, view.at);
    let sign = at + b"response=".len();
    let start = sign + text[sign..].iter().take(3).take_while(|b| b"\\\"".contains(b)).count();
    let length = text[start..].iter().take(129).take_while(|b| b.is_ascii_hexdigit()).count();
    if !(32..=128).contains(&length) {
        return None;
    }
    let line = text[at.saturating_sub(600)..at].rsplit(|&b| b == b'\n').next()?;
    let has_digest_scheme =
        [&b"Digest "[..], b"digest "].iter().any(|name| memchr::memmem::find(line, name).is_some());
    let span = start..start + length;
    has_digest_scheme.then(|| Hit::known(span, "digest-response", Confidence::High))
}

#[cfg(test)]
mod tests;
