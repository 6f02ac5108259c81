//! A policy compiled against one catalog, and the decisions that it gives.

use std::collections::HashMap;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::catalog::index;
use super::lists::{Expander, Lists, PolicyLists};
use super::{Catalog, Decision, Entry, Error, Policy};
use crate::kind::ToolId;

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
    pub parent: Option<&'i Arc<Decision>>,
}

/// An agent's own lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowLists<'i> {
    /// Only these remain.
    pub allow: Option<&'i [String]>,
    /// These tools are taken away.
    pub deny: &'i [String],
}

/// A policy compiled against one catalog. A clone shares what was compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub catalog: Arc<Catalog>,
    pub policy: Arc<Policy>,
    pub lists: PolicyLists,
    /// By channel type: the tools that do not work on it.
    elsewhere: HashMap<String, FixedBitSet>,
    /// The tools that do not work on every channel type.
    choosy: FixedBitSet,
    unmatched: Vec<Error>,
    warnings: Vec<Error>,
}

impl Compiled {
    /// Compiles every list of the policy.
    ///
    /// # Errors
    /// An entry that is none, an unknown profile, group or capability, a misplaced `final`; each
    /// with its place in the configuration.
    pub fn new(catalog: Arc<Catalog>, policy: Arc<Policy>) -> Result<Compiled, Error> {
        let mut expander = Expander::new(&catalog);
        let lists = expander.policy(&policy)?;
        let noticed = expander.noticed;
        let (choosy, elsewhere) = channels(&catalog);
        let shared = Shared {
            catalog,
            policy,
            lists,
            elsewhere,
            choosy,
            unmatched: noticed.unmatched,
            warnings: noticed.warnings,
        };
        Ok(Compiled { shared: Arc::new(shared) })
    }

    /// What this caller may call.
    ///
    /// # Errors
    /// A list of the request or of the agent's row that cannot be read.
    pub fn decide(&self, inputs: &Inputs<'_>) -> Result<Decision, Error> {
        Decision::new(&self.shared, inputs)
    }

    /// What is wrong with the lists of an agent's row: entries that are none, that name an unknown
    /// group, or that match no tool that is known.
    pub fn mistakes_in(&self, agent: &str, row: RowLists<'_>) -> Vec<Error> {
        let catalog = &*self.shared.catalog;
        let mistake = |place: &str, text: &str| {
            let entry = match Entry::parse(place, text) {
                Ok(entry) => entry,
                Err(error) => return Some(error),
            };
            let expanded = entry.expand(place, catalog, &mut catalog.nothing());
            expanded.err().or_else(|| entry.unmatched(place, catalog))
        };
        let lists = [("allow", row.allow.unwrap_or_default()), ("deny", row.deny)];
        let places = lists.into_iter().flat_map(|(list, texts)| {
            (0..).zip(texts).map(move |(index, text)| (list, index, text))
        });
        places
            .filter_map(|(list, index, text): (_, usize, _)| {
                mistake(&format!("agent {agent} {list}[{index}]"), text)
            })
            .collect()
    }

    /// What it was compiled against.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.shared.catalog
    }

    /// What was compiled.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.shared.policy
    }

    /// The names and globs, in lists and in declared groups, that match no tool that is known:
    /// mistakes, as soon as all tools are registered.
    pub fn unmatched(&self) -> &[Error] {
        &self.shared.unmatched
    }

    /// What matches nothing where that is no mistake: optional entries.
    pub fn warnings(&self) -> &[Error] {
        &self.shared.warnings
    }

    /// True if strangers may have written what the tool returns.
    pub fn is_untrusted(&self, tool: ToolId) -> bool {
        self.shared.lists.taints.untrusted.contains(index(tool))
    }

    /// True if what the tool returns is private.
    pub fn is_private(&self, tool: ToolId) -> bool {
        self.shared.lists.taints.private.contains(index(tool))
    }

    /// True if a session that read both is watched for the tool.
    pub fn is_guarded(&self, tool: ToolId) -> bool {
        self.shared.lists.taints.guarded.contains(index(tool))
    }
}

impl Shared {
    /// The tools that do not work on that type of channel, if any tool minds the channel.
    pub(super) fn elsewhere(&self, channel: &str) -> Option<&FixedBitSet> {
        let some = !self.elsewhere.is_empty();
        some.then(|| self.elsewhere.get(channel).unwrap_or(&self.choosy))
    }

    /// The lists for a chat.
    pub(super) fn chat(&self, inputs: &Inputs<'_>) -> Option<&Arc<Lists>> {
        let by_chat = &self.lists.by_chat;
        if by_chat.is_empty() {
            return None;
        }
        let named = inputs.chat.and_then(|chat| {
            let in_channel = inputs.channel.and_then(|c| by_chat.get(&format!("{c}:{chat}")));
            in_channel.or_else(|| by_chat.get(chat))
        });
        named.or_else(|| by_chat.get("*").filter(|_| inputs.in_group))
    }
}

/// The lists for a provider and its model, else for the provider.
pub(super) fn of_provider<'l>(
    by_provider: &'l HashMap<String, Arc<Lists>>,
    inputs: &Inputs<'_>,
) -> Option<&'l Arc<Lists>> {
    if by_provider.is_empty() {
        return None;
    }
    let provider = inputs.provider?;
    let of_model = inputs.model.and_then(|model| by_provider.get(&format!("{provider}/{model}")));
    of_model.or_else(|| by_provider.get(provider))
}

fn channels(catalog: &Catalog) -> (FixedBitSet, HashMap<String, FixedBitSet>) {
    let mut choosy = catalog.nothing();
    for (index, tool) in catalog.tools().iter().enumerate() {
        choosy.set(index, !tool.channels.is_empty());
    }
    let mut elsewhere: HashMap<String, FixedBitSet> = HashMap::new();
    for (index, tool) in catalog.tools().iter().enumerate() {
        for channel in &tool.channels {
            elsewhere.entry(channel.clone()).or_insert_with(|| choosy.clone()).remove(index);
        }
    }
    (choosy, elsewhere)
}
