//! Keyword context: kinds without a mark of their own, recognised by the name of the vendor before
//! them.
//!
//! `mapquest key: …` is a MapQuest key because of the word before it; the key itself is 32 letters
//! and digits. Such a token must pass four tests:
//!
//! 1. a keyword of the kind stands at most [`MAX_KEYWORD_DISTANCE`] bytes before it, on the
//!    same line, and not inside or before a placeholder;
//! 2. the token looks random and is no identifier;
//! 3. it stands where a value may, and either an assignment or a word such as `key` or `token`
//!    precedes it;
//! 4. nothing says that it is a digest or a revision.
//!
//! A keyword with a `/` is part of a URL and suffices by itself.
//!
//! The words are found by their first letters: a bitmap of hashes of four, then a table by the
//! first three.

use super::super::super::placeholder;
use super::super::super::simd::{self, ByteSet, Classes, Gram, Grams, Lanes};
use super::prefilter::length::{RunStart, ShapeStart};
use super::randomness::looks_random;
use super::shape::{Part, Set, Shape};
use crate::words;

/// How far before a token a keyword may stand, in bytes: one block.
pub(super) const MAX_KEYWORD_DISTANCE: usize = 64;

/// The bits of the bitmap of first letters. About one in a hundred is set.
const START_BITS: u32 = 16;
/// How many keys three letters have, at five bits a letter.
const LETTER_KEYS: u16 = 1 << 15;

/// The keywords, found by their first letters.
pub(super) struct KeywordContext {
    /// One bit for each hash of four letters that a keyword begins with. A keyword of three letters
    /// is in it with every fourth letter.
    four_letter_bits: Box<[u64; 1 << (START_BITS - 6)]>,
    /// For each key of three letters, where the keywords that begin with them start.
    bucket_starts: Vec<u16>,
    /// Sorted by the key of their first three letters.
    keywords: Vec<Keyword>,
    /// The packed search for the words of [`words::SECRET_WORDS`].
    pub secret_words: [Grams; 1],
    /// The classes of letters, capitals, letters and digits, and line ends.
    classes: Classes<4>,
}

/// A keyword and a kind that it belongs to.
struct Keyword {
    /// The key of its first three letters.
    key: u16,
    text: &'static str,
    kind: u16,
    shape_start: ShapeStart,
}

/// Bytes behind which a value may start.
const BEFORE_VALUE: &[u8] = b"\"'`=: \t\n\r>([{,|";

/// How close to a token a digest word must be to speak of the token, in bytes.
const DIGEST_DISTANCE: usize = 28;
/// A keyword with at most this many letters must be a whole word: `exa` is not found in `example`.
/// Longer ones may go on: `datadogkey`.
const SHORT_KEYWORD: usize = 5;

impl KeywordContext {
    /// Collects the keywords of the unprefixed shapes.
    pub(super) fn new(shapes: &[&'static Shape]) -> KeywordContext {
        let mut four_letter_bits = Box::new([0; 1 << (START_BITS - 6)]);
        let mut keywords = Vec::new();
        for (number, shape) in (0..).zip(shapes).filter(|(_, shape)| shape.prefix.is_empty()) {
            let shape_start = ShapeStart::of(shape);
            for keyword in shape.keywords {
                let Some(key) = keyword.as_bytes().first_chunk() else {
                    continue;
                };
                // A keyword begins with a letter, or with one sign before it.
                let body = keyword.as_bytes();
                let body = if body[0].is_ascii_alphabetic() { body } else { &body[1..] };
                let fourths = body.get(3).map_or(0..32, |&fourth| fourth..fourth + 1);
                for fourth in fourths {
                    let bit = letters_hash(u32::from_le_bytes([body[0], body[1], body[2], fourth]));
                    four_letter_bits[bit / 64] |= 1 << (bit % 64);
                }
                let key = letters_key(*key);
                keywords.push(Keyword { key, text: keyword, kind: number, shape_start });
            }
        }
        keywords.sort_unstable_by_key(|keyword| (keyword.key, keyword.text, keyword.kind));
        let mut bucket_starts = Vec::with_capacity(usize::from(LETTER_KEYS) + 1);
        for (count, keyword) in (0..).zip(&keywords) {
            // Does nothing for a second keyword with the same key.
            bucket_starts.resize(usize::from(keyword.key + 1).max(bucket_starts.len()), count);
        }
        bucket_starts.resize(usize::from(LETTER_KEYS) + 1, keywords.len() as u16);
        let secret_words = Grams::new(&words::SECRET_WORDS.map(|keyword| {
            let gram = Gram::folded(keyword.as_bytes());
            let continues = ByteSet::of(|b| !b.is_ascii_lowercase());
            if must_stand_alone(keyword) { gram.then(continues) } else { gram }
        }));
        KeywordContext {
            four_letter_bits,
            bucket_starts,
            keywords,
            secret_words: [secret_words],
            classes: byte_classes(),
        }
    }

    /// A prefilter: false only if [`keywords_before`](KeywordContext::keywords_before) finds no
    /// keyword whose kind may start like the token.
    #[inline(always)]
    pub(super) fn may_have_keyword<L: Lanes>(
        &self,
        text: &[u8],
        at: usize,
        run_start: RunStart,
    ) -> bool {
        let token = &text[at..];
        match at.checked_sub(MAX_KEYWORD_DISTANCE) {
            Some(from) => self.keyword_at::<L>(simd::block(text, from).bytes(), token, run_start),
            None => self.keyword_at::<L>(&bytes_before(text, at), token, run_start),
        }
    }

    /// The same for the bytes before the token, and three more.
    #[inline(always)]
    fn keyword_at<L: Lanes>(
        &self,
        bytes: &[u8; MAX_KEYWORD_DISTANCE + 3],
        token: &[u8],
        run_start: RunStart,
    ) -> bool {
        let [all, upper, alnum, end] = L::each(&self.classes, bytes);
        // The same line as in `current_line`.
        let last = 1_u64.checked_shl(63_u32.wrapping_sub(alnum.leading_zeros())).unwrap_or(0);
        let line = u64::BITS - (end & last.wrapping_sub(1)).leading_zeros();
        let mut places =
            self.known_starts(bytes, word_start_bits(all, upper) & u64::MAX.unbounded_shl(line));
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            places &= places - 1;
            if self
                .matching_keywords(&bytes[..MAX_KEYWORD_DISTANCE], place, token, run_start)
                .next()
                .is_some()
            {
                return true;
            }
        }
        false
    }

    /// The places before a token where a keyword may start, by its first four letters or by those
    /// behind a sign: bit 0 for the farthest place.
    #[inline]
    fn word_starts(&self, bytes: &[u8; MAX_KEYWORD_DISTANCE + 3]) -> u64 {
        self.known_starts(bytes, word_starts(bytes))
    }

    /// Those of `places` where the first four letters of a keyword stand.
    #[inline(always)]
    fn known_starts(&self, bytes: &[u8; MAX_KEYWORD_DISTANCE + 3], mut places: u64) -> u64 {
        let mut known = 0;
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            places &= places - 1;
            let four = [bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]];
            let bit = letters_hash(u32::from_le_bytes(four));
            known |= (self.four_letter_bits[bit / 64] >> (bit % 64) & 1) << place;
        }
        known | known >> 1
    }

    /// The kinds with a keyword before `at`, the nearest first, each with whether the keyword
    /// suffices by itself. Only kinds that may start like the text at `at`.
    pub(super) fn keywords_before<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
        run_start: RunStart,
    ) -> impl Iterator<Item = (u16, bool)> + 't {
        let mut places = self.word_starts(&bytes_before(text, at));
        let next = move || {
            let place = places.checked_ilog2()?;
            places ^= 1 << place;
            Some(place as usize)
        };
        // Without any place, nothing else is computed.
        let some = places != 0;
        let preceding = if some {
            current_line(&text[at.saturating_sub(MAX_KEYWORD_DISTANCE)..at])
        } else {
            &[]
        };
        let least = if some { preceding.len().min(text_before(text, at).len()) } else { 0 };
        let places = std::iter::from_fn(next)
            .take_while(move |place| *place + least >= MAX_KEYWORD_DISTANCE);
        places.flat_map(move |place| {
            let place = place + preceding.len() - MAX_KEYWORD_DISTANCE;
            let matching_keywords =
                self.matching_keywords(preceding, place, &text[at..], run_start);
            matching_keywords.map(|keyword| (keyword.kind, keyword.text.contains('/')))
        })
    }

    /// The keywords that start at `place` in the text before a token, of kinds that may start like
    /// the token.
    fn matching_keywords<'t>(
        &'t self,
        text: &'t [u8],
        place: usize,
        token: &'t [u8],
        run_start: RunStart,
    ) -> impl Iterator<Item = &'t Keyword> + 't {
        let key = text.get(place..).and_then(<[u8]>::first_chunk).map_or(0, |b| letters_key(*b));
        let key = usize::from(key);
        let keywords =
            &self.keywords[self.bucket_starts[key].into()..self.bucket_starts[key + 1].into()];
        let keywords = keywords.iter().rev();
        let may_open = move |keyword: &Keyword| keyword.shape_start.may_start(token, run_start);
        keywords.filter(move |keyword| may_open(keyword) && keyword_at(text, place, keyword.text))
    }

    /// True if the token may be a secret in its place: a value, and no digest, revision or example.
    pub(super) fn is_believable_value(text: &[u8], at: usize, end: usize, suffices: bool) -> bool {
        let token = &text[at..end];
        let continues = text.get(end).is_some_and(|b| matches!(b, b'-' | b'/' | b'+'));
        if continues || !looks_random(token) || is_identifier(token) {
            return false;
        }
        let preceding = &text[at.saturating_sub(MAX_KEYWORD_DISTANCE)..at];
        if words::DIGEST_PREFIXES.iter().any(|sum| preceding.ends_with(sum))
            || names_file(text, at, end)
        {
            return false;
        }
        let close = &preceding[preceding.len().saturating_sub(DIGEST_DISTANCE)..];
        let digest = token.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
        let denied = || {
            digest && words::DIGEST_WORDS.iter().any(|keyword| contains_whole_word(close, keyword))
        };
        suffices
            || may_precede_value(preceding)
                && (has_secret_word(text, at) || !digest && follows_assignment(preceding))
                && !denied()
    }
}

/// True if hexadecimal digits stand before the name of a file, as in the output of `md5sum`: a
/// digest.
fn names_file(text: &[u8], at: usize, end: usize) -> bool {
    let digits = text[at..end].iter().all(u8::is_ascii_hexdigit);
    let named = matches!(text.get(end..), Some([b' ', b' ' | b'*', name, ..]) if *name > b' ');
    digits && named
}

/// A prefilter: false only if [`is_believable_value`](KeywordContext::is_believable_value) rejects
/// every token that starts at `at` whose keyword does not suffice.
pub(super) fn may_be_value(text: &[u8], at: usize) -> bool {
    may_be_value_at(text, at)
        && (is_assigned(text, at, hex_run_length(&text[at..])) || has_secret_word(text, at))
}

/// A prefilter: false only if no value starts at `at`.
pub(super) fn may_be_value_at(text: &[u8], at: usize) -> bool {
    may_precede_value(&text[at.saturating_sub(MAX_KEYWORD_DISTANCE)..at])
}

/// A prefilter: false only if no value starts behind this byte.
#[inline(always)]
pub(super) fn may_stand_before(before: u8) -> bool {
    !matches!(PRECEDING[usize::from(before)], Preceding::Other)
}

/// True if an assignment stands before `at`, and the token is no digest: more than the given number
/// of hexadecimal digits and hyphens follow.
pub(super) fn is_assigned(text: &[u8], at: usize, hexadecimal: usize) -> bool {
    let continues = text.get(at + hexadecimal).is_some_and(|b| Set::of(*b).is_some());
    continues && follows_assignment(&text[at.saturating_sub(MAX_KEYWORD_DISTANCE)..at])
}

/// True if the kind is believed without a value context: its shape suffices, a keyword is part of a
/// URL, or [`is_assigned`] would take its own signs for its end.
pub(super) fn is_known_without_value(shape: &Shape) -> bool {
    let foreign = |part: &Part| match part {
        Part::Lit(literal) => literal.bytes().any(|b| Set::of(b).is_none()),
        Part::Run(..) => false,
    };
    shape.shape_suffices
        || shape.keywords.iter().any(|keyword| keyword.contains('/'))
        || shape.parts.iter().any(foreign)
}

/// How many hexadecimal digits and hyphens `text` starts with.
fn hex_run_length(text: &[u8]) -> usize {
    let other = |b: &u8| !b.is_ascii_hexdigit() && *b != b'-';
    text.iter().position(other).unwrap_or(text.len())
}

/// True if a word that announces a secret stands before `at`.
fn has_secret_word(text: &[u8], at: usize) -> bool {
    words::SECRET_WORDS.iter().any(|keyword| mentions(text_before(text, at), keyword))
}

/// True for identifiers such as `D3D_OBJECT_TYPE_2` and `some-file.name-2`: words of one case,
/// joined, with few digits.
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

/// The part of the text on its last line that has letters or digits. Vendors on other lines, as in
/// a log, say nothing.
fn current_line(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(u8::is_ascii_alphanumeric).unwrap_or(0);
    let line = text[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    &text[line..]
}

/// The text shortly before `at` and behind the last placeholder. What a placeholder says, and the
/// text before it, describe the secret that it replaced.
fn text_before(text: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(MAX_KEYWORD_DISTANCE);
    &text[placeholder::end_between(text, from, at).map_or(from, |end| end.min(at))..at]
}

/// True if a value may start behind this text.
fn may_precede_value(preceding: &[u8]) -> bool {
    let before = preceding.last().map_or(Preceding::Other, |b| PRECEDING[usize::from(*b)]);
    match before {
        Preceding::Value => true,
        Preceding::Escape => {
            words::ESCAPES_BEFORE_VALUE.iter().any(|escape| preceding.ends_with(escape.as_bytes()))
        }
        Preceding::Other => false,
    }
}

/// What the last byte before a token says.
#[derive(Clone, Copy)]
enum Preceding {
    /// A value may start behind it: it is one of [`BEFORE_VALUE`].
    Value,
    /// An escape of [`words::ESCAPES_BEFORE_VALUE`] may end with it.
    Escape,
    Other,
}

static PRECEDING: [Preceding; 256] = preceding_table();

/// The table of [`Preceding`] by byte.
const fn preceding_table() -> [Preceding; 256] {
    let mut table = [Preceding::Other; 256];
    let mut number = 0;
    while number < words::ESCAPES_BEFORE_VALUE.len() {
        let escape = words::ESCAPES_BEFORE_VALUE[number].as_bytes();
        table[escape[escape.len() - 1] as usize] = Preceding::Escape;
        number += 1;
    }
    number = 0;
    while number < BEFORE_VALUE.len() {
        table[BEFORE_VALUE[number] as usize] = Preceding::Value;
        number += 1;
    }
    table
}

/// True if one of these keywords stands before `at`. For kinds that have a prefix as well.
pub(super) fn has_keyword_before(text: &[u8], at: usize, keywords: &[&str]) -> bool {
    let preceding = text_before(text, at);
    keywords
        .iter()
        .any(|keyword| (0..preceding.len()).any(|place| keyword_at(preceding, place, keyword)))
}

/// True if the text ends with an equals sign or a colon, with only blanks, quotes and backslashes
/// behind it.
fn follows_assignment(preceding: &[u8]) -> bool {
    let skipped = |b: &&u8| matches!(**b, b' ' | b'"' | b'\'' | b'\\');
    let sign = preceding.iter().rev().find(|b| !skipped(b));
    sign.is_some_and(|b| matches!(b, b'=' | b':'))
}

/// True if a keyword starts at `place`, in any case, as a word. A long one may go on.
fn keyword_at(text: &[u8], place: usize, keyword: &str) -> bool {
    let end = place + keyword.len();
    text.get(place..end).is_some_and(|found| found.eq_ignore_ascii_case(keyword.as_bytes()))
        && is_word_start(text, place)
        && (keyword.len() > SHORT_KEYWORD || is_word_end(text, end))
}

/// True if the text contains the word, and a word begins or ends with it: `apikey`, `keys`. A very
/// short one must be a whole word.
fn mentions(text: &[u8], keyword: &str) -> bool {
    text.windows(keyword.len()).enumerate().any(|(place, found)| {
        let end = place + keyword.len();
        found.eq_ignore_ascii_case(keyword.as_bytes())
            && match (is_word_start(text, place), is_word_end(text, end)) {
                (true, true) => true,
                (begins, ends) => !must_stand_alone(keyword) && (begins || ends),
            }
    })
}

/// True for a word so short that it must be a whole word.
fn must_stand_alone(keyword: &str) -> bool {
    keyword.len() < 4 && keyword != "key"
}

/// True if the text contains the word as a whole word, in any case.
fn contains_whole_word(text: &[u8], keyword: &str) -> bool {
    text.windows(keyword.len()).enumerate().any(|(place, found)| {
        found.eq_ignore_ascii_case(keyword.as_bytes())
            && is_word_start(text, place)
            && is_word_end(text, place + keyword.len())
    })
}

/// True if a word starts at `place`.
fn is_word_start(text: &[u8], place: usize) -> bool {
    let before = place.checked_sub(1).map_or(b' ', |n| text[n]);
    let camel = before.is_ascii_lowercase() && text[place].is_ascii_uppercase();
    !before.is_ascii_alphabetic() || camel
}

/// True if a word ends before `end`.
fn is_word_end(text: &[u8], end: usize) -> bool {
    let (last, next) = (text[end - 1], text.get(end).copied().unwrap_or(b' '));
    !next.is_ascii_alphabetic() || (last.is_ascii_lowercase() && next.is_ascii_uppercase())
}

/// The bytes before `at`, with zeros before the text, and three bytes behind `at`, so that four
/// bytes can be read at every place.
fn bytes_before(text: &[u8], at: usize) -> [u8; MAX_KEYWORD_DISTANCE + 3] {
    let whole =
        at.checked_sub(MAX_KEYWORD_DISTANCE).and_then(|from| text.get(from..)?.first_chunk());
    whole.copied().unwrap_or_else(|| {
        let mut padded = [0; MAX_KEYWORD_DISTANCE + 3];
        let preceding = &text[at.saturating_sub(MAX_KEYWORD_DISTANCE)..at];
        padded[MAX_KEYWORD_DISTANCE - preceding.len()..MAX_KEYWORD_DISTANCE]
            .copy_from_slice(preceding);
        padded
    })
}

/// The places in the first [`MAX_KEYWORD_DISTANCE`] bytes where a word may start, bit 0 for the
/// first: letters behind another byte, or a capital behind a lower-case letter. Processes eight
/// bytes at once.
fn word_starts(bytes: &[u8; MAX_KEYWORD_DISTANCE + 3]) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH << 7;
    let (mut all, mut upper) = (0, 0);
    let (eights, _) = bytes.as_chunks::<8>();
    for (number, word) in eights.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let folded = (word | EACH << 5) & !HIGH;
        let from_a = folded + EACH * (0x80 - u64::from(b'a'));
        let past_z = folded + EACH * (0x80 - u64::from(b'z') - 1);
        let letters = from_a & !past_z & !word & HIGH;
        // Gathers the highest bits of all bytes in the highest byte.
        let gather = |bits: u64| (bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        all |= gather(letters) << (8 * number);
        upper |= gather(letters & !(word << 2)) << (8 * number);
    }
    word_start_bits(all, upper)
}

/// Where words start, given all letters and the capitals among them.
#[inline(always)]
fn word_start_bits(all: u64, upper: u64) -> u64 {
    let lower = all & !upper;
    all & (!(all << 1) | upper & lower << 1)
}

/// The classes that words are found by.
#[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
fn byte_classes() -> Classes<4> {
    let sets = [
        ByteSet::of(|b| b.is_ascii_alphabetic()),
        ByteSet::of(|b| b.is_ascii_uppercase()),
        ByteSet::of(|b| b.is_ascii_alphanumeric()),
        ByteSet::of(|b| b == b'\n'),
    ];
    Classes::new(&sets).expect("the marks of words")
}

/// A hash of four letters without their case: their product with 2^32 / φ.
fn letters_hash(four: u32) -> usize {
    ((four & 0x1F1F_1F1F).wrapping_mul(0x9E37_79B1) >> (32 - START_BITS)) as usize
}

/// Three letters without their case, in 15 bits. Another byte may share the key of a letter.
fn letters_key(key: [u8; 3]) -> u16 {
    key.iter().fold(0, |sum, byte| (sum << 5) | u16::from(byte & 31))
}
