//! A policy compiled against one catalog, and the decisions that it gives.

use std::sync::Arc;

use super::{Catalog, Decision, Error, Policy};

/// Who asks: everything that a decision depends on, apart from policy and catalog.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'i> {
    /// The agent.
    pub agent: Option<&'i str>,
    /// The model's provider.
    pub provider: Option<&'i str>,
    /// The model.
    pub model: Option<&'i str>,
    /// The channel.
    pub channel: Option<&'i str>,
    /// The type of the channel, where that is known apart from its name.
    pub channel_type: Option<&'i str>,
    /// The chat.
    pub chat: Option<&'i str>,
    /// True in a chat of several people.
    pub in_group: bool,
    /// How many agents stand above this one.
    pub depth: u32,
    /// The list of the request.
    pub tools: Option<&'i [String]>,
    /// The agent's own lists in the store, which only narrow.
    pub row: Option<RowLists<'i>>,
    /// What the agent that started this one may call.
    pub parent: Option<&'i Decision>,
}

/// An agent's own lists.
#[derive(Clone, Copy, Debug)]
pub struct RowLists<'i> {
    /// Only these remain.
    pub allow: Option<&'i [String]>,
    /// These are taken away.
    pub deny: &'i [String],
}

/// A policy compiled against one catalog.
#[derive(Clone, Debug)]
pub struct Compiled {
    catalog: Arc<Catalog>,
    policy: Arc<Policy>,
}

impl Compiled {
    /// Compiles every list of the policy.
    ///
    /// # Errors
    /// An entry that is none, an unknown profile or group.
    pub fn new(catalog: Arc<Catalog>, policy: Arc<Policy>) -> Result<Compiled, Error> {
        let compiled = Compiled { catalog, policy };
        compiled.decide(&Inputs::default())?;
        Ok(compiled)
    }

    /// What this caller may call.
    ///
    /// # Errors
    /// A list of the request or of the agent's row that cannot be read.
    pub fn decide(&self, inputs: &Inputs<'_>) -> Result<Decision, Error> {
        Decision::compile(&self.catalog, &self.policy, inputs)
    }
}
