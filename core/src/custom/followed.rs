//! Keeps the custom tools of a store in the registries of a runtime, whichever process changes them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use foldhash::fast::RandomState;

use super::Definition;
use crate::error::Error;
use crate::store::{CustomTool, Store};
use crate::tool::{Caller, Entry, Layer, Registries, Tool};

/// How long what was read is believed before the store is asked again. A change of another process is
/// seen within a second.
const FRESH: Duration = Duration::from_millis(500);

/// How many agents are remembered.
const MOST_AGENTS: usize = 4_096;

/// How many tools are read at once.
const PAGE: u32 = 500;

/// Makes a tool of what an owner defined.
pub(crate) type Make = Box<dyn Fn(&Arc<Definition>) -> Arc<dyn Tool> + Send + Sync>;

/// By tenant, then by agent: until when what was read is believed, in milliseconds since the start.
type Fresh = HashMap<String, HashMap<String, Arc<AtomicU64>, RandomState>, RandomState>;

/// What keeps the registries of a runtime as the store has them.
pub(crate) struct Followed {
    store: Arc<dyn Store>,
    registries: Arc<Registries>,
    make: Make,
    start: Instant,
    fresh: ArcSwap<Fresh>,
    /// What was read last has the highest.
    tickets: AtomicU64,
    /// Grows when a change of this runtime begins, and when it ends.
    changes: AtomicU64,
}

impl Followed {
    pub(crate) fn new(store: Arc<dyn Store>, registries: Arc<Registries>, make: Make) -> Followed {
        Followed {
            store,
            registries,
            make,
            start: Instant::now(),
            fresh: ArcSwap::default(),
            tickets: AtomicU64::new(0),
            changes: AtomicU64::new(0),
        }
    }

    /// Makes the names of all tools known, of whichever tenant and agent: a policy may name them
    /// before they are read. Where the store does not answer, such a policy decides nothing, and says
    /// so.
    pub(crate) async fn learn_names(&self) {
        match self.store.custom_tool_names().await {
            Ok(names) => self.registries.shared().learn(names.iter().map(String::as_str)),
            Err(error) => tracing::warn!(%error, "the names of custom tools could not be read"),
        }
    }

    /// True if the registries are as the store has them, for a caller and those above it, as far as a
    /// moment ago can show.
    pub(crate) fn is_fresh(&self, caller: &Caller) -> bool {
        let now = self.now();
        let fresh = self.fresh.load();
        let is_fresh = |tenant: &str, agent: &str| {
            let until = fresh.get(tenant).and_then(|agents| agents.get(agent));
            until.is_some_and(|until| until.load(Ordering::Acquire) > now)
        };
        let mut scopes = scopes(caller);
        scopes.all(|(tenant, agent)| is_fresh(tenant, agent.unwrap_or_default()))
    }

    /// Brings the registries to what the store has, for a caller and those above it.
    ///
    /// # Errors
    /// The store's; then they stay as they are.
    pub(crate) async fn follow(&self, caller: &Caller) -> Result<(), Error> {
        for (tenant, agent) in scopes(caller) {
            let until = self.until(tenant, agent.unwrap_or_default());
            if until.load(Ordering::Acquire) <= self.now() {
                self.read(tenant, agent, &until).await?;
            }
        }
        Ok(())
    }

    /// Announces that tools are about to change. What is read until the announcement is dropped is
    /// believed by nobody later on.
    pub(crate) fn changing(&self) -> Change<'_> {
        self.changes.fetch_add(1, Ordering::AcqRel);
        Change { followed: self }
    }

    async fn read(
        &self,
        tenant: &str,
        agent: Option<&str>,
        until: &AtomicU64,
    ) -> Result<(), Error> {
        let changes = self.changes.load(Ordering::Acquire);
        let ticket = self.tickets.fetch_add(1, Ordering::AcqRel) + 1;
        let read_at = self.now();
        let rows = self.rows(tenant, agent).await?;
        let laid = self.registries.layer(tenant, agent);
        let known = laid.as_ref().map(|layer| layer.entries.as_slice()).unwrap_or_default();
        let entries: Vec<Arc<Entry>> =
            rows.into_iter().filter_map(|row| self.entry(row, known)).collect();
        let is_same = entries.len() == known.len()
            && entries.iter().zip(known).all(|(one, other)| Arc::ptr_eq(one, other));
        if !is_same {
            self.registries.lay(tenant, agent, Layer { ticket, entries });
        }
        if self.changes.load(Ordering::Acquire) == changes {
            let fresh = u64::try_from(FRESH.as_millis()).unwrap_or_default();
            until.store(read_at + fresh, Ordering::Release);
        }
        Ok(())
    }

    async fn rows(&self, tenant: &str, agent: Option<&str>) -> Result<Vec<CustomTool>, Error> {
        let mut rows: Vec<CustomTool> = Vec::new();
        loop {
            let after = rows.last().map(|row| row.key.name.clone());
            let page = self.store.list_custom_tools(tenant, agent, after.as_deref(), PAGE).await?;
            let is_last = page.len() < PAGE as usize;
            rows.extend(page);
            if is_last {
                return Ok(rows);
            }
        }
    }

    /// The tool of a row: the one that is there, where the row is the same.
    fn entry(&self, row: CustomTool, known: &[Arc<Entry>]) -> Option<Arc<Entry>> {
        let is_it =
            |entry: &&Arc<Entry>| Definition::of(entry).is_some_and(|made_of| made_of.row == row);
        if let Some(entry) = known.iter().find(is_it) {
            return Some(entry.clone());
        }
        let name = row.key.name.clone();
        let made = Definition::new(row).and_then(|made_of| {
            let made_of = Arc::new(made_of);
            let (tool, enabled) = ((self.make)(&made_of), made_of.row.enabled);
            Entry::custom(tool, made_of, enabled)
        });
        // It was not put by this library, or by an older one.
        let warn = |error: &Error| {
            tracing::warn!(tool = name, why = error.message(), "a custom tool is passed over");
        };
        made.inspect_err(warn).ok().map(Arc::new)
    }

    /// Until when what was read of a scope is believed.
    fn until(&self, tenant: &str, agent: &str) -> Arc<AtomicU64> {
        let known = self.fresh.load();
        if let Some(until) = known.get(tenant).and_then(|agents| agents.get(agent)) {
            return until.clone();
        }
        drop(known);
        let until = Arc::new(AtomicU64::new(0));
        self.fresh.rcu(|known| {
            let mut next = known.as_ref().clone();
            if next.values().map(HashMap::len).sum::<usize>() >= MOST_AGENTS {
                next.clear();
            }
            let agents = next.entry(tenant.to_owned()).or_default();
            agents.entry(agent.to_owned()).or_insert_with(|| until.clone());
            next
        });
        until
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Whose tools a caller and those above it have: everybody's in the tenant, and their own.
fn scopes(caller: &Caller) -> impl Iterator<Item = (&str, Option<&str>)> {
    let callers = std::iter::successors(Some(caller), |above| above.parent.as_deref());
    let own = callers.filter_map(|one| Some((one.tenant.as_str(), Some(one.agent.as_deref()?))));
    std::iter::once((caller.tenant.as_str(), None)).chain(own)
}

/// A change that is on its way.
pub(crate) struct Change<'f> {
    followed: &'f Followed,
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.followed.changes.fetch_add(1, Ordering::AcqRel);
        let fresh = self.followed.fresh.load();
        for until in fresh.values().flat_map(|agents| agents.values()) {
            until.store(0, Ordering::Release);
        }
    }
}
