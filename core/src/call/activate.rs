//! Gate: a deferred tool that is called is active from then on. And the way by which `tool_search`
//! reaches what its caller may call.

use std::sync::{Arc, Weak};

use super::PolicyGate;
use crate::error::Error;
use crate::tool::{Caller, Deferred, Entry, Offered, Registries, Snapshot};

/// Activates the tool if it is a deferred one. It comes after the policy: what is refused is not
/// activated.
pub(super) fn pass(
    deferred: &Deferred,
    snapshot: &Snapshot,
    offered: Offered<'_>,
    entry: &Entry,
    caller: &Caller,
) {
    deferred.note_call(snapshot, offered, entry, caller);
}

/// Finds deferred tools. The registries hold the tool that holds this, so nothing here holds
/// them.
#[derive(Clone)]
pub(crate) struct Finder {
    registries: Weak<Registries>,
    policy: Weak<PolicyGate>,
    deferred: Arc<Deferred>,
}

impl Finder {
    pub(crate) fn new(
        registries: &Arc<Registries>,
        policy: &Arc<PolicyGate>,
        deferred: &Arc<Deferred>,
    ) -> Finder {
        Finder {
            registries: Arc::downgrade(registries),
            policy: Arc::downgrade(policy),
            deferred: deferred.clone(),
        }
    }

    /// The deferred tools that the caller may call and that fit the words best. They are active
    /// for its session from then on.
    pub(crate) async fn find(
        &self,
        caller: &Caller,
        words: &[String],
        most: usize,
    ) -> Result<Vec<Arc<Entry>>, Error> {
        let (Some(registries), Some(policy)) = (self.registries.upgrade(), self.policy.upgrade())
        else {
            return Ok(Vec::new());
        };
        let snapshot = registries.of(caller);
        let decision = policy.decision(&snapshot, caller).await?;
        let found = self.deferred.search(&snapshot, decision.offered(), words, most);
        let names: Vec<&str> = found.iter().map(|entry| entry.spec.name.as_str()).collect();
        self.deferred.activate(caller, &names);
        Ok(found)
    }
}
