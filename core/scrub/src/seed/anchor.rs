//! Anchors: finds the places where a seed pattern could match, and which patterns.
//!
//! Invariant: no false negatives, and for the whole chain of patterns. What is tested here lies
//! outside of every replacement that an earlier pattern can make. One pass covers all patterns.
//! Fixed prefixes are searched directly. Names and schemes are searched by four rare bytes, and
//! judged from the `:` or `=` that must follow. A run of 64 hexadecimal digits always fills one
//! half of a block.

use super::super::simd::{
    self, BLOCK, BLOCK_WINDOW, ByteSet, Class, Classes, Gram, Grams, Lanes, Level, Task,
};
use super::key::{self, KEYS};
use super::name::around_sign;
use super::pattern::{Passes, is_space};
use super::{AHEAD, BACK, byte_search};

/// A place where some patterns could match.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The index of a byte that belongs to the match.
    pub(super) at: usize,
    pub(super) passes: Passes,
}

/// The rarest bytes of each name and scheme. `KEY` and `DSN` have only three, so the bytes that may
/// follow them count as the fourth.
const PARTS: [&[u8; 4]; 15] = [
    b"toke", b"secr", b"sswo", b"arer", b"riza", b"cred", b"ivat", b"e_ur", b"s_ur", b"o_ur",
    b"ual_", b"es:/", b"ql:/", b"db:/", b"is:/",
];
/// The end of `amqp`. With the slash and without the `m`, it would let `http://` pass in the bucket
/// of the other schemes.
const MQP: &[u8; 4] = b"mqp:";
/// Characters outside ASCII that fold to an ASCII letter: `ſ` and the Kelvin sign.
const FOLDED: [&str; 2] = ["\u{17F}", "\u{212A}"];
/// The length of the longer one, in bytes.
const FOLDED_LENGTH: usize = FOLDED[1].len();

/// The bits of the hash that recognises the four bytes.
const PART_BITS: usize = 512;

/// The fewest letters and digits behind a prefix.
const KEY_RUN: u32 = 16;

/// The search for anchors. Holds no text.
pub(super) struct AnchorSearch {
    level: Level,
    grams: Grams,
    /// One bit for the hash of each part, in any case.
    parts: [u64; PART_BITS / 64],
    /// Bytes of names, white space, and signs.
    names: Classes<3>,
    /// The first and the second letter of a prefix.
    prefixes: Classes<2>,
    /// The bytes behind most prefixes, and behind `sk-ant`.
    alphanumeric: Class,
    dash: Class,
    /// Bytes of names, without the rare letters of [`FOLDED`].
    letters: Class,
    hexadecimal: Class,
}

impl AnchorSearch {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    /// Builds the tables, for the instructions of `level`.
    pub(super) fn new(level: Level) -> AnchorSearch {
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
        AnchorSearch {
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

    /// Adds all candidates in `text[from..to]`, in order. Allocates nothing if there are none. A
    /// candidate follows from the [`BACK`] bytes before it and the [`AHEAD`] bytes behind it.
    /// Pieces of a text have the same candidates as the whole if they begin at multiples of 64.
    pub(super) fn search(&self, text: &[u8], from: usize, to: usize, found: &mut Vec<Candidate>) {
        let (start, before) = (start_of_name(text, from), found.len());
        self.level.run(Search { anchors: self, text, from, to, start, found, judged: 0 });
        found[before..].sort_unstable_by_key(|candidate| candidate.at);
    }

    /// A prefilter: true if a searched name contains these four bytes; false for nearly all others.
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

/// The bit of four bytes.
#[inline(always)]
fn hash(lowered: u32) -> usize {
    (lowered.wrapping_mul(0x9E37_79B1) >> (32 - PART_BITS.ilog2())) as usize
}

/// Four bytes in lower case.
#[inline(always)]
fn lowered(four: [u8; 4]) -> u32 {
    u32::from_le_bytes(four) | 0x2020_2020
}

/// Where a name may begin whose sign is at `from` or behind it.
fn start_of_name(text: &[u8], from: usize) -> usize {
    let floor = from.saturating_sub(BACK);
    let back = &text[floor..from];
    let end = byte_search::last(back, |b| !is_space(b)).map_or(0, |last| last + 1);
    floor + byte_search::last(&back[..end], |b| !in_name(b)).map_or(0, |last| last + 1)
}

/// True for a byte of a name. Outside ASCII only the letters of [`FOLDED`] belong to names; that is
/// checked later.
#[inline(always)]
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() | (byte == b'_') | !byte.is_ascii()
}

/// The words that an anchor begins with.
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
    anchors: &'s AnchorSearch,
    text: &'s [u8],
    /// Candidates lie between these.
    from: usize,
    to: usize,
    /// Where the first name begins.
    start: usize,
    found: &'s mut Vec<Candidate>,
    /// Names that end before this are judged.
    judged: usize,
}

impl Task for Search<'_> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let mut at = self.start - self.start % BLOCK;
        while at < self.to {
            let piece = simd::block(self.text, at);
            let places = L::gram_starts(&self.anchors.grams, piece.bytes());
            let digits = L::matching(&self.anchors.hexadecimal, piece.bytes());
            if places != 0 {
                self.inspect_block::<L>(at, piece.bytes(), places);
            }
            if digits as u32 == u32::MAX || (digits >> 32) as u32 == u32::MAX {
                self.digits(if digits as u32 == u32::MAX { at } else { at + BLOCK / 2 });
            }
            at += BLOCK;
        }
    }
}

impl Search<'_> {
    /// Inspects the places of a block where something may be. Most are excluded together.
    #[inline(always)]
    fn inspect_block<L: Lanes>(&mut self, at: usize, bytes: &[u8; BLOCK_WINDOW], places: u64) {
        let [first, second] = L::each(&self.anchors.prefixes, bytes);
        let prefixes = places & first & (second >> 1 | 1 << (BLOCK - 1));
        if prefixes != 0 {
            self.prefixed::<L>(at, bytes, prefixes);
        }
        if self.judged >= at + BLOCK {
            return;
        }
        let [letters, spaces, signs] = L::each(&self.anchors.names, bytes);
        // No name begins like a prefix.
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

    /// Inspects the prefixes of a block with enough letters and digits behind them, or with the
    /// dash of `sk-ant-`.
    #[inline(always)]
    fn prefixed<L: Lanes>(&mut self, at: usize, bytes: &[u8; BLOCK_WINDOW], mut places: u64) {
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

    /// Adds a candidate, if a pattern may match there and it lies in the searched part.
    fn add(&mut self, at: usize, passes: Passes) {
        if !passes.is_empty() && (self.from..self.to).contains(&at) {
            self.found.push(Candidate { at, passes });
        }
    }

    /// Judges the name that continues at `at`, by what follows it.
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

    /// Where the name that continues at `at` ends.
    #[inline(always)]
    fn end_of_name<L: Lanes>(&self, mut at: usize) -> usize {
        loop {
            let piece = simd::block(self.text, at);
            let letters = L::matching(&self.anchors.letters, piece.bytes()).trailing_ones();
            at = self.text.len().min(at + letters as usize);
            if at >= self.to {
                // The sign would lie behind the search.
                return at;
            }
            if letters as usize == BLOCK {
                continue;
            }
            // No further than a letter that begins before `to`; each part of a text asks anew.
            let folded = folded(&self.text[at..self.text.len().min(self.to + FOLDED_LENGTH - 1)]);
            if folded == 0 {
                return at;
            }
            at += folded;
        }
    }

    /// Adds the digit at `at` if its run is long enough.
    fn digits(&mut self, at: usize) {
        let digits = |b: &&u8| b.is_ascii_hexdigit();
        let before = self.text[..at].iter().rev().take(key::DIGITS).take_while(digits).count();
        let after = self.text[at..].iter().take(key::DIGITS).take_while(digits).count();
        if before + after >= key::DIGITS {
            self.add(at, Passes::HEXADECIMAL);
        }
    }
}

/// How many bytes at the start belong to letters of [`FOLDED`].
#[inline(always)]
fn folded(text: &[u8]) -> usize {
    /// Several of the shorter letter: a long row is processed in large steps.
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

/// A prefilter: false only if no sign follows, apart from white space, where `text` continues or
/// ends a name.
#[inline(always)]
fn leads_to_sign(text: &[u8]) -> bool {
    let behind = text.iter().skip_while(|b| in_name(**b)).find(|b| !is_space(**b));
    behind.is_none_or(|b| matches!(b, b':' | b'='))
}

/// The letters of names with a sign behind them, apart from white space, and of names that continue
/// behind the block or end with it.
#[inline(always)]
fn before_sign(letters: u64, spaces: u64, signs: u64) -> u64 {
    if signs == 0 {
        let spaces = spaces.leading_ones();
        let letters = letters.checked_shl(spaces).unwrap_or(0).leading_ones();
        let before_spaces = u64::MAX.checked_shr(spaces).unwrap_or(0);
        return before_spaces & !before_spaces.checked_shr(letters).unwrap_or(0);
    }
    // Reversed, because a sum carries towards the higher bits.
    let start = signs.reverse_bits() << 1 | 1;
    let name = start | reached(spaces.reverse_bits(), start) << 1;
    reached(letters.reverse_bits(), name).reverse_bits()
}

/// All bits of `runs` that follow each other from one of the bits in `from` on.
#[inline(always)]
fn reached(runs: u64, from: u64) -> u64 {
    let from = from & runs;
    (runs.wrapping_add(from) ^ runs) & runs | from
}

/// The patterns of the keys that `text` starts with; it starts like a prefix.
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
