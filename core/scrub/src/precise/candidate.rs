//! The candidate scan: finds the places of a text that a detector must look at.
//!
//! There are two sorts of candidates. A *keyword* (`password`, `://`, `-----begin`, …) is found by
//! a packed search for short words, over 64 bytes at a time. A *run* of token bytes is found by the
//! classes of its bytes, and kept if it may be a token of a known [kind](super::kinds).
//!
//! Invariant: no false negatives. The scan may return a place at which nothing is found, but it
//! returns every place at which a detector finds something. A place follows from the bytes around
//! it alone, so pieces of a text have the same candidates as the whole.
//!
//! The way of the data: [`scan`] takes the text in *batches* of up to 64 blocks of 64 bytes.
//! [`batch`] classifies all bytes of a batch and finds the places of keywords and runs, as bits.
//! [`runs`] applies the [prefilters](super::kinds) to the runs, one question to all of them before
//! the next, with [lists of offsets](offsets) in between; this avoids branches that the processor
//! would guess wrong. [`pending`] holds what remains and returns it in text order.
//!
//! The keywords are data: `data/keywords.toml`.

use super::super::simd::{ByteSet, Class, Gram, Grams, Level, NestedSets};
use super::kinds::{JWT_STARTS, Kinds, is_plain_byte, is_token, load_u64};
use super::link;

mod batch;
mod offsets;
mod pending;
mod runs;
mod scan;

#[cfg(test)]
mod buckets;
#[cfg(test)]
mod tests;

pub(super) use scan::CandidateScan;

/// The detector that looks at a candidate, and with it what the candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detector {
    /// The first letter or digit of a run of at least [`MIN_RUN`] token bytes (`A-Z a-z 0-9 _ - .`)
    /// that may be a token of a known kind; or what follows an escape sequence at the start of such
    /// a run, as in `\nghp_…`. Also the first of at least [`MIN_HEX_DIGITS`] hexadecimal digits
    /// inside a token, or where [a key may start](super::hex::may_start_key), or in a run that is
    /// not plain.
    Run,
    /// The first letter of a word that names of secrets contain: `password`, `token`, `key`…
    Name,
    /// The first byte of `://`, `:\/\/`, `@//`, `@tcp(` or `@unix(`.
    Link,
    /// The first letter of a parameter of a signed link: `X-Amz-Signature`, `sig=`.
    Parameter,
    /// The first letter of `Bearer`, `Basic` and other schemes.
    Scheme,
    /// The first letter of a possible JWT: `{"` in base64.
    Jwt,
    /// The first byte of a password hash: `$2b$`, `{SSHA}`.
    PasswordHash,
    /// The `:5432:` of a line in PostgreSQL's password file.
    Pgpass,
    /// The `kind: Secret` of a Kubernetes manifest.
    Manifest,
    /// The `"kty"` of a JSON web key.
    Jwk,
    /// The first `-` of `-----BEGIN`.
    Block,
    /// The parenthesis that closes the columns of an `INSERT` or `COPY` statement.
    Rows,
}

/// A place that a detector must look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub at: usize,
    pub detector: Detector,
    /// The detector to run if the first finds nothing: a run may begin with a keyword, as in
    /// `secret_…`.
    pub fallback: Option<Detector>,
}

/// The shortest run that is a candidate, in bytes. No known kind has a shorter token.
pub(super) const MIN_RUN: usize = 12;
/// The fewest hexadecimal digits that are a candidate by themselves: 256 bits.
const MIN_HEX_DIGITS: u32 = 64;

include!(concat!(env!("OUT_DIR"), "/keywords.rs"));

/// The bits of the hash that finds keywords by their first three bytes. There are fewer than 256
/// keywords, so a list per hash is mostly empty or has one entry.
const BUCKET_BITS: u32 = 11;
const BUCKETS: usize = 1 << BUCKET_BITS;
const _: () = assert!(KEYWORDS.len() < 256);

/// The bits of the bitmap of first bytes. About one per cent of them is set.
const START_BITS: u32 = 16;

/// A keyword, prepared to be compared eight bytes at once.
#[derive(Clone, Copy)]
struct Keyword {
    detector: Detector,
    /// How many bytes stand before the part that is searched. For keywords of [`PROBE_OFFSETS`] it
    /// is given there. For others a row of equal bytes is left out but for its last one, so that a
    /// long line of such bytes is not a row of candidates.
    probe_offset: usize,
    /// Up to eight bytes of the searched part; which bits of the text count; and which bits are set
    /// (to make letters lower case) before the comparison.
    probe: u64,
    mask: u64,
    case_mask: u64,
    text: &'static [u8],
}

impl Keyword {
    /// Prepares a keyword of the list.
    fn new(&(text, detector): &(&'static str, Detector)) -> Keyword {
        let late = PROBE_OFFSETS.iter().find(|(keyword, _)| *keyword == text);
        let text = text.as_bytes();
        let same = text.iter().take_while(|&byte| Some(byte) == text.first()).count();
        let probe_offset = late.map_or(same.saturating_sub(1), |(_, probe_offset)| *probe_offset);
        let pack = |bits: fn(u8) -> u8| {
            u64::from_le_bytes(std::array::from_fn(|at| {
                text.get(probe_offset + at).map_or(0, |&b| bits(b))
            }))
        };
        let case_mask = pack(|b| if b.is_ascii_lowercase() { 0x20 } else { 0 });
        Keyword {
            detector,
            probe_offset,
            probe: pack(|b| b),
            mask: pack(|_| 0xFF),
            case_mask,
            text,
        }
    }

    /// True if the searched part starts at `at`, where the eight bytes `first` stand.
    #[inline]
    fn is_at(&self, text: &[u8], at: usize, first: u64) -> bool {
        if (first | self.case_mask) & self.mask != self.probe {
            return false;
        }
        let simple = self.probe_offset == 0 && self.text.len() <= 8;
        simple || self.matches_whole(text, at)
    }

    /// The hashes of the four bytes that the searched part may begin with.
    fn start_hashes(&self) -> impl Iterator<Item = usize> {
        let (probe, free) = (self.probe as u32, !(self.mask as u32));
        (0..=u8::MAX).map(move |any| start_hash(probe | free & u32::from(any) << 24))
    }

    /// True if the whole keyword stands there, in any case, if its searched part starts at `at`.
    fn matches_whole(&self, text: &[u8], at: usize) -> bool {
        let start = at.checked_sub(self.probe_offset);
        let found = start.and_then(|start| text.get(start..start + self.text.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(self.text))
    }
}

/// The tables of the scan.
pub(super) struct CandidateScanner {
    level: Level,
    grams: [Grams; 2],
    /// The nested classes of bytes: token bytes, bytes of a plain run, letters and digits, digits.
    classes: NestedSets<4>,
    hexadecimal: Class,
    link_filter: link::LinkFilter,
    /// A bit for each hash of four bytes, in any case, that the searched part of a keyword may
    /// begin with.
    start_bits: Box<[u64; 1 << (START_BITS - 6)]>,
    /// Sorted by a hash of the first three searched bytes, then the longest first.
    keywords: Vec<Keyword>,
    /// Where the keywords with each hash start in the list.
    bucket_starts: Box<[u8; BUCKETS + 1]>,
    /// The largest probe offset.
    probe_offset: usize,
}

impl CandidateScanner {
    /// Builds the tables, for the instructions of `level`.
    pub(super) fn new(level: Level) -> CandidateScanner {
        let mut keywords: Vec<Keyword> = KEYWORDS.iter().map(Keyword::new).collect();
        keywords.sort_by_key(|keyword| {
            (bucket_of(keyword.probe), std::cmp::Reverse(keyword.text.len()))
        });
        let bucket_starts = Box::new(std::array::from_fn(|n| {
            keywords.partition_point(|keyword| bucket_of(keyword.probe) < n) as u8
        }));
        let mut start_bits = Box::new([0; 1 << (START_BITS - 6)]);
        for bit in keywords.iter().flat_map(Keyword::start_hashes) {
            start_bits[bit / 64] |= 1 << (bit % 64);
        }
        let gram = |keyword: Keyword| Gram::folded(&keyword.text[keyword.probe_offset..]);
        let grams: Vec<Gram> = KEYWORDS.iter().map(Keyword::new).map(gram).collect();
        let probe_offset = keywords.iter().map(|keyword| keyword.probe_offset).max().unwrap_or(0);
        let grams = Grams::two(&grams, &BUCKET_OF_KEYWORD);
        let (classes, hexadecimal, link_filter) =
            (classes(), hexadecimal(), link::LinkFilter::new());
        CandidateScanner {
            level,
            grams,
            classes,
            hexadecimal,
            link_filter,
            start_bits,
            keywords,
            bucket_starts,
            probe_offset,
        }
    }

    /// Scans `text[from..to]` for candidates, in text order. The text at and behind `to` is read,
    /// but has no candidates.
    pub(super) fn scan<'a>(
        &'a self,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> CandidateScan<'a> {
        CandidateScan::new(self, kinds, text, from, to)
    }

    /// A prefilter: false if no keyword is searched at `at`, and for nearly all other places too.
    /// The second value is true if `://` stands there.
    #[inline(always)]
    fn may_be_keyword(&self, text: &[u8], at: usize) -> (bool, bool) {
        let four = match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(four) => u32::from_le_bytes(*four),
            None => load_u64(text, at) as u32,
        };
        let bit = start_hash(four);
        let link = four & 0x00FF_FFFF == u32::from_le_bytes(*b"://\0");
        (self.start_bits[bit / 64] >> (bit % 64) & 1 == 1, link)
    }

    /// The keyword that starts at `at`, unless it is part of a very long run.
    fn keyword_from(&self, text: &[u8], at: usize) -> Option<&Keyword> {
        let goes_on = |at: usize| {
            let run = text.get(at..at + MIN_HEX_DIGITS as usize);
            run.is_some_and(|run| run.iter().all(|b| is_token(*b)))
        };
        (0..=self.probe_offset)
            .filter_map(|probe_offset| {
                self.keyword(text, at + probe_offset)
                    .filter(|keyword| keyword.probe_offset == probe_offset)
            })
            .find(|keyword| !goes_on(at + keyword.probe_offset))
    }

    /// The keyword whose searched part starts at `at`.
    #[inline]
    fn keyword(&self, text: &[u8], at: usize) -> Option<&Keyword> {
        let first = load_u64(text, at);
        let bucket = bucket_of(first);
        let range =
            usize::from(self.bucket_starts[bucket])..usize::from(self.bucket_starts[bucket + 1]);
        let keywords = &self.keywords[range];
        keywords.iter().find(|keyword| keyword.is_at(text, at, first))
    }
}

/// True if the text at `at` starts like a kind with a prefix or like a JWT.
#[inline(always)]
fn starts_like_known_kind(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    kinds.may_have_prefix(text, at) || may_be_jwt(&text[at..])
}

/// True if `text` starts like a JWT. A very long one is not found as a keyword.
#[inline]
fn may_be_jwt(text: &[u8]) -> bool {
    text.first() == Some(&b'e') && JWT_STARTS.iter().any(|start| text.starts_with(*start))
}

/// A hash of four bytes in any case: their product with the fraction of the cube root of three, in
/// 32 bits. Of several such constants, this one makes the fewest common letters look like a
/// keyword.
#[inline(always)]
fn start_hash(four: u32) -> usize {
    ((four | 0x2020_2020).wrapping_mul(0x7137_4491) >> (32 - START_BITS)) as usize
}

/// A hash of the first three of eight bytes, in any case. The constant is 2^32 / φ.
#[inline]
fn bucket_of(word: u64) -> usize {
    let three = (word as u32 | 0x0020_2020) & 0x00FF_FFFF;
    (three.wrapping_mul(0x9E37_79B1) >> (32 - BUCKET_BITS)) as usize
}

/// The class of hexadecimal digits.
#[expect(clippy::expect_used, reason = "a constant set, with two different rows")]
fn hexadecimal() -> Class {
    Class::new(ByteSet::of(|b| b.is_ascii_hexdigit())).expect("the class of digits")
}

/// The nested classes that runs are found by.
#[expect(clippy::expect_used, reason = "constant sets, each in the next, with few rows")]
fn classes() -> NestedSets<4> {
    let letters = ByteSet::of(|b| b.is_ascii_alphanumeric());
    let digits = ByteSet::of(|b| b.is_ascii_digit());
    let sets = [ByteSet::of(is_token), ByteSet::of(is_plain_byte), letters, digits];
    NestedSets::new(&sets).expect("the classes of runs")
}
