//! Tools that lie over a registry for some of its callers: what an owner has made for all agents of a
//! tenant, or for one of them.
//!
//! A layer is replaced as a whole, so that nobody sees half of a change. What a caller sees is a
//! snapshot like any other: the registry's own, with the tools of its layers put in where their names
//! are free. A name that the registry has is the registry's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use foldhash::fast::RandomState;

use super::{Entry, Registry, Snapshot};
use crate::error::Error;

/// The tools of one layer, and when they were read.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// What was read later has a higher one. No two layers have the same.
    pub(crate) ticket: u64,
    pub(crate) entries: Vec<Arc<Entry>>,
}

/// By tenant, then by agent; the empty one is everybody.
type Laid = HashMap<String, HashMap<String, Arc<Layer>, RandomState>, RandomState>;

/// What a view was made of: the generation of the registry, and the layers by their tickets.
type Made = (u64, [u64; 2]);

/// How many views are remembered.
const MOST_VIEWS: usize = 1_024;

/// The layers of a runtime.
#[derive(Debug, Default)]
pub(super) struct Layers {
    laid: ArcSwap<Laid>,
    /// Held while a layer is laid.
    laying: Mutex<()>,
    views: ArcSwap<HashMap<Made, Arc<Snapshot>, RandomState>>,
}

impl Layers {
    /// The layer of an agent, or of everybody in a tenant.
    pub(super) fn layer(&self, tenant: &str, agent: &str) -> Option<Arc<Layer>> {
        self.laid.load().get(tenant)?.get(agent).cloned()
    }

    /// Lays a layer in place of one that was read before it.
    pub(super) fn lay(&self, tenant: &str, agent: &str, layer: Layer) {
        let laying = self.laying.lock().unwrap_or_else(PoisonError::into_inner);
        let laid = self.laid.load();
        let known = laid.get(tenant).and_then(|agents| agents.get(agent));
        if known.is_some_and(|known| known.ticket > layer.ticket) {
            return;
        }
        let gone = known.map(|known| known.ticket);
        let mut next = laid.as_ref().clone();
        let agents = next.entry(tenant.to_owned()).or_default();
        match layer.entries.is_empty() {
            true => agents.remove(agent),
            false => agents.insert(agent.to_owned(), Arc::new(layer)),
        };
        next.retain(|_, agents| !agents.is_empty());
        let old = self.laid.swap(Arc::new(next));
        let views = gone.map(|gone| {
            let mut views = self.views.load().as_ref().clone();
            views.retain(|(_, tickets), _| !tickets.contains(&gone));
            self.views.swap(Arc::new(views))
        });
        drop(laying);
        // Tools may end here: not under the lock.
        drop((old, views));
    }

    /// What a caller sees of a registry.
    pub(super) fn over(&self, registry: &Registry, tenant: &str, agent: &str) -> Arc<Snapshot> {
        let base = registry.snapshot();
        let laid = self.laid.load();
        let Some(agents) = laid.get(tenant) else { return base };
        let own = (!agent.is_empty()).then(|| agents.get(agent)).flatten();
        let layers = [agents.get(""), own];
        if layers.iter().all(Option::is_none) {
            return base;
        }
        let tickets = layers.map(|layer| layer.map_or(0, |layer| layer.ticket));
        let made = (base.generation(), tickets);
        if let Some(view) = self.views.load().get(&made) {
            return view.clone();
        }
        let tools = layers.into_iter().flatten().flat_map(|layer| layer.entries.iter());
        // A state that is the registry's own settled once; that of names that are free does, too.
        let Ok(view) = registry.with(&base, tools) else { return base };
        let (view, views) = (Arc::new(view), self.views.load());
        let mut next = views.as_ref().clone();
        if next.len() >= MOST_VIEWS {
            next.clear();
        }
        next.insert(made, view.clone());
        // Who is faster than another one wins; the other makes it anew.
        self.views.compare_and_swap(&views, Arc::new(next));
        view
    }

    pub(super) fn clear(&self) {
        let laying = self.laying.lock().unwrap_or_else(PoisonError::into_inner);
        let old = (self.laid.swap(Arc::default()), self.views.swap(Arc::default()));
        drop(laying);
        drop(old);
    }
}

impl Registry {
    /// The state with these tools put in, the later ones in place of earlier ones. One whose name a
    /// tool of its tier or an owner's alias has is left out; one whose name a tool of an earlier tier
    /// has stands in its shadow.
    fn with<'e>(
        &self,
        base: &Snapshot,
        tools: impl Iterator<Item = &'e Arc<Entry>>,
    ) -> Result<Snapshot, Error> {
        let mut next = base.clone();
        for entry in tools {
            let key = (entry.spec.name.clone(), entry.tier());
            if base.registered.contains_key(&key) || base.given.contains_key(&key.0) {
                continue;
            }
            next.registered.insert(key, entry.clone());
        }
        next.settle(self.next_generation())?;
        Ok(next)
    }
}
