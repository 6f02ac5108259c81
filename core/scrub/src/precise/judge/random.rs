//! Tells random tokens from everything else that is long and mixed.

use super::starts::Starts;
use super::wordy;

/// The shortest text that can be told to be random.
pub(super) const SHORTEST: usize = 16;
/// The shortest id.
pub(super) const ID: usize = 24;
/// The shortest noise.
const NOISE: usize = 40;

/// Beginnings of texts that look random and are public: digests, images, public keys, addresses.
static PUBLIC: Starts = Starts::new(&[
    b"sha1-",
    b"sha224-",
    b"sha256-",
    b"sha384-",
    b"sha512-",
    b"sha1:",
    b"sha256:",
    b"sha384:",
    b"sha512:",
    b"SHA256:",
    b"MD5:",
    b"md5:",
    b"md5-",
    b"h1:",
    b"blake3:",
    b"W/",
    b"arn:",
    b"urn:",
    b"data:",
    b"http:",
    b"https:",
    b"file:",
    b"ssh-",
    b"ecdsa-",
    b"sk-ssh-",
    b"AAAAB3NzaC1",
    b"AAAAC3NzaC1",
    b"AAAAE2VjZHNh",
    // The keys of X.509: RSA, EC, Ed25519.
    b"MIIBIjANBgkqhkiG9w0BAQEFAAOC",
    b"MIICIjANBgkqhkiG9w0BAQEFAAOC",
    b"MIGfMA0GCSqGSIb3DQEBAQUAA4",
    b"MFkwEwYHKoZIzj0",
    b"MHYwEAYHKoZIzj0",
    b"MCowBQYDK2Vw",
    b"iVBORw0KGgo",
    b"R0lGOD",
    b"/9j/",
    b"UklGR",
    b"0x",
    b"0X",
    b"UUID",
    b"did:",
    b"bafy",
    b"Qm",
    b"$2",
    b"$argon2",
    b"$6$",
    b"$5$",
    b"$1$",
    b"pbkdf2",
    b"{SSHA}",
    b"{SHA",
    b"application/",
    b"text/",
    b"image/",
    b"multipart/",
]);

pub(super) fn is_random(value: &[u8]) -> bool {
    let value = &value[..value.len().min(super::LONGEST)];
    if value.len() < SHORTEST || PUBLIC.begin(value) || !value.iter().all(|&b| in_token(b)) {
        return false;
    }
    let mix = Mix::of(value);
    if mix.distinct < 10 || mix.letters < 6 || !mix.is_mixed(value.len()) {
        return false;
    }
    let whole = value.iter().rposition(|&b| b != b'.').map_or(0, |at| at + 1);
    !is_hex(&value[..whole])
        && !is_uuid(value)
        && !is_slug(value)
        && !is_path(value)
        && !is_words(value, &mix)
}

/// The bytes of tokens: base64 of both alphabets and what stands between parts.
fn in_token(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%' | b':' | b'!' | b'*')
}

/// True for hexadecimal digits alone, of one case, maybe in groups: a digest or an id, as far as
/// its shape tells.
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

/// True of a long row of all signs of a keyboard, as WordPress has for its salts: no words, no
/// brackets in pairs, no code.
pub(super) fn is_noise(value: &[u8]) -> bool {
    let value = &value[..value.len().min(super::LONGEST)];
    if value.len() < NOISE {
        return false;
    }
    let mix = Mix::of(value);
    let marks = value.iter().filter(|b| b.is_ascii_punctuation()).count();
    let blanks = value.iter().filter(|&&b| b == b' ').count();
    value.iter().all(|&b| matches!(b, b' '..=b'~'))
        && mix.digits >= 3
        && mix.lower >= 6
        && mix.upper >= 6
        && marks >= 5
        && blanks * 12 <= value.len()
        && mix.distinct >= 24
        && wordy::mean(value).is_none_or(|mean| mean < 40)
}

/// True of an id under which a secret may be kept: at least 24 hexadecimal digits, more than a few
/// of them different, or a UUID, alone or behind a word and a mark: `pk-lf-8ab1…`.
pub(super) fn is_id(value: &[u8]) -> bool {
    let ends = |length: usize, is: fn(&[u8]) -> bool| {
        value.len().checked_sub(length).is_some_and(|at| {
            let (word, id) = value.split_at(at);
            let marked = word.last().is_none_or(|b| matches!(b, b'_' | b'-' | b'.' | b':'));
            marked && word.len() <= 40 && word.iter().all(|&b| in_token(b)) && is(id)
        })
    };
    if value.len() < ID {
        return false;
    }
    if ends(36, is_uuid) {
        return true;
    }
    let digits = value.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    digits >= ID
        && ends(digits, |id| is_hex(id) && Mix::of(id).distinct >= 8 && Mix::of(id).letters > 2)
}

/// True for the form `8-4-4-4-12` of hexadecimal digits.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Parts of the value that are all words, or words and numbers: a slug, a host, a file name.
fn is_words(value: &[u8], mix: &Mix) -> bool {
    let words = wordy::Words::of(value);
    let many = mix.digits * 3 >= value.len();
    let Some(mean) = wordy::mean(value) else { return !many };
    // Where classes alternate like noise, letters have to read very well to be words.
    let alternates = mix.turns * 10 >= value.len() * 3;
    let bar = if alternates { 58 } else { 48 };
    words.mostly() && !many
        || mean >= bar
        || !alternates && mean >= 40 && words.covered * 2 >= words.letters
}

/// Parts between marks that are each a word, a number or a digest: `cargo-linux-4f1c…`.
fn is_slug(value: &[u8]) -> bool {
    let plain = |part: &[u8]| {
        let digits = part.iter().filter(|b| b.is_ascii_digit()).count();
        part.len() - digits <= 1
            || part.len() <= 5 && part.iter().all(u8::is_ascii_lowercase)
            || part.len() >= 5 && is_hex(part)
            || digits * 3 <= part.len() && wordy::Words::of(part).mostly()
    };
    let parts = || value.split(|b| !b.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts().count() > 1 && parts().all(plain)
}

/// A path has slashes between short parts without digits, or begins like one.
fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|&&b| b == b'/').count();
    let begins = [&b"/"[..], b"./", b"../", b"~/", b"C:"].iter().any(|s| value.starts_with(s));
    let dots = value.iter().filter(|&&b| b == b'.').count();
    slashes > 0
        && (dots > 0 || begins && slashes > 1)
        && value.iter().all(|&b| !matches!(b, b'+' | b'='))
}

/// What a text is made of.
struct Mix {
    letters: usize,
    lower: usize,
    upper: usize,
    digits: usize,
    distinct: u32,
    /// How often one class of characters meets another, where a capital before small letters
    /// counts as one of them.
    turns: usize,
}

impl Mix {
    fn of(value: &[u8]) -> Mix {
        const MARK: usize = 3;
        let mut counts = [0; 4];
        let mut seen = [0_u64; 2];
        let (mut turns, mut before) = (0, MARK);
        for &byte in value {
            let class = match byte {
                b'a'..=b'z' => 0,
                b'A'..=b'Z' => 1,
                b'0'..=b'9' => 2,
                _ => MARK,
            };
            let capital = before == 1 && class == 0;
            let turn = class != before && !capital && class != MARK && before != MARK;
            turns += usize::from(turn);
            counts[class] += 1;
            seen[usize::from(byte >> 6 & 1)] |= 1 << (byte & 63);
            before = class;
        }
        let [lower, upper, digits, _] = counts;
        let distinct = seen.iter().map(|bits| bits.count_ones()).sum();
        Mix { letters: lower + upper, lower, upper, digits, distinct, turns }
    }

    fn is_mixed(&self, length: usize) -> bool {
        let cases = self.lower >= 2 && self.upper >= 2;
        let enough = (self.digits >= 2 || cases && self.digits >= 1 || cases && length >= 24)
            && (cases || self.digits * 8 >= length);
        enough && self.turns * 6 >= length
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
