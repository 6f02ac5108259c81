//! Findings: what a host learns about a secret, without the secret itself.

use serde::{Serialize, Serializer};

use super::hit::{Confidence, Kind};
use super::region::Mask;

/// A secret in a text. It never holds the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of secret it is: `github-pat`, `password`, or the name that a host gave to a
    /// registered value.
    pub kind: Kind,
    /// Where it starts in the text, in bytes.
    pub start: usize,
    /// Where it ends in the text, in bytes. A placeholder replaces everything from `start` to
    /// `end`.
    pub end: usize,
    /// How sure the detector is.
    pub confidence: Confidence,
    /// True if a checksum inside the secret is right. The secret is then well-formed; it need not
    /// be valid anywhere.
    pub verified: bool,
    /// How a registered value is encoded there: `base64`, `hex`, … `None` for a value that stands
    /// as registered, and for a secret that is not registered.
    pub encoding: Option<&'static str>,
    /// The tag in its placeholder. `None` for a secret that could be guessed, and in the `seed`
    /// profile.
    pub tag: Option<String>,
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl From<Mask> for Finding {
    fn from(mask: Mask) -> Finding {
        let Mask { start, end, kind, confidence, verified, encoding, tag, .. } = mask;
        Finding { kind, start, end, confidence, verified, encoding, tag }
    }
}
