//! Finds the places where a seed pattern could match, and says which.
//!
//! The answer may name too much but never too little, and it holds for the whole chain: what is
//! tested here lies outside every replacement that an earlier pattern can make. One sweep covers
//! all patterns. Fixed prefixes are searched for directly. Of names and schemes four rare bytes
//! are, and they are judged from the `:` or `=` that must follow. A run of 64 hexadecimal digits
//! holds a whole half of a block, wherever it starts.

use super::super::simd::{
    self, BLOCK, ByteSet, Class, Classes, Gram, Grams, Lanes, Level, REACH, Task,
};
use super::key::{self, KEYS};
use super::name::around_sign;
use super::pattern::{Passes, is_space};
use super::{AHEAD, BACK, run};

/// A place where some of `passes` could match.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The index of a byte that belongs to the match.
    pub(super) at: usize,
    pub(super) passes: Passes,
}

/// The rarest bytes in each of the names and schemes. `KEY` and `DSN` have only three, so what may
/// follow them is the fourth.
const PARTS: [&[u8; 4]; 15] = [
    b"toke", b"secr", b"sswo", b"arer", b"riza", b"cred", b"ivat", b"e_ur", b"s_ur", b"o_ur",
    b"ual_", b"es:/", b"ql:/", b"db:/", b"is:/",
];
/// The end of `amqp`, which is dealt to the buckets last. With the slash and without the `m` it
/// would let `http://` pass beside the other schemes.
const MQP: &[u8; 4] = b"mqp:";
/// What folds to an ASCII letter without being one: `ſ` and the Kelvin sign.
const FOLDED: [&str; 2] = ["\u{17F}", "\u{212A}"];
/// The bytes of the longer one.
const FOLDED_LENGTH: usize = FOLDED[1].len();

/// The bits of the hash that tells four bytes from the parts of names.
const PART_BITS: usize = 512;

/// How many letters and digits follow each prefix at least.
const KEY_RUN: u32 = 16;

/// The search for places. Holds no text.
pub(super) struct Anchors {
    level: Level,
    grams: Grams,
    /// A bit for the hash of each of the parts, in any case.
    parts: [u64; PART_BITS / 64],
    /// What a name may consist of, white space, and signs.
    names: Classes<3>,
    /// The first and the second letter of a prefix.
    prefixes: Classes<2>,
    /// What stands behind most prefixes, and what behind `sk-ant`.
    alphanumeric: Class,
    dash: Class,
    /// What a name consists of, all but the rare letters of [`FOLDED`].
    letters: Class,
    hexadecimal: Class,
}

impl Anchors {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(super) fn new(level: Level) -> Anchors {
        let letters = ByteSet::of(|b| b.is_ascii_alphabetic() || b == b'_');
        let hexadecimal = ByteSet::of(|b| b.is_ascii_hexdigit());
        let names = [
            ByteSet::of(in_name),
            ByteSet::of(is_space),
            ByteSet::of(|b| matches!(b, b':' | b'=')),
        ];
        let prefixes = [
            ByteSet::of(|b| matches!(b, b's' | b'A' | b'g')),
            ByteSet::of(|b| matches!(b, b'k' | b'K' | b'h')),
        ];
        let class = |set: ByteSet| Class::new(set).expect("a class");
        let mut parts = [0; PART_BITS / 64];
        for part in PARTS.into_iter().chain([MQP]) {
            let hash = hash(lowered(*part));
            parts[hash / 64] |= 1 << (hash % 64);
        }
        Anchors {
            level,
            grams: Grams::new(&grams()),
            parts,
            names: Classes::new(&names).expect("the classes of names"),
            prefixes: Classes::new(&prefixes).expect("the classes of prefixes"),
            alphanumeric: class(ByteSet::of(|b| b.is_ascii_alphanumeric())),
            dash: class(ByteSet::of(|b| b == b'-')),
            letters: class(letters),
            hexadecimal: class(hexadecimal),
        }
    }

    /// Adds all candidates in `text[from..to]` in their order. Allocates nothing if there are none.
    /// Whether there is one follows from the [`BACK`] bytes before it and the [`AHEAD`] behind it.
    /// Pieces of a text have the same candidates as the whole if they begin at multiples of 64.
    pub(super) fn search(&self, text: &[u8], from: usize, to: usize, found: &mut Vec<Candidate>) {
        let (start, before) = (start_of_name(text, from), found.len());
        self.level.run(Search { anchors: self, text, from, to, start, found, judged: 0 });
        found[before..].sort_unstable_by_key(|candidate| candidate.at);
    }

    /// True if a name is sought that begins with or holds these four bytes, false for nearly all
    /// others.
    #[inline(always)]
    fn is_part(&self, four: [u8; 4]) -> bool {
        let lowered = lowered(four);
        let three = lowered << 8 >> 8;
        let short = |name: &[u8; 3]| three == u32::from_le_bytes([name[0], name[1], name[2], 0]);
        let hash = hash(lowered);
        let part = self.parts[hash / 64] >> (hash % 64) & 1 == 1;
        part | short(b"key") | short(b"dsn") | !four[0].is_ascii()
    }
}

/// Where the bit of four bytes is.
#[inline(always)]
fn hash(lowered: u32) -> usize {
    (lowered.wrapping_mul(0x9E37_79B1) >> (32 - PART_BITS.ilog2())) as usize
}

/// Four bytes of a text in any case.
#[inline(always)]
fn lowered(four: [u8; 4]) -> u32 {
    u32::from_le_bytes(four) | 0x2020_2020
}

/// Where the name may begin whose sign is at `from` or behind it.
fn start_of_name(text: &[u8], from: usize) -> usize {
    let floor = from.saturating_sub(BACK);
    let back = &text[floor..from];
    let end = run::last(back, |b| !is_space(b)).map_or(0, |last| last + 1);
    floor + run::last(&back[..end], |b| !in_name(b)).map_or(0, |last| last + 1)
}

/// What a name may consist of. No other letter than those of [`FOLDED`] belongs to one, but these
/// are told later.
#[inline(always)]
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() | (byte == b'_') | !byte.is_ascii()
}

fn grams() -> Vec<Gram> {
    let before_value = |b: u8| is_space(b) || b == b'=';
    let mut grams: Vec<Gram> = PARTS.iter().map(|part| Gram::folded(*part)).collect();
    grams.extend(FOLDED.map(|letter| Gram::folded(letter.as_bytes())));
    grams.push(Gram::folded(MQP));
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
    found: &'s mut Vec<Candidate>,
    /// Names that end before it have been judged.
    judged: usize,
}

impl Task for Search<'_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let mut at = self.start - self.start % BLOCK;
        while at < self.to {
            let piece = simd::block(self.text, at);
            let places = L::starting(&self.anchors.grams, piece.bytes());
            let digits = L::matching(&self.anchors.hexadecimal, piece.bytes());
            if places != 0 {
                self.look::<L>(at, piece.bytes(), places);
            }
            if digits as u32 == u32::MAX || (digits >> 32) as u32 == u32::MAX {
                self.digits(if digits as u32 == u32::MAX { at } else { at + BLOCK / 2 });
            }
            at += BLOCK;
        }
    }
}

impl Search<'_> {
    /// Looks at the places of a block where something may be. Most are ruled out all at once.
    #[inline(always)]
    fn look<L: Lanes>(&mut self, at: usize, bytes: &[u8; REACH], places: u64) {
        let [first, second] = L::each(&self.anchors.prefixes, bytes);
        let prefixes = places & first & (second >> 1 | 1 << (BLOCK - 1));
        if prefixes != 0 {
            self.prefixed::<L>(at, bytes, prefixes);
        }
        if self.judged >= at + BLOCK {
            return;
        }
        let [letters, spaces, signs] = L::each(&self.anchors.names, bytes);
        // No name begins as a prefix does.
        let mut names = places & before_sign(letters, spaces, signs) & !(first & second >> 1);
        if self.judged > at {
            names &= u64::MAX << (self.judged - at);
        }
        while names != 0 {
            let place = names.trailing_zeros() as usize;
            names &= names - 1;
            let four = [bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]];
            let is_part = at + place >= self.judged && self.anchors.is_part(four);
            // Its sign is in this block or behind it.
            if is_part && (signs >> place != 0 || leads_to_sign(&bytes[BLOCK..])) {
                self.named::<L>(at + place);
            }
        }
    }

    /// Looks at those of the prefixes of a block behind which enough letters and digits stand, or
    /// the dash of `sk-ant-`.
    #[inline(always)]
    fn prefixed<L: Lanes>(&mut self, at: usize, bytes: &[u8; REACH], mut places: u64) {
        let behind = simd::block(self.text, at + BLOCK);
        let both = |class: &Class| {
            let (here, behind) = (L::matching(class, bytes), L::matching(class, behind.bytes()));
            u128::from(here) | u128::from(behind) << BLOCK
        };
        let mut runs = both(&self.anchors.alphanumeric);
        let mut length = 1;
        while length < KEY_RUN {
            runs &= runs >> length;
            length *= 2;
        }
        let dashes = both(&self.anchors.dash);
        places &= (runs >> b"AKIA".len() | dashes >> b"sk-ant".len()) as u64;
        while places != 0 {
            let place = at + places.trailing_zeros() as usize;
            places &= places - 1;
            self.add(place, after_prefix(self.text.get(place..).unwrap_or_default()));
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
        let before = self.text[..at].iter().rev().take(key::DIGITS).take_while(digits).count();
        let after = self.text[at..].iter().take(key::DIGITS).take_while(digits).count();
        if before + after >= key::DIGITS {
            self.add(at, Passes::HEXADECIMAL);
        }
    }
}

/// How many bytes at the start belong to letters of [`FOLDED`], of which these are the bytes.
#[inline(always)]
fn folded(text: &[u8]) -> usize {
    /// Some of the shorter one: a long row is done in large steps.
    const ROW: &[u8] = "\u{17F}\u{17F}\u{17F}\u{17F}\u{17F}\u{17F}\u{17F}\u{17F}".as_bytes();
    let mut rest = text;
    while let Some(behind) = rest.strip_prefix(ROW) {
        rest = behind;
    }
    while let [0xC5, 0xBF, behind @ ..] | [0xE2, 0x84, 0xAA, behind @ ..] = rest {
        rest = behind;
    }
    text.len() - rest.len()
}

/// False only if no sign follows, white space aside, where `text` goes on with a name or ends one.
#[inline(always)]
fn leads_to_sign(text: &[u8]) -> bool {
    let behind = text.iter().skip_while(|b| in_name(**b)).find(|b| !is_space(**b));
    behind.is_none_or(|b| matches!(b, b':' | b'='))
}

/// The letters of names that a sign follows, white space aside, and of those that go on behind
/// the block or end with it.
#[inline(always)]
fn before_sign(letters: u64, spaces: u64, signs: u64) -> u64 {
    if signs == 0 {
        let spaces = spaces.leading_ones();
        let letters = letters.checked_shl(spaces).unwrap_or(0).leading_ones();
        let before_spaces = u64::MAX.checked_shr(spaces).unwrap_or(0);
        return before_spaces & !before_spaces.checked_shr(letters).unwrap_or(0);
    }
    // Backwards, as a sum carries towards the higher bits.
    let start = signs.reverse_bits() << 1 | 1;
    let name = start | reached(spaces.reverse_bits(), start) << 1;
    reached(letters.reverse_bits(), name).reverse_bits()
}

/// From each of the bits on those that follow each other in `runs`.
#[inline(always)]
fn reached(runs: u64, from: u64) -> u64 {
    let from = from & runs;
    (runs.wrapping_add(from) ^ runs) & runs | from
}

/// The patterns of the keys with which `text` starts, which starts as a prefix may.
fn after_prefix(text: &[u8]) -> Passes {
    let key = |pass: usize| Passes::one(pass).when(KEYS[pass].begins(text));
    match text {
        [b's', ..] => key(0) | key(1),
        [b'A', ..] => key(7),
        [b'g', b'h', kind, ..] => {
            let kind = b"pousr".iter().position(|letter| letter == kind);
            kind.map_or(Passes::NONE, |kind| key(2 + kind))
        }
        _ => Passes::NONE,
    }
}
