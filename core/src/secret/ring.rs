//! The keys of a runtime: one that seals, and any number that only open.

use hmac::{Hmac, KeyInit, Mac};
use secrecy::SecretString;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::envelope::{self, Envelope};
use super::key::{Key, KeyId, fill_random};
use super::{Error, Place, SecretBytes};

/// The keys of a runtime. `Debug` shows their ids only.
#[derive(Debug)]
pub struct KeyRing {
    sealing: Key,
    older: Vec<Key>,
}

impl KeyRing {
    /// A ring which seals with one key and opens with that and the `older` ones.
    pub fn new(sealing: Key, older: impl IntoIterator<Item = Key>) -> KeyRing {
        KeyRing { sealing, older: older.into_iter().collect() }
    }

    /// Seals a value for its place: an envelope to be stored there. Sealing the same value again
    /// gives another envelope.
    ///
    /// # Errors
    /// [`Error::TooLarge`] or [`Error::NoRandom`].
    pub fn seal(&self, place: &Place<'_>, value: &[u8]) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; envelope::NONCE];
        fill_random(&mut nonce)?;
        envelope::seal(&self.sealing, &nonce, place, value)
    }

    /// Opens the envelope that is stored in a place.
    ///
    /// # Errors
    /// [`Error::NotSealed`], [`Error::UnknownKey`] or [`Error::Altered`].
    pub fn open(&self, place: &Place<'_>, envelope: &[u8]) -> Result<SecretBytes, Error> {
        let envelope = Envelope::read(place, envelope)?;
        match self.keys().find(|key| key.id() == envelope.key_id) {
            Some(key) => envelope.open(key, place),
            None => Err(Error::UnknownKey {
                place: place.to_string(),
                sealed_under: envelope.key_id,
                configured: self.key_ids().collect(),
            }),
        }
    }

    /// Opens an envelope whose value is text.
    ///
    /// # Errors
    /// As [`KeyRing::open`], and [`Error::NotText`].
    pub fn open_text(&self, place: &Place<'_>, envelope: &[u8]) -> Result<SecretString, Error> {
        envelope::text(place, &self.open(place, envelope)?)
    }

    /// The id of the key that seals: what a store can keep, to check later that it is opened under
    /// another key.
    pub fn fingerprint(&self) -> KeyId {
        self.sealing.id()
    }

    /// The ids of all keys; the first is the one that seals.
    pub fn key_ids(&self) -> impl Iterator<Item = KeyId> {
        self.keys().map(Key::id)
    }

    /// 32 bytes for some purpose, from the key that seals: the same for as long as that one does,
    /// and of no use for anything else.
    #[expect(clippy::expect_used, reason = "a key of any length is one")]
    pub(crate) fn derive(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        let mut code =
            Hmac::<Sha256>::new_from_slice(self.sealing.bytes()).expect("a key of any length");
        code.update(b"toolkeep derived key, version 1\0");
        code.update(purpose.as_bytes());
        Zeroizing::new(code.finalize().into_bytes().into())
    }

    fn keys(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.sealing).chain(&self.older)
    }
}

#[cfg(test)]
mod tests;
