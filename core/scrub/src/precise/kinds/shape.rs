//! How a secret of a kind is written: the parts it is made of, one after the other.

/// A set of ASCII bytes, as a union of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set(u16);

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

static CLASS: [u16; 256] = classes();

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
    pub(super) const HEX: Set = Set(DIGIT | LOWER_AF);
    pub(super) const ANY_HEX: Set = Set(DIGIT | LOWER_AF | UPPER_AF);
    pub(super) const UPPER_HEX: Set = Set(DIGIT | UPPER_AF);
    pub(super) const LOWER: Set = Set(DIGIT | LOWER_AF | LOWER_GZ);
    pub(super) const UPPER: Set = Set(DIGIT | UPPER_AF | UPPER_GZ);
    pub(super) const ALNUM: Set = Set(Set::LOWER.0 | Set::UPPER.0);
    /// What base64 for URLs is written with, and most tokens.
    pub(super) const TOKEN: Set = Set(Set::ALNUM.0 | UNDERSCORE | HYPHEN);
    pub(super) const WORD: Set = Set(Set::ALNUM.0 | UNDERSCORE);
    pub(super) const HYPHENED: Set = Set(Set::ALNUM.0 | HYPHEN);
    pub(super) const DOTTED: Set = Set(Set::TOKEN.0 | DOT);
    pub(super) const BASE64: Set = Set(Set::ALNUM.0 | PLUS | SLASH);
    /// Base64 of either alphabet, padding in between and commas of lists.
    pub(super) const LOOSE: Set = Set(Set::DOTTED.0 | PLUS | SLASH | EQUALS | COMMA | COLON);
    /// The same inside a URL.
    pub(super) const ESCAPED: Set = Set(Set::LOOSE.0 | PERCENT);
    /// What a plain run is made of.
    pub(super) const PLAIN: Set = Set(Set::DOTTED.0 | PLUS | SLASH | TILDE | COLON);
    pub(super) const AZURE: Set = Set(Set::DOTTED.0 | TILDE);
    const PADDING: Set = Set(EQUALS);

    pub(super) const fn has(self, byte: u8) -> bool {
        CLASS[byte as usize] & self.0 != 0
    }

    /// No byte.
    pub(super) const NONE: Set = Set(0);

    /// The smallest set with this byte; `None` if no set has it.
    pub(super) fn of(byte: u8) -> Option<Set> {
        Some(Set(CLASS[usize::from(byte)])).filter(|set| *set != Set::NONE)
    }

    /// What is in one of both.
    pub(super) const fn with(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// True if some bytes are in both.
    pub(super) const fn meets(self, other: Set) -> bool {
        other.0 & self.0 != 0
    }

    /// True if every byte of the other set is in this one.
    pub(super) const fn covers(self, other: Set) -> bool {
        other.0 & !self.0 == 0
    }
}

/// A part of a secret.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Between so many and so many bytes of a set, as many as there are.
    Run(Set, u16, u16),
    /// These bytes.
    Lit(&'static str),
}

impl Part {
    /// False if it begins with no byte of a run.
    fn may_go_on(&self) -> bool {
        match self {
            Part::Lit(literal) => literal.bytes().next().is_none_or(|b| Set::DOTTED.has(b)),
            Part::Run(set, few, _) => *few == 0 || set.meets(Set::DOTTED),
        }
    }
}

/// Where a minimum is published but no maximum.
pub(super) const OPEN: u16 = 3_000;

macro_rules! parts {
    ($set:ident $what:literal $(exactly $one:ident)? $(between $many:ident)?; $($rest:tt)*) => {
        $(#[doc = concat!("So many bytes of ", $what, ".")]
        pub(super) const fn $one(length: u16) -> Part {
            Part::Run(Set::$set, length, length)
        })?
        $(#[doc = concat!("Between so many and so many bytes of ", $what, ".")]
        pub(super) const fn $many(least: u16, most: u16) -> Part {
            Part::Run(Set::$set, least, most)
        })?
        parts! { $($rest)* }
    };
    () => {};
}

parts! {
    DIGITS "digits" exactly digits between digits_to;
    HEX "lower-case hexadecimal" exactly hex between hex_to;
    ANY_HEX "hexadecimal of either case" exactly any_hex between any_hex_to;
    UPPER_HEX "upper-case hexadecimal" exactly upper_hex;
    LOWER "lower-case letters and digits" exactly low between low_to;
    UPPER "upper-case letters and digits" exactly up between up_to;
    ALNUM "letters and digits" exactly alnum between alnum_to;
    TOKEN "letters, digits, `_` and `-`" exactly tok between tok_to;
    WORD "letters, digits and `_`" between word_to;
    HYPHENED "letters, digits and `-`" between hyphened_to;
    DOTTED "letters, digits, `_`, `-` and `.`" between dotted_to;
    BASE64 "base64 without padding" exactly base64 between base64_to;
    LOOSE "base64 of any alphabet, with padding, dots and commas" between loose_to;
    ESCAPED "base64, perhaps as in a URL" between percent_to;
    AZURE "letters, digits and `_-.~`" exactly azure between azure_to;
}

/// These bytes.
pub(super) const fn lit(bytes: &'static str) -> Part {
    Part::Lit(bytes)
}

/// The padding of base64, if there is any.
pub(super) const fn padding() -> Part {
    Part::Run(Set::PADDING, 0, 2)
}

/// How a checksum inside a secret is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    None,
    /// The last six bytes are the CRC-32 of what stands between them and the prefix, in base 62.
    Crc62,
    /// The last eight bytes are that CRC-32 in hexadecimal, an underscore before them left out.
    CrcHex,
}

/// A kind of secret, and how it is written.
///
/// A shape is told by its prefix; or, without one, by a literal part after its first part; or by a
/// word that stands near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The name of the kind: lower-case letters, digits and hyphens, at most 40 bytes.
    pub name: &'static str,
    /// What it begins with; at least three bytes, or none.
    pub prefix: &'static str,
    /// What follows the prefix.
    pub parts: &'static [Part],
    /// If there are any, one of these words must stand before it, in any case.
    pub near: &'static [&'static str],
    pub check: Check,
    /// True where the shape says so much that its bytes need not look random.
    pub sure: bool,
}

/// A kind told by its prefix.
pub(super) const fn kind(
    name: &'static str,
    prefix: &'static str,
    parts: &'static [Part],
) -> Shape {
    Shape { name, prefix, parts, near: &[], check: Check::None, sure: false }
}

/// A kind told by a literal after its first part.
pub(super) const fn marked(name: &'static str, parts: &'static [Part]) -> Shape {
    kind(name, "", parts)
}

/// A kind told by a word that stands near.
pub(super) const fn near(
    name: &'static str,
    words: &'static [&'static str],
    parts: &'static [Part],
) -> Shape {
    kind(name, "", parts).with(words)
}

impl Shape {
    /// The same, where one of these words stands near.
    pub(super) const fn with(mut self, words: &'static [&'static str]) -> Shape {
        self.near = words;
        self
    }

    pub(super) const fn check(mut self, check: Check) -> Shape {
        self.check = check;
        self
    }

    /// The same, where nothing is asked of the bytes.
    pub(super) const fn sure(mut self) -> Shape {
        self.sure = true;
        self
    }

    /// False if no part of a run follows this sign within a secret.
    pub(super) fn crosses(&self, sign: u8) -> bool {
        self.parts.iter().enumerate().any(|(number, part)| {
            let then = self.parts.get(number + 1);
            match part {
                Part::Lit(literal) => {
                    let (bytes, length) = (literal.as_bytes(), literal.len());
                    let goes_on = |place: usize| match bytes.get(place + 1) {
                        Some(next) => Set::DOTTED.has(*next),
                        None => then.is_some_and(Part::may_go_on),
                    };
                    (0..length).any(|place| bytes[place] == sign && goes_on(place))
                }
                Part::Run(set, ..) => {
                    set.has(sign) && (set.meets(Set::DOTTED) || then.is_some_and(Part::may_go_on))
                }
            }
        })
    }

    /// With how many bytes for which `belongs` says yes every secret of this kind begins at least,
    /// and what follows them, if it is always the same.
    pub(super) fn opening(&self, belongs: fn(u8) -> bool) -> (usize, Option<u8>) {
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

    /// The length of the shortest secret of this kind.
    pub(super) fn shortest(&self) -> usize {
        let least = self.parts.iter().map(|part| match part {
            Part::Lit(bytes) => bytes.len(),
            Part::Run(_, least, _) => usize::from(*least),
        });
        self.prefix.len() + least.sum::<usize>()
    }

    /// Where the secret ends that starts at `at`: all parts are there, and what follows is no
    /// more of the same.
    pub(super) fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        let body = at + self.prefix.len();
        // An empty one is not compared: with no bytes to read at no address that is mapped, that
        // takes some processors a microsecond.
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
        self.closed(text, place)
    }

    /// The end, without the dots of a sentence, if nothing goes on behind it that would make it
    /// something else.
    fn closed(&self, text: &[u8], end: usize) -> Option<usize> {
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

/// Where a run ends; before the next part, if that is a literal made of the same bytes.
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
