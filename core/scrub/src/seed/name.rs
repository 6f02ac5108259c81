//! Names and values of the seed patterns, judged by what stands around the `:` or `=` between them.

use super::pattern::{Passes, is_space};

/// The shortest value of most patterns, in characters.
const LONG_VALUE: usize = 8;
/// The shortest value of the `VIRTUAL_` pattern, in characters.
const SHORT_VALUE: usize = 4;

/// The patterns that could match around the `:` or `=` at `at`.
pub(super) fn around_sign(bytes: &[u8], at: usize) -> Passes {
    let name = Name::before(&bytes[..at]);
    if name.is_nothing() {
        return Passes::NONE;
    }
    let rest = &bytes[at + 1..];
    if bytes[at] == b':' {
        let passes = Passes::CONNECTION.when(rest.starts_with(b"//") && name.is_scheme());
        return passes | Passes::ASSIGNED.when(name.is_secret() && value(rest, false, LONG_VALUE));
    }
    // These names need a shorter value than `is_secret` names.
    if !value(rest, false, SHORT_VALUE) {
        return Passes::NONE;
    }
    let long = value(rest, true, LONG_VALUE);
    Passes::ASSIGNED.when(name.is_secret() && value(rest, false, LONG_VALUE))
        | Passes::ENVIRONMENT.when(long && name.is_environment())
        | Passes::SOURCE_NAME.when(long && name.is_source())
        | Passes::VIRTUAL.when(value(rest, true, SHORT_VALUE) && name.is_virtual())
}

/// True if `rest` has, behind white space, at least `length` characters of a value.
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

/// The text before a `:` or `=`, apart from white space.
struct Name<'t> {
    /// Everything up to the end of the name.
    head: &'t [u8],
    /// The letters and underscores at its end.
    word: &'t [u8],
    /// True if a letter stands before the word that folds to an ASCII letter. It may be part of any
    /// name; it is so rare that it counts as part of all of them.
    folded: bool,
}

impl<'t> Name<'t> {
    /// The name that ends where `bytes` end, but for white space.
    fn before(bytes: &'t [u8]) -> Name<'t> {
        let end = bytes.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1);
        let head = &bytes[..end];
        let outside = |&b: &u8| !(b.is_ascii_alphabetic() || b == b'_');
        let start = head.iter().rposition(outside).map_or(0, |last| last + 1);
        let (before, word) = head.split_at(start);
        let folded = before.ends_with("ſ".as_bytes()) || before.ends_with("\u{212A}".as_bytes());
        Name { head, word, folded }
    }

    /// True if there is no name.
    fn is_nothing(&self) -> bool {
        self.word.is_empty() && !self.folded
    }

    /// True if the name ends as the pattern for assigned values asks.
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

    /// True if the name ends with the scheme of a database.
    fn is_scheme(&self) -> bool {
        let schemes = ["postgres", "postgresql", "mysql", "mongodb", "redis", "amqp"];
        self.folded || schemes.iter().any(|scheme| self.ends_with(scheme))
    }

    /// True if a part of the name is `KEY`, `SECRET`, `CREDENTIAL` or `PRIVATE`, in any case.
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

    /// True if the name ends as one of a database address.
    fn is_source(&self) -> bool {
        let names = ["dsn", "database_url", "redis_url", "mongo_uri"];
        self.folded || names.iter().any(|name| self.ends_with(name))
    }

    /// True if `VIRTUAL_` and one more character are in the name.
    fn is_virtual(&self) -> bool {
        let prefix = "virtual_";
        self.folded
            || self
                .word
                .windows(prefix.len() + 1)
                .any(|window| window[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes()))
    }

    /// True if the name ends with `name`, in any case.
    fn ends_with(&self, name: &str) -> bool {
        let tail = self.head.len().checked_sub(name.len()).map(|start| &self.head[start..]);
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// True if `bytes` begin with `word`, in any case.
fn begins_with(bytes: &[u8], word: &str) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}
