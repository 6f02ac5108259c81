//! Going through the rows of a segment, one after another.

use super::super::driver::{Row, Value};
use super::chain::{hashed, row_hash};
use super::checkpoint::Checkpoint;
use super::verify::Problems;

/// How many rows are read at once.
pub(super) const PAGE_ROWS: i64 = 500;

/// The positions of columns that are read by themselves.
const ID: usize = 1;
const AT_MS: usize = 2;
const POSITION: usize = 19;

pub(super) struct Walk<'c> {
    checkpoint: &'c Checkpoint,
    problems: Problems,
    rows: u64,
    /// The place of the last row.
    position: i64,
    /// The hash before the next row; none after a gap.
    hash: Option<Vec<u8>>,
    /// The earliest and the latest time of a row.
    times: Option<(i64, i64)>,
}

impl Walk<'_> {
    pub(super) fn new(checkpoint: &Checkpoint) -> Walk<'_> {
        let hash = Some(checkpoint.previous.clone());
        let problems = Problems::default();
        Walk { checkpoint, problems, rows: 0, position: 0, hash, times: None }
    }

    /// The next row, in order of place: its values, its notes last, then its hash.
    pub(super) fn step(&mut self, Row(mut values): Row) {
        let hash = match values.pop() {
            Some(Value::Bytes(hash)) => hash,
            _ => Vec::new(),
        };
        let position = values.get(POSITION).and_then(int).unwrap_or(0);
        let id = match values.get(ID) {
            Some(Value::Text(id)) => Some(id.clone()),
            _ => None,
        };
        self.rows += 1;
        let expected = self.position.saturating_add(1);
        if position < expected {
            self.add(position, id, "the row was put in: its place is another's, or none");
            return;
        }
        if position > expected {
            self.missing(expected, position.saturating_sub(1));
            self.hash = None;
        }
        if self.hash.as_ref().is_some_and(|before| row_hash(before, hashed(&values)) != hash) {
            let what = "the row does not match its hash: it or the one before it was changed, \
                        moved or put in";
            self.add(position, id, what);
        }
        if let Some(at_ms) = values.get(AT_MS).and_then(int) {
            let (first, last) = self.times.unwrap_or((at_ms, at_ms));
            self.times = Some((first.min(at_ms), last.max(at_ms)));
        }
        self.hash = Some(hash);
        self.position = position;
    }

    /// What was found: how many rows, and what is wrong with them.
    pub(super) fn end(mut self) -> (u64, Problems) {
        let Checkpoint { rows, first_at_ms, last_at_ms, ref hash, ref state, .. } =
            *self.checkpoint;
        if self.position < rows {
            self.missing(self.position.saturating_add(1), rows);
        } else if rows < 1 {
            self.add(rows, None, "the checkpoint counts no rows");
        } else if self.hash.as_ref() != Some(hash) {
            self.add(rows, None, "the checkpoint holds another hash than the last row");
        } else if self.times != Some((first_at_ms, last_at_ms)) {
            self.add(rows, None, "the checkpoint's times are not those of its rows");
        }
        if state != "open" && state != "closed" {
            self.add(rows, None, "the checkpoint's state is none that there is");
        }
        (self.rows, self.problems)
    }

    fn missing(&mut self, first: i64, last: i64) {
        let what = format!("rows {first} to {last} are missing");
        self.add(first, None, what);
    }

    fn add(&mut self, position: i64, id: Option<String>, what: impl Into<String>) {
        let place = (self.checkpoint.writer.as_str(), self.checkpoint.segment);
        self.problems.add(place, Some(position), id, what);
    }
}

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => Some(*int),
        _ => None,
    }
}
