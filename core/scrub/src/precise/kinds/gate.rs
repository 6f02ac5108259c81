//! Says no to nearly every run that is of no kind without a prefix, by its length alone.
//!
//! Such a kind begins with so many letters and digits, and then ends, or goes on with a literal:
//! a table by the length says what may follow. A kind that begins with other signs as well is
//! told by how many of them follow each other.

use super::shape::{Part, Set, Shape};

/// Runs of letters and digits that are longer count as this long.
pub(super) const LONG: usize = 127;
/// Nor is it counted further how many bytes of other sets follow each other.
pub(super) const WIDE: usize = 64;

/// Fewer signs than this say little of a secret that begins with them.
const BRIEF: usize = 16;

/// A literal is sought at fewer places than this.
const CHOICES: usize = 16;

/// What a text starts with.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    /// How many letters and digits.
    pub letters: usize,
    /// How many letters, digits and signs of a run (`_ - .`), and how many of base64: at least as
    /// many as letters and digits, and counted to [`WIDE`].
    pub dotted: usize,
    pub base64: usize,
}

/// What a text must start with for a shape.
#[derive(Clone, Copy)]
pub(super) struct Openings {
    /// A bit for each number of letters and digits, the highest for [`LONG`] and more.
    letters: u128,
    wide: Option<Wide>,
}

/// What kinds of one sort may begin with.
pub(super) struct Gate {
    /// By the length of the first run of letters and digits: which bytes may follow it where the
    /// secret ends, and where it goes on.
    ends: Box<[u128; LONG + 1]>,
    goes_on: Box<[u128; LONG + 1]>,
    onward: Vec<Vec<Onward>>,
    /// The literal of those that have one among nothing but letters and digits.
    inner: Vec<Vec<Inner>>,
    /// Those that begin with other signs as well.
    wide: Vec<Wide>,
    /// Which of these may be there, by how many bytes of a run and how many of base64 a text opens
    /// with: a bit for each that is in both.
    dotted: Box<[u64; WIDE + 1]>,
    base64: Box<[u64; WIDE + 1]>,
    /// Which of them begin with so few signs that their literal says more.
    brief: u64,
    /// Which of them have no literal, and for the others which byte stands where.
    bare: u64,
    signs: Vec<(usize, u8)>,
}

/// A literal at one of some places, counted from the first byte.
pub(super) type Inner = (usize, usize, &'static [u8]);

/// What a secret begins with, and what follows its first letters and digits: a literal, and at
/// least so many bytes of a set.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Onward {
    opens: &'static [u8],
    set: Set,
    literal: &'static [u8],
    then: (usize, Set),
}

/// So many bytes of a set, and a literal at one of some places, counted from the first byte.
#[derive(Clone, Copy)]
struct Wide {
    least: usize,
    set: Set,
    literal: Inner,
}

impl Gate {
    pub(super) fn new(shapes: impl Iterator<Item = &'static Shape>) -> Gate {
        let none = || Box::new([0; LONG + 1]);
        let mut gate = Gate {
            ends: none(),
            goes_on: none(),
            onward: vec![Vec::new(); LONG + 1],
            inner: vec![Vec::new(); LONG + 1],
            wide: Vec::new(),
            dotted: Box::new([0; WIDE + 1]),
            base64: Box::new([0; WIDE + 1]),
            brief: 0,
            bare: 0,
            signs: Vec::new(),
        };
        shapes.for_each(|shape| gate.add(shape));
        // A bit for each of them; a test counts them.
        for (number, wide) in gate.wide.iter().enumerate() {
            let brief = wide.least < BRIEF && !wide.literal.2.is_empty();
            gate.brief |= u64::from(brief) << number;
            gate.bare |= u64::from(wide.literal.2.is_empty()) << number;
            let (least, most, literal) = wide.literal;
            for place in literal.first().map_or(0..0, |_| least..most + 1) {
                gate.signs.push((place, literal[0]));
            }
            for (length, (dotted, base64)) in
                gate.dotted.iter_mut().zip(&mut *gate.base64).enumerate()
            {
                let one = Opening { letters: 0, dotted: length, base64: WIDE };
                *dotted |= u64::from(one.has(wide.least, wide.set)) << number;
                let one = Opening { letters: 0, dotted: WIDE, base64: length };
                *base64 |= u64::from(one.has(wide.least, wide.set)) << number;
            }
        }
        gate.signs.sort_unstable();
        gate.signs.dedup();
        gate
    }

    /// Adds so many bytes of a set, unless fewer of as many signs are enough already.
    fn add_wide(&mut self, mut wide: Wide) {
        if !Set::DOTTED.covers(wide.set) && !Set::BASE64.covers(wide.set) {
            // No opening says how many of them there are.
            wide.least = 0;
        }
        let says = |one: &Wide, other: &Wide| {
            let literal = one.literal.2.is_empty() || one.literal == other.literal;
            one.least <= other.least && one.set.covers(other.set) && literal
        };
        if !self.wide.iter().any(|one| says(one, &wide)) {
            self.wide.retain(|other| !says(&wide, other));
            self.wide.push(wide);
        }
    }

    fn add(&mut self, shape: &'static Shape) {
        let (mut least, mut most) = (0, 0);
        let mut inner: Option<Inner> = None;
        let opens = opens(shape);
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
                    if number > 0 && sign.is_none() && most - least < CHOICES {
                        inner.get_or_insert((least, most, literal));
                    }
                    (least, most) = (least + letters, most + letters);
                    if let Some(sign) = sign {
                        let next = 1 << (literal[sign] & 127);
                        allow(&mut self.goes_on, least, most, next);
                        let opens = if number == 0 && sign > 0 { &opens[..sign] } else { opens };
                        let then = least_of(shape.parts.get(number + 1));
                        let onward = Onward { opens, set, literal: &literal[sign..], then };
                        for row in &mut self.onward[least.min(LONG)..=most.min(LONG)] {
                            // Many kinds are UUIDs.
                            if !row.contains(&onward) {
                                row.push(onward);
                            }
                        }
                        return;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.covers(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(..) => return self.add_wide(Wide::of(shape, number, (least, most))),
            }
        }
        // As `Shape::end` asks, and `Vicinity::fits` where the shape is not sure.
        let never: &[u8] = if shape.sure { b"_" } else { b"_-/+" };
        let next = never.iter().fold(u128::MAX, |all, sign| all & !(1 << sign));
        match inner {
            Some(inner) => {
                let rows = least.min(LONG)..=most.min(LONG);
                self.inner[rows].iter_mut().for_each(|row| row.push(inner));
            }
            None => allow(&mut self.ends, least, most, next),
        }
    }

    /// False if no secret starts with so many letters and digits and ends where `next` follows
    /// them.
    pub(super) fn may_end(&self, letters: usize, next: u8) -> bool {
        let row = letters.min(LONG);
        self.ends[row] >> next & 1 == 1 || !self.inner[row].is_empty()
    }

    /// Those that go on behind so many letters and digits, each with the sign that it goes on with.
    pub(super) fn going_on(&self, letters: usize) -> impl Iterator<Item = (u8, &Onward)> {
        let onward = self.onward[letters.min(LONG)].iter();
        onward.filter_map(|onward| Some((*onward.literal.first()?, onward)))
    }

    /// False if none of those that begin with other signs as well opens so, but for those of
    /// [`brief`](Gate::brief).
    pub(super) fn may_be_wide(&self, opening: Opening) -> bool {
        let wide = self.dotted[opening.dotted.min(WIDE)] & self.base64[opening.base64.min(WIDE)];
        wide & !self.brief != 0
    }

    /// The literals of those of which an opening says little.
    pub(super) fn brief(&self) -> impl Iterator<Item = Inner> + '_ {
        let brief = self.wide.iter().enumerate().filter(|(n, _)| self.brief >> n & 1 == 1);
        brief.map(|(_, wide)| wide.literal)
    }

    /// False if no secret of these kinds starts at `at`, where the text opens so. With `crossing`,
    /// one that ends with its first letters and digits does not count.
    #[inline]
    pub(super) fn lets(&self, text: &[u8], at: usize, opening: Opening, crossing: bool) -> bool {
        let letters = opening.letters;
        let next = text.get(at + letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let row = letters.min(LONG);
        let allowed = |rows: &[u128; LONG + 1]| rows[row] >> next & 1 == 1;
        !crossing && (allowed(&self.ends) || self.is_inner(&text[at..], row))
            || allowed(&self.goes_on) && self.is_onward(&text[at..], letters)
            || self.is_wide(text, at, opening)
    }

    #[inline]
    fn is_inner(&self, text: &[u8], row: usize) -> bool {
        self.inner[row].iter().any(|inner| has_literal(text, inner))
    }

    fn is_onward(&self, text: &[u8], letters: usize) -> bool {
        let first = text.first().copied().unwrap_or(0);
        self.onward[letters.min(LONG)].iter().any(|onward| {
            onward.begins(first)
                && starts(text, letters, onward.literal)
                && onward.goes_on(text, letters)
        })
    }

    #[inline]
    fn is_wide(&self, text: &[u8], at: usize, opening: Opening) -> bool {
        let mut wide =
            self.dotted[opening.dotted.min(WIDE)] & self.base64[opening.base64.min(WIDE)];
        if wide & self.bare != 0 {
            return true;
        }
        if wide == 0 || !self.has_sign(text, at) {
            return false;
        }
        while wide != 0 {
            let number = wide.trailing_zeros() as usize;
            wide &= wide - 1;
            if has_literal(&text[at..], &self.wide[number].literal) {
                return true;
            }
        }
        false
    }

    /// False if no literal stands where one should of a secret that begins with other signs as
    /// well and starts at `at`.
    #[inline]
    fn has_sign(&self, text: &[u8], at: usize) -> bool {
        let there = |(place, sign): &(usize, u8)| text.get(at + place) == Some(sign);
        self.signs.iter().fold(false, |any, sign| any | there(sign))
    }
}

impl Wide {
    /// What a secret of the shape begins with whose part of this number is the first that may have
    /// other signs than letters and digits, behind between so many and so many of them.
    fn of(shape: &Shape, number: usize, (least, most): (usize, usize)) -> Wide {
        let (set, few, many) = match shape.parts.get(number) {
            Some(Part::Run(set, few, many)) => (*set, usize::from(*few), usize::from(*many)),
            _ => (Set::NONE, 0, 0),
        };
        let (least, most) = (least + few, most + many);
        let literal = match shape.parts.get(number + 1) {
            Some(Part::Lit(literal)) if most - least < CHOICES => (least, most, literal.as_bytes()),
            _ => (0, 0, opens(shape)),
        };
        Wide { least, set: set.with(Set::ALNUM), literal }
    }
}

impl Onward {
    pub(super) fn begins(&self, first: u8) -> bool {
        match self.opens.first() {
            Some(opens) => first == *opens,
            None => self.set.has(first),
        }
    }

    /// True if what follows the literal behind so many letters and digits is there.
    fn goes_on(&self, text: &[u8], letters: usize) -> bool {
        let (few, set) = self.then;
        let from = letters + self.literal.len();
        text.get(from..from + few).is_some_and(|bytes| bytes.iter().all(|b| set.has(*b)))
    }
}

#[inline]
pub(super) fn has_literal(text: &[u8], &(least, most, literal): &Inner) -> bool {
    (least..=most).any(|place| starts(text, place, literal))
}

/// True if the literal stands at `place`. Its first byte says no to nearly everything.
#[inline]
pub(super) fn starts(text: &[u8], place: usize, literal: &[u8]) -> bool {
    text.get(place) == literal.first()
        && text.get(place..).is_some_and(|rest| rest.starts_with(literal))
}

/// The literal that a shape begins with.
fn opens(shape: &Shape) -> &'static [u8] {
    match shape.parts.first() {
        Some(Part::Lit(literal)) => literal.as_bytes(),
        _ => b"",
    }
}

/// How many bytes of a set a part has at least.
fn least_of(part: Option<&Part>) -> (usize, Set) {
    match part {
        Some(Part::Run(set, few, _)) => (usize::from(*few), *set),
        _ => (0, Set::NONE),
    }
}

fn allow(rows: &mut [u128; LONG + 1], least: usize, most: usize, next: u128) {
    for row in &mut rows[least.min(LONG)..=most.min(LONG)] {
        *row |= next;
    }
}

impl Opening {
    #[inline]
    pub(super) fn of(text: &[u8]) -> Opening {
        let letters = length(text, Set::ALNUM);
        let behind = &text[letters.min(WIDE)..text.len().min(WIDE)];
        let further = |set| letters.min(WIDE) + length(behind, set);
        Opening { letters, dotted: further(Set::DOTTED), base64: further(Set::BASE64) }
    }

    /// False if the text does not start with so many bytes of the set.
    #[inline]
    fn has(self, least: usize, set: Set) -> bool {
        let known = |larger: Set, length: usize| larger.covers(set) && length < least.min(WIDE);
        !known(Set::DOTTED, self.dotted) && !known(Set::BASE64, self.base64)
    }
}

impl Openings {
    pub(super) fn of(shape: &Shape) -> Openings {
        let (mut least, mut most) = (0, 0);
        for (number, part) in shape.parts.iter().enumerate() {
            match part {
                Part::Lit(literal) => {
                    let letters = length(literal.as_bytes(), Set::ALNUM);
                    (least, most) = (least + letters, most + letters);
                    if letters < literal.len() {
                        break;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.covers(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(..) => {
                    let wide = Some(Wide::of(shape, number, (least, most)));
                    return Openings { letters: 0, wide };
                }
            }
        }
        let letters = (least.min(LONG)..=most.min(LONG)).fold(0, |bits, length| bits | 1 << length);
        Openings { letters, wide: None }
    }

    /// False if no secret of the shape starts with a text, which opens so.
    #[inline]
    pub(super) fn have(&self, text: &[u8], opening: Opening) -> bool {
        let is_wide = |wide: &Wide| {
            let Wide { least, set, literal } = wide;
            opening.has(*least, *set) && (literal.2.is_empty() || has_literal(text, literal))
        };
        self.wide.as_ref().is_some_and(is_wide)
            || self.letters >> opening.letters.min(LONG) & 1 == 1
    }
}

/// How many bytes of the set `text` starts with.
#[inline]
fn length(text: &[u8], set: Set) -> usize {
    text.iter().position(|b| !set.has(*b)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

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
        let bare: Vec<&Shape> = table::all().filter(|shape| shape.prefix.is_empty()).collect();
        assert!(bare.len() > 50);
        for shape in bare {
            for letter in *b"1aA-_./" {
                for longest in [false, true] {
                    for behind in ["", " ", "\"", "\n"] {
                        let mut text = secret(shape, longest, letter);
                        text.extend_from_slice(behind.as_bytes());
                        if shape.end(&text, 0).is_some() {
                            let opening = Opening::of(&text);
                            assert!(Openings::of(shape).have(&text, opening), "{}", shape.name);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_wide_beginning_of_a_gate_has_a_bit() {
        let bare = table::all().filter(|shape| shape.prefix.is_empty());
        let gate = Gate::new(bare);
        assert!((1..=64).contains(&gate.wide.len()), "{} are wide", gate.wide.len());
        let all = gate.dotted[WIDE] & gate.base64[WIDE];
        assert_eq!(all.count_ones() as usize, gate.wide.len());
    }

    #[test]
    fn a_run_that_is_too_short_opens_no_secret() {
        let shape = table::all().find(|shape| shape.name == "dropbox-legacy-token").unwrap();
        let have = |text: &[u8]| Openings::of(shape).have(text, Opening::of(text));
        assert!(!have(&[b'a'; 63]));
        assert!(have(&[b'a'; 64]));
    }

    #[test]
    fn a_run_without_its_literal_opens_no_secret() {
        let shape = table::all().find(|shape| shape.name == "azure-client-secret-legacy").unwrap();
        let have = |text: &[u8]| Openings::of(shape).have(text, Opening::of(text));
        assert!(have(b"0123456789abcdef0123456789abcdef=\""));
        assert!(!have(b"0123456789abcdef0123456789abcdef\"),"));
    }
}
