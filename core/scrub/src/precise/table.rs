//! Secrets in the columns of tables: what stands below `password` in CSV, in what the client of a
//! database prints and in Markdown (`lines`), and in the rows of `INSERT` and `COPY`
//! (`statement`).
//!
//! A table may be longer than any view. So it is a state of the search that goes from row to row;
//! each row is decided from the view that begins with it.

use std::ops::Range;

use super::super::view::View;
use super::name::{self, Strength, Telling};

mod lines;
mod statement;
#[cfg(test)]
mod tests;

/// The most columns of one table that hold secrets.
const TOLD: usize = 4;
/// How far a row is read, in bytes. So much stays known before what is looked at.
pub(crate) const ROW: usize = 2_048;

/// A table, and how far it has been read. Positions count from the start of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    layout: Layout,
    columns: Columns,
    /// Where the row starts that is being read.
    row: usize,
    /// How many of the columns that hold secrets have been read of it.
    read: usize,
    /// The next cell starts there or behind it.
    due: usize,
}

/// How rows and cells are told from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Lines(lines::Lines),
    /// Rows in parentheses, with commas between the cells.
    Tuples,
}

/// What the columns hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Columns {
    count: usize,
    told: [Option<(usize, Telling)>; TOLD],
}

impl Columns {
    fn add(&mut self, name: &[u8]) {
        let free = self.told.iter_mut().find(|told| told.is_none());
        if let (Some(free), Some(telling)) = (free, telling(name)) {
            *free = Some((self.count, telling));
        }
        self.count += 1;
    }

    /// `None` if none of the columns holds secrets.
    fn told(self) -> Option<Columns> {
        self.told[0].is_some().then_some(self)
    }
}

/// What the name of a column tells. Only what is named a password is one whatever it looks like.
fn telling(name: &[u8]) -> Option<Telling> {
    let told = name::telling(name).filter(|told| told.strength == Strength::Strong)?;
    let password = matches!(told.kind, "password" | "passphrase");
    Some(if password { told } else { told.weakened() })
}

/// A cell that may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Where it starts and ends, without quotes. Counts from the start of the text.
    pub start: usize,
    pub end: usize,
    pub telling: Telling,
}

impl Cell {
    /// The same where positions count from so much behind.
    pub(super) fn within(self, base: usize) -> Cell {
        Cell { start: self.start - base, end: self.end - base, ..self }
    }
}

impl Table {
    /// The table of which the name at the sight heads a column. Counts from the start of the view.
    pub(super) fn below(view: &View<'_>) -> Option<Table> {
        lines::header(view)
    }

    /// The table that a statement at the sight fills.
    pub(super) fn filled(view: &View<'_>) -> Option<Table> {
        statement::header(view)
    }

    /// False if no table is below the name with a comma or semicolon behind it, for most such names
    /// in code.
    pub(super) fn may_be_below(text: &[u8], name: Range<usize>) -> bool {
        lines::may_be_header(text, name)
    }

    fn new(layout: Layout, columns: Columns, row: usize) -> Table {
        Table { layout, columns, row, read: 0, due: row }
    }

    /// The same where positions count from so much before.
    pub(crate) fn moved(self, by: usize) -> Table {
        Table { row: self.row + by, due: self.due + by, ..self }
    }

    /// The same where positions count from so much behind; `None` if the row begins before that.
    pub(crate) fn within(self, base: usize) -> Option<Table> {
        Some(Table { row: self.row.checked_sub(base)?, due: self.due - base, ..self })
    }

    /// Takes the next cell that starts at `to` or before it, and before `known`, up to which views
    /// are complete. The table becomes nothing where it ends.
    pub(super) fn take(
        table: &mut Option<Table>,
        text: &[u8],
        to: usize,
        known: usize,
    ) -> Option<Cell> {
        loop {
            let open = table.as_mut()?;
            if open.due > to || open.due >= known {
                return None;
            }
            let told = open.columns.told.get(open.read).copied().flatten();
            let Some((row, span)) = open.parse(text, told.map(|(column, _)| column)) else {
                *table = None;
                return None;
            };
            let Some((_, telling)) = told.filter(|_| row.count > 0) else {
                (open.row, open.read, open.due) = (row.next, 0, row.next);
                continue;
            };
            open.due = span.start;
            if span.start > to || span.start >= known {
                return None;
            }
            open.read += 1;
            let explains = |lines: lines::Lines| lines.explains(&text[span.clone()]);
            let explains = matches!(open.layout, Layout::Lines(lines) if explains(lines));
            if !span.is_empty() && !explains {
                return Some(Cell { start: span.start, end: span.end, telling });
            }
        }
    }

    /// The row that is being read, and its cell in the column; `None` if the table ends there.
    fn parse(&self, text: &[u8], column: Option<usize>) -> Option<(Row, Range<usize>)> {
        let rest = &text[self.row..text.len().min(self.row + ROW)];
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

/// A row: how many cells it has, and where the next one starts.
#[derive(Clone, Copy, Debug)]
struct Row {
    count: usize,
    next: usize,
}
