//! Secrets at rest: sealed under a key that the store never sees.
//!
//! A [`KeyRing`] seals a value with AES-256-GCM and binds it to its [`Place`]: tenant, table, row and
//! field. What it gives is an envelope, and only an envelope is ever stored. Opening one that was
//! altered, cut, copied to another place, or written there in clear text is an error which names the
//! place and never the value.
//!
//! ```
//! use toolkeep::secret::{ExposeSecret, Key, KeyRing, Place, generate_key};
//!
//! let key = generate_key()?; // keep this somewhere safe
//! let ring = KeyRing::new(Key::from_text(key.expose_secret())?, []);
//! let place = Place { tenant: "default", table: "credentials", row: &["gh"], field: "env" };
//! let envelope = ring.seal(&place, b"GH_TOKEN=hunter2")?;
//! assert_eq!(ring.open(&place, &envelope)?.expose_secret(), b"GH_TOKEN=hunter2");
//! assert!(ring.open(&Place { row: &["aws"], ..place }, &envelope).is_err());
//! # Ok::<(), toolkeep::secret::Error>(())
//! ```
//!
//! # Keys
//!
//! A key is 32 random bytes. Its [`KeyId`] stands in each envelope, so a ring can open what an older
//! key sealed, and says which key is missing when it cannot. A [`KeySource`] says where a key is
//! kept; [`Secrets`] is the part of the configuration that holds such sources.
//!
//! # Limits
//!
//! Each envelope has a random nonce of 96 bits. Seal at most 2^32 values under one key (NIST SP
//! 800-38D): beyond that two nonces may be equal. At a thousand writes a second that is 49 days; at
//! one a second, 136 years. An envelope is [`OVERHEAD`] bytes longer than its value, so its length
//! reveals the length of the value.
//!
//! Keys and opened values are wiped from the heap when they are dropped. Copies that the compiler
//! makes on the stack, swapped pages and core dumps are outside of what a library can wipe.

mod envelope;
mod key;
mod place;
mod ring;
mod source;

pub use envelope::{OVERHEAD, sealed_under};
pub use key::{Key, KeyId, generate_key};
pub use place::Place;
pub use ring::KeyRing;
pub use secrecy::{ExposeSecret, SecretString};
pub use source::{KeySource, Secrets};

use crate::error::Code;

/// Bytes that are wiped when they are dropped, and that `Debug` does not show.
pub type SecretBytes = secrecy::SecretSlice<u8>;

/// Why a value cannot be sealed or opened, or a key not be had. Never holds a key or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No key is configured. Nothing is stored then, least of all in clear text.
    #[error(
        "secrets are stored only under a key, and none is configured; set `secrets.key` to \
         {{ env = \"TOOLKEEP_KEY\" }} or {{ file = \"toolkeep.key\" }}; `openssl rand -hex 32` makes \
         a key"
    )]
    NoKey,
    /// A key cannot be had from where it should be, or is no key; the text says what is accepted.
    #[error("{0}")]
    BadKey(String),
    /// What is stored is not an envelope, or not a whole one.
    #[error(
        "what is stored in {place} is not a sealed secret: {why}; clear text is never taken for a \
         secret, so store the value anew"
    )]
    NotSealed {
        /// The [`Place`].
        place: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The envelope is sealed under a key that the ring does not have.
    #[error(
        "the secret in {place} is sealed under key {sealed_under}, and the configured keys are \
         {}; add the missing key to `secrets.older_keys`, or store the value anew",
        listed(configured)
    )]
    UnknownKey {
        /// The [`Place`].
        place: String,
        /// The key that the envelope names.
        sealed_under: KeyId,
        /// The keys of the ring; the first is the one that seals.
        configured: Vec<KeyId>,
    },
    /// The key is right and the envelope is not what was sealed for this place.
    #[error(
        "the secret in {place}, sealed under key {key}, was altered or moved here from another \
         place; restore it from a backup, or store the value anew"
    )]
    Altered {
        /// The [`Place`].
        place: String,
        /// The key that the envelope names.
        key: KeyId,
    },
    /// The opened value is not text where text was asked for.
    #[error("the secret in {place} is not UTF-8; store the value anew")]
    NotText {
        /// The [`Place`].
        place: String,
    },
    /// The value is larger than AES-GCM can seal (64 GiB).
    #[error("the secret for {place} is too large to be sealed")]
    TooLarge {
        /// The [`Place`].
        place: String,
    },
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    NoRandom(String),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Error::NoKey => Code::NoKey,
            Error::BadKey(_) => Code::InvalidConfig,
            Error::NotSealed { .. }
            | Error::UnknownKey { .. }
            | Error::Altered { .. }
            | Error::NotText { .. } => Code::SecretUnreadable,
            Error::TooLarge { .. } => Code::TooLarge,
            Error::NoRandom(_) => Code::Internal,
        }
    }
}

impl From<Error> for crate::error::Error {
    fn from(error: Error) -> crate::error::Error {
        crate::error::Error::new(error.code(), error.to_string())
    }
}

fn listed(keys: &[KeyId]) -> String {
    keys.iter().map(KeyId::to_string).collect::<Vec<_>>().join(", ")
}
