//! Judges a name and a value by what stands around the `:` or `=` between them.

use super::pattern::{Passes, is_space};

const LONG_VALUE: usize = 8;
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
