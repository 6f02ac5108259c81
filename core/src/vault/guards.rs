//! Secrets that were put back are searched for in results from then on. Moved to a place where nothing
//! marks them as secrets, they would otherwise be shown like any text.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::scrub::Values;

/// How many values are looked for in the texts of one tenant; the oldest goes first.
const MOST: usize = 1_000;

/// The values to look for, by tenant.
#[derive(Default)]
pub(super) struct Guards(HashMap<String, Guard>);

#[derive(Default)]
struct Guard {
    values: Arc<Values>,
    order: VecDeque<Arc<Zeroizing<String>>>,
}

impl Guards {
    /// Looks for a secret from now on.
    pub(super) fn add(&mut self, tenant: &str, kind: &str, value: &Arc<Zeroizing<String>>) {
        let guard = self.0.entry(tenant.to_owned()).or_default();
        if guard.order.contains(value) || guard.values.add(value, Some(kind)).is_err() {
            return;
        }
        guard.order.push_back(value.clone());
        if guard.order.len() > MOST
            && let Some(oldest) = guard.order.pop_front()
        {
            guard.values.remove(&oldest);
        }
    }

    /// What is looked for in the texts of a tenant, if anything.
    pub(super) fn of(&self, tenant: &str) -> Option<Arc<Values>> {
        self.0.get(tenant).map(|guard| guard.values.clone())
    }

    pub(super) fn forget(&mut self, tenant: &str) {
        self.0.remove(tenant);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
