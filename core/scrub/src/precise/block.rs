//! Looks at a PEM or PGP block: the body of a private key, whatever its indentation and escapes.
//!
//! Labels: RFC 7468 (`PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`), RFC 5915 (`EC PRIVATE KEY`), OpenSSL
//! (`RSA`, `DSA`), OpenSSH, RFC 9580 (`PGP PRIVATE KEY BLOCK`), RFC 4716 (`---- BEGIN SSH2 …`),
//! OpenVPN's static keys. PuTTY's file format writes its private lines below `Private-Lines: n`.

use super::super::hit::{Confidence, Hit, Until};
use super::super::until::body::{LONG, Next, next, without_suffix};
use super::super::until::{End, end};
use super::super::view::{Look, View};

/// The longest label: what stands between `BEGIN` and the dashes behind it.
const LABEL: usize = 80;
/// How the names of headers inside a block begin. Sources: RFC 1421, RFC 4716, RFC 9580.
const HEADERS: [&[u8]; 12] = [
    b"Proc-Type",
    b"DEK-Info",
    b"Key-Info",
    b"Content-Domain",
    b"Version",
    b"Comment",
    b"MessageID",
    b"Hash",
    b"Charset",
    b"Subject",
    b"X-",
    b"x-",
];
/// The longest header inside a block: `Comment: …`, `DEK-Info: …`.
const HEADER: usize = 240;
/// How far the end line may be from the last line that looks like base64: somebody left out what
/// stands between.
const OMITTED: usize = 512;

/// Looks at the first `-` of a BEGIN line, or at `Private-Lines`.
pub(super) fn look(view: &View<'_>) -> Look {
    let text = view.text;
    let Some(opened) = opening(&text[view.at..]) else { return Look::nothing(view.at + 5) };
    let body = headers(text, view.at + opened);
    match secret(view, body) {
        Some(hit) if hit.span.start >= view.floor => Look::found(hit),
        _ => Look::nothing(view.at + opened),
    }
}

/// How long the line is that `text` starts with, if a private key stands below it.
fn opening(text: &[u8]) -> Option<usize> {
    if let Some(rest) = text.strip_prefix(b"Private-Lines:") {
        let skipped = rest.iter().take_while(|&&b| b == b' ' || b.is_ascii_digit()).take(8).count();
        return Some(text.len() - rest.len() + skipped);
    }
    let dashes = text.iter().take(6).take_while(|&&b| b == b'-').count();
    if dashes < 4 {
        return None;
    }
    let line = &text[dashes..];
    let line = line.strip_prefix(b" ").unwrap_or(line).strip_prefix(b"BEGIN")?;
    let label = &line[..line.len().min(LABEL)];
    let length = label.windows(dashes).position(|end| end.iter().all(|&b| b == b'-'))?;
    let label = &label[..length];
    let letters =
        |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'+' | b'%' | b'_' | b'-');
    let has = |word: &[u8]| label.windows(word.len()).any(|part| part == word);
    let private = has(b"PRIVATE") && has(b"KEY") || has(b"OpenVPN Static key");
    (private && label.iter().all(letters)).then(|| text.len() - line.len() + length + dashes)
}

/// Where the body starts behind the headers of a block, `Proc-Type: 4,ENCRYPTED`, if there are
/// any.
fn headers(text: &[u8], from: usize) -> usize {
    let mut at = from;
    for _ in 0..8 {
        let start = at + blank(&text[at..]);
        let rest = &text[start..text.len().min(start + HEADER)];
        let name = rest.iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'-').count();
        let known = HEADERS.iter().any(|known| rest[..name].starts_with(known));
        if !known || !rest[name..].starts_with(b": ") {
            break;
        }
        let Some(length) = rest.iter().position(|&b| b == b'\n' || b == b'\\') else { break };
        at = start + length;
    }
    at
}

/// The length of the white space that `text` starts with, escaped line ends included.
fn blank(text: &[u8]) -> usize {
    let mut at = 0;
    while at < HEADER {
        at += match text.get(at..) {
            Some([b' ' | b'\t' | b'\r' | b'\n', ..]) => 1,
            Some([b'\\', b'\\', b'n' | b'r', ..]) => 3,
            Some([b'\\', b'n' | b'r', ..]) => 2,
            _ => break,
        };
    }
    at
}

/// The body at or behind `from`.
fn secret(view: &View<'_>, from: usize) -> Option<Hit> {
    let text = view.text;
    let Next::Piece { start, .. } = next(text, from, view.last) else { return None };
    let (stop, open) = match end(Until::Block, text, start, view.last) {
        End::At(stop) => (stop, None),
        End::Beyond(stop) => (stop, Some(Until::Block)),
    };
    let body = &text[start..stop];
    let same = body.iter().filter(|byte| byte.is_ascii_alphanumeric()).all(|&byte| byte == body[0]);
    if body.len() < LONG || same {
        return None;
    }
    let stop = if open.is_none() { closed(text, stop).unwrap_or(stop) } else { stop };
    Some(Hit { open, ..Hit::known(start..stop, "private-key", Confidence::High) })
}

/// The end of the body where the end line follows near, after lines that are no base64.
fn closed(text: &[u8], from: usize) -> Option<usize> {
    let rest = &text[from..text.len().min(from + OMITTED)];
    let dashes = rest.windows(4).position(|dashes| dashes == b"----")?;
    let line = &rest[dashes..];
    let line = &line[line.iter().take_while(|&&b| b == b'-' || b == b' ').count()..];
    let quoted = rest[..dashes].contains(&b'"');
    if quoted || !line.starts_with(b"END") {
        return None;
    }
    // What a log puts before the end line is none of the body.
    let last = memchr::memrchr(b'\n', &rest[..dashes]).unwrap_or(dashes);
    let mut left = &rest[..last];
    while let Some(before) = without_line_end(left).or_else(|| without_mark(left)) {
        left = before;
    }
    (!left.is_empty()).then_some(from + left.len())
}

/// `text` without what may stand behind a line of a log.
fn without_mark(text: &[u8]) -> Option<&[u8]> {
    Some(without_suffix(text)).filter(|less| less.len() < text.len())
}

/// `text` without the blank, the line end, plain or escaped, or the line number that it ends with.
fn without_line_end(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().rev().take(7).take_while(|byte| byte.is_ascii_digit()).count();
    let before = &text[..text.len() - digits];
    if (1..7).contains(&digits) && before.last().is_none_or(|&byte| byte <= b' ') {
        return Some(before);
    }
    [&b"\\n"[..], b"\\r", b"\\", b"%0A", b"%0D", b"&#10;", b"\n", b"\r", b" ", b"\t"]
        .iter()
        .find_map(|end| text.strip_suffix(*end))
}

#[cfg(test)]
mod tests;
