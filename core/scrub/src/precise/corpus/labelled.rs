//! The labelled corpora: `secrets` and `not-secrets`.

use std::io::Read;

use serde_json::Value;

use super::score::{ALL, Tally, is_found, scrubber};

fn rows(packed: &[u8]) -> Vec<Value> {
    let mut lines = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut lines).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The classes with gates of their own that a case belongs to.
fn classes(text: &str, secret: &str, kind: &str) -> Vec<&'static str> {
    let before = text.find(secret).map_or("", |at| &text[..at]);
    let quoted = before.ends_with("\":\"") || before.ends_with("\": \"");
    let mut classes = Vec::new();
    for (is, class) in [
        (quoted && !kind.starts_with("pem"), "json-quoted"),
        (kind.starts_with("pem"), "pem"),
        (kind.starts_with("connection-string"), "connection-string"),
        (before.ends_with("Bearer "), "bearer"),
    ] {
        if is {
            classes.push(class);
        }
    }
    classes
}

#[test]
fn labelled_secrets_are_found() {
    let scrubber = scrubber();
    let mut tally = Tally::default();
    for row in rows(include_bytes!("../../../testdata/secrets.jsonl.gz")) {
        let field = |name: &str| row[name].as_str().unwrap();
        let (text, secret, kind) = (field("text"), field("secret"), field("type"));
        let masked = scrubber.scrub(text);
        let found = is_found(secret, &masked);
        let miss = || format!("{kind} {text:?} -> {masked:?}");
        tally.count(ALL, found, miss);
        tally.count(&field("tier")[..1], found, miss);
        for class in classes(text, secret, kind) {
            tally.count(class, found, String::new);
        }
    }
    tally.hold(&[
        (ALL, 9_600),
        ("A", 9_900),
        ("B", 9_500),
        ("C", 7_000),
        ("json-quoted", 9_700),
        ("pem", 10_000),
        ("connection-string", 9_900),
        ("bearer", 9_900),
    ]);
}

#[test]
fn labelled_harmless_texts_stay_as_they_are() {
    let scrubber = scrubber();
    let mut tally = Tally::default();
    for row in rows(include_bytes!("../../../testdata/not-secrets.jsonl.gz")) {
        let text = row["text"].as_str().unwrap();
        let masked = scrubber.scrub(text);
        let kept = masked == text;
        tally.count(ALL, kept, String::new);
        tally.count(row["why"].as_str().unwrap(), kept, || format!("{text:?} -> {masked:?}"));
    }
    tally.hold(&[(ALL, 9_950)]);
}
