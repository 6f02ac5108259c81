//! Scrubbing without a runtime: one function for a text, and scrubbers of a host's own.

use std::borrow::Cow;

use data_encoding::HEXLOWER_PERMISSIVE;
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::error::{Code, Error};
use crate::fork::Lazy;
use crate::scrub::{Profile, Scrubber, TagKey};
use crate::strict;

/// Masks the secrets in a text with the profile `precise`; borrowed if there was none.
///
/// The tags of its placeholders come from a key that is made when the process first needs it: the
/// same secret has the same tag for as long as the process lives.
///
/// ```
/// let masked = toolkeep::scrub("DB_PASSWORD=correct-horse-battery-7");
/// assert!(masked.starts_with("DB_PASSWORD=[REDACTED:password:"));
/// assert_eq!(toolkeep::scrub("nothing to hide"), "nothing to hide");
/// ```
pub fn scrub(text: &str) -> Cow<'_, str> {
    SCRUBBER.scrub(text)
}

/// As [`scrub()`], for bytes that may not be UTF-8; those that are not pass as they are.
pub fn scrub_bytes(text: &[u8]) -> Cow<'_, [u8]> {
    SCRUBBER.scrub_bytes(text)
}

// Its tables and its key never change, and nobody can register a value with it.
static SCRUBBER: Lazy<Scrubber> = Lazy::new(|| Scrubber::new(Profile::Precise, random_tag_key()));

/// How a scrubber of a host's own is made, from JSON-like data.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScrubOptions {
    /// `precise` (the default), `seed` or `paranoid`.
    pub profile: Profile,
    /// Values to mask wherever they stand, in many encodings.
    pub values: Vec<ScrubValue>,
    /// The key of the tags, as 64 hexadecimal digits. Default: a fresh random one, so that nobody
    /// can compare this scrubber's tags with another's.
    #[schemars(with = "Option<String>")]
    pub key: Option<SecretString>,
}

/// A value to register: the text itself, or the text and its kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a text, or an object of `value` and `kind`")]
pub enum ScrubValue {
    /// The value.
    Plain(#[schemars(with = "String")] SecretString),
    /// The value, and what its placeholders call it.
    Named {
        /// The value.
        #[schemars(with = "String")]
        value: SecretString,
        /// Lower-case letters, digits and hyphens, at most 40. Default: `secret`.
        kind: Option<String>,
    },
}

impl ScrubValue {
    fn parts(&self) -> (&str, Option<&str>) {
        match self {
            ScrubValue::Plain(value) => (value.expose_secret(), None),
            ScrubValue::Named { value, kind } => (value.expose_secret(), kind.as_deref()),
        }
    }
}

impl ScrubOptions {
    /// Options from JSON-like data: what a dict or an object of another language is. `null` is
    /// the default.
    ///
    /// # Errors
    /// `invalid_argument` that names the key and what is wrong with it. A value is not repeated.
    pub fn from_value(value: &Value) -> Result<ScrubOptions, Error> {
        if value.is_null() {
            return Ok(ScrubOptions::default());
        }
        strict::from_value(value).map_err(|why| {
            Error::new(Code::InvalidArgument, format!("options of a scrubber: {why}"))
        })
    }

    /// The scrubber.
    ///
    /// # Errors
    /// `invalid_argument` for a key that is none, or a value that cannot be registered at all.
    pub fn build(&self) -> Result<Scrubber, Error> {
        let key = match &self.key {
            Some(text) => tag_key(text.expose_secret())?,
            None => random_tag_key(),
        };
        let scrubber = Scrubber::new(self.profile, key);
        for (index, value) in self.values.iter().enumerate() {
            let (text, kind) = value.parts();
            scrubber.values().add(text, kind).map_err(|error| {
                Error::new(Code::InvalidArgument, format!("`values[{index}]`: {error}"))
            })?;
        }
        Ok(scrubber)
    }
}

/// A key from its text.
fn tag_key(text: &str) -> Result<TagKey, Error> {
    let decoded = HEXLOWER_PERMISSIVE.decode(text.trim_ascii().as_bytes()).ok();
    let bytes: Option<[u8; 32]> = decoded.and_then(|bytes| bytes.try_into().ok());
    bytes.map(TagKey::new).ok_or_else(|| {
        let text = "`key`: the key of the tags is 32 random bytes, written as 64 hexadecimal \
                    digits; leave it out for a random one";
        Error::new(Code::InvalidArgument, text)
    })
}

/// A fresh key of tags.
fn random_tag_key() -> TagKey {
    TagKey::new(*random_bytes())
}

/// Random bytes for tags. Where the system gives none, the tags are only as hard to guess as the
/// standard library's hash keys, and nothing else is lost.
pub(super) fn random_bytes() -> Zeroizing<[u8; 32]> {
    let mut bytes = Zeroizing::new([0; 32]);
    if getrandom::fill(bytes.as_mut_slice()).is_err() {
        for part in bytes.chunks_exact_mut(8) {
            let state = std::hash::RandomState::new();
            part.copy_from_slice(&std::hash::BuildHasher::hash_one(&state, 0).to_ne_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn refusal(options: Value) -> String {
        let made = ScrubOptions::from_value(&options).and_then(|options| options.build());
        made.expect_err("options that are wrong").to_string()
    }

    #[test]
    fn wrong_options_are_reported_by_name_and_without_the_value() {
        assert!(refusal(json!({ "profil": "seed" })).contains("profil"));
        assert!(refusal(json!({ "profile": "strict" })).contains("profile"));
        assert!(refusal(json!({ "key": "secret" })).contains("64 hexadecimal digits"));
        assert!(!refusal(json!({ "key": "5ecret" })).contains("5ecret"));
    }

    #[test]
    fn the_same_key_gives_the_same_tags_and_no_key_gives_others() {
        let text = "DB_PASSWORD=correct-horse-battery-7";
        let keyed = json!({ "key": "0123456789abcdef".repeat(4) });
        let make = |options: &Value| ScrubOptions::from_value(options).unwrap().build().unwrap();
        let first = make(&keyed).scrub(text).into_owned();
        assert_eq!(first, make(&keyed).scrub(text));
        assert_ne!(first, make(&Value::Null).scrub(text));
        assert_ne!(first, text);
    }
}
