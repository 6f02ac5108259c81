//! JSON web keys: masks the members that only the holder of a private or shared key has.
//!
//! Source: RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1, and RFC 8037, section 2.

use std::ops::Range;

use super::super::hit::{Confidence, Hit};
use super::super::view::{Outcome, View};

/// The member with the type of a key.
const KEY_TYPE: &[u8] = b"\"kty\"";
/// The shortest secret member, in bytes: 96 bits.
const MIN_MEMBER: usize = 16;

/// Inspects the `"kty"`.
pub(super) fn inspect(view: &View<'_>) -> Outcome {
    let (text, at) = (view.text, view.at);
    // Behind a member, if the object begins before the view.
    let start = memchr::memrchr(b'{', &text[..at])
        .or_else(|| memchr::memmem::find(&text[..at], b"\",").map(|closing| closing + 1));
    let mut rest = start.map_or(at, |start| start + 1);
    let nothing = Outcome::none(at + KEY_TYPE.len());
    if memchr::memmem::rfind(&text[rest..at], KEY_TYPE).is_some() {
        // A key has one type.
        return nothing;
    }
    let end = memchr::memchr2(b'{', b'}', &text[at..]).map_or(text.len(), |close| at + close);
    let mut hits = Vec::new();
    while let Some(member) = member(&text[..end], rest) {
        rest = member.end;
        let secret =
            matches!(&text[member.name], b"d" | b"p" | b"q" | b"dp" | b"dq" | b"qi" | b"k");
        if secret && is_key(&text[member.value.clone()]) && member.value.start >= view.floor {
            hits.push(Hit::known(member.value, "private-key", Confidence::High));
        }
    }
    let resume = hits.iter().map(|hit: &Hit| hit.span.end).fold(nothing.resume, usize::max);
    let mut hits = hits.into_iter();
    Outcome { hit: hits.next(), more: hits.collect(), resume }
}

/// True for the alphabet of URL-safe base64.
fn is_key(value: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'=');
    value.len() >= MIN_MEMBER && value.iter().all(belongs)
}

/// A member of the object.
struct Member {
    name: Range<usize>,
    value: Range<usize>,
    end: usize,
}

/// The next `"name": "value"` at or behind `at`.
fn member(text: &[u8], at: usize) -> Option<Member> {
    let mut name = string(text, at)?;
    loop {
        let next = string(text, name.end + 1)?;
        if text[name.end + 1..next.start - 1].trim_ascii() == b":" {
            return Some(Member { name, end: next.end + 1, value: next });
        }
        name = next;
    }
}

/// The inside of the next string.
fn string(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + memchr::memchr(b'"', text.get(at..)?)? + 1;
    let end = start + memchr::memchr(b'"', &text[start..])?;
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use crate::{Profile, Scrubber, TagKey};

    fn scrub(text: &str) -> String {
        Scrubber::new(Profile::Precise, TagKey::new([7; 32])).scrub(text).into_owned()
    }

    #[test]
    fn what_only_the_holder_has_is_masked_wherever_the_type_stands() {
        let key = |letter: char| format!("{letter}x9Kq2LmZ81vB-7_tR4wYp0sQ3nJ6hG5fD2aS8kL1zE");
        let (d, p) = (key('a'), key('b'));
        for text in [
            format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{}\",\"d\":\"{d}\"}}", key('x')),
            format!("{{\"d\": \"{d}\", \"e\": \"AQAB\", \"kty\": \"RSA\", \"p\": \"{p}\"}}"),
            format!("{{\n  \"key_ops\": [\"sign\"],\n  \"kty\": \"oct\",\n  \"k\": \"{d}\"\n}}"),
        ] {
            let masked = scrub(&text);
            assert!(!masked.contains(&d) && !masked.contains(&p), "{masked}");
            // Its beginning is outside the view.
            let far = text.replace("\"kty\"", &format!("\"n\": \"{}\", \"kty\"", "y".repeat(1000)));
            assert!(text.contains("crv") || !scrub(&far).contains(&p), "{far}");
            assert!(!text.contains("crv") || masked.contains(&key('x')), "{masked}");
            assert_eq!(scrub(&masked), masked);
            let valid: Result<serde_json::Value, _> = serde_json::from_str(&masked);
            assert!(valid.is_ok(), "{masked}");
        }
    }

    #[test]
    fn a_public_key_and_other_objects_stay() {
        let key = "ax9Kq2LmZ81vB-7_tR4wYp0sQ3nJ6hG5fD2aS8kL1zE";
        for text in [
            format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{key}\",\"y\":\"{key}\"}}"),
            format!("{{\"kty\":\"RSA\",\"n\":\"{key}\",\"e\":\"AQAB\"}},{{\"d\":\"{key}\"}}"),
            "{\"kty\":\"EC\",\"d\":\"...\"}".to_owned(),
            "`\"kty\"` and `\"d\"` are members".to_owned(),
        ] {
            assert_eq!(scrub(&text), text);
        }
    }
}
