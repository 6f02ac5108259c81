//! Finds the places where a seed pattern could match, and says which.
//!
//! The answer may name too much but never too little, and it holds for the whole chain: what is
//! tested here lies outside every replacement that an earlier pattern can make. Three sweeps cover
//! all patterns. Fixed prefixes are searched for directly. Names and schemes are judged from the
//! `:` or `=` that must follow them, which is a far rarer sight than words like "key". And a run
//! of 64 hexadecimal digits cannot hide between probes 64 bytes apart.

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::pattern::{Passes, is_space};
use super::{AHEAD, BACK};

/// A place where some of `passes` could match.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The index of a byte that belongs to the match.
    pub(super) at: usize,
    pub(super) passes: Passes,
}

const PREFIXES: [&str; 7] = ["sk-", "AKIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"];

const LONGEST_PREFIX: usize = 4;

const GITHUB_DIGITS: usize = 36;
const AWS_DIGITS: usize = 16;
const KEY_DIGITS: usize = 20;
const HEX_RUN: usize = 64;
const LONG_VALUE: usize = 8;
const SHORT_VALUE: usize = 4;

/// The search for places. Holds no text.
pub(super) struct Anchors {
    prefixes: AhoCorasick,
}

impl Anchors {
    #[expect(clippy::expect_used, reason = "seven constant prefixes always make an automaton")]
    pub(super) fn new() -> Anchors {
        // Only leftmost search may use the vector instructions.
        let prefixes = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(PREFIXES)
            .expect("an automaton of seven prefixes");
        Anchors { prefixes }
    }

    /// All candidates in `bytes[from..to]` in their order. Allocates nothing if there are none.
    /// Whether there is one follows from the [`BACK`] bytes before it and the [`AHEAD`] behind it.
    /// Pieces of a text have the same candidates as the whole if they begin at multiples of 64.
    pub(super) fn candidates(&self, bytes: &[u8], from: usize, to: usize) -> Vec<Candidate> {
        let mut found = Vec::new();
        self.prefixed(bytes, from, to, &mut found);
        assigned(bytes, from, to, &mut found);
        hexadecimal(bytes, from, to, &mut found);
        found.sort_unstable_by_key(|candidate| candidate.at);
        found
    }

    fn prefixed(&self, bytes: &[u8], mut from: usize, to: usize, found: &mut Vec<Candidate>) {
        let end = bytes.len().min(to + LONGEST_PREFIX - 1);
        while let Some(hit) = self.prefixes.find(Input::new(bytes).range(from..end)) {
            let passes = after_prefix(hit.pattern().as_usize(), &bytes[hit.end()..]);
            if !passes.is_empty() {
                found.push(Candidate { at: hit.start(), passes });
            }
            from = hit.start() + 1;
        }
    }
}

fn after_prefix(prefix: usize, rest: &[u8]) -> Passes {
    match prefix {
        0 => {
            let dashed = rest.strip_prefix(b"ant-").unwrap_or_default();
            Passes::OPENAI.when(starts_with_run(rest, KEY_DIGITS, |b| b.is_ascii_alphanumeric()))
                | Passes::ANTHROPIC.when(starts_with_run(dashed, KEY_DIGITS, |b| {
                    b.is_ascii_alphanumeric() || b == b'-'
                }))
        }
        1 => Passes::AWS.when(starts_with_run(rest, AWS_DIGITS, |b| {
            b.is_ascii_uppercase() || b.is_ascii_digit()
        })),
        kind => Passes::GITHUB[kind - 2]
            .when(starts_with_run(rest, GITHUB_DIGITS, |b| b.is_ascii_alphanumeric())),
    }
}

fn starts_with_run(bytes: &[u8], length: usize, belongs: impl Fn(u8) -> bool) -> bool {
    bytes.get(..length).is_some_and(|run| run.iter().all(|&b| belongs(b)))
}

fn hexadecimal(bytes: &[u8], from: usize, to: usize, found: &mut Vec<Candidate>) {
    let mut at = from - from % HEX_RUN + HEX_RUN - 1;
    while at < to {
        if bytes[at].is_ascii_hexdigit() {
            let digits = |b: &&u8| b.is_ascii_hexdigit();
            let before = bytes[..at].iter().rev().take(HEX_RUN).take_while(digits).count();
            let after = bytes[at..].iter().take(HEX_RUN).take_while(digits).count();
            if before + after >= HEX_RUN {
                found.push(Candidate { at, passes: Passes::HEXADECIMAL });
            }
        }
        at += HEX_RUN;
    }
}

fn assigned(bytes: &[u8], from: usize, to: usize, found: &mut Vec<Candidate>) {
    for at in memchr::memchr2_iter(b':', b'=', &bytes[from..to]) {
        let at = from + at;
        let view = at.saturating_sub(BACK)..bytes.len().min(at + AHEAD);
        let passes = around_sign(&bytes[view.clone()], at - view.start);
        if !passes.is_empty() {
            found.push(Candidate { at, passes });
        }
    }
}

fn around_sign(bytes: &[u8], at: usize) -> Passes {
    let name = Name::before(&bytes[..at]);
    if name.is_nothing() {
        return Passes::NONE;
    }
    let rest = &bytes[at + 1..];
    if bytes[at] == b':' {
        let passes = Passes::CONNECTION.when(rest.starts_with(b"//") && name.is_scheme());
        return passes | Passes::ASSIGNED.when(name.is_secret() && value(rest, false, LONG_VALUE));
    }
    // What these names take for a value is less than what `is_secret` takes.
    if !value(rest, false, SHORT_VALUE) {
        return Passes::NONE;
    }
    let long = value(rest, true, LONG_VALUE);
    Passes::ASSIGNED.when(name.is_secret() && value(rest, false, LONG_VALUE))
        | Passes::ENVIRONMENT.when(long && name.is_environment())
        | Passes::SOURCE_NAME.when(long && name.is_source())
        | Passes::VIRTUAL.when(value(rest, true, SHORT_VALUE) && name.is_virtual())
}

/// True if `rest` has, after white space, at least `length` characters that a value may hold.
fn value(rest: &[u8], stops_at_bracket: bool, length: usize) -> bool {
    let Some(start) = rest.iter().position(|&b| !is_space(b)) else { return false };
    let mut seen = 0;
    for &byte in &rest[start..] {
        if is_space(byte) || (stops_at_bracket && byte == b'[') {
            return false;
        }
        let continues_character = byte & 0xC0 == 0x80;
        seen += usize::from(!continues_character);
        if seen == length {
            return true;
        }
    }
    false
}

/// What stands before a `:` or `=`, white space aside.
struct Name<'t> {
    /// Everything up to the end of the name.
    head: &'t [u8],
    /// The letters and underscores at its end.
    word: &'t [u8],
    /// A letter stands before the word that folds to an ASCII letter. It may be part of any name,
    /// and it is so rare that it is taken for part of all of them.
    folded: bool,
}

impl<'t> Name<'t> {
    fn before(bytes: &'t [u8]) -> Name<'t> {
        let end = bytes.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1);
        let head = &bytes[..end];
        let outside = |&b: &u8| !(b.is_ascii_alphabetic() || b == b'_');
        let start = head.iter().rposition(outside).map_or(0, |last| last + 1);
        let (before, word) = head.split_at(start);
        let folded = before.ends_with("ſ".as_bytes()) || before.ends_with("\u{212A}".as_bytes());
        Name { head, word, folded }
    }

    fn is_nothing(&self) -> bool {
        self.word.is_empty() && !self.folded
    }

    fn is_secret(&self) -> bool {
        self.folded
            || match self.word.last().map(u8::to_ascii_lowercase) {
                Some(b'n') => self.ends_with("token") || self.ends_with("authorization"),
                Some(b't') => self.ends_with("secret"),
                Some(b'd') => self.ends_with("password"),
                Some(b'r') => self.ends_with("bearer"),
                Some(b'y') => ["apikey", "api_key", "api-key"].iter().any(|n| self.ends_with(n)),
                _ => false,
            }
    }

    fn is_scheme(&self) -> bool {
        let schemes = ["postgres", "postgresql", "mysql", "mongodb", "redis", "amqp"];
        self.folded || schemes.iter().any(|scheme| self.ends_with(scheme))
    }

    fn is_environment(&self) -> bool {
        self.folded
            || self.word.iter().enumerate().any(|(at, letter)| {
                let rest = &self.word[at..];
                match letter.to_ascii_lowercase() {
                    b'k' => begins_with(rest, "key"),
                    b's' => begins_with(rest, "secret"),
                    b'c' => begins_with(rest, "credential"),
                    b'p' => begins_with(rest, "private"),
                    _ => false,
                }
            })
    }

    fn is_source(&self) -> bool {
        let names = ["dsn", "database_url", "redis_url", "mongo_uri"];
        self.folded || names.iter().any(|name| self.ends_with(name))
    }

    fn is_virtual(&self) -> bool {
        let prefix = "virtual_";
        self.folded
            || self
                .word
                .windows(prefix.len() + 1)
                .any(|window| window[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes()))
    }

    fn ends_with(&self, name: &str) -> bool {
        let tail = self.head.len().checked_sub(name.len()).map(|start| &self.head[start..]);
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
    }
}

fn begins_with(bytes: &[u8], word: &str) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}
