use data_encoding::HEXLOWER;
use secrecy::ExposeSecret;

use super::*;
use crate::Code;
use crate::secret::{OVERHEAD, generate_key};
use crate::soak;

const ONE: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const TWO: &str = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11";
const PLACE: Place<'_> =
    Place { tenant: "default", table: "credentials", row: &["gh", "me"], field: "env" };

fn key(text: &str) -> Key {
    Key::from_text(text).unwrap()
}

fn ring() -> KeyRing {
    KeyRing::new(key(TWO), [])
}

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

#[test]
fn what_is_sealed_opens_in_its_place() {
    let large: Vec<u8> = (0..65_536_u32).map(|at| at.to_le_bytes()[1]).collect();
    let values: [&[u8]; 7] = [b"", b"x", b"\0", b"a\0b", "🔑 clé".as_bytes(), b"\xff\xfe", &large];
    for value in values {
        let envelope = ring().seal(&PLACE, value).unwrap();
        assert_eq!(envelope.len(), value.len() + OVERHEAD);
        assert_eq!(ring().open(&PLACE, &envelope).unwrap().expose_secret(), value);
        match std::str::from_utf8(value) {
            Ok(text) => {
                assert_eq!(ring().open_text(&PLACE, &envelope).unwrap().expose_secret(), text);
            }
            Err(_) => {
                let error = ring().open_text(&PLACE, &envelope).unwrap_err();
                assert!(matches!(error, Error::NotText { .. }));
            }
        }
    }
}

#[test]
fn random_values_open_and_random_damage_is_found() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        // xorshift: any numbers will do, and a failure must come back in the next run.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % limit as u64).unwrap()
    };
    for _ in 0..soak::rounds(500, 200_000) {
        let length = below(200);
        let value: Vec<u8> = (0..length).map(|_| u8::try_from(below(256)).unwrap()).collect();
        let field = "x".repeat(below(20));
        let place = Place { field: &field, ..PLACE };
        let mut envelope = ring().seal(&place, &value).unwrap();
        assert_eq!(ring().open(&place, &envelope).unwrap().expose_secret(), value);
        let at = below(envelope.len());
        envelope[at] ^= u8::try_from(1 + below(255)).unwrap();
        assert!(ring().open(&place, &envelope).is_err());
    }
}

#[test]
fn equal_values_never_look_alike() {
    let rounds = soak::rounds(1_000, 1_000_000);
    let ring = ring();
    let mut nonces = std::collections::HashSet::new();
    for _ in 0..rounds {
        nonces.insert(ring.seal(&PLACE, b"value").unwrap()[12..24].to_vec());
    }
    assert_eq!(nonces.len(), rounds);
}

#[test]
fn each_flipped_bit_is_found() {
    let whole = ring().seal(&PLACE, b"hunter2").unwrap();
    for bit in 0..whole.len() * 8 {
        let mut envelope = whole.clone();
        envelope[bit / 8] ^= 1 << (bit % 8);
        let error = ring().open(&PLACE, &envelope).unwrap_err();
        let expected = match bit / 8 {
            0..4 => matches!(error, Error::NotSealed { .. }),
            4..12 => matches!(error, Error::UnknownKey { .. }),
            _ => matches!(error, Error::Altered { .. }),
        };
        assert!(expected, "bit {bit}: {error:?}");
        assert_eq!(error.code(), Code::SecretUnreadable);
    }
}

#[test]
fn each_cut_and_each_addition_is_found() {
    let whole = ring().seal(&PLACE, b"hunter2").unwrap();
    for length in 0..whole.len() {
        let error = ring().open(&PLACE, &whole[..length]).unwrap_err();
        let cut = matches!(error, Error::NotSealed { .. });
        assert_eq!(cut, length < OVERHEAD, "{length}: {error:?}");
        let without_first = &whole[whole.len() - length..];
        assert!(ring().open(&PLACE, without_first).is_err());
    }
    assert!(ring().open(&PLACE, &[whole.as_slice(), b"\0"].concat()).is_err());
}

#[test]
fn clear_text_is_never_taken_for_a_secret() {
    let texts: [&[u8]; 5] = [b"", b"hunter2", b"TKS", b"aes-gcm:AAAA", &[b'x'; 200]];
    for text in texts {
        let error = ring().open(&PLACE, text).unwrap_err();
        assert!(matches!(error, Error::NotSealed { .. }), "{error:?}");
        assert!(error.to_string().contains("\"credentials\""), "{error}");
    }
    let mut newer = ring().seal(&PLACE, b"x").unwrap();
    newer[3] = 2;
    assert!(ring().open(&PLACE, &newer).unwrap_err().to_string().contains("format"));
}

#[test]
fn an_envelope_opens_in_no_other_place() {
    let places = [
        PLACE,
        Place { tenant: "acme", ..PLACE },
        Place { table: "custom_tools", ..PLACE },
        Place { row: &["gh"], ..PLACE },
        Place { row: &["gh", "you"], ..PLACE },
        Place { row: &["g", "hme"], ..PLACE },
        Place { row: &["ghme"], ..PLACE },
        Place { row: &["gh", "me", ""], ..PLACE },
        Place { row: &["me", "gh"], ..PLACE },
        Place { row: &[], ..PLACE },
        Place { field: "stdin", ..PLACE },
        Place { field: "", ..PLACE },
        Place { tenant: "defaultc", table: "redentials", ..PLACE },
        Place { table: "env", field: "credentials", ..PLACE },
        Place { row: &["a", "bc"], ..PLACE },
        Place { row: &["ab", "c"], ..PLACE },
    ];
    for from in &places {
        let envelope = ring().seal(from, b"hunter2").unwrap();
        for to in &places {
            match ring().open(to, &envelope) {
                Ok(_) => assert_eq!(from, to),
                Err(Error::Altered { place, .. }) => {
                    assert_ne!(from, to);
                    assert_eq!(place, to.to_string());
                }
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_missing_key_is_named_with_those_at_hand() {
    let envelope = KeyRing::new(key(ONE), []).seal(&PLACE, b"hunter2").unwrap();
    let error = ring().open(&PLACE, &envelope).unwrap_err().to_string();
    assert!(error.contains(&key(ONE).id().to_string()), "{error}");
    assert!(error.contains(&key(TWO).id().to_string()), "{error}");
    for part in ["default", "credentials", "gh", "me", "env", "secrets.older_keys"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn a_key_id_that_was_exchanged_does_not_open_either() {
    let both = KeyRing::new(key(TWO), [key(ONE)]);
    let mut envelope = both.seal(&PLACE, b"hunter2").unwrap();
    envelope[4..12].copy_from_slice(&key(ONE).id().0);
    assert!(matches!(both.open(&PLACE, &envelope), Err(Error::Altered { .. })));
}

#[test]
fn older_keys_open_and_the_first_key_seals() {
    let old = KeyRing::new(key(ONE), []).seal(&PLACE, b"hunter2").unwrap();
    let ring = KeyRing::new(key(TWO), [key(ONE)]);
    assert_eq!(ring.open(&PLACE, &old).unwrap().expose_secret(), b"hunter2");
    assert_eq!(ring.fingerprint(), key(TWO).id());
    assert_eq!(ring.key_ids().collect::<Vec<_>>(), [key(TWO).id(), key(ONE).id()]);
    let new = ring.seal(&PLACE, b"hunter2").unwrap();
    assert!(KeyRing::new(key(ONE), []).open(&PLACE, &new).is_err());
}

#[test]
fn nothing_shows_a_key_or_a_value() {
    let secret = "hunter2-hunter2";
    let text = generate_key().unwrap();
    let raw = hex(text.expose_secret());
    let ring = KeyRing::new(key(text.expose_secret()), [key(ONE)]);
    let envelope = ring.seal(&PLACE, secret.as_bytes()).unwrap();
    let mut altered = envelope.clone();
    altered[30] ^= 1;
    let cut = &envelope[..20];
    let errors = [
        ring.open(&PLACE, &altered).unwrap_err(),
        ring.open(&PLACE, cut).unwrap_err(),
        ring.open(&PLACE, secret.as_bytes()).unwrap_err(),
        self::ring().open(&PLACE, &envelope).unwrap_err(),
        Error::NoKey,
    ];
    let mut shown = format!("{ring:?} {text:?}");
    shown += &format!("{:?}", ring.open(&PLACE, &envelope).unwrap());
    shown += &format!("{:?}", ring.open_text(&PLACE, &envelope).unwrap());
    for error in errors {
        shown += &format!("{error} {error:?}");
        let public = crate::Error::from(error);
        shown += &format!("{public} {public:?}");
    }
    assert!(shown.contains(&ring.fingerprint().to_string()));
    let as_debug = format!("{raw:?}");
    let raw_numbers = as_debug.trim_matches(['[', ']']);
    for secret in [secret, text.expose_secret(), raw_numbers, "hunter2"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

/// What was stored by one version must open in every later one: these bytes never change.
#[test]
fn the_format_is_what_it_was() {
    let table = include_str!("../../../testdata/secret-envelopes.tsv");
    let mut lines = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [key_text, key_id, nonce, tenant, table, row, field, value, envelope] = columns[..]
        else {
            panic!("{line}")
        };
        let row: Vec<&str> = row.split('|').collect();
        let place = Place { tenant, table, row: &row, field };
        let key = key(key_text);
        assert_eq!(key.id().to_string(), key_id);
        let nonce: [u8; 12] = hex(nonce).try_into().unwrap();
        let sealed = envelope::seal(&key, &nonce, &place, &hex(value)).unwrap();
        assert_eq!(HEXLOWER.encode(&sealed), envelope, "{line}");
        let ring = KeyRing::new(key, []);
        assert_eq!(ring.open(&place, &sealed).unwrap().expose_secret(), hex(value));
        lines += 1;
    }
    assert_eq!(lines, 6);
}
