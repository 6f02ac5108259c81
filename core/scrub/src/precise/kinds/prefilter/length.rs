//! The length filter: rejects runs by their length and by the byte or literal behind them.
//!
//! An unprefixed secret begins with some number of letters and digits. Then it ends, or a literal
//! follows. A table by that number covers which bytes may follow. A secret that begins with other
//! bytes as well (`_`, `-`, `.`, `+`, `/`) has a *wide start*: it is recognised by how many bytes
//! of its set follow each other.

use crate::precise::kinds::shape::{Part, Set, Shape};

/// Longer runs of letters and digits count as this long: one bit each in a 128-bit word.
pub(in crate::precise::kinds) const MAX_LETTERS: usize = 127;
/// Bytes of wider sets are counted no further than this: one block.
pub(in crate::precise::kinds) const MAX_WIDE: usize = 64;

/// A wide start with fewer bytes than this covers little; its literal covers more.
const MIN_SELECTIVE_BYTES: usize = 16;

/// A literal is searched only if it can stand at fewer places than this.
const MAX_OFFSETS: usize = 16;

/// How many bytes of each class a text starts with.
#[derive(Clone, Copy)]
pub(in crate::precise::kinds) struct RunStart {
    /// Letters and digits.
    pub letters: usize,
    /// Bytes of a token (`_ - .` as well), and bytes of base64. At least as many as letters and
    /// digits, counted up to [`MAX_WIDE`].
    pub dotted: usize,
    pub base64: usize,
}

/// What a text must start with for a shape.
#[derive(Clone, Copy)]
pub(in crate::precise::kinds) struct ShapeStart {
    /// One bit for each possible number of letters and digits; the highest for [`MAX_LETTERS`] and
    /// more.
    letters: u128,
    wide_starts: Option<WideStart>,
}

/// What the kinds of one group may begin with.
pub(in crate::precise::kinds) struct LengthFilter {
    /// By the length of the first run of letters and digits: the bytes that may follow it if the
    /// secret ends there, and if it continues.
    may_end: Box<[u128; MAX_LETTERS + 1]>,
    may_continue: Box<[u128; MAX_LETTERS + 1]>,
    next_literals: Vec<Vec<NextLiteral>>,
    /// By that length: the literals of kinds that consist of letters and digits only.
    inner_literals: Vec<Vec<LiteralRange>>,
    /// Kinds that begin with other bytes as well.
    wide_starts: Vec<WideStart>,
    /// Which wide starts are possible, by the number of token bytes and of base64 bytes: one bit
    /// each, set in both.
    dotted: Box<[u64; MAX_WIDE + 1]>,
    base64: Box<[u64; MAX_WIDE + 1]>,
    /// The wide starts with so few bytes that their literal covers more.
    short_wide: u64,
    /// The wide starts without a literal; and for the others, which byte must stand where.
    without_literal: u64,
    literal_bytes: Vec<(usize, u8)>,
}

/// A literal and the first and last place it may stand at, counted from the first byte.
pub(in crate::precise::kinds) type LiteralRange = (usize, usize, &'static [u8]);

/// What a secret begins with, and what follows its first letters and digits: a literal, and then at
/// least so many bytes of a set.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::precise::kinds) struct NextLiteral {
    leading: &'static [u8],
    set: Set,
    literal: &'static [u8],
    then: (usize, Set),
}

/// At least so many bytes of a set, and a literal at one of some places.
#[derive(Clone, Copy)]
struct WideStart {
    least: usize,
    set: Set,
    literal: LiteralRange,
}

impl LengthFilter {
    pub(in crate::precise::kinds) fn new(
        shapes: impl Iterator<Item = &'static Shape>,
    ) -> LengthFilter {
        let none = || Box::new([0; MAX_LETTERS + 1]);
        let mut filter = LengthFilter {
            may_end: none(),
            may_continue: none(),
            next_literals: vec![Vec::new(); MAX_LETTERS + 1],
            inner_literals: vec![Vec::new(); MAX_LETTERS + 1],
            wide_starts: Vec::new(),
            dotted: Box::new([0; MAX_WIDE + 1]),
            base64: Box::new([0; MAX_WIDE + 1]),
            short_wide: 0,
            without_literal: 0,
            literal_bytes: Vec::new(),
        };
        shapes.for_each(|shape| filter.add(shape));
        // One bit for each of them; a test counts them.
        for (number, wide_start) in filter.wide_starts.iter().enumerate() {
            let short_wide =
                wide_start.least < MIN_SELECTIVE_BYTES && !wide_start.literal.2.is_empty();
            filter.short_wide |= u64::from(short_wide) << number;
            filter.without_literal |= u64::from(wide_start.literal.2.is_empty()) << number;
            let (least, most, literal) = wide_start.literal;
            for place in literal.first().map_or(0..0, |_| least..most + 1) {
                filter.literal_bytes.push((place, literal[0]));
            }
            for (length, (dotted, base64)) in
                filter.dotted.iter_mut().zip(&mut *filter.base64).enumerate()
            {
                let one = RunStart { letters: 0, dotted: length, base64: MAX_WIDE };
                *dotted |= u64::from(one.has(wide_start.least, wide_start.set)) << number;
                let one = RunStart { letters: 0, dotted: MAX_WIDE, base64: length };
                *base64 |= u64::from(one.has(wide_start.least, wide_start.set)) << number;
            }
        }
        filter.literal_bytes.sort_unstable();
        filter.literal_bytes.dedup();
        filter
    }

    /// Adds a wide start, unless another one covers it.
    fn add_wide(&mut self, mut wide_start: WideStart) {
        if !Set::DOTTED.contains_set(wide_start.set) && !Set::BASE64.contains_set(wide_start.set) {
            // A run start does not count the bytes of this set.
            wide_start.least = 0;
        }
        let covers = |one: &WideStart, other: &WideStart| {
            let literal = one.literal.2.is_empty() || one.literal == other.literal;
            one.least <= other.least && one.set.contains_set(other.set) && literal
        };
        if !self.wide_starts.iter().any(|one| covers(one, &wide_start)) {
            self.wide_starts.retain(|other| !covers(&wide_start, other));
            self.wide_starts.push(wide_start);
        }
    }

    /// Adds a shape: the lengths that its first run may have, and what must stand behind it.
    fn add(&mut self, shape: &'static Shape) {
        let (mut least, mut most) = (0, 0);
        let mut inner_literals: Option<LiteralRange> = None;
        let leading = leading_literal(shape);
        let set = match shape.parts.first() {
            Some(Part::Run(set, few, _)) if *few > 0 => *set,
            _ => Set::ALNUM,
        };
        for (number, part) in shape.parts.iter().enumerate() {
            match part {
                Part::Lit(literal) => {
                    let literal = literal.as_bytes();
                    let sign = literal.iter().position(|b| !Set::ALNUM.has(*b));
                    let letters = sign.unwrap_or(literal.len());
                    if number > 0 && sign.is_none() && most - least < MAX_OFFSETS {
                        inner_literals.get_or_insert((least, most, literal));
                    }
                    (least, most) = (least + letters, most + letters);
                    if let Some(sign) = sign {
                        let next = 1 << (literal[sign] & 127);
                        allow(&mut self.may_continue, least, most, next);
                        let leading =
                            if number == 0 && sign > 0 { &leading[..sign] } else { leading };
                        let then = min_run_of(shape.parts.get(number + 1));
                        let next_literals =
                            NextLiteral { leading, set, literal: &literal[sign..], then };
                        for row in
                            &mut self.next_literals[least.min(MAX_LETTERS)..=most.min(MAX_LETTERS)]
                        {
                            // Many kinds are UUIDs and share one entry.
                            if !row.contains(&next_literals) {
                                row.push(next_literals);
                            }
                        }
                        return;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.contains_set(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(..) => return self.add_wide(WideStart::of(shape, number, (least, most))),
            }
        }
        // As `Shape::end` requires, and `is_believable_value` if the shape does not suffice.
        let never: &[u8] = if shape.shape_suffices { b"_" } else { b"_-/+" };
        let next = never.iter().fold(u128::MAX, |all, sign| all & !(1 << sign));
        match inner_literals {
            Some(inner_literals) => {
                let rows = least.min(MAX_LETTERS)..=most.min(MAX_LETTERS);
                self.inner_literals[rows].iter_mut().for_each(|row| row.push(inner_literals));
            }
            None => allow(&mut self.may_end, least, most, next),
        }
    }

    /// False only if no secret starts with so many letters and digits and ends before `next`.
    pub(in crate::precise::kinds) fn may_end(&self, letters: usize, next: u8) -> bool {
        let row = letters.min(MAX_LETTERS);
        self.may_end[row] >> next & 1 == 1 || !self.inner_literals[row].is_empty()
    }

    /// The literals that may follow so many letters and digits, each with its first byte.
    pub(in crate::precise::kinds) fn next_literals_after(
        &self,
        letters: usize,
    ) -> impl Iterator<Item = (u8, &NextLiteral)> {
        let next_literals = self.next_literals[letters.min(MAX_LETTERS)].iter();
        next_literals.filter_map(|next| Some((*next.literal.first()?, next)))
    }

    /// False only if no wide start fits the counts, except those of
    /// [`short_wide_literals`](LengthFilter::short_wide_literals).
    pub(in crate::precise::kinds) fn may_be_wide(&self, run_start: RunStart) -> bool {
        let wide_starts = self.dotted[run_start.dotted.min(MAX_WIDE)]
            & self.base64[run_start.base64.min(MAX_WIDE)];
        wide_starts & !self.short_wide != 0
    }

    /// The literals of wide starts about which the counts say little.
    pub(in crate::precise::kinds) fn short_wide_literals(
        &self,
    ) -> impl Iterator<Item = LiteralRange> + '_ {
        let short_wide =
            self.wide_starts.iter().enumerate().filter(|(n, _)| self.short_wide >> n & 1 == 1);
        short_wide.map(|(_, wide_start)| wide_start.literal)
    }

    /// The filter: false only if no secret of these kinds starts at `at`, where the text starts
    /// with these counts. With `must_continue`, a secret that ends with its first letters and
    /// digits does not count.
    #[inline]
    pub(in crate::precise::kinds) fn allows(
        &self,
        text: &[u8],
        at: usize,
        run_start: RunStart,
        must_continue: bool,
    ) -> bool {
        let letters = run_start.letters;
        let next = text.get(at + letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let row = letters.min(MAX_LETTERS);
        let allowed = |rows: &[u128; MAX_LETTERS + 1]| rows[row] >> next & 1 == 1;
        !must_continue && (allowed(&self.may_end) || self.has_inner_literal(&text[at..], row))
            || allowed(&self.may_continue) && self.has_next_literal(&text[at..], letters)
            || self.has_wide_start(text, at, run_start)
    }

    /// True if a literal that a shape has inside its first run stands in `text`.
    #[inline]
    fn has_inner_literal(&self, text: &[u8], row: usize) -> bool {
        self.inner_literals[row].iter().any(|literal| has_literal(text, literal))
    }

    /// True if a literal that a shape has behind so many letters and digits stands there.
    fn has_next_literal(&self, text: &[u8], letters: usize) -> bool {
        let first = text.first().copied().unwrap_or(0);
        self.next_literals[letters.min(MAX_LETTERS)].iter().any(|next| {
            next.begins(first)
                && literal_at(text, letters, next.literal)
                && next.is_followed(text, letters)
        })
    }

    /// True if a shape whose first run has more than letters and digits may start there.
    #[inline]
    fn has_wide_start(&self, text: &[u8], at: usize, run_start: RunStart) -> bool {
        let mut wide_starts = self.dotted[run_start.dotted.min(MAX_WIDE)]
            & self.base64[run_start.base64.min(MAX_WIDE)];
        if wide_starts & self.without_literal != 0 {
            return true;
        }
        if wide_starts == 0 || !self.has_literal_byte(text, at) {
            return false;
        }
        while wide_starts != 0 {
            let number = wide_starts.trailing_zeros() as usize;
            wide_starts &= wide_starts - 1;
            if has_literal(&text[at..], &self.wide_starts[number].literal) {
                return true;
            }
        }
        false
    }

    /// False only if no literal of a wide start stands where it must.
    #[inline]
    fn has_literal_byte(&self, text: &[u8], at: usize) -> bool {
        let there = |(place, sign): &(usize, u8)| text.get(at + place) == Some(sign);
        self.literal_bytes.iter().fold(false, |any, sign| any | there(sign))
    }
}

impl WideStart {
    /// The wide start of a shape. Its part of this number is the first with bytes other than
    /// letters and digits; between `least` and `most` of those stand before it.
    fn of(shape: &Shape, number: usize, (least, most): (usize, usize)) -> WideStart {
        let (set, few, many) = match shape.parts.get(number) {
            Some(Part::Run(set, few, many)) => (*set, usize::from(*few), usize::from(*many)),
            _ => (Set::NONE, 0, 0),
        };
        let (least, most) = (least + few, most + many);
        let literal = match shape.parts.get(number + 1) {
            Some(Part::Lit(literal)) if most - least < MAX_OFFSETS => {
                (least, most, literal.as_bytes())
            }
            _ => (0, 0, leading_literal(shape)),
        };
        WideStart { least, set: set.with(Set::ALNUM), literal }
    }
}

impl NextLiteral {
    pub(in crate::precise::kinds) fn begins(&self, first: u8) -> bool {
        match self.leading.first() {
            Some(leading) => first == *leading,
            None => self.set.has(first),
        }
    }

    /// True if the bytes behind the literal are there.
    fn is_followed(&self, text: &[u8], letters: usize) -> bool {
        let (few, set) = self.then;
        let from = letters + self.literal.len();
        text.get(from..from + few).is_some_and(|bytes| bytes.iter().all(|b| set.has(*b)))
    }
}

#[inline]
pub(in crate::precise::kinds) fn has_literal(
    text: &[u8],
    &(least, most, literal): &LiteralRange,
) -> bool {
    (least..=most).any(|place| literal_at(text, place, literal))
}

/// True if the literal stands at `place`. Its first byte rejects nearly everything.
#[inline]
pub(in crate::precise::kinds) fn literal_at(text: &[u8], place: usize, literal: &[u8]) -> bool {
    text.get(place) == literal.first()
        && text.get(place..).is_some_and(|rest| rest.starts_with(literal))
}

/// The literal that a shape begins with.
fn leading_literal(shape: &Shape) -> &'static [u8] {
    match shape.parts.first() {
        Some(Part::Lit(literal)) => literal.as_bytes(),
        _ => b"",
    }
}

/// The least run of a part, and its set.
fn min_run_of(part: Option<&Part>) -> (usize, Set) {
    match part {
        Some(Part::Run(set, few, _)) => (usize::from(*few), *set),
        _ => (0, Set::NONE),
    }
}

/// Sets the bits of `next` in the rows from `least` to `most`.
fn allow(rows: &mut [u128; MAX_LETTERS + 1], least: usize, most: usize, next: u128) {
    for row in &mut rows[least.min(MAX_LETTERS)..=most.min(MAX_LETTERS)] {
        *row |= next;
    }
}

impl RunStart {
    #[inline]
    pub(in crate::precise::kinds) fn of(text: &[u8]) -> RunStart {
        let letters = run_length(text, Set::ALNUM);
        let behind = &text[letters.min(MAX_WIDE)..text.len().min(MAX_WIDE)];
        let further = |set| letters.min(MAX_WIDE) + run_length(behind, set);
        RunStart { letters, dotted: further(Set::DOTTED), base64: further(Set::BASE64) }
    }

    /// False only if the text does not start with `least` bytes of the set.
    #[inline]
    fn has(self, least: usize, set: Set) -> bool {
        let known =
            |larger: Set, length: usize| larger.contains_set(set) && length < least.min(MAX_WIDE);
        !known(Set::DOTTED, self.dotted) && !known(Set::BASE64, self.base64)
    }
}

impl ShapeStart {
    pub(in crate::precise::kinds) fn of(shape: &Shape) -> ShapeStart {
        let (mut least, mut most) = (0, 0);
        for (number, part) in shape.parts.iter().enumerate() {
            match part {
                Part::Lit(literal) => {
                    let letters = run_length(literal.as_bytes(), Set::ALNUM);
                    (least, most) = (least + letters, most + letters);
                    if letters < literal.len() {
                        break;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.contains_set(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(..) => {
                    let wide_starts = Some(WideStart::of(shape, number, (least, most)));
                    return ShapeStart { letters: 0, wide_starts };
                }
            }
        }
        let letters = (least.min(MAX_LETTERS)..=most.min(MAX_LETTERS))
            .fold(0, |bits, length| bits | 1 << length);
        ShapeStart { letters, wide_starts: None }
    }

    /// False only if no secret of the shape starts with `text`, which has these counts.
    #[inline]
    pub(in crate::precise::kinds) fn may_start(&self, text: &[u8], run_start: RunStart) -> bool {
        let is_wide = |wide_starts: &WideStart| {
            let WideStart { least, set, literal } = wide_starts;
            run_start.has(*least, *set) && (literal.2.is_empty() || has_literal(text, literal))
        };
        self.wide_starts.as_ref().is_some_and(is_wide)
            || self.letters >> run_start.letters.min(MAX_LETTERS) & 1 == 1
    }
}

/// How many bytes of the set `text` starts with.
#[inline]
fn run_length(text: &[u8], set: Set) -> usize {
    text.iter().position(|b| !set.has(*b)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::precise::kinds::table;

    fn secret(shape: &Shape, longest: bool, letter: u8) -> Vec<u8> {
        let part = |part: &Part| match part {
            Part::Lit(literal) => literal.as_bytes().to_vec(),
            Part::Run(set, least, most) => {
                let byte = [letter, b'1', b'='].into_iter().find(|b| set.has(*b)).unwrap();
                vec![byte; usize::from(if longest { *most } else { *least })]
            }
        };
        shape.parts.iter().flat_map(part).collect()
    }

    #[test]
    fn every_secret_opens_as_its_shape_says() {
        let without_literal: Vec<&Shape> =
            table::all().filter(|shape| shape.prefix.is_empty()).collect();
        assert!(without_literal.len() > 50);
        for shape in without_literal {
            for letter in *b"1aA-_./" {
                for longest in [false, true] {
                    for behind in ["", " ", "\"", "\n"] {
                        let mut text = secret(shape, longest, letter);
                        text.extend_from_slice(behind.as_bytes());
                        if shape.end(&text, 0).is_some() {
                            let run_start = RunStart::of(&text);
                            assert!(
                                ShapeStart::of(shape).may_start(&text, run_start),
                                "{}",
                                shape.name
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_wide_beginning_of_a_gate_has_a_bit() {
        let without_literal = table::all().filter(|shape| shape.prefix.is_empty());
        let filter = LengthFilter::new(without_literal);
        assert!(
            (1..=64).contains(&filter.wide_starts.len()),
            "{} are wide",
            filter.wide_starts.len()
        );
        let all = filter.dotted[MAX_WIDE] & filter.base64[MAX_WIDE];
        assert_eq!(all.count_ones() as usize, filter.wide_starts.len());
    }

    #[test]
    fn a_run_that_is_too_short_opens_no_secret() {
        let shape = table::all().find(|shape| shape.name == "dropbox-legacy-token").unwrap();
        let have = |text: &[u8]| ShapeStart::of(shape).may_start(text, RunStart::of(text));
        assert!(!have(&[b'a'; 63]));
        assert!(have(&[b'a'; 64]));
    }

    #[test]
    fn a_run_without_its_literal_opens_no_secret() {
        let shape = table::all().find(|shape| shape.name == "azure-client-secret-legacy").unwrap();
        let have = |text: &[u8]| ShapeStart::of(shape).may_start(text, RunStart::of(text));
        assert!(have(b"0123456789abcdef0123456789abcdef=\""));
        assert!(!have(b"0123456789abcdef0123456789abcdef\"),"));
    }
}
