//! Hexadecimal keys: a bare run of 64 or more hexadecimal digits, unless something around it says
//! that it is public.
//!
//! Nothing distinguishes a 256-bit key from a SHA-256 digest but its surroundings. So the run must
//! stand alone (behind a blank or an equals sign, or as a value in JSON), and neither its line nor
//! the line above may contain a [public word](words::PUBLIC_HEX_WORDS). Dumps, tables and lists of
//! files are excluded, too.

use super::super::hit::{Confidence, Continuation, Hit};
use super::super::view::View;
use super::judge::PrefixSet;
use crate::words;

/// The fewest digits: 256 bits.
const MIN_DIGITS: usize = 64;
/// How much of the line before the run is read, in bytes.
const MAX_BEFORE: usize = 160;
/// How much of the lines above and below is read, in bytes.
const MAX_NEARBY: usize = 400;
/// How much of the line behind the run is read, in bytes.
const MAX_AFTER: usize = 96;
const _: () = assert!(MAX_AFTER <= MAX_BEFORE);

/// Words that mark a run as public, from `data/words/context.toml`.
static PUBLIC_WORDS: PrefixSet = PrefixSet::new(words::PUBLIC_HEX_WORDS);

/// A prefilter: false only if [`find`] finds nothing in a run that starts at `at`, because of what
/// stands before it.
pub(super) fn may_start_key(text: &[u8], at: usize) -> bool {
    if text[..at].ends_with(b"\"") { is_named(text, at) } else { is_after_blank(text, at) }
}

/// The key that starts at or in the token at the candidate.
pub(super) fn find(view: &View<'_>) -> Option<Hit> {
    let text = view.text;
    let start = view.at;
    let quoted = text[..start].ends_with(b"\"");
    if start < view.floor || !quoted && !is_after_blank(text, start) {
        return None;
    }
    let least = text.get(start..start + MIN_DIGITS)?;
    if !least.iter().fold(true, |all, b| all & b.is_ascii_hexdigit()) {
        return None;
    }
    let more = text[start + MIN_DIGITS..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let stop = start + MIN_DIGITS + more;
    let stands = if quoted { is_item(text, start, stop) } else { is_bare(text, start, stop) };
    if !stands || is_trivial(&text[start..stop]) {
        return None;
    }
    let line = text[start.saturating_sub(MAX_BEFORE)..start].rsplit(|b| matches!(b, b'\n' | b'\r'));
    let before = line.into_iter().next().unwrap_or_default();
    let after = &text[stop..text.len().min(stop + MAX_AFTER)];
    let after = after.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let public =
        says_public(before) || says_public(after) || says_digest_above(line_above(text, start));
    if is_in_data(text, start, stop) || names_file(after) || public {
        return None;
    }
    let open = (stop == text.len() && !view.last).then_some(Continuation::Token);
    Some(Hit { open, ..Hit::known(start..stop, "hex-key", Confidence::Low) })
}

/// True if a blank, an equals sign or an escaped line end stands before the run.
fn is_after_blank(text: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).map(|at| text[at]);
    before.is_none_or(|b| b <= b' ' || b == b'=') || is_escaped(text, start)
}

/// True if an escaped line end stands before the run.
fn is_escaped(text: &[u8], start: usize) -> bool {
    text[..start].ends_with(b"\\n")
}

/// True if the run ends before a blank, the end of the text or punctuation, and is no part of
/// something longer.
fn is_bare(text: &[u8], start: usize, stop: usize) -> bool {
    let rest = &text[stop..];
    let ends = rest.first().is_none_or(|&b| b <= b' ' || b == b'\\');
    let sentence = rest.first().is_some_and(|b| b".,;!?)".contains(b))
        && rest.get(1).is_none_or(|&b| b <= b' ');
    if !ends && !sentence {
        return false;
    }
    // An argument, an item, a literal or a comment that goes on over several lines.
    let lead = text[..start].iter().rev().take(MAX_NEARBY).find(|b| !b.is_ascii_whitespace());
    is_escaped(text, start) || !lead.is_some_and(|b| b"\"'`([{,/|\\".contains(b))
}

/// True if the run is a value in JSON: `"name": "…"`. The name is not the name of a file.
fn is_item(text: &[u8], start: usize, stop: usize) -> bool {
    let Some((_, quote)) = unquoted(&text[start.saturating_sub(MAX_BEFORE)..start]) else {
        return false;
    };
    let closed = text[stop..].strip_prefix(quote).map(<[u8]>::trim_ascii_start);
    let closes = closed.is_some_and(|rest| rest.first().is_none_or(|b| b",}\\".contains(b)));
    closes && is_named(text, start)
}

/// True if such a name and a quote stand before the run.
fn is_named(text: &[u8], start: usize) -> bool {
    let Some((before, quote)) = unquoted(&text[start.saturating_sub(MAX_BEFORE)..start]) else {
        return false;
    };
    let name = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    let Some(name) = name.and_then(|name| name.strip_suffix(quote)) else { return false };
    let letters = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let length = name.iter().rev().take_while(letters).count();
    length > 0 && name[..name.len() - length].ends_with(quote)
}

/// The text before the quote that `text` ends with, and the quote with its backslash, if it has
/// one.
fn unquoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let before = text.strip_suffix(b"\"")?;
    let before = before.strip_suffix(b"\\").unwrap_or(before);
    Some(text.split_at(before.len()))
}

/// True if the line above or below also ends with digits or with a masked secret: a dump, a table
/// or test vectors.
fn is_in_data(text: &[u8], start: usize, stop: usize) -> bool {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let mut above = text[start.saturating_sub(MAX_NEARBY)..start].rsplit(is_break).skip(1);
    let mut below = text[stop..text.len().min(stop + MAX_NEARBY)].split(is_break).skip(1);
    [above.find(|line| !line.is_empty()), below.find(|line| !line.is_empty())]
        .into_iter()
        .flatten()
        .any(ends_with_digits)
}

/// The end of the line above the run.
fn line_above(text: &[u8], start: usize) -> &[u8] {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let before = &text[start.saturating_sub(MAX_NEARBY)..start];
    let lines = before.rsplit(is_break).skip(1).find(|line| !line.is_empty());
    let line = lines.unwrap_or_default();
    &line[line.len().saturating_sub(MAX_BEFORE)..]
}

/// True if the line above announces a digest or the id of a container.
fn says_digest_above(line: &[u8]) -> bool {
    let starts = |at: usize| {
        let word = |word: &&[u8]| {
            line[at..].get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        words::DIGEST_WORDS_ABOVE.iter().any(word)
    };
    (0..line.len()).any(starts)
}

/// True if a line ends with a digest or with a placeholder.
fn ends_with_digits(line: &[u8]) -> bool {
    let end = line.iter().rposition(|b| b.is_ascii_alphanumeric() || *b == b']');
    let line = end.map_or(&line[..0], |end| &line[..=end]);
    let digits = line.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    digits >= 32 || line.ends_with(b"]") && memchr::memmem::find(line, b"[REDACTED").is_some()
}

/// True for a run of few different digits, or of decimal digits only.
fn is_trivial(run: &[u8]) -> bool {
    let mut seen = 0_u32;
    for byte in run {
        let digit = char::from(*byte).to_digit(16).unwrap_or_default();
        seen |= 1 << digit;
    }
    seen.count_ones() < 4 || run.iter().all(u8::is_ascii_digit)
}

/// True if the name of a file follows, as in the output of `sha256sum`: blanks, perhaps a `*`, a
/// name.
fn names_file(after: &[u8]) -> bool {
    let blanks = after.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let name = &after[blanks..];
    if blanks == 0 || name.is_empty() {
        return false;
    }
    let word = name.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(name.len());
    let dotted = name[..word].iter().rev().skip(1).any(|b| matches!(b, b'.' | b'/' | b'\\'));
    // The index of a package repository has a size in between.
    let sized = name[..word].iter().all(u8::is_ascii_digit) && name.len() > word + 1;
    name[0] == b'*' || name == b"-" || blanks >= 2 || dotted || sized
}

/// True if a word of the line, in any case, is public, or is the name of an id: `SandboxID`,
/// `grantId`.
fn says_public(line: &[u8]) -> bool {
    let names_id = |word: &[u8]| word.len() > 3 && (word.ends_with(b"Id") || word.ends_with(b"ID"));
    if line.split(|b| !b.is_ascii_alphanumeric()).any(names_id) {
        return true;
    }
    let mut lower = [0; MAX_BEFORE];
    let lower = &mut lower[..line.len().min(MAX_BEFORE)];
    lower.copy_from_slice(&line[..lower.len()]);
    lower.make_ascii_lowercase();
    let words = lower.split(|b| !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.into_iter().any(|word| {
        let digits = word.len() >= 16 && word.iter().all(u8::is_ascii_hexdigit);
        let short = |public: &[u8]| word.len() <= public.len() + 4;
        let long = |at: usize| PUBLIC_WORDS.matching(&word[at..]).any(|public| public.len() > 3);
        // The digest of a DNSSEC key.
        let signer = matches!(word, b"ds" | b"cds");
        digits || signer || PUBLIC_WORDS.matching(word).any(short) || (0..word.len()).any(long)
    })
}

#[cfg(test)]
mod tests;
