//! Tables of lines: one row a line, with commas, semicolons, tabs or bars between the cells.
//!
//! Sources: RFC 4180 (CSV); the manuals of psql, mysql and sqlite3, for how they print tables;
//! GitHub Flavored Markdown, section 4.10.

use std::ops::Range;

use super::super::super::placeholder;
use super::super::super::view::{self, View};
use super::{Columns, Layout, Row, Table};

/// The longest name of a column.
const NAME: usize = 40;
/// How far before a name is looked for what no header has at first, in bytes.
const LINE: usize = 128;
/// The longest rest of a header from a name on, in bytes.
const LONGEST: usize = 1_024;
/// The fewest hyphens of a rule.
const HYPHENS: usize = 2;
/// The most columns that are told by rules.
const ALIGNED: usize = 16;
/// The bar that boxes are drawn with: U+2502.
const BAR: &[u8] = "│".as_bytes();

/// How the cells of a line are told from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    between: Between,
    /// Each line has its number before it.
    numbered: bool,
    /// It is Markdown, where words say something of passwords.
    markdown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Byte(u8),
    /// The bar of a box.
    Bar,
    /// There is one column.
    Nothing,
    /// Each begins where its rule below the header does.
    Rules(Rules),
}

/// Where the columns start, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    starts: [u16; ALIGNED],
    count: usize,
}

impl Lines {
    /// Lines with tabs between their cells.
    pub(super) const TABS: Lines =
        Lines { between: Between::Byte(b'\t'), numbered: false, markdown: false };
}

impl Between {
    fn bytes(&self) -> &[u8] {
        match self {
            Between::Byte(byte) => std::slice::from_ref(byte),
            Between::Bar => BAR,
            Between::Nothing | Between::Rules(_) => b"\n",
        }
    }

    /// True where cells may stand between quotes.
    fn quotes(self) -> bool {
        matches!(self, Between::Byte(b',' | b';' | b'\t'))
    }
}

/// False if the name with a comma or semicolon behind it heads no column, for most such names in
/// code.
pub(super) fn may_be_header(text: &[u8], name: Range<usize>) -> bool {
    let next = match text[name.end..] {
        [b',' | b';', next, ..] => next.is_ascii_alphabetic() || matches!(next, b'"' | b'_'),
        _ => false,
    };
    let before = &text[name.start.saturating_sub(LINE)..name.start];
    let other = || before.iter().rfind(|b| !HEADER[usize::from(**b)]);
    next && other().is_none_or(|byte| *byte == b'\n')
}

/// The line of a header around the sight, without its end; `None` for most other lines, by the
/// first byte that no header has.
fn header_line(view: &View<'_>) -> Option<Range<usize>> {
    let (before, ahead) = view.text.split_at(view.at);
    if !ends_column(ahead) {
        return None;
    }
    let other = |byte: &u8| !HEADER[usize::from(*byte)];
    let length = ahead.iter().take(LONGEST).position(other)?;
    if !matches!(ahead[length..], [b'\n', ..] | [b'\r', b'\n', ..]) {
        return None;
    }
    let start = match before.iter().rposition(other) {
        Some(end) if before[end] == b'\n' => end + 1,
        Some(_) => return None,
        // Where it begins is seen.
        None => (view.at < view::BACK).then_some(0)?,
    };
    Some(start..view.at + length)
}

/// True if the word that `text` starts in ends the name of a column: no other word of it follows.
fn ends_column(text: &[u8]) -> bool {
    let length = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_-\")".contains(b));
    match text[length.count()..] {
        [b',' | b';' | b'\t' | b'|' | b'\n' | b'\r' | 0x80.., ..] => true,
        [b' ', next, ..] => matches!(next, b' ' | b'|' | b'\n' | b'\r' | 0x80..),
        _ => false,
    }
}

/// What the lines of headers are made of.
static HEADER: [bool; 256] = {
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

/// The table of which the name at the sight heads a column.
pub(super) fn header(view: &View<'_>) -> Option<Table> {
    let text = view.text;
    let line = header_line(view)?;
    let numbered = number(&text[line.clone()]);
    let begin = line.start + numbered;
    let next = past_end(text, line.end);
    let rule = line_around(text, next).filter(|next| is_rule(&text[next.clone()]));
    let between = match (between(text, view.at, begin..line.end)?, &rule) {
        (Between::Nothing, rule) => Rules::of(&text[rule.clone()?]).into(),
        (between, _) => between,
    };
    let markdown = rule.as_ref().is_some_and(|rule| {
        let rule = &text[rule.clone()];
        rule.contains(&b'|') && !rule.contains(&b'+')
    });
    let lines = Lines { between, numbered: numbered > 0, markdown };
    let mut columns = Columns::default();
    let mut named = true;
    let see = |number: usize, span: Range<usize>| {
        let name = &text[line.start + span.start..line.start + span.end];
        // What is drawn around a table makes cells of its own.
        named &= is_name(name) || name.is_empty() && (number == 0 || span.end == line.len());
        columns.add(name);
    };
    let head = lines.row(&text[line.start..], view.last, see)?;
    let fits = match (between, &rule) {
        (Between::Byte(byte), _) if byte != b'|' || rule.is_none() => {
            let line = &text[line.clone()];
            let drawn = line.first() == Some(&byte) || line.last() == Some(&byte);
            head.count > 1 && !drawn && !is_loose(line, between)
        }
        (_, rule) => rule.is_some(),
    };
    if !fits || !named || follows_row(text, line.start, lines, head.count, rule.is_some()) {
        return None;
    }
    let first = rule.map_or(next, |rule| past_end(text, rule.end));
    columns.told().map(|columns| Table::new(Layout::Lines(lines), columns, first))
}

/// True if a blank stands beside a separator, as in a sentence and in a command.
fn is_loose(line: &[u8], between: Between) -> bool {
    let Between::Byte(between @ (b',' | b';' | b'|')) = between else { return false };
    let beside = |pair: &[u8]| pair.contains(&b' ') && pair.contains(&between);
    line.windows(2).any(beside)
}

/// True if the line before the one at `start` is a row of the same table: then that one heads
/// none.
fn follows_row(text: &[u8], start: usize, lines: Lines, count: usize, ruled: bool) -> bool {
    let before = |start: usize| line_around(text, start.checked_sub(1)?);
    let Some(mut line) = before(start) else { return false };
    if ruled && is_rule(&text[line.clone()]) {
        match before(line.start) {
            Some(above) => line = above,
            None => return false,
        }
    }
    if line.is_empty() || matches!(lines.between, Between::Nothing | Between::Rules(_)) {
        return false;
    }
    // What is masked was another row perhaps.
    if placeholder::next(text, line.start, line.end).is_some() {
        return true;
    }
    let row = lines.row(&text[line.start..], true, |_, _| {});
    row.is_some_and(|row| row.count == count) && (ruled || !is_loose(&text[line], lines.between))
}

impl Lines {
    /// Shows the cells of the row that `text` starts with, each with its number; one without cells
    /// is a rule. `None` if the table ends, or if its line does and `last` does not say that the
    /// text does.
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
        let mut at = if self.numbered { number(line) } else { 0 };
        let over = line.trim_ascii().is_empty() || line == b"\\." || self.numbered && at == 0;
        if over || self.between == Between::Nothing && !is_word(line) {
            return None;
        }
        if let Between::Rules(rules) = self.between {
            // What is masked has moved what stands behind it.
            let moved = placeholder::next(line, 0, line.len()).is_some();
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
            at = end + self.between.bytes().len();
        }
    }

    /// True if what stands in a cell is no secret, but says something of one.
    pub(super) fn explains(self, cell: &[u8]) -> bool {
        const METHODS: &[&[u8]] = &[b"sha", b"md", b"base", b"argon", b"utf", b"aes", b"pbkdf"];
        let letters = cell.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (word, rest) = cell.split_at(letters);
        let word = rest.is_empty() || METHODS.iter().any(|name| name.eq_ignore_ascii_case(word));
        self.markdown && (word || cell.contains(&b' '))
    }

    /// What stands in the cell at `at`, without blanks and quotes, and where the cell ends.
    fn cell(self, line: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        let between = self.between.bytes();
        if self.between.quotes() && line.get(at) == Some(&b'"') {
            let close = closing(line, at + 1)?;
            let behind = &line[close + 1..];
            return (behind.is_empty() || behind.starts_with(between))
                .then_some((at + 1..close, close + 1));
        }
        let length = memchr::memmem::find(&line[at..], between).unwrap_or(line.len() - at);
        Some((trimmed(line, at..at + length), at + length))
    }
}

impl Rules {
    /// The columns below a header; `None` if there is one, or too many.
    fn of(rule: &[u8]) -> Option<Rules> {
        let mut rules = Rules { starts: [0; ALIGNED], count: 0 };
        let begins = |at: &usize| rule[*at] == b'-' && (*at == 0 || rule[at - 1] == b' ');
        for start in (0..rule.len()).filter(begins) {
            *rules.starts.get_mut(rules.count)? = u16::try_from(start).ok()?;
            rules.count += 1;
        }
        let plain = rule.iter().all(|b| matches!(b, b'-' | b' '));
        (plain && rules.count > 1).then_some(rules)
    }

    /// Shows the cells of a line and answers their number; `None` if one goes on in the next
    /// column.
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
            see(number, trimmed(line, start..end));
            start = end;
        }
        Some(self.count)
    }
}

impl From<Option<Rules>> for Between {
    fn from(rules: Option<Rules>) -> Between {
        rules.map_or(Between::Nothing, Between::Rules)
    }
}

/// True if a placeholder is in the cell, and something beside it. It may have been more cells once.
fn is_masked_in_part(cell: &[u8]) -> bool {
    placeholder::next(cell, 0, cell.len()).is_some()
        && placeholder::length(cell) != Some(cell.len())
}

/// True for one word behind blanks: a row of one column.
fn is_word(line: &[u8]) -> bool {
    let word = line.trim_ascii();
    line.starts_with(b" ") && !word.contains(&b' ') && !word.starts_with(b"(")
}

/// Where the string closes that has opened before `at`; a quote in it is written twice.
fn closing(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr(b'"', line.get(at..)?)?;
        if line.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// What stands between the cells of the header in which the name at `at` is one.
fn between(text: &[u8], at: usize, line: Range<usize>) -> Option<Between> {
    let belongs = |b: &&u8| b.is_ascii_alphanumeric() || b"_-. ()\"".contains(b);
    let behind = at + text[at..line.end].iter().take_while(belongs).count();
    let of = |text: &[u8]| match text {
        [byte @ (b',' | b';' | b'\t' | b'|'), ..] => Some(Between::Byte(*byte)),
        text if text.starts_with(BAR) => Some(Between::Bar),
        _ => None,
    };
    if behind < line.end {
        return of(&text[behind..line.end]);
    }
    let own = text[line.start..at].iter().rev().take_while(belongs).count();
    let before = &text[line.start..at - own];
    match before.last() {
        None => Some(Between::Nothing),
        Some(0x80..) => of(&before[before.len().saturating_sub(BAR.len())..]),
        Some(byte) => of(&[*byte]),
    }
}

/// True for what columns are named with.
fn is_name(name: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"_-. ()/#".contains(b);
    let first = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    first && name.len() <= NAME && name.iter().all(belongs)
}

/// True for `---+---`, `|:---|---:|` and `├───┼───┤`.
fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let drawn = |part: &[u8]| matches!(part, [0xE2, 0x94 | 0x95, _]);
    if line.first().is_some_and(|byte| !byte.is_ascii()) {
        let (parts, rest) = line.as_chunks::<3>();
        return rest.is_empty() && parts.iter().all(|part| drawn(part) && part != BAR);
    }
    line.iter().all(|b| b"-+|: =".contains(b))
        && line.iter().filter(|b| **b == b'-').count() >= HYPHENS
}

/// The length of the number with which a line starts in what numbers lines, as `cat -n` does.
fn number(line: &[u8]) -> usize {
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

/// Behind the line end at `end`.
fn past_end(text: &[u8], end: usize) -> usize {
    let carriage = usize::from(text.get(end) == Some(&b'\r'));
    end + carriage + usize::from(text.get(end + carriage) == Some(&b'\n'))
}

/// The span without blanks at its ends.
fn trimmed(text: &[u8], span: Range<usize>) -> Range<usize> {
    let inside = text[span.clone()].trim_ascii_start();
    let start = span.end - inside.len();
    start..start + inside.trim_ascii_end().len()
}
