//! Retention: deleting the rows of whole segments.

use serde_json::json;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::driver::{Batch, Driver, Statement, Value, Written};
use super::super::fields::BadRow;
use super::super::{Error, SqlStore};
use super::checkpoint::{self, COLUMNS, Checkpoint};
use crate::event::NewEvent;

const OPERATION: &str = "audit.prune";

/// For how long after its last row an open segment may still be extended, in milliseconds. Its
/// writer ends it after an hour; the second is for clocks that differ and calls that take long.
const MAY_GROW_MS: i64 = 2 * 3_600_000;

/// What to keep of a tenant's ledger. A segment goes when either rule lets it go.
#[derive(Clone, Debug, PartialEq)]
pub struct PruneAudit {
    /// The tenant.
    pub tenant: String,
    /// The oldest segments are deleted as long as at least this many rows stay.
    pub keep_rows: Option<u64>,
    /// Segments go whose every row is older than this time, in milliseconds since
    /// 1970-01-01T00:00:00Z.
    pub before_ms: Option<i64>,
}

/// How much was pruned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PrunedAudit {
    /// How many segments lost their rows.
    pub segments: u64,
    /// How many rows were deleted.
    pub rows: u64,
}

const TOTAL: &str = "SELECT CAST(COALESCE(SUM(row_count), 0) AS BIGINT) \
     FROM toolkeep_audit_segments WHERE tenant = ?1 AND state <> 'pruned'";

const OLDEST: &str = "SELECT tenant, writer, segment, row_count, first_at_ms, last_at_ms, hash, \
     previous, state FROM toolkeep_audit_segments WHERE tenant = ?1 AND state <> 'pruned' \
     AND (last_at_ms, writer, segment) > (?2, ?3, ?4) \
     ORDER BY last_at_ms, writer, segment LIMIT ?5";

const MARK: &str = "UPDATE toolkeep_audit_segments SET state = 'pruned' \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3 AND row_count = ?4 AND state <> 'pruned'";

const DELETE: &str = "DELETE FROM toolkeep_audit_rows \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3";

pub(super) async fn prune<D: Driver>(
    store: &SqlStore<D>,
    prune: PruneAudit,
    now_ms: i64,
) -> Result<PrunedAudit, Error> {
    store.check(OPERATION, &[("tenant", &prune.tenant)])?;
    if prune.keep_rows.is_none() && prune.before_ms.is_none() {
        let message =
            "nothing says what to prune: give `keep_rows`, `before_ms` or `older_than_ms`";
        return Err(store.invalid(OPERATION, message.into()));
    }
    let mut left = total(store, &prune.tenant).await?;
    let mut pruned = PrunedAudit::default();
    let mut after = (i64::MIN, String::new(), i64::MIN);
    loop {
        let params: Vec<Value> = vec![
            prune.tenant.as_str().into(),
            after.0.into(),
            after.1.as_str().into(),
            after.2.into(),
            checkpoint::PAGE.into(),
        ];
        let oldest = Statement::new(OLDEST, params);
        let page = store.read_all(OPERATION, oldest, COLUMNS, Checkpoint::decode).await?;
        let Some(last) = page.last() else { return Ok(pruned) };
        after = (last.last_at_ms, last.writer.clone(), last.segment);
        for segment in page {
            let rows = u64::try_from(segment.rows).unwrap_or(0);
            let by_age = prune.before_ms.is_some_and(|before| segment.last_at_ms < before);
            let by_count = prune.keep_rows.is_some_and(|keep| left.saturating_sub(rows) >= keep);
            if !by_age && !by_count {
                return Ok(pruned);
            }
            let grown_up = now_ms.saturating_sub(MAY_GROW_MS) > segment.last_at_ms;
            if (grown_up || !segment.is_open()) && delete(store, segment, now_ms).await? {
                left = left.saturating_sub(rows);
                pruned.segments += 1;
                pruned.rows += rows;
            }
        }
    }
}

async fn total<D: Driver>(store: &SqlStore<D>, tenant: &str) -> Result<u64, Error> {
    let found = store.read(OPERATION, Statement::new(TOTAL, vec![tenant.into()])).await?;
    match found.first().map(|row| row.0.as_slice()) {
        Some([Value::Int(total)]) => Ok(u64::try_from(*total).unwrap_or(0)),
        _ => {
            let problem = format!("the segments of tenant `{tenant}` have no number of rows");
            Err(store.bad_row(OPERATION, BadRow(problem)))
        }
    }
}

/// How many bytes a row takes beside its arguments and notes, with its places in the indexes, about.
const ROW_BYTES: u64 = 400;

const SIZE: &str = "SELECT COUNT(*), CAST(COALESCE(SUM(octet_length(arguments) + \
     COALESCE(octet_length(notes), 0)), 0) AS BIGINT) FROM toolkeep_audit_rows WHERE tenant = ?1";

/// See [`audit_rows_within`](super::Audit::audit_rows_within).
pub(super) async fn rows_within<D: Driver>(
    store: &SqlStore<D>,
    tenant: &str,
    bytes: u64,
) -> Result<Option<u64>, Error> {
    store.check(OPERATION, &[("tenant", tenant)])?;
    let found = store.read(OPERATION, Statement::new(SIZE, vec![tenant.into()])).await?;
    let Some([Value::Int(rows), Value::Int(texts)]) = found.first().map(|row| row.0.as_slice())
    else {
        let problem = format!("the ledger of tenant `{tenant}` has no size");
        return Err(store.bad_row(OPERATION, BadRow(problem)));
    };
    let (rows, texts) = (rows.unsigned_abs(), texts.unsigned_abs());
    let total = texts.saturating_add(rows.saturating_mul(ROW_BYTES));
    let fit = u128::from(rows) * u128::from(bytes) / u128::from(total.max(1));
    Ok(u64::try_from(fit).ok().filter(|_| total > bytes))
}

/// Deletes the rows of a segment, unless it changed meanwhile.
async fn delete<D: Driver>(
    store: &SqlStore<D>,
    segment: Checkpoint,
    now_ms: i64,
) -> Result<bool, Error> {
    let Checkpoint { tenant, writer, rows, first_at_ms, last_at_ms, .. } = segment;
    let number = segment.segment;
    let place = || vec![tenant.as_str().into(), writer.as_str().into(), number.into()];
    let mut mark = place();
    mark.push(rows.into());
    let event = NewEvent {
        tenant: tenant.clone(),
        at_ms: now_ms,
        kind: "audit.pruned",
        subject: writer.clone(),
        data: json!({
            "writer": writer,
            "segment": number,
            "rows": rows,
            "first_at_ms": first_at_ms,
            "last_at_ms": last_at_ms,
        }),
    };
    let statements =
        vec![Statement::new(MARK, mark).must_change(), Statement::new(DELETE, place())];
    let batch = Batch::new(statements).synced_later().with_events(vec![event]);
    let batch = batch.map_err(|message| store.invalid(OPERATION, message))?;
    Ok(matches!(store.write(OPERATION, batch).await?, Written::Done(_)))
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[TOTAL, OLDEST, MARK, DELETE, SIZE];
