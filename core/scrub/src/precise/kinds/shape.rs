//! Shapes: what a secret of a kind consists of.
//!
//! A shape has a prefix and a list of parts. A part is a literal, or a run of bytes of one [`Set`]
//! with a minimum and a maximum length. Matching is greedy and needs no backtracking: a run takes
//! as many bytes as it may, or ends where the literal behind it begins.

/// A set of ASCII bytes, as a union of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set(u16);

/// The classes of bytes, a bit each. Letters are split behind `f`, so that a set can have
/// hexadecimal digits alone.
const DIGIT: u16 = 1;
const LOWER_AF: u16 = 2;
const LOWER_GZ: u16 = 4;
const UPPER_AF: u16 = 8;
const UPPER_GZ: u16 = 16;
const UNDERSCORE: u16 = 32;
const HYPHEN: u16 = 64;
const DOT: u16 = 128;
const PLUS: u16 = 256;
const SLASH: u16 = 512;
const EQUALS: u16 = 1_024;
const TILDE: u16 = 2_048;
const COMMA: u16 = 4_096;
const COLON: u16 = 8_192;
const PERCENT: u16 = 16_384;

/// The class of each byte, as a bit.
static CLASS: [u16; 256] = classes();

/// Computes [`CLASS`].
const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => LOWER_AF,
            b'g'..=b'z' => LOWER_GZ,
            b'A'..=b'F' => UPPER_AF,
            b'G'..=b'Z' => UPPER_GZ,
            b'_' => UNDERSCORE,
            b'-' => HYPHEN,
            b'.' => DOT,
            b'+' => PLUS,
            b'/' => SLASH,
            b'=' => EQUALS,
            b'~' => TILDE,
            b',' => COMMA,
            b':' => COLON,
            b'%' => PERCENT,
            _ => 0,
        };
        byte += 1;
    }
    table
}

impl Set {
    pub(super) const DIGITS: Set = Set(DIGIT);
    /// Hexadecimal digits in lower case.
    pub(super) const HEX: Set = Set(DIGIT | LOWER_AF);
    /// Hexadecimal digits in either case.
    pub(super) const ANY_HEX: Set = Set(DIGIT | LOWER_AF | UPPER_AF);
    pub(super) const UPPER_HEX: Set = Set(DIGIT | UPPER_AF);
    /// Digits and lower-case letters.
    pub(super) const LOWER: Set = Set(DIGIT | LOWER_AF | LOWER_GZ);
    /// Digits and upper-case letters.
    pub(super) const UPPER: Set = Set(DIGIT | UPPER_AF | UPPER_GZ);
    /// Letters and digits.
    pub(super) const ALNUM: Set = Set(Set::LOWER.0 | Set::UPPER.0);
    /// The alphabet of URL-safe base64 and of most tokens.
    pub(super) const TOKEN: Set = Set(Set::ALNUM.0 | UNDERSCORE | HYPHEN);
    /// The bytes of an identifier.
    pub(super) const WORD: Set = Set(Set::ALNUM.0 | UNDERSCORE);
    pub(super) const HYPHENED: Set = Set(Set::ALNUM.0 | HYPHEN);
    /// Tokens with dots between their parts, as a JWT.
    pub(super) const DOTTED: Set = Set(Set::TOKEN.0 | DOT);
    /// The standard alphabet of base64.
    pub(super) const BASE64: Set = Set(Set::ALNUM.0 | PLUS | SLASH);
    /// Base64 of either alphabet, with padding anywhere, and lists with commas.
    pub(super) const LOOSE: Set = Set(Set::DOTTED.0 | PLUS | SLASH | EQUALS | COMMA | COLON);
    /// The same with percent escapes, as in a URL.
    pub(super) const ESCAPED: Set = Set(Set::LOOSE.0 | PERCENT);
    /// The bytes of a plain run.
    pub(super) const PLAIN: Set = Set(Set::DOTTED.0 | PLUS | SLASH | TILDE | COLON);
    /// The bytes of a client secret of Azure.
    pub(super) const AZURE: Set = Set(Set::DOTTED.0 | TILDE);
    pub(super) const PADDING: Set = Set(EQUALS);

    /// True if the set has the byte.
    pub(super) const fn has(self, byte: u8) -> bool {
        CLASS[byte as usize] & self.0 != 0
    }

    /// The empty set.
    pub(super) const NONE: Set = Set(0);

    /// The smallest class with this byte; `None` if no class has it.
    pub(super) fn of(byte: u8) -> Option<Set> {
        Some(Set(CLASS[usize::from(byte)])).filter(|set| *set != Set::NONE)
    }

    /// The union of two sets.
    pub(super) const fn with(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// True if the sets have a byte in common.
    pub(super) const fn intersects(self, other: Set) -> bool {
        other.0 & self.0 != 0
    }

    /// True if the other set is a subset of this one.
    pub(super) const fn contains_set(self, other: Set) -> bool {
        other.0 & !self.0 == 0
    }
}

/// A part of a secret.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// A run of bytes of a set, at least and at most so many. Takes as many as there are.
    Run(Set, u16, u16),
    /// A literal.
    Lit(&'static str),
}

impl Part {
    /// True if the part may begin with a byte of a run.
    fn may_start_run(&self) -> bool {
        match self {
            Part::Lit(literal) => literal.bytes().next().is_none_or(|b| Set::DOTTED.has(b)),
            Part::Run(set, few, _) => *few == 0 || set.intersects(Set::DOTTED),
        }
    }
}

/// How a checksum inside a token is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    None,
    /// The last six bytes are the CRC-32, in base 62, of what stands between them and the prefix.
    Crc62,
    /// The last eight bytes are that CRC-32 in hexadecimal. An underscore before them is not part
    /// of the input.
    CrcHex,
}

/// The shape of a kind.
///
/// It is recognised by its prefix; without one, by a literal behind its first part, or by a keyword
/// before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The name of the kind: lower-case letters, digits and hyphens, at most 40 bytes.
    pub name: &'static str,
    /// The prefix: at least two bytes, or empty.
    pub prefix: &'static str,
    /// The parts behind the prefix.
    pub parts: &'static [Part],
    /// If there are any, one of these keywords must stand before the secret, in any case.
    pub keywords: &'static [&'static str],
    pub check: Check,
    /// True if the shape is so specific that the bytes need not look random.
    pub shape_suffices: bool,
}

impl Shape {
    /// True if part of a run may follow this joiner within a secret of the shape.
    pub(super) fn crosses(&self, sign: u8) -> bool {
        self.parts.iter().enumerate().any(|(number, part)| {
            let then = self.parts.get(number + 1);
            match part {
                Part::Lit(literal) => {
                    let (bytes, length) = (literal.as_bytes(), literal.len());
                    let goes_on = |place: usize| match bytes.get(place + 1) {
                        Some(next) => Set::DOTTED.has(*next),
                        None => then.is_some_and(Part::may_start_run),
                    };
                    (0..length).any(|place| bytes[place] == sign && goes_on(place))
                }
                Part::Run(set, ..) => {
                    set.has(sign)
                        && (set.intersects(Set::DOTTED) || then.is_some_and(Part::may_start_run))
                }
            }
        })
    }

    /// The least number of leading bytes for which `belongs` holds in every secret of the shape,
    /// and the byte behind them if it is always the same.
    pub(super) fn leading_bytes(&self, belongs: fn(u8) -> bool) -> (usize, Option<u8>) {
        let mut length = 0;
        for part in std::iter::once(&Part::Lit(self.prefix)).chain(self.parts) {
            match part {
                Part::Lit(literal) => {
                    let more = literal.bytes().take_while(|b| belongs(*b)).count();
                    length += more;
                    if more < literal.len() {
                        return (length, Some(literal.as_bytes()[more]));
                    }
                }
                Part::Run(set, least, _) => {
                    if (0..=u8::MAX).any(|b| set.has(b) && !belongs(b)) {
                        return (length, None);
                    }
                    length += usize::from(*least);
                }
            }
        }
        (length, None)
    }

    /// The length of the shortest secret of the shape.
    pub(super) fn shortest(&self) -> usize {
        let least = self.parts.iter().map(|part| match part {
            Part::Lit(bytes) => bytes.len(),
            Part::Run(_, least, _) => usize::from(*least),
        });
        self.prefix.len() + least.sum::<usize>()
    }

    /// The end of a secret that starts at `at`: all parts fit, and what follows is not more of the
    /// same.
    pub(super) fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        let body = at + self.prefix.len();
        // An empty prefix is not compared. Comparing no bytes at an unmapped address takes a
        // microsecond on some processors.
        if !self.prefix.is_empty() && text.get(at..body)? != self.prefix.as_bytes() {
            return None;
        }
        let mut place = body;
        for (n, part) in self.parts.iter().enumerate() {
            place = match part {
                Part::Lit(bytes) => {
                    let end = place + bytes.len();
                    text.get(place..end)?.eq(bytes.as_bytes()).then_some(end)?
                }
                Part::Run(set, least, most) => {
                    let next = self.parts.get(n + 1);
                    run(text, place, *set, (*least).into(), (*most).into(), next)?
                }
            };
        }
        self.checked_end(text, place)
    }

    /// The end without the dots of a sentence; `None` if what follows would make it something else.
    fn checked_end(&self, text: &[u8], end: usize) -> Option<usize> {
        let (set, open) = match self.parts.last() {
            Some(Part::Run(set, least, most)) => (*set, least < most),
            _ => (Set::WORD, false),
        };
        let goes_on = |b: u8| match b {
            b'.' | b',' | b':' => false,
            b'=' => set.has(b'+'),
            b => set.has(b) || Set::WORD.has(b),
        };
        if text.get(end).is_some_and(|&b| goes_on(b)) {
            return None;
        }
        let tail = |b: &&u8| open && matches!(**b, b'.' | b',' | b':');
        Some(end - text[..end].iter().rev().take_while(tail).count())
    }
}

/// The end of a run. If the next part is a literal of the same bytes, the run ends before it.
fn run(
    text: &[u8],
    from: usize,
    set: Set,
    least: usize,
    most: usize,
    next: Option<&Part>,
) -> Option<usize> {
    let rest = text.get(from..)?;
    let length = rest.iter().take(most).take_while(|&&b| set.has(b)).count();
    if length < least {
        return None;
    }
    let Some(Part::Lit(literal)) = next else {
        return Some(from + length);
    };
    let literal = literal.as_bytes();
    (least..=length).find(|&n| rest[n..].starts_with(literal)).map(|n| from + n)
}
