//! The seam for systems.
//!
//! A *system* is a part of toolkeep that stands around the path of a call: the vault, custom tools,
//! memory, teams, servers of MCP. It is one value, made by one function from what lies below it. The
//! runtime's table of systems has one line for each; from there the runtime
//!
//! 1. makes it when it opens, and puts its tools, aliases and groups into the registry;
//! 2. tells it once everything is in place ([`System::opened`]);
//! 3. gives it to operations, which ask for it by its type ([`Systems::get`]);
//! 4. closes it ([`System::close`]).
//!
//! Work in the background is a job in [`Deadlines`](crate::deadlines::Deadlines). State is a domain of the
//! store. The part of the configuration is a field of `Config`, whose type checks itself.

use std::any::Any;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::tool::{Alias, Tool};

/// A part of toolkeep that stands around the path of a call.
pub(crate) trait System: Any + Send + Sync {
    /// Its tools.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Other names of its tools.
    fn aliases(&self) -> Vec<(String, Alias)> {
        Vec::new()
    }

    /// Groups that lists of a policy may name while no tool is in them.
    fn groups(&self) -> &[&'static str] {
        &[]
    }

    /// Called once, when all tools are registered and before the policy is compiled.
    fn opened(&self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }

    /// Ends its work. Called once no call runs any more, and before the store is closed.
    fn close(&self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

/// The systems of one runtime, in the order of the table.
#[derive(Default)]
pub(crate) struct Systems(Vec<Arc<dyn System>>);

impl Systems {
    pub(crate) fn new(systems: Vec<Arc<dyn System>>) -> Systems {
        Systems(systems)
    }

    /// The system of a type; `None` if the configuration leaves it out.
    pub(crate) fn get<S: System>(&self) -> Option<Arc<S>> {
        let mut all = self.0.iter().map(|system| system.clone() as Arc<dyn Any + Send + Sync>);
        all.find_map(|system| system.downcast().ok())
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<dyn System>> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;
    struct Other;
    impl System for One {}
    impl System for Other {}

    #[test]
    fn a_system_is_found_by_its_type() {
        let systems = Systems::new(vec![Arc::new(One)]);
        assert!(systems.get::<One>().is_some());
        assert!(systems.get::<Other>().is_none());
    }
}
