//! The sweep: which places of a text deserve a look, and by whom.
//!
//! It may name too many places but never too few. A place is named from the bytes around it alone,
//! so pieces of a text have the same sights as the whole.

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Who looks at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scrub) enum Sort {
    /// The first byte of a run of at least [`RUN`] token bytes (`A-Z a-z 0-9 _ - .`).
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

/// The shortest run that is a sight.
pub(super) const RUN: usize = 12;

/// The words, in lower case; they are found in any case.
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
];

pub(super) struct Sights {
    words: AhoCorasick,
}

impl Sights {
    #[expect(clippy::expect_used, reason = "constant words always make an automaton")]
    pub(super) fn new() -> Sights {
        let words = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(WORDS.iter().map(|(word, _)| word))
            .expect("an automaton of words");
        Sights { words }
    }

    /// The first sight in `text[from..to]`. What is at and behind `to` is looked at, but no sight.
    pub(super) fn next(&self, text: &[u8], from: usize, to: usize) -> Option<(usize, Sort)> {
        let word = self
            .words
            .find(Input::new(text).range(from..text.len()))
            .map(|hit| (hit.start(), WORDS[hit.pattern().as_usize()].1));
        let run = next_run(text, from).map(|at| (at, Sort::Run));
        let first = match (word, run) {
            (Some(word), Some(run)) => Some(if word.0 <= run.0 { word } else { run }),
            (word, run) => word.or(run),
        };
        first.filter(|(at, _)| *at < to)
    }
}

fn next_run(text: &[u8], from: usize) -> Option<usize> {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let mut start = from;
    while start < text.len() {
        let fresh = start == 0 || !belongs(text[start - 1]);
        if fresh && text[start..].iter().take_while(|&&b| belongs(b)).take(RUN).count() == RUN {
            return Some(start);
        }
        start += 1;
    }
    None
}
