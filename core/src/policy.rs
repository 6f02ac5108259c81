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
mod decision;
mod entry;
mod profile;

pub use catalog::{Catalog, CatalogTool};
pub use decision::{Decision, Layer, Rule, Step};
pub use entry::Entry;
pub use profile::{BUILTIN_GROUPS, PROFILES};

use crate::error::Code;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `policy` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The set of tools to start from: `full`, `coding`, `messaging` or `minimal`.
    pub profile: String,
    /// Only these remain. Absent: all of the profile. Empty: none.
    pub allow: Option<Vec<String>>,
    /// These are taken away, whatever allows them.
    pub deny: Vec<String>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { profile: "full".into(), allow: None, deny: Vec::new() }
    }
}

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
