//! The sweep: which places of a text deserve a look, and by whom.
//!
//! It may name too many places but never too few. A place is named from the bytes around it alone,
//! so pieces of a text have the same sights as the whole.

use super::super::simd::{ByteSet, Class, Gram, Grams, Level};
use super::kinds::Kinds;

mod escape;
mod sweep;

#[cfg(test)]
mod tests;

pub(super) use sweep::Sweep;

/// Who looks at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scrub) enum Sort {
    /// The first letter or digit of a run of at least [`RUN`] token bytes (`A-Z a-z 0-9 _ - .`)
    /// that begins as a known kind does, or what follows an escape sequence that such a run seems
    /// to begin with, as in `\nghp_…`; and the first of at least [`DIGITS`] hexadecimal digits.
    Run,
    /// The first letter of a word with which secrets are named: `password`, `token`, `key`…
    Name,
    /// The first byte of `://` and `:\/\/`.
    Link,
    /// The first letter of a parameter of a signed link: `X-Amz-Signature`, `sig=`.
    Parameter,
    /// The first letter of `Bearer`, `Basic` and the like.
    Scheme,
    /// The first letter of what may be a JWT: `{"` in base64.
    Jwt,
    /// The first byte of a password hash: `$2b$`, `{SSHA}`.
    Crypt,
    /// The `:5432:` of a line of PostgreSQL's password file.
    Pgpass,
    /// The `kind: Secret` of a Kubernetes manifest.
    Manifest,
    /// The first `-` of `-----BEGIN`.
    Block,
}

/// A place that deserves a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    pub at: usize,
    pub sort: Sort,
    /// Who looks if the first finds nothing: a run may begin with a word, as in `secret_…`.
    pub then: Option<Sort>,
}

/// The shortest run that is a sight.
pub(super) const RUN: usize = 12;
/// The fewest hexadecimal digits that are a sight whatever they begin with.
const DIGITS: u32 = 64;

/// The words, in lower case; they are found in any case. Of two that start at one place the
/// longer counts. A word has at least three bytes.
const WORDS: &[(&str, Sort)] = &[
    ("://", Sort::Link),
    (":\\/\\/", Sort::Link),
    ("x-amz-s", Sort::Parameter),
    ("x-goog-s", Sort::Parameter),
    ("x-oss-s", Sort::Parameter),
    ("x-tos-s", Sort::Parameter),
    ("x-obs-s", Sort::Parameter),
    ("q-signature", Sort::Parameter),
    ("signature=", Sort::Parameter),
    ("sig=", Sort::Parameter),
    ("?code=", Sort::Parameter),
    ("&code=", Sort::Parameter),
    ("-----begin", Sort::Block),
    ("---- begin", Sort::Block),
    ("private-lines:", Sort::Block),
    ("bearer", Sort::Scheme),
    ("basic", Sort::Scheme),
    ("response=\"", Sort::Scheme),
    ("response=\\\"", Sort::Scheme),
    ("\"auth\"", Sort::Scheme),
    ("\"auth\\\"", Sort::Scheme),
    ("eyj", Sort::Jwt),
    ("eyai", Sort::Jwt),
    ("ewog", Sort::Jwt),
    ("$2a$", Sort::Crypt),
    ("$2b$", Sort::Crypt),
    ("$2y$", Sort::Crypt),
    ("$1$", Sort::Crypt),
    ("$5$", Sort::Crypt),
    ("$6$", Sort::Crypt),
    ("$y$", Sort::Crypt),
    ("$7$", Sort::Crypt),
    ("$apr1$", Sort::Crypt),
    ("$argon2", Sort::Crypt),
    ("$scrypt$", Sort::Crypt),
    ("$pbkdf2", Sort::Crypt),
    ("pbkdf2_sha", Sort::Crypt),
    ("{ssha", Sort::Crypt),
    (":5432:", Sort::Pgpass),
    ("kind: secret", Sort::Manifest),
    ("\"kind\": \"secret\"", Sort::Manifest),
    ("\"kind\":\"secret\"", Sort::Manifest),
    ("passw", Sort::Name),
    ("passp", Sort::Name),
    ("passc", Sort::Name),
    ("pass", Sort::Name),
    ("pwd", Sort::Name),
    ("secret", Sort::Name),
    ("token", Sort::Name),
    ("key", Sort::Name),
    ("credential", Sort::Name),
    ("auth", Sort::Name),
    ("private", Sort::Name),
    ("session", Sort::Name),
    ("cookie", Sort::Name),
    ("signature", Sort::Name),
    ("sig", Sort::Name),
    ("sess", Sort::Name),
    ("csrf", Sort::Name),
    ("psk", Sort::Name),
    ("jwt", Sort::Name),
    ("salt", Sort::Name),
    ("senha", Sort::Name),
    ("contrase", Sort::Name),
    ("kennwort", Sort::Name),
    ("wachtwoord", Sort::Name),
    ("парол", Sort::Name),
    ("Парол", Sort::Name),
    ("密码", Sort::Name),
    ("密碼", Sort::Name),
    ("パスワード", Sort::Name),
    ("비밀번호", Sort::Name),
    // The flags with which clients take passwords, and the marks of Oracle's log-ins.
    (" -p", Sort::Name),
    (" -u ", Sort::Name),
    (" -a ", Sort::Name),
    (" -w ", Sort::Name),
    ("--user", Sort::Name),
    ("--proxy-user", Sort::Name),
    ("@//", Sort::Name),
    (":thin:", Sort::Name),
    ("sqlplus ", Sort::Name),
    ("identified by", Sort::Name),
    ("to-securestring", Sort::Name),
];

/// A word, and from where on it is sought.
#[derive(Clone, Copy)]
struct Word {
    text: &'static [u8],
    sort: Sort,
    /// How many bytes stand before what is sought. A row of equal bytes is left out but for its
    /// last, so that a long line of them is no row of places to look at.
    lead: usize,
}

impl Word {
    fn new(&(text, sort): &(&'static str, Sort)) -> Word {
        let text = text.as_bytes();
        let same = text.iter().take_while(|&byte| Some(byte) == text.first()).count();
        Word { text, sort, lead: same.saturating_sub(1) }
    }

    fn sought(&self) -> &'static [u8] {
        &self.text[self.lead..]
    }
}

/// The tables of the sweep.
pub(super) struct Sights {
    level: Level,
    grams: Grams,
    token: Class,
    hexadecimal: Class,
    /// By the last five bits of the first sought byte, the longest first.
    words: [Vec<Word>; 32],
    /// The largest lead.
    lead: usize,
}

impl Sights {
    pub(super) fn new(level: Level) -> Sights {
        let mut words: [Vec<Word>; 32] = Default::default();
        for word in WORDS.iter().map(Word::new) {
            words[list(word.sought()[0])].push(word);
        }
        for words in &mut words {
            words.sort_by_key(|word| std::cmp::Reverse(word.text.len()));
        }
        let all = || words.iter().flatten();
        let grams: Vec<Gram> = all().map(|word| Gram::folded(word.sought())).collect();
        let lead = all().map(|word| word.lead).max().unwrap_or(0);
        let grams = Grams::new(&grams);
        Sights { level, grams, token: token(), hexadecimal: hexadecimal(), words, lead }
    }

    /// Names the sights of `text[from..to]` in their order. What is at and behind `to` is looked
    /// at, but no sight.
    pub(super) fn sweep<'a>(
        &'a self,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> Sweep<'a> {
        Sweep::new(self, kinds, text, from, to)
    }

    /// The word of which the sought part starts at `at`.
    #[inline]
    fn word(&self, text: &[u8], at: usize) -> Option<Word> {
        let words = &self.words[list(*text.get(at)?)];
        words.iter().copied().find(|word| {
            let start = at.checked_sub(word.lead);
            let found = start.and_then(|start| text.get(start..start + word.text.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(word.text))
        })
    }
}

/// True if a run that begins at `at` may be of a known kind.
#[inline]
fn may_start(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    let _ = kinds;
    text.get(at).is_some_and(|&first| !is_sign(first))
}

/// A token byte that no token begins with.
#[inline]
fn is_sign(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.')
}

fn list(byte: u8) -> usize {
    usize::from(byte & 31)
}

#[expect(clippy::expect_used, reason = "a constant set, with five different rows")]
fn token() -> Class {
    let set = ByteSet::of(|b| b.is_ascii_alphanumeric() || is_sign(b));
    Class::new(set).expect("the class of token bytes")
}

#[expect(clippy::expect_used, reason = "a constant set, with two different rows")]
fn hexadecimal() -> Class {
    Class::new(ByteSet::of(|b| b.is_ascii_hexdigit())).expect("the class of digits")
}
