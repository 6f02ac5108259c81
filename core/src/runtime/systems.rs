//! The table of systems: one line for each. See [`crate::system`].

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::Config;
use crate::builtin::{self, Deps};
use crate::custom::{self, Followed};
use crate::deadlines::Deadlines;
use crate::error::Error;
use crate::secret::KeyRing;
use crate::system::{System, Systems};
use crate::tool::Registries;
use crate::vault::Vault;

/// What systems are made from.
pub(super) struct Ground<'r> {
    pub config: &'r Config,
    pub registries: &'r Arc<Registries>,
    pub deadlines: &'r Arc<Deadlines>,
    pub keys: Option<Arc<KeyRing>>,
    pub deps: &'r Deps,
}

/// Makes a system; `None` if the configuration leaves it out.
type Make = fn(&Ground<'_>) -> Result<Option<Arc<dyn System>>, Error>;

const ALL: &[Make] = &[vault, custom_tools];

pub(super) fn make(ground: &Ground<'_>) -> Result<Systems, Error> {
    let made: Result<Vec<_>, Error> = ALL.iter().map(|make| make(ground)).collect();
    Ok(Systems::new(made?.into_iter().flatten().collect()))
}

fn vault(ground: &Ground<'_>) -> Result<Option<Arc<dyn System>>, Error> {
    let (clock, deadlines) = (ground.deps.clock.clone(), ground.deadlines.clone());
    let vault = Vault::new(&ground.config.vault, clock, deadlines)?;
    Ok(vault.map(|vault| vault as _))
}

impl System for Vault {
    fn close(&self) -> BoxFuture<'_, ()> {
        async { self.forget_all() }.boxed()
    }
}

fn custom_tools(ground: &Ground<'_>) -> Result<Option<Arc<dyn System>>, Error> {
    let (deps, keys) = (ground.deps.clone(), ground.keys.clone());
    let store = deps.store.clone();
    let make = move |made_of: &Arc<_>| builtin::custom_tool(&deps, keys.clone(), made_of);
    Ok(Some(Arc::new(Followed::new(store, ground.registries.clone(), Box::new(make)))))
}

impl System for Followed {
    fn groups(&self) -> &[&'static str] {
        &[custom::GROUP]
    }

    fn opened(&self) -> BoxFuture<'_, ()> {
        self.learn_names().boxed()
    }
}
