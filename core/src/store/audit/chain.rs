//! The hash chain: how a row's hash is made, and where a writer's next row goes.

use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::id::new_id;
use crate::store::driver::{Statement, Value};

/// A segment takes no further row when it has this many.
const SEGMENT_ROWS: i64 = 10_000;
/// The same in memory, where the ledger is bounded and goes by whole segments.
const SEGMENT_ROWS_IN_MEMORY: i64 = 1_000;
/// A segment takes no further row when its first is this old.
const SEGMENT_AGE: Duration = Duration::from_secs(3600);

/// What the hash before a writer's first row is made of, so that no other use of SHA-256 gives it.
const ORIGIN: &str = "toolkeep audit chain 1";

/// Which rows are in a segment when it ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct SegmentLimits {
    /// The most rows.
    pub(in crate::store) rows: i64,
    /// How old its first row may be when another is added.
    pub(in crate::store) age: Duration,
}

impl Default for SegmentLimits {
    fn default() -> SegmentLimits {
        SegmentLimits { rows: SEGMENT_ROWS, age: SEGMENT_AGE }
    }
}

impl SegmentLimits {
    /// Those of a store in memory.
    pub(in crate::store) fn in_memory() -> SegmentLimits {
        SegmentLimits { rows: SEGMENT_ROWS_IN_MEMORY, ..SegmentLimits::default() }
    }
}

/// The values of an [`AuditRow`](super::AuditRow) in the order of the columns: its notes are last.
pub(super) type Values = Vec<Value>;

/// Where `at_ms` stands in the values of a row.
const AT_MS: usize = 2;

/// The end of one writer's chain for one tenant.
///
/// A writer is an opened store as it writes for one tenant. After a write whose outcome is not
/// known it goes on as another writer, so that no chain ever depends on that outcome.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    writer: String,
    segment: i64,
    rows: i64,
    hash: Vec<u8>,
    begun: Instant,
    pub(super) used: Instant,
}

impl Chain {
    /// The chain of a new writer.
    pub(super) fn new(tenant: &str) -> Chain {
        let (writer, now) = (new_id(), Instant::now());
        let hash = origin(tenant, &writer);
        Chain { writer, segment: 1, rows: 0, hash, begun: now, used: now }
    }

    /// The statements that add rows, and the chain when they are written. A checkpoint
    /// comes before its rows, so that one that somebody changed stops the batch at once.
    pub(super) fn append(
        &self,
        tenant: &str,
        rows: &[&[Value]],
        limits: SegmentLimits,
    ) -> (Vec<Statement>, Chain) {
        let mut chain = Chain { used: Instant::now(), ..self.clone() };
        let mut statements = Vec::with_capacity(rows.len() + 1);
        if chain.rows > 0 && chain.begun.elapsed() >= limits.age && chain.rows < limits.rows {
            statements.push(chain.close(tenant));
            chain = chain.next_segment();
        }
        let mut left = rows;
        while !left.is_empty() {
            if chain.rows >= limits.rows {
                chain = chain.next_segment();
            }
            let room = usize::try_from(limits.rows - chain.rows).unwrap_or(usize::MAX).max(1);
            let (now, later) = left.split_at(room.min(left.len()));
            chain.add(tenant, now, limits, &mut statements);
            left = later;
        }
        (statements, chain)
    }

    fn next_segment(self) -> Chain {
        Chain { segment: self.segment + 1, rows: 0, begun: self.used, ..self }
    }

    /// Adds rows that fit into the segment.
    fn add(
        &mut self,
        tenant: &str,
        rows: &[&[Value]],
        limits: SegmentLimits,
        statements: &mut Vec<Statement>,
    ) {
        let (before, previous) = (self.rows, self.hash.clone());
        let inserts: Vec<Statement> = rows.iter().map(|row| self.link(row)).collect();
        let state = if self.rows >= limits.rows { "closed" } else { "open" };
        let times = || rows.iter().filter_map(|row| row.get(AT_MS).and_then(int));
        let mut params: Values = vec![
            tenant.into(),
            self.writer.as_str().into(),
            self.segment.into(),
            self.rows.into(),
            times().min().unwrap_or_default().into(),
            times().max().unwrap_or_default().into(),
            self.hash.clone().into(),
            state.into(),
        ];
        let sql = if before == 0 {
            params.push(previous.into());
            BEGIN
        } else {
            params.push(before.into());
            EXTEND
        };
        statements.push(Statement::new(sql, params).must_change());
        statements.extend(inserts);
    }

    fn link(&mut self, row: &[Value]) -> Statement {
        self.rows += 1;
        let (notes, row) = row.split_last().unwrap_or((&Value::Null, row));
        let mut params = Vec::with_capacity(row.len() + 5);
        params.extend_from_slice(row);
        params.extend([self.writer.as_str().into(), self.segment.into(), Value::Int(self.rows)]);
        params.push(notes.clone());
        self.hash = row_hash(&self.hash, hashed(&params));
        params.push(self.hash.clone().into());
        Statement::new(RECORD, params).must_change()
    }

    fn close(&self, tenant: &str) -> Statement {
        let params =
            vec![tenant.into(), self.writer.as_str().into(), self.segment.into(), self.rows.into()];
        Statement::new(CLOSE, params).must_change()
    }
}

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => Some(*int),
        _ => None,
    }
}

const BEGIN: &str = "INSERT INTO toolkeep_audit_segments (tenant, writer, segment, row_count, \
     first_at_ms, last_at_ms, hash, state, previous) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
     ON CONFLICT DO NOTHING";

const EXTEND: &str = "UPDATE toolkeep_audit_segments SET row_count = ?4, \
     first_at_ms = CASE WHEN first_at_ms < ?5 THEN first_at_ms ELSE ?5 END, \
     last_at_ms = CASE WHEN last_at_ms > ?6 THEN last_at_ms ELSE ?6 END, hash = ?7, state = ?8 \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3 AND row_count = ?9 AND state = 'open'";

const CLOSE: &str = "UPDATE toolkeep_audit_segments SET state = 'closed' \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3 AND row_count = ?4 AND state = 'open'";

const RECORD: &str = "INSERT INTO toolkeep_audit_rows (tenant, id, at_ms, phase, agent, user_key, \
     session, tool, called_as, decision, code, rule, arguments, duration_us, is_error, run, depth, \
     writer, segment, position, notes, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, \
     ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22) ON CONFLICT DO NOTHING";

/// True if the statement adds a row; the others of a chain change a checkpoint.
pub(super) fn adds_row(statement: &Statement) -> bool {
    statement.sql == RECORD
}

/// The hash before a writer's first row.
pub(super) fn origin(tenant: &str, writer: &str) -> Vec<u8> {
    let values = [ORIGIN, tenant, writer].map(Value::from);
    row_hash(&[], &values)
}

/// What of a row's values, its notes last, its hash covers: notes that it has not are left out, so
/// that rows of before there were notes keep their hashes.
pub(super) fn hashed(values: &[Value]) -> &[Value] {
    match values {
        [before @ .., Value::Null] => before,
        all => all,
    }
}

/// The hash of a row: SHA-256 over the hash before it and every value. Each value goes in with
/// its type and its length, so that no two different rows give the same bytes.
pub(super) fn row_hash(previous: &[u8], values: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    put(&mut bytes, b'h', previous);
    for value in values {
        match value {
            Value::Null => bytes.push(b'n'),
            Value::Int(int) => put(&mut bytes, b'i', &int.to_le_bytes()),
            Value::Real(real) => put(&mut bytes, b'r', &real.to_le_bytes()),
            Value::Text(text) => put(&mut bytes, b't', text.as_bytes()),
            Value::Bytes(body) => put(&mut bytes, b'b', body),
        }
    }
    Sha256::digest(&bytes).to_vec()
}

fn put(bytes: &mut Vec<u8>, kind: u8, value: &[u8]) {
    bytes.push(kind);
    bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
    bytes.extend_from_slice(value);
}

/// A hash as people and JSON see it.
pub(super) fn hex(hash: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().map_or('?', char::from);
    hash.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[BEGIN, EXTEND, CLOSE, RECORD];

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: SegmentLimits = SegmentLimits { rows: 3, age: SEGMENT_AGE };

    fn append(chain: &Chain, count: usize, limits: SegmentLimits) -> (Vec<Statement>, Chain) {
        let row: &[Value] = &["t".into(), "1".into(), Value::Int(7), Value::Null];
        chain.append("t", &vec![row; count], limits)
    }

    fn count_of(statements: &[Statement], sql: &str) -> usize {
        statements.iter().filter(|statement| statement.sql == sql).count()
    }

    #[test]
    fn rows_that_do_not_fit_go_to_the_next_segment() {
        let (statements, chain) = append(&Chain::new("t"), 7, LIMITS);
        assert_eq!((chain.segment, chain.rows), (3, 1));
        assert_eq!(count_of(&statements, BEGIN), 3);
        assert_eq!(count_of(&statements, RECORD), 7);
        let (statements, chain) = append(&chain, 2, LIMITS);
        assert_eq!((chain.segment, chain.rows), (3, 3));
        assert_eq!(count_of(&statements, EXTEND), 1);
        let (statements, chain) = append(&chain, 1, LIMITS);
        assert_eq!((chain.segment, chain.rows), (4, 1));
        assert_eq!(count_of(&statements, BEGIN), 1);
    }

    #[test]
    fn a_segment_that_is_too_old_is_closed_first() {
        let old = SegmentLimits { age: Duration::ZERO, ..LIMITS };
        let (_, chain) = append(&Chain::new("t"), 1, LIMITS);
        let (statements, chain) = append(&chain, 1, old);
        let sql: Vec<&str> = statements.iter().map(|statement| statement.sql).collect();
        assert_eq!(sql, [CLOSE, BEGIN, RECORD]);
        assert_eq!((chain.segment, chain.rows), (2, 1));
    }

    #[test]
    fn moving_bytes_from_one_value_to_the_next_changes_the_hash() {
        let hash = |values: [&str; 2]| row_hash(b"", &values.map(Value::from));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
        assert_ne!(row_hash(b"", &[Value::Null]), row_hash(b"", &["".into()]));
        assert_ne!(row_hash(b"", &["a".into()]), row_hash(b"", &[b"a".to_vec().into()]));
        assert_ne!(origin("a", "bc"), origin("ab", "c"));
    }

    #[test]
    fn notes_are_part_of_the_hash_where_there_are_any() {
        let row = |notes: Value| [Value::Int(5), notes];
        let hash = |notes| row_hash(b"", hashed(&row(notes)));
        assert_eq!(hash(Value::Null), row_hash(b"", &[Value::Int(5)]));
        assert_ne!(hash(Value::Null), hash("{}".into()));
        assert_ne!(hash("{}".into()), hash(r#"{"a":1}"#.into()));
    }

    #[test]
    fn the_hash_of_a_row_stays_what_it_was_in_every_version() {
        let values = ["t".into(), Value::Null, Value::Int(5), vec![0, 255].into()];
        assert_eq!(
            hex(&row_hash(&origin("t", "w"), &values)),
            "8d5710a4113a488ccc3e146a7a391791b1db68afb1c17b46014369d43a29c931"
        );
    }
}
