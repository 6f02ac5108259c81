//! The `policy` part of the configuration: what an owner writes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ListEntry;
use super::profile::{LEAF_DENY, SUBAGENT_DENY};
use crate::kind::Action;

/// The `policy` part of the configuration. See the [module](super) for the order in which its
/// parts are applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The set of tools to start from: `full`, `coding`, `messaging` or `minimal`.
    pub profile: String,
    /// Only these tools remain. Absent: all of the profile. Empty: none.
    pub allow: Option<Vec<ListEntry>>,
    /// These tools are taken away.
    pub deny: Vec<ListEntry>,
    /// These tools are given back, unless a `final` deny entry took them away.
    pub also_allow: Vec<ListEntry>,
    /// Each call of these tools needs somebody's approval.
    pub ask: Vec<ListEntry>,
    /// Lists for a model's provider, by `provider/model` or `provider`. If both exist, only the
    /// lists of `provider/model` hold.
    pub by_provider: BTreeMap<String, ProviderPolicy>,
    /// Lists for an agent, by its id.
    pub agents: BTreeMap<String, AgentPolicy>,
    /// Lists for a chat, by `channel:chat`, `chat`, or `*` for every group chat that is not named.
    pub by_chat: BTreeMap<String, ChatPolicy>,
    /// Tools that sub-agents may not have.
    pub subagents: SubagentPolicy,
    /// What happens when a session has read both untrusted text and private data.
    pub taint: TaintPolicy,
    /// Whether decisions are enforced.
    pub mode: Mode,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            profile: "full".into(),
            allow: None,
            deny: Vec::new(),
            also_allow: Vec::new(),
            ask: Vec::new(),
            by_provider: BTreeMap::new(),
            agents: BTreeMap::new(),
            by_chat: BTreeMap::new(),
            subagents: SubagentPolicy::default(),
            taint: TaintPolicy::default(),
            mode: Mode::default(),
        }
    }
}

/// Whether decisions are enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// What is not allowed is refused.
    #[default]
    Enforce,
    /// What is not allowed runs all the same, and the ledger says what would have been refused.
    Shadow,
}

/// The lists for one provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderPolicy {
    /// The set of tools to start from instead of `policy.profile`; it can be wider.
    pub profile: Option<String>,
    /// Only these tools remain. Absent: no change. Empty: none.
    pub allow: Option<Vec<ListEntry>>,
    /// These tools are taken away.
    pub deny: Vec<ListEntry>,
    /// These tools are given back.
    pub also_allow: Vec<ListEntry>,
    /// Each call of these tools needs somebody's approval.
    pub ask: Vec<ListEntry>,
}

/// The lists for one agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentPolicy {
    /// The set of tools to start from instead of `policy.profile` and the provider's.
    pub profile: Option<String>,
    /// Only these tools remain. Absent: no change. Empty: none.
    pub allow: Option<Vec<ListEntry>>,
    /// These tools are taken away.
    pub deny: Vec<ListEntry>,
    /// These tools are given back.
    pub also_allow: Vec<ListEntry>,
    /// Each call of these tools needs somebody's approval.
    pub ask: Vec<ListEntry>,
    /// Lists for this agent with one provider, by `provider` or `provider/model`.
    pub by_provider: BTreeMap<String, ProviderPolicy>,
    /// The tools that its own front matter names; they only narrow. `["*"]`: no limit.
    pub tools: Option<Vec<ListEntry>>,
    /// The actions that it may take. Absent: all.
    pub actions: Option<Actions>,
}

/// The lists for one chat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChatPolicy {
    /// Only these tools remain. Absent: no change. Empty: none.
    pub allow: Option<Vec<ListEntry>>,
    /// These tools are taken away.
    pub deny: Vec<ListEntry>,
    /// Each call of these tools needs somebody's approval.
    pub ask: Vec<ListEntry>,
}

/// Tools that sub-agents may not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SubagentPolicy {
    /// No agent below the first may call these. Default: the seeds' list.
    pub deny: Vec<ListEntry>,
    /// No agent at `max_depth` or deeper may call these either. Default: the seeds' list.
    pub leaf_deny: Vec<ListEntry>,
    /// The depth at which agents start no others. Default: 1.
    pub max_depth: u32,
}

impl Default for SubagentPolicy {
    fn default() -> SubagentPolicy {
        let entries = |names: &[&str]| names.iter().map(|name| ListEntry::from(*name)).collect();
        SubagentPolicy { deny: entries(SUBAGENT_DENY), leaf_deny: entries(LEAF_DENY), max_depth: 1 }
    }
}

/// The actions that an agent may take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Actions {
    /// These.
    pub allow: Vec<Action>,
    /// The agents to which it may delegate. Empty: any.
    pub delegate_targets: Vec<String>,
}

/// What happens before an open-world or destructive call of a session that has read both untrusted
/// text and private data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaintPolicy {
    /// What happens.
    pub mode: TaintMode,
    /// Additional tools whose results strangers may have written. Tools may also declare that
    /// themselves.
    pub untrusted: Vec<ListEntry>,
    /// Additional tools whose results are private. Tools may also declare that themselves.
    pub private: Vec<ListEntry>,
    /// The tools whose calls by such a session are recorded, asked about or denied. Default:
    /// open-world and destructive ones. An entry for either capability also means tools that
    /// declare no capability at all, unless they are built in.
    pub guarded: Vec<ListEntry>,
}

impl Default for TaintPolicy {
    fn default() -> TaintPolicy {
        let entries = |names: &[&str]| names.iter().map(|name| ListEntry::from(*name)).collect();
        TaintPolicy {
            mode: TaintMode::default(),
            untrusted: entries(&["group:web", "group:mcp", "capability:mcp-bridged"]),
            private: entries(&["group:fs", "group:memory", "group:sessions", "group:knowledge"]),
            guarded: entries(&["capability:open-world", "capability:destructive"]),
        }
    }
}

/// What happens to a guarded call of a session that has both marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaintMode {
    /// The ledger says so.
    #[default]
    Record,
    /// Somebody has to approve it.
    Ask,
    /// It is refused.
    Deny,
}
