//! The seed patterns and their order.
//!
//! White space is spelled out, because it is narrower here than `\s` of the regex crate, which
//! includes the vertical tab. Where case does not matter, it does so in Unicode's sense: `ſ` is an
//! `s` and the Kelvin sign is a `k`, in names as in `[A-Z_]`.

use std::ops::{BitOr, Range};
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::byte_search;
use super::key::{self, KEYS};

/// The mask of this profile.
const MASK: &[u8] = b"[REDACTED]";

/// How many patterns there are: a fixed set, which other programs expect byte by byte.
const COUNT: usize = 14;

// The five GitHub prefixes cannot be one pattern. Where two tokens overlap, the one whose prefix
// comes first in this list wins, not the one that comes first in the text.
const SOURCES: [&str; COUNT] = [
    r"sk-[a-zA-Z0-9]{20,}",
    r"sk-ant-[a-zA-Z0-9-]{20,}",
    r"ghp_[a-zA-Z0-9]{36}",
    r"gho_[a-zA-Z0-9]{36}",
    r"ghu_[a-zA-Z0-9]{36}",
    r"ghs_[a-zA-Z0-9]{36}",
    r"ghr_[a-zA-Z0-9]{36}",
    r"AKIA[A-Z0-9]{16}",
    r#"(?i)(?:api[_-]?key|token|secret|password|bearer|authorization)[\t\n\f\r ]*[:=][\t\n\f\r ]*["']?[^\t\n\f\r ]{8,}["']?"#,
    r#"(?i)(?:postgres|postgresql|mysql|mongodb|redis|amqp)://[^\t\n\f\r "']+"#,
    r"(?i)[A-Z_]*(?:KEY|SECRET|CREDENTIAL|PRIVATE)[A-Z_]*[\t\n\f\r ]*=[\t\n\f\r ]*[^\t\n\f\r \[]{8,}",
    r"(?i)(?:DSN|DATABASE_URL|REDIS_URL|MONGO_URI)[\t\n\f\r ]*=[\t\n\f\r ]*[^\t\n\f\r \[]{8,}",
    r"(?i)VIRTUAL_[A-Z_]+[\t\n\f\r ]*=[\t\n\f\r ]*[^\t\n\f\r \[]{4,}",
    r"[a-fA-F0-9]{64,}",
];

/// The kind of secret that each pattern finds.
const KINDS: [&str; COUNT] = [
    "openai-key",
    "anthropic-key",
    "github-token",
    "github-token",
    "github-token",
    "github-token",
    "github-token",
    "aws-access-key",
    "assigned",
    "connection",
    "assigned",
    "connection",
    "assigned",
    "hex",
];

/// The kind of secret that a pattern finds.
pub(super) fn kind(pass: usize) -> &'static str {
    KINDS[pass]
}

/// The pattern of hexadecimal digits.
const DIGITS: usize = COUNT - 1;

/// Where a match that already has its least length ends in what follows; `None` if it does not.
pub(super) fn end(pass: usize, rest: &[u8]) -> Option<usize> {
    match pass {
        0 => byte_search::first(rest, |b| !b.is_ascii_alphanumeric()),
        1 => byte_search::first(rest, |b| !b.is_ascii_alphanumeric() & (b != b'-')),
        2..=7 => (!rest.is_empty()).then_some(0),
        8 => byte_search::first(rest, is_space),
        9 => byte_search::first(rest, |b| is_space(b) | (b == b'"') | (b == b'\'')),
        DIGITS => byte_search::first(rest, |b| !b.is_ascii_hexdigit()),
        _ => byte_search::first(rest, |b| is_space(b) | (b == b'[')),
    }
}

/// True if a match of the pattern may contain the mask of an earlier one.
pub(super) fn takes_masks(pass: usize) -> bool {
    matches!(pass, 8 | 9)
}

/// True for white space as the patterns define it.
#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    // A range and no list, so that many bytes can be tested at once.
    (byte == b' ') | (byte.wrapping_sub(b'\t') < 5) & (byte != b'\x0b')
}

/// A set of patterns: one bit each, the first one to run lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passes(u16);

impl Passes {
    /// No pattern.
    pub(super) const NONE: Passes = Passes(0);
    /// A value behind the name of a secret.
    pub(super) const ASSIGNED: Passes = Passes(1 << 8);
    /// The address of a database.
    pub(super) const CONNECTION: Passes = Passes(1 << 9);
    /// An environment variable named like a secret.
    pub(super) const ENVIRONMENT: Passes = Passes(1 << 10);
    /// An environment variable with the address of a database.
    pub(super) const SOURCE_NAME: Passes = Passes(1 << 11);
    /// An environment variable that begins with `VIRTUAL_`.
    pub(super) const VIRTUAL: Passes = Passes(1 << 12);
    /// A long run of hexadecimal digits.
    pub(super) const HEXADECIMAL: Passes = Passes(1 << 13);

    /// The pattern with this index alone.
    pub(super) fn one(pass: usize) -> Passes {
        Passes(1 << pass)
    }

    /// True if there is no pattern in the set.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set if `wanted`, otherwise none.
    pub(super) fn when(self, wanted: bool) -> Passes {
        if wanted { self } else { Passes::NONE }
    }

    /// Those that run before `pass`.
    pub(super) fn before(self, pass: usize) -> Passes {
        Passes(self.0 & ((1 << pass) - 1))
    }

    /// The indices of the patterns, in the order in which they run.
    fn indices(self) -> impl Iterator<Item = usize> {
        (0..COUNT).filter(move |index| self.0 >> index & 1 == 1)
    }
}

impl BitOr for Passes {
    type Output = Passes;

    fn bitor(self, other: Passes) -> Passes {
        Passes(self.0 | other.0)
    }
}

/// The compiled patterns. Each is compiled when it first runs, since most processes never need most
/// of them. Keys and digits are matched by hand.
pub(super) struct Patterns([OnceLock<Regex>; COUNT]);

impl Patterns {
    /// Patterns of which none is compiled yet.
    pub(super) fn new() -> Patterns {
        Patterns([const { OnceLock::new() }; COUNT])
    }

    /// Runs the patterns of `passes` in order, each on what the ones before it left. Returns the
    /// matches in `text`, in order.
    ///
    /// A match that contains a mask contains all of it, and takes over what it stands for. No match
    /// can begin or end inside a mask.
    pub(super) fn run(&self, text: &[u8], passes: Passes) -> Vec<Match> {
        let mut taken: Vec<Match> = Vec::new();
        let mut masked = Vec::new();
        for pass in passes.indices() {
            let left = if taken.is_empty() { text } else { &masked };
            let mut offsets = OffsetMap { taken: &taken, next: 0, shift: 0 };
            let mut found = Vec::new();
            self.find_all(pass, left, |span| found.push(offsets.original_span(span, pass)));
            if !found.is_empty() {
                taken = merged(taken, found);
                masked = with_masks(text, &taken);
            }
        }
        taken
    }

    /// All matches of a pattern in `text`.
    fn find_all(&self, pass: usize, text: &[u8], mut found: impl FnMut(Range<usize>)) {
        match pass {
            DIGITS => key::find_digits(text, found),
            _ => match KEYS.get(pass) {
                Some(key) => key.find_all(text, found),
                None => self.pattern(pass).find_iter(text).for_each(|hit| found(hit.range())),
            },
        }
    }

    /// Every pattern over the whole text, one after another: the definition of the result, for
    /// tests.
    #[cfg(test)]
    pub(super) fn one_by_one(&self, text: &str) -> String {
        let mask = regex::bytes::NoExpand(MASK);
        let all = (0..COUNT).fold(text.as_bytes().to_vec(), |left, index| {
            self.pattern(index).replace_all(&left, mask.clone()).into_owned()
        });
        String::from_utf8(all).unwrap()
    }

    /// The pattern with this index, compiled when it is first asked for.
    fn pattern(&self, index: usize) -> &Regex {
        self.0[index].get_or_init(|| compile(SOURCES[index]))
    }
}

/// Compiles one of [`SOURCES`].
#[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles them all")]
fn compile(source: &str) -> Regex {
    Regex::new(source).expect("a valid pattern")
}

/// A match of a pattern.
#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) span: Range<usize>,
    /// The index of the pattern.
    pub(super) pass: usize,
}

/// Maps positions in a masked text to the original text. Asked in text order.
struct OffsetMap<'t> {
    taken: &'t [Match],
    /// The first match behind the last position.
    next: usize,
    /// What to add to a position between the masks.
    shift: isize,
}

impl OffsetMap<'_> {
    /// The span of a masked text in the original text.
    fn original_span(&mut self, masked: Range<usize>, pass: usize) -> Match {
        let start = self.original_offset(masked.start);
        Match { span: start..self.original_offset(masked.end), pass }
    }

    /// The position of a masked text in the original text.
    fn original_offset(&mut self, masked: usize) -> usize {
        while let Some(one) = self.taken.get(self.next) {
            let start = one.span.start.wrapping_add_signed(-self.shift);
            if start + MASK.len() > masked {
                break;
            }
            self.shift = one.span.end.wrapping_sub(start + MASK.len()) as isize;
            self.next += 1;
        }
        masked.wrapping_add_signed(self.shift)
    }
}

/// Both lists in order. A match inside a newer one is dropped.
fn merged(old: Vec<Match>, new: Vec<Match>) -> Vec<Match> {
    let mut all = new;
    let count = all.len();
    for one in old {
        let at = all[..count].partition_point(|new| new.span.end <= one.span.start);
        if all[..count].get(at).is_none_or(|new| new.span.start >= one.span.end) {
            all.push(one);
        }
    }
    all.sort_unstable_by_key(|one| one.span.start);
    all
}

/// The text with a mask in place of each match.
pub(super) fn with_masks(text: &[u8], taken: &[Match]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(text.len());
    let mut copied = 0;
    for one in taken {
        masked.extend_from_slice(&text[copied..one.span.start]);
        masked.extend_from_slice(MASK);
        copied = one.span.end;
    }
    masked.extend_from_slice(&text[copied..]);
    masked
}
