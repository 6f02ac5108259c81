use std::sync::LazyLock;

use super::super::super::simd::{BLOCK, Lanes, Task};
use super::super::escape::{self, is_sign};
use super::super::hex;
use super::super::kinds::is_plain;
use super::offsets::BATCH;
use super::*;

static KINDS: LazyLock<Kinds> = LazyLock::new(Kinds::new);

static LEVELS: LazyLock<Vec<CandidateScanner>> =
    LazyLock::new(|| Level::all().map(CandidateScanner::new).collect());

fn between(text: &[u8], from: usize, to: usize, level: Level) -> Vec<Candidate> {
    let candidates = LEVELS.iter().find(|candidates| candidates.level == level).unwrap();
    let mut scan = candidates.scan(&KINDS, text, from, to);
    let mut at = from;
    let mut all = Vec::new();
    while let Some(candidate) = scan.next(at) {
        at = candidate.at + 1;
        all.push(candidate);
    }
    all
}

fn candidates(text: &str) -> Vec<(usize, Detector)> {
    let all = between(text.as_bytes(), 0, text.len(), Level::best());
    all.iter().map(|candidate| (candidate.at, candidate.detector)).collect()
}

/// The candidates by their definition, one place after another.
fn by_definition(text: &[u8], from: usize, to: usize) -> Vec<Candidate> {
    let mut all = Vec::new();
    for at in from..to {
        let begins = |keyword: &str| {
            text[at..]
                .get(..keyword.len())
                .is_some_and(|s| s.eq_ignore_ascii_case(keyword.as_bytes()))
        };
        let found = KEYWORDS
            .iter()
            .filter(|(keyword, _)| begins(keyword))
            .max_by_key(|(keyword, _)| keyword.len());
        let drowned = |at| text.get(at..at + 64).is_some_and(|run| run.iter().all(is_token));
        let found = found.filter(|keyword| !drowned(at + Keyword::new(keyword).probe_offset));
        let holds =
            |keyword: &str| keyword != "://" || Level::Scalar.run(Asked(&LEVELS[0], text, at));
        let found = found.filter(|(keyword, _)| holds(keyword));
        let keyword = found.map(|(_, detector)| *detector);
        if starts_run(&KINDS, text, at) {
            all.push(Candidate { at, detector: Detector::Run, fallback: keyword });
        } else if let Some(detector) = keyword {
            all.push(Candidate { at, detector, fallback: None });
        }
    }
    all
}

/// Whether a link may hold something.
struct Asked<'a>(&'a CandidateScanner, &'a [u8], usize);

impl Task for Asked<'_> {
    type Answer = bool;

    fn run<L: Lanes>(self) -> bool {
        self.0.link_filter.may_have_secret::<L>(self.1, self.2)
    }
}

fn is_token(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn may_start(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|&first| !is_sign(first))
        && (starts_like_known_kind(kinds, text, at) || kinds.may_be_unprefixed(text, at))
}

fn starts_run(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    let run = |at: usize, class: fn(&u8) -> bool, length: usize| {
        let fresh = at == 0 || !class(&text[at - 1]);
        fresh && text.get(at..at + length).is_some_and(|run| run.iter().all(class))
    };
    let token: fn(&u8) -> bool = is_token;
    let behind_escape = (1..=escape::MAX_HIDDEN).any(|length| {
        let start = at.checked_sub(length).filter(|&start| run(start, token, MIN_RUN));
        start.is_some_and(|start| {
            let before = start.checked_sub(1).map(|last| text[last]);
            escape::hidden_length(before, &text[start..]) == length
        })
    });
    let prefixed = (run(at, token, MIN_RUN) || behind_escape) && may_start(kinds, text, at);
    let within = at > 0 && is_token(&text[at - 1]);
    let stands = || within || hex::may_start_key(text, at) || !is_plain(&text[at..]);
    prefixed || run(at, u8::is_ascii_hexdigit, MIN_HEX_DIGITS as usize) && stands()
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
fn every_level_finds_the_candidates_of_the_definition() {
    for text in texts(600) {
        let expected = by_definition(&text, 0, text.len());
        for level in Level::all() {
            let found = between(&text, 0, text.len(), level);
            assert_eq!(found, expected, "{level:?}: {}", String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn a_part_of_a_text_has_the_candidates_of_the_whole() {
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
        format!("{}{github}", "-".repeat(escape::MAX_HIDDEN)),
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
            all.iter()
                .map(|candidate| (candidate.at - blanks, candidate.detector))
                .collect::<Vec<_>>()
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
fn a_scan_that_jumps_finds_what_one_that_does_not_finds() {
    for text in texts(200) {
        let (candidates, kinds) = (LEVELS.last().unwrap(), &*KINDS);
        let mut scan = candidates.scan(kinds, &text, 0, text.len());
        let expected = by_definition(&text, 0, text.len());
        let mut from = 0;
        for jump in [0, 1, 7, 0, 63, 64, 65, 0, 3, 129, 20].iter().cycle() {
            from += jump;
            let candidate = scan.next(from);
            assert_eq!(candidate, expected.iter().copied().find(|candidate| candidate.at >= from));
            let Some(candidate) = candidate else { break };
            from = candidate.at + 1;
        }
    }
}

#[test]
fn no_candidate_begins_between_the_start_of_a_keyword_and_its_probe() {
    for (keyword, probe_offset) in PROBE_OFFSETS {
        assert!(
            KEYWORDS.iter().any(|(other, _)| other == keyword),
            "{keyword} has an offset and is no keyword"
        );
        for before in
            ["", " ", "\\", "\\u0", "%", "%25", "%2", "=", "=3", "[1;", "__", "jira \\", "key"]
        {
            for behind in ["", "a1B2c3D4e5F6g7H8i9J0k1L2", "ghp_", "eyJ"] {
                let text = format!("{before}{keyword}{behind}");
                let inside = before.len() + 1..before.len() + probe_offset + 1;
                let seen = between(text.as_bytes(), inside.start, inside.end, Level::best());
                assert_eq!(seen, [], "in {text}");
            }
        }
    }
}

#[test]
fn a_run_that_begins_with_a_keyword_is_both_candidates() {
    let text = format!("key{}", "a1B2c3D".repeat(2));
    let all = between(text.as_bytes(), 0, text.len(), Level::best());
    assert_eq!(
        all[0],
        Candidate { at: 0, detector: Detector::Run, fallback: Some(Detector::Name) }
    );
}

#[test]
fn a_prefix_is_seen_behind_every_escape() {
    for escape in ["\\n", "\\\\n", "\\t", "\\u0022", "%3D", "%253D", "\\x22", "\u{1b}[1;32m", "=3D"]
    {
        let text = format!("x {escape}ghp_{}", "aB3".repeat(12));
        let at = text.find("ghp_").unwrap();
        assert!(candidates(&text).contains(&(at, Detector::Run)), "{text:?}");
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
                found.retain(|candidate| {
                    before == "name_" || before == "zz" || digits >= 64 || candidate.at > at
                });
                let seen = found
                    .iter()
                    .any(|candidate| candidate.at == at && candidate.detector == Detector::Run);
                assert_eq!(seen, stands && digits >= 64, "{text}");
            }
        }
    }
}
