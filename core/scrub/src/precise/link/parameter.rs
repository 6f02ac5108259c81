//! Parameters of signed links: `X-Amz-Signature`, `X-Goog-Signature`, Azure's `sig`, CloudFront's
//! and OSS's `Signature`, and the `code` of a redirect.
//!
//! Sources: AWS Signature Version 4 (query and header), Google Cloud Storage V4 signing, Azure
//! shared access signatures, CloudFront signed URLs, Alibaba OSS and Tencent COS signatures.

use super::super::super::continuation;
use super::super::super::hit::{Confidence, Continuation, Hit};
use super::super::super::view::{Outcome, View};
use super::super::judge;
use super::dummy_password;

/// The shortest signature, in bytes: a truncated HMAC.
const MIN_SIGNATURE: usize = 20;
/// The longest name that is read, in bytes.
const MAX_NAME: usize = 40;
/// The longest separator between name and value, in bytes: quotes, a colon, blanks.
const MAX_SEPARATOR: usize = 12;

/// What the value must look like.
#[derive(Clone, Copy, PartialEq)]
enum ValueRule {
    /// Anything: the name suffices.
    Nothing,
    /// A signature.
    Signature,
    /// A signature, but not a program: pages of examples pass one as `code`.
    Code,
}

/// Inspects the name of a parameter; `None` if this detector does not know it.
pub(in super::super) fn inspect(view: &View<'_>) -> Option<Outcome> {
    let (text, at) = (view.text, view.at);
    let rest = &text[at..];
    let mark = usize::from(matches!(rest[0], b'?' | b'&'));
    let length = rest[mark..].iter().take(MAX_NAME).take_while(|b| is_name(**b)).count();
    let end = at + mark + length;
    let mut lower = [0; MAX_NAME];
    let name = &mut lower[..length];
    name.copy_from_slice(&rest[mark..mark + length]);
    name.make_ascii_lowercase();
    let before = &text[..at + mark];
    let inner = before.last().is_some_and(|b| is_name(*b) || *b == b'.');
    let rule = value_rule(name, !inner || before.ends_with(b"\\u0026"))?;
    let start = end + separator(&text[end..])?;
    let value = &text[start..];
    let letters = value.iter().take_while(|b| **b != b'=' && continuation::is_token(**b)).count();
    let padding = value[letters..].iter().take(2).take_while(|b| **b == b'=').count();
    let value = &value[..letters + padding];
    let value = &value[..value.iter().rposition(|&b| b != b'.').map_or(0, |kept| kept + 1)];
    let fits = match rule {
        ValueRule::Nothing => value.len() >= 16 && !dummy_password::is_template(value),
        ValueRule::Signature => is_signature(value),
        ValueRule::Code => is_signature(value) && !looks_like_program(value),
    };
    let chained = value.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if start < view.floor || !fits || chained || judge::is_dummy_value(value) {
        return None;
    }
    let stop = start + value.len();
    let open = (stop == text.len() && !view.last).then_some(Continuation::Token);
    let hit = Hit::known(start..stop, kind(name), Confidence::High);
    Some(Outcome::found(Hit { open, ..hit }))
}

/// The rule for the value of a name. `own` says that the name is not the end of a longer one.
fn value_rule(name: &[u8], own: bool) -> Option<ValueRule> {
    Some(match name {
        b"x-amz-signature"
        | b"x-amz-security-token"
        | b"x-goog-signature"
        | b"x-oss-signature"
        | b"x-oss-security-token"
        | b"x-tos-signature"
        | b"x-tos-security-token"
        | b"x-obs-signature"
        | b"q-signature" => ValueRule::Nothing,
        b"code" if own => ValueRule::Code,
        b"sig" | b"signature" if own => ValueRule::Signature,
        b"oauth_signature" => ValueRule::Signature,
        _ => return None,
    })
}

/// The kind of the secret in a parameter.
fn kind(name: &[u8]) -> &'static str {
    match name {
        b"x-amz-security-token" | b"x-oss-security-token" | b"x-tos-security-token" => {
            "session-token"
        }
        b"code" => "authorization-code",
        _ => "signature",
    }
}

/// True for a byte of a parameter's name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The length of the separator between name and value: `=`, `": "`, `: `, `="`.
fn separator(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(MAX_SEPARATOR)];
    let skipped =
        |from: usize, set: &[u8]| text[from..].iter().take_while(|b| set.contains(b)).count();
    let sign = skipped(0, b"\"'\\ ");
    if !matches!(text.get(sign), Some(b'=' | b':')) {
        return None;
    }
    Some(sign + 1 + skipped(sign + 1, b"\"'\\ "))
}

/// True for text with line ends or several blanks: a program.
fn looks_like_program(value: &[u8]) -> bool {
    [&b"%0A"[..], b"%0a", b"++", b"//+"]
        .iter()
        .any(|part| memchr::memmem::find(value, part).is_some())
}

/// True for a signature: long base64, hexadecimal, or base64 with percent escapes.
fn is_signature(value: &[u8]) -> bool {
    let count = |fits: fn(&u8) -> bool| value.iter().filter(|b| fits(b)).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let escapes = count(|b| *b == b'%');
    let hex = value.iter().all(u8::is_ascii_hexdigit) && value.len() >= 32;
    let mixed = upper >= 2 + escapes && lower >= 2 && digits > escapes;
    value.len() >= MIN_SIGNATURE && digits >= 1 && (hex || mixed)
}
