//! The kinds of secrets that are told by their shape, as data.
//!
//! [`table`] holds a line for each kind. Here they are arranged so that a look costs the same
//! however many there are: four bytes and a bitmap say no to nearly everything.

use std::ops::Range;

use super::super::hit::{Confidence, Hit, Until};
use super::super::simd::ByteSet;
use super::super::view::AHEAD;
use super::escape;
use checksum::verified;
use demand::looks_random;
use gate::{Gate, Opening};
use glance::Glance;
use outline::{FREE, MARKED, Outline, TOLD};
use shape::{Part, Set, Shape};
pub(super) use stretch::COUNTED;
use stretch::Stretches;
use vicinity::Vicinity;

mod checksum;
mod demand;
mod gate;
mod glance;
mod outline;
mod shape;
mod stretch;
mod table;
mod vicinity;

#[cfg(test)]
mod list;
#[cfg(test)]
mod tests;

/// The shortest run that is a secret only because of what stands near.
pub(super) const PLAIN: usize = 14;
/// How many bytes of a plain run are searched for a digit: nearly every key has one by then.
const DIGIT_WITHIN: usize = 32;
/// A glance asks for digits with the bits of one word.
const _: () = assert!(DIGIT_WITHIN == u32::BITS as usize);
/// How far before a run a secret may begin that is joined to it by one of these.
const JOINED: usize = 90;
const JOINTS: &[u8] = b":/+|~%,=$#^";
/// The bits of the bitmap of first bytes: about two per cent of them are set. With fewer, one in ten
/// words would seem to begin as a kind does.
const HEAD_BITS: u32 = 18;
/// The bits of the hash that finds the prefixes.
const LIST_BITS: u32 = 11;
const LISTS: usize = 1 << LIST_BITS;

/// The table, arranged so that a look costs the same however many kinds there are.
pub(super) struct Kinds {
    shapes: Vec<&'static Shape>,
    /// A bit for each hash of four bytes with which a kind or a JWT may begin.
    heads: Box<[u64; 1 << (HEAD_BITS - 6)]>,
    /// By a hash of their first three bytes.
    prefixes: Vec<Prefix>,
    /// Where the prefixes with this hash start.
    lists: Box<[u16; LISTS + 1]>,
    marks: Vec<Mark>,
    /// Of the kinds with a mark, and of those that a word near tells.
    marked: Gate,
    told: Gate,
    /// Of those of the latter that need not stand where a value is given.
    free: Gate,
    outline: Outline,
    pub(super) stretches: Stretches,
    /// A plain run needs so many bytes, but for one that is told by what stands before it, and
    /// one that one of these closes.
    pub(super) unsaid: usize,
    closing: ByteSet,
    /// The joints behind which a kind without a prefix goes on.
    crossed: ByteSet,
    glance: Glance,
    vicinity: Vicinity,
    /// The length of the shortest secret that needs no word near.
    pub(super) shortest: usize,
}

/// A prefix, made to be compared eight bytes at once.
struct Prefix {
    sought: u64,
    counts: u64,
    shape: &'static Shape,
}

/// A literal that stands behind a run of so many bytes, and tells a kind.
struct Mark {
    after: Range<usize>,
    literal: &'static [u8],
    shape: &'static Shape,
}

/// How an object of JSON begins in base64, and so a JWT: `{"`, or `{` and white space.
pub(super) const JWT_OPENINGS: [&[u8; 3]; 4] = [b"eyJ", b"eyA", b"ewo", b"ew0"];

impl Kinds {
    pub(super) fn new() -> Kinds {
        let shapes: Vec<&'static Shape> = table::all().collect();
        let mut heads = Box::new([0; 1 << (HEAD_BITS - 6)]);
        for bit in shapes.iter().flat_map(|shape| openings(shape)).map(head) {
            heads[bit / 64] |= 1 << (bit % 64);
        }
        for [first, second, third] in JWT_OPENINGS {
            for bit in (0..=u8::MAX).map(|fourth| head([*first, *second, *third, fourth])) {
                heads[bit / 64] |= 1 << (bit % 64);
            }
        }
        let prefixed = shapes.iter().filter(|shape| !shape.prefix.is_empty());
        let mut prefixes: Vec<Prefix> = prefixed.flat_map(|shape| Prefix::all(shape)).collect();
        prefixes.sort_by_key(|prefix| list(prefix.sought));
        let lists = Box::new(std::array::from_fn(|n| {
            prefixes.partition_point(|prefix| list(prefix.sought) < n) as u16
        }));
        let marks: Vec<Mark> = shapes.iter().copied().filter_map(mark).collect();
        let marked = Gate::new(marks.iter().map(|mark| mark.shape));
        let bare = |shape: &&Shape| shape.prefix.is_empty() && !shape.near.is_empty();
        let told = Gate::new(shapes.iter().copied().filter(bare));
        let free = |shape: &&Shape| bare(shape) && vicinity::is_told_by_more(shape);
        let free = Gate::new(shapes.iter().copied().filter(free));
        let outline = Outline::new([(&marked, MARKED), (&told, TOLD), (&free, FREE)]);
        let bare = shapes.iter().copied().filter(|shape| shape.prefix.is_empty());
        let stretches = Stretches::new(bare);
        let crossed =
            |sign| shapes.iter().any(|shape| shape.prefix.is_empty() && shape.crosses(sign));
        let crossed = ByteSet::of(|byte| JOINTS.contains(&byte) && crossed(byte));
        let (unsaid, closing) = unsaid(&shapes);
        let vicinity = Vicinity::new(&shapes);
        let whole = shapes.iter().filter(|shape| shape.near.is_empty());
        let shortest = whole.map(|shape| shape.shortest()).min().unwrap_or(0);
        Kinds {
            shapes,
            heads,
            prefixes,
            lists,
            marks,
            marked,
            told,
            free,
            outline,
            stretches,
            unsaid,
            closing,
            crossed,
            glance: Glance::new(),
            vicinity,
            shortest,
        }
    }

    /// The secret of a known kind that starts at `at`, if there is one: its prefix, its alphabet,
    /// its length and what may stand beside it fit. It may start before `at`, if it is joined to
    /// the run there by a sign that is no part of a run: `8123456789:AA…`, `1//0…`, base64. `text`
    /// is a view: a token that reaches its end while more follows (`last` is false) is left open.
    pub(super) fn at(&self, text: &[u8], at: usize, last: bool) -> Option<Hit> {
        let covers = |hit: &Hit| hit.span.end > at;
        joined(text, at)
            .find_map(|start| self.starting(text, start, last, true).filter(covers))
            .or_else(|| self.starting(text, at, last, false))
    }

    /// With `crossing`, only what goes on behind its first letters and digits counts of the kinds
    /// without a prefix.
    fn starting(&self, text: &[u8], at: usize, last: bool, crossing: bool) -> Option<Hit> {
        let sure = |(shape, end)| (shape, end, Confidence::High);
        let found = self.prefixed(text, at).map(sure).or_else(|| {
            let opening = Opening::of(&text[at..]);
            let lets = |gate: &Gate| gate.lets(text, at, opening, crossing);
            let found = if lets(&self.marked) { self.marked(text, at).map(sure) } else { None };
            found.or_else(|| {
                let told = at > 0 && lets(&self.told);
                let (shape, end) = if told { self.near(text, at, opening)? } else { return None };
                Some((shape, end, Confidence::Medium))
            })
        });
        let (shape, end, confidence) = found?;
        let mut hit = Hit::known(at..end, shape.name, confidence);
        hit.verified = verified(shape, &text[at..end]);
        hit.open = (end == text.len() && !last).then_some(Until::Token);
        Some(hit)
    }

    /// The kind of a whole value: `github-pat` for `ghp_…`. For a value that was found by its name
    /// and may be something better known.
    pub(super) fn whole(&self, value: &[u8]) -> Option<Hit> {
        if value.len() < self.shortest {
            return None;
        }
        self.starting(value, 0, true, false).filter(|hit| hit.span == (0..value.len()))
    }

    /// False if [`at`](Kinds::at) finds no kind without a prefix for a run that begins at `at`. Such
    /// a kind needs a digit among the first bytes of its run, a length that it may have, and its
    /// mark or a word near.
    pub(super) fn may_be_plain(&self, text: &[u8], at: usize) -> bool {
        is_plain(&text[at..])
            && (self.may_be_bare(text, at, false)
                || joint(text, at).is_some_and(|joint| {
                    let crossed = self.crossed.has(text[joint]);
                    joined(text, at).any(|start| {
                        self.may_have_prefix(text, start)
                            || (crossed || start > joint) && self.may_be_bare(text, start, true)
                    })
                }))
    }

    fn may_be_bare(&self, text: &[u8], at: usize, crossing: bool) -> bool {
        let text = &text[..text.len().min(at + AHEAD)];
        let opening = Opening::of(&text[at..]);
        let lets = |gate: &Gate| gate.lets(text, at, opening, crossing);
        lets(&self.marked) && self.marks(text, at).next().is_some()
            || lets(&self.told)
                && is_plain(&text[at..])
                && self.told(text, at, opening).next().is_some()
                && (lets(&self.free) || vicinity::may_be_value(text, at))
    }

    /// The same for the kinds with a prefix. A bitmap of hashes of the first four bytes tells them (a
    /// shorter prefix is in it with each byte that may follow).
    #[inline]
    pub(super) fn may_have_prefix(&self, text: &[u8], at: usize) -> bool {
        self.may_open(text, at) && self.fitting(text, at).next().is_some()
    }

    /// False if no kind with a prefix starts at `at`, and where four bytes are left no JWT either.
    #[inline(always)]
    pub(super) fn may_open(&self, text: &[u8], at: usize) -> bool {
        let four = text.get(at..).and_then(<[u8]>::first_chunk);
        four.is_some_and(|four| self.may_open_with(u32::from_le_bytes(*four)))
    }

    /// The same for these four bytes.
    #[inline(always)]
    pub(super) fn may_open_with(&self, four: u32) -> bool {
        let bit = head(four.to_le_bytes());
        self.heads[bit / 64] & (1 << (bit % 64)) != 0
    }

    /// The kinds with a prefix that may start at `at`, and where the secret would end.
    fn fitting<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
    ) -> impl Iterator<Item = (&'static Shape, usize)> + 't {
        // No more than a view shows, so that the same is said of a part of the text.
        let text = &text[..text.len().min(at + AHEAD)];
        let first = eight(text, at);
        let list = list(first);
        let range = usize::from(self.lists[list])..usize::from(self.lists[list + 1]);
        let same = move |prefix: &&Prefix| first & prefix.counts == prefix.sought;
        let same = self.prefixes[range].iter().filter(move |prefix| same(prefix));
        same.filter_map(move |prefix| Some((prefix.shape, prefix.shape.end(text, at)?)))
    }

    /// The longest that fits of the kinds that are told by a prefix.
    fn prefixed(&self, text: &[u8], at: usize) -> Option<(&'static Shape, usize)> {
        if !self.may_open(text, at) {
            return None;
        }
        let secrets = self.fitting(text, at).filter(|(shape, end)| {
            let near = shape.near.is_empty() || vicinity::stands_near(text, at, shape.near);
            near && believable(shape, &text[at..*end])
        });
        secrets.max_by_key(|(shape, end)| (*end, shape.prefix.len()))
    }

    fn marked(&self, text: &[u8], at: usize) -> Option<(&'static Shape, usize)> {
        self.marks(text, at).find(|(shape, end)| believable(shape, &text[at..*end]))
    }

    /// The kinds with a mark that may start at `at`, and where the secret would end.
    fn marks<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
    ) -> impl Iterator<Item = (&'static Shape, usize)> + 't {
        self.marks.iter().filter_map(move |mark| {
            let stands = |after: usize| gate::starts(text, at + after, mark.literal);
            let shape = mark.after.clone().any(stands).then_some(mark.shape)?;
            Some((shape, shape.end(text, at)?))
        })
    }

    fn near(&self, text: &[u8], at: usize, opening: Opening) -> Option<(&'static Shape, usize)> {
        if at == 0 || !is_plain(&text[at..]) {
            return None;
        }
        let mut best: Option<(&'static Shape, usize)> = None;
        for (shape, end, enough) in self.told(text, at, opening) {
            let longer = best.is_none_or(|(_, longest)| end > longest);
            if longer && (shape.sure || Vicinity::fits(text, at, end, enough)) {
                best = Some((shape, end));
            }
        }
        best
    }

    /// The kinds that a word before `at` tells and that may start there, where the secret would
    /// end, and whether the word says enough by itself.
    fn told<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
        opening: Opening,
    ) -> impl Iterator<Item = (&'static Shape, usize, bool)> + 't {
        self.vicinity.told(text, at, opening).filter_map(move |(number, enough)| {
            let shape = self.shapes[usize::from(number)];
            Some((shape, shape.end(text, at)?, enough))
        })
    }
}

/// True for what a run is made of: `A-Z a-z 0-9 _ - .`.
pub(super) fn is_token(byte: u8) -> bool {
    Set::DOTTED.has(byte)
}

/// True if a run starts here that is long enough to be a secret, with a digit.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let start = &text[..text.len().min(DIGIT_WITHIN)];
    let reaches = |digit: usize| {
        let run = start.get(..PLAIN.max(digit + 1));
        run.is_some_and(|run| run.iter().all(|b| is_plain_byte(*b)))
    };
    start.iter().position(u8::is_ascii_digit).is_some_and(reaches)
}

/// True for what such a run is made of.
pub(super) fn is_plain_byte(byte: u8) -> bool {
    Set::PLAIN.has(byte)
}

/// Where the sign is that joins the run at `at` to what stands before it.
#[inline]
fn joint(text: &[u8], at: usize) -> Option<usize> {
    let least = at.saturating_sub(JOINED);
    let cut = text[least..at].iter().rposition(|b| !b"_-.".contains(b))?;
    JOINTS.contains(&text[least + cut]).then_some(least + cut)
}

/// Where the token may begin that goes on with the run at `at`, the farthest first: `8123456789:`
/// before `AAF…`, `1//` before `0g…`, base64 that a `+` or a `/` has cut.
fn joined(text: &[u8], at: usize) -> impl Iterator<Item = usize> + '_ {
    let least = at.saturating_sub(JOINED);
    let behind = &text[least..at];
    let belongs = |b: &&u8| is_token(**b) || JOINTS.contains(*b);
    let length =
        if joint(text, at).is_some() { behind.iter().rev().take_while(belongs).count() } else { 0 };
    let first = at - length;
    let starts = (first..at).filter(move |&start| {
        let fresh = start == first || JOINTS.contains(&text[start - 1]);
        // A run of base64 may begin with a sign itself.
        is_token(text[start]) && fresh || start == first && matches!(text[start], b'/' | b'+')
    });
    starts.flat_map(move |start| {
        let before = start.checked_sub(1).map(|n| text[n]);
        let hidden = escape::hidden(before, &text[start..at]);
        [start, start + hidden].into_iter().take(1 + usize::from(hidden > 0))
    })
}

impl Prefix {
    /// The prefix, for each third byte that may follow one of two.
    fn all(shape: &'static Shape) -> Vec<Prefix> {
        let prefix = shape.prefix.as_bytes();
        let made = |three: [u8; 3]| {
            let length = prefix.len().clamp(3, 8);
            let byte = |n| if n < 3 { three[n] } else { *prefix.get(n).unwrap_or(&0) };
            let bytes: [u8; 8] = std::array::from_fn(byte);
            let counts = u64::MAX >> (64 - 8 * length);
            Prefix { sought: u64::from_le_bytes(bytes) & counts, counts, shape }
        };
        openings(shape).into_iter().map(made).collect()
    }
}

/// Eight bytes of a text, with zeros behind its end.
#[inline(always)]
pub(super) fn eight(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last(text, at),
    }
}

/// The same for fewer than eight.
#[cold]
#[inline(never)]
fn last(text: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|offset| text.get(at + offset).copied().unwrap_or(0)))
}

/// A hash of the first three of eight bytes.
fn list(eight: u64) -> usize {
    ((eight as u32 & 0x00FF_FFFF).wrapping_mul(0x9E37_79B1) >> (32 - LIST_BITS)) as usize
}

fn believable(shape: &Shape, secret: &[u8]) -> bool {
    shape.sure || looks_random(&secret[shape.prefix.len()..]) || verified(shape, secret)
}

/// The first bytes with which a kind may begin: those of its prefix, and where that is shorter,
/// all that its first part may begin with.
fn openings<const LENGTH: usize>(shape: &Shape) -> Vec<[u8; LENGTH]> {
    let prefix = shape.prefix.as_bytes();
    if prefix.is_empty() {
        return Vec::new();
    }
    let mut openings = vec![[0; LENGTH]];
    for place in 0..LENGTH {
        let choices: Vec<u8> = match (prefix.get(place), shape.parts.first()) {
            (Some(byte), _) => vec![*byte],
            (None, Some(Part::Lit(literal))) => {
                literal.bytes().skip(place - prefix.len()).take(1).collect()
            }
            (None, Some(Part::Run(set, ..))) => (0..128).filter(|b| set.has(*b)).collect(),
            (None, None) => Vec::new(),
        };
        let mut longer = Vec::with_capacity(openings.len() * choices.len());
        for mut opening in openings {
            for choice in &choices {
                opening[place] = *choice;
                longer.push(opening);
            }
        }
        openings = longer;
    }
    openings
}

/// How long a plain run is at least with which a kind begins that needs no value before it; but for
/// short ones that end with a literal: its first bytes.
fn unsaid(shapes: &[&'static Shape]) -> (usize, ByteSet) {
    const SHORT: usize = 20;
    let (mut least, mut closing) = (DIGIT_WITHIN, Vec::new());
    for shape in shapes.iter().filter(|shape| is_unsaid(shape)) {
        match shape.opening(is_plain_byte) {
            (length, Some(sign)) if length < SHORT => closing.push(sign),
            (length, _) => least = least.min(length),
        }
    }
    (least.max(PLAIN), ByteSet::of(|b| closing.contains(&b)))
}

/// True if what begins as the kind does needs no value before it.
fn is_unsaid(shape: &Shape) -> bool {
    shape.prefix.is_empty() && (shape.near.is_empty() || vicinity::is_told_by_more(shape))
}

/// The mark of a shape that has neither a prefix nor a word near.
fn mark(shape: &'static Shape) -> Option<Mark> {
    match shape.parts {
        [Part::Run(_, least, most), Part::Lit(literal), ..]
            if shape.prefix.is_empty() && shape.near.is_empty() =>
        {
            let after = usize::from(*least)..usize::from(*most) + 1;
            Some(Mark { after, literal: literal.as_bytes(), shape })
        }
        _ => None,
    }
}

/// A hash of four bytes: their product with a constant of even bits. Of those that were tried, this
/// one, the fraction of the square root of 19, takes the fewest usual words for beginnings: with
/// 2^32 / φ `json` was one.
fn head(four: [u8; 4]) -> usize {
    (u32::from_le_bytes(four).wrapping_mul(0x5BE0_CD19) >> (32 - HEAD_BITS)) as usize
}
