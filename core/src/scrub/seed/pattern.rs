//! The seed patterns and the order in which they run.
//!
//! White space is spelled out because it is narrower here than the `\s` of the regex crate, which
//! takes the vertical tab as well. Where case does not count, it does not count in Unicode's
//! sense: `ſ` is an `s` and the Kelvin sign is a `k`, in names as in `[A-Z_]`.

use std::borrow::Cow;
use std::ops::BitOr;
use std::sync::OnceLock;

use regex::{NoExpand, Regex};

const MASK: &str = "[REDACTED]";

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

/// What the patterns take for white space.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

/// A set of patterns: one bit each, the first to run lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passes(u16);

impl Passes {
    pub(super) const NONE: Passes = Passes(0);
    pub(super) const OPENAI: Passes = Passes(1);
    pub(super) const ANTHROPIC: Passes = Passes(1 << 1);
    pub(super) const GITHUB: [Passes; 5] = [
        Passes(1 << 2),
        Passes(1 << 3),
        Passes(1 << 4),
        Passes(1 << 5),
        Passes(1 << 6),
    ];
    pub(super) const AWS: Passes = Passes(1 << 7);
    pub(super) const ASSIGNED: Passes = Passes(1 << 8);
    pub(super) const CONNECTION: Passes = Passes(1 << 9);
    pub(super) const ENVIRONMENT: Passes = Passes(1 << 10);
    pub(super) const SOURCE_NAME: Passes = Passes(1 << 11);
    pub(super) const VIRTUAL: Passes = Passes(1 << 12);
    pub(super) const HEXADECIMAL: Passes = Passes(1 << 13);
    #[cfg(test)]
    pub(super) const ALL: Passes = Passes((1 << COUNT) - 1);

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set if `wanted`, otherwise none.
    pub(super) fn when(self, wanted: bool) -> Passes {
        if wanted { self } else { Passes::NONE }
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
/// most of them.
pub(super) struct Patterns([OnceLock<Regex>; COUNT]);

impl Patterns {
    pub(super) fn new() -> Patterns {
        Patterns([const { OnceLock::new() }; COUNT])
    }

    /// Runs `passes` in their order, each on what the one before it left.
    pub(super) fn run<'t>(&self, text: &'t str, passes: Passes) -> Cow<'t, str> {
        let mut left = Cow::Borrowed(text);
        for index in passes.indices() {
            if let Cow::Owned(masked) = self.pattern(index).replace_all(&left, NoExpand(MASK)) {
                left = Cow::Owned(masked);
            }
        }
        left
    }

    fn pattern(&self, index: usize) -> &Regex {
        self.0[index].get_or_init(|| compile(SOURCES[index]))
    }
}

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and a test compiles them all"
)]
fn compile(source: &str) -> Regex {
    Regex::new(source).expect("a valid pattern")
}
