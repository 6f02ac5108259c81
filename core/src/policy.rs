//! Who may call what. Pure logic: no I/O, no clock, and nothing here knows a tool itself, only a
//! [`Catalog`] of names, groups and aliases.
//!
//! Layers are applied in a fixed order, each narrowing what the one before left over:
//!
//! 1. the profile (`policy.profile`),
//! 2. the allow list of the configuration (`policy.allow`),
//! 3. the allow list of the agent's own row in the store,
//! 4. the deny list of the configuration (`policy.deny`),
//! 5. the deny list of the agent's own row.
//!
//! Within one list the order of entries never matters: everything without `!` is united first, then
//! everything with `!` is taken away. An entry is a tool name, an alias, `group:name`, or a glob
//! over tool names (`mcp_*`, `*`). An absent allow list allows everything; an empty one allows
//! nothing. An unknown profile or group is an error, never silently open.

mod catalog;
mod compiled;
mod config;
mod decision;
mod entry;
mod list;
mod profile;

pub use catalog::{Catalog, CatalogTool};
pub use compiled::{Compiled, Inputs, RowLists};
pub use config::{
    Actions, AgentPolicy, ChatPolicy, Mode, Policy, ProviderPolicy, SubagentPolicy, TaintMode,
    TaintPolicy,
};
pub use decision::{Decision, Rule, Step};
pub use entry::Entry;
pub use list::{ListEntry, MarkedEntry};
pub use profile::{BUILTIN_GROUPS, PROFILES};

use crate::error::Code;

/// A mistake in a policy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The profile does not exist.
    #[error(
        "{source_name}: unknown profile `{profile}`; use one of full, coding, messaging, minimal"
    )]
    UnknownProfile {
        /// Where it stands.
        source_name: String,
        /// What was given.
        profile: String,
    },
    /// A list names a group that nobody declared.
    #[error(
        "{source_name}: unknown group `group:{group}`{}; groups are built in or declared under \
         `groups` in the configuration",
        nearest.as_ref().map(|n| format!(", did you mean `group:{n}`?")).unwrap_or_default()
    )]
    UnknownGroup {
        /// The list, as `policy.deny[2]`.
        source_name: String,
        /// What was given.
        group: String,
        /// The closest group there is.
        nearest: Option<String>,
    },
    /// An entry is not a name, alias, `group:name` or glob.
    #[error("{source_name}: `{entry}` is not a tool name, alias, `group:name` or glob: {why}")]
    BadEntry {
        /// The list, as `policy.deny[2]`.
        source_name: String,
        /// What was given.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
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
