//! The seed patterns and the order in which they run.
//!
//! White space is spelled out because it is narrower here than the `\s` of the regex crate, which
//! takes the vertical tab as well. Where case does not count, it does not count in Unicode's
//! sense: `ſ` is an `s` and the Kelvin sign is a `k`, in names as in `[A-Z_]`.

use std::ops::{BitOr, Range};
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::key::{self, KEYS};
use super::run;

const MASK: &[u8] = b"[REDACTED]";

const COUNT: usize = 14;

// The five GitHub prefixes cannot be one pattern: where two tokens overlap, the one whose prefix
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

/// What each pattern finds, as the kind of a secret.
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

/// Where a match of a pattern that has become as long as it must be ends in what follows; `None`
/// if it does not.
pub(super) fn end(pass: usize, rest: &[u8]) -> Option<usize> {
    match pass {
        0 => run::first(rest, |b| !b.is_ascii_alphanumeric()),
        1 => run::first(rest, |b| !b.is_ascii_alphanumeric() & (b != b'-')),
        2..=7 => (!rest.is_empty()).then_some(0),
        8 => run::first(rest, is_space),
        9 => run::first(rest, |b| is_space(b) | (b == b'"') | (b == b'\'')),
        DIGITS => run::first(rest, |b| !b.is_ascii_hexdigit()),
        _ => run::first(rest, |b| is_space(b) | (b == b'[')),
    }
}

/// True if what a pattern takes may hold the mask of an earlier one.
pub(super) fn takes_masks(pass: usize) -> bool {
    matches!(pass, 8 | 9)
}

/// What the patterns take for white space.
#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    // A range and no list, so that many bytes can be asked at once.
    (byte == b' ') | (byte.wrapping_sub(b'\t') < 5) & (byte != b'\x0b')
}

/// A set of patterns: one bit each, the first to run lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passes(u16);

impl Passes {
    pub(super) const NONE: Passes = Passes(0);
    pub(super) const ASSIGNED: Passes = Passes(1 << 8);
    pub(super) const CONNECTION: Passes = Passes(1 << 9);
    pub(super) const ENVIRONMENT: Passes = Passes(1 << 10);
    pub(super) const SOURCE_NAME: Passes = Passes(1 << 11);
    pub(super) const VIRTUAL: Passes = Passes(1 << 12);
    pub(super) const HEXADECIMAL: Passes = Passes(1 << 13);

    pub(super) fn one(pass: usize) -> Passes {
        Passes(1 << pass)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set if `wanted`, otherwise none.
    pub(super) fn when(self, wanted: bool) -> Passes {
        if wanted { self } else { Passes::NONE }
    }

    /// Those of this set that run before `pass`.
    pub(super) fn before(self, pass: usize) -> Passes {
        Passes(self.0 & ((1 << pass) - 1))
    }

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

/// The compiled patterns. One is compiled when it is first run, since most processes never meet
/// most of them. Those of keys and digits are matched by hand.
pub(super) struct Patterns([OnceLock<Regex>; COUNT]);

impl Patterns {
    pub(super) fn new() -> Patterns {
        Patterns([const { OnceLock::new() }; COUNT])
    }

    /// Runs `passes` in their order, each on what the one before it left. Answers what they took
    /// from `text`, in its order.
    ///
    /// A pattern that takes a mask takes all of it, and what that mask stands for with it: none
    /// can begin or end inside of one.
    pub(super) fn run(&self, text: &[u8], passes: Passes) -> Vec<Taken> {
        let mut taken: Vec<Taken> = Vec::new();
        let mut masked = Vec::new();
        for pass in passes.indices() {
            let left = if taken.is_empty() { text } else { &masked };
            let mut places = Places { taken: &taken, next: 0, shift: 0 };
            let mut found = Vec::new();
            self.find_all(pass, left, |span| found.push(places.original(span, pass)));
            if !found.is_empty() {
                taken = united(taken, found);
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

    /// Every pattern over the whole text, one after another: what the result is defined by.
    #[cfg(test)]
    pub(super) fn one_by_one(&self, text: &str) -> String {
        let mask = regex::bytes::NoExpand(MASK);
        let all = (0..COUNT).fold(text.as_bytes().to_vec(), |left, index| {
            self.pattern(index).replace_all(&left, mask.clone()).into_owned()
        });
        String::from_utf8(all).unwrap()
    }

    fn pattern(&self, index: usize) -> &Regex {
        self.0[index].get_or_init(|| compile(SOURCES[index]))
    }
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles them all")]
fn compile(source: &str) -> Regex {
    Regex::new(source).expect("a valid pattern")
}

/// What a pattern took from a text.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) span: Range<usize>,
    /// The index of the pattern.
    pub(super) pass: usize,
}

/// Finds where in the original text a place of the masked one is. Asked in the order of the text.
struct Places<'t> {
    taken: &'t [Taken],
    /// The first that lies behind the last place.
    next: usize,
    /// What is to be added to a place between the masks.
    shift: isize,
}

impl Places<'_> {
    fn original(&mut self, masked: Range<usize>, pass: usize) -> Taken {
        let start = self.place(masked.start);
        Taken { span: start..self.place(masked.end), pass }
    }

    fn place(&mut self, masked: usize) -> usize {
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

/// Both lists in order. What lies inside of something new belongs to it.
fn united(old: Vec<Taken>, new: Vec<Taken>) -> Vec<Taken> {
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

/// The text with a mask in place of everything taken.
pub(super) fn with_masks(text: &[u8], taken: &[Taken]) -> Vec<u8> {
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
