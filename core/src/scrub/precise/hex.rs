//! Looks at a bare run of 64 or more hexadecimal digits: a key, unless something around it says
//! that it is a digest.

use super::super::hit::{Confidence, Hit, Until};
use super::super::view::View;

/// The fewest digits: 256 bits.
const LEAST: usize = 64;
/// How far before the run its line is read.
const BEFORE: usize = 160;
/// How far around it the lines above and below are read.
const NEAR: usize = 400;
/// How far behind it.
const AFTER: usize = 96;

/// What says that a run is a digest, an address or data, anywhere in its line.
const PUBLIC: &[&[u8]] = &[
    b"sha",
    b"digest",
    b"hash",
    b"commit",
    b"checksum",
    b"integrity",
    b"tree",
    b"blob",
    b"etag",
    b"fingerprint",
    b"trace",
    b"md5",
    b"blake",
    b"crc",
    b"merkle",
    b"block",
    b"tx",
    b"parent",
    b"revision",
    b"rev",
    b"object",
    b"oid",
    b"cid",
    b"image",
    b"layer",
    b"thumbprint",
    b"sum",
    b"public",
    b"pubkey",
    b"cert",
    b"signature",
    b"nonce",
    b"expected",
    b"actual",
    b"got",
    b"want",
    b"assert",
    b"left",
    b"right",
    b"container",
    b"docker",
    b"ref",
    b"root",
    b"address",
    b"addr",
    b"vector",
    b"msg",
    b"message",
    b"input",
    b"output",
    b"plaintext",
    b"ciphertext",
    b"uuid",
    b"build",
    b"version",
    b"snapshot",
    b"serial",
    b"hex",
    b"dump",
    b"bytes",
    b"modulus",
    b"exponent",
    b"lock",
    b"package",
    b"cache",
    b"download",
    b"verified",
    b"resolved",
    b"keccak",
    b"sig",
    b"id",
    b"cc",
    b"shrinks",
];

/// The run that starts at or in the token at the sight.
pub(super) fn find(view: &View<'_>) -> Option<Hit> {
    let text = view.text;
    let start = view.at;
    let length = text[start..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let stop = start + length;
    if length < LEAST
        || start < view.floor
        || !is_bare(text, start, stop) && !is_item(text, start, stop)
        || is_plain(&text[start..stop])
    {
        return None;
    }
    let line = text[start.saturating_sub(BEFORE)..start].rsplit(|b| matches!(b, b'\n' | b'\r'));
    let before = line.into_iter().next().unwrap_or_default().to_ascii_lowercase();
    let after = &text[stop..text.len().min(stop + AFTER)];
    let after = after.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    if is_data(text, start, stop)
        || names_file(after)
        || is_told(&before)
        || is_told(&after.to_ascii_lowercase())
    {
        return None;
    }
    let open = (stop == text.len() && !view.last).then_some(Until::Token);
    Some(Hit { open, ..Hit::known(start..stop, "hex-key", Confidence::Low) })
}

/// True if the run stands between blanks, the ends of the text, or signs of a sentence.
fn is_bare(text: &[u8], start: usize, stop: usize) -> bool {
    let before = start.checked_sub(1).map(|at| text[at]);
    let opens = before.is_none_or(|b| b <= b' ' || b == b'=');
    let escape = text[..start].ends_with(b"\\n");
    // An argument, an item, a literal or a comment of code that goes on over lines.
    let lead = text[..start].iter().rev().take(NEAR).find(|b| !b.is_ascii_whitespace());
    if lead.is_some_and(|b| b"\"'`([{,/|\\".contains(b)) && !escape {
        return false;
    }
    let rest = &text[stop..];
    let ends = rest.first().is_none_or(|&b| b <= b' ' || b == b'\\');
    let sentence = rest.first().is_some_and(|b| b".,;!?)".contains(b))
        && rest.get(1).is_none_or(|&b| b <= b' ');
    (opens || escape) && (ends || sentence)
}

/// True if the run is a value of JSON under a name that is no file's: `"name": "…"`.
fn is_item(text: &[u8], start: usize, stop: usize) -> bool {
    let Some((before, quote)) = unquoted(&text[start.saturating_sub(BEFORE)..start]) else {
        return false;
    };
    let closed = text[stop..].strip_prefix(quote).map(<[u8]>::trim_ascii_start);
    let closes = closed.is_some_and(|rest| rest.first().is_none_or(|b| b",}\\".contains(b)));
    let name = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    let Some(name) = name.and_then(|name| name.strip_suffix(quote)) else { return false };
    let letters = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let length = name.iter().rev().take_while(letters).count();
    closes && length > 0 && name[..name.len() - length].ends_with(quote)
}

/// What stands before the quote that `text` ends with, and the quote with its `\`, if it has one.
fn unquoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let before = text.strip_suffix(b"\"")?;
    let before = before.strip_suffix(b"\\").unwrap_or(before);
    Some(text.split_at(before.len()))
}

/// True if the line above or below ends with digits too, or with a secret that was masked: this is
/// a dump, a table or a set of test vectors.
fn is_data(text: &[u8], start: usize, stop: usize) -> bool {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let mut above = text[start.saturating_sub(NEAR)..start].rsplit(is_break).skip(1);
    let mut below = text[stop..text.len().min(stop + NEAR)].split(is_break).skip(1);
    [above.find(|line| !line.is_empty()), below.find(|line| !line.is_empty())]
        .into_iter()
        .flatten()
        .any(ends_with_digits)
}

fn ends_with_digits(line: &[u8]) -> bool {
    let end = line.iter().rposition(|b| b.is_ascii_alphanumeric() || *b == b']');
    let line = end.map_or(&line[..0], |end| &line[..=end]);
    let digits = line.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    digits >= 32 || line.ends_with(b"]") && memchr::memmem::find(line, b"[REDACTED").is_some()
}

/// True for a row of few different digits, and for decimal digits alone.
fn is_plain(run: &[u8]) -> bool {
    let mut seen = 0_u32;
    for byte in run {
        let digit = char::from(*byte).to_digit(16).unwrap_or_default();
        seen |= 1 << digit;
    }
    seen.count_ones() < 4 || run.iter().all(u8::is_ascii_digit)
}

/// True if what follows is a file's name, as `sha256sum` writes it: blanks, perhaps a `*`, a name.
fn names_file(after: &[u8]) -> bool {
    let blanks = after.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let name = &after[blanks..];
    if blanks == 0 || name.is_empty() {
        return false;
    }
    let word = name.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(name.len());
    let dotted = name[..word].iter().rev().skip(1).any(|b| matches!(b, b'.' | b'/' | b'\\'));
    name[0] == b'*' || name == b"-" || blanks >= 2 || dotted
}

/// True if a word of `line` says that the run is public.
fn is_told(line: &[u8]) -> bool {
    let mut words = line.split(|b| !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let long =
            |public: &&[u8]| public.len() > 3 && memchr::memmem::find(word, public).is_some();
        let digits = word.len() >= 16 && word.iter().all(u8::is_ascii_hexdigit);
        digits
            || PUBLIC.iter().any(|public| {
                word.starts_with(public) && word.len() <= public.len() + 4 || long(public)
            })
    })
}

#[cfg(test)]
mod tests;
