//! The secret that stands right behind the id of its key, as in `AKIA…,wJalr…`: nothing else says
//! what it is.

use super::super::hit::{Confidence, Hit};
use super::super::view::View;
use super::judge;

/// The kind of the ids, and the kind and length of their secrets.
///
/// Source: AWS, "Managing access keys for IAM users".
const ID: &str = "aws-access-key-id";
const SECRET: &str = "aws-secret-key";
const LENGTH: usize = 40;
/// The most bytes between the two.
const BETWEEN: usize = 16;

/// The secret behind the id that was found.
pub(super) fn find(view: &View<'_>, id: &Hit) -> Option<Hit> {
    if id.kind.as_str() != ID {
        return None;
    }
    let rest = view.text.get(id.span.end..)?;
    let escape = |at: usize| matches!(rest[..=at], [.., b'\\', b'n' | b'r' | b't']);
    let separates = |at: usize| {
        rest[at].is_ascii_whitespace() || b",:;|\"'=\\".contains(&rest[at]) || escape(at)
    };
    let between = (0..rest.len().min(BETWEEN + 1)).take_while(|at| separates(*at)).count();
    let secret = rest.get(between..between + LENGTH)?;
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let ends = rest.get(between + LENGTH).map_or(view.last, |b| !belongs(b) && *b != b'=');
    let stands = (1..=BETWEEN).contains(&between)
        && secret.iter().all(belongs)
        && ends
        && judge::is_random(secret);
    let start = id.span.end + between;
    stands.then(|| Hit::known(start..start + LENGTH, SECRET, Confidence::Medium))
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
