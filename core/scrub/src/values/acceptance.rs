//! Acceptance: can a value be guarded without destroying the meaning of every text?

use crate::words;
use std::fmt;

/// Shorter values are not registered: they occur everywhere.
pub(super) const MIN_LENGTH: usize = 4;
/// Shorter values are found only as they are, with boundaries, and in no encoding: a few encoded
/// bytes occur everywhere.
pub(super) const MIN_ENCODED: usize = 8;

/// The result of registering a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Added {
    /// Set if the value is not guarded, or not in every encoding.
    pub warning: Option<Warning>,
}

/// Why a value is guarded less than others, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Warning {
    /// It has fewer than 4 bytes. It is not guarded, since it would be found everywhere.
    TooShort,
    /// It has fewer than 8 bytes. It is found only as it is, where it is no part of something
    /// longer, and in no encoding.
    Short,
    /// It is a common word, address or filler: `true`, `root`, `localhost`, `********`. It is not
    /// guarded.
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

    /// False if the value is not guarded at all.
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

/// Why a value is not registered. Never contains the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The kind cannot stand in a placeholder.
    #[error(
        "the kind of a value is 1 to 40 of a-z, 0-9 and `-`, as in `deploy-key`; it is {kind:?}"
    )]
    Kind {
        /// The kind that was given, cut to 80 characters.
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

/// Checks the kind of a value.
pub(super) fn check_kind(kind: &str) -> Result<&str, ValueError> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if (1..=40).contains(&kind.len()) && kind.bytes().all(fits) {
        return Ok(kind);
    }
    Err(ValueError::Kind { kind: kind.chars().take(80).collect() })
}

/// The warning for a value, if there is one.
pub(super) fn check(value: &str) -> Option<Warning> {
    if value.len() < MIN_LENGTH {
        return Some(Warning::TooShort);
    }
    let bytes = value.as_bytes();
    let uniform = bytes.iter().all(|b| *b == bytes[0]);
    let placeholder = crate::placeholder::length(bytes) == Some(bytes.len());
    if uniform
        || placeholder
        || words::COMMON_VALUES.iter().any(|common| value.eq_ignore_ascii_case(common))
    {
        return Some(Warning::Common);
    }
    (value.len() < MIN_ENCODED).then_some(Warning::Short)
}
