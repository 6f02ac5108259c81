//! What is reported about a secret that was found: everything but the secret.

use serde::{Serialize, Serializer};

use super::hit::{Confidence, Kind};
use super::region::Mask;

/// A secret in a text. Never holds the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What it is: `github-pat`, `password`, or the name that a host gave to a registered value.
    pub kind: Kind,
    /// Where it starts in the text, in bytes.
    pub start: usize,
    /// Where it ends in the text, in bytes. What stands between is what a placeholder replaces.
    pub end: usize,
    /// How sure the finder is.
    pub confidence: Confidence,
    /// True if a checksum inside the secret is right. It tells that the secret is well-formed, not
    /// that it is still valid anywhere.
    pub verified: bool,
    /// The form in which a registered value stands there: `base64`, `hex`, … Nothing for a value as
    /// it was registered and for a secret that is not registered.
    pub encoding: Option<&'static str>,
    /// The tag in its placeholder. Nothing for a secret that could be guessed, and in the `seed`
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
