//! Kinds of secrets that are recognised by their shape.
//!
//! A kind is a line of data (`data/kinds/*.toml`): its name, an optional *prefix*, the parts of its
//! body, and optional *keywords*. There are three ways to recognise one:
//!
//! - by its prefix: `ghp_…`;
//! - by an *infix*, a literal behind its first part, if it has neither prefix nor keywords;
//! - by a *keyword*, the name of the vendor shortly before it, if its shape alone is too common.
//!   See [`keyword_context`].
//!
//! Kinds of the last two groups are *unprefixed*. They begin with a *plain run*: letters, digits
//! and a few signs, with a digit among them. Such runs are everywhere in a text. So [`prefilter`]
//! rejects nearly all of them first, from the lengths and the bytes around their starts.
//!
//! The cost of a look does not grow with the number of kinds. A bitmap of hashes of four bytes, and
//! a hash table of the first three, find the prefixes.
//!
//! - [`shape`]: what a kind consists of, and where a secret of that shape ends. `table`: the data.
//! - [`randomness`]: rejects bytes that only show the shape, such as `xxxxxxxx`. [`checksum`]:
//!   checksums inside tokens.
//! - [`keyword_context`]: keywords, and which values, digests and files a token may be.
//! - [`prefilter`]: fast rejection, without false negatives.

use std::ops::Range;

use super::super::hit::{Confidence, Continuation, Hit};
use super::super::simd::ByteSet;
use super::super::view::AHEAD;
use super::escape;
use checksum::verified;
use keyword_context::KeywordContext;
use prefilter::block::BlockFilter;
use prefilter::length::{self, LengthFilter, RunStart};
pub(super) use prefilter::start::MAX_COUNTED;
use prefilter::start::StartCounts;
use prefilter::summary::{INFIX, KEYWORD, LengthSummary, UNVALUED};
use randomness::looks_random;
use shape::{Part, Set, Shape};

mod checksum;
mod keyword_context;
mod prefilter;
mod randomness;
mod shape;
mod table;

#[cfg(test)]
mod docs_page;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;

/// The shortest plain run that is a secret only because of its context, in bytes.
pub(super) const MIN_PLAIN_RUN: usize = 14;
/// How many bytes of a plain run are searched for a digit. Nearly every key has one by then.
const DIGIT_WINDOW: usize = 32;
/// The block filter takes the digits of the window from one 32-bit word.
const _: () = assert!(DIGIT_WINDOW == u32::BITS as usize);
/// How far before a run a secret may begin that is joined to it by a joiner, in bytes.
const MAX_JOINED: usize = 90;
/// The joiners: signs that are no token bytes and that some tokens contain.
const JOINERS: &[u8] = b":/+|~%,=$#^";
/// The bits of the bitmap of first bytes. About two per cent of them are set. With fewer bits, one
/// in ten words would look like the start of a kind.
const START_BITS: u32 = 18;
/// The bits of the hash that finds the prefixes.
const BUCKET_BITS: u32 = 11;
/// How many lists of prefixes there are.
const BUCKETS: usize = 1 << BUCKET_BITS;

/// The kinds, arranged so that a look costs the same however many there are.
pub(super) struct Kinds {
    shapes: Vec<&'static Shape>,
    /// One bit for each hash of four bytes that a kind or a JWT may begin with.
    start_bits: Box<[u64; 1 << (START_BITS - 6)]>,
    /// Sorted by a hash of their first three bytes.
    prefixes: Vec<Prefix>,
    /// Where the prefixes with each hash start in the list.
    bucket_starts: Box<[u16; BUCKETS + 1]>,
    infixes: Vec<Infix>,
    /// The length filters of the kinds with an infix, and of those with a keyword.
    infix_filter: LengthFilter,
    keyword_filter: LengthFilter,
    /// The length filter of the keyword kinds that need not stand where a value is assigned.
    unvalued_filter: LengthFilter,
    summary: LengthSummary,
    pub(super) start_counts: StartCounts,
    /// The shortest plain run of a kind that needs no value context, in bytes; shorter ones are
    /// closed by one of `short_closers`, or continue what stands before them.
    pub(super) min_unvalued_run: usize,
    short_closers: ByteSet,
    /// The joiners that unprefixed kinds contain.
    crossed_joiners: ByteSet,
    block_filter: BlockFilter,
    keyword_context: KeywordContext,
    /// The length of the shortest secret that needs no keyword.
    pub(super) shortest: usize,
}

/// A prefix, prepared to be compared eight bytes at once.
struct Prefix {
    probe: u64,
    mask: u64,
    shape: &'static Shape,
}

/// A literal behind a run of so many bytes that identifies a kind.
struct Infix {
    after: Range<usize>,
    literal: &'static [u8],
    shape: &'static Shape,
}

/// How a JSON object, and so a JWT, begins in base64: `{"`, or `{` and white space.
pub(super) const JWT_STARTS: [&[u8; 3]; 4] = [b"eyJ", b"eyA", b"ewo", b"ew0"];

impl Kinds {
    /// Builds the tables from the data.
    pub(super) fn new() -> Kinds {
        let shapes: Vec<&'static Shape> = table::all().collect();
        let mut start_bits = Box::new([0; 1 << (START_BITS - 6)]);
        for bit in shapes.iter().flat_map(|shape| start_bytes(shape)).map(start_hash) {
            start_bits[bit / 64] |= 1 << (bit % 64);
        }
        for [first, second, third] in JWT_STARTS {
            for bit in (0..=u8::MAX).map(|fourth| start_hash([*first, *second, *third, fourth])) {
                start_bits[bit / 64] |= 1 << (bit % 64);
            }
        }
        let prefixed = shapes.iter().filter(|shape| !shape.prefix.is_empty());
        let mut prefixes: Vec<Prefix> = prefixed.flat_map(|shape| Prefix::expand(shape)).collect();
        prefixes.sort_by_key(|prefix| bucket_of(prefix.probe));
        let bucket_starts = Box::new(std::array::from_fn(|n| {
            prefixes.partition_point(|prefix| bucket_of(prefix.probe) < n) as u16
        }));
        let infixes: Vec<Infix> = shapes.iter().copied().filter_map(infix_of).collect();
        let infix_filter = LengthFilter::new(infixes.iter().map(|infix| infix.shape));
        let bare = |shape: &&Shape| shape.prefix.is_empty() && !shape.keywords.is_empty();
        let keyword_filter = LengthFilter::new(shapes.iter().copied().filter(bare));
        let unvalued =
            |shape: &&Shape| bare(shape) && keyword_context::is_known_without_value(shape);
        let unvalued_filter = LengthFilter::new(shapes.iter().copied().filter(unvalued));
        let summary = LengthSummary::new([
            (&infix_filter, INFIX),
            (&keyword_filter, KEYWORD),
            (&unvalued_filter, UNVALUED),
        ]);
        let bare = shapes.iter().copied().filter(|shape| shape.prefix.is_empty());
        let start_counts = StartCounts::new(bare);
        let crossed_joiners =
            |sign| shapes.iter().any(|shape| shape.prefix.is_empty() && shape.crosses(sign));
        let crossed_joiners = ByteSet::of(|byte| JOINERS.contains(&byte) && crossed_joiners(byte));
        let (min_unvalued_run, short_closers) = unvalued_starts(&shapes);
        let keyword_context = KeywordContext::new(&shapes);
        let whole = shapes.iter().filter(|shape| shape.keywords.is_empty());
        let shortest = whole.map(|shape| shape.shortest()).min().unwrap_or(0);
        Kinds {
            shapes,
            start_bits,
            prefixes,
            bucket_starts,
            infixes,
            infix_filter,
            keyword_filter,
            unvalued_filter,
            summary,
            start_counts,
            min_unvalued_run,
            short_closers,
            crossed_joiners,
            block_filter: BlockFilter::new(),
            keyword_context,
            shortest,
        }
    }

    /// The secret of a known kind that starts at `at`: its prefix, its alphabet, its length and its
    /// neighbours fit.
    ///
    /// It may start before `at`, if a joiner connects it to the run there: `8123456789:AA…`,
    /// `1//0…`, base64. `text` is a view: if a token reaches its end while more text follows
    /// (`last` is false), the hit is left open.
    pub(super) fn find_at(&self, text: &[u8], at: usize, last: bool) -> Option<Hit> {
        let reaches = |hit: &Hit| hit.span.end > at;
        joined_starts(text, at)
            .find_map(|start| self.match_at(text, start, last, true).filter(reaches))
            .or_else(|| self.match_at(text, at, last, false))
    }

    /// The secret that starts exactly at `at`. With `must_continue`, an unprefixed secret must go
    /// on behind its first letters and digits.
    fn match_at(&self, text: &[u8], at: usize, last: bool, must_continue: bool) -> Option<Hit> {
        let sure = |(shape, end)| (shape, end, Confidence::High);
        let found = self.longest_prefix_match(text, at).map(sure).or_else(|| {
            let start = RunStart::of(&text[at..]);
            let allows = |filter: &LengthFilter| filter.allows(text, at, start, must_continue);
            let found = if allows(&self.infix_filter) {
                self.infix_match(text, at).map(sure)
            } else {
                None
            };
            found.or_else(|| {
                let may_have_keyword = at > 0 && allows(&self.keyword_filter);
                let (shape, end) = if may_have_keyword {
                    self.keyword_match(text, at, start)?
                } else {
                    return None;
                };
                Some((shape, end, Confidence::Medium))
            })
        });
        let (shape, end, confidence) = found?;
        let mut hit = Hit::known(at..end, shape.name, confidence);
        hit.verified = verified(shape, &text[at..end]);
        hit.open = (end == text.len() && !last).then_some(Continuation::Token);
        Some(hit)
    }

    /// The kind of a whole value: `github-pat` for `ghp_…`. Used for a value that was found by its
    /// name and may have a better-known kind.
    pub(super) fn match_whole(&self, value: &[u8]) -> Option<Hit> {
        if value.len() < self.shortest {
            return None;
        }
        self.match_at(value, 0, true, false).filter(|hit| hit.span == (0..value.len()))
    }

    /// A prefilter: false only if [`find_at`](Kinds::find_at) finds no unprefixed kind for a run
    /// that begins at `at`. Such a kind needs a digit among the first bytes of the run, a possible
    /// length, and its infix or a keyword.
    pub(super) fn may_be_unprefixed(&self, text: &[u8], at: usize) -> bool {
        is_plain(&text[at..])
            && (self.may_be_unprefixed_at(text, at, false)
                || joiner_before(text, at).is_some_and(|joiner| {
                    let crossed_joiners = self.crossed_joiners.has(text[joiner]);
                    joined_starts(text, at).any(|start| {
                        self.may_have_prefix(text, start)
                            || (crossed_joiners || start > joiner)
                                && self.may_be_unprefixed_at(text, start, true)
                    })
                }))
    }

    fn may_be_unprefixed_at(&self, text: &[u8], at: usize, must_continue: bool) -> bool {
        let text = &text[..text.len().min(at + AHEAD)];
        let start = RunStart::of(&text[at..]);
        let allows = |filter: &LengthFilter| filter.allows(text, at, start, must_continue);
        allows(&self.infix_filter) && self.infix_matches(text, at).next().is_some()
            || allows(&self.keyword_filter)
                && is_plain(&text[at..])
                && self.keyword_matches(text, at, start).next().is_some()
                && (allows(&self.unvalued_filter) || keyword_context::may_be_value(text, at))
    }

    /// A prefilter: false only if no kind with a prefix starts at `at`. Compares prefixes and
    /// lengths.
    #[inline]
    pub(super) fn may_have_prefix(&self, text: &[u8], at: usize) -> bool {
        self.may_start(text, at) && self.prefix_matches(text, at).next().is_some()
    }

    /// A cheaper prefilter: false only if no kind with a prefix starts at `at` and, where four
    /// bytes are left, no JWT either. One lookup in the bitmap; a prefix of three bytes is in it
    /// with every fourth byte.
    #[inline(always)]
    pub(super) fn may_start(&self, text: &[u8], at: usize) -> bool {
        let four = text.get(at..).and_then(<[u8]>::first_chunk);
        four.is_some_and(|four| self.may_start_with(u32::from_le_bytes(*four)))
    }

    /// The same for the four bytes that stand there.
    #[inline(always)]
    pub(super) fn may_start_with(&self, four: u32) -> bool {
        let bit = start_hash(four.to_le_bytes());
        self.start_bits[bit / 64] & (1 << (bit % 64)) != 0
    }

    /// The kinds whose prefix stands at `at` and whose parts fit, and where the secret would end.
    fn prefix_matches<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
    ) -> impl Iterator<Item = (&'static Shape, usize)> + 't {
        // No further than a view, so that a part of the text gives the same answer.
        let text = &text[..text.len().min(at + AHEAD)];
        let first = load_u64(text, at);
        let bucket = bucket_of(first);
        let range =
            usize::from(self.bucket_starts[bucket])..usize::from(self.bucket_starts[bucket + 1]);
        let same = move |prefix: &&Prefix| first & prefix.mask == prefix.probe;
        let same = self.prefixes[range].iter().filter(move |prefix| same(prefix));
        same.filter_map(move |prefix| Some((prefix.shape, prefix.shape.end(text, at)?)))
    }

    /// The longest secret with a prefix that fits completely.
    fn longest_prefix_match(&self, text: &[u8], at: usize) -> Option<(&'static Shape, usize)> {
        if !self.may_start(text, at) {
            return None;
        }
        let secrets = self.prefix_matches(text, at).filter(|(shape, end)| {
            let near = shape.keywords.is_empty()
                || keyword_context::has_keyword_before(text, at, shape.keywords);
            near && is_believable(shape, &text[at..*end])
        });
        secrets.max_by_key(|(shape, end)| (*end, shape.prefix.len()))
    }

    /// The first infix kind that fits and looks real.
    fn infix_match(&self, text: &[u8], at: usize) -> Option<(&'static Shape, usize)> {
        self.infix_matches(text, at).find(|(shape, end)| is_believable(shape, &text[at..*end]))
    }

    /// The kinds whose infix stands where it should and whose parts fit, and where the secret would
    /// end.
    fn infix_matches<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
    ) -> impl Iterator<Item = (&'static Shape, usize)> + 't {
        self.infixes.iter().filter_map(move |infix| {
            let stands = |after: usize| length::literal_at(text, at + after, infix.literal);
            let shape = infix.after.clone().any(stands).then_some(infix.shape)?;
            Some((shape, shape.end(text, at)?))
        })
    }

    /// The longest keyword kind that fits and stands where a value may.
    fn keyword_match(
        &self,
        text: &[u8],
        at: usize,
        start: RunStart,
    ) -> Option<(&'static Shape, usize)> {
        if at == 0 || !is_plain(&text[at..]) {
            return None;
        }
        let mut best: Option<(&'static Shape, usize)> = None;
        for (shape, end, enough) in self.keyword_matches(text, at, start) {
            let longer = best.is_none_or(|(_, longest)| end > longest);
            if longer
                && (shape.shape_suffices
                    || KeywordContext::is_believable_value(text, at, end, enough))
            {
                best = Some((shape, end));
            }
        }
        best
    }

    /// The kinds with a keyword before `at` whose parts fit, where the secret would end, and
    /// whether the keyword suffices by itself.
    fn keyword_matches<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
        start: RunStart,
    ) -> impl Iterator<Item = (&'static Shape, usize, bool)> + 't {
        self.keyword_context.keywords_before(text, at, start).filter_map(move |(number, enough)| {
            let shape = self.shapes[usize::from(number)];
            Some((shape, shape.end(text, at)?, enough))
        })
    }
}

/// True for a token byte: `A-Z a-z 0-9 _ - .`.
pub(super) fn is_token(byte: u8) -> bool {
    Set::DOTTED.has(byte)
}

/// True if a plain run starts here that is long enough to be a secret and has a digit.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let start = &text[..text.len().min(DIGIT_WINDOW)];
    let reaches = |digit: usize| {
        let run = start.get(..MIN_PLAIN_RUN.max(digit + 1));
        run.is_some_and(|run| run.iter().all(|b| is_plain_byte(*b)))
    };
    start.iter().position(u8::is_ascii_digit).is_some_and(reaches)
}

/// True for a byte of a plain run.
pub(super) fn is_plain_byte(byte: u8) -> bool {
    Set::PLAIN.has(byte)
}

/// Where the joiner is that connects the run at `at` to what stands before it.
#[inline]
fn joiner_before(text: &[u8], at: usize) -> Option<usize> {
    let least = at.saturating_sub(MAX_JOINED);
    let cut = text[least..at].iter().rposition(|b| !b"_-.".contains(b))?;
    JOINERS.contains(&text[least + cut]).then_some(least + cut)
}

/// Where a token may begin that continues with the run at `at`, the farthest first: `8123456789:`
/// before `AAF…`, `1//` before `0g…`, base64 that is cut by a `+` or `/`.
fn joined_starts(text: &[u8], at: usize) -> impl Iterator<Item = usize> + '_ {
    let least = at.saturating_sub(MAX_JOINED);
    let behind = &text[least..at];
    let belongs = |b: &&u8| is_token(**b) || JOINERS.contains(*b);
    let length = if joiner_before(text, at).is_some() {
        behind.iter().rev().take_while(belongs).count()
    } else {
        0
    };
    let first = at - length;
    let starts = (first..at).filter(move |&start| {
        let fresh = start == first || JOINERS.contains(&text[start - 1]);
        // Base64 may begin with a sign itself.
        is_token(text[start]) && fresh || start == first && matches!(text[start], b'/' | b'+')
    });
    starts.flat_map(move |start| {
        let before = start.checked_sub(1).map(|n| text[n]);
        let hidden = escape::hidden_length(before, &text[start..at]);
        [start, start + hidden].into_iter().take(1 + usize::from(hidden > 0))
    })
}

impl Prefix {
    /// The entries of a prefix: one, or, for a prefix of two bytes, one for each third byte that
    /// may follow.
    fn expand(shape: &'static Shape) -> Vec<Prefix> {
        let prefix = shape.prefix.as_bytes();
        let made = |three: [u8; 3]| {
            let length = prefix.len().clamp(3, 8);
            let byte = |n| if n < 3 { three[n] } else { *prefix.get(n).unwrap_or(&0) };
            let bytes: [u8; 8] = std::array::from_fn(byte);
            let mask = u64::MAX >> (64 - 8 * length);
            Prefix { probe: u64::from_le_bytes(bytes) & mask, mask, shape }
        };
        start_bytes(shape).into_iter().map(made).collect()
    }
}

/// Eight bytes of a text, with zeros behind its end.
#[inline(always)]
pub(super) fn load_u64(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(word) => u64::from_le_bytes(*word),
        None => load_u64_padded(text, at),
    }
}

/// The same near the end of the text.
#[cold]
#[inline(never)]
fn load_u64_padded(text: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|offset| text.get(at + offset).copied().unwrap_or(0)))
}

/// A hash of the first three of eight bytes. The constant is 2^32 / φ.
fn bucket_of(word: u64) -> usize {
    ((word as u32 & 0x00FF_FFFF).wrapping_mul(0x9E37_79B1) >> (32 - BUCKET_BITS)) as usize
}

/// True if the bytes of a secret look real: random, or with a right checksum, or of a shape that
/// suffices.
fn is_believable(shape: &Shape, secret: &[u8]) -> bool {
    shape.shape_suffices || looks_random(&secret[shape.prefix.len()..]) || verified(shape, secret)
}

/// The first bytes that a kind may begin with: those of its prefix and, if that is shorter, all
/// that its first part may begin with.
fn start_bytes<const LENGTH: usize>(shape: &Shape) -> Vec<[u8; LENGTH]> {
    let prefix = shape.prefix.as_bytes();
    if prefix.is_empty() {
        return Vec::new();
    }
    let mut start_bytes = vec![[0; LENGTH]];
    for place in 0..LENGTH {
        let choices: Vec<u8> = match (prefix.get(place), shape.parts.first()) {
            (Some(byte), _) => vec![*byte],
            (None, Some(Part::Lit(literal))) => {
                literal.bytes().skip(place - prefix.len()).take(1).collect()
            }
            (None, Some(Part::Run(set, ..))) => (0..128).filter(|b| set.has(*b)).collect(),
            (None, None) => Vec::new(),
        };
        let mut longer = Vec::with_capacity(start_bytes.len() * choices.len());
        for mut start in start_bytes {
            for choice in &choices {
                start[place] = *choice;
                longer.push(start);
            }
        }
        start_bytes = longer;
    }
    start_bytes
}

/// The shortest plain run of kinds that need no value context; and, for kinds that begin with a
/// shorter run, the bytes that end it.
fn unvalued_starts(shapes: &[&'static Shape]) -> (usize, ByteSet) {
    /// A shorter first run is so frequent that the byte behind it must be checked as well.
    const SHORT: usize = 20;
    let (mut least, mut short_closers) = (DIGIT_WINDOW, Vec::new());
    for shape in shapes.iter().filter(|shape| needs_no_value(shape)) {
        match shape.leading_bytes(is_plain_byte) {
            (length, Some(sign)) if length < SHORT => short_closers.push(sign),
            (length, _) => least = least.min(length),
        }
    }
    (least.max(MIN_PLAIN_RUN), ByteSet::of(|b| short_closers.contains(&b)))
}

/// True if a secret of the kind need not stand where a value is assigned.
fn needs_no_value(shape: &Shape) -> bool {
    shape.prefix.is_empty()
        && (shape.keywords.is_empty() || keyword_context::is_known_without_value(shape))
}

/// The infix of a shape that has neither a prefix nor keywords.
fn infix_of(shape: &'static Shape) -> Option<Infix> {
    match shape.parts {
        [Part::Run(_, least, most), Part::Lit(literal), ..]
            if shape.prefix.is_empty() && shape.keywords.is_empty() =>
        {
            let after = usize::from(*least)..usize::from(*most) + 1;
            Some(Infix { after, literal: literal.as_bytes(), shape })
        }
        _ => None,
    }
}

/// A hash of four bytes: their product with the fraction of the square root of 19. Of the constants
/// that were tried, it makes the fewest common words look like the start of a kind; with 2^32 / φ,
/// `json` did.
fn start_hash(four: [u8; 4]) -> usize {
    (u32::from_le_bytes(four).wrapping_mul(0x5BE0_CD19) >> (32 - START_BITS)) as usize
}
