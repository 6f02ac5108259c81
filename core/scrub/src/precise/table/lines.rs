//! Tables with one row a line, and commas, semicolons, tabs, bars or aligned columns.
//!
//! Sources: RFC 4180 (CSV); the manuals of psql, mysql and sqlite3, for how they print tables;
//! GitHub Flavored Markdown, section 4.10.

use std::ops::Range;

use super::super::super::placeholder;
use super::super::super::view::{self, View};
use super::{Columns, Layout, Row, Table};
use crate::words;

/// The longest name of a column, in bytes.
const MAX_NAME_LENGTH: usize = 40;
/// How much of a line before a name is read to rule out a header, in bytes.
const MAX_LINE_BEFORE: usize = 128;
/// The longest part of a header from a name on, in bytes.
const MAX_HEADER_REST: usize = 1_024;
/// The fewest hyphens of a rule.
const MIN_HYPHENS: usize = 2;
/// The most columns of a table with aligned columns.
const MAX_ALIGNED_COLUMNS: usize = 16;
/// The bar that boxes are drawn with: U+2502.
const BAR: &[u8] = "│".as_bytes();

/// How the cells of a line are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    separator: Separator,
    /// True if each line begins with its number.
    numbered: bool,
    /// True for Markdown, whose tables often explain secrets instead of listing them.
    markdown: bool,
}

/// What separates cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    /// The bar of a box.
    Bar,
    /// There is only one column.
    Nothing,
    /// Columns are aligned with the rules below their headers.
    Rules(Rules),
}

/// Where the columns start, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    starts: [u16; MAX_ALIGNED_COLUMNS],
    count: usize,
}

impl Lines {
    /// Lines with tabs between their cells.
    pub(super) const TABS: Lines =
        Lines { separator: Separator::Byte(b'\t'), numbered: false, markdown: false };
}

impl Separator {
    fn bytes(&self) -> &[u8] {
        match self {
            Separator::Byte(byte) => std::slice::from_ref(byte),
            Separator::Bar => BAR,
            Separator::Nothing | Separator::Rules(_) => b"\n",
        }
    }

    /// True if cells may be quoted.
    fn quotes(self) -> bool {
        matches!(self, Separator::Byte(b',' | b';' | b'\t'))
    }
}

/// A prefilter: false only if the name, with a comma or semicolon behind it, heads no column.
pub(super) fn may_be_header(text: &[u8], name: Range<usize>) -> bool {
    let next = match text[name.end..] {
        [b',' | b';', next, ..] => next.is_ascii_alphabetic() || matches!(next, b'"' | b'_'),
        _ => false,
    };
    let before = &text[name.start.saturating_sub(MAX_LINE_BEFORE)..name.start];
    let other = || before.iter().rfind(|b| !IS_HEADER_BYTE[usize::from(**b)]);
    next && other().is_none_or(|byte| *byte == b'\n')
}

/// The line of a header around the candidate, without its end. `None` for most other lines, by the
/// first byte that no header has.
fn header_line(view: &View<'_>) -> Option<Range<usize>> {
    let (before, ahead) = view.text.split_at(view.at);
    if !ends_column(ahead) {
        return None;
    }
    let other = |byte: &u8| !IS_HEADER_BYTE[usize::from(*byte)];
    let length = ahead.iter().take(MAX_HEADER_REST).position(other)?;
    if !matches!(ahead[length..], [b'\n', ..] | [b'\r', b'\n', ..]) {
        return None;
    }
    let start = match before.iter().rposition(other) {
        Some(end) if before[end] == b'\n' => end + 1,
        Some(_) => return None,
        // The start of the line is visible.
        None => (view.at < view::BACK).then_some(0)?,
    };
    Some(start..view.at + length)
}

/// True if the word that `text` starts in is the last word of a column's name.
fn ends_column(text: &[u8]) -> bool {
    let length = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_-\")".contains(b));
    match text[length.count()..] {
        [b',' | b';' | b'\t' | b'|' | b'\n' | b'\r' | 0x80.., ..] => true,
        [b' ', next, ..] => matches!(next, b' ' | b'|' | b'\n' | b'\r' | 0x80..),
        _ => false,
    }
}

/// Bytes of the lines of headers.
static IS_HEADER_BYTE: [bool; 256] = {
    let mut header = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        header[byte] = (byte as u8).is_ascii_alphanumeric()
            || byte >= 0x80
            || matches!(
                byte as u8,
                b'_' | b'-'
                    | b'.'
                    | b' '
                    | b'('
                    | b')'
                    | b'/'
                    | b'#'
                    | b'"'
                    | b'\t'
                    | b','
                    | b';'
                    | b'|'
            );
        byte += 1;
    }
    header
};

/// The table whose column the name at the candidate heads.
pub(super) fn header(view: &View<'_>) -> Option<Table> {
    let text = view.text;
    let line = header_line(view)?;
    let numbered = line_number_length(&text[line.clone()]);
    let begin = line.start + numbered;
    let next = after_line_end(text, line.end);
    let rule = line_around(text, next).filter(|next| is_rule(&text[next.clone()]));
    let separator = match (separator_of(text, view.at, begin..line.end)?, &rule) {
        (Separator::Nothing, rule) => Rules::of(&text[rule.clone()?]).into(),
        (separator, _) => separator,
    };
    let markdown = rule.as_ref().is_some_and(|rule| {
        let rule = &text[rule.clone()];
        rule.contains(&b'|') && !rule.contains(&b'+')
    });
    let lines = Lines { separator, numbered: numbered > 0, markdown };
    let mut columns = Columns::default();
    let mut named = true;
    let see = |number: usize, span: Range<usize>| {
        let name = &text[line.start + span.start..line.start + span.end];
        // A frame around the table gives empty cells at its edges.
        named &= is_name(name) || name.is_empty() && (number == 0 || span.end == line.len());
        columns.add(name);
    };
    let head = lines.row(&text[line.start..], view.last, see)?;
    let fits = match (separator, &rule) {
        (Separator::Byte(byte), _) if byte != b'|' || rule.is_none() => {
            let line = &text[line.clone()];
            let drawn = line.first() == Some(&byte) || line.last() == Some(&byte);
            head.count > 1 && !drawn && !has_loose_separator(line, separator)
        }
        (_, rule) => rule.is_some(),
    };
    if !fits || !named || follows_table_row(text, line.start, lines, head.count, rule.is_some()) {
        return None;
    }
    let first = rule.map_or(next, |rule| after_line_end(text, rule.end));
    columns.with_secrets().map(|columns| Table::new(Layout::Lines(lines), columns, first))
}

/// True if a blank stands next to a separator, as in a sentence or a command.
fn has_loose_separator(line: &[u8], separator: Separator) -> bool {
    let Separator::Byte(separator @ (b',' | b';' | b'|')) = separator else { return false };
    let beside = |pair: &[u8]| pair.contains(&b' ') && pair.contains(&separator);
    line.windows(2).any(beside)
}

/// True if the line before `start` is a row of the same table. Then the line at `start` is no
/// header.
fn follows_table_row(text: &[u8], start: usize, lines: Lines, count: usize, ruled: bool) -> bool {
    let before = |start: usize| line_around(text, start.checked_sub(1)?);
    let Some(mut line) = before(start) else { return false };
    if ruled && is_rule(&text[line.clone()]) {
        match before(line.start) {
            Some(above) => line = above,
            None => return false,
        }
    }
    if line.is_empty() || matches!(lines.separator, Separator::Nothing | Separator::Rules(_)) {
        return false;
    }
    // The placeholder may have been another row.
    if placeholder::next_start(text, line.start, line.end).is_some() {
        return true;
    }
    let row = lines.row(&text[line.start..], true, |_, _| {});
    row.is_some_and(|row| row.count == count)
        && (ruled || !has_loose_separator(&text[line], lines.separator))
}

impl Lines {
    /// Calls `see` with each cell of the row that `text` starts with, and its number. A rule has no
    /// cells. `None` if the table ends, or if the row may go on (`last` is false and no line end is
    /// visible).
    pub(super) fn row(
        self,
        text: &[u8],
        last: bool,
        mut see: impl FnMut(usize, Range<usize>),
    ) -> Option<Row> {
        let end = memchr::memchr(b'\n', text).or(last.then_some(text.len()))?;
        let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
        let mut row = Row { count: 0, next: text.len().min(end + 1) };
        if is_rule(line) {
            return Some(row);
        }
        let mut at = if self.numbered { line_number_length(line) } else { 0 };
        let over = line.trim_ascii().is_empty() || line == b"\\." || self.numbered && at == 0;
        if over || self.separator == Separator::Nothing && !is_word(line) {
            return None;
        }
        if let Separator::Rules(rules) = self.separator {
            // A placeholder shifts what stands behind it.
            let moved = placeholder::next_start(line, 0, line.len()).is_some();
            row.count = (!moved).then(|| rules.cells(line, see))??;
            return Some(row);
        }
        loop {
            let (cell, end) = self.cell(line, at)?;
            if is_masked_in_part(&line[cell.clone()]) {
                return None;
            }
            see(row.count, cell);
            row.count += 1;
            if end == line.len() {
                return Some(row);
            }
            at = end + self.separator.bytes().len();
        }
    }

    /// True if the cell explains a secret instead of holding one.
    pub(super) fn is_explanation(self, cell: &[u8]) -> bool {
        let letters = cell.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (word, rest) = cell.split_at(letters);
        let word = rest.is_empty()
            || words::METHOD_NAMES.iter().any(|name| name.eq_ignore_ascii_case(word));
        self.markdown && (word || cell.contains(&b' '))
    }

    /// The cell at `at` without blanks and quotes, and where it ends.
    fn cell(self, line: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        let separator = self.separator.bytes();
        if self.separator.quotes() && line.get(at) == Some(&b'"') {
            let close = closing(line, at + 1)?;
            let behind = &line[close + 1..];
            return (behind.is_empty() || behind.starts_with(separator))
                .then_some((at + 1..close, close + 1));
        }
        let length = memchr::memmem::find(&line[at..], separator).unwrap_or(line.len() - at);
        Some((trim_span(line, at..at + length), at + length))
    }
}

impl Rules {
    /// The columns below a rule; `None` if there is only one, or if there are too many.
    fn of(rule: &[u8]) -> Option<Rules> {
        let mut rules = Rules { starts: [0; MAX_ALIGNED_COLUMNS], count: 0 };
        let begins = |at: &usize| rule[*at] == b'-' && (*at == 0 || rule[at - 1] == b' ');
        for start in (0..rule.len()).filter(begins) {
            *rules.starts.get_mut(rules.count)? = u16::try_from(start).ok()?;
            rules.count += 1;
        }
        let plain = rule.iter().all(|b| matches!(b, b'-' | b' '));
        (plain && rules.count > 1).then_some(rules)
    }

    /// Calls `see` with each cell of a line and returns their number; `None` if a cell reaches into
    /// the next column.
    fn cells(self, line: &[u8], mut see: impl FnMut(usize, Range<usize>)) -> Option<usize> {
        let first_of_character = |&at: &usize| line[at].cast_signed() >= -0x40;
        let firsts = (0..line.len()).filter(first_of_character);
        let mut start = 0;
        for number in 0..self.count {
            let next = self.starts[..self.count].get(number + 1);
            let end = next.and_then(|next| firsts.clone().nth(usize::from(*next)));
            let end = end.unwrap_or(line.len());
            if end < line.len() && line[end - 1] != b' ' {
                return None;
            }
            see(number, trim_span(line, start..end));
            start = end;
        }
        Some(self.count)
    }
}

impl From<Option<Rules>> for Separator {
    fn from(rules: Option<Rules>) -> Separator {
        rules.map_or(Separator::Nothing, Separator::Rules)
    }
}

/// True if the cell contains a placeholder and other text. It may have been several cells.
fn is_masked_in_part(cell: &[u8]) -> bool {
    placeholder::next_start(cell, 0, cell.len()).is_some()
        && placeholder::length(cell) != Some(cell.len())
}

/// True for one word behind blanks: a row of one column.
fn is_word(line: &[u8]) -> bool {
    let word = line.trim_ascii();
    line.starts_with(b" ") && !word.contains(&b' ') && !word.starts_with(b"(")
}

/// Where a quoted cell ends. A quote inside is written twice.
fn closing(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr(b'"', line.get(at..)?)?;
        if line.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// The separator of the header line that contains the name at `at`.
fn separator_of(text: &[u8], at: usize, line: Range<usize>) -> Option<Separator> {
    let belongs = |b: &&u8| b.is_ascii_alphanumeric() || b"_-. ()\"".contains(b);
    let behind = at + text[at..line.end].iter().take_while(belongs).count();
    let of = |text: &[u8]| match text {
        [byte @ (b',' | b';' | b'\t' | b'|'), ..] => Some(Separator::Byte(*byte)),
        text if text.starts_with(BAR) => Some(Separator::Bar),
        _ => None,
    };
    if behind < line.end {
        return of(&text[behind..line.end]);
    }
    let own = text[line.start..at].iter().rev().take_while(belongs).count();
    let before = &text[line.start..at - own];
    match before.last() {
        None => Some(Separator::Nothing),
        Some(0x80..) => of(&before[before.len().saturating_sub(BAR.len())..]),
        Some(byte) => of(&[*byte]),
    }
}

/// True for the name of a column.
fn is_name(name: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"_-. ()/#".contains(b);
    let first = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    first && name.len() <= MAX_NAME_LENGTH && name.iter().all(belongs)
}

/// True for a rule: `---+---`, `|:---|---:|`, `├───┼───┤`.
fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let drawn = |part: &[u8]| matches!(part, [0xE2, 0x94 | 0x95, _]);
    if line.first().is_some_and(|byte| !byte.is_ascii()) {
        let (parts, rest) = line.as_chunks::<3>();
        return rest.is_empty() && parts.iter().all(|part| drawn(part) && part != BAR);
    }
    line.iter().all(|b| b"-+|: =".contains(b))
        && line.iter().filter(|b| **b == b'-').count() >= MIN_HYPHENS
}

/// The length of the line number that a line starts with, as printed by `cat -n`.
fn line_number_length(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|b| **b == b' ').count();
    let digits = line[blanks..].iter().take_while(|b| b.is_ascii_digit()).count();
    let at = blanks + digits;
    match line[at..] {
        [b'\t', ..] if digits > 0 => at + 1,
        _ if digits > 0 && line[at..].starts_with("→".as_bytes()) => at + "→".len(),
        _ => 0,
    }
}

/// The line around `at`, without its end; `None` behind the end of the text.
fn line_around(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = memchr::memrchr(b'\n', text.get(..at)?).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
    let carriage = usize::from(text[start..end].ends_with(b"\r"));
    Some(start..end - carriage)
}

/// The position behind the line end at `end`.
fn after_line_end(text: &[u8], end: usize) -> usize {
    let carriage = usize::from(text.get(end) == Some(&b'\r'));
    end + carriage + usize::from(text.get(end + carriage) == Some(&b'\n'))
}

/// The span without blanks at its ends.
fn trim_span(text: &[u8], span: Range<usize>) -> Range<usize> {
    let inside = text[span.clone()].trim_ascii_start();
    let start = span.end - inside.len();
    start..start + inside.trim_ascii_end().len()
}
