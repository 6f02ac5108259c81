//! Looks at the parameters of signed links: `X-Amz-Signature`, `X-Goog-Signature`, Azure's `sig`,
//! CloudFront's and OSS's `Signature`, and the `code` of a redirect.
//!
//! Sources: AWS Signature Version 4 (query and header), Google Cloud Storage V4 signing, Azure
//! shared access signatures, CloudFront signed URLs, Alibaba OSS and Tencent COS signatures.

use super::super::super::hit::{Confidence, Hit, Until};
use super::super::super::until;
use super::super::super::view::{Look, View};
use super::super::judge;
use super::standin;

/// The shortest signature: a truncated HMAC.
const LEAST: usize = 20;
/// The longest name, and so much of a longer one.
const LONGEST: usize = 40;
/// The most between a name and its value: quotes, a colon, blanks.
const BETWEEN: usize = 12;

/// What a name asks of its value.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    /// The name says it all.
    Nothing,
    /// The value must look like a signature.
    Signature,
    /// The value must look like a signature, and not like the text of a program.
    Code,
}

/// Looks at the name of a parameter; `None` if it is not for this finder.
pub(in super::super) fn look(view: &View<'_>) -> Option<Look> {
    let (text, at) = (view.text, view.at);
    let rest = &text[at..];
    let mark = usize::from(matches!(rest[0], b'?' | b'&'));
    let length = rest[mark..].iter().take(LONGEST).take_while(|b| is_name(**b)).count();
    let end = at + mark + length;
    let mut lower = [0; LONGEST];
    let name = &mut lower[..length];
    name.copy_from_slice(&rest[mark..mark + length]);
    name.make_ascii_lowercase();
    let before = &text[..at + mark];
    let inner = before.last().is_some_and(|b| is_name(*b) || *b == b'.');
    let asked = asked(name, !inner || before.ends_with(b"\\u0026"))?;
    let start = end + separator(&text[end..])?;
    let value = &text[start..];
    let letters = value.iter().take_while(|b| **b != b'=' && until::is_token(**b)).count();
    let padding = value[letters..].iter().take(2).take_while(|b| **b == b'=').count();
    let value = &value[..letters + padding];
    let value = &value[..value.iter().rposition(|&b| b != b'.').map_or(0, |kept| kept + 1)];
    let fits = match asked {
        Asked::Nothing => value.len() >= 16 && !standin::is_template(value),
        Asked::Signature => is_signature(value),
        Asked::Code => is_signature(value) && !is_program(value),
    };
    let chained = value.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if start < view.floor || !fits || chained || judge::is_stand_in(value) {
        return None;
    }
    let stop = start + value.len();
    let open = (stop == text.len() && !view.last).then_some(Until::Token);
    let hit = Hit::known(start..stop, kind(name), Confidence::High);
    Some(Look::found(Hit { open, ..hit }))
}

/// What the name asks of its value; `own` says that it is not the end of a longer one.
fn asked(name: &[u8], own: bool) -> Option<Asked> {
    Some(match name {
        b"x-amz-signature"
        | b"x-amz-security-token"
        | b"x-goog-signature"
        | b"x-oss-signature"
        | b"x-oss-security-token"
        | b"x-tos-signature"
        | b"x-tos-security-token"
        | b"x-obs-signature"
        | b"q-signature" => Asked::Nothing,
        b"code" if own => Asked::Code,
        b"sig" | b"signature" if own => Asked::Signature,
        b"oauth_signature" => Asked::Signature,
        _ => return None,
    })
}

fn kind(name: &[u8]) -> &'static str {
    match name {
        b"x-amz-security-token" | b"x-oss-security-token" | b"x-tos-security-token" => {
            "session-token"
        }
        b"code" => "authorization-code",
        _ => "signature",
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The length of what stands between a name and its value: `=`, `": "`, `: `, `="`.
fn separator(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(BETWEEN)];
    let skipped =
        |from: usize, set: &[u8]| text[from..].iter().take_while(|b| set.contains(b)).count();
    let sign = skipped(0, b"\"'\\ ");
    if !matches!(text.get(sign), Some(b'=' | b':')) {
        return None;
    }
    Some(sign + 1 + skipped(sign + 1, b"\"'\\ "))
}

/// Lines, or blanks beside each other: what a page of examples is asked to run.
fn is_program(value: &[u8]) -> bool {
    [&b"%0A"[..], b"%0a", b"++", b"//+"]
        .iter()
        .any(|part| memchr::memmem::find(value, part).is_some())
}

/// Base64, hex, or percent-encoded base64: long, and neither a word nor a name.
fn is_signature(value: &[u8]) -> bool {
    let count = |fits: fn(&u8) -> bool| value.iter().filter(|b| fits(b)).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let escapes = count(|b| *b == b'%');
    let hex = value.iter().all(u8::is_ascii_hexdigit) && value.len() >= 32;
    let mixed = upper >= 2 + escapes && lower >= 2 && digits > escapes;
    value.len() >= LEAST && digits >= 1 && (hex || mixed)
}
