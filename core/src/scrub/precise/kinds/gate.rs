//! Says no to nearly every run that is of no kind without a prefix, by its length alone.
//!
//! Such a kind begins with so many letters and digits, and then ends, or goes on with a literal:
//! a table by the length says what may follow. A kind that begins with other signs as well is
//! told by how many of them follow each other.

use super::shape::{Part, Set, Shape};

/// Runs of letters and digits that are longer count as this long.
const LONG: usize = 127;
/// Nor is it counted further how many bytes of any set follow each other.
const WIDE: usize = 64;

/// What a text starts with.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    /// How many letters and digits.
    letters: usize,
    /// How many bytes of any set, counted to [`WIDE`] where they are not all letters and digits.
    wide: usize,
}

/// What a text must start with for a shape.
#[derive(Clone, Copy)]
pub(super) struct Openings {
    /// A bit for each number of letters and digits, the highest for [`LONG`] and more.
    letters: u128,
    /// Or at least so many bytes of any set.
    wide: usize,
}

/// What kinds of one sort may begin with.
pub(super) struct Gate {
    /// By the length of the first run of letters and digits: which bytes may follow it where the
    /// secret ends, and where it goes on.
    ends: Box<[u128; LONG + 1]>,
    goes_on: Box<[u128; LONG + 1]>,
    onward: Vec<Vec<Onward>>,
    /// Those that begin with other signs as well, the shortest first.
    wide: Vec<Wide>,
}

/// What a secret begins with, and what follows its first letters and digits.
#[derive(Clone, Copy)]
struct Onward {
    opens: &'static [u8],
    set: Set,
    literal: &'static [u8],
}

/// So many bytes of a set, and a literal at some place, counted from the first byte.
struct Wide {
    least: usize,
    set: Set,
    literal: (usize, &'static [u8]),
}

impl Gate {
    pub(super) fn new(shapes: impl Iterator<Item = &'static Shape>) -> Gate {
        let none = || Box::new([0; LONG + 1]);
        let onward = vec![Vec::new(); LONG + 1];
        let mut gate = Gate { ends: none(), goes_on: none(), onward, wide: Vec::new() };
        shapes.for_each(|shape| gate.add(shape));
        gate.wide.sort_by_key(|wide| wide.least);
        gate
    }

    /// Adds so many bytes of a set, unless fewer of as many signs are enough already.
    fn add_wide(&mut self, wide: Wide) {
        let says = |one: &Wide, other: &Wide| {
            let literal = one.literal.1.is_empty() || one.literal == other.literal;
            one.least <= other.least && one.set.covers(other.set) && literal
        };
        if !self.wide.iter().any(|one| says(one, &wide)) {
            self.wide.retain(|other| !says(&wide, other));
            self.wide.push(wide);
        }
    }

    fn add(&mut self, shape: &'static Shape) {
        let (mut least, mut most) = (0, 0);
        let opens = match shape.parts.first() {
            Some(Part::Lit(literal)) => (0, literal.as_bytes()),
            _ => (0, &b""[..]),
        };
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
                    (least, most) = (least + letters, most + letters);
                    if let Some(sign) = sign {
                        let next = 1 << (literal[sign] & 127);
                        allow(&mut self.goes_on, least, most, next);
                        let opens =
                            if number == 0 && sign > 0 { &opens.1[..sign] } else { opens.1 };
                        let onward = Onward { opens, set, literal: &literal[sign..] };
                        let rows = least.min(LONG)..=most.min(LONG);
                        self.onward[rows].iter_mut().for_each(|row| row.push(onward));
                        return;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.covers(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(set, few, many) => {
                    let exact = least == most && few == many;
                    let least = least + usize::from(*few);
                    let literal = match shape.parts.get(number + 1) {
                        Some(Part::Lit(literal)) if exact => (least, literal.as_bytes()),
                        _ => opens,
                    };
                    return self.add_wide(Wide { least, set: set.with(Set::ALNUM), literal });
                }
            }
        }
        // As `Shape::end` asks, and `Vicinity::fits` where the shape is not sure.
        let never: &[u8] = if shape.sure { b"_" } else { b"_-/+" };
        let next = never.iter().fold(u128::MAX, |all, sign| all & !(1 << sign));
        allow(&mut self.ends, least, most, next);
    }

    /// False if no secret of these kinds starts at `at`, where the text opens so. With `crossing`,
    /// one that ends with its first letters and digits does not count.
    #[inline]
    pub(super) fn lets(&self, text: &[u8], at: usize, opening: Opening, crossing: bool) -> bool {
        let letters = opening.letters;
        let next = text.get(at + letters).map_or(0, |b| if b.is_ascii() { *b } else { 0 });
        let row = letters.min(LONG);
        let allowed = |rows: &[u128; LONG + 1]| rows[row] >> next & 1 == 1;
        !crossing && allowed(&self.ends)
            || allowed(&self.goes_on) && self.is_onward(&text[at..], letters)
            || self.is_wide(&text[at..], opening)
    }

    fn is_onward(&self, text: &[u8], letters: usize) -> bool {
        let first = text.first().copied().unwrap_or(0);
        self.onward[letters.min(LONG)].iter().any(|onward| {
            let opens = if onward.opens.is_empty() {
                onward.set.has(first)
            } else {
                first == onward.opens[0]
            };
            opens && starts(text, letters, onward.literal)
        })
    }

    fn is_wide(&self, text: &[u8], opening: Opening) -> bool {
        let mut seen = Set::NONE;
        let mut read = 0;
        for Wide { least, set, literal: (place, literal) } in &self.wide {
            if opening.wide < (*least).min(WIDE) {
                return false;
            }
            while read < *least {
                let Some(class) = text.get(read).and_then(|b| Set::of(*b)) else { return false };
                seen = seen.with(class);
                read += 1;
            }
            if set.covers(seen) && (literal.is_empty() || starts(text, *place, literal)) {
                return true;
            }
        }
        false
    }
}

/// True if the literal stands at `place`. Its first byte says no to nearly everything.
#[inline]
pub(super) fn starts(text: &[u8], place: usize, literal: &[u8]) -> bool {
    text.get(place) == literal.first()
        && text.get(place..).is_some_and(|rest| rest.starts_with(literal))
}

fn allow(rows: &mut [u128; LONG + 1], least: usize, most: usize, next: u128) {
    for row in &mut rows[least.min(LONG)..=most.min(LONG)] {
        *row |= next;
    }
}

impl Opening {
    #[inline]
    pub(super) fn of(text: &[u8]) -> Opening {
        let letters = letters(text);
        let rest = text[letters..].iter().take(WIDE.saturating_sub(letters));
        let others = rest.take_while(|b| Set::of(**b).is_some()).count();
        Opening { letters, wide: letters + others }
    }
}

impl Openings {
    pub(super) fn of(shape: &Shape) -> Openings {
        let (mut least, mut most) = (0, 0);
        for part in shape.parts {
            match part {
                Part::Lit(literal) => {
                    let letters = letters(literal.as_bytes());
                    (least, most) = (least + letters, most + letters);
                    if letters < literal.len() {
                        break;
                    }
                }
                Part::Run(set, few, many) if Set::ALNUM.covers(*set) => {
                    (least, most) = (least + usize::from(*few), most + usize::from(*many));
                }
                Part::Run(_, few, _) => {
                    return Openings { letters: 0, wide: least + usize::from(*few) };
                }
            }
        }
        let letters = (least.min(LONG)..=most.min(LONG)).fold(0, |bits, length| bits | 1 << length);
        Openings { letters, wide: usize::MAX }
    }

    /// False if no secret of the shape starts with a text that opens so.
    #[inline]
    pub(super) fn have(&self, opening: Opening) -> bool {
        let wide = self.wide != usize::MAX && opening.wide >= self.wide.min(WIDE);
        wide || self.letters >> opening.letters.min(LONG) & 1 == 1
    }
}

/// How many letters and digits `text` starts with.
#[inline]
fn letters(text: &[u8]) -> usize {
    text.iter().position(|b| !Set::ALNUM.has(*b)).unwrap_or(text.len())
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
                            assert!(Openings::of(shape).have(opening), "{}", shape.name);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_that_is_too_short_opens_no_secret() {
        let shape = table::all().find(|shape| shape.name == "dropbox-legacy-token").unwrap();
        assert!(!Openings::of(shape).have(Opening::of(&[b'a'; 63])));
        assert!(Openings::of(shape).have(Opening::of(&[b'a'; 64])));
    }
}
