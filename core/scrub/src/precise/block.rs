//! Private key blocks: finds the body of a PEM or PGP block, however it is indented and escaped.
//!
//! Only the body is masked; the BEGIN and END lines stay. A block is private by its label. The
//! parse of the body is in [`continuation::body`](crate::continuation::body), since a body may be
//! longer than a view.
//!
//! Labels: RFC 7468 (`PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`), RFC 5915 (`EC PRIVATE KEY`), OpenSSL
//! (`RSA`, `DSA`), OpenSSH, RFC 9580 (`PGP PRIVATE KEY BLOCK`), RFC 4716 (`---- BEGIN SSH2 …`),
//! OpenVPN's static keys. PuTTY's file format writes its private lines below `Private-Lines: n`.

use super::super::continuation::body::{MIN_LONG_PIECE, NextPiece, next, without_suffix};
use super::super::continuation::{End, end};
use super::super::hit::{Confidence, Continuation, Hit};
use super::super::view::{Outcome, View};
use crate::words;

/// The longest label between `BEGIN` and the dashes behind it, in bytes.
const MAX_LABEL: usize = 80;
/// The longest header inside a block, in bytes: `Comment: …`, `DEK-Info: …`.
const MAX_HEADER: usize = 240;
/// How far the end line may be from the last line of base64, in bytes, if someone left out lines in
/// between.
const MAX_OMITTED: usize = 512;

/// Inspects the first `-` of a BEGIN line, or `Private-Lines`.
pub(super) fn inspect(view: &View<'_>) -> Outcome {
    let text = view.text;
    let Some(opened) = begin_line_length(&text[view.at..]) else {
        return Outcome::none(view.at + 5);
    };
    let body = skip_headers(text, view.at + opened);
    match find_body(view, body) {
        Some(hit) if hit.span.start >= view.floor => Outcome::found(hit),
        _ => Outcome::none(view.at + opened),
    }
}

/// The length of the line that `text` starts with, if a private key stands below it.
fn begin_line_length(text: &[u8]) -> Option<usize> {
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
    let label = &line[..line.len().min(MAX_LABEL)];
    let length = label.windows(dashes).position(|end| end.iter().all(|&b| b == b'-'))?;
    let label = &label[..length];
    let letters =
        |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'+' | b'%' | b'_' | b'-');
    let has = |word: &[u8]| label.windows(word.len()).any(|part| part == word);
    let private = has(b"PRIVATE") && has(b"KEY") || has(b"OpenVPN Static key");
    (private && label.iter().all(letters)).then(|| text.len() - line.len() + length + dashes)
}

/// Where the body starts behind the headers of a block, such as `Proc-Type: 4,ENCRYPTED`.
fn skip_headers(text: &[u8], from: usize) -> usize {
    let mut at = from;
    for _ in 0..8 {
        let start = at + blank_length(&text[at..]);
        let rest = &text[start..text.len().min(start + MAX_HEADER)];
        let name = rest.iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'-').count();
        let known = words::BLOCK_HEADERS.iter().any(|known| rest[..name].starts_with(known));
        if !known || !rest[name..].starts_with(b": ") {
            break;
        }
        let Some(length) = rest.iter().position(|&b| b == b'\n' || b == b'\\') else { break };
        at = start + length;
    }
    at
}

/// The length of the white space that `text` starts with, with escaped line ends.
fn blank_length(text: &[u8]) -> usize {
    let mut at = 0;
    while at < MAX_HEADER {
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
fn find_body(view: &View<'_>, from: usize) -> Option<Hit> {
    let text = view.text;
    let NextPiece::Piece { start, .. } = next(text, from, view.last) else { return None };
    let (stop, open) = match end(Continuation::Block, text, start, view.last) {
        End::At(stop) => (stop, None),
        End::Beyond(stop) => (stop, Some(Continuation::Block)),
    };
    let body = &text[start..stop];
    let same = body.iter().filter(|byte| byte.is_ascii_alphanumeric()).all(|&byte| byte == body[0]);
    if body.len() < MIN_LONG_PIECE || same {
        return None;
    }
    let stop = if open.is_none() { end_of_omitted(text, stop).unwrap_or(stop) } else { stop };
    Some(Hit { open, ..Hit::known(start..stop, "private-key", Confidence::High) })
}

/// The end of a body with lines left out: the end line must follow nearby.
fn end_of_omitted(text: &[u8], from: usize) -> Option<usize> {
    let rest = &text[from..text.len().min(from + MAX_OMITTED)];
    let dashes = rest.windows(4).position(|dashes| dashes == b"----")?;
    let line = &rest[dashes..];
    let line = &line[line.iter().take_while(|&&b| b == b'-' || b == b' ').count()..];
    let quoted = rest[..dashes].contains(&b'"');
    if quoted || !line.starts_with(b"END") {
        return None;
    }
    // What a log puts before the end line does not belong to the body.
    let last = memchr::memrchr(b'\n', &rest[..dashes]).unwrap_or(dashes);
    let mut left = &rest[..last];
    while let Some(before) = strip_line_end(left).or_else(|| strip_log_suffix(left)) {
        left = before;
    }
    (!left.is_empty()).then_some(from + left.len())
}

/// `text` without the suffix of a log line.
fn strip_log_suffix(text: &[u8]) -> Option<&[u8]> {
    Some(without_suffix(text)).filter(|less| less.len() < text.len())
}

/// `text` without the blank, the line end (plain or escaped) or the line number at its end.
fn strip_line_end(text: &[u8]) -> Option<&[u8]> {
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
