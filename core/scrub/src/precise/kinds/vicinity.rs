//! Kinds without a mark of their own: a plain run of letters and digits that is a secret because
//! of the vendor's name that stands near.

use super::super::super::placeholder;
use super::super::super::simd::{self, ByteSet, Classes, Gram, Grams, Lanes};
use super::demand::looks_random;
use super::gate::{Opening, Openings};
use super::shape::{Part, Set, Shape};

/// How far before a token a telling word may stand, in bytes.
pub(super) const REACH: usize = 64;

/// The bits of the bitmap of first letters: about one in a hundred of them is set.
const START_BITS: u32 = 16;
/// How many numbers stand for three letters.
const THREES: u16 = 1 << 15;

/// The words, by their first three letters.
pub(super) struct Vicinity {
    /// A bit for each hash of four letters with which a word begins. A word of three is in it
    /// with every letter behind it.
    fours: Box<[u64; 1 << (START_BITS - 6)]>,
    /// By three letters: where the words that begin with them start.
    lists: Vec<u16>,
    /// Sorted by their first three letters.
    words: Vec<Word>,
    /// The words of [`TELLING`].
    pub telling: [Grams; 1],
    /// Letters, capitals, letters and digits, and the end of a line.
    marks: Classes<4>,
}

/// A word, and a kind that it tells.
struct Word {
    /// Its first three letters.
    three: u16,
    text: &'static str,
    kind: u16,
    openings: Openings,
}

/// What stands before a token that is the value of something.
const BEFORE_VALUE: &[u8] = b"\"'`=: \t\n\r>([{,|";

/// The same as escapes.
const ESCAPED_BEFORE_VALUE: &[&str] = &[
    "\\n", "\\t", "\\r", "\\u0022", "\\u003d", "\\u003a", "\\x22", "%3D", "%3d", "%3A", "%3a",
    "%20", "%22", "%27", "[0m", "[1m",
];

/// Within so many bytes, a word that says digest says so of the token.
const CLOSE: usize = 28;
/// A vendor's name of so few letters is no beginning of another word: `exa` of `example`.
const SHORT: usize = 5;

/// Words that say that hexadecimal digits are no secret.
const DIGEST: &[&str] = &[
    "rev",
    "ref",
    "sha",
    "sha1",
    "sha256",
    "commit",
    "hash",
    "digest",
    "checksum",
    "integrity",
    "etag",
    "@example",
    "revision",
    "tree",
    "blob",
    "compare",
    "parent",
    "version",
    "md5",
    "fingerprint",
];

/// What stands right before a digest in lists of files and locks of packages.
const SUMS: &[&[u8]] = &[
    b"md5=", b"sha1=", b"sha1-", b"sha256=", b"sha256-", b"sha384=", b"sha384-", b"sha512=",
    b"sha512-", b"h1:",
];

/// Words that say that a secret follows.
const TELLING: [&str; 17] = [
    "key",
    "token",
    "secret",
    "auth",
    "pass",
    "pwd",
    "cred",
    "bearer",
    "pat",
    "api",
    "sid",
    "license",
    "private",
    "signature",
    "webhook",
    "login",
    "init",
];

impl Vicinity {
    /// The words of the shapes with these numbers.
    pub(super) fn new(shapes: &[&'static Shape]) -> Vicinity {
        let mut fours = Box::new([0; 1 << (START_BITS - 6)]);
        let mut words = Vec::new();
        for (number, shape) in (0..).zip(shapes).filter(|(_, shape)| shape.prefix.is_empty()) {
            let openings = Openings::of(shape);
            for word in shape.near {
                let Some(three) = word.as_bytes().first_chunk() else {
                    continue;
                };
                // A word begins with a letter, or with one sign before it.
                let body = word.as_bytes();
                let body = if body[0].is_ascii_alphabetic() { body } else { &body[1..] };
                let fourths = body.get(3).map_or(0..32, |&fourth| fourth..fourth + 1);
                for fourth in fourths {
                    let bit = start(u32::from_le_bytes([body[0], body[1], body[2], fourth]));
                    fours[bit / 64] |= 1 << (bit % 64);
                }
                let three = letters(*three);
                words.push(Word { three, text: word, kind: number, openings });
            }
        }
        words.sort_unstable_by_key(|word| (word.three, word.text, word.kind));
        let mut lists = Vec::with_capacity(usize::from(THREES) + 1);
        for (count, word) in (0..).zip(&words) {
            // Nothing is added for a second word of the same letters.
            lists.resize(usize::from(word.three + 1).max(lists.len()), count);
        }
        lists.resize(usize::from(THREES) + 1, words.len() as u16);
        let telling = Grams::new(&TELLING.map(|word| {
            let gram = Gram::folded(word.as_bytes());
            let goes_on = ByteSet::of(|b| !b.is_ascii_lowercase());
            if stands_by_itself(word) { gram.then(goes_on) } else { gram }
        }));
        Vicinity { fours, lists, words, telling: [telling], marks: marks() }
    }

    /// False if no word of a vendor stands where [`told`](Vicinity::told) looks for one, of a kind
    /// that may open so.
    #[inline(always)]
    pub(super) fn may_tell<L: Lanes>(&self, text: &[u8], at: usize, opening: Opening) -> bool {
        let token = &text[at..];
        match at.checked_sub(REACH) {
            Some(from) => self.stands::<L>(simd::block(text, from).bytes(), token, opening),
            None => self.stands::<L>(&before(text, at), token, opening),
        }
    }

    /// The same in what stands before the token and three bytes more.
    #[inline(always)]
    fn stands<L: Lanes>(&self, bytes: &[u8; REACH + 3], token: &[u8], opening: Opening) -> bool {
        let [all, upper, alnum, end] = L::each(&self.marks, bytes);
        // As `on_line` has it.
        let last = 1_u64.checked_shl(63_u32.wrapping_sub(alnum.leading_zeros())).unwrap_or(0);
        let line = u64::BITS - (end & last.wrapping_sub(1)).leading_zeros();
        let mut places = self.known(bytes, begin(all, upper) & u64::MAX.unbounded_shl(line));
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            places &= places - 1;
            if self.standing(&bytes[..REACH], place, token, opening).next().is_some() {
                return true;
            }
        }
        false
    }

    /// The places before a token where a word may stand, by its first four letters or by those
    /// behind a sign: bit 0 for the farthest.
    #[inline]
    fn word_starts(&self, bytes: &[u8; REACH + 3]) -> u64 {
        self.known(bytes, word_starts(bytes))
    }

    #[inline(always)]
    fn known(&self, bytes: &[u8; REACH + 3], mut places: u64) -> u64 {
        let mut known = 0;
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            places &= places - 1;
            let four = [bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]];
            let bit = start(u32::from_le_bytes(four));
            known |= (self.fours[bit / 64] >> (bit % 64) & 1) << place;
        }
        known | known >> 1
    }

    /// The kinds that a word before `at` tells, the nearest first, each with whether the word says
    /// enough by itself. Only those that may open as the text does at `at`, which opens so.
    pub(super) fn told<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
        opening: Opening,
    ) -> impl Iterator<Item = (u16, bool)> + 't {
        let mut places = self.word_starts(&before(text, at));
        let next = move || {
            let place = places.checked_ilog2()?;
            places ^= 1 << place;
            Some(place as usize)
        };
        // Nothing is done where no word is.
        let some = places != 0;
        let behind = if some { on_line(&text[at.saturating_sub(REACH)..at]) } else { &[] };
        let least = if some { behind.len().min(near(text, at).len()) } else { 0 };
        let places = std::iter::from_fn(next).take_while(move |place| *place + least >= REACH);
        places.flat_map(move |place| {
            let place = place + behind.len() - REACH;
            let standing = self.standing(behind, place, &text[at..], opening);
            standing.map(|word| (word.kind, word.text.contains('/')))
        })
    }

    /// The words that start at `place` in what stands before a token, of the kinds that may open as
    /// that does.
    fn standing<'t>(
        &'t self,
        text: &'t [u8],
        place: usize,
        token: &'t [u8],
        opening: Opening,
    ) -> impl Iterator<Item = &'t Word> + 't {
        let three = text.get(place..).and_then(<[u8]>::first_chunk).map_or(0, |b| letters(*b));
        let three = usize::from(three);
        let words = &self.words[self.lists[three].into()..self.lists[three + 1].into()];
        let words = words.iter().rev();
        let may_open = move |word: &Word| word.openings.have(token, opening);
        words.filter(move |word| may_open(word) && stands(text, place, word.text))
    }

    /// True if a token of the kind that was told may be a secret where it stands: a value, and no
    /// digest, revision or example.
    pub(super) fn fits(text: &[u8], at: usize, end: usize, enough: bool) -> bool {
        let token = &text[at..end];
        let goes_on = text.get(end).is_some_and(|b| matches!(b, b'-' | b'/' | b'+'));
        if goes_on || !looks_random(token) || is_identifier(token) {
            return false;
        }
        let behind = &text[at.saturating_sub(REACH)..at];
        if SUMS.iter().any(|sum| behind.ends_with(sum)) || names_file(text, at, end) {
            return false;
        }
        let close = &behind[behind.len().saturating_sub(CLOSE)..];
        let digest = token.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
        let denied = || digest && DIGEST.iter().any(|word| stands_alone(close, word));
        enough
            || begins_value(behind) && (tells(text, at) || !digest && assigned(behind)) && !denied()
    }
}

/// True if hexadecimal digits stand before a file's name, as `md5sum` writes it: they are a digest.
fn names_file(text: &[u8], at: usize, end: usize) -> bool {
    let digits = text[at..end].iter().all(u8::is_ascii_hexdigit);
    let named = matches!(text.get(end..), Some([b' ', b' ' | b'*', name, ..]) if *name > b' ');
    digits && named
}

/// False if [`fits`](Vicinity::fits) says no to every token that may start at `at`, where no word
/// says enough.
pub(super) fn may_be_value(text: &[u8], at: usize) -> bool {
    may_be_told(text, at) && (is_given(text, at, hexadecimal(&text[at..])) || tells(text, at))
}

/// False if no value starts at `at`.
pub(super) fn may_be_told(text: &[u8], at: usize) -> bool {
    begins_value(&text[at.saturating_sub(REACH)..at])
}

/// False if no value starts behind this byte.
#[inline(always)]
pub(super) fn may_stand_before(before: u8) -> bool {
    !matches!(BEFORE[usize::from(before)], Before::Other)
}

/// True if what starts at `at` with so many hexadecimal digits and hyphens is given by an equals
/// sign or a colon, and is no digest.
pub(super) fn is_given(text: &[u8], at: usize, hexadecimal: usize) -> bool {
    let goes_on = text.get(at + hexadecimal).is_some_and(|b| Set::of(*b).is_some());
    goes_on && assigned(&text[at.saturating_sub(REACH)..at])
}

/// True if what is said of the kind is said by the words alone: by an address, or by signs that
/// [`is_given`] takes for the end.
pub(super) fn is_told_by_more(shape: &Shape) -> bool {
    let foreign = |part: &Part| match part {
        Part::Lit(literal) => literal.bytes().any(|b| Set::of(b).is_none()),
        Part::Run(..) => false,
    };
    shape.sure
        || shape.near.iter().any(|word| word.contains('/'))
        || shape.parts.iter().any(foreign)
}

/// How many hexadecimal digits and hyphens `text` starts with.
fn hexadecimal(text: &[u8]) -> usize {
    let other = |b: &u8| !b.is_ascii_hexdigit() && *b != b'-';
    text.iter().position(other).unwrap_or(text.len())
}

/// True if a word that says that a secret follows stands before `at`.
fn tells(text: &[u8], at: usize) -> bool {
    TELLING.iter().any(|word| mentions(near(text, at), word))
}

/// True for `D3D_OBJECT_TYPE_2` and `some-file.name-2`: words of one case, joined, with few digits.
pub(super) fn is_identifier(token: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| token.iter().any(test);
    let joined = has(|b| matches!(b, b'_' | b'-' | b'.'));
    let hex = token.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
    let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
    joined
        && !hex
        && digits * 8 < token.len()
        && !(has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
}

/// What of the text stands on its last line that has more than blanks and marks: the vendors of
/// other lines, as in a log, say nothing.
fn on_line(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(u8::is_ascii_alphanumeric).unwrap_or(0);
    let line = text[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    &text[line..]
}

/// What of the text stands near before `at` and behind the last placeholder: what a placeholder
/// says, and what is before it, tells of the secret that stood there.
fn near(text: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(REACH);
    &text[placeholder::end_between(text, from, at).map_or(from, |end| end.min(at))..at]
}

/// True if a value may begin behind this text.
fn begins_value(behind: &[u8]) -> bool {
    let before = behind.last().map_or(Before::Other, |b| BEFORE[usize::from(*b)]);
    match before {
        Before::Value => true,
        Before::Escape => {
            ESCAPED_BEFORE_VALUE.iter().any(|escape| behind.ends_with(escape.as_bytes()))
        }
        Before::Other => false,
    }
}

/// What the last byte before a value says.
#[derive(Clone, Copy)]
enum Before {
    /// It is one of [`BEFORE_VALUE`].
    Value,
    /// One of [`ESCAPED_BEFORE_VALUE`] ends with it.
    Escape,
    Other,
}

static BEFORE: [Before; 256] = table_before();

const fn table_before() -> [Before; 256] {
    let mut table = [Before::Other; 256];
    let mut number = 0;
    while number < ESCAPED_BEFORE_VALUE.len() {
        let escape = ESCAPED_BEFORE_VALUE[number].as_bytes();
        table[escape[escape.len() - 1] as usize] = Before::Escape;
        number += 1;
    }
    number = 0;
    while number < BEFORE_VALUE.len() {
        table[BEFORE_VALUE[number] as usize] = Before::Value;
        number += 1;
    }
    table
}

/// True if one of these words stands before `at`, for a kind that has a prefix as well.
pub(super) fn stands_near(text: &[u8], at: usize, words: &[&str]) -> bool {
    let behind = near(text, at);
    words.iter().any(|word| (0..behind.len()).any(|place| stands(behind, place, word)))
}

/// A name, an equals sign or a colon, and nothing between that and the value but a quote.
fn assigned(behind: &[u8]) -> bool {
    let skipped = |b: &&u8| matches!(**b, b' ' | b'"' | b'\'' | b'\\');
    let sign = behind.iter().rev().find(|b| !skipped(b));
    sign.is_some_and(|b| matches!(b, b'=' | b':'))
}

/// True if a word starts at `place`, in any case, and is no part of another word; a long one may
/// go on: `datadogkey`.
fn stands(text: &[u8], place: usize, word: &str) -> bool {
    let end = place + word.len();
    text.get(place..end).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
        && begins(text, place)
        && (word.len() > SHORT || ends(text, end))
}

/// True if the word stands in the text, and a word begins or ends with it: `apikey`, `keys`. A
/// very short one stands by itself.
fn mentions(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).enumerate().any(|(place, found)| {
        let end = place + word.len();
        found.eq_ignore_ascii_case(word.as_bytes())
            && match (begins(text, place), ends(text, end)) {
                (true, true) => true,
                (begins, ends) => !stands_by_itself(word) && (begins || ends),
            }
    })
}

fn stands_by_itself(word: &str) -> bool {
    word.len() < 4 && word != "key"
}

fn stands_alone(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).enumerate().any(|(place, found)| {
        found.eq_ignore_ascii_case(word.as_bytes())
            && begins(text, place)
            && ends(text, place + word.len())
    })
}

fn begins(text: &[u8], place: usize) -> bool {
    let before = place.checked_sub(1).map_or(b' ', |n| text[n]);
    let camel = before.is_ascii_lowercase() && text[place].is_ascii_uppercase();
    !before.is_ascii_alphabetic() || camel
}

fn ends(text: &[u8], end: usize) -> bool {
    let (last, next) = (text[end - 1], text.get(end).copied().unwrap_or(b' '));
    !next.is_ascii_alphabetic() || (last.is_ascii_lowercase() && next.is_ascii_uppercase())
}

/// The bytes before `at`, with zeros before the text, and three more: the last word may be so short.
fn before(text: &[u8], at: usize) -> [u8; REACH + 3] {
    let whole = at.checked_sub(REACH).and_then(|from| text.get(from..)?.first_chunk());
    whole.copied().unwrap_or_else(|| {
        let mut padded = [0; REACH + 3];
        let behind = &text[at.saturating_sub(REACH)..at];
        padded[REACH - behind.len()..REACH].copy_from_slice(behind);
        padded
    })
}

/// The places in the first [`REACH`] bytes where a word may begin, bit 0 for the first: letters
/// behind another sign, or a capital behind a small letter. Eight bytes are looked at at once.
fn word_starts(bytes: &[u8; REACH + 3]) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH << 7;
    let (mut all, mut upper) = (0, 0);
    let (eights, _) = bytes.as_chunks::<8>();
    for (number, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        let folded = (eight | EACH << 5) & !HIGH;
        let from_a = folded + EACH * (0x80 - u64::from(b'a'));
        let past_z = folded + EACH * (0x80 - u64::from(b'z') - 1);
        let letters = from_a & !past_z & !eight & HIGH;
        // Gathers the highest bit of each byte in the highest byte.
        let gather = |bits: u64| (bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        all |= gather(letters) << (8 * number);
        upper |= gather(letters & !(eight << 2)) << (8 * number);
    }
    begin(all, upper)
}

/// Where words begin among letters, some of which are capitals.
#[inline(always)]
fn begin(all: u64, upper: u64) -> u64 {
    let lower = all & !upper;
    all & (!(all << 1) | upper & lower << 1)
}

#[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
fn marks() -> Classes<4> {
    let sets = [
        ByteSet::of(|b| b.is_ascii_alphabetic()),
        ByteSet::of(|b| b.is_ascii_uppercase()),
        ByteSet::of(|b| b.is_ascii_alphanumeric()),
        ByteSet::of(|b| b == b'\n'),
    ];
    Classes::new(&sets).expect("the marks of words")
}

/// A hash of four letters without their case: their product with a constant of even bits (Knuth's
/// 2^32 / φ).
fn start(four: u32) -> usize {
    ((four & 0x1F1F_1F1F).wrapping_mul(0x9E37_79B1) >> (32 - START_BITS)) as usize
}

/// Three letters without their case, in 15 bits. Other bytes may fall together with a letter.
fn letters(three: [u8; 3]) -> u16 {
    three.iter().fold(0, |sum, byte| (sum << 5) | u16::from(byte & 31))
}
