//! Texts that are the same but for line ends, in a file that has both kinds.

use std::time::Duration;

use memchr::memmem;
use similar::{DiffTag, TextDiff};

/// How long the shortest difference is looked for. After that any will do.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// A content with LF alone at the end of each line.
pub(super) struct Plain<'c> {
    content: &'c [u8],
    text: Vec<u8>,
    /// Where in `text` an LF stands that has a CR before it in the content.
    crlf: Vec<usize>,
}

impl<'c> Plain<'c> {
    pub(super) fn of(content: &'c [u8]) -> Plain<'c> {
        let (mut text, mut crlf) = (Vec::with_capacity(content.len()), Vec::new());
        let mut copied = 0;
        for at in memmem::find_iter(content, b"\r\n") {
            text.extend_from_slice(&content[copied..at]);
            crlf.push(text.len());
            copied = at + 1;
        }
        text.extend_from_slice(&content[copied..]);
        Plain { content, text, crlf }
    }

    /// The spellings of `text` in the content from there on, each once, in the order of the first place,
    /// at most `most`. None where the text has no line end. Takes time that grows with the content alone.
    pub(super) fn spellings(&self, from: usize, text: &str, most: usize) -> Vec<&'c str> {
        let mut found: Vec<&str> = Vec::new();
        if !text.contains('\n') {
            return found;
        }
        let begin = self.plain(from);
        for at in memmem::find_iter(&self.text[begin..], text) {
            let at = begin + at;
            let place = &self.content[self.place(at)..self.place(at + text.len())];
            if let Ok(spelling) = std::str::from_utf8(place)
                && !found.contains(&spelling)
            {
                found.push(spelling);
            }
            if found.len() == most {
                break;
            }
        }
        found
    }

    /// The end of the content that is `text`, where it is and begins a line.
    pub(super) fn ending(&self, text: &str) -> Option<&'c str> {
        let at = self.text.len().checked_sub(text.len())?;
        let begins = at == 0 || self.text[at - 1] == b'\n';
        let ends = begins && self.text.ends_with(text.as_bytes());
        std::str::from_utf8(&self.content[self.place(at)..]).ok().filter(|_| ends)
    }

    /// Where a byte of the text is in the content; a line end with its CR.
    fn place(&self, at: usize) -> usize {
        at + self.crlf.partition_point(|lf| *lf < at)
    }

    /// Where a byte of the content is in the text.
    fn plain(&self, place: usize) -> usize {
        let (mut least, mut most) = (0, self.crlf.len());
        // So many CR stand before it.
        while least < most {
            let middle = usize::midpoint(least, most);
            match self.crlf[middle] + middle < place {
                true => least = middle + 1,
                false => most = middle,
            }
        }
        place - least
    }
}

/// The end of a line; none of one that has none.
pub(super) fn end_of(line: &str) -> Option<&'static str> {
    let (lf, crlf) = (line.ends_with('\n'), line.ends_with("\r\n"));
    lf.then_some(if crlf { "\r\n" } else { "\n" })
}

/// The line end that a line at this byte of a content takes on: that of the line above, else of the
/// first line.
pub(super) fn end_at(content: &[u8], at: usize) -> &'static str {
    let above = memchr::memrchr(b'\n', &content[..at]);
    match above.or_else(|| memchr::memchr(b'\n', content)) {
        Some(end) if content[..end].ends_with(b"\r") => "\r\n",
        _ => "\n",
    }
}

/// A text with LF alone, as it takes the place of another: see [`carried`].
pub(super) fn ended_as(place: &str, text: &str) -> String {
    let (old, new) = (bare_lines(place), bare_lines(text));
    let diff = TextDiff::configure().timeout(LONGEST_LOOK).diff_slices(&old, &new);
    let mut marks = Vec::with_capacity(old.len() + new.len());
    for op in diff.ops() {
        let (tag, from, into) = op.as_tag_tuple();
        match tag {
            DiffTag::Equal => marks.extend(from.map(|_| Mark::Keep)),
            _ => {
                marks.extend(from.map(|_| Mark::Remove));
                marks.extend(into.map(|_| Mark::Add));
            }
        }
    }
    let first = place.split_inclusive('\n').find_map(end_of);
    carried(&marks, (place, text), first.unwrap_or("\n"))
}

fn bare_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.trim_end_matches(['\r', '\n'])).collect()
}

/// What a change does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Keep,
    Remove,
    Add,
}

/// New lines with LF alone, as they take the place of the old ones. A line that stays keeps its end. One
/// that is added takes that of the line above it, or of the line in whose place it comes where the change
/// begins with that; `above` is what is above all.
pub(super) fn carried(marks: &[Mark], (old, new): (&str, &str), above: &str) -> String {
    let (mut old, mut new) = (old.split_inclusive('\n'), new.split_inclusive('\n'));
    let mut text = String::with_capacity(2 * marks.len());
    let mut end = None;
    for mark in marks {
        let there = match mark {
            Mark::Keep | Mark::Remove => old.next().and_then(end_of),
            Mark::Add => None,
        };
        end = match mark {
            Mark::Keep => there.or(end),
            Mark::Remove => end.or(there),
            Mark::Add => end,
        };
        if *mark == Mark::Remove {
            continue;
        }
        let line = new.next().unwrap_or_default();
        match line.strip_suffix('\n') {
            Some(bare) => {
                text.push_str(bare);
                text.push_str(end.unwrap_or(above));
            }
            None => text.push_str(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &[u8] = b"one\r\ntwo\nthree\r\nfour\n\ntwo\nthree\n";

    #[test]
    fn a_text_is_found_whatever_the_ends_of_its_lines() {
        let plain = Plain::of(MIXED);
        let spellings = |text, most| plain.spellings(0, text, most);
        assert_eq!(spellings("two\nthree\n", 9), ["two\nthree\r\n", "two\nthree\n"]);
        assert_eq!(spellings("two\nthree\n", 1), ["two\nthree\r\n"]);
        assert_eq!(spellings("one\ntwo", 9), ["one\r\ntwo"]);
        assert_eq!(spellings("\ntwo", 9), ["\r\ntwo", "\ntwo"]);
        assert!(spellings("two", 9).is_empty() && spellings("two\nfour", 9).is_empty());
        assert_eq!(plain.spellings(5, "two\nthree\n", 9), ["two\nthree\r\n", "two\nthree\n"]);
        assert_eq!(plain.spellings(6, "two\nthree\n", 9), ["two\nthree\n"]);
        assert_eq!(plain.ending("two\nthree\n"), Some("two\nthree\n"));
        assert_eq!((plain.ending("wo\nthree\n"), plain.ending("three\nfour\n")), (None, None));
    }

    #[test]
    fn a_text_of_many_equal_lines_is_sought_in_one_pass() {
        let content = [b"first\r\n", "    call();\n".repeat(200_000).as_bytes()].concat();
        let text = format!("{}    other();\n", "    call();\n".repeat(20_000));
        assert!(Plain::of(&content).spellings(0, &text, 9).is_empty());
        assert_eq!(Plain::of(&content).spellings(0, "first\n    call();\n", 9).len(), 1);
    }

    #[test]
    fn a_line_that_stays_keeps_its_end_and_a_new_one_takes_that_of_a_neighbour() {
        for (place, text, want) in [
            ("one\r\ntwo\n", "one\n2\n", "one\r\n2\r\n"),
            ("two\nthree\r\nfour", "2\n3\n4", "2\n3\n4"),
            ("a\nb\r\nc\n", "a\nB\nc\n", "a\nB\nc\n"),
            ("a\nb\r\nc\n", "a\nb\nx\ny\nc\n", "a\nb\r\nx\r\ny\r\nc\n"),
            ("a\r\nb\nc\r\n", "x\na\nb\nc", "x\r\na\r\nb\nc"),
            ("a\r\nb\nc", "a\nb\nc\nd", "a\r\nb\nc\nd"),
            ("a\r\nb\nc\nd\r\n", "a\nd\n", "a\r\nd\r\n"),
            ("two\nthree", "1\n2\n", "1\n2\n"),
            ("a\r\nb\r\n", "1\n2", "1\r\n2"),
        ] {
            assert_eq!(ended_as(place, text), want, "{place:?} {text:?}");
        }
    }
}
