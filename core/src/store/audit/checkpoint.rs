//! A segment's checkpoint: what it should hold.

use super::super::driver::{Driver, Statement};
use super::super::fields::{BadRow, Fields};
use super::super::{Error, SqlStore};

/// How many checkpoints are read at once.
pub(super) const PAGE: u32 = 200;

/// The writer of rows that are older than the chains, and no part of any.
pub(super) const UNCHAINED: &str = "";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Checkpoint {
    pub(super) tenant: String,
    pub(super) writer: String,
    pub(super) segment: i64,
    pub(super) rows: i64,
    pub(super) first_at_ms: i64,
    pub(super) last_at_ms: i64,
    pub(super) hash: Vec<u8>,
    /// The hash before the first row.
    pub(super) previous: Vec<u8>,
    /// `open`, `closed` or `pruned`. Text, because somebody may have written anything here.
    pub(super) state: String,
}

pub(super) const COLUMNS: &[&str] = &[
    "tenant",
    "writer",
    "segment",
    "row_count",
    "first_at_ms",
    "last_at_ms",
    "hash",
    "previous",
    "state",
];

const FIND: &str = "SELECT tenant, writer, segment, row_count, first_at_ms, last_at_ms, hash, \
     previous, state FROM toolkeep_audit_segments WHERE tenant = ?1 AND writer = ?2 AND segment = ?3";

impl Checkpoint {
    pub(super) fn is_pruned(&self) -> bool {
        self.state == "pruned"
    }

    pub(super) fn is_unchained(&self) -> bool {
        self.writer == UNCHAINED
    }

    pub(super) fn is_open(&self) -> bool {
        self.state == "open"
    }

    pub(super) fn decode(fields: &mut Fields) -> Result<Checkpoint, BadRow> {
        Ok(Checkpoint {
            tenant: fields.text()?,
            writer: fields.text()?,
            segment: fields.int()?,
            rows: fields.int()?,
            first_at_ms: fields.int()?,
            last_at_ms: fields.int()?,
            hash: fields.bytes()?,
            previous: fields.bytes()?,
            state: fields.text()?,
        })
    }

    pub(super) async fn find<D: Driver>(
        store: &SqlStore<D>,
        operation: &'static str,
        tenant: &str,
        writer: &str,
        segment: i64,
    ) -> Result<Option<Checkpoint>, Error> {
        let statement = Statement::new(FIND, vec![tenant.into(), writer.into(), segment.into()]);
        let found = store.read_all(operation, statement, COLUMNS, Checkpoint::decode).await?;
        Ok(found.into_iter().next())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[FIND];
