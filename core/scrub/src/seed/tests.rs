use std::io::Read;

use serde_json::json;

use std::borrow::Cow;

use super::AHEAD;
use super::pattern::Patterns;
use crate::{Profile, SCAN_STEP, Scrubber, TagKey};
use serde_json::Value;

fn scrubbed(text: &str) -> String {
    Scrubber::seed().scrub(text).into_owned()
}

fn untouched(scrubber: &Scrubber, text: &str) -> bool {
    matches!(scrubber.scrub(text), Cow::Borrowed(same) if std::ptr::eq(same, text))
}

/// Every pattern over the whole text, one after another: what the result is defined by.
struct Oracle(Patterns);

impl Oracle {
    fn scrub(&self, text: &str) -> String {
        self.0.one_by_one(text)
    }
}

fn vectors() -> Vec<(String, String)> {
    let packed = include_bytes!("../../testdata/scrub-seed-vectors.jsonl.gz");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut lines).unwrap();
    let rows = lines.split('\n').filter(|line| !line.is_empty()).map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        (row["in"].as_str().unwrap().to_owned(), row["out"].as_str().unwrap().to_owned())
    });
    rows.collect()
}

fn letters(length: usize) -> String {
    ('a'..='z').cycle().take(length).collect()
}

#[test]
fn every_vector_gives_its_exact_result() {
    let scrubber = Scrubber::seed();
    let oracle = Oracle(Patterns::new());
    let vectors = vectors();
    assert_eq!(vectors.len(), 3093);
    for (text, expected) in &vectors {
        assert_eq!(scrubber.scrub(text), *expected, "scrubbing {text:?}");
        assert_eq!(oracle.scrub(text), *expected, "the patterns alone on {text:?}");
    }
}

#[test]
fn vectors_run_together_give_what_the_patterns_give() {
    let scrubber = Scrubber::seed();
    let oracle = Oracle(Patterns::new());
    for (group, glue) in
        vectors().chunks(60).zip([" ", "\n", "", ": ", " =\t", "\x0b"].iter().cycle())
    {
        let text = group.iter().map(|row| row.0.as_str()).collect::<Vec<_>>().join(glue);
        assert_eq!(scrubber.scrub(&text), oracle.scrub(&text));
    }
}

#[test]
fn a_processor_without_avx2_gives_the_same() {
    let best = Scrubber::seed();
    let portable = Scrubber::portable(Profile::Seed, TagKey::new([0; 32]));
    for (text, expected) in vectors() {
        let padded = format!("{}{text}", "x ".repeat(text.len() % 64));
        assert_eq!(portable.scrub(&text), expected);
        assert_eq!(portable.scrub(&padded), best.scrub(&padded), "scrubbing {padded:?}");
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }
}

const NAMES: &[&str] = &[
    "token",
    "Token",
    "to\u{212A}en",
    "secret",
    "ſecret",
    "passWORD",
    "paſſword",
    "api_key",
    "api-key",
    "APIKEY",
    "api \u{212A}ey",
    "bearer",
    "Authorization",
    "KEY",
    "_\u{212A}EY_",
    "PRIVATE_",
    "my_credentials",
    "DSN",
    "DſN",
    "database_url",
    "REDIS_URL",
    "MONGO_URI",
    "VIRTUAL_",
    "virtual_host",
    "VIRTUAL_ſ",
    "Virtual_\u{212A}",
    "monkey",
    "tok",
    "name",
];
const HEADS: &[&str] = &[
    "sk-",
    "sk-ant-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "AKIA",
    "gh",
    "sk",
    "postgres://",
    "postgresql://",
    "MYSQL://",
    "poſtgreſ://",
    "mongodb://",
    "redi\u{17F}://",
    "amqp://x",
    "amqp://",
    "http://",
    "[REDACTED]",
    "[",
    "]",
];
const SPACES: &[&str] =
    &[" ", " ", "  ", "\t", "\n", "\r\n", "\x0c", "\x0b", "\u{a0}", "\u{85}", "\u{2028}", ""];
const SIGNS: &[&str] =
    &["=", "=", ":", ":", "==", "::", ": =", "/", "-", "_", "'", "\"", "\\", ","];
const FILLERS: &[&str] = &[
    "a",
    "value",
    "12345678",
    "abcdefg",
    "日本語密码です",
    "é",
    "🦀",
    "ſ",
    "\u{212A}",
    "İ",
    "0123456789abcdef",
    "DEADBEEFdeadbeef",
    "AKIA",
    "x-y-z",
];

fn random_text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(9) {
        match random.below(12) {
            0..=2 => text.push_str(random.pick(NAMES)),
            3 => text.push_str(random.pick(HEADS)),
            4..=5 => text.push_str(random.pick(SPACES)),
            6..=7 => text.push_str(random.pick(SIGNS)),
            8 => text.push_str(random.pick(FILLERS)),
            9 => {
                let parts = [random.pick(NAMES), random.pick(SPACES), random.pick(SIGNS)];
                text.extend(parts);
                text.push_str(random.pick(SPACES));
                text.extend(letters(26).get(..random.below(12)));
            }
            10 => {
                text.push_str(random.pick(HEADS));
                let length = 15 + random.below(26);
                text.push_str(&random.pick(&["A", "b", "7", "-"]).repeat(length));
            }
            _ => {
                let length = [60, 63, 64, 65, 127, 129][random.below(6)];
                text.push_str(&random.pick(&["a", "F", "0"]).repeat(length));
            }
        }
    }
    text
}

#[test]
fn random_texts_give_what_the_patterns_give() {
    let scrubber = Scrubber::seed();
    let oracle = Oracle(Patterns::new());
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut changed = 0;
    let rounds = crate::test_rounds::rounds(20_000, 10_000_000);
    for _ in 0..rounds {
        let text = random_text(&mut random);
        let once = scrubber.scrub(&text);
        let expected = oracle.scrub(&text);
        assert_eq!(once, expected, "scrubbing {text:?}");
        if oracle.scrub(&expected) == expected {
            assert!(untouched(&scrubber, &once), "scrubbing {once:?} again");
        }
        changed += usize::from(once != text);
    }
    assert!(rounds / 5 < changed && changed < rounds / 5 * 4, "one-sided: {changed} changed");
}

/// Things that may fill a text, which then has many places to look at and few cuts or none.
const REPEATED: &[&str] = &[
    "AKIA",
    "AKIA0",
    "ghp_",
    "gho_a",
    "sk-",
    "sk-ant-",
    "sk-a",
    "http://a@",
    "redis://a ",
    "token ",
    "token=",
    "token=12345678 ",
    "KEY=[",
    "{\"key\":",
    "f",
    "f0 ",
    "secr",
    "ſ",
    "ſ=",
];

#[test]
fn a_text_of_several_steps_gives_what_the_patterns_give() {
    let (scrubber, oracle) = (Scrubber::seed(), Oracle(Patterns::new()));
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..crate::test_rounds::rounds(4, 400) {
        let mut text = String::new();
        while text.len() < 2 * SCAN_STEP + 10_000 {
            // What lies across the end of a step: short parts, and long rows of them.
            let part = random.pick(REPEATED);
            text.push_str(&part.repeat(1 + random.below(3_000) / part.len()));
            text.push_str(random.pick(SPACES));
            text.push_str(&letters(random.below(50)));
            text.push(' ');
        }
        let (found, expected) = (scrubber.scrub(&text), oracle.scrub(&text));
        let same = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        assert!(found == expected, "the same for {same} bytes of {}", text.len());
    }
}

#[test]
fn repeated_parts_give_what_the_patterns_give() {
    let scrubber = Scrubber::seed();
    let oracle = Oracle(Patterns::new());
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..crate::test_rounds::rounds(300, 100_000) {
        let mut text = String::new();
        for _ in 0..=random.below(3) {
            let length = [70, 700, 3_000, 9_000, 20_000][random.below(5)] + random.below(70);
            let part = random.pick(REPEATED);
            text.push_str(&part.repeat(length / part.len()));
            text.push_str(random.pick(SPACES));
            text.push_str(&letters(random.below(50)));
        }
        let (found, expected) = (scrubber.scrub(&text), oracle.scrub(&text));
        let same = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            text.get(same.saturating_sub(90)..).map(|t| t.get(..180).unwrap_or(t).to_owned())
        };
        assert!(found == expected, "{:?}\n{:?}", near(&found), near(&expected));
    }
}

#[test]
fn a_long_match_goes_on_wherever_a_character_lies_across_the_end_of_its_window() {
    let (scrubber, oracle) = (Scrubber::seed(), Oracle(Patterns::new()));
    for letter in ["ſ", "é", "語", "😀"] {
        for shift in 0..5 {
            let name = "token=".repeat(506);
            let text = format!("{name}{}{}\u{c}abc", "x".repeat(shift), letter.repeat(4_507));
            assert_eq!(scrubber.scrub(&text), oracle.scrub(&text), "{letter} {shift}");
        }
    }
}

#[test]
fn a_long_match_leaves_what_an_earlier_pattern_takes_at_its_end() {
    let (scrubber, oracle) = (Scrubber::seed(), Oracle(Patterns::new()));
    let digits = "f0".repeat(4_500);
    for text in [
        format!("{digits}AKIA{}", "IOSFODNN7EXAMPLE"),
        format!("{digits}bearer: {}", letters(12)),
        format!("{digits}AMQP://u:p@h"),
        format!("KEY={}token= {}", "x/".repeat(4_500), letters(12)),
        format!("sk-ant-{}sk-{}=1", "a-".repeat(4_500), letters(30)),
        format!("token={}sk-ant-{}", "=".repeat(4_500), letters(30)),
    ] {
        assert_eq!(scrubber.scrub(&text), oracle.scrub(&text), "{}", &text[text.len() - 60..]);
        let mut stream = scrubber.stream();
        let mut out: Vec<u8> = text.as_bytes().chunks(700).flat_map(|p| stream.push(p)).collect();
        out.extend(stream.finish());
        assert_eq!(String::from_utf8(out).unwrap(), scrubber.scrub(&text));
    }
}

#[test]
fn a_long_match_gives_nothing_back_to_a_match_across_a_placeholder() {
    let scrubber = Scrubber::new(Profile::Paranoid, TagKey::new([7; 32]));
    for placeholder in ["[REDACTED]", "[REDACTED:password:abcd2345]", "[SERVER_IP]"] {
        for end in ["token=1234567", "bearer:1234567", "AMQP://u:1234567", "secret=a1234567"] {
            let start = format!("KEY={}", "x/".repeat(4_500));
            let text = format!("{start}{end}{placeholder}89abcdef and more");
            let whole = scrubber.scrub(&text);
            let left = whole.split(placeholder).next().unwrap();
            assert!(!left.contains("567"), "{end}{placeholder} gives {left}");
            assert!(whole.ends_with(" and more"), "{whole}");
            let mut stream = scrubber.stream();
            let pieces = text.as_bytes().chunks(700);
            let mut out: Vec<u8> = pieces.flat_map(|piece| stream.push(piece)).collect();
            out.extend(stream.finish());
            assert_eq!(String::from_utf8(out).unwrap(), whole, "{end}{placeholder}");
        }
    }
}

thread_local! {
    static SEARCHED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts the bytes of a text that are searched for places.
pub(super) fn count_searched(bytes: usize) {
    SEARCHED.set(SEARCHED.get() + bytes);
}

#[test]
fn no_byte_is_searched_twice_but_where_a_step_ends() {
    // A window reaches so far behind its place, which the next step searches anew.
    let twice = |length: usize| length / SCAN_STEP * AHEAD;
    let scrubber = Scrubber::seed();
    for part in REPEATED {
        let text = part.repeat((1 << 18) / part.len());
        SEARCHED.set(0);
        drop(scrubber.scrub(&text));
        assert!(SEARCHED.get() <= text.len() + twice(text.len()), "{part:?}: {}", SEARCHED.get());
    }
}

#[test]
fn clean_text_is_not_copied() {
    let scrubber = Scrubber::seed();
    let short_key = format!("sk-{} and AKIA1234 and ghp_tooshort", letters(19));
    let plain = ["", "hello world", "let token = 5; key: value", "a::b == c", short_key.as_str()];
    for text in plain {
        assert!(untouched(&scrubber, text), "{text:?}");
    }
}

#[test]
fn vendor_keys_are_masked_alone() {
    let found = format!("Found key: sk-{}1234567890 in env", letters(26));
    assert_eq!(scrubbed(&found), "Found key: [REDACTED] in env");
    let anthropic = format!("key=sk-ant-{}", "abc123-def456-ghi789-jkl012");
    assert_eq!(scrubbed(&anthropic), "key=[REDACTED]");
    for kind in ["ghp", "gho", "ghu", "ghs", "ghr"] {
        let text = format!("token {kind}_{} done", letters(36));
        assert_eq!(scrubbed(&text), "token [REDACTED] done");
    }
    assert_eq!(scrubbed(&format!("aws_key: AKIA{}", "IOSFODNN7EXAMPLE")), "aws_key: [REDACTED]");
    let both = format!("openai=sk-{}, github=ghp_{}", letters(26), letters(36));
    assert_eq!(scrubbed(&both), "openai=[REDACTED], github=[REDACTED]");
    assert_eq!(scrubbed(&format!("ghp_{}EXTRA", letters(36))), "[REDACTED]EXTRA");
}

#[test]
fn an_assigned_secret_goes_with_its_name() {
    let jwt = format!("eyJ{}", letters(30));
    for text in [
        "api_key=supersecretvalue123".to_owned(),
        "token: mysecrettoken12345".to_owned(),
        "password=MyStr0ngP@ssword!".to_owned(),
        format!("bearer: {jwt}"),
        format!("authorization={jwt}"),
        "to\u{212A}en=12345678".to_owned(),
        "ſecret: 12345678".to_owned(),
    ] {
        assert_eq!(scrubbed(&text), "[REDACTED]", "{text:?}");
    }
    assert_eq!(scrubbed("the secret: everything is fine"), "the [REDACTED] is fine");
    assert_eq!(scrubbed("token=abc12345&next=1&page=2"), "[REDACTED]");
    assert_eq!(scrubbed("monkey = bananas123"), "[REDACTED]");
}

#[test]
fn what_the_seed_profile_does_not_know_stays() {
    for text in [
        format!("Authorization: Bearer eyJ{}", letters(30)),
        r#"{"password": "hunter2hunter2"}"#.to_owned(),
        "rediss://cache:6379/0".to_owned(),
        "AWS_SECRET_ACCESS_KEY: x".to_owned(),
        "DSN=1234567".to_owned(),
        "VIRTUAL_=abcd".to_owned(),
        "KEY=[REDACTED]".to_owned(),
        "a".repeat(63),
    ] {
        assert_eq!(scrubbed(&text), text);
    }
}

#[test]
fn connection_strings_and_long_digests_are_masked() {
    assert_eq!(scrubbed("mysql+pymysql://u:p@h/db"), "mysql+py[REDACTED]");
    assert_eq!(scrubbed("see 'redis://x' now"), "see '[REDACTED]' now");
    assert_eq!(scrubbed("DATABASE_URL=postgres://u:p@h/db"), "DATABASE_URL=[REDACTED]");
    assert_eq!(scrubbed(&format!("sha256:{}", "0a".repeat(32))), "sha256:[REDACTED]");
    assert_eq!(scrubbed("VIRTUAL_X=abcd"), "[REDACTED]");
}

#[test]
fn a_name_is_taken_again_with_the_key_that_was_masked() {
    assert_eq!(scrubbed(&format!("token: sk-{}", letters(20))), "[REDACTED]");
}

#[test]
fn overlapping_github_tokens_go_in_the_order_of_the_patterns() {
    let text = format!("ghs_{}ghp_{}", letters(33), letters(36));
    assert_eq!(scrubbed(&text), format!("ghs_{}[REDACTED]", letters(33)));
}

#[test]
fn json_strings_and_keys_are_masked_at_every_depth() {
    let key = format!("sk-{}", letters(20));
    let mut value = json!({
        "a": [1, null, {"deep": format!("x {key}")}],
        key.clone(): true,
        "password": "hunter2hunter2",
    });
    Scrubber::seed().scrub_json(&mut value);
    let expected = json!({
        "a": [1, null, {"deep": "x [REDACTED]"}],
        "[REDACTED]": true,
        "password": "hunter2hunter2",
    });
    assert_eq!(value.to_string(), expected.to_string());
}

#[test]
fn masked_keys_never_take_the_place_of_another_entry() {
    let key = |last: char| format!("sk-{}{last}", letters(20));
    let mut value = json!({
        key('a'): 1, "[REDACTED] #2": 2, key('b'): 3, "[REDACTED]": 4, key('c'): 5,
    });
    Scrubber::seed().scrub_json(&mut value);
    let names: Vec<_> =
        value.as_object().unwrap().iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(
        names,
        [
            "[REDACTED] #3=1",
            "[REDACTED] #2=2",
            "[REDACTED] #4=3",
            "[REDACTED]=4",
            "[REDACTED] #5=5"
        ]
    );
}

#[test]
fn deeply_nested_json_does_not_exhaust_the_stack() {
    let mut value = json!(format!("ghp_{}", letters(36)));
    for _ in 0..5_000 {
        value = Value::Array(vec![value]);
    }
    Scrubber::seed().scrub_json(&mut value);
    while let Value::Array(mut items) = value {
        value = items.pop().unwrap();
    }
    assert_eq!(value, json!("[REDACTED]"));
}

#[test]
fn clones_share_one_scrubber_between_threads() {
    let scrubber = Scrubber::seed();
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let scrubber = scrubber.clone();
            std::thread::spawn(move || scrubber.scrub("password=12345678 x").into_owned())
        })
        .collect();
    for worker in workers {
        assert_eq!(worker.join().unwrap(), "[REDACTED] x");
    }
}
