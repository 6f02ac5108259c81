//! Rate buckets: an exact sliding window for each key.
//!
//! Each call that was allowed is one row with its time. A window of `window_ms` milliseconds is
//! half open: a call at time `t` counts until just before `t + window_ms`. Calls with windows of
//! several lengths may share a key: each counts those in its own. A call that lies a whole window
//! ahead of now does not count: it was written by a clock that was wrong.
//!
//! Calls do not take in the order of their times: one may wait on its way, and the clocks of two
//! machines differ. So a call counts those of a window before it and after it, and those whose window
//! has ended stay for [`LATE_MS`].

use futures_util::FutureExt as _;

use super::driver::{Batch, Driver, Outcome, Statement, Value};
use super::fields::BadRow;
use super::{SqlStore, StoreFuture};
use crate::id::new_id;

/// What became of an attempt to take one call from a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// True if the call may go on and has been counted.
    pub allowed: bool,
    /// How many calls the window holds now, this one included if it was allowed.
    pub used: u32,
    /// For a refused call, in how many milliseconds there will be room again if nobody else
    /// comes; otherwise 0.
    pub retry_after_ms: i64,
}

/// The rate windows of each tenant, shared by all processes that use the store.
pub trait RateBuckets: Send + Sync {
    /// Takes one call from the window of a key: allowed if fewer than `max` calls of that key
    /// were allowed in the `window_ms` milliseconds that end now. A refused call takes nothing.
    /// A `max` of 0 refuses every call.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`](super::Kind::InvalidArgument) for a window that is not positive.
    fn take_rate<'a>(
        &'a self,
        tenant: &'a str,
        key: &'a str,
        max: u32,
        window_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, Taken>;

    /// Forgets, for all tenants, the calls whose windows ended at or before that time. Gives
    /// their number. Taking prunes its own key; this is for keys that nobody takes from any more.
    fn prune_rates(&self, before_ms: i64) -> StoreFuture<'_, u64>;
}

/// How late a call may take, after calls with later times did, and still find what counts for it.
const LATE_MS: i64 = 60_000;

/// By the window that each was taken in: somebody else may take with a longer one.
const EXPIRE: &str =
    "DELETE FROM toolkeep_rates WHERE tenant = ?1 AND bucket = ?2 AND expires_at_ms <= ?3";

const TAKE: &str = "INSERT INTO toolkeep_rates (tenant, bucket, at_ms, id, expires_at_ms) \
     SELECT CAST(?1 AS TEXT), CAST(?2 AS TEXT), CAST(?3 AS BIGINT), CAST(?4 AS TEXT), \
     CAST(?5 AS BIGINT) WHERE \
     (SELECT COUNT(*) FROM toolkeep_rates WHERE tenant = ?1 AND bucket = ?2 \
      AND at_ms > ?6 AND at_ms < ?5) < ?7";

/// The second column is the time of the `max`-th newest call: when it expires there is room.
const COUNT: &str = "SELECT \
     (SELECT COUNT(*) FROM toolkeep_rates WHERE tenant = ?1 AND bucket = ?2 \
      AND at_ms > ?3 AND at_ms < ?4), \
     (SELECT at_ms FROM toolkeep_rates WHERE tenant = ?1 AND bucket = ?2 \
      AND at_ms > ?3 AND at_ms < ?4 ORDER BY at_ms DESC LIMIT 1 OFFSET ?5)";

const PRUNE: &str = "DELETE FROM toolkeep_rates WHERE (tenant, bucket, at_ms, id) IN \
     (SELECT tenant, bucket, at_ms, id FROM toolkeep_rates WHERE expires_at_ms <= ?1 LIMIT ?2)";

/// How many calls one transaction forgets at most.
const PRUNED_AT_ONCE: u32 = 1_000;

impl<D: Driver> RateBuckets for SqlStore<D> {
    fn take_rate<'a>(
        &'a self,
        tenant: &'a str,
        key: &'a str,
        max: u32,
        window_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, Taken> {
        async move {
            const OPERATION: &str = "rate_buckets.take";
            self.check(OPERATION, &[("tenant", tenant), ("key", key)])?;
            if window_ms <= 0 {
                let message = format!("`window_ms` is {window_ms}; give at least 1");
                return Err(self.invalid(OPERATION, message));
            }
            let batch = take_batch(tenant, key, max, window_ms, now_ms);
            let outcomes = self.write_always(OPERATION, batch).await?;
            taken(&outcomes, max, window_ms, now_ms).ok_or_else(|| {
                let problem = format!("the window of bucket `{key}` could not be counted");
                self.bad_row(OPERATION, BadRow(problem))
            })
        }
        .boxed()
    }

    fn prune_rates(&self, before_ms: i64) -> StoreFuture<'_, u64> {
        let params = vec![before_ms.into()];
        self.delete_in_slices("rate_buckets.prune", PRUNE, params, PRUNED_AT_ONCE).boxed()
    }
}

fn take_batch(tenant: &str, key: &str, max: u32, window_ms: i64, now_ms: i64) -> Batch {
    let bucket = || [Value::from(tenant), Value::from(key)];
    let params = |rest: Vec<Value>| bucket().into_iter().chain(rest).collect();
    let expired = now_ms.saturating_sub(window_ms);
    // What lies a window ahead was written by a clock that was wrong.
    let ends = now_ms.saturating_add(window_ms);
    let take = vec![now_ms.into(), new_id().into(), ends.into(), expired.into(), max.into()];
    let newest_that_fills = max.saturating_sub(1);
    let count = vec![expired.into(), ends.into(), newest_that_fills.into()];
    Batch::new(vec![
        Statement::new(EXPIRE, params(vec![now_ms.saturating_sub(LATE_MS).into()])),
        Statement::new(TAKE, params(take)),
        Statement::new(COUNT, params(count)),
    ])
    // The length keeps (`a`, `b:c`) apart from (`a:b`, `c`).
    .locked(format!("rate:{}:{tenant}:{key}", tenant.len()))
    .synced_later()
}

fn taken(outcomes: &[Outcome], max: u32, window_ms: i64, now_ms: i64) -> Option<Taken> {
    let [_, take, count] = outcomes else { return None };
    let [Value::Int(used), newest_that_fills] = count.rows.first()?.0.as_slice() else {
        return None;
    };
    let used = u32::try_from(*used).ok()?;
    let allowed = take.changed > 0;
    let retry_after_ms = match (allowed, newest_that_fills) {
        (true, _) => 0,
        (false, Value::Int(at_ms)) if max > 0 => {
            at_ms.saturating_add(window_ms).saturating_sub(now_ms).max(1)
        }
        _ => window_ms,
    };
    Some(Taken { allowed, used, retry_after_ms })
}
