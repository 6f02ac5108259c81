//! Prose and values that are plainly no secret: sentences, numbers, versions, dates, types, paths.

use super::wordy::Words;

/// Words that sentences are made of and passphrases hardly ever.
const SENTENCE: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "did",
    "do",
    "does",
    "for",
    "from",
    "had",
    "has",
    "have",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "may",
    "must",
    "no",
    "not",
    "of",
    "on",
    "or",
    "should",
    "so",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "via",
    "was",
    "were",
    "when",
    "where",
    "which",
    "while",
    "who",
    "will",
    "with",
    "would",
    "you",
    "your",
    "please",
    "invalid",
    "required",
    "option",
    "options",
    "flag",
    "flags",
    "parameter",
    "parameters",
    "argument",
    "arguments",
    "prompt",
    "authentication",
    "missing",
    "expired",
    "enter",
    "must",
    "failed",
    "error",
    "found",
    "expected",
    "use",
    "used",
    "using",
    "only",
    "der",
    "die",
    "das",
    "ist",
    "und",
    "nicht",
    "ein",
    "eine",
    "le",
    "la",
    "les",
    "est",
    "un",
    "une",
    "de",
    "du",
    "el",
    "los",
    "es",
    "para",
    "por",
    "con",
    "il",
    "per",
    "het",
    "een",
    "van",
    "field",
    "value",
    "password",
    "token",
    "secret",
    "key",
    "new",
    "old",
    "current",
    "wrong",
    "incorrect",
    "string",
];

/// Single words that stand behind `password:` or `token:` in messages, schemas and code.
const SAID: &[&str] = &[
    "required",
    "invalid",
    "missing",
    "expired",
    "incorrect",
    "wrong",
    "mismatch",
    "mismatched",
    "duplicate",
    "compromised",
    "insecure",
    "breached",
    "reused",
    "unexpected",
    "unknown",
    "accepted",
    "rejected",
    "denied",
    "granted",
    "failed",
    "failure",
    "success",
    "successful",
    "ok",
    "okay",
    "valid",
    "verified",
    "found",
    "changed",
    "updated",
    "created",
    "deleted",
    "revoked",
    "enabled",
    "disabled",
    "active",
    "inactive",
    "optional",
    "mandatory",
    "forbidden",
    "allowed",
    "present",
    "absent",
    "set",
    "unset",
    "loaded",
    "saved",
    "sent",
    "received",
    "refreshed",
    "rotated",
    "string",
    "str",
    "text",
    "bytes",
    "byte",
    "bool",
    "boolean",
    "number",
    "integer",
    "int",
    "float",
    "double",
    "object",
    "array",
    "list",
    "map",
    "dict",
    "any",
    "void",
    "never",
    "unknown",
    "char",
    "varchar",
    "keyword",
    "binary",
    "blob",
    "uuid",
    "usize",
    "input",
    "hidden",
    "password",
    "passwords",
    "token",
    "tokens",
    "secret",
    "secrets",
    "key",
    "keys",
    "username",
    "email",
    "login",
    "user",
    "admin",
    "basic",
    "bearer",
    "digest",
    "oauth",
    "oauth2",
    "jwt",
    "saml",
    "ldap",
    "kerberos",
    "pam",
    "md5",
    "scram",
    "trust",
    "peer",
    "ident",
    "cert",
    "vault",
    "keychain",
    "osxkeychain",
    "pass",
    "env",
    "file",
    "environment",
    "config",
    "local",
    "global",
    "session",
    "cookie",
    "header",
    "query",
    "body",
    "path",
    "form",
    "always",
    "auto",
    "manual",
    "default",
    "custom",
    "generated",
    "random",
    "static",
    "dynamic",
    "minimum",
    "maximum",
    "length",
    "strong",
    "weak",
    "public",
    "private",
    "internal",
    "external",
    "read",
    "write",
    "readonly",
    "self",
    "this",
    "super",
    "new",
    "await",
    "async",
    "function",
    "lambda",
    "return",
    "match",
    "if",
    "else",
    "for",
    "while",
    "let",
    "const",
    "var",
    "mut",
    "ref",
    "dyn",
    "impl",
    "struct",
    "enum",
    "type",
    "class",
    "static",
    "async",
    "yield",
    "not",
    "nothing",
    "something",
];

fn one_of(list: &[&str], word: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

/// A single word that says something about a secret rather than being one.
pub(super) fn is_said(value: &[u8]) -> bool {
    let end = value.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |at| at + 1);
    one_of(SAID, &value[..end])
}

/// Words with blanks between them that read as a sentence, a title or a command. A passphrase of
/// words has neither capitals nor the small words of sentences; a secret among words has digits or
/// marks inside it.
pub(super) fn is_prose(value: &[u8]) -> bool {
    let mut words = 0;
    let mut small = 0;
    let mut odd = 0;
    let mut foreign = 0;
    for word in value.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()) {
        words += 1;
        let bare = trim_marks(word);
        small += usize::from(one_of(SENTENCE, bare));
        foreign += usize::from(!bare.is_ascii());
        odd += usize::from(bare.len() >= 6 && bare.is_ascii() && is_odd(bare));
    }
    words > 1 && odd == 0 && (small > 0 || foreign > 0 || has_capital_or_mark(value) || words < 3)
}

fn trim_marks(word: &[u8]) -> &[u8] {
    let start = word.iter().position(|b| !b.is_ascii_punctuation()).unwrap_or(word.len());
    let end = word.iter().rposition(|b| !b.is_ascii_punctuation()).map_or(start, |at| at + 1);
    &word[start..end]
}

/// A single word of letters and digits, or letters and marks, that no sentence has.
fn is_odd(word: &[u8]) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
    digits >= 2 && letters >= 3 && !is_plain(word) || letters >= 8 && !Words::of(word).mostly()
}

fn has_capital_or_mark(value: &[u8]) -> bool {
    value.iter().any(|b| {
        b.is_ascii_uppercase()
            || matches!(b, b',' | b'.' | b'!' | b'?' | b':' | b'(' | b'/' | b'\'' | b'=')
    })
}

/// A number, a size, a duration, a date, a time, a version, an address without a user, a media
/// type, a colour, a keyboard shortcut.
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

/// Digits with signs, separators, and a unit of at most three letters.
pub(super) fn is_number(value: &[u8]) -> bool {
    let body = value.strip_prefix(b"-").unwrap_or(value);
    if let Some(hex) = body.strip_prefix(b"0x") {
        return hex.len() <= 16 && hex.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_');
    }
    let digits = body.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b'_' | b',')).count();
    let unit = &body[digits..];
    digits > 0
        && body[0].is_ascii_digit()
        && unit.len() <= 3
        && unit.iter().all(|&b| b.is_ascii_alphabetic() || b == b'%')
        && (unit.is_empty() || digits <= 6)
}

/// `1.2.3`, `v2.0.0-rc.1`, `^1.4`, `3.11.*`.
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
        && dots <= 3
        && tail.len() <= 16
        && (tail.is_empty() || matches!(tail[0], b'-' | b'+' | b'*' | b'r' | b'a' | b'b'))
        && tail.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.' | b'*'))
}

/// `2026-09-01`, `2026-09-01T10:00:00Z`, `10:00:00`.
fn is_date(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let marks = value.iter().filter(|b| matches!(b, b'-' | b':' | b'/')).count();
    value.len() >= 5
        && marks >= 1
        && value[0].is_ascii_digit()
        && value.iter().all(|b| {
            b.is_ascii_digit() || matches!(b, b'-' | b':' | b'/' | b'.' | b'T' | b'Z' | b'+' | b' ')
        })
        && digits <= 20
        && marks >= digits / 5
}

/// A URL without a user part: what is secret in one is found by its own finder.
fn is_url(value: &[u8]) -> bool {
    let scheme = value
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
        .count();
    scheme > 0 && value[scheme..].starts_with(b"://")
}

/// `#fff`, `#f8f8f2`.
fn is_colour(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"#").unwrap_or_default();
    matches!(digits.len(), 3 | 4 | 6 | 8) && digits.iter().all(u8::is_ascii_hexdigit)
}

/// A path of words.
fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|b| matches!(b, b'/' | b'\\')).count();
    let extension = value.len() > 4
        && [
            &b".pem"[..],
            b".key",
            b".crt",
            b".json",
            b".yaml",
            b".yml",
            b".toml",
            b".txt",
            b".env",
            b".p12",
            b".pfx",
            b".jks",
            b".html",
            b".rs",
            b".py",
            b".js",
            b".ts",
            b".go",
            b".pub",
        ]
        .iter()
        .any(|end| value.ends_with(end));
    let words = Words::of(value);
    slashes > 0 && words.mostly() && !value.iter().any(|b| b.is_ascii_whitespace())
        || extension
            && words.covered > 0
            && value.iter().all(|&b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'.' | b'/' | b'_' | b'-' | b'~' | b'\\' | b'$')
            })
}

/// `Ctrl+Shift+P`, `cmd-k`.
fn is_shortcut(value: &[u8]) -> bool {
    const KEYS: [&str; 10] =
        ["ctrl", "control", "alt", "shift", "cmd", "command", "meta", "super", "option", "win"];
    let end = value.iter().position(|b| matches!(b, b'+' | b'-')).unwrap_or(0);
    end > 0 && one_of(&KEYS, &value[..end])
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
