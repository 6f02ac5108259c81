//! A secret that was found: where, what kind, how sure.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What a secret is: `github-pat`, `password`, or the name that a host gave to a value. Lower-case
/// letters, digits and hyphens, at most 40 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A kind that this library knows.
    Known(&'static str),
    /// The name of a value that a host registered.
    Given(Arc<str>),
}

impl Kind {
    /// The kind as it stands in placeholders and findings.
    pub fn as_str(&self) -> &str {
        match self {
            Kind::Known(name) => name,
            Kind::Given(name) => name,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How sure a finder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// It stands near something telling.
    Low,
    /// A telling name has a value that looks like a secret.
    Medium,
    /// Its shape says what it is, or it is a registered value.
    High,
}

impl Confidence {
    /// `low`, `medium` or `high`.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// What ends a secret that goes on behind the view in which it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The first byte that is no part of a token: anything but `A-Z a-z 0-9 _ - . + / = ~ %`.
    Token,
    /// The first white space, quote, or control character.
    Space,
    /// This quote, where no backslash stands before it.
    Quote(u8),
    /// The end line of a PEM or PGP block, or the first byte that cannot be part of its body.
    Block,
}

/// A secret in a text.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    /// The bytes to replace.
    pub span: Range<usize>,
    pub kind: Kind,
    pub confidence: Confidence,
    /// A checksum inside the secret is right.
    pub verified: bool,
    /// The form in which a registered value stands there: `base64`, `hex`, …
    pub encoding: Option<&'static str>,
    /// Set where the secret may go on behind the view: the span then ends with the view, and
    /// the secret with what this says.
    pub open: Option<Until>,
}

impl Hit {
    /// A closed secret of a kind that the library knows.
    pub(super) fn known(span: Range<usize>, kind: &'static str, confidence: Confidence) -> Hit {
        let kind = Kind::Known(kind);
        Hit { span, kind, confidence, verified: false, encoding: None, open: None }
    }
}
