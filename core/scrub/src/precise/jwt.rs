//! Looks at what may be a JSON web token, signed (RFC 7515), encrypted (RFC 7516) or cut off.

use data_encoding::BASE64URL_NOPAD;

use super::super::hit::{Confidence, Hit, Until};
use super::super::view::{Look, View};
use super::kinds::{Kinds, is_token};

/// How many letters of the header are decoded.
const HEADER: usize = 400;
/// The shortest second part: `{"a":1}` is 10 letters.
const PAYLOAD: usize = 8;
/// The longest token that is looked at in a cookie's form, without a header.
const SIGNED: usize = 3;

/// Looks at `eyJ`.
pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    let (text, at) = (view.text, view.at);
    // Inside a run only a prefix tells a kind.
    let fresh = at.checked_sub(1).is_none_or(|before| !is_token(text[before]));
    if (fresh || kinds.may_have_prefix(text, at))
        && let Some(hit) = kinds.at(text, at, view.last)
    {
        return Look::found(hit);
    }
    match at_token(text, at, view.last).filter(|hit| hit.span.start >= view.floor) {
        Some(hit) => Look::found(hit),
        None => Look::nothing(at + 3),
    }
}

/// The token that starts at `at`.
pub(super) fn at_token(text: &[u8], at: usize, last: bool) -> Option<Hit> {
    // What begins with `{` begins with `e` in base64.
    if text.get(at) != Some(&b'e') || inside(&text[..at]) {
        return None;
    }
    let run = &text[at..];
    let first = part(run);
    if first < 8 || run.get(first) != Some(&b'.') {
        return None;
    }
    let mut said = [0; HEADER / 4 * 3];
    let header = decoded(&run[..first], &mut said)?;
    let told = [&b"\"alg\""[..], b"\"enc\"", b"\"typ\"", b"\"kid\""]
        .iter()
        .any(|name| memchr::memmem::find(header, name).is_some());
    let mut end = at + first;
    let (mut parts, mut shortest, mut final_part) = (1, usize::MAX, 0);
    while text.get(end) == Some(&b'.') && parts < 5 {
        let length = part(&text[end + 1..]);
        // The key of an encrypted token may be left out, no other part.
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
    let signed = parts == SIGNED && final_part >= 20;
    let fits = told && (parts >= 4 || shortest >= PAYLOAD) && parts >= 2;
    if !fits && !signed {
        return None;
    }
    let open = cut.then_some(Until::Token);
    let kind = if told { "jwt" } else { "signed-session" };
    Some(Hit { open, ..Hit::known(at..end, kind, Confidence::High) })
}

/// True if a token would start inside a longer one. The letter of an escape sequence is none, nor is
/// the sign of a diff, or what ends a colour of a terminal.
fn inside(behind: &[u8]) -> bool {
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

/// What a header says, if it is the beginning of a JSON object.
fn decoded<'s>(header: &[u8], said: &'s mut [u8; HEADER / 4 * 3]) -> Option<&'s [u8]> {
    let (whole, rest) = (header.len().min(HEADER) / 4 * 4, header.len() % 4);
    let used = if header.len() < HEADER && rest > 1 { header.len() } else { whole };
    let mut letters = [b'A'; HEADER];
    letters[..used].copy_from_slice(&header[..used]);
    let letters = &letters[..used.next_multiple_of(4)];
    let said = &mut said[..letters.len() / 4 * 3];
    BASE64URL_NOPAD.decode_mut(letters, said).ok()?;
    let said = &said[..used * 3 / 4];
    let start = said.iter().skip(1).find(|b| !b.is_ascii_whitespace());
    (said.first() == Some(&b'{')
        && start == Some(&b'"')
        && std::str::from_utf8(said)
            .is_ok_and(|said| !said.chars().any(|c| c.is_control() && !c.is_ascii_whitespace())))
    .then_some(said)
}

#[cfg(test)]
mod tests;
