//! Who may call what. Pure logic: no I/O, no clock, and nothing here knows a tool itself, only a
//! [`Catalog`] of names, groups and aliases.
//!
//! Layers are applied in a fixed order, each to what the one before left over:
//!
//! 1. the profile: the most specific that is named, of the agent with the provider, the agent, the
//!    provider, or `policy.profile`; it takes the others' place, and so can be wider than they are,
//! 2. the allow lists: global, provider, agent, agent with provider, chat,
//! 3. the deny lists, in the same order,
//! 4. the `also_allow` lists, in the same order: they give back what any layer so far took away,
//!    unless a deny entry that holds here is marked `final`,
//! 5. the allow and the deny list of the agent's own row in the store,
//! 6. the agent's `tools`, as its front matter has them,
//! 7. the agent's actions,
//! 8. the types of channel that a tool works on,
//! 9. what sub-agents may not have, and what those that start no others may not have either,
//! 10. what the agent above has: nobody has more than who started it,
//! 11. the list of the request.
//!
//! From 5 on layers only narrow. Within one list the order of entries never matters: everything
//! without `!` is united first, then everything with `!` is taken away. An entry is a tool name, an
//! alias, `group:name`, `capability:name`, or a glob over tool names (`mcp_*`, `*`). An absent allow
//! list allows everything; an empty one allows nothing. An unknown profile, group or capability is
//! an error, never silently open; a name or a glob that matches nothing is kept as
//! [unmatched](Compiled::unmatched) for when all tools are registered.
//!
//! Every list is expanded once, to one bit per tool, when the policy is [compiled](Compiled). A
//! [decision](Decision) is then a few word operations per layer, and a [`Memo`] remembers it.
//!
//! `config` is what an owner writes; `entry`, `list`, `lists` and `tool_list` read and expand it;
//! `catalog` and `profile` hold the names that it may use; `compiled`, `layer` and `decision` decide
//! and explain. `permit` is about programs instead of tools: what an owner lets a program of his do.

#[cfg(test)]
mod cases;
mod catalog;
mod compiled;
mod config;
mod decision;
mod entry;
#[cfg(test)]
mod laws;
mod layer;
mod list;
mod lists;
mod memo;
#[cfg(test)]
mod model;
pub(crate) mod permit;
mod profile;
mod tool_list;

pub use catalog::{Catalog, CatalogTool};
pub use compiled::{Compiled, Inputs, RowLists};
pub use config::{
    Actions, AgentPolicy, ChatPolicy, Mode, Policy, ProviderPolicy, SubagentPolicy, TaintMode,
    TaintPolicy,
};
pub use decision::{Decision, Difference, Rule, Step, diff};
pub use entry::Entry;
pub use list::{ListEntry, MarkedEntry};
pub use memo::Memo;
pub use permit::{NetworkPermit, Permit};
pub use profile::{BUILTIN_GROUPS, FULL, MCP, NATIVE, PROFILES};

use crate::error::Code;

/// A mistake in a policy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A key that nothing is ever called by.
    #[error("{source_name}: this key {why}, so its lists would never hold; correct or remove it")]
    BadKey {
        /// The key, as `policy.agents.""`.
        source_name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The profile does not exist.
    #[error(
        "{source_name}: unknown profile `{profile}`{}; use one of full, coding, messaging, minimal",
        meant("", nearest.as_deref())
    )]
    UnknownProfile {
        /// Where it stands.
        source_name: String,
        /// What was given.
        profile: String,
        /// The closest profile there is.
        nearest: Option<String>,
    },
    /// A list names a group that nobody declared.
    #[error(
        "{source_name}: unknown group `group:{group}`{}; groups are built in, named by a tool, or \
         declared under `groups` in the configuration; mark the entry as optional \
         (`{{ entry = \"group:{group}\", optional = true }}`) if the group is not always there",
        meant("group:", nearest.as_deref())
    )]
    UnknownGroup {
        /// The list, as `policy.deny[2]`.
        source_name: String,
        /// What was given.
        group: String,
        /// The closest group there is.
        nearest: Option<String>,
    },
    /// An entry names a capability that there is not.
    #[error(
        "{source_name}: unknown capability `capability:{capability}`{}; use one of {}",
        meant("capability:", nearest.as_deref()),
        entry::CAPABILITIES.map(|(name, _)| name).join(", ")
    )]
    UnknownCapability {
        /// The list, as `policy.deny[2]`.
        source_name: String,
        /// What was given.
        capability: String,
        /// The closest capability there is.
        nearest: Option<String>,
    },
    /// A name or a glob matches no tool that is known.
    #[error(
        "{source_name}: `{entry}` matches no tool that is known{}; mark the entry as optional \
         (`{{ entry = \"{entry}\", optional = true }}`) if the tool is not always there",
        meant("", nearest.as_deref())
    )]
    Unmatched {
        /// The list, as `policy.deny[2]`.
        source_name: String,
        /// What was given.
        entry: String,
        /// The closest entry that would match.
        nearest: Option<String>,
    },
    /// An entry is marked `final` where that means nothing.
    #[error(
        "{source_name}: `{entry}` cannot be `final`: only what a deny list takes away can be kept \
         from `also_allow`; leave the mark out here"
    )]
    MisplacedFinal {
        /// The list, as `policy.allow[2]`.
        source_name: String,
        /// What was given.
        entry: String,
    },
    /// An entry is none.
    #[error(
        "{source_name}: `{entry}` is not a tool name, alias, `group:name`, `capability:name` or \
         glob: {why}"
    )]
    BadEntry {
        /// The list, as `policy.deny[2]`.
        source_name: String,
        /// What was given.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
}

fn meant(prefix: &str, nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(", did you mean `{prefix}{nearest}`?")).unwrap_or_default()
}

impl Error {
    /// The stable code: always `invalid_config`.
    pub fn code(&self) -> Code {
        Code::InvalidConfig
    }
}

impl From<Error> for crate::error::Error {
    fn from(error: Error) -> crate::error::Error {
        crate::error::Error::new(error.code(), error.to_string())
    }
}
