//! Weighs a value: whether it can be guarded at all without destroying the sense of every text.

use std::fmt;

/// Shorter values are not looked for.
pub(super) const LEAST: usize = 4;
/// Shorter values are looked for as they are, with boundaries, and in no encoding.
pub(super) const LEAST_ENCODED: usize = 8;

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Added {
    /// Set if the value is not guarded, or not in every form.
    pub warning: Option<Warning>,
}

/// Why a value is guarded less than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Warning {
    /// It has fewer than 4 bytes. It is not guarded: it would be found everywhere.
    TooShort,
    /// It has fewer than 8 bytes. It is found as it is, where nothing longer goes on around it,
    /// and in no encoding.
    Short,
    /// It is a word, an address or a filling of everyday texts: `true`, `root`, `localhost`,
    /// `********`. It is not guarded.
    Common,
}

impl Warning {
    /// The stable code: `value_too_short`, `value_short` or `value_common`.
    pub fn code(self) -> &'static str {
        match self {
            Warning::TooShort => "value_too_short",
            Warning::Short => "value_short",
            Warning::Common => "value_common",
        }
    }

    /// False if the value is not looked for at all.
    pub fn guarded(self) -> bool {
        matches!(self, Warning::Short)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Warning::TooShort => {
                "a value of fewer than 4 bytes is not guarded, as it would be found everywhere; \
                 use a longer secret"
            }
            Warning::Short => {
                "a value of fewer than 8 bytes is found only as it is and where it stands alone, \
                 in no encoding; use a longer secret"
            }
            Warning::Common => {
                "a value that everyday texts are full of is not guarded; use another secret"
            }
        })
    }
}

/// Why a value is not registered. Never holds the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The kind cannot stand in a placeholder.
    #[error(
        "the kind of a value is 1 to 40 of a-z, 0-9 and `-`, as in `deploy-key`; it is {kind:?}"
    )]
    Kind {
        /// What was given, cut to 80 characters.
        kind: String,
    },
    /// The value is longer than [`Values::LONGEST`](super::Values::LONGEST).
    #[error(
        "a value has at most 16,384 bytes and this has {length}; register the secret parts of it"
    )]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
}

pub(super) fn kind(kind: &str) -> Result<&str, ValueError> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if (1..=40).contains(&kind.len()) && kind.bytes().all(fits) {
        return Ok(kind);
    }
    Err(ValueError::Kind { kind: kind.chars().take(80).collect() })
}

/// What everyday texts are full of, in lower case. Defaults that stand in manuals, words of
/// configurations and logs, and addresses that every machine has.
const COMMON: &[&str] = &[
    "0.0.0.0",
    "0000",
    "1234",
    "12345",
    "123456",
    "1234567",
    "12345678",
    "123456789",
    "1234567890",
    "127.0.0.1",
    "::1",
    "admin",
    "administrator",
    "anonymous",
    "apikey",
    "api_key",
    "auto",
    "basic",
    "bearer",
    "changeme",
    "data",
    "database",
    "debug",
    "default",
    "demo",
    "dev",
    "development",
    "disable",
    "disabled",
    "dummy",
    "empty",
    "enable",
    "enabled",
    "error",
    "example",
    "false",
    "guest",
    "hello",
    "http",
    "https",
    "info",
    "json",
    "key",
    "localhost",
    "main",
    "master",
    "mysql",
    "name",
    "nil",
    "none",
    "null",
    "openssl",
    "optional",
    "password",
    "passwd",
    "postgres",
    "postgresql",
    "private",
    "prod",
    "production",
    "public",
    "redis",
    "required",
    "root",
    "sample",
    "secret",
    "server",
    "stage",
    "staging",
    "string",
    "system",
    "test",
    "testing",
    "text",
    "token",
    "true",
    "undefined",
    "unknown",
    "user",
    "username",
    "value",
    "warn",
    "warning",
    "yes",
    "localhost.localdomain",
    "eu-central-1",
    "eu-west-1",
    "us-east-1",
    "us-east-2",
    "us-west-1",
    "us-west-2",
    "your-api-key",
    "redacted",
    "[redacted]",
];

pub(super) fn weigh(value: &str) -> Option<Warning> {
    if value.len() < LEAST {
        return Some(Warning::TooShort);
    }
    let bytes = value.as_bytes();
    let uniform = bytes.iter().all(|b| *b == bytes[0]);
    let placeholder = crate::placeholder::length(bytes) == Some(bytes.len());
    if uniform || placeholder || COMMON.iter().any(|common| value.eq_ignore_ascii_case(common)) {
        return Some(Warning::Common);
    }
    (value.len() < LEAST_ENCODED).then_some(Warning::Short)
}
