//! JSON stays JSON.

use serde_json::{Value, json};

use super::*;

fn string(random: &mut Random, rows: &[String]) -> String {
    match random.below(8) {
        0 => VALUES[random.below(VALUES.len())].0.to_owned(),
        1 => format!("a {} z", VALUES[random.below(VALUES.len())].0),
        2 => "\\\"\n\u{1}é\u{2028}\\u00e9 \\n \\".repeat(random.below(4)),
        3 => json!({"password": "Tr0ub4dor&3-staple", "n": 8391047265u64}).to_string(),
        _ => random.pick(rows).to_owned(),
    }
}

fn document(random: &mut Random, rows: &[String], depth: usize) -> Value {
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0 => json!(8391047265u64),
        1 => json!(random.below(1_000_000)),
        2 => random.below(2).eq(&0).into(),
        3 => string(random, rows).into(),
        4..=5 => (0..random.below(5)).map(|_| document(random, rows, depth - 1)).collect(),
        _ => {
            let keys = [
                "password",
                "token",
                "name",
                "value",
                "api_key",
                "a, b",
                "x: [",
                "pin",
                "zq81nfw02kxm55pd",
            ];
            let entries = (0..random.below(6))
                .map(|_| (random.pick(&keys).to_owned(), document(random, rows, depth - 1)));
            Value::Object(entries.collect())
        }
    }
}

#[test]
fn valid_json_stays_valid() {
    let rows = corpus();
    let mut random = Random::new();
    let scrubber = |list: Vec<Scrubber>| list.into_iter().nth(1).unwrap();
    let scrubbers = [scrubber(plain()), scrubber(with_values())];
    for round in 0..crate::test_rounds::rounds(2_000, 1_000_000) {
        let value = json!({"root": document(&mut random, &rows, 4)});
        let text = if round % 2 == 0 {
            value.to_string()
        } else {
            serde_json::to_string_pretty(&value).unwrap()
        };
        for scrubber in &scrubbers {
            let out = scrubber.scrub(&text);
            if let Err(error) = serde_json::from_str::<Value>(&out) {
                let at = error.column();
                let line = out.lines().nth(error.line() - 1).unwrap_or_default();
                let start = line.floor_char_boundary(at.saturating_sub(150));
                let end = line.floor_char_boundary(at + 60);
                panic!("{error}: {:?}\nof {text}", &line[start..end]);
            }
        }
    }
}

#[test]
fn a_long_value_under_a_secret_name_is_masked_whole() {
    let mut random = Random::new();
    let hexadecimal = |_| char::from(b"0123456789abcdef"[random.below(16)]);
    let long: String = (0..2 * SCAN_STEP + 4_321).map(hexadecimal).collect();
    for length in [SCAN_STEP - 1, SCAN_STEP, SCAN_STEP + 1, long.len()] {
        for scrubber in plain().iter().chain(&with_values()) {
            let mut value = json!({"api_key": long[..length], "name": "ci"});
            scrubber.scrub_json(&mut value);
            let key = value["api_key"].as_str().unwrap_or_default();
            let masked = key.starts_with("[REDACTED") && key.len() < 64;
            assert!(masked, "{}: {length}", scrubber.profile());
            assert_eq!(value["name"], "ci");
        }
    }
}

#[test]
fn a_registered_number_becomes_a_string() {
    let precise = &with_values()[1];
    let mut value = json!({"a": 8391047265u64, "b": [1, 8391047265u64], "c": 83910472651u64});
    let text = value.to_string();
    let expected =
        r#"{"a":"[REDACTED:account-number]","b":[1,"[REDACTED:account-number]"],"c":83910472651}"#;
    assert_eq!(precise.scrub(&text), expected);
    precise.scrub_json(&mut value);
    assert_eq!(value.to_string(), expected);
}

#[test]
fn a_name_classifies_its_value_at_every_depth() {
    let precise = &plain()[1];
    let secret = "tR9-mQ2_xL7pW4zK8vN3";
    let mut value = json!({
        "api_key": secret,
        "passwords": [secret, [secret]],
        "list": [{"name": "DB_PASSWORD", "value": secret}, {"value": secret, "key": "db_password"}],
        "note": "nothing",
        "password": null,
    });
    precise.scrub_json(&mut value);
    let text = value.to_string();
    assert!(!text[..text.find("passwords").unwrap()].contains(secret), "{text}");
    assert!(!value["list"].to_string().contains(secret), "{text}");
    assert_eq!(value["note"], "nothing");
    assert_eq!(value["password"], Value::Null);
}

#[test]
fn a_document_and_its_text_lose_the_same_secrets() {
    let precise = &plain()[1];
    for (name, secret) in [
        ("password", "hunter2hunter2"),
        ("api_key", "tR9-mQ2_xL7pW4zK8vN3"),
        ("client_secret", "Wq7!zX#4pL-2m"),
        ("description", "the key is under the mat"),
    ] {
        let mut value = json!({"outer": {name: secret, "other": 1}});
        let text = value.to_string();
        precise.scrub_json(&mut value);
        assert_eq!(precise.scrub(&text), value.to_string());
    }
}
