//! Entries of `files.deny`: a path, or a glob.
//!
//! An entry with none of `*`, `?`, `[` and `{` is a path. Any other entry is read twice, and closes
//! what either reading finds:
//!
//! - as a glob: `*` and `?` match within a name, `**` any number of folders, `[a-z]` one character
//!   of a class, `{a,b}` either text, and a character behind `\` stands for itself;
//! - as it is written: brackets, braces and backslashes stand for themselves, because names may
//!   have them (`app/[id]/page.ts`). `*` and `?` find themselves anyway.
//!
//! Both readings are pure text, so nothing looks at the disk, and a file that is created later is
//! closed as well. File tools compile the same two readings with `globset`.

use std::path::PathBuf;

/// The characters that make a glob of an entry.
const META: [char; 4] = ['*', '?', '[', '{'];

/// The most entries that one entry is spelled out to. Beyond that, its braces are taken for any
/// name, which closes more.
const MOST_SPELLED: usize = 64;

/// True for an entry that is more than a path.
#[must_use]
pub fn is_glob(entry: &str) -> bool {
    entry.contains(META)
}

/// A glob that matches this text only.
#[must_use]
pub fn escaped(text: &str) -> String {
    with_escapes(text, &['*', '?', '[', ']', '{', '}', '\\'])
}

/// The second reading of a glob, written as a glob: its brackets, braces and backslashes are
/// escaped.
#[must_use]
pub fn as_written(entry: &str) -> String {
    with_escapes(entry, &['[', ']', '{', '}', '\\'])
}

/// A text with a backslash before each of these characters.
fn with_escapes(text: &str, escape: &[char]) -> String {
    let mut glob = String::with_capacity(text.len());
    for char in text.chars() {
        if escape.contains(&char) {
            glob.push('\\');
        }
        glob.push(char);
    }
    glob
}

/// The text of a pattern in which every character stands for itself.
#[must_use]
pub(super) fn unescaped(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        text.push(if char == '\\' { rest.next().unwrap_or('\\') } else { char });
    }
    text
}

/// The place of the first character that is no literal one.
#[must_use]
pub(super) fn first_meta(pattern: &str) -> Option<usize> {
    let mut is_escaped = false;
    pattern.char_indices().find_map(|(at, char)| {
        let is_meta = !is_escaped && META.contains(&char);
        is_escaped = char == '\\' && !is_escaped;
        is_meta.then_some(at)
    })
}

/// A glob once for each alternative between its braces: `*.{pem,key}` is two. Braces behind `\` are
/// characters.
#[must_use]
pub fn spelled_out(glob: &str) -> Vec<String> {
    let mut left = vec![glob.to_owned()];
    let mut done = Vec::new();
    while let Some(glob) = left.pop() {
        let Some((before, choices, after)) = braces(&glob) else {
            done.push(glob);
            continue;
        };
        if left.len() + done.len() + choices.len() > MOST_SPELLED {
            done.push(format!("{before}*{after}"));
            continue;
        }
        left.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
    }
    // What stands beside inner braces comes once for each of their choices.
    done.sort();
    done.dedup();
    done
}

/// The text before, the alternatives in, and the text behind the first braces that hold no others.
fn braces(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut is_escaped = false;
    let (mut open, mut commas) = (None, Vec::new());
    for (at, char) in glob.char_indices() {
        let is_plain = !is_escaped;
        is_escaped = char == '\\' && is_plain;
        match char {
            '{' if is_plain => {
                open = Some(at);
                commas.clear();
            }
            ',' if is_plain && open.is_some() => commas.push(at),
            '}' if is_plain => {
                let Some(open) = open else { continue };
                let starts = std::iter::once(open).chain(commas.iter().copied());
                let ends = commas.iter().copied().chain([at]);
                let choices = starts.zip(ends).map(|(start, end)| &glob[start + 1..end]).collect();
                return Some((&glob[..open], choices, &glob[at + 1..]));
            }
            _ => {}
        }
    }
    None
}

/// One reading of an entry: what each name of a path must be, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading(Vec<Part>);

/// What one name of a path must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Any number of names.
    Folders,
    /// This name.
    Name(String),
    /// A name that these fit.
    Pattern(Vec<Token>),
}

/// A part of a pattern for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Any text.
    Any,
    /// One character.
    One,
    /// This character.
    Char(char),
    /// A character between two of these; true: a character between none of them.
    Class(Vec<(char, char)>, bool),
}

/// Both readings of an entry. A path has one.
#[must_use]
pub fn readings(entry: &str) -> Vec<Reading> {
    if !is_glob(entry) {
        return vec![Reading::of_path(entry)];
    }
    let mut globs = spelled_out(entry);
    globs.push(as_written(entry));
    let mut readings: Vec<Reading> = Vec::new();
    for glob in &globs {
        let reading = Reading(glob.split('/').filter(|name| is_name(name)).map(part).collect());
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

/// True for a name that is no `.` and not empty.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | ".")
}

/// One name of a glob.
fn part(glob: &str) -> Part {
    if glob == "**" {
        return Part::Folders;
    }
    let tokens = tokens(glob);
    let name: Option<String> = tokens
        .iter()
        .map(|token| match token {
            Token::Char(char) => Some(*char),
            _ => None,
        })
        .collect();
    name.map_or(Part::Pattern(tokens), Part::Name)
}

/// The tokens of a pattern for one name.
fn tokens(glob: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = glob.chars();
    while let Some(char) = rest.next() {
        tokens.push(match char {
            '*' => Token::Any,
            '?' => Token::One,
            '\\' => Token::Char(rest.next().unwrap_or('\\')),
            '[' => match class(rest.as_str()) {
                Some((class, after)) => {
                    rest = after.chars();
                    class
                }
                None => Token::Char('['),
            },
            char => Token::Char(char),
        });
    }
    tokens
}

/// The class that begins behind a `[`, and the text behind it. None if nothing closes it.
fn class(text: &str) -> Option<(Token, &str)> {
    let (negated, text) = match text.strip_prefix(['!', '^']) {
        Some(text) => (true, text),
        None => (false, text),
    };
    // A bracket that closes and comes first is one of the class.
    let end = 1 + text.get(1..)?.find(']')?;
    let chars: Vec<char> = text[..end].chars().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let to = if chars.get(at + 1) == Some(&'-') { chars.get(at + 2) } else { None };
        ranges.push((chars[at], *to.unwrap_or(&chars[at])));
        at += if to.is_some() { 3 } else { 1 };
    }
    Some((Token::Class(ranges, negated), &text[end + 1..]))
}

impl Reading {
    /// The reading of one path.
    #[must_use]
    pub(super) fn of_path(path: &str) -> Reading {
        let names = path.split('/').filter(|name| is_name(name));
        Reading(names.map(|name| Part::Name(name.to_owned())).collect())
    }

    /// The same reading in lower case, to compare without case.
    #[must_use]
    pub fn folded(&self) -> Reading {
        let lower = |char: char| char.to_lowercase().next().unwrap_or(char);
        let token = |token: &Token| match token {
            Token::Char(char) => Token::Char(lower(*char)),
            Token::Class(ranges, negated) => {
                let ranges = ranges.iter().map(|(from, to)| (lower(*from), lower(*to)));
                Token::Class(ranges.collect(), *negated)
            }
            other => other.clone(),
        };
        let part = |part: &Part| match part {
            Part::Folders => Part::Folders,
            Part::Name(name) => Part::Name(name.to_lowercase()),
            Part::Pattern(tokens) => Part::Pattern(tokens.iter().map(token).collect()),
        };
        Reading(self.0.iter().map(part).collect())
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The folder below which it finds everything. For one path, the path itself.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        let names = self.0.iter().map_while(|part| match part {
            Part::Name(name) => Some(name),
            _ => None,
        });
        PathBuf::from("/").join(names.map(String::as_str).collect::<Vec<_>>().join("/"))
    }

    /// True if it finds exactly one path.
    #[must_use]
    pub fn is_path(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Name(_)))
    }

    /// True if it finds a path, or one of the folders above it. Both are in lower case.
    #[must_use]
    pub(crate) fn closes(&self, names: &[String]) -> bool {
        fits_beginning(&self.0, names)
    }
}

/// True if the parts match the first names of a path.
fn fits_beginning(parts: &[Part], names: &[String]) -> bool {
    let Some((first, parts)) = parts.split_first() else { return true };
    if *first == Part::Folders {
        return (0..=names.len()).any(|skipped| fits_beginning(parts, &names[skipped..]));
    }
    let Some((name, names)) = names.split_first() else { return false };
    let fits = match first {
        Part::Folders => true,
        Part::Name(own) => own == name,
        Part::Pattern(tokens) => is_fit(tokens, &name.chars().collect::<Vec<_>>()),
    };
    fits && fits_beginning(parts, names)
}

/// True if tokens match a text.
#[must_use]
pub(super) fn is_fit(tokens: &[Token], text: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while from < text.len() {
        match tokens.get(at) {
            Some(Token::Any) => {
                back = Some((at + 1, from));
                at += 1;
            }
            Some(token) if token.takes(text[from]) => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((after, start)) = back else { return false };
                back = Some((after, start + 1));
                at = after;
                from = start + 1;
            }
        }
    }
    tokens[at..].iter().all(|token| *token == Token::Any)
}

impl Token {
    fn takes(&self, char: char) -> bool {
        match self {
            Token::Any | Token::One => true,
            Token::Char(own) => *own == char,
            Token::Class(ranges, negated) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&char)) != *negated
            }
        }
    }
}

/// True if some name may match both a part and a shell pattern. Only the text before and behind the
/// wildcards is compared, so it may say yes without such a name.
#[must_use]
pub(super) fn may_meet(part: &Part, pattern: &[Token]) -> bool {
    let tokens = match part {
        Part::Folders => return true,
        Part::Name(name) => return is_fit(pattern, &name.chars().collect::<Vec<_>>()),
        Part::Pattern(tokens) => tokens,
    };
    let agree = |(one, other): (&Token, &Token)| match (one, other) {
        (Token::Char(one), token) | (token, Token::Char(one)) => token.takes(*one),
        _ => true,
    };
    let is_any = |token: &&Token| **token != Token::Any;
    let ahead = tokens.iter().take_while(is_any).zip(pattern.iter().take_while(is_any));
    let behind =
        tokens.iter().rev().take_while(is_any).zip(pattern.iter().rev().take_while(is_any));
    ahead.into_iter().all(agree) && behind.into_iter().all(agree)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closes(entry: &str, path: &str) -> bool {
        let names: Vec<String> = path.split('/').map(str::to_lowercase).collect();
        readings(entry).iter().any(|reading| reading.folded().closes(&names))
    }

    #[test]
    fn braces_are_spelled_out_unless_they_are_escaped() {
        assert_eq!(spelled_out("a/*.{pem,key}"), ["a/*.key", "a/*.pem"]);
        assert_eq!(spelled_out("{a,b{c,d}}/x"), ["a/x", "bc/x", "bd/x"]);
        assert_eq!(spelled_out("app/[id]"), ["app/[id]"]);
        assert_eq!(spelled_out(r"\{a,b\}"), [r"\{a,b\}"]);
    }

    #[test]
    fn an_entry_closes_what_it_names_whichever_way_it_is_read() {
        for (entry, path, expected) in [
            ("k[1].txt", "k[1].txt", true),
            ("k[1].txt", "k1.txt", true),
            ("k[1].txt", "k2.txt", false),
            (r"k\[1\].txt", "k[1].txt", true),
            (r"k\[1\].txt", "k1.txt", false),
            ("k[[]1].txt", "k[1].txt", true),
            ("k[[]1].txt", "k1.txt", false),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("[A-C]", "b", true),
            ("[]x]", "]", true),
            ("{a,b}.txt", "b.txt", true),
            ("{a,b}.txt", "{a,b}.txt", true),
            ("{a,b}.txt", "c.txt", false),
            (r"\{a,b\}.txt", "{a,b}.txt", true),
            (r"\{a,b\}.txt", "a.txt", false),
            ("a*.txt", "a*.txt", true),
            (r"a\*.txt", "ab.txt", false),
            ("what?", "what?", true),
            ("app/[id]/*.pem", "app/[id]/x.pem", true),
            ("app/[id]/*.pem", "app/i/x.pem", true),
            ("app/[id]/*.pem", "app/other/x.pem", false),
            ("**/k[1]", "a/b/k[1]/below", true),
            (r"plain\name", r"plain\name", true),
            ("k[1", "k[1", true),
        ] {
            assert_eq!(closes(entry, path), expected, "{entry} {path}");
        }
    }

    #[test]
    fn a_reading_knows_the_folder_that_it_looks_below() {
        let roots = |entry: &str| -> Vec<String> {
            readings(entry).iter().map(|one| one.root().display().to_string()).collect()
        };
        assert_eq!(roots("/w/a/b.txt"), ["/w/a/b.txt"]);
        assert_eq!(roots("/w/**/*.pem"), ["/w"]);
        assert_eq!(roots("/w/app/[id]/x"), ["/w/app", "/w/app/[id]/x"]);
        assert_eq!(roots(r"/w/k\[1\].txt")[0], "/w/k[1].txt");
    }
}
