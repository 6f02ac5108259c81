//! JSON web tokens: signed (RFC 7515), encrypted (RFC 7516), or cut off; and signed session cookies
//! of the same form.
//!
//! The first part must decode to the beginning of a JSON object with a member of a JOSE header.
//! Without such a member, a token of three parts is a signed session.

use data_encoding::BASE64URL_NOPAD;

use super::super::hit::{Confidence, Continuation, Hit};
use super::super::view::{Outcome, View};
use super::kinds::{Kinds, is_token};

/// How many letters of the header are decoded.
const MAX_HEADER: usize = 400;
/// The shortest second part, in letters: `{"a":1}` takes 10.
const MIN_PAYLOAD: usize = 8;
/// How many parts a signed token has. A session cookie without a header must have exactly these.
const SIGNED_PARTS: usize = 3;

/// Inspects `eyJ`.
pub(super) fn inspect(kinds: &Kinds, view: &View<'_>) -> Outcome {
    let (text, at) = (view.text, view.at);
    // Inside a run, only kinds with a prefix count.
    let fresh = at.checked_sub(1).is_none_or(|before| !is_token(text[before]));
    if (fresh || kinds.may_have_prefix(text, at))
        && let Some(hit) = kinds.find_at(text, at, view.last)
    {
        return Outcome::found(hit);
    }
    match at_token(text, at, view.last).filter(|hit| hit.span.start >= view.floor) {
        Some(hit) => Outcome::found(hit),
        None => Outcome::none(at + 3),
    }
}

/// The token that starts at `at`.
pub(super) fn at_token(text: &[u8], at: usize, last: bool) -> Option<Hit> {
    // `{` is `e` in base64.
    if text.get(at) != Some(&b'e') || is_inside_token(&text[..at]) {
        return None;
    }
    let run = &text[at..];
    let first = part(run);
    if first < 8 || run.get(first) != Some(&b'.') {
        return None;
    }
    let mut buffer = [0; MAX_HEADER / 4 * 3];
    let header = decoded(&run[..first], &mut buffer)?;
    let is_header = [&b"\"alg\""[..], b"\"enc\"", b"\"typ\"", b"\"kid\""]
        .iter()
        .any(|name| memchr::memmem::find(header, name).is_some());
    let mut end = at + first;
    let (mut parts, mut shortest, mut final_part) = (1, usize::MAX, 0);
    while text.get(end) == Some(&b'.') && parts < 5 {
        let length = part(&text[end + 1..]);
        // Only the key of an encrypted token may be empty.
        let keyless = parts == 1 && text.get(end + 2).is_some_and(u8::is_ascii_alphanumeric);
        if length == 0 && !keyless {
            break;
        }
        if parts == 1 {
            shortest = length;
        }
        final_part = length;
        end += 1 + length;
        parts += 1;
    }
    let cut = end == text.len() && !last;
    let signed = parts == SIGNED_PARTS && final_part >= 20;
    let fits = is_header && (parts >= 4 || shortest >= MIN_PAYLOAD) && parts >= 2;
    if !fits && !signed {
        return None;
    }
    let open = cut.then_some(Continuation::Token);
    let kind = if is_header { "jwt" } else { "signed-session" };
    Some(Hit { open, ..Hit::known(at..end, kind, Confidence::High) })
}

/// True if a longer token goes on at this place. The letter of an escape sequence, the sign of a
/// diff and the end of a colour do not belong to a token.
fn is_inside_token(behind: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"-_.+".contains(b);
    let Some(last) = behind.last().filter(|b| belongs(b)) else { return false };
    let escaped = [
        &b"\\n"[..],
        b"\\t",
        b"\\r",
        b"%20",
        b"%3D",
        b"%22",
        b"%3A",
        b"=3D",
        b"u003d",
        b"u0022",
        b"\\x22",
        b"u0026",
        b":-",
        b"!--",
    ];
    if escaped.iter().any(|end| behind.ends_with(end)) {
        return false;
    }
    let before = &behind[..behind.len() - 1];
    match last {
        b'+' | b'-' => !before.last().is_none_or(|b| matches!(b, b'\n' | b'\r')),
        b'm' => {
            let code = |b: &&u8| b.is_ascii_digit() || **b == b';';
            let code = before.iter().rev().take(12).take_while(code).count();
            let before = &before[..before.len() - code];
            let escapes = [&b"\x1b["[..], b"\\x1b[", b"\\u001b[", b"\\033[", b"\\e["];
            !escapes.iter().any(|escape| before.ends_with(escape))
        }
        _ => true,
    }
}

/// The length of the part of a token that `text` starts with.
fn part(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count()
}

/// The decoded header, if it is the beginning of a JSON object.
fn decoded<'s>(header: &[u8], json: &'s mut [u8; MAX_HEADER / 4 * 3]) -> Option<&'s [u8]> {
    let (whole, rest) = (header.len().min(MAX_HEADER) / 4 * 4, header.len() % 4);
    let used = if header.len() < MAX_HEADER && rest > 1 { header.len() } else { whole };
    let mut letters = [b'A'; MAX_HEADER];
    letters[..used].copy_from_slice(&header[..used]);
    let letters = &letters[..used.next_multiple_of(4)];
    let json = &mut json[..letters.len() / 4 * 3];
    BASE64URL_NOPAD.decode_mut(letters, json).ok()?;
    let json = &json[..used * 3 / 4];
    let start = json.iter().skip(1).find(|b| !b.is_ascii_whitespace());
    (json.first() == Some(&b'{')
        && start == Some(&b'"')
        && std::str::from_utf8(json)
            .is_ok_and(|json| !json.chars().any(|c| c.is_control() && !c.is_ascii_whitespace())))
    .then_some(json)
}

#[cfg(test)]
mod tests;
