//! Tables: secrets in the columns of CSV files, of what database clients print, of Markdown
//! (`lines`), and in the rows of `INSERT` and `COPY` (`statement`).
//!
//! A header or statement with a secret's name starts a table. A table may be longer than any view.
//! So it is a state of the search that goes from row to row.
//!
//! Invariant: each row is decided from the view that begins with it, so a stream finds the same
//! cells as the whole text.

use std::ops::Range;

use super::super::view::View;
use super::name::{self, NameClass, Strength};

mod lines;
mod statement;
#[cfg(test)]
mod tests;

/// The most columns of a table that hold secrets.
const MAX_SECRET_COLUMNS: usize = 4;
/// The longest row, in bytes. A scan keeps this much before its position.
pub(crate) const MAX_ROW: usize = 2_048;

/// A table and the reading position in it. Positions count from the start of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// How its rows and cells are separated.
    layout: Layout,
    columns: Columns,
    /// Where the current row starts.
    row: usize,
    /// How many of the secret columns have been read in this row.
    read: usize,
    /// The next cell starts here or behind.
    next_cell: usize,
}

/// How rows and cells are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Lines(lines::Lines),
    /// Rows in parentheses, with commas between the cells.
    Tuples,
}

/// The columns that hold secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Columns {
    count: usize,
    secret: [Option<(usize, NameClass)>; MAX_SECRET_COLUMNS],
}

impl Columns {
    /// Adds the next column. Of more secret columns than there is room for, the first ones count.
    fn add(&mut self, name: &[u8]) {
        let free = self.secret.iter_mut().find(|secret| secret.is_none());
        if let (Some(free), Some(class)) = (free, classify(name)) {
            *free = Some((self.count, class));
        }
        self.count += 1;
    }

    /// The columns, or `None` if none of them holds secrets.
    fn with_secrets(self) -> Option<Columns> {
        self.secret[0].is_some().then_some(self)
    }
}

/// The class of a column's name. Only passwords are secrets whatever they look like.
fn classify(name: &[u8]) -> Option<NameClass> {
    let secret = name::classify(name).filter(|secret| secret.strength == Strength::Strong)?;
    let password = matches!(secret.kind, "password" | "passphrase");
    Some(if password { secret } else { secret.weakened() })
}

/// A cell that may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Where the cell starts and ends, without quotes. Counts from the start of the text.
    pub start: usize,
    pub end: usize,
    pub class: NameClass,
}

impl Cell {
    /// The same cell, with positions that count from `base`.
    pub(super) fn within(self, base: usize) -> Cell {
        Cell { start: self.start - base, end: self.end - base, ..self }
    }
}

impl Table {
    /// The table whose column the name at the candidate heads. Counts from the start of the view.
    pub(super) fn with_header(view: &View<'_>) -> Option<Table> {
        lines::header(view)
    }

    /// The table that a statement at the candidate fills.
    pub(super) fn filled_by_statement(view: &View<'_>) -> Option<Table> {
        statement::header(view)
    }

    /// A prefilter: false only if the name, with a comma or semicolon behind it, heads no column.
    pub(super) fn may_have_header(text: &[u8], name: Range<usize>) -> bool {
        lines::may_be_header(text, name)
    }

    /// A table whose next row starts at `row`.
    fn new(layout: Layout, columns: Columns, row: usize) -> Table {
        Table { layout, columns, row, read: 0, next_cell: row }
    }

    /// The same table, with positions that count from `by` bytes earlier.
    pub(crate) fn shifted(self, by: usize) -> Table {
        Table { row: self.row + by, next_cell: self.next_cell + by, ..self }
    }

    /// The same table, with positions that count from `base`; `None` if its row begins before that.
    pub(crate) fn within(self, base: usize) -> Option<Table> {
        Some(Table { row: self.row.checked_sub(base)?, next_cell: self.next_cell - base, ..self })
    }

    /// Returns the next cell that starts at `to` or before it, and before `known`, the end of
    /// complete views. Sets `table` to `None` where the table ends.
    pub(super) fn take(
        table: &mut Option<Table>,
        text: &[u8],
        to: usize,
        known: usize,
    ) -> Option<Cell> {
        loop {
            let open = table.as_mut()?;
            if open.next_cell > to || open.next_cell >= known {
                return None;
            }
            let secret = open.columns.secret.get(open.read).copied().flatten();
            let Some((row, span)) = open.parse(text, secret.map(|(column, _)| column)) else {
                *table = None;
                return None;
            };
            let Some((_, class)) = secret.filter(|_| row.count > 0) else {
                (open.row, open.read, open.next_cell) = (row.next, 0, row.next);
                continue;
            };
            open.next_cell = span.start;
            if span.start > to || span.start >= known {
                return None;
            }
            open.read += 1;
            let is_explanation = |lines: lines::Lines| lines.is_explanation(&text[span.clone()]);
            let is_explanation =
                matches!(open.layout, Layout::Lines(lines) if is_explanation(lines));
            if !span.is_empty() && !is_explanation {
                return Some(Cell { start: span.start, end: span.end, class });
            }
        }
    }

    /// The current row and its cell in the column; `None` if the table ends there.
    fn parse(&self, text: &[u8], column: Option<usize>) -> Option<(Row, Range<usize>)> {
        let rest = &text[self.row..text.len().min(self.row + MAX_ROW)];
        let mut found = 0..0;
        let see = |number: usize, span: Range<usize>| {
            if Some(number) == column {
                found = span;
            }
        };
        let row = match self.layout {
            Layout::Lines(lines) => lines.row(rest, self.row + rest.len() == text.len(), see),
            Layout::Tuples => statement::row(rest, see),
        }?;
        // A rule between rows has no cells.
        let fits = row.count == self.columns.count || row.count == 0;
        let row = Row { next: self.row + row.next, ..row };
        fits.then(|| (row, self.row + found.start..self.row + found.end))
    }
}

/// A row: the number of its cells, and where the next row starts.
#[derive(Clone, Copy, Debug)]
struct Row {
    count: usize,
    next: usize,
}
