//! The registries of one runtime: the shared one, and those that agents have of their own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use foldhash::fast::RandomState;

use super::layer::Layers;
use super::{Layer, Registry, Snapshot};
use crate::error::{Code, Error};
use crate::limits::echo;
use crate::tool::Caller;

/// By tenant, then by agent.
type Own = HashMap<String, HashMap<String, Arc<Registry>, RandomState>, RandomState>;

/// The registries of one runtime. Two of them never see each other's tools, and no two of their
/// states have the same generation; what one ever named, a policy may name for all.
#[derive(Debug)]
pub struct Registries {
    shared: Arc<Registry>,
    own: ArcSwap<Own>,
    writing: Mutex<()>,
    layers: Layers,
}

impl Registries {
    pub(crate) fn new(shared: Registry) -> Registries {
        let own = ArcSwap::from_pointee(Own::default());
        Registries {
            shared: Arc::new(shared),
            own,
            writing: Mutex::new(()),
            layers: Layers::default(),
        }
    }

    /// The registry of every agent that has none of its own.
    pub fn shared(&self) -> &Arc<Registry> {
        &self.shared
    }

    /// The tools as this caller has them: of the agent's own registry, or else of the nearest
    /// agent above it that has one, or else the shared ones; and over them the custom tools of its
    /// tenant, and its own.
    pub fn of(&self, caller: &Caller) -> Arc<Snapshot> {
        let agent = caller.agent.as_deref().unwrap_or_default();
        let own = self.own.load();
        if own.is_empty() {
            return self.layers.over(&self.shared, &caller.tenant, agent);
        }
        let mut callers = std::iter::successors(Some(caller), |above| above.parent.as_deref());
        let found = callers.find_map(|caller| {
            let agent = caller.agent.as_deref()?;
            own.get(&caller.tenant)?.get(agent)
        });
        self.layers.over(found.unwrap_or(&self.shared), &caller.tenant, agent)
    }

    /// What lies over the registry of an agent, or of everybody in a tenant.
    pub(crate) fn layer(&self, tenant: &str, agent: Option<&str>) -> Option<Arc<Layer>> {
        self.layers.layer(tenant, agent.unwrap_or_default())
    }

    /// Lays tools over the registry of an agent, or of everybody in a tenant, in place of those that
    /// were read before them.
    pub(crate) fn lay(&self, tenant: &str, agent: Option<&str>, layer: Layer) {
        self.shared.learn(layer.entries.iter().map(|entry| entry.spec.name.as_str()));
        self.layers.lay(tenant, agent.unwrap_or_default(), layer);
    }

    /// The agent's own registry, if it has one.
    pub fn own(&self, tenant: &str, agent: &str) -> Option<Arc<Registry>> {
        self.own.load().get(tenant)?.get(agent).cloned()
    }

    /// Gives an agent a registry of its own: a copy of the shared one as it is now. From then on
    /// neither sees the changes of the other.
    ///
    /// # Errors
    /// `conflict` if it has one.
    pub fn clone_for(&self, tenant: &str, agent: &str) -> Result<Arc<Registry>, Error> {
        let clone = Arc::new(self.shared.as_ref().clone());
        // Where it is refused its tools must end after the lock.
        let _kept = clone.clone();
        self.change(|own| {
            let agents = own.entry(tenant.to_owned()).or_default();
            if agents.contains_key(agent) {
                let text = format!("agent `{}` has a registry of its own already", echo(agent));
                return Err(Error::new(Code::Conflict, text));
            }
            agents.insert(agent.to_owned(), clone.clone());
            Ok(clone)
        })
    }

    /// Takes an agent's own registry away: from its next call on it has the shared tools again.
    ///
    /// # Errors
    /// `not_found` if it has none.
    pub fn drop_clone(&self, tenant: &str, agent: &str) -> Result<(), Error> {
        self.change(|own| {
            let agents = own.get_mut(tenant);
            let Some(dropped) = agents.and_then(|agents| agents.remove(agent)) else {
                return Err(no_clone(agent));
            };
            own.retain(|_, agents| !agents.is_empty());
            Ok(dropped)
        })?;
        Ok(())
    }

    /// Lets go of every tool of every registry: what a closed runtime need not hold on to.
    pub fn clear(&self) {
        let old = {
            let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            self.own.swap(Arc::default())
        };
        // Tools may end here, and end with host code: not under the lock.
        drop(old);
        self.layers.clear();
        self.shared.clear();
    }

    fn change<T>(&self, edit: impl FnOnce(&mut Own) -> Result<T, Error>) -> Result<T, Error> {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.own.load().as_ref().clone();
        let edited = edit(&mut next);
        let next = Arc::new(next);
        let old = edited.is_ok().then(|| self.own.swap(next.clone()));
        drop(writing);
        drop((old, next));
        edited
    }
}

/// The error of a change to a registry that an agent does not have.
pub(crate) fn no_clone(agent: &str) -> Error {
    let text = format!(
        "agent `{}` has no registry of its own; make one with `registry.clone`, or leave `agent` \
         out to change the shared one",
        echo(agent)
    );
    Error::new(Code::NotFound, text)
}
