//! Key pairs: the secret that follows the id of its key, as in `AKIA…,wJalr…`.
//!
//! Nothing but the id reveals that the 40 bytes behind it are a secret.

use super::super::hit::{Confidence, Hit};
use super::super::view::View;
use super::judge;

/// The kind of the ids.
///
/// Source for all three: AWS, "Managing access keys for IAM users".
const ID_KIND: &str = "aws-access-key-id";
/// The kind of the secrets.
const SECRET_KIND: &str = "aws-secret-key";
/// The length of the secrets, in bytes.
const SECRET_LENGTH: usize = 40;
/// The most separator bytes between id and secret.
const MAX_SEPARATORS: usize = 16;

/// The secret behind the id that was found.
pub(super) fn find(view: &View<'_>, id: &Hit) -> Option<Hit> {
    if id.kind.as_str() != ID_KIND {
        return None;
    }
    let rest = view.text.get(id.span.end..)?;
    let escape = |at: usize| matches!(rest[..=at], [.., b'\\', b'n' | b'r' | b't']);
    let separates = |at: usize| {
        rest[at].is_ascii_whitespace() || b",:;|\"'=\\".contains(&rest[at]) || escape(at)
    };
    let between = (0..rest.len().min(MAX_SEPARATORS + 1)).take_while(|at| separates(*at)).count();
    let secret = rest.get(between..between + SECRET_LENGTH)?;
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let ends = rest.get(between + SECRET_LENGTH).map_or(view.last, |b| !belongs(b) && *b != b'=');
    let stands = (1..=MAX_SEPARATORS).contains(&between)
        && secret.iter().all(belongs)
        && ends
        && judge::is_random(secret);
    let start = id.span.end + between;
    stands.then(|| Hit::known(start..start + SECRET_LENGTH, SECRET_KIND, Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Profile, Scrubber, TagKey};

    #[test]
    fn a_secret_behind_the_id_of_its_key_is_masked() {
        let scrubber = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
        let id = ["AKIA", "OB2X56AQ5IQ5FAB7"].concat();
        let secret = ["2TJugUG6dcxeZN8av2GV", "1TV2CdH8m2nF2EjdjZ57"].concat();
        for between in ["\n", ":", ",", "\t", " | ", "\", \"", "\\n", "\r\n  "] {
            let text = format!("{id}{between}{secret}\n");
            let masked = scrubber.scrub(&text);
            assert!(!masked.contains(&secret) && masked.contains(between), "{masked}");
            assert_eq!(scrubber.scrub(&masked), masked);
        }
        for text in [
            format!("{id}{}{secret}", " ".repeat(17)),
            format!("{id}\n{secret}X\n"),
            format!("{id}\n{}\n", "0123456789abcdef0123456789abcdef01234567"),
            format!("{id} and {secret}\n"),
        ] {
            let kept = text[id.len()..].trim_start();
            assert!(scrubber.scrub(&text).ends_with(kept), "{text}");
        }
    }
}
