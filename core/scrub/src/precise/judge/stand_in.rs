//! Stand-ins: what is written where a secret would be. Only the whole value counts: a secret that
//! has `todo` or `example` in it is one all the same.

use super::super::super::placeholder;
use super::reference;
use super::wordy::Words;

/// Values that say there is none, or that one belongs here; in lower case, `_`, `-` and blanks
/// left out.
const WORDS: &[&str] = &[
    "null",
    "none",
    "nil",
    "undefined",
    "unset",
    "notset",
    "empty",
    "void",
    "nan",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "na",
    "n/a",
    "tbd",
    "todo",
    "fixme",
    "changeme",
    "changethis",
    "changeit",
    "replaceme",
    "replacethis",
    "fillme",
    "fillin",
    "insertme",
    "placeholder",
    "redacted",
    "removed",
    "hidden",
    "masked",
    "omitted",
    "filtered",
    "censored",
    "protected",
    "optional",
    "default",
    "required",
    "some",
    "any",
    "anything",
    "whatever",
    "unknown",
    "missing",
    "mismatch",
    "incorrect",
    "invalid",
    "notprovided",
    "notavailable",
    "notapplicable",
    "pleasechange",
    "pleasechangeme",
    "elided",
    "sensitive",
    "sensitivevalue",
    "knownafterapply",
    "valuehidden",
    "secretvalue",
    "stripped",
    "obfuscated",
    "encrypted",
    "scrubbed",
    "fill",
    "insert",
    "prompt",
    "ask",
    "auto",
    "inherit",
    "dummy",
    "string",
];

/// Words with which a description of the value begins.
const BEGINNINGS: &[&str] = &[
    "your",
    "my",
    "insert",
    "enter",
    "replace",
    "change",
    "put",
    "add",
    "fill",
    "paste",
    "set",
    "provide",
    "type",
    "use",
    "the",
    "some",
    "a",
    "an",
    "example",
    "sample",
    "placeholder",
    "dummy",
];

pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    value.is_empty()
        || placeholder::length(value) == Some(value.len())
        || is_masked(value)
        || is_alphabet(value)
        || is_bracketed(value)
        || reference::is_reference(value)
        || is_word(value)
        || is_description(value)
        || is_cut(value)
        || is_prefix_only(value)
}

/// The letters of the alphabet in both cases, of which something else is made.
fn is_alphabet(value: &[u8]) -> bool {
    let holds = |letters: &[u8]| memchr::memmem::find(value, letters).is_some();
    value.len() >= 52
        && holds(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        && holds(b"abcdefghijklmnopqrstuvwxyz")
}

/// With its middle or its end left out, so that hardly anything is told: `****abcd`, `sk-****1234`,
/// `abc...xyz`, `sk-ant-...`.
fn is_cut(value: &[u8]) -> bool {
    const TOLD: usize = 10;
    let told = value.iter().filter(|b| b.is_ascii_alphanumeric()).count();
    let stars = memchr::memmem::find(value, b"***").is_some() && value.len() - told >= 3;
    if stars {
        return told <= TOLD;
    }
    let dots = [&b"..."[..], "…".as_bytes()];
    let Some((front, back)) = dots.iter().find_map(|dots| {
        let at = memchr::memmem::find(value, dots)?;
        Some((&value[..at], &value[at + dots.len()..]))
    }) else {
        return false;
    };
    let short = |part: &[u8]| part.len() <= TOLD / 2 && part.iter().all(u8::is_ascii_alphanumeric);
    match back {
        // The beginning of a key, which all of its kind have.
        [] => {
            front.last().is_some_and(|b| b"-_:/".contains(b)) && front.len() <= 24
                || front == b"eyJ"
        }
        _ => !front.is_empty() && short(front) && short(back),
    }
}

/// Behind what all keys of a kind begin with, only what stands for the rest: `xoxb-your-token`,
/// `ghp_xxx`.
fn is_prefix_only(value: &[u8]) -> bool {
    const PREFIX: usize = 6;
    let Some(at) = value.iter().take(PREFIX).position(|b| matches!(b, b'-' | b'_')) else {
        return false;
    };
    let rest = &value[at + 1..];
    let crossed = rest.len() >= 3 && rest.iter().all(|b| matches!(b, b'x' | b'X' | b'-'));
    let yours = rest.len() > 4 && rest[..4].eq_ignore_ascii_case(b"your");
    crossed || yours && is_description(rest)
}

/// Nothing but the characters that masks are made of, or mostly one character over and over.
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

/// Between brackets, a text without any of the same: `<token>`, `(empty)`, `[hidden]`,
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
            t.iter().all(plain) && Words::of(t).mostly()
        })
    };
    within(b"<", b">")
        || value.starts_with(b"%env(") && value.ends_with(b")%")
        || value.starts_with(b"&lt;") && memchr::memmem::find(value, b"&gt;").is_some()
        || within(b"{{", b"}}")
        || within(b"\xc2\xab", b"\xc2\xbb")
        || [&b"***"[..], b"**", b"__", b"@@", b"%%", b"--", b"##"].iter().any(|mark| named(mark))
        || [(b"(", b")"), (b"[", b"]"), (b"{", b"}")].iter().any(|(open, close)| {
            inner(&open[..], &close[..]).is_some_and(|t| Words::of(t).mostly())
        })
}

fn is_word(value: &[u8]) -> bool {
    if value.len() > 24 {
        return false;
    }
    let kept = |b: &u8| !matches!(b, b'_' | b'-' | b' ' | b'!' | b'.');
    let bare = || value.iter().copied().filter(kept).map(|b| b.to_ascii_lowercase());
    WORDS.iter().any(|word| word.bytes().eq(bare()))
}

/// `your_token_here`, `REPLACE_ME_WITH_KEY`, `enter-password`: words alone, the first of which
/// says that something belongs here.
fn is_description(value: &[u8]) -> bool {
    let split = |b: &u8| matches!(b, b'_' | b'-' | b' ' | b'.');
    let first = value.iter().position(split).unwrap_or(value.len());
    let begins = |word: &&str| value[..first].eq_ignore_ascii_case(word.as_bytes());
    let plain = |&b: &u8| b.is_ascii_alphabetic() || split(&b) || matches!(b, b'\'' | b'<' | b'>');
    let joined = value.len() > 8 && value[..4].eq_ignore_ascii_case(b"your");
    let here = || value.len() > 9 && value[value.len() - 9..].eq_ignore_ascii_case(b"goes here");
    (first < value.len() && BEGINNINGS.iter().any(begins) || joined || here())
        && value.iter().all(plain)
        && (Words::of(value).mostly() || value[..4.min(value.len())].eq_ignore_ascii_case(b"your"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_is_known_as_a_whole() {
        let stand_ins = [
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
        for text in stand_ins {
            assert!(is_stand_in(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_secret_with_a_telling_word_in_it_is_no_stand_in() {
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
            assert!(!is_stand_in(text.as_bytes()), "{text}");
        }
    }
}
