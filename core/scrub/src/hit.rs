//! Hits: what a detector reports about one secret.
//!
//! A hit says which bytes are secret, what kind of secret they are, and how sure the detector is. A
//! detector sees only a bounded [view](crate::view) of the text. A secret that reaches the end of
//! its view is left *open*: its [`Continuation`] is a rule that finds the end later, in more text.
//!
//! [`scan`](crate::scan) turns hits into masks, and a mask becomes a public
//! [`Finding`](crate::Finding).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The kind of a secret: `github-pat`, `password`, or the name that a host gave to a registered
/// value. Lower-case letters, digits and hyphens, at most 40 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A kind that this crate knows.
    Known(&'static str),
    /// The name of a value that a host registered.
    Given(Arc<str>),
}

impl Kind {
    /// The kind as placeholders and findings show it.
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

/// How sure a detector is that it found a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Only the context suggests a secret: a sentence, a nearby word, a bare run of digits.
    Low,
    /// A name such as `api_key` says so, and the value looks like a secret.
    Medium,
    /// The shape alone identifies it, or it is a registered value.
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

/// The rule that finds the end of a secret that reaches past the end of its view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuation {
    /// Ends at the first byte that is not part of a token: anything but `A-Z a-z 0-9 _ - . + / = ~
    /// %`.
    Token,
    /// Ends at the first white space, quote or control character.
    Space,
    /// Ends at this quote, unless a backslash stands before it.
    Quote(u8),
    /// Ends at the end line of a PEM or PGP block, or at the first byte that cannot be part of its
    /// body.
    Block,
}

/// A secret in a text, as a detector reports it.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    /// The bytes to replace.
    pub span: Range<usize>,
    /// What kind of secret it is.
    pub kind: Kind,
    /// How sure the detector is.
    pub confidence: Confidence,
    /// True if a checksum inside the secret is right.
    pub verified: bool,
    /// How a registered value is encoded there: `base64`, `hex`, …
    pub encoding: Option<&'static str>,
    /// Set if the secret may continue past the view. The span then ends with the view.
    pub open: Option<Continuation>,
}

impl Hit {
    /// A complete hit of a kind that this crate knows, without a checksum.
    pub(super) fn known(span: Range<usize>, kind: &'static str, confidence: Confidence) -> Hit {
        let kind = Kind::Known(kind);
        Hit { span, kind, confidence, verified: false, encoding: None, open: None }
    }
}
