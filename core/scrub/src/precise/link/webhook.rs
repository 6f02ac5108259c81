//! Webhooks: links that are secrets by themselves, with a token in their path.
//!
//! The hosts are data: `data/webhooks.toml`. Chat servers that anyone may host are recognised by
//! their path.

use super::super::super::continuation;
use super::super::super::hit::{Confidence, Continuation, Hit};
use super::super::judge;
use super::dummy_password;

/// The longest host. Source: RFC 1035, section 2.3.4.
const MAX_HOST: usize = 255;

/// How a token stands in the path at a host.
struct Webhook {
    /// The end of the host's name.
    host: &'static [u8],
    /// What stands in the path before the token and the parts that are skipped.
    marker: &'static [u8],
    /// How many parts of the path stand between the marker and the token.
    skip: usize,
    /// True if the rest of the path belongs to the token.
    whole_path: bool,
    /// The shortest token, in bytes.
    min_length: usize,
}

include!(concat!(env!("OUT_DIR"), "/webhooks.rs"));

/// The path of self-hosted chat servers. Mattermost has 26 letters and digits behind it;
/// Rocket.Chat an id of 17 to 24 and a token of 48.
const SELF_HOSTED_PATH: &[u8] = b"/hooks/";

/// The length of a Mattermost token, the shorter of the two.
const SELF_HOSTED_TOKEN: usize = 26;

/// How much of a path is read, in bytes.
const MAX_PATH: usize = 512;

/// The token in the path of the URL whose host starts at `start`. `url` is the text there, up to
/// white space, a quote or the next link.
pub(super) fn find(text: &[u8], start: usize, url: &[u8], last: bool) -> Option<Hit> {
    let rest = &text[start..];
    let length = rest.iter().take(MAX_HOST).take_while(|&&b| IS_HOST_BYTE[usize::from(b)]).count();
    let host = &rest[..memchr::memchr(b':', &rest[..length]).unwrap_or(length)];
    let path = start + length;
    if host.is_empty() || text.get(path) != Some(&b'/') {
        return None;
    }
    if may_be_listed(host) {
        let known = WEBHOOKS.iter().filter(|webhook| ends_with(host, webhook.host));
        if let Some(hit) = known.filter_map(|webhook| token(text, path, webhook, last)).next() {
            return Some(hit);
        }
    }
    // If the path is not part of `url`, it must be read.
    (length >= url.len() || is_self_hosted(url)).then(|| self_hosted(text, path)).flatten()
}

/// True if the link contains [`SELF_HOSTED_PATH`]. The `k` in it is rare.
fn is_self_hosted(url: &[u8]) -> bool {
    /// How far behind the start of the path its `k` stands.
    const BEFORE: usize = 4;
    let starts = |at: usize| {
        at.checked_sub(BEFORE).is_some_and(|at| url[at..].starts_with(SELF_HOSTED_PATH))
    };
    memchr::memchr_iter(b'k', url).any(starts)
}

/// One bit for each hash of the last eight bytes of a host in [`WEBHOOKS`].
const HOST_END_BITS: [u64; 16] = {
    let mut ends = [0; 16];
    let mut index = 0;
    while index < WEBHOOKS.len() {
        let end = WEBHOOKS[index].host.last_chunk();
        assert!(end.is_some(), "a host is too short");
        if let Some(end) = end {
            let bit = host_end_hash(*end);
            ends[bit / 64] |= 1 << (bit % 64);
        }
        index += 1;
    }
    ends
};

/// A hash below 1,024 of the end of a host, in any case.
const fn host_end_hash(end: [u8; 8]) -> usize {
    let folded = u64::from_le_bytes(end) | 0x2020_2020_2020_2020;
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

/// A prefilter: false only if the host is not in [`WEBHOOKS`].
#[inline]
pub(super) fn may_be_listed(host: &[u8]) -> bool {
    host.last_chunk().is_some_and(|end| {
        let bit = host_end_hash(*end);
        HOST_END_BITS[bit / 64] >> (bit % 64) & 1 == 1
    })
}

/// What a host and its port are made of.
static IS_HOST_BYTE: [bool; 256] = {
    let mut host = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        host[byte] =
            (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'.' | b'-' | b':');
        byte += 1;
    }
    host
};

/// True if `host` is `name` or stands below it.
fn ends_with(host: &[u8], name: &[u8]) -> bool {
    host.len() >= name.len() && {
        let (before, end) = host.split_at(host.len() - name.len());
        let whole = before.last().is_none_or(|&b| b == b'.') || name[0] == b'.';
        whole && end.eq_ignore_ascii_case(name)
    }
}

/// The token of a webhook of a known host: behind its marker, and behind `skip` parts of the path.
fn token(text: &[u8], path: usize, webhook: &Webhook, last: bool) -> Option<Hit> {
    let line = line(text, path);
    let marker = memchr::memmem::find(line, webhook.marker)?;
    let mut from = marker + webhook.marker.len();
    for _ in 0..webhook.skip {
        from += line[from..].iter().position(|&b| b == b'/')? + 1;
    }
    let rest = &line[from..];
    let ends = |b: &u8| *b == b'/' && !webhook.whole_path || *b == b'?';
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    let value = trimmed(&rest[..length]);
    let piece = value.rsplit(|&b| b == b'/').find(|part| !part.is_empty())?;
    let drawn = judge::is_dummy_value(piece) || dummy_password::is_template(piece);
    let plain = piece.iter().filter(|b| b.is_ascii_digit()).count() == 0 && piece.len() < 20;
    let stands = drawn || piece.iter().all(|b| matches!(b, b'X' | b'x'));
    if value.len() < webhook.min_length || stands || (plain && webhook.min_length > 8) {
        return None;
    }
    let from = path + from;
    let end = from + value.len();
    let open = (end == text.len() && !last).then_some(Continuation::Token);
    Some(Hit { open, ..Hit::known(from..end, "webhook", Confidence::High) })
}

/// The token of a webhook of a chat server that anyone may host.
fn self_hosted(text: &[u8], path: usize) -> Option<Hit> {
    let line = line(text, path);
    if line.len() < SELF_HOSTED_PATH.len() + SELF_HOSTED_TOKEN {
        return None;
    }
    let from = memchr::memmem::find(line, SELF_HOSTED_PATH)? + SELF_HOSTED_PATH.len();
    let value = trimmed(line[from..].split(|&b| b == b'?').next()?);
    let mut parts = value.split(|&b| b == b'/');
    let (first, second) = (parts.next()?, parts.next());
    let mixed = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphanumeric)
            && part.iter().any(u8::is_ascii_digit)
            && part.iter().any(u8::is_ascii_alphabetic)
    };
    let from = path + from;
    let span = match second {
        None if first.len() == SELF_HOSTED_TOKEN && mixed(first) => from..from + SELF_HOSTED_TOKEN,
        Some(token) if first.len() >= 17 && token.len() >= 40 && mixed(token) => {
            from + first.len() + 1..from + first.len() + 1 + token.len()
        }
        _ => return None,
    };
    Some(Hit::known(span, "webhook", Confidence::Medium))
}

/// The path at `path` and its query, as far as the next link.
fn line(text: &[u8], path: usize) -> &[u8] {
    let line = &text[path..text.len().min(path + MAX_PATH)];
    let belongs =
        |at: usize| is_path(line[at]) && !(line[at] == b':' && line[at..].starts_with(b"://"));
    &line[..(0..line.len()).take_while(|&at| belongs(at)).count()]
}

/// True for a byte of a path or query.
fn is_path(byte: u8) -> bool {
    continuation::is_token(byte) || matches!(byte, b'@' | b':' | b'?' | b'&')
}

/// Without what ends a sentence.
fn trimmed(value: &[u8]) -> &[u8] {
    let kept = value.iter().rposition(|b| !matches!(b, b'.' | b':' | b'?' | b'&' | b'/'));
    &value[..kept.map_or(0, |kept| kept + 1)]
}
