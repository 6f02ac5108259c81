//! Randomness: distinguishes random tokens from everything else that is long and mixed.
//!
//! Random tokens have many different bytes, letters and digits that change often, and no words.
//! Digests, UUIDs, slugs, paths and public keys look similar and are excluded one by one.

use super::prefix_set::PrefixSet;
use super::word_score;
use crate::words;

/// The shortest text that can be recognised as random, in bytes. Shorter ones read as abbreviations
/// and versions too often.
pub(super) const MIN_LENGTH: usize = 16;
/// The shortest id, in bytes: 96 bits in hexadecimal.
pub(super) const MIN_ID: usize = 24;
/// The shortest noise, in bytes.
const MIN_NOISE: usize = 40;

/// Random text of the least length has at least this many different bytes. Repetitive ids have fewer.
const MIN_DISTINCT: u32 = 10;
/// Random text has at least this many letters. Text with fewer is a number with units or separators.
const MIN_LETTERS: usize = 6;
/// The mean pair score, in tenths, from which mixed letters read as words.
const WORDS: usize = 48;
/// The same if the classes change as often as in noise: then letters must read very well.
const WORDS_IN_NOISE: usize = 58;
/// The same if half of the letters are in words already.
const HALF_WORDS: usize = 40;
/// The highest mean pair score of noise, in tenths. Words have 66, random letters 24.
const MAX_NOISE: usize = 40;
/// The fewest different bytes of noise; a sentence of that length has fewer.
const MIN_NOISE_DISTINCT: u32 = 24;
/// The fewest different digits of an id, so that zeros and counters are none.
const MIN_ID_DISTINCT: u32 = 8;

/// Prefixes of public texts, from `data/words/judge.toml`.
static PUBLIC_PREFIXES: PrefixSet = PrefixSet::new(words::PUBLIC_PREFIXES);

/// True if the text looks like a random token.
pub(super) fn is_random(value: &[u8]) -> bool {
    let value = &value[..value.len().min(super::MAX_JUDGED)];
    if value.len() < MIN_LENGTH
        || PUBLIC_PREFIXES.matches(value)
        || !value.iter().all(|&b| is_token_byte(b))
    {
        return false;
    }
    let mix = ByteMix::of(value);
    if mix.distinct < MIN_DISTINCT || mix.letters < MIN_LETTERS || !mix.is_mixed(value.len()) {
        return false;
    }
    let whole = value.iter().rposition(|&b| b != b'.').map_or(0, |at| at + 1);
    !is_hex(&value[..whole])
        && !is_uuid(value)
        && !is_slug(value)
        && !is_path(value)
        && !reads_as_words(value, &mix)
}

/// True for a byte of a token: base64 of both alphabets, and what stands between parts.
fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%' | b':' | b'!' | b'*')
}

/// True for hexadecimal digits of one case, possibly in groups: the shape of a digest or an id.
pub(super) fn is_hex(value: &[u8]) -> bool {
    let hex = |upper: bool| {
        let fits = |&b: &u8| match b {
            b'0'..=b'9' | b'-' | b':' => true,
            b'a'..=b'f' => !upper,
            b'A'..=b'F' => upper,
            _ => false,
        };
        value.iter().all(fits)
    };
    hex(false) || hex(true)
}

/// Noise: a long row of all the signs of a keyboard, as in WordPress salts. No words, no code.
pub(super) fn is_noise(value: &[u8]) -> bool {
    let value = &value[..value.len().min(super::MAX_JUDGED)];
    if value.len() < MIN_NOISE {
        return false;
    }
    let mix = ByteMix::of(value);
    let marks = value.iter().filter(|b| b.is_ascii_punctuation()).count();
    let blanks = value.iter().filter(|&&b| b == b' ').count();
    value.iter().all(|&b| matches!(b, b' '..=b'~'))
        && mix.digits >= 3
        && mix.lower >= 6
        && mix.upper >= 6
        && marks >= 5
        && blanks * 12 <= value.len()
        && mix.distinct >= MIN_NOISE_DISTINCT
        && word_score::mean_pair_score(value).is_none_or(|mean| mean < MAX_NOISE)
}

/// True for an id that may be a secret: at least 24 hexadecimal digits with some variety, or a
/// UUID, alone or behind a word and a mark: `pk-lf-8ab1…`.
pub(super) fn is_id(value: &[u8]) -> bool {
    let ends = |length: usize, is: fn(&[u8]) -> bool| {
        value.len().checked_sub(length).is_some_and(|at| {
            let (word, id) = value.split_at(at);
            let marked = word.last().is_none_or(|b| matches!(b, b'_' | b'-' | b'.' | b':'));
            marked && word.len() <= 40 && word.iter().all(|&b| is_token_byte(b)) && is(id)
        })
    };
    if value.len() < MIN_ID {
        return false;
    }
    if ends(36, is_uuid) {
        return true;
    }
    let digits = value.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    digits >= MIN_ID
        && ends(digits, |id| {
            is_hex(id) && ByteMix::of(id).distinct >= MIN_ID_DISTINCT && ByteMix::of(id).letters > 2
        })
}

/// True for the form `8-4-4-4-12` of hexadecimal digits.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// True if the value consists of words, or of words and numbers: a slug, a host, a file name.
fn reads_as_words(value: &[u8], mix: &ByteMix) -> bool {
    let words = word_score::Words::of(value);
    let many = mix.digits * 3 >= value.len();
    let Some(mean) = word_score::mean_pair_score(value) else { return !many };
    // Where classes alternate as in noise, letters must read very well to be words.
    let alternates = mix.class_changes * 10 >= value.len() * 3;
    let bar = if alternates { WORDS_IN_NOISE } else { WORDS };
    words.mostly_words() && !many
        || mean >= bar
        || !alternates && mean >= HALF_WORDS && words.covered * 2 >= words.letters
}

/// Parts between marks, each of them a word, a number or a digest: `cargo-linux-4f1c…`.
fn is_slug(value: &[u8]) -> bool {
    let plain = |part: &[u8]| {
        let digits = part.iter().filter(|b| b.is_ascii_digit()).count();
        part.len() - digits <= 1
            || part.len() <= 5 && part.iter().all(u8::is_ascii_lowercase)
            || part.len() >= 5 && is_hex(part)
            || digits * 3 <= part.len() && word_score::Words::of(part).mostly_words()
    };
    let parts = || value.split(|b| !b.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts().count() > 1 && parts().all(plain)
}

/// A path: slashes between short parts without digits, or the beginning of one.
fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|&&b| b == b'/').count();
    let begins = [&b"/"[..], b"./", b"../", b"~/", b"C:"].iter().any(|s| value.starts_with(s));
    let dots = value.iter().filter(|&&b| b == b'.').count();
    slashes > 0
        && (dots > 0 || begins && slashes > 1)
        && value.iter().all(|&b| !matches!(b, b'+' | b'='))
}

/// What a text consists of.
struct ByteMix {
    letters: usize,
    lower: usize,
    upper: usize,
    digits: usize,
    distinct: u32,
    /// How often the class of characters changes. A capital before lower-case letters counts as one
    /// of them.
    class_changes: usize,
}

impl ByteMix {
    /// Counts the bytes of a value.
    fn of(value: &[u8]) -> ByteMix {
        const MARK: usize = 3;
        let mut counts = [0; 4];
        let mut seen = [0_u64; 2];
        let (mut class_changes, mut before) = (0, MARK);
        for &byte in value {
            let class = match byte {
                b'a'..=b'z' => 0,
                b'A'..=b'Z' => 1,
                b'0'..=b'9' => 2,
                _ => MARK,
            };
            let capital = before == 1 && class == 0;
            let turn = class != before && !capital && class != MARK && before != MARK;
            class_changes += usize::from(turn);
            counts[class] += 1;
            seen[usize::from(byte >> 6 & 1)] |= 1 << (byte & 63);
            before = class;
        }
        let [lower, upper, digits, _] = counts;
        let distinct = seen.iter().map(|bits| bits.count_ones()).sum();
        ByteMix { letters: lower + upper, lower, upper, digits, distinct, class_changes }
    }

    /// True if the classes are mixed as in random text.
    fn is_mixed(&self, length: usize) -> bool {
        let cases = self.lower >= 2 && self.upper >= 2;
        let enough = (self.digits >= 2 || cases && self.digits >= 1 || cases && length >= 24)
            && (cases || self.digits * 8 >= length);
        enough && self.class_changes * 6 >= length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random() {
        let tokens = [
            "XeIzBhBpGhLGBJTRZo1aTg9h59bAcPebYLwmK9Zv",
            "PjdcAIdMK1pSRKj2zyqI5dPf2+gcHa5Ka4sTDzIaqJA=",
            "a8f3k2m9x7q1z5w4c6v0",
            "OvTmlqqe7oYGlB81pO4j/JVHdxyLcv/xfj6Qezqd",
        ];
        for token in tokens {
            assert!(is_random(token.as_bytes()), "{token}");
        }
    }

    #[test]
    fn words_paths_ids_and_digests_are_not_random() {
        let others = [
            "deployment_strategy_blue_green",
            "org.apache.commons.codec.binary.Base64",
            "825b4a46-e18b-44cc-a2be-84f8caeb0559",
            "6a7d16cdaeaaad73f0d13b9663493d1eadee4383",
            "sha512-e3nRfgfUZ4rNGL232gUgX06QNyyez04KdjFrF",
            "/usr/lib/x86_64-linux-gnu/libssl.so.1.1",
            "task-scheduler-with-priority-queues-v2",
            "invoice-fc6750fb6-7d1f0",
            "application/vnd.api+json",
            "aws-sdk-go-v2.30.9-beta.1",
            "KeyboardInterruptHandlerFactory2",
            "ECDHE-RSA-AES128-GCM-SHA256",
        ];
        for other in others {
            assert!(!is_random(other.as_bytes()), "{other}");
        }
    }
}
