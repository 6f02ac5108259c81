use std::sync::LazyLock;

use super::super::super::simd::{BLOCK, Lanes, Task};
use super::super::escape::{self, is_sign};
use super::super::hex;
use super::super::kinds::is_plain;
use super::places::BATCH;
use super::*;

static KINDS: LazyLock<Kinds> = LazyLock::new(Kinds::new);

static LEVELS: LazyLock<Vec<Sights>> = LazyLock::new(|| Level::all().map(Sights::new).collect());

fn between(text: &[u8], from: usize, to: usize, level: Level) -> Vec<Sight> {
    let sights = LEVELS.iter().find(|sights| sights.level == level).unwrap();
    let mut sweep = sights.sweep(&KINDS, text, from, to);
    let mut at = from;
    let mut all = Vec::new();
    while let Some(sight) = sweep.next(at) {
        at = sight.at + 1;
        all.push(sight);
    }
    all
}

fn sights(text: &str) -> Vec<(usize, Sort)> {
    let all = between(text.as_bytes(), 0, text.len(), Level::best());
    all.iter().map(|sight| (sight.at, sight.sort)).collect()
}

/// The sights by their definition, one place after another.
fn by_definition(text: &[u8], from: usize, to: usize) -> Vec<Sight> {
    let mut all = Vec::new();
    for at in from..to {
        let begins = |word: &str| {
            text[at..].get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word.as_bytes()))
        };
        let found =
            WORDS.iter().filter(|(word, _)| begins(word)).max_by_key(|(word, _)| word.len());
        let drowned = |at| text.get(at..at + 64).is_some_and(|run| run.iter().all(is_token));
        let found = found.filter(|word| !drowned(at + Word::new(word).lead));
        let holds = |word: &str| word != "://" || Level::Scalar.run(Asked(&LEVELS[0], text, at));
        let found = found.filter(|(word, _)| holds(word));
        let word = found.map(|(_, sort)| *sort);
        if starts_run(&KINDS, text, at) {
            all.push(Sight { at, sort: Sort::Run, then: word });
        } else if let Some(sort) = word {
            all.push(Sight { at, sort, then: None });
        }
    }
    all
}

/// Whether a link may hold something.
struct Asked<'a>(&'a Sights, &'a [u8], usize);

impl Task for Asked<'_> {
    type Answer = bool;

    fn run<L: Lanes>(self) -> bool {
        self.0.links.may_hold::<L>(self.1, self.2)
    }
}

fn is_token(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn may_start(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|&first| !is_sign(first))
        && (begins_as_known(kinds, text, at) || kinds.may_be_plain(text, at))
}

fn starts_run(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    let run = |at: usize, class: fn(&u8) -> bool, length: usize| {
        let fresh = at == 0 || !class(&text[at - 1]);
        fresh && text.get(at..at + length).is_some_and(|run| run.iter().all(class))
    };
    let token: fn(&u8) -> bool = is_token;
    let behind_escape = (1..=escape::LONGEST).any(|length| {
        let start = at.checked_sub(length).filter(|&start| run(start, token, RUN));
        start.is_some_and(|start| {
            let before = start.checked_sub(1).map(|last| text[last]);
            escape::hidden(before, &text[start..]) == length
        })
    });
    let prefixed = (run(at, token, RUN) || behind_escape) && may_start(kinds, text, at);
    let within = at > 0 && is_token(&text[at - 1]);
    let stands = || within || hex::may_stand(text, at) || !is_plain(&text[at..]);
    prefixed || run(at, u8::is_ascii_hexdigit, DIGITS as usize) && stands()
}

const PARTS: &[&str] = &[
    "password",
    "pass",
    "SECRET",
    "token",
    "key_",
    "sig",
    "signature",
    "basic",
    "Bearer ",
    "://",
    ":",
    "/",
    "-----BEGIN ",
    "-----",
    "--------begin",
    "ghp_",
    "eyJ",
    "sk-ant-",
    "AKIA",
    "\\n",
    "\\u0022",
    "%3D",
    "%253D",
    "\u{1b}[32m",
    "\u{1b}[1;31m",
    "=3D",
    "\\x22",
    "\\",
    "response=\"",
    "kind: Secret",
    "\"kind\": \"Secret\"",
    "_PAT=",
    "_pat:",
    "contrasena",
    ":thin:",
    "IDENTIFIED BY",
    "pg_connect(",
    "new PDO(",
    "NetworkCredential(",
    "credential",
    "abc.def-ghi_j",
    "0123456789abcdef",
    "DEADbeef",
    "é",
    "ſ",
    "\u{212A}",
    " ",
    "\n",
    "\"",
    "=",
    "%",
    "[",
    ";",
    "a",
];

/// Texts of such parts, some of them in long rows, and of random bytes.
fn texts(count: usize) -> Vec<Vec<u8>> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = move |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % limit
    };
    let mut text = || match below(8) {
        0 => (0..below(300)).map(|_| below(256) as u8).collect(),
        1 => PARTS[below(PARTS.len())].repeat(below(60)).into_bytes(),
        _ => {
            let parts = (0..below(30)).map(|_| {
                let part = PARTS[below(PARTS.len())];
                if below(6) == 0 { part.repeat(below(20)) } else { part.to_owned() }
            });
            parts.collect::<String>().into_bytes()
        }
    };
    (0..count).map(|_| text()).collect()
}

#[test]
fn every_level_names_the_sights_of_the_definition() {
    for text in texts(600) {
        let expected = by_definition(&text, 0, text.len());
        for level in Level::all() {
            let found = between(&text, 0, text.len(), level);
            assert_eq!(found, expected, "{level:?}: {}", String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn a_part_of_a_text_has_the_sights_of_the_whole() {
    for text in texts(12) {
        for from in 0..text.len() {
            let to = (from + 150).min(text.len());
            let found = between(&text, from, to, Level::best());
            let lossy = String::from_utf8_lossy(&text);
            assert_eq!(found, by_definition(&text, from, to), "from {from} to {to} of {lossy}");
        }
    }
}

#[test]
fn where_a_batch_ends_changes_nothing() {
    let (hex, token) = ("0a9f3b7c51d2e846".repeat(2), "k3Vt9xQ2mZ7pL4wR8sN1".repeat(4));
    let github = format!("ghp_{}", &token[..36]);
    let samples = [
        github.clone(),
        format!("\\u0022{github}"),
        format!("=3D{github}"),
        format!("%253D{github}"),
        format!("{}{github}", "-".repeat(escape::LONGEST)),
        format!("name=-{hex}.{}", &token[..16]),
        format!("name={hex}.{}", &token[..16]),
        format!("8123456789:AA{}", &token[..33]),
        format!("\\n{}AZDO{}", &token[..76], &token[..4]),
        format!("{}.atlasv1.{}", &token[..14], &token[..64]),
        hex.repeat(3),
    ];
    for sample in samples {
        let seen = |blanks: usize, level| {
            let text = format!("{}{sample} and more", " ".repeat(blanks));
            let all = between(text.as_bytes(), 0, text.len(), level);
            all.iter().map(|sight| (sight.at - blanks, sight.sort)).collect::<Vec<_>>()
        };
        let expected = seen(128, Level::best());
        assert!(!expected.is_empty(), "{sample}");
        for level in Level::all() {
            for blanks in (BATCH * BLOCK - 150..).take(160) {
                assert_eq!(seen(blanks, level), expected, "{level:?}: {sample} at {blanks}");
            }
        }
    }
}

#[test]
fn a_sweep_that_jumps_names_what_one_names_that_does_not() {
    for text in texts(200) {
        let (sights, kinds) = (LEVELS.last().unwrap(), &*KINDS);
        let mut sweep = sights.sweep(kinds, &text, 0, text.len());
        let expected = by_definition(&text, 0, text.len());
        let mut from = 0;
        for jump in [0, 1, 7, 0, 63, 64, 65, 0, 3, 129, 20].iter().cycle() {
            from += jump;
            let sight = sweep.next(from);
            assert_eq!(sight, expected.iter().copied().find(|sight| sight.at >= from));
            let Some(sight) = sight else { break };
            from = sight.at + 1;
        }
    }
}

#[test]
fn no_sight_begins_between_the_start_of_a_word_and_what_is_sought_of_it() {
    for (word, lead) in LATE {
        assert!(
            WORDS.iter().any(|(other, _)| other == word),
            "{word} is sought late and not at all"
        );
        for before in
            ["", " ", "\\", "\\u0", "%", "%25", "%2", "=", "=3", "[1;", "__", "jira \\", "key"]
        {
            for behind in ["", "a1B2c3D4e5F6g7H8i9J0k1L2", "ghp_", "eyJ"] {
                let text = format!("{before}{word}{behind}");
                let inside = before.len() + 1..before.len() + lead + 1;
                let seen = between(text.as_bytes(), inside.start, inside.end, Level::best());
                assert_eq!(seen, [], "in {text}");
            }
        }
    }
}

#[test]
fn a_run_that_begins_with_a_word_is_looked_at_as_both() {
    let text = format!("key{}", "a1B2c3D".repeat(2));
    let all = between(text.as_bytes(), 0, text.len(), Level::best());
    assert_eq!(all[0], Sight { at: 0, sort: Sort::Run, then: Some(Sort::Name) });
}

#[test]
fn a_prefix_is_seen_behind_every_escape() {
    for escape in ["\\n", "\\\\n", "\\t", "\\u0022", "%3D", "%253D", "\\x22", "\u{1b}[1;32m", "=3D"]
    {
        let text = format!("x {escape}ghp_{}", "aB3".repeat(12));
        let at = text.find("ghp_").unwrap();
        assert!(sights(&text).contains(&(at, Sort::Run)), "{text:?}");
    }
}

#[test]
fn long_runs_of_digits_are_seen_where_a_key_may_stand() {
    for before in ["", "x ", "{\"a\": \"", "name_", "zz", "sha256:", "hex!(\"", "\"a.rs\":\""] {
        let stands = !before.ends_with([':', '"']) || before.starts_with('{');
        for digits in [63, 64, 65, 128, 200] {
            for place in 0..70 {
                let text = format!(
                    "{}{before}{} x",
                    "- ".repeat(place),
                    "0a".repeat(digits)[..digits].to_owned()
                );
                let at = text.find("0a").unwrap();
                let mut found = between(text.as_bytes(), at, at + 1, Level::best());
                found.retain(|sight| {
                    before == "name_" || before == "zz" || digits >= 64 || sight.at > at
                });
                let seen = found.iter().any(|sight| sight.at == at && sight.sort == Sort::Run);
                assert_eq!(seen, stands && digits >= 64, "{text}");
            }
        }
    }
}
