//! What comes out is as well-formed as what went in, and tells no secret.

use std::cell::RefCell;

use super::*;
use crate::{Finding, Kind, Seal};

#[test]
fn whatever_goes_in_nothing_panics_and_other_bytes_pass() {
    let rows = corpus();
    let mut random = Random::new();
    for _ in 0..crate::test_rounds::rounds(60, 50_000) {
        let mut bytes = mixture(&mut random, &rows, 400).into_bytes();
        for _ in 0..random.below(20) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        for scrubber in plain().iter().chain(&with_values()) {
            let out = scrubber.scrub_bytes(&bytes);
            let strange =
                |text: &[u8]| text.utf8_chunks().map(|c| c.invalid().len()).sum::<usize>();
            assert!(strange(&out) <= strange(&bytes), "{scrubber:?} broke a character");
        }
    }
}

#[test]
fn findings_name_what_is_replaced_and_nothing_else() {
    let rows = corpus();
    let mut random = Random::new();
    for _ in 0..crate::test_rounds::rounds(60, 50_000) {
        let text = mixture(&mut random, &rows, 2_000);
        for scrubber in plain().iter().chain(&with_values()) {
            let mut expected = String::new();
            let mut at = 0;
            let out = scrubber.scrub(&text);
            for finding in scrubber.findings(&text) {
                assert!(at <= finding.start && finding.start < finding.end, "{finding:?}");
                expected.push_str(&text[at..finding.start]);
                let rest = out.strip_prefix(expected.as_str()).expect("what is before a finding");
                let rest = rest.strip_prefix('"').unwrap_or(rest);
                let length = crate::placeholder_length(rest.as_bytes()).expect("a mask");
                let quoted = usize::from(out.as_bytes()[expected.len()] == b'"') * 2;
                let length = length + quoted;
                expected = out[..expected.len() + length].to_owned();
                at = finding.end;
            }
            expected.push_str(&text[at..]);
            assert_eq!(out, expected);
        }
    }
}

#[test]
fn no_finding_holds_a_secret() {
    for scrubber in plain().iter().chain(&with_values()) {
        for text in corpus().iter().map(String::as_str).chain(VALUES.iter().map(|value| value.0)) {
            for finding in scrubber.findings(text) {
                let secret = &text[finding.start..finding.end];
                let json = serde_json::to_string(&finding).unwrap();
                for shown in [format!("{finding:?}"), json] {
                    let leaked = secret.len() > 7 && shown.contains(secret);
                    assert!(!leaked, "a secret of kind {} in {shown}", finding.kind);
                }
            }
        }
    }
}

/// A kind, a tag and a secret.
type Reported = (String, Option<String>, Vec<u8>);

/// Keeps what it is reported, and has a tag for everything.
#[derive(Default)]
struct Keeper(RefCell<Vec<Reported>>);

impl Seal for Keeper {
    fn seal(&self, kind: &Kind, tag: Option<&str>, secret: &[u8]) -> Option<String> {
        let mut kept = self.0.borrow_mut();
        kept.push((kind.to_string(), tag.map(str::to_owned), secret.to_vec()));
        Some(format!("n{}", kept.len()))
    }
}

#[test]
fn a_seal_receives_what_restores_the_text() {
    let rows = corpus();
    let mut random = Random::new();
    for _ in 0..crate::test_rounds::rounds(60, 50_000) {
        let text = mixture(&mut random, &rows, 2_000);
        for scrubber in plain().iter().chain(&with_values()) {
            let keeper = Keeper::default();
            scrubber.scrub_sealing(&text, &keeper);
            let reported = keeper.0.into_inner();
            // A bare number is not sealed: it could not be put back without its quotes.
            let mut findings = Vec::new();
            scrubber.search(text.as_bytes(), None, |mask| {
                findings.extend(mask.quotes.is_none().then(|| Finding::from(mask)));
            });
            assert_eq!(reported.len(), findings.len());
            for (finding, (kind, tag, secret)) in findings.iter().zip(reported) {
                assert_eq!(finding.kind.as_str(), kind);
                assert_eq!(finding.tag, tag);
                assert_eq!(&text.as_bytes()[finding.start..finding.end], secret);
            }
        }
    }
}

#[test]
fn a_seal_gives_a_tag_only_to_what_has_none() {
    struct Fixed(&'static str);
    impl Seal for Fixed {
        fn seal(&self, _: &Kind, _: Option<&str>, _: &[u8]) -> Option<String> {
            Some(self.0.to_owned())
        }
    }
    let scrubber = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
    let values = Arc::new(Values::new());
    values.add("battery-staple", Some("short")).unwrap();
    values.add("zq81nfw02kxm55pdab", Some("long")).unwrap();
    let scrubber = scrubber.with_values(values);
    let text = "a battery-staple and zq81nfw02kxm55pdab";
    let own = scrubber.findings(text)[1].tag.clone().unwrap();
    assert_eq!(
        scrubber.scrub_sealing(text, &Fixed("k7")),
        format!("a [REDACTED:short:k7] and [REDACTED:long:{own}]")
    );
    for bad in ["", "K7", "a:b", "a]", &"a".repeat(33)] {
        let bad: &'static str = bad.to_owned().leak();
        assert_eq!(
            scrubber.scrub_sealing(text, &Fixed(bad)),
            format!("a [REDACTED:short] and [REDACTED:long:{own}]")
        );
    }
}

#[test]
fn values_that_overlap_are_one_secret() {
    let values = Arc::new(Values::new());
    values.add("zq81nfw02kxm55pd", Some("first")).unwrap();
    let narrower = Arc::new(Values::new());
    narrower.add("kxm55pd-and-a-longer-tail-9", Some("second")).unwrap();
    let scrubber = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
    let scrubber = scrubber.with_values(values).with_values(narrower);
    let found = scrubber.findings("x zq81nfw02kxm55pd-and-a-longer-tail-9 y");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].start, found[0].end), (2, 38));
    assert_eq!(found[0].kind.as_str(), "second");
}

#[test]
fn addresses_of_the_server_have_one_placeholder() {
    let values = Arc::new(Values::new());
    values.add("203.0.113.77", Some("server-ip")).unwrap();
    for scrubber in plain() {
        let scrubber = scrubber.with_values(values.clone());
        assert_eq!(scrubber.scrub("at 203.0.113.77:80"), "at [SERVER_IP]:80");
    }
    let seed = plain().remove(0).with_values(values);
    assert_eq!(seed.scrub("DSN=203.0.113.77:5432 x"), "[REDACTED] x");
}

#[test]
fn the_tag_of_a_secret_depends_on_the_key_and_on_nothing_else() {
    let text = format!("A_TOKEN=ghp_{}\n", "a1B2c3D4e5F6g7H8i9".repeat(2));
    let precise = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
    let tag = |scrubber: &Scrubber, text: &str| scrubber.findings(text)[0].tag.clone().unwrap();
    let other = precise.with_key(TagKey::new([8; 32]));
    assert_eq!(tag(&precise, &text), tag(&precise, &format!("see \"{}\"", text.trim())));
    assert_ne!(tag(&precise, &text), tag(&other, &text));
    assert_eq!(tag(&other, &text).len(), 8);
}

#[test]
fn debug_shows_no_secret() {
    let secret = VALUES[1].0;
    for scrubber in with_values() {
        let mut stream = scrubber.stream();
        assert!(stream.push(secret.as_bytes()).is_empty());
        let shown = format!("{scrubber:?} {stream:?} {:?}", scrubber.values());
        assert!(!shown.contains(secret), "{shown}");
    }
}
