//! Dummy values: what is written where a secret would be.
//!
//! Invariant: only the whole value counts. A secret that contains `todo` or `example` is still a
//! secret.

use super::super::super::placeholder;
use super::reference;
use super::word_score::Words;
use crate::words;

/// True if the whole value is a dummy.
pub(super) fn is_dummy_value(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    value.is_empty()
        || placeholder::length(value) == Some(value.len())
        || is_masked(value)
        || is_alphabet(value)
        || is_bracketed(value)
        || reference::is_reference(value)
        || is_dummy_word(value)
        || is_description(value)
        || is_truncated(value)
        || is_prefix_only(value)
}

/// The alphabet in both cases, from which something else is made.
fn is_alphabet(value: &[u8]) -> bool {
    let holds = |letters: &[u8]| memchr::memmem::find(value, letters).is_some();
    value.len() >= 52
        && holds(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        && holds(b"abcdefghijklmnopqrstuvwxyz")
}

/// A value with its middle or its end left out, so that it reveals hardly anything: `****abcd`,
/// `sk-****1234`, `abc...xyz`, `sk-ant-...`.
fn is_truncated(value: &[u8]) -> bool {
    /// The most letters and digits that are shown of a secret: too few to guess the rest.
    const MAX_SHOWN: usize = 10;
    let shown = value.iter().filter(|b| b.is_ascii_alphanumeric()).count();
    let stars = memchr::memmem::find(value, b"***").is_some() && value.len() - shown >= 3;
    if stars {
        return shown <= MAX_SHOWN;
    }
    let dots = [&b"..."[..], "…".as_bytes()];
    let Some((front, back)) = dots.iter().find_map(|dots| {
        let at = memchr::memmem::find(value, dots)?;
        Some((&value[..at], &value[at + dots.len()..]))
    }) else {
        return false;
    };
    let short =
        |part: &[u8]| part.len() <= MAX_SHOWN / 2 && part.iter().all(u8::is_ascii_alphanumeric);
    match back {
        // The prefix that all keys of a kind have.
        [] => {
            front.last().is_some_and(|b| b"-_:/".contains(b)) && front.len() <= 24
                || front == b"eyJ"
        }
        _ => !front.is_empty() && short(front) && short(back),
    }
}

/// The prefix of a kind of keys, with a dummy for the rest: `xoxb-your-token`, `ghp_xxx`.
fn is_prefix_only(value: &[u8]) -> bool {
    /// The longest prefix of a kind, with its separator.
    const MAX_PREFIX: usize = 6;
    let Some(at) = value.iter().take(MAX_PREFIX).position(|b| matches!(b, b'-' | b'_')) else {
        return false;
    };
    let rest = &value[at + 1..];
    let crossed = rest.len() >= 3 && rest.iter().all(|b| matches!(b, b'x' | b'X' | b'-'));
    let yours = rest.len() > 4 && rest[..4].eq_ignore_ascii_case(b"your");
    crossed || yours && is_description(rest)
}

/// Only characters that masks are made of, or mostly one character over and over.
fn is_masked(value: &[u8]) -> bool {
    let bullet = |rest: &[u8]| rest.chunks(3).all(|c| matches!(c, [0xe2, 0x80, 0xa2 | 0xa6]));
    if value
        .iter()
        .all(|b| matches!(b, b'*' | b'.' | b'-' | b'_' | b'#' | b'?' | b'x' | b'X' | b'~'))
        || bullet(value)
    {
        return true;
    }
    let (mut longest, mut run, mut last) = (0, 0, 0);
    for &b in value {
        run = if b == last { run + 1 } else { 1 };
        last = b;
        longest = longest.max(run);
    }
    longest == value.len() && value.len() > 3 || longest >= 4 && longest * 2 > value.len()
}

/// A text between brackets, without the same brackets inside: `<token>`, `(empty)`, `[hidden]`,
/// `***REMOVED***`, `__TOKEN__`, `@@TOKEN@@`.
fn is_bracketed(value: &[u8]) -> bool {
    let inner = |open: &[u8], close: &[u8]| {
        let long = value.len() > open.len() + close.len();
        long.then(|| value.strip_prefix(open)?.strip_suffix(close)).flatten()
    };
    let within = |open: &[u8], close: &[u8]| {
        inner(open, close).is_some_and(|t| !t.contains(&open[0]) && !t.contains(&close[0]))
    };
    let named = |mark: &[u8]| {
        inner(mark, mark).is_some_and(|t| {
            let plain =
                |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b' ');
            t.iter().all(plain) && Words::of(t).mostly_words()
        })
    };
    within(b"<", b">")
        || value.starts_with(b"%env(") && value.ends_with(b")%")
        || value.starts_with(b"&lt;") && memchr::memmem::find(value, b"&gt;").is_some()
        || within(b"{{", b"}}")
        || within(b"\xc2\xab", b"\xc2\xbb")
        || [&b"***"[..], b"**", b"__", b"@@", b"%%", b"--", b"##"].iter().any(|mark| named(mark))
        || [(b"(", b")"), (b"[", b"]"), (b"{", b"}")].iter().any(|(open, close)| {
            inner(&open[..], &close[..]).is_some_and(|t| Words::of(t).mostly_words())
        })
}

/// A single word of the list, in any case and with any separators.
fn is_dummy_word(value: &[u8]) -> bool {
    if value.len() > 24 {
        return false;
    }
    let kept = |b: &u8| !matches!(b, b'_' | b'-' | b' ' | b'!' | b'.');
    let bare = || value.iter().copied().filter(kept).map(|b| b.to_ascii_lowercase());
    words::DUMMY_WORDS.iter().any(|word| word.bytes().eq(bare()))
}

/// A description: words only, and the first one says that a value belongs here. `your_token_here`,
/// `REPLACE_ME_WITH_KEY`, `enter-password`.
fn is_description(value: &[u8]) -> bool {
    let split = |b: &u8| matches!(b, b'_' | b'-' | b' ' | b'.');
    let first = value.iter().position(split).unwrap_or(value.len());
    let starts_description = |word: &&str| value[..first].eq_ignore_ascii_case(word.as_bytes());
    let plain = |&b: &u8| b.is_ascii_alphabetic() || split(&b) || matches!(b, b'\'' | b'<' | b'>');
    let joined = value.len() > 8 && value[..4].eq_ignore_ascii_case(b"your");
    let here = || value.len() > 9 && value[value.len() - 9..].eq_ignore_ascii_case(b"goes here");
    (first < value.len() && words::DESCRIPTION_STARTS.iter().any(starts_description)
        || joined
        || here())
        && value.iter().all(plain)
        && (Words::of(value).mostly_words()
            || value[..4.min(value.len())].eq_ignore_ascii_case(b"your"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dummy_value_is_known_as_a_whole() {
        let dummy_values = [
            "",
            "xxxxxxxx",
            "********",
            "...",
            "<your-token>",
            "<TOKEN>",
            "YOUR_APIKEY",
            "changeme",
            "your_CLIENT_SECRET_here",
            "REPLACE_ME_PRIVATE_KEY",
            "(empty)",
            "null",
            "None",
            "CHANGE_ME",
            "***REMOVED***",
            "[REDACTED]",
            "[REDACTED:token:a1b2]",
            "__SECRET_KEY__",
            "@@TOKEN@@",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
            "{{ token }}",
            "<redacted>",
            "enter-your-password",
            "sk-ant-...",
            "whsec_...",
            "eyJ...",
            "base64:...",
            "ghp_your_token_here",
            "xoxb-your-token",
            "glpat-xxx",
            "****abcd",
            "sk-****1234",
            "abc...xyz",
            "correct passphrase goes here",
            "$$DB_PW",
            "@db.password@",
        ];
        for text in dummy_values {
            assert!(is_dummy_value(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_secret_with_a_dummy_word_in_it_is_no_dummy_value() {
        let secrets = [
            "todo-8fK2mQ91",
            "example4711!",
            "changeme2024",
            "hunter2",
            "xK9!example",
            "Null1234",
            "*MAfZdb7K3TIk",
            "#Iof-wdWS6XQng",
            "-8iTWMPP8hkqwa-Im6",
            "AKIAIOSFODNN7EXAMPLE",
            "hunter2...",
            "my-*pass*-99x",
            "Xk9dPq2m...Rt7w",
        ];
        for text in secrets {
            assert!(!is_dummy_value(text.as_bytes()), "{text}");
        }
    }
}
