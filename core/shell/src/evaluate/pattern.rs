//! Matching of shell patterns against known texts: in `case`, and in `${x#…}` and `${x/…}`.
//!
//! A match takes at most a fixed number of steps. One that would take longer has no answer, and its
//! value is unknown.

use crate::value::Value;

/// The most steps of one operation. Backtracking over many `*` would take far more.
const FUEL: usize = 16_000;

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// This character.
    Text(char),
    /// Any character: `?`.
    One,
    /// Any text: `*`.
    Any,
    /// A character of these ranges, or, negated, none of them: `[a-z]`.
    Class { negated: bool, ranges: Vec<(char, char)> },
}

/// A pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern(Vec<Part>);

impl Pattern {
    /// Adds a text that stands for itself.
    pub(super) fn literal(&mut self, text: &str) {
        self.0.extend(text.chars().map(Part::Text));
    }

    /// Adds what is written as a pattern; false if it is of a kind that is not matched here.
    pub(super) fn glob(&mut self, written: &str) -> bool {
        let mut chars = written.chars().peekable();
        while let Some(char) = chars.next() {
            match char {
                '(' | '|' | ')' => return false,
                '*' => self.0.push(Part::Any),
                '?' => self.0.push(Part::One),
                '\\' => self.0.extend(chars.next().map(Part::Text)),
                '[' => {
                    let mut inside: Vec<char> = Vec::new();
                    loop {
                        match chars.next() {
                            Some(']')
                                if !inside.is_empty() && inside != ['!'] && inside != ['^'] =>
                            {
                                break;
                            }
                            Some('[') if chars.peek() == Some(&':') => return false,
                            Some(char) => inside.push(char),
                            None => return false,
                        }
                    }
                    self.0.push(class(&inside));
                }
                char => self.0.push(Part::Text(char)),
            }
        }
        true
    }

    /// True if the whole text fits; none if the match takes too many steps.
    pub(super) fn matches(&self, text: &str) -> Option<bool> {
        let text: Vec<char> = text.chars().collect();
        self.fits(&text, &mut { FUEL })
    }

    /// True if the whole text fits; none if the steps are used up.
    fn fits(&self, text: &[char], fuel: &mut usize) -> Option<bool> {
        let (mut at, mut place) = (0, 0);
        let mut again: Option<(usize, usize)> = None;
        loop {
            *fuel = fuel.checked_sub(1)?;
            match self.0.get(place) {
                Some(Part::Any) => {
                    again = Some((place + 1, at));
                    place += 1;
                    continue;
                }
                Some(part) if at < text.len() && part.fits(text[at]) => {
                    place += 1;
                    at += 1;
                    continue;
                }
                None if at == text.len() => return Some(true),
                _ => {}
            }
            match again {
                Some((after, from)) if from < text.len() => {
                    again = Some((after, from + 1));
                    place = after;
                    at = from + 1;
                }
                _ => return Some(false),
            }
        }
    }

    /// The text without what fits at its start or end.
    pub(super) fn trim(&self, text: &str, prefix: bool, longest: bool) -> Option<String> {
        let chars: Vec<char> = text.chars().collect();
        let count = chars.len();
        let mut fuel = FUEL;
        let mut cuts: Vec<usize> = (0..=count).collect();
        if longest == prefix {
            cuts.reverse();
        }
        for cut in cuts {
            let (part, rest) = if prefix {
                (&chars[..cut], &chars[cut..])
            } else {
                (&chars[cut..], &chars[..cut])
            };
            if self.fits(part, &mut fuel)? {
                return Some(rest.iter().collect());
            }
        }
        Some(text.to_owned())
    }

    /// The text with what fits replaced; the longest fit from the left.
    pub(super) fn replace(&self, text: &str, with: &str, all: bool) -> Option<String> {
        let chars: Vec<char> = text.chars().collect();
        if self.0.is_empty() {
            return Some(text.to_owned());
        }
        let mut fuel = FUEL;
        let mut result = String::new();
        let mut at = 0;
        while at < chars.len() {
            let mut end = None;
            for to in (at + 1..=chars.len()).rev() {
                if self.fits(&chars[at..to], &mut fuel)? {
                    end = Some(to);
                    break;
                }
            }
            match end {
                Some(to) => {
                    if result.len() + with.len() > Value::LONGEST {
                        return None;
                    }
                    result.push_str(with);
                    at = to;
                    if !all {
                        break;
                    }
                }
                None => {
                    result.push(chars[at]);
                    at += 1;
                }
            }
        }
        result.extend(&chars[at..]);
        Some(result)
    }
}

impl Part {
    /// True if a character fits this part.
    fn fits(&self, char: char) -> bool {
        match self {
            Part::Text(text) => *text == char,
            Part::One | Part::Any => true,
            Part::Class { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&char)) != *negated
            }
        }
    }
}

/// A class from what stands between its brackets.
fn class(inside: &[char]) -> Part {
    let negated = matches!(inside.first(), Some('!' | '^'));
    let inside = &inside[usize::from(negated)..];
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        if let [from, '-', to, ..] = inside[at..] {
            ranges.push((from, to));
            at += 3;
        } else {
            ranges.push((inside[at], inside[at]));
            at += 1;
        }
    }
    Part::Class { negated, ranges }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn pattern(written: &str) -> Pattern {
        let mut pattern = Pattern::default();
        assert!(pattern.glob(written));
        pattern
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (written, text, fits) in [
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "abcd", false),
            ("[a-c]?", "bz", true),
            ("[!a-c]", "b", false),
            ("[]x]", "]", true),
            ("*a*b*", "xxaxxbxx", true),
            (r"\*", "*", true),
            (r"\*", "x", false),
        ] {
            assert_eq!(pattern(written).matches(text), Some(fits), "{written} {text}");
        }
    }

    #[test]
    fn what_fits_is_trimmed_and_replaced() {
        assert_eq!(pattern("*/").trim("/a/b/c", true, true).as_deref(), Some("c"));
        assert_eq!(pattern("*/").trim("/a/b/c", true, false).as_deref(), Some("a/b/c"));
        assert_eq!(pattern(".*").trim("a.b.c", false, false).as_deref(), Some("a.b"));
        assert_eq!(pattern(".*").trim("a.b.c", false, true).as_deref(), Some("a"));
        assert_eq!(pattern("b").replace("abcb", "X", true).as_deref(), Some("aXcX"));
        assert_eq!(pattern("b").replace("abcb", "X", false).as_deref(), Some("aXcb"));
    }
}
