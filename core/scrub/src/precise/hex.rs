//! Looks at a bare run of 64 or more hexadecimal digits: a key, unless something around it says
//! that it is a digest.

use super::super::hit::{Confidence, Hit, Until};
use super::super::view::View;
use super::judge::Starts;

/// The fewest digits: 256 bits.
const LEAST: usize = 64;
/// How far before the run its line is read.
const BEFORE: usize = 160;
/// How far around it the lines above and below are read.
const NEAR: usize = 400;
/// How far behind it.
const AFTER: usize = 96;
const _: () = assert!(AFTER <= BEFORE);

/// What says that a run is a digest, an address or data, anywhere in its line; in order, so that
/// those with the same first letter stand together.
static PUBLIC: Starts = Starts::new(&[
    b"actual",
    b"addr",
    b"address",
    b"assert",
    b"blake",
    b"blob",
    b"block",
    b"build",
    b"bytes",
    b"cache",
    b"cc",
    b"cert",
    b"checksum",
    b"cid",
    b"ciphertext",
    b"commit",
    b"container",
    b"crc",
    b"deleted",
    b"digest",
    b"docker",
    b"download",
    b"dump",
    b"etag",
    b"expected",
    b"exponent",
    b"fingerprint",
    b"got",
    b"hash",
    b"hex",
    b"id",
    b"image",
    b"input",
    b"integrity",
    b"keccak",
    b"layer",
    b"left",
    b"lock",
    b"md5",
    b"merkle",
    b"message",
    b"modulus",
    b"msg",
    b"nonce",
    b"object",
    b"oid",
    b"output",
    b"package",
    b"parent",
    b"plaintext",
    b"pubkey",
    b"public",
    b"ref",
    b"resolved",
    b"rev",
    b"revision",
    b"right",
    b"root",
    b"serial",
    b"sha",
    b"sha1",
    b"sha2",
    b"sha3",
    b"sha5",
    b"shrinks",
    b"sig",
    b"signature",
    b"snapshot",
    b"sshfp",
    b"sum",
    b"thumbprint",
    b"tlsa",
    b"trace",
    b"tree",
    b"tx",
    b"uuid",
    b"vector",
    b"verified",
    b"version",
    b"want",
]);

/// False if [`find`] finds nothing at `at`, where a run starts, for what stands before it.
pub(super) fn may_stand(text: &[u8], at: usize) -> bool {
    if text[..at].ends_with(b"\"") { is_named(text, at) } else { opens(text, at) }
}

/// The run that starts at or in the token at the sight.
pub(super) fn find(view: &View<'_>) -> Option<Hit> {
    let text = view.text;
    let start = view.at;
    let quoted = text[..start].ends_with(b"\"");
    if start < view.floor || !quoted && !opens(text, start) {
        return None;
    }
    let least = text.get(start..start + LEAST)?;
    if !least.iter().fold(true, |all, b| all & b.is_ascii_hexdigit()) {
        return None;
    }
    let more = text[start + LEAST..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let stop = start + LEAST + more;
    let stands = if quoted { is_item(text, start, stop) } else { is_bare(text, start, stop) };
    if !stands || is_plain(&text[start..stop]) {
        return None;
    }
    let line = text[start.saturating_sub(BEFORE)..start].rsplit(|b| matches!(b, b'\n' | b'\r'));
    let before = line.into_iter().next().unwrap_or_default();
    let after = &text[stop..text.len().min(stop + AFTER)];
    let after = after.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let told = is_told(before) || is_told(after) || is_told_above(line_above(text, start));
    if is_data(text, start, stop) || names_file(after) || told {
        return None;
    }
    let open = (stop == text.len() && !view.last).then_some(Until::Token);
    Some(Hit { open, ..Hit::known(start..stop, "hex-key", Confidence::Low) })
}

/// True if a blank or an equals sign stands before the run, or the escape of a line end.
fn opens(text: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).map(|at| text[at]);
    before.is_none_or(|b| b <= b' ' || b == b'=') || is_escaped(text, start)
}

fn is_escaped(text: &[u8], start: usize) -> bool {
    text[..start].ends_with(b"\\n")
}

/// True if a run that [`opens`] ends before a blank, the end of the text, or a sign of a sentence,
/// and is no part of something longer.
fn is_bare(text: &[u8], start: usize, stop: usize) -> bool {
    let rest = &text[stop..];
    let ends = rest.first().is_none_or(|&b| b <= b' ' || b == b'\\');
    let sentence = rest.first().is_some_and(|b| b".,;!?)".contains(b))
        && rest.get(1).is_none_or(|&b| b <= b' ');
    if !ends && !sentence {
        return false;
    }
    // An argument, an item, a literal or a comment of code that goes on over lines.
    let lead = text[..start].iter().rev().take(NEAR).find(|b| !b.is_ascii_whitespace());
    is_escaped(text, start) || !lead.is_some_and(|b| b"\"'`([{,/|\\".contains(b))
}

/// True if the run is a value of JSON under a name that is no file's: `"name": "…"`.
fn is_item(text: &[u8], start: usize, stop: usize) -> bool {
    let Some((_, quote)) = unquoted(&text[start.saturating_sub(BEFORE)..start]) else {
        return false;
    };
    let closed = text[stop..].strip_prefix(quote).map(<[u8]>::trim_ascii_start);
    let closes = closed.is_some_and(|rest| rest.first().is_none_or(|b| b",}\\".contains(b)));
    closes && is_named(text, start)
}

/// True if such a name and a quote stand before a run.
fn is_named(text: &[u8], start: usize) -> bool {
    let Some((before, quote)) = unquoted(&text[start.saturating_sub(BEFORE)..start]) else {
        return false;
    };
    let name = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    let Some(name) = name.and_then(|name| name.strip_suffix(quote)) else { return false };
    let letters = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let length = name.iter().rev().take_while(letters).count();
    length > 0 && name[..name.len() - length].ends_with(quote)
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

/// The end of the line above the one on which the run starts.
fn line_above(text: &[u8], start: usize) -> &[u8] {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let before = &text[start.saturating_sub(NEAR)..start];
    let lines = before.rsplit(is_break).skip(1).find(|line| !line.is_empty());
    let line = lines.unwrap_or_default();
    &line[line.len().saturating_sub(BEFORE)..]
}

/// True if the line above says that a digest, or the id of a container, stands below it.
fn is_told_above(line: &[u8]) -> bool {
    const WORDS: [&[u8]; 11] = [
        b"sha-",
        b"sha1",
        b"sha2",
        b"sha3",
        b"sha5",
        b"blake",
        b"digest",
        b"checksum",
        b"hash",
        b"docker ",
        b"podman ",
    ];
    let starts = |at: usize| {
        let word = |word: &&[u8]| {
            line[at..].get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        WORDS.iter().any(word)
    };
    (0..line.len()).any(starts)
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
    // A size stands between the two in the index of a repository of packages.
    let sized = name[..word].iter().all(u8::is_ascii_digit) && name.len() > word + 1;
    name[0] == b'*' || name == b"-" || blanks >= 2 || dotted || sized
}

/// True if a word of `line`, in any case, says that the run is public, or one is the name of an id:
/// `SandboxID`, `grantId`.
fn is_told(line: &[u8]) -> bool {
    let names_id = |word: &[u8]| word.len() > 3 && (word.ends_with(b"Id") || word.ends_with(b"ID"));
    if line.split(|b| !b.is_ascii_alphanumeric()).any(names_id) {
        return true;
    }
    let mut lower = [0; BEFORE];
    let lower = &mut lower[..line.len().min(BEFORE)];
    lower.copy_from_slice(&line[..lower.len()]);
    lower.make_ascii_lowercase();
    let words = lower.split(|b| !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.into_iter().any(|word| {
        let digits = word.len() >= 16 && word.iter().all(u8::is_ascii_hexdigit);
        let short = |public: &[u8]| word.len() <= public.len() + 4;
        let long = |at: usize| PUBLIC.of(&word[at..]).any(|public| public.len() > 3);
        // The digest of a key in the DNS.
        let signer = matches!(word, b"ds" | b"cds");
        digits || signer || PUBLIC.of(word).any(short) || (0..word.len()).any(long)
    })
}

#[cfg(test)]
mod tests;
