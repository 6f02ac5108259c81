//! Tables that statements fill: `INSERT INTO t (a, password) VALUES (1, '…'), (2, '…')`, and `COPY
//! t (a, password) FROM stdin;` with one row a line.
//!
//! Sources: the manuals of PostgreSQL, MySQL and SQLite.

use std::ops::Range;

use super::super::super::view::View;
use super::lines::Lines;
use super::{Columns, Layout, Row, Table};

/// The table of a statement whose columns end at the candidate.
pub(super) fn header(view: &View<'_>) -> Option<Table> {
    let (before, ahead) = view.text.split_at(view.at);
    let open = memchr::memrchr2(b'(', b')', before).filter(|at| before[*at] == b'(')?;
    let mut at = view.at + blank(ahead, 1);
    let copies = word(view.text, &mut at, b"from") && word(view.text, &mut at, b"stdin");
    let fills = !copies && word(view.text, &mut at, b"values");
    let verb: &[&[u8]] = if copies { &[b"copy"] } else { &[b"into", b"insert"] };
    if !(copies || fills) || !follows(&before[..open], verb) {
        return None;
    }
    let mut columns = Columns::default();
    for name in before[open + 1..].split(|b| *b == b',') {
        let quoted = |b: &u8| b.is_ascii_whitespace() || b"\"`[]".contains(b);
        let start = name.iter().take_while(|b| quoted(b)).count();
        let end = name.iter().rposition(|b| !quoted(b)).map_or(start, |last| last + 1);
        columns.add(&name[start..end]);
    }
    let columns = columns.with_secrets()?;
    if copies {
        let end = memchr::memchr(b'\n', &view.text[at..])?;
        return Some(Table::new(Layout::Lines(Lines::TABS), columns, at + end + 1));
    }
    Some(Table::new(Layout::Tuples, columns, at))
}

/// True if `text` ends with the name of a table and these words before it, the last word first.
fn follows(text: &[u8], words: &[&[u8]]) -> bool {
    let text = text.trim_ascii_end();
    let named = |b: &&u8| b.is_ascii_alphanumeric() || b"_.\"`[]$".contains(b);
    let name = text.iter().rev().take_while(named).count();
    let mut rest = text[..text.len() - name].trim_ascii_end();
    words.iter().all(|word| {
        let (front, last) = rest.split_at(rest.len().saturating_sub(word.len()));
        rest = front.trim_ascii_end();
        last.eq_ignore_ascii_case(word)
    })
}

/// Skips the word at `at` and the blanks behind it; false if it does not stand there.
fn word(text: &[u8], at: &mut usize, word: &[u8]) -> bool {
    let end = *at + word.len();
    let found = text.get(*at..end).is_some_and(|found| found.eq_ignore_ascii_case(word));
    if found {
        *at = blank(text, end);
    }
    found
}

/// Where the blanks at `at` end.
fn blank(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Calls `see` with each cell of the row in parentheses that `text` starts with, behind blanks and
/// a comma.
pub(super) fn row(text: &[u8], mut see: impl FnMut(usize, Range<usize>)) -> Option<Row> {
    let mut at = blank(text, 0);
    if text.get(at) == Some(&b',') {
        at = blank(text, at + 1);
    }
    if text.get(at) != Some(&b'(') {
        return None;
    }
    for number in 0.. {
        let (cell, end) = cell(text, at + 1)?;
        see(number, cell);
        if text[end] == b')' {
            return Some(Row { count: number + 1, next: end + 1 });
        }
        at = end;
    }
    None
}

/// The content of the string in the cell at `at` (empty if there is none), and where the cell ends.
fn cell(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let mut depth = 0;
    let mut string = 0..0;
    let mut own_line = true;
    let mut at = blank(text, at);
    loop {
        match *text.get(at)? {
            quote @ (b'\'' | b'"' | b'`') => {
                let end = closing(text, at + 1, quote)?;
                own_line &= string.is_empty();
                string = at + 1..end;
                at = end;
            }
            b'(' => (depth, own_line) = (depth + 1, false),
            b')' if depth > 0 => depth -= 1,
            b',' | b')' if depth == 0 => {
                return Some((if own_line { string } else { 0..0 }, at));
            }
            // String prefixes: `E'…'`, `N'…'`.
            b'E' | b'e' | b'N' | b'n' if text.get(at + 1) == Some(&b'\'') => {}
            byte => own_line &= byte.is_ascii_whitespace(),
        }
        at += 1;
    }
}

/// Where a string ends. Quotes inside are written twice or escaped.
fn closing(text: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        at += memchr::memchr2(quote, b'\\', text.get(at..)?)?;
        match (text[at], text.get(at + 1)) {
            (b'\\', _) => at += 2,
            (_, Some(next)) if *next == quote => at += 2,
            _ => return Some(at),
        }
    }
}
