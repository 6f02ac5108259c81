//! Prose and plain values: sentences, numbers, versions, dates, types, paths.

use super::word_score::Words;
use crate::words;

/// True if the list contains the word, in any case.
fn contains_word(list: &[&str], word: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

/// A single word that describes a secret and is none: `expired`, `required`.
pub(super) fn is_status_word(value: &[u8]) -> bool {
    let end = value.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |at| at + 1);
    contains_word(words::STATUS_WORDS, &value[..end])
}

/// Two words without any sign of a sentence are a title; more may be a passphrase.
const MIN_PASSPHRASE_WORDS: usize = 3;
/// A shorter word is never unnatural: it may be an abbreviation.
const MIN_UNNATURAL_WORD: usize = 6;

/// Words with blanks in between that read as a sentence, a title or a command. A passphrase of
/// words has neither capitals nor the function words of sentences. A secret among words has digits
/// or marks inside.
pub(super) fn is_prose(value: &[u8]) -> bool {
    let mut words = 0;
    let mut sentence_words = 0;
    let mut unnatural = 0;
    let mut non_ascii = 0;
    for word in value.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()) {
        words += 1;
        let bare = trim_marks(word);
        sentence_words += usize::from(contains_word(words::SENTENCE_WORDS, bare));
        non_ascii += usize::from(!bare.is_ascii());
        unnatural += usize::from(
            bare.len() >= MIN_UNNATURAL_WORD && bare.is_ascii() && is_unnatural_word(bare),
        );
    }
    words > 1
        && unnatural == 0
        && (sentence_words > 0
            || non_ascii > 0
            || has_capital_or_mark(value)
            || words < MIN_PASSPHRASE_WORDS)
}

/// The word without punctuation at its ends.
fn trim_marks(word: &[u8]) -> &[u8] {
    let start = word.iter().position(|b| !b.is_ascii_punctuation()).unwrap_or(word.len());
    let end = word.iter().rposition(|b| !b.is_ascii_punctuation()).map_or(start, |at| at + 1);
    &word[start..end]
}

/// A word with so many digits among so many letters is in no sentence.
const UNNATURAL_DIGITS: usize = 2;
const UNNATURAL_LETTERS: usize = 3;
/// A word of so many letters must consist of pairs that words have.
const MIN_JUDGED_LETTERS: usize = 8;

/// A word of letters and digits, or of letters and marks, that no sentence has.
fn is_unnatural_word(word: &[u8]) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
    digits >= UNNATURAL_DIGITS && letters >= UNNATURAL_LETTERS && !is_plain(word)
        || letters >= MIN_JUDGED_LETTERS && !Words::of(word).mostly_words()
}

/// True if the value has a capital letter or a mark of sentences, titles and commands.
fn has_capital_or_mark(value: &[u8]) -> bool {
    value.iter().any(|b| {
        b.is_ascii_uppercase()
            || matches!(b, b',' | b'.' | b'!' | b'?' | b':' | b'(' | b'/' | b'\'' | b'=')
    })
}

/// A plain value: a number, a size, a duration, a date, a time, a version, a URL, a path, a colour
/// or a keyboard shortcut.
pub(super) fn is_plain(value: &[u8]) -> bool {
    is_number(value)
        || is_version(value)
        || is_url(value)
        || is_path(value)
        || is_shortcut(value)
        || is_date(value)
        || value.starts_with(b"#/")
        || is_colour(value)
}

/// The most hexadecimal digits of a number: 64 bits.
const MAX_HEX_DIGITS: usize = 16;
/// The longest unit: `MiB`, `min`.
const MAX_UNIT: usize = 3;
/// The most digits of a number with a unit.
const MAX_DIGITS_WITH_UNIT: usize = 6;

/// Digits with a sign, separators, and a unit of at most three letters.
pub(super) fn is_number(value: &[u8]) -> bool {
    let body = value.strip_prefix(b"-").unwrap_or(value);
    if let Some(hex) = body.strip_prefix(b"0x") {
        return hex.len() <= MAX_HEX_DIGITS
            && hex.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_');
    }
    let digits = body.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b'_' | b',')).count();
    let unit = &body[digits..];
    digits > 0
        && body[0].is_ascii_digit()
        && unit.len() <= MAX_UNIT
        && unit.iter().all(|&b| b.is_ascii_alphabetic() || b == b'%')
        && (unit.is_empty() || digits <= MAX_DIGITS_WITH_UNIT)
}

/// The most dots of a version: four numbers, as in those of Windows programs.
const MAX_VERSION_DOTS: usize = 3;
/// The longest text behind the numbers of a version: `-alpha.1+build.5`.
const MAX_VERSION_TAIL: usize = 16;

/// A version: `1.2.3`, `v2.0.0-rc.1`, `^1.4`, `3.11.*`.
fn is_version(value: &[u8]) -> bool {
    let body = value.trim_ascii_start();
    let start =
        body.iter().take_while(|b| matches!(b, b'^' | b'~' | b'=' | b'>' | b'<' | b'v')).count();
    let body = &body[start..];
    let head = body.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let dots = body[..head].iter().filter(|&&b| b == b'.').count();
    let tail = &body[head..];
    dots >= 1
        && body[0].is_ascii_digit()
        && dots <= MAX_VERSION_DOTS
        && tail.len() <= MAX_VERSION_TAIL
        && (tail.is_empty() || matches!(tail[0], b'-' | b'+' | b'*' | b'r' | b'a' | b'b'))
        && tail.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.' | b'*'))
}

/// The shortest time: `10:00`.
const MIN_DATE: usize = 5;
/// The most digits of a date: with a time, fractions of a second and a zone.
const MAX_DATE_DIGITS: usize = 20;
/// The most digits per separator of a date.
const DATE_DIGITS_PER_MARK: usize = 5;

/// A date or a time: `2026-09-01`, `2026-09-01T10:00:00Z`, `10:00:00`.
fn is_date(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let marks = value.iter().filter(|b| matches!(b, b'-' | b':' | b'/')).count();
    value.len() >= MIN_DATE
        && marks >= 1
        && value[0].is_ascii_digit()
        && value.iter().all(|b| {
            b.is_ascii_digit() || matches!(b, b'-' | b':' | b'/' | b'.' | b'T' | b'Z' | b'+' | b' ')
        })
        && digits <= MAX_DATE_DIGITS
        && marks >= digits / DATE_DIGITS_PER_MARK
}

/// A URL. Its own detector finds what is secret in it.
fn is_url(value: &[u8]) -> bool {
    let scheme = value
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
        .count();
    scheme > 0 && value[scheme..].starts_with(b"://")
}

/// A colour: `#fff`, `#f8f8f2`.
fn is_colour(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"#").unwrap_or_default();
    matches!(digits.len(), 3 | 4 | 6 | 8) && digits.iter().all(u8::is_ascii_hexdigit)
}

/// The bytes of a typical extension with its dot. A value that is no longer has no name before it.
const MAX_EXTENSION: usize = 4;

/// A path of words, or a file name with a well-known extension.
fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|b| matches!(b, b'/' | b'\\')).count();
    let extension = value.len() > MAX_EXTENSION
        && words::FILE_EXTENSIONS.iter().any(|end| value.ends_with(end));
    let words = Words::of(value);
    slashes > 0 && words.mostly_words() && !value.iter().any(|b| b.is_ascii_whitespace())
        || extension
            && words.covered > 0
            && value.iter().all(|&b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'.' | b'/' | b'_' | b'-' | b'~' | b'\\' | b'$')
            })
}

/// A keyboard shortcut: `Ctrl+Shift+P`, `cmd-k`.
fn is_shortcut(value: &[u8]) -> bool {
    let end = value.iter().position(|b| matches!(b, b'+' | b'-')).unwrap_or(0);
    end > 0 && contains_word(words::MODIFIER_KEYS, &value[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_prose_and_passphrases_are_not() {
        for text in
            ["must be between 8 and 64 characters", "Ihre Sitzung ist abgelaufen", "Forgot it?"]
        {
            assert!(is_prose(text.as_bytes()), "{text}");
        }
        for text in
            ["correct horse battery staple", "lantern copper horse87 blue", "my pet is Rex4711x"]
        {
            assert!(!is_prose(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn numbers_versions_dates_paths_and_links_are_plain() {
        let plain = [
            "8080",
            "3600s",
            "1.2.3-rc.1",
            "2026-09-01T10:00:00Z",
            "sessions/",
            "https://a.example/x",
            "/etc/ssl/private/server.key",
            "Ctrl+Shift+P",
            "v2.0.0",
            "0x1f",
            "-1",
            "10,000",
            "certs/ca.pem",
        ];
        for text in plain {
            assert!(is_plain(text.as_bytes()), "{text}");
        }
    }
}
