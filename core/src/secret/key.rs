//! A key: 32 random bytes, and the forms in which people keep them.

use std::fmt;

use data_encoding::{BASE64, Encoding, HEXLOWER, HEXLOWER_PERMISSIVE};
use secrecy::{ExposeSecret, ExposeSecretMut, SecretBox, SecretString};
use sha2::{Digest, Sha256};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::Error;

/// The length of a key in bytes.
pub(super) const KEY_BYTES: usize = 32;

const HEX_CHARS: usize = 64;
const BASE64_CHARS: usize = 44;

/// Fewer different bytes than this never happen among 32 random ones (one chance in 2^80).
const LEAST_DIFFERENT: usize = 12;

/// What is accepted, for errors.
pub(super) const FORMS: &str = "a key is 32 random bytes, written as 64 hexadecimal digits or as 44 \
                                characters of standard base64; `openssl rand -hex 32` makes one";

/// A key for AES-256. Wiped when it is dropped; `Debug` shows its [`KeyId`] only.
pub struct Key {
    bytes: SecretBox<[u8; KEY_BYTES]>,
    id: KeyId,
}

impl Key {
    /// A key from its text: 64 hexadecimal digits, or 44 characters of standard base64. Blanks and
    /// line ends around it do not count.
    ///
    /// # Errors
    /// [`Error::BadKey`] for any other length or character, and for a text which was typed rather
    /// than drawn at random: no key is derived from a passphrase. The text is not repeated.
    ///
    /// ```
    /// use toolkeep::secret::Key;
    ///
    /// let error = Key::from_text("my passphrase").unwrap_err().to_string();
    /// assert!(error.contains("64 hexadecimal digits") && !error.contains("passphrase`"));
    /// ```
    pub fn from_text(text: &str) -> Result<Key, Error> {
        let text = text.trim_ascii();
        let decoded = match text.len() {
            HEX_CHARS => decode(&HEXLOWER_PERMISSIVE, text),
            BASE64_CHARS => decode(&BASE64, text),
            _ => None,
        };
        match decoded {
            Some(bytes) => Key::from_bytes(bytes),
            None => Err(Error::BadKey(format!(
                "these {} characters are not a key; {FORMS}",
                text.chars().count()
            ))),
        }
    }

    /// A key from what a key file holds: the 32 bytes themselves, or a key's text.
    ///
    /// # Errors
    /// As [`Key::from_text`].
    pub fn from_file_content(content: &[u8]) -> Result<Key, Error> {
        if let Ok(raw) = <&[u8; KEY_BYTES]>::try_from(content) {
            let mut bytes = SecretBox::<[u8; KEY_BYTES]>::default();
            bytes.expose_secret_mut().copy_from_slice(raw);
            return Key::from_bytes(bytes);
        }
        match std::str::from_utf8(content) {
            Ok(text) => Key::from_text(text),
            Err(_) => Err(Error::BadKey(format!(
                "these {} bytes are not a key; {FORMS}; a file may also hold just the 32 bytes",
                content.len()
            ))),
        }
    }

    /// Which key this is.
    pub fn id(&self) -> KeyId {
        self.id
    }

    pub(super) fn bytes(&self) -> &[u8; KEY_BYTES] {
        self.bytes.expose_secret()
    }

    fn from_bytes(bytes: SecretBox<[u8; KEY_BYTES]>) -> Result<Key, Error> {
        let raw = bytes.expose_secret();
        let different = raw.iter().enumerate().filter(|(at, byte)| !raw[..*at].contains(byte));
        // Random bytes are all printable once in 2^45 keys; typed ones always are.
        let typed = raw.iter().all(|byte| (b' '..=b'~').contains(byte));
        if typed || different.count() < LEAST_DIFFERENT {
            return Err(Error::BadKey(format!(
                "this is as long as a key, but it was typed and not drawn at random; {FORMS}"
            )));
        }
        let id = KeyId::of(raw);
        Ok(Key { bytes, id })
    }
}

// The bytes wipe themselves, and the id is no secret.
impl ZeroizeOnDrop for Key {}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.id).finish()
    }
}

fn decode(encoding: &Encoding, text: &str) -> Option<SecretBox<[u8; KEY_BYTES]>> {
    // One byte more than a key has: what the decoder asks for 44 characters of base64.
    let mut room = Zeroizing::new([0; KEY_BYTES + 1]);
    let length = encoding.decode_len(text.len()).ok()?;
    let length = encoding.decode_mut(text.as_bytes(), room.get_mut(..length)?).ok()?;
    let mut bytes = SecretBox::<[u8; KEY_BYTES]>::default();
    if length != KEY_BYTES {
        return None;
    }
    bytes.expose_secret_mut().copy_from_slice(&room[..KEY_BYTES]);
    Some(bytes)
}

/// Which key: the first 8 bytes of a SHA-256 over the key, shown as 16 hexadecimal digits. It is no
/// secret and says nothing about the key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub(super) [u8; KeyId::BYTES]);

impl KeyId {
    pub(super) const BYTES: usize = 8;

    fn of(key: &[u8; KEY_BYTES]) -> KeyId {
        let hash = Sha256::new().chain_update(b"toolkeep key id, version 1\0").chain_update(key);
        let mut id = [0; KeyId::BYTES];
        id.copy_from_slice(&hash.finalize()[..KeyId::BYTES]);
        KeyId(id)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A fresh key for somebody to keep, as 64 hexadecimal digits.
///
/// # Errors
/// [`Error::NoRandom`] if the system gives no random bytes.
pub fn generate_key() -> Result<SecretString, Error> {
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    fill_random(bytes.as_mut_slice())?;
    Ok(SecretString::from(HEXLOWER.encode(bytes.as_slice())))
}

pub(super) fn fill_random(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| Error::NoRandom(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11";

    fn refusal(text: &str) -> String {
        let error = Key::from_text(text).unwrap_err();
        assert_eq!(error.code(), crate::Code::InvalidConfig);
        error.to_string()
    }

    #[test]
    fn the_forms_of_one_key_are_interchangeable() {
        let raw = HEXLOWER.decode(HEX.as_bytes()).unwrap();
        let base64 = BASE64.encode(&raw);
        assert_eq!(base64.len(), 44);
        let texts = [
            HEX.to_owned(),
            HEX.to_uppercase(),
            format!("{HEX}\n"),
            format!(" {HEX}\r\n"),
            base64.clone(),
            format!("{base64}\n"),
        ];
        for text in texts {
            let key = Key::from_text(&text).unwrap();
            assert_eq!(key.bytes().as_slice(), raw);
            let key = Key::from_file_content(text.as_bytes()).unwrap();
            assert_eq!(key.bytes().as_slice(), raw);
        }
        assert_eq!(Key::from_file_content(&raw).unwrap().bytes().as_slice(), raw);
    }

    #[test]
    fn a_raw_key_may_end_with_a_byte_that_looks_like_a_line_end() {
        let mut raw = HEXLOWER.decode(HEX.as_bytes()).unwrap();
        raw[31] = b'\n';
        assert_eq!(Key::from_file_content(&raw).unwrap().bytes().as_slice(), raw);
    }

    #[test]
    fn anything_else_is_refused_without_being_repeated() {
        let url_safe = "-_".repeat(21) + "A=";
        let unpadded = "q".repeat(43);
        let dirty_end = format!("{}B=", "q".repeat(42));
        let bad = [
            &HEX[..63],
            &HEX[..48],
            &HEX[..32],
            &format!("{HEX}0"),
            &format!("{}zz", &HEX[..62]),
            &format!("0x{}", &HEX[..62]),
            &url_safe,
            &unpadded,
            &dirty_end,
            &"🔑".repeat(16),
            "correct horse battery staple",
        ];
        for text in bad {
            let refusal = refusal(text);
            assert!(refusal.contains("64 hexadecimal digits"), "{refusal}");
            assert!(!refusal.contains(text), "{refusal}");
            assert!(Key::from_file_content(text.as_bytes()).is_err());
        }
        assert!(refusal("").contains("these 0 characters"));
        for length in [0, 1, 16, 31, 33, 48, 64, 100] {
            let error = Key::from_file_content(&vec![0xfe; length]).unwrap_err().to_string();
            assert!(error.contains("32 random bytes"), "{error}");
        }
    }

    #[test]
    fn what_was_typed_is_no_key_in_any_form() {
        let typed = b"Tr0ub4dor&3 is what I always use";
        assert_eq!(typed.len(), KEY_BYTES);
        assert!(refusal(std::str::from_utf8(typed).unwrap()).contains("these 32 characters"));
        assert!(Key::from_file_content(typed).is_err());
        assert!(refusal(&HEXLOWER.encode(typed)).contains("typed"));
        assert!(refusal(&BASE64.encode(typed)).contains("typed"));
        assert!(refusal(&"0".repeat(64)).contains("typed"));
        assert!(refusal(&"0123456789abcdef".repeat(4)).contains("typed"));
        assert!(Key::from_file_content(&[0xaa; 32]).is_err());
    }

    #[test]
    fn a_fresh_key_is_a_key_and_another_one_each_time() {
        let rounds = crate::soak::rounds(200, 100_000);
        let ids: std::collections::BTreeSet<KeyId> = (0..rounds)
            .map(|_| Key::from_text(generate_key().unwrap().expose_secret()).unwrap().id())
            .collect();
        assert_eq!(ids.len(), rounds);
    }

    #[test]
    fn keys_show_their_id_and_nothing_else() {
        let key = Key::from_text(HEX).unwrap();
        assert_eq!(format!("{key:?}"), format!("Key({})", key.id()));
        assert_eq!(key.id().to_string().len(), 16);
        assert!(!HEX.contains(&key.id().to_string()));
        let generated = generate_key().unwrap();
        assert!(!format!("{generated:?}").contains(generated.expose_secret()));
    }

    #[test]
    fn what_holds_a_key_or_a_value_is_wiped_on_drop() {
        fn wiped<T: ZeroizeOnDrop>() {}
        wiped::<Key>();
        wiped::<SecretString>();
        wiped::<crate::secret::SecretBytes>();
        wiped::<aes_gcm::Aes256Gcm>();
        wiped::<Sha256>();
    }
}
