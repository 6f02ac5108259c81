//! Values in JSON, in JSON inside of strings, and what must stay JSON.

use super::super::super::super::simd::Level;
use super::super::super::Precise;
use super::{assert_masks, password, scrubber, token, with_marks};

#[test]
fn a_value_in_json_is_masked_between_its_quotes() {
    let rows = [
        r#"{"password": "§"}"#,
        r#"{"status":"ok","db_pass":"§","expires_in":3600}"#,
        r#"{ "clientSecret" : "§" }"#,
        r#"{"auth":{"spring.datasource.password":"§"}}"#,
        r#"{"password":"§","token":"§"}"#,
        r#"{"X-Api-Key": ["§"], "Accept": ["*/*"]}"#,
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_in_escaped_json_is_masked_at_any_depth() {
    let rows = [
        r#"\"password\":\"§\""#,
        r#"{"body":"{\"password\": \"§\", \"user\": \"x\"}"}"#,
        r#"{"a":"{\"b\":\"{\\\"password\\\":\\\"§\\\"}\"}"}"#,
        r#"\\\\\\\"apiKey\\\\\\\":\\\\\\\"§\\\\\\\","#,
        r#"{"log":"DB_HOST=x\nDB_PASSWORD=§\nDB_PORT=1"}"#,
        r#"{"log":"password: §\r\nuser: me"}"#,
    ];
    assert_masks(&rows, &password());
}

#[test]
fn json_with_escapes_in_the_secret_stays_json() {
    let scrubber = scrubber();
    for tail in [r#"\"q"#, r"\\", r"\u00e9x", r"\n-", "é", r#"\\\""#] {
        let text = format!(r#"{{"password": "{}{tail}", "user": "me"}}"#, password());
        serde_json::from_str::<serde_json::Value>(&text).expect("valid before");
        let masked = scrubber.scrub(&text);
        let value: serde_json::Value = serde_json::from_str(&masked).expect("valid after");
        assert_eq!(value["user"], "me", "of {text}");
        assert_eq!(with_marks(&masked), r#"{"password": "§", "user": "me"}"#);
    }
}

#[test]
fn a_value_under_a_name_in_structured_data_is_judged_alike() {
    let precise = Precise::new(Level::best());
    let (secret, random) = (password(), token());
    let whole = precise.find_named("db_password", &secret).expect("a secret");
    assert_eq!(whole.span, 0..secret.len());
    assert_eq!(whole.kind.as_str(), "password");
    let header = precise.find_named("Authorization", &format!("token {random}"));
    assert_eq!(header.expect("a secret").span, 6..6 + random.len());
    assert!(precise.find_named("sort_key", &random).is_none());
    assert!(precise.find_named("db_password", "${DB_PASSWORD}").is_none());
    assert!(precise.find_named("db_password", "").is_none());
}

#[test]
fn the_end_of_a_string_is_no_beginning_of_a_value() {
    let (scrubber, secret) = (scrubber(), password());
    let random = token();
    for string in [
        format!("+    db_pass={secret}\n-    db_pass="),
        format!("token: {random}\npassword="),
        "é=密码:\"token密码tr0ub4dor&3\\".to_owned(),
        "密码:'tr0ub4dor&3\\".to_owned(),
    ] {
        let value = serde_json::json!([string, 265_509, "other", {"a": string, "b": string}]);
        let nested = serde_json::json!({"text": value.to_string(), "n": [value, 1]});
        for value in [value, nested] {
            let masked = scrubber.scrub(&value.to_string()).into_owned();
            let left: Result<serde_json::Value, _> = serde_json::from_str(&masked);
            assert!(left.is_ok(), "{value}\nbecame\n{masked}");
            assert!(masked.contains("265509"), "{masked}");
        }
    }
    assert_masks(&["PASSWORD=\"§\"", "x='a' password = \"§\";"], &format!("]{secret}"));
}

/// What the strings are made of.
const PIECES: &[&str] = &[
    "password",
    "token",
    "api_key",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\n",
    "=",
    ":",
    " ",
    "\n",
    "=>",
    ",",
    "(",
    ")",
    "]",
    "{",
    "}",
    "<password>",
    "</",
    "<![CDATA[",
    "&quot;",
    "&lt;",
    "%3D",
    "--",
    " -p",
    "mysql ",
    "curl -u me:",
    "\"name\":\"",
    "\"value\":\"",
    "tr0ub4dor&3",
    "é",
    "密码",
    "：",
    "Bearer ",
    "Cookie: ",
    "session",
    "machine x login ",
    "\"\"\"",
    "r#\"",
    "String::from(",
    "is ",
    "IDENTIFIED BY ",
    "sqlplus me/",
    "[REDACTED]",
    "|\n  ",
    "\u{0}",
    "set ",
    "${",
];

#[test]
fn valid_json_stays_valid_whatever_its_strings_hold() {
    let scrubber = scrubber();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    for _ in 0..crate::test_rounds::rounds(3_000, 300_000) {
        let text: String = (0..1 + next(16)).map(|_| PIECES[next(PIECES.len())]).collect();
        let value = serde_json::json!({"a": text, "password": password(), "b": [text]});
        for text in [value.to_string(), format!("{value:#}")] {
            let masked = scrubber.scrub(&text);
            let valid = serde_json::from_str::<serde_json::Value>(&masked).is_ok();
            assert!(valid, "{text}\nbecame\n{masked}");
        }
    }
}
