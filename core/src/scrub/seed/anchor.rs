//! Finds the places where a seed pattern could match, and says which.
//!
//! The answer may name too much but never too little, and it holds for the whole chain: what is
//! tested here lies outside every replacement that an earlier pattern can make. One sweep covers
//! all patterns. Fixed prefixes are searched for directly. Of names and schemes four rare bytes
//! are, and they are judged from the `:` or `=` that must follow. A run of 64 hexadecimal digits
//! holds a whole half of a block, wherever it starts.

use super::super::simd::{self, BLOCK, ByteSet, Class, Gram, Grams, Lanes, Level, Task};
use super::pattern::{Passes, is_space};
use super::{AHEAD, BACK};

/// A place where some of `passes` could match.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The index of a byte that belongs to the match.
    pub(super) at: usize,
    pub(super) passes: Passes,
}

/// The rarest bytes in each of the names and schemes. `KEY` and `DSN` have only three, so what may
/// follow them is the fourth.
const PARTS: [&str; 15] = [
    "toke", "secr", "sswo", "arer", "riza", "cred", "ivat", "e_ur", "s_ur", "o_ur", "ual_", "es:/",
    "ql:/", "db:/", "is:/",
];
/// What folds to an ASCII letter without being one: `ſ` and the Kelvin sign.
const FOLDED: [&str; 2] = ["\u{17F}", "\u{212A}"];
/// The bytes of the longer one.
const FOLDED_LENGTH: usize = FOLDED[1].len();

const GITHUB_DIGITS: usize = 36;
const AWS_DIGITS: usize = 16;
const KEY_DIGITS: usize = 20;
const HEX_RUN: usize = 64;
const LONG_VALUE: usize = 8;
const SHORT_VALUE: usize = 4;

/// The search for places. Holds no text.
pub(super) struct Anchors {
    level: Level,
    grams: Grams,
    /// What prefixes begin with.
    initials: Class,
    /// What a name consists of.
    letters: Class,
    hexadecimal: Class,
}

impl Anchors {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(super) fn new(level: Level) -> Anchors {
        let letters = ByteSet::of(|b| b.is_ascii_alphabetic() || b == b'_');
        let hexadecimal = ByteSet::of(|b| b.is_ascii_hexdigit());
        let initials = ByteSet::of(|b| matches!(b, b's' | b'A' | b'g'));
        Anchors {
            level,
            initials: Class::new(initials).expect("the class of initials"),
            grams: Grams::new(&grams()),
            letters: Class::new(letters).expect("the class of letters"),
            hexadecimal: Class::new(hexadecimal).expect("the class of digits"),
        }
    }

    /// All candidates in `text[from..to]` in their order. Allocates nothing if there are none.
    /// Whether there is one follows from the [`BACK`] bytes before it and the [`AHEAD`] behind it.
    /// Pieces of a text have the same candidates as the whole if they begin at multiples of 64.
    pub(super) fn candidates(&self, text: &[u8], from: usize, to: usize) -> Vec<Candidate> {
        let start = start_of_name(text, from);
        let judged = 0;
        let search = Search { anchors: self, text, from, to, start, found: Vec::new(), judged };
        let mut found = self.level.run(search);
        found.sort_unstable_by_key(|candidate| candidate.at);
        found
    }

    /// The patterns that could match inside of `text[from..]`.
    pub(super) fn passes(&self, text: &[u8], from: usize) -> Passes {
        let found = self.candidates(text, from, text.len());
        found.iter().fold(Passes::NONE, |all, candidate| all | candidate.passes)
    }
}

/// Where the name may begin whose sign is at `from` or behind it.
fn start_of_name(text: &[u8], from: usize) -> usize {
    let back = &text[from.saturating_sub(BACK)..from];
    let spaces = back.iter().rev().take_while(|&&b| is_space(b)).count();
    let name = back.iter().rev().skip(spaces);
    let letters = name.take_while(|b| b.is_ascii_alphabetic() || **b == b'_' || !b.is_ascii());
    from - spaces - letters.count()
}

fn grams() -> Vec<Gram> {
    let in_name = |b: u8| b.is_ascii_alphabetic() || b == b'_' || !b.is_ascii();
    let before_value = |b: u8| is_space(b) || b == b'=';
    let mut grams: Vec<Gram> = PARTS.iter().map(|part| Gram::folded(part.as_bytes())).collect();
    grams.extend(FOLDED.map(|letter| Gram::folded(letter.as_bytes())));
    grams.push(Gram::folded(b"qp:/"));
    let after_key = ByteSet::of(|b| in_name(b) || before_value(b) || b == b':');
    grams.push(Gram::folded(b"key").then(after_key));
    grams.push(Gram::folded(b"dsn").then(ByteSet::of(before_value)));
    let alphanumeric = ByteSet::of(|b| b.is_ascii_alphanumeric());
    grams.push(Gram::exact(b"sk-", alphanumeric));
    grams.push(Gram::exact(b"AKIA", ByteSet::ANY));
    grams.extend(
        [b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"].map(|p| Gram::exact(p, ByteSet::ANY)),
    );
    grams
}

/// One search through a text.
struct Search<'s> {
    anchors: &'s Anchors,
    text: &'s [u8],
    /// Where candidates lie.
    from: usize,
    to: usize,
    /// Where the first name begins.
    start: usize,
    found: Vec<Candidate>,
    /// Names that end before it have been judged.
    judged: usize,
}

impl Task for Search<'_> {
    type Answer = Vec<Candidate>;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> Vec<Candidate> {
        let mut at = self.start - self.start % BLOCK;
        while at < self.to {
            let piece = simd::block(self.text, at);
            let mut places = L::starting(&self.anchors.grams, piece.bytes());
            let digits = L::matching(&self.anchors.hexadecimal, piece.bytes());
            if self.judged > at {
                // Only a prefix may still stand in a name that was judged.
                let done = u64::MAX >> (BLOCK - (self.judged - at).min(BLOCK));
                places &= !done | L::matching(&self.anchors.initials, piece.bytes());
            }
            while places != 0 {
                self.look::<L>(at + places.trailing_zeros() as usize);
                places &= places - 1;
            }
            if digits as u32 == u32::MAX || (digits >> 32) as u32 == u32::MAX {
                self.digits(if digits as u32 == u32::MAX { at } else { at + BLOCK / 2 });
            }
            at += BLOCK;
        }
        self.found
    }
}

impl Search<'_> {
    #[inline(always)]
    fn look<L: Lanes>(&mut self, at: usize) {
        let text = self.text.get(at..).unwrap_or_default();
        if is_prefixed(text) {
            let passes = after_prefix(text);
            self.add(at, passes);
        } else if at >= self.judged {
            self.named::<L>(at);
        }
    }

    fn add(&mut self, at: usize, passes: Passes) {
        if !passes.is_empty() && (self.from..self.to).contains(&at) {
            self.found.push(Candidate { at, passes });
        }
    }

    /// Judges the name that goes on at `at` by what follows it.
    #[inline(always)]
    fn named<L: Lanes>(&mut self, at: usize) {
        let end = self.end_of_name::<L>(at);
        self.judged = end;
        let spaces = self.text[end..].iter().take_while(|&&b| is_space(b)).count();
        let sign = end + spaces;
        if matches!(self.text.get(sign), Some(b':' | b'=')) {
            let view = sign.saturating_sub(BACK)..self.text.len().min(sign + AHEAD);
            let passes = around_sign(&self.text[view.clone()], sign - view.start);
            self.add(sign, passes);
        }
    }

    #[inline(always)]
    fn end_of_name<L: Lanes>(&self, mut at: usize) -> usize {
        loop {
            let piece = simd::block(self.text, at);
            let letters = L::matching(&self.anchors.letters, piece.bytes()).trailing_ones();
            at = self.text.len().min(at + letters as usize);
            if at >= self.to {
                // Where its sign is, nothing is sought.
                return at;
            }
            if letters as usize == BLOCK {
                continue;
            }
            // No further than one that begins before `to`: it is asked anew for each part of a text.
            let folded = folded(&self.text[at..self.text.len().min(self.to + FOLDED_LENGTH - 1)]);
            if folded == 0 {
                return at;
            }
            at += folded;
        }
    }

    /// Looks whether the digit at `at` belongs to a run that is long enough.
    fn digits(&mut self, at: usize) {
        let digits = |b: &&u8| b.is_ascii_hexdigit();
        let before = self.text[..at].iter().rev().take(HEX_RUN).take_while(digits).count();
        let after = self.text[at..].iter().take(HEX_RUN).take_while(digits).count();
        if before + after >= HEX_RUN {
            self.add(at, Passes::HEXADECIMAL);
        }
    }
}

/// How many bytes at the start belong to letters of [`FOLDED`].
fn folded(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(letter) = FOLDED.iter().find(|l| text[length..].starts_with(l.as_bytes())) {
        length += letter.len();
    }
    length
}

#[inline]
fn is_prefixed(text: &[u8]) -> bool {
    text.starts_with(b"sk-")
        || text.starts_with(b"AKIA")
        || matches!(text, [b'g', b'h', _, b'_', ..])
}

fn after_prefix(text: &[u8]) -> Passes {
    let alphanumeric = |b: u8| b.is_ascii_alphanumeric();
    if let Some(rest) = text.strip_prefix(b"sk-") {
        let dashed = rest.strip_prefix(b"ant-").unwrap_or_default();
        let belongs = |b: u8| alphanumeric(b) || b == b'-';
        return Passes::OPENAI.when(starts_with_run(rest, KEY_DIGITS, alphanumeric))
            | Passes::ANTHROPIC.when(starts_with_run(dashed, KEY_DIGITS, belongs));
    }
    if let Some(rest) = text.strip_prefix(b"AKIA") {
        let belongs = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
        return Passes::AWS.when(starts_with_run(rest, AWS_DIGITS, belongs));
    }
    let [b'g', b'h', kind, b'_', rest @ ..] = text else { return Passes::NONE };
    let Some(kind) = b"pousr".iter().position(|letter| letter == kind) else { return Passes::NONE };
    Passes::GITHUB[kind].when(starts_with_run(rest, GITHUB_DIGITS, alphanumeric))
}

fn starts_with_run(bytes: &[u8], length: usize, belongs: impl Fn(u8) -> bool) -> bool {
    bytes.get(..length).is_some_and(|run| run.iter().all(|&b| belongs(b)))
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
