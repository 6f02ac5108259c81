//! What keeps a store from growing without end.
//!
//! It is a job of [`Deadlines`] that follows writes: the first at once, the next when a minute is over or
//! many rows were written. It never runs in the path of a call, and not while nothing is written. Each turn
//! looks after the tenants that this runtime wrote for since the turn before. What a turn cannot do, the
//! next one does.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::deadlines::Deadlines;
use crate::store::{Error, Kind, MOST_LEASE_MS, PruneAudit, Store, StoreUrl};

/// How long after its last turn it may run again, in milliseconds.
const EVERY_MS: i64 = 60_000;

/// After how many rows it runs again before that: a fast writer must not fill the memory in a minute.
const EVERY_ROWS: usize = 10_000;

/// How many rows of a tenant's ledger a store in memory keeps at least, unless the owner says otherwise.
const AUDIT_ROWS_IN_MEMORY: u64 = 100_000;

/// How much of a tenant's ledger a store in memory keeps, unless the owner says otherwise, in MiB.
const AUDIT_MB_IN_MEMORY: u64 = 64;

/// How long the mark of a file is kept after it was last written by a marked session, in
/// milliseconds: 90 days.
const FILE_MARKS_MS: i64 = 90 * 24 * 60 * 60 * 1_000;

/// The `retention` part of the configuration: how much of the data that only grows is kept. Data is
/// pruned once a minute while there are writes, and after 10,000 calls, so there may be that much
/// more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// How many events of a tenant are kept, the newest; at least 1. Default: 100,000. None
    /// (`null`): all of them.
    pub events_keep: Option<u64>,
    /// How old an event may become, in milliseconds; at least 1. Default: any age.
    pub events_older_than_ms: Option<u64>,
    /// How many rows of a tenant's ledger are kept at least, in whole segments, the newest.
    /// Default: all of them; in a store in memory, 100,000.
    pub audit_keep_rows: Option<u64>,
    /// How many MiB of a tenant's ledger are kept, in whole segments, the newest; at least 1.
    /// Default: all of it; in a store in memory, 64.
    pub audit_keep_mb: Option<u64>,
    /// How old a row of the ledger may become, in milliseconds; at least 1. Default: any age.
    pub audit_older_than_ms: Option<u64>,
    /// How many MiB of a tenant's artifacts are kept, the newest; at least 128. Default: 1,024.
    /// None (`null`): all of them.
    pub artifacts_keep_mb: Option<u64>,
    /// How old an artifact may become, in milliseconds; at least 1. Default: any age.
    pub artifacts_older_than_ms: Option<u64>,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention {
            events_keep: Some(100_000),
            events_older_than_ms: None,
            audit_keep_rows: None,
            audit_keep_mb: None,
            audit_older_than_ms: None,
            artifacts_keep_mb: Some(1_024),
            artifacts_older_than_ms: None,
        }
    }
}

impl Retention {
    /// The same for a store that is gone with its process: there nothing grows without end unless the
    /// owner gives numbers that are never reached.
    fn in_memory(self) -> Retention {
        Retention {
            audit_keep_rows: self.audit_keep_rows.or(Some(AUDIT_ROWS_IN_MEMORY)),
            audit_keep_mb: self.audit_keep_mb.or(Some(AUDIT_MB_IN_MEMORY)),
            ..self
        }
    }
}

/// The upkeep of one runtime's store.
pub(crate) struct Upkeep {
    retention: Retention,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    deadlines: Arc<Deadlines>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whom something was written for since the last turn.
    tenants: BTreeSet<String>,
    /// When the last turn began.
    began_ms: Option<i64>,
    /// How many rows were written since.
    rows: usize,
    /// When the next turn is due, if one is.
    due_ms: Option<i64>,
    is_running: bool,
}

impl Upkeep {
    pub(crate) fn new(
        retention: Retention,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        deadlines: Arc<Deadlines>,
    ) -> Upkeep {
        let in_memory = matches!(StoreUrl::parse(&store.url()), Ok(StoreUrl::Memory));
        let retention = if in_memory { retention.in_memory() } else { retention };
        Upkeep { retention, store, clock, deadlines, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the next turn come in time, after so many rows were written for these tenants.
    pub(crate) fn after_writing<'t>(
        self: &Arc<Upkeep>,
        tenants: impl Iterator<Item = &'t str>,
        rows: usize,
    ) {
        let mut state = self.state();
        for tenant in tenants {
            if !state.tenants.contains(tenant) {
                state.tenants.insert(tenant.to_owned());
            }
        }
        state.rows = state.rows.saturating_add(rows);
        self.plan(&mut state);
    }

    /// Plans the next turn, unless one runs: its end plans again.
    fn plan(self: &Arc<Upkeep>, state: &mut State) {
        if state.is_running || state.tenants.is_empty() {
            return;
        }
        let now_ms = self.clock.now_ms();
        let due_ms = match state.began_ms {
            // A clock that was set back must not stop the upkeep.
            Some(began_ms) if state.rows < EVERY_ROWS && began_ms <= now_ms => began_ms + EVERY_MS,
            _ => now_ms,
        };
        if state.due_ms.is_some_and(|planned_ms| planned_ms <= due_ms) {
            return;
        }
        state.due_ms = Some(due_ms);
        let upkeep = Arc::downgrade(self);
        let turn = move || async move {
            let Some(upkeep) = upkeep.upgrade() else { return };
            let Some(mut turn) = upkeep.begin(due_ms) else { return };
            turn.each_tenant().await;
            turn.upkeep.all_tenants().await;
        };
        self.deadlines.add(due_ms, Box::new(|| Box::pin(turn())));
    }

    /// The turn that was planned for this time; `None` if another took its place.
    fn begin(self: &Arc<Upkeep>, due_ms: i64) -> Option<Turn> {
        let mut state = self.state();
        if state.due_ms != Some(due_ms) {
            return None;
        }
        state.due_ms = None;
        state.rows = 0;
        state.is_running = true;
        state.began_ms = Some(self.clock.now_ms());
        let tenants = std::mem::take(&mut state.tenants);
        Some(Turn { upkeep: self.clone(), tenants })
    }

    /// False if the store did not do all of it.
    async fn tenant(&self, tenant: &str) -> bool {
        let ago = |age_ms| self.clock.ms_ago(age_ms);
        let events_keep = self.retention.events_keep;
        let before_ms = self.retention.audit_older_than_ms.map(ago);
        let mut done = true;
        let kept = self.audit_rows(tenant).await;
        done &= report("audit", kept.as_ref().map(|_| 0).map_err(Error::again));
        let keep_rows = kept.unwrap_or_default();
        if keep_rows.is_some() || before_ms.is_some() {
            let prune = PruneAudit { tenant: tenant.to_owned(), keep_rows, before_ms };
            let pruned = self.store.prune_audit(prune, self.clock.now_ms()).await;
            done &= report("audit", pruned.map(|pruned| pruned.rows));
        }
        let before_ms = self.retention.events_older_than_ms.map(ago);
        if events_keep.is_some() || before_ms.is_some() {
            let pruned = self.store.prune_events(tenant, events_keep, before_ms).await;
            done &= report("events", pruned);
        }
        if let Some(before_ms) = self.retention.artifacts_older_than_ms.map(ago) {
            let pruned = self.store.delete_artifacts_before(tenant, before_ms).await;
            done &= report("artifacts", pruned);
        }
        if let Some(mib) = self.retention.artifacts_keep_mb {
            let pruned =
                self.store.delete_artifacts_beyond(tenant, mib.saturating_mul(1 << 20)).await;
            done &= report("artifacts", pruned);
        }
        done
    }

    /// How many rows of the tenant's ledger are kept at least; none for all of them.
    async fn audit_rows(&self, tenant: &str) -> Result<Option<u64>, Error> {
        let by_count = self.retention.audit_keep_rows;
        let Some(mib) = self.retention.audit_keep_mb else { return Ok(by_count) };
        let by_size = self.store.audit_rows_within(tenant, mib.saturating_mul(1 << 20)).await?;
        Ok(by_count.into_iter().chain(by_size).min())
    }

    async fn all_tenants(&self) {
        let now_ms = self.clock.now_ms();
        report("approvals", self.store.expire_approvals(now_ms).await);
        // What has ended is remembered for a day: clocks may differ.
        let before_ms = now_ms.saturating_sub(MOST_LEASE_MS);
        report("rates", self.store.prune_rates(before_ms).await);
        report("rules", self.store.prune_rules(before_ms).await);
        report("leases", self.store.prune_leases(before_ms).await);
        let before_ms = now_ms.saturating_sub(FILE_MARKS_MS);
        report("file marks", self.store.prune_file_marks(before_ms).await);
    }
}

/// Logs what came of it. False if it failed.
fn report(what: &'static str, outcome: Result<u64, Error>) -> bool {
    match &outcome {
        Ok(0) => {}
        Ok(pruned) => tracing::debug!(what, pruned, "pruned the store"),
        Err(error) if error.kind() == Kind::Closed => {}
        Err(error) => tracing::warn!(what, %error, "the store could not be pruned"),
    }
    outcome.is_ok()
}

/// One turn of the upkeep. When it ends, even thrown away with its task, the tenants that it did
/// not look after wait for the next one.
struct Turn {
    upkeep: Arc<Upkeep>,
    tenants: BTreeSet<String>,
}

impl Turn {
    async fn each_tenant(&mut self) {
        for tenant in self.tenants.clone() {
            if self.upkeep.tenant(&tenant).await {
                self.tenants.remove(&tenant);
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.upkeep.state();
        state.is_running = false;
        state.tenants.append(&mut self.tenants);
        self.upkeep.plan(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::store::{AuditRow, Decision, OpenOptions, Phase, open};

    async fn memory() -> Arc<dyn Store> {
        open("memory:", OpenOptions::default()).await.unwrap()
    }

    fn upkeep(store: &Arc<dyn Store>, retention: Retention) -> Arc<Upkeep> {
        let clock = Arc::new(ManualClock::at(1_000));
        let deadlines = Deadlines::new(clock.clone());
        Arc::new(Upkeep::new(retention, store.clone(), clock, deadlines))
    }

    /// Records calls and waits for the turn after them.
    async fn record(store: &Arc<dyn Store>, upkeep: &Arc<Upkeep>, rows: Vec<AuditRow>) {
        let count = rows.len();
        store.record_audit(rows, vec![]).await.unwrap();
        upkeep.after_writing(["t"].into_iter(), count);
        let is_busy = |state: &State| state.is_running || state.due_ms == Some(1_000);
        while is_busy(&upkeep.state()) {
            tokio::task::yield_now().await;
        }
    }

    async fn kept(store: &Arc<dyn Store>) -> u64 {
        store.verify_audit("t", vec![]).await.unwrap().rows
    }

    fn rows(from: usize, count: usize, arguments: &str) -> Vec<AuditRow> {
        let row = |n: usize| AuditRow {
            tenant: "t".into(),
            id: format!("{n:08}"),
            at_ms: 1_000,
            phase: Phase::Completed,
            agent: None,
            user: None,
            session: None,
            tool: "echo".into(),
            called_as: "echo".into(),
            decision: Decision::Allowed,
            code: None,
            rule: None,
            arguments: arguments.into(),
            duration_us: None,
            is_error: false,
            run: None,
            depth: 0,
            notes: None,
        };
        (from..from + count).map(row).collect()
    }

    #[test]
    fn only_a_store_in_memory_bounds_its_ledger_by_itself() {
        let default = Retention::default();
        assert_eq!((default.audit_keep_rows, default.audit_keep_mb), (None, None));
        let bounds = |kept: Retention| (kept.audit_keep_rows, kept.audit_keep_mb);
        assert_eq!(bounds(default.clone().in_memory()), (Some(100_000), Some(64)));
        let given =
            Retention { audit_keep_rows: Some(u64::MAX), audit_keep_mb: Some(7), ..default };
        assert_eq!(bounds(given.in_memory()), (Some(u64::MAX), Some(7)));
    }

    #[tokio::test]
    async fn the_ledger_of_a_store_in_memory_is_bounded_in_rows() {
        let store = memory().await;
        let retention = Retention { audit_keep_rows: Some(2_000), ..Retention::default() };
        let upkeep = upkeep(&store, retention);
        record(&store, &upkeep, rows(0, 1, "{}")).await;
        // No minute has passed, but many rows were written.
        record(&store, &upkeep, rows(1, 10_999, "{}")).await;
        assert!((2_000..=3_000).contains(&kept(&store).await), "{}", kept(&store).await);
        record(&store, &upkeep, rows(11_000, 500, "{}")).await;
        assert!(store.verify_audit("t", vec![]).await.unwrap().ok);
    }

    #[tokio::test]
    async fn the_ledger_of_a_store_in_memory_is_bounded_in_bytes() {
        let store = memory().await;
        let retention = Retention { audit_keep_mb: Some(4), ..Retention::default() };
        let upkeep = upkeep(&store, retention);
        record(&store, &upkeep, rows(0, 4_000, &"x".repeat(4_000))).await;
        // Four MiB are about 950 of these rows.
        assert!((900..=2_000).contains(&kept(&store).await), "{}", kept(&store).await);
        assert!(store.verify_audit("t", vec![]).await.unwrap().ok);
    }
}
