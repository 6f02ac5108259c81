//! One layer of a decision: what it does to the tools that the ones before left, and why.

use std::borrow::Cow;

use fixedbitset::FixedBitSet;

use super::lists::{ActionGate, Lists};
use super::tool_list::ToolList;
use super::{Catalog, Decision, Rule};

/// One layer. Copied, never kept: it borrows from the decision.
#[derive(Clone, Copy)]
pub(super) enum Layer<'d> {
    /// Only what the list has remains.
    Only(&'d ToolList),
    /// What the list has is taken away.
    Deny(&'d ToolList),
    /// What the list has is given back.
    AlsoAllow(&'d ToolList, &'d Finals<'d>),
    /// Tools whose action the agent may not take are taken away.
    Actions(&'d ActionGate),
    /// Tools that do not work on the caller's type of channel are taken away.
    Channel(&'d str, &'d FixedBitSet),
    /// Only what the agent above has remains.
    Parent(&'d Decision, &'d FixedBitSet),
}

/// What no `also_allow` may give back: what is switched off, and what final entries deny.
pub(super) struct Finals<'d> {
    pub enabled: &'d FixedBitSet,
    pub lists: [Option<&'d Lists>; 5],
}

impl<'d> Finals<'d> {
    fn sets(&self) -> impl Iterator<Item = &'d FixedBitSet> {
        self.lists.into_iter().flatten().filter_map(|lists| lists.deny.as_ref()?.finals())
    }

    fn hold(&self, tool: usize) -> bool {
        !self.enabled.contains(tool) || self.sets().any(|finals| finals.contains(tool))
    }
}

impl Layer<'_> {
    /// Applies the layer to all tools.
    pub(super) fn apply(self, tools: &mut FixedBitSet) {
        match self {
            Layer::Only(list) => tools.intersect_with(list.tools()),
            Layer::Deny(list) => tools.difference_with(list.tools()),
            Layer::Actions(gate) => tools.difference_with(&gate.withheld),
            Layer::Channel(_, elsewhere) => tools.difference_with(elsewhere),
            Layer::Parent(_, allowed) => tools.intersect_with(allowed),
            Layer::AlsoAllow(list, finals) => {
                let mut back = list.tools().clone();
                back.intersect_with(finals.enabled);
                for set in finals.sets() {
                    back.difference_with(set);
                }
                tools.union_with(&back);
            }
        }
    }

    /// Applies the layer to one tool.
    pub(super) fn keeps(self, tool: usize, before: bool) -> bool {
        match self {
            Layer::Only(list) => before && list.tools().contains(tool),
            Layer::Deny(list) => before && !list.tools().contains(tool),
            Layer::Actions(gate) => before && !gate.withheld.contains(tool),
            Layer::Channel(_, elsewhere) => before && !elsewhere.contains(tool),
            Layer::Parent(_, allowed) => before && allowed.contains(tool),
            Layer::AlsoAllow(list, finals) => {
                before || (list.tools().contains(tool) && !finals.hold(tool))
            }
        }
    }

    /// Where the layer stands.
    pub(super) fn source(&self) -> Cow<'_, str> {
        match self {
            Layer::Only(list) | Layer::Deny(list) | Layer::AlsoAllow(list, _) => {
                list.place().into()
            }
            Layer::Actions(gate) => gate.place.as_str().into(),
            Layer::Channel(channel, _) => format!("channel {channel}").into(),
            Layer::Parent(..) => "parent".into(),
        }
    }

    /// Why the layer changed the tool.
    pub(super) fn rule(self, tool: usize, catalog: &Catalog) -> Rule {
        match self {
            Layer::Only(list) => list.lacks(tool, catalog),
            Layer::Deny(list) => list.denies(tool, catalog),
            Layer::AlsoAllow(list, _) => list.restores(tool, catalog),
            Layer::Actions(gate) => gate.rule(tool, catalog),
            Layer::Channel(channel, _) => {
                let works = catalog.tools().get(tool).map(|tool| tool.channels.join(", "));
                let works = works.unwrap_or_default();
                let text = format!(
                    "it works only on channels of the types {works}, and this one is `{channel}`"
                );
                Rule { name: self.source().into_owned(), text }
            }
            Layer::Parent(parent, _) => {
                let name = catalog.name(tool).and_then(|name| parent.catalog().id(name));
                match name.and_then(|tool| parent.refusal(tool)) {
                    Some(rule) => Rule {
                        name: format!("parent {}", rule.name),
                        text: format!(
                            "the agent that started this one may not call it either: {}",
                            rule.text
                        ),
                    },
                    None => Rule {
                        name: "parent".into(),
                        text: "the agent that started this one has not got it".into(),
                    },
                }
            }
        }
    }
}
