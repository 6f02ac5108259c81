//! What a sealed value looks like:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `TKS` and the version of the format, 1 |
//! | 8 | the id of the key |
//! | 12 | a random nonce |
//! | as the value | the ciphertext |
//! | 16 | the tag |
//!
//! The first twelve bytes and the [`Place`] are associated data: the tag covers them, too.

use aes_gcm::aead::{AeadInOut, KeyInit, Nonce, Tag};
use aes_gcm::{Aes256Gcm, Key as CipherKey};
use secrecy::{ExposeSecret, ExposeSecretMut, SecretString};

use super::key::{Key, KeyId};
use super::{Error, Place, SecretBytes};

const MAGIC: &[u8; 3] = b"TKS";
const VERSION: u8 = 1;
const HEADER: usize = MAGIC.len() + 1 + KeyId::BYTES;
pub(super) const NONCE: usize = 12;
const TAG: usize = 16;

/// How many bytes an envelope is longer than its value.
pub const OVERHEAD: usize = HEADER + NONCE + TAG;

/// The key that an envelope names; none if the bytes are no envelope. Nothing is opened, so the
/// name is not to be trusted yet.
pub fn sealed_under(bytes: &[u8]) -> Option<KeyId> {
    let begins = bytes.starts_with(MAGIC) && bytes.get(MAGIC.len()) == Some(&VERSION);
    begins.then(|| Envelope::split(bytes)).flatten().map(|envelope| envelope.key_id)
}

pub(super) fn seal(
    key: &Key,
    nonce: &[u8; NONCE],
    place: &Place<'_>,
    value: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut envelope = Vec::with_capacity(OVERHEAD + value.len());
    envelope.extend_from_slice(MAGIC);
    envelope.push(VERSION);
    envelope.extend_from_slice(&key.id().0);
    let bound = place.bind(&envelope);
    envelope.extend_from_slice(nonce);
    envelope.extend_from_slice(value);
    let tag = cipher(key)
        .encrypt_inout_detached(nonce.into(), &bound, (&mut envelope[HEADER + NONCE..]).into())
        .map_err(|_| Error::TooLarge { place: place.to_string() })?;
    envelope.extend_from_slice(&tag);
    Ok(envelope)
}

/// An envelope in its parts. Nothing in it is to be trusted yet.
pub(super) struct Envelope<'e> {
    pub key_id: KeyId,
    header: &'e [u8; HEADER],
    nonce: &'e [u8; NONCE],
    ciphertext: &'e [u8],
    tag: &'e [u8; TAG],
}

impl<'e> Envelope<'e> {
    pub fn read(place: &Place<'_>, bytes: &'e [u8]) -> Result<Envelope<'e>, Error> {
        let bad = |why| Error::NotSealed { place: place.to_string(), why };
        if !bytes.starts_with(MAGIC) {
            return Err(bad("it does not begin like one"));
        }
        if bytes.get(MAGIC.len()).is_some_and(|version| *version != VERSION) {
            return Err(bad("its format is one that this toolkeep does not know"));
        }
        Envelope::split(bytes).ok_or_else(|| bad("it is cut short"))
    }

    fn split(bytes: &'e [u8]) -> Option<Envelope<'e>> {
        let (header, rest) = bytes.split_first_chunk::<HEADER>()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
        let (ciphertext, tag) = rest.split_last_chunk::<TAG>()?;
        let key_id = KeyId(*header.last_chunk()?);
        Some(Envelope { key_id, header, nonce, ciphertext, tag })
    }

    pub fn open(&self, key: &Key, place: &Place<'_>) -> Result<SecretBytes, Error> {
        let nonce: &Nonce<Aes256Gcm> = self.nonce.into();
        let tag: &Tag<Aes256Gcm> = self.tag.into();
        let mut value = SecretBytes::from(self.ciphertext.to_vec());
        cipher(key)
            .decrypt_inout_detached(
                nonce,
                &place.bind(self.header),
                value.expose_secret_mut().into(),
                tag,
            )
            .map_err(|_| Error::Altered { place: place.to_string(), key: self.key_id })?;
        Ok(value)
    }
}

pub(super) fn text(place: &Place<'_>, value: &SecretBytes) -> Result<SecretString, Error> {
    std::str::from_utf8(value.expose_secret())
        .map(SecretString::from)
        .map_err(|_| Error::NotText { place: place.to_string() })
}

fn cipher(key: &Key) -> Aes256Gcm {
    let key: &CipherKey<Aes256Gcm> = key.bytes().into();
    Aes256Gcm::new(key)
}
