//! What a caller may call, and why. The layers stand here in their order, once for the decision
//! and for its explanation.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::catalog::index;
use super::compiled::{Shared, of_provider};
use super::layer::{Finals, Layer};
use super::lists::{AgentLists, Lists, Profile};
use super::tool_list::{Purpose, ToolList};
use super::{Catalog, Error, Inputs};
use crate::kind::ToolId;

/// Which tools of one catalog a caller may call. It keeps which lists hold for the caller, so that
/// it can explain itself.
#[derive(Debug)]
pub struct Decision {
    allowed: FixedBitSet,
    shared: Arc<Shared>,
    provider: Option<Arc<Lists>>,
    agent: Option<Arc<AgentLists>>,
    agent_provider: Option<Arc<Lists>>,
    chat: Option<Arc<Lists>>,
    row_allow: Option<ToolList>,
    row_deny: Option<ToolList>,
    channel: Option<String>,
    depth: u32,
    parent: Option<Parent>,
    request: Option<ToolList>,
}

/// What the agent above has.
#[derive(Debug)]
struct Parent {
    decision: Arc<Decision>,
    /// In this catalog's numbers, where it was decided for another one.
    translated: Option<FixedBitSet>,
}

/// The rule that decided about a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PolicyRule")]
pub struct Rule {
    /// The list and, where one entry decided, the entry: `policy.deny[0] = "group:fs"`.
    pub name: String,
    /// The same as a sentence.
    pub text: String,
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The list that was applied: `policy.profile`, `policy.allow`, `agent helper deny`, …
    pub source: String,
    /// Whether the tool was still allowed before it.
    pub before: bool,
    /// Whether the tool was still allowed after it.
    pub after: bool,
    /// The rule that changed it; none if the step left the tool as it was.
    #[serde(default)]
    pub rule: Option<Rule>,
}

/// What one decision allows and another does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The tools that only the later decision allows, sorted.
    pub added: Vec<String>,
    /// The tools that only the earlier decision allows, sorted.
    pub removed: Vec<String>,
}

/// What changes for a caller when one decision takes the place of another. They may be about
/// different catalogs: tools are compared by name.
pub fn diff(before: &Decision, after: &Decision) -> Difference {
    let only = |these: &Decision, those: &Decision| {
        let mut names: Vec<String> = these
            .allowed()
            .filter_map(|tool| these.catalog().name(index(tool)))
            .filter(|name| !those.allows_name(name))
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    };
    Difference { added: only(after, before), removed: only(before, after) }
}

impl Decision {
    pub(super) fn new(shared: &Arc<Shared>, inputs: &Inputs<'_>) -> Result<Decision, Error> {
        let catalog = &*shared.catalog;
        let agent = inputs.agent.and_then(|agent| shared.lists.agents.get(agent)).cloned();
        let (row_allow, row_deny) = row(inputs, catalog)?;
        let mut decision = Decision {
            allowed: catalog.enabled().clone(),
            shared: shared.clone(),
            provider: of_provider(&shared.lists.by_provider, inputs).cloned(),
            agent_provider: agent
                .as_ref()
                .and_then(|agent| of_provider(&agent.by_provider, inputs))
                .cloned(),
            agent,
            chat: shared.chat(inputs).cloned(),
            row_allow,
            row_deny,
            channel: inputs.channel_type.or(inputs.channel).map(str::to_owned),
            depth: inputs.depth,
            parent: inputs.parent.map(|parent| Parent::new(parent, catalog)),
            request: inputs
                .tools
                .map(|tools| {
                    ToolList::narrowing("request.tools".into(), tools, Purpose::Allow, catalog)
                })
                .transpose()?,
        };
        let mut allowed = std::mem::take(&mut decision.allowed);
        decision.layers(|layer| layer.apply(&mut allowed));
        decision.allowed = allowed;
        Ok(decision)
    }

    /// The lists that hold for the caller, from the widest to the narrowest.
    fn lists(&self) -> [Option<&Lists>; 5] {
        [
            Some(&self.shared.lists.global),
            self.provider.as_deref(),
            self.agent.as_ref().map(|agent| &*agent.lists),
            self.agent_provider.as_deref(),
            self.chat.as_deref(),
        ]
    }

    /// Visits the layers in their order.
    fn layers(&self, mut visit: impl FnMut(Layer<'_>)) {
        let (shared, lists) = (&*self.shared, self.lists());
        let each = || lists.iter().flatten().copied();
        if let Some(Profile::Some(list)) = each().filter_map(|l| l.profile.as_ref()).next_back() {
            visit(Layer::Only(list));
        }
        each().filter_map(|lists| lists.allow.as_ref()).for_each(|list| visit(Layer::Only(list)));
        each().filter_map(|lists| lists.deny.as_ref()).for_each(|list| visit(Layer::Deny(list)));
        let finals = Finals { enabled: shared.catalog.enabled(), lists };
        for list in each().filter_map(|lists| lists.also_allow.as_ref()) {
            visit(Layer::AlsoAllow(list, &finals));
        }
        self.row_allow.iter().for_each(|list| visit(Layer::Only(list)));
        self.row_deny.iter().for_each(|list| visit(Layer::Deny(list)));
        if let Some(agent) = &self.agent {
            agent.tools.iter().for_each(|list| visit(Layer::Only(list)));
            agent.actions.iter().for_each(|gate| visit(Layer::Actions(gate)));
        }
        if let Some(channel) = &self.channel
            && let Some(elsewhere) = shared.elsewhere(channel)
        {
            visit(Layer::Channel(channel, elsewhere));
        }
        if self.depth > 0 {
            shared.lists.subagent_deny.iter().for_each(|list| visit(Layer::Deny(list)));
            if self.depth >= shared.policy.subagents.max_depth {
                shared.lists.leaf_deny.iter().for_each(|list| visit(Layer::Deny(list)));
            }
        }
        if let Some(parent) = &self.parent {
            visit(Layer::Parent(&parent.decision, parent.allowed()));
        }
        self.request.iter().for_each(|list| visit(Layer::Only(list)));
    }

    /// What it is about.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.shared.catalog
    }

    /// True if the tool may be called.
    pub fn allows(&self, tool: ToolId) -> bool {
        self.allowed.contains(index(tool))
    }

    fn allows_name(&self, name: &str) -> bool {
        self.catalog().id(name).is_some_and(|tool| self.allows(tool))
    }

    /// The tools that may be called, in order of id.
    pub fn allowed(&self) -> impl Iterator<Item = ToolId> {
        self.allowed.ones().filter_map(|tool| u32::try_from(tool).ok()).map(ToolId)
    }

    /// The rule by which each call of the tool wants somebody's approval; none if it does not.
    /// What the agent above has to ask about, this one has to ask about, too.
    pub fn asks(&self, tool: ToolId) -> Option<Rule> {
        let tool = index(tool);
        let own = self
            .lists()
            .into_iter()
            .flatten()
            .filter_map(|lists| lists.ask.as_ref())
            .find(|list| list.tools().contains(tool))
            .map(|list| list.asks(tool, self.catalog()));
        own.or_else(|| {
            let parent = &self.parent.as_ref()?.decision;
            parent.asks(parent.catalog().id(self.catalog().name(tool)?)?)
        })
    }

    /// The agents that the caller may give work to, in lower case: empty if it may to any, none if
    /// its actions are not limited.
    pub fn delegate_targets(&self) -> Option<&[String]> {
        let gate = self.agent.as_ref()?.actions.as_ref()?;
        Some(&gate.delegate_targets)
    }

    /// The limits on whom the caller may give work to: its own, and those of the agents above it.
    /// Each is a place in the configuration with the agents that it names, in lower case.
    pub fn delegate_limits(&self) -> Vec<(String, &[String])> {
        std::iter::successors(Some(self), |decision| Some(&*decision.parent.as_ref()?.decision))
            .filter_map(|decision| {
                let gate = decision.agent.as_ref()?.actions.as_ref()?;
                let place = format!("{}delegate_targets", gate.place.strip_suffix("allow")?);
                let targets = gate.delegate_targets.as_slice();
                (!targets.is_empty()).then_some((place, targets))
            })
            .collect()
    }

    /// The rule that refuses the tool; none if it is allowed.
    pub fn refusal(&self, tool: ToolId) -> Option<Rule> {
        if self.allows(tool) {
            return None;
        }
        self.steps(tool).into_iter().rev().find(|step| step.before).and_then(|step| step.rule)
    }

    /// What each list did to the tool, in order; none if no list holds for the caller.
    pub fn steps(&self, tool: ToolId) -> Vec<Step> {
        let tool = index(tool);
        let mut steps = Vec::new();
        let mut before = self.catalog().enabled().contains(tool);
        if !before {
            let text = "it is switched off, or there is no such tool";
            let rule = Rule { name: "registry".into(), text: text.into() };
            let source = rule.name.clone();
            steps.push(Step { source, before: true, after: false, rule: Some(rule) });
        }
        self.layers(|layer| {
            let after = layer.keeps(tool, before);
            let rule = (after != before).then(|| layer.rule(tool, self.catalog()));
            steps.push(Step { source: layer.source().into_owned(), before, after, rule });
            before = after;
        });
        steps
    }
}

impl Parent {
    fn new(decision: &Arc<Decision>, catalog: &Catalog) -> Parent {
        let same = std::ptr::eq(&**decision.catalog(), catalog);
        let translated = (!same).then(|| {
            let names = decision.allowed().filter_map(|t| decision.catalog().name(index(t)));
            let mut allowed = catalog.nothing();
            // Only by canonical name: an alias may mean another tool by now.
            let id =
                |name: &str| catalog.id(name).filter(|id| catalog.name(index(*id)) == Some(name));
            allowed.extend(names.filter_map(id).map(index));
            allowed
        });
        Parent { decision: decision.clone(), translated }
    }

    fn allowed(&self) -> &FixedBitSet {
        self.translated.as_ref().unwrap_or(&self.decision.allowed)
    }
}

fn row(
    inputs: &Inputs<'_>,
    catalog: &Catalog,
) -> Result<(Option<ToolList>, Option<ToolList>), Error> {
    let Some(row) = inputs.row else { return Ok((None, None)) };
    let agent = inputs.agent.unwrap_or_default();
    let list = |which: &str, texts: &[String], purpose| {
        ToolList::narrowing(format!("agent {agent} {which}"), texts, purpose, catalog)
    };
    let allow = row.allow.map(|allow| list("allow", allow, Purpose::Allow)).transpose()?;
    let deny = match row.deny {
        [] => None,
        deny => Some(list("deny", deny, Purpose::Deny)?),
    };
    Ok((allow, deny))
}
