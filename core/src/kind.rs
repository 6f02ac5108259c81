//! The kinds that several rooms speak of: tool ids, capabilities, effects, resources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dense number for a tool within one registry generation: the index of its bit in policy sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolId(pub u32);

/// A property of a tool that scheduling and policy must know.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Capability {
    /// Changes nothing that another call could see.
    ReadOnly,
    /// Changes something.
    Mutating,
    /// Goes on working after its call has returned.
    Async,
    /// Comes from an MCP server.
    McpBridged,
    /// Reaches beyond the machine.
    OpenWorld,
    /// May destroy what cannot be brought back.
    Destructive,
}

/// How a call uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Looks at it.
    Read,
    /// Changes it.
    Write,
}

/// Something that a call touches, declared before it runs. Calls that touch different resources,
/// or only read, may run side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "name", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Resource {
    /// A path in the workspace, as a normalised relative path; `.` is all of it.
    Path(String),
    /// A host on the network.
    Host(String),
    /// The state of a session.
    Session(String),
}

/// Where a tool comes from. Names are looked up tier by tier: built-in and host tools first, then
/// the tools of skills, then custom and MCP tools.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// Toolkeep's own.
    Builtin,
    /// Written by the host.
    #[default]
    Host,
    /// Registered by a skill.
    Skill,
    /// A command that the owner made a tool.
    Custom,
    /// Of an MCP server.
    Mcp,
}

impl Origin {
    /// The tier that tools from there stand in.
    pub fn tier(self) -> Tier {
        match self {
            Origin::Builtin | Origin::Host => Tier::Core,
            Origin::Skill => Tier::Skill,
            Origin::Custom | Origin::Mcp => Tier::Extra,
        }
    }
}

/// A tier of names. Tiers are searched in this order. A tool hides tools of the same name in later
/// tiers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tier {
    /// Built-in tools and the host's own.
    Core,
    /// Tools of skills.
    Skill,
    /// Custom and MCP tools.
    Extra,
}

/// A mark that a tool's result sets on the session that reads it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Taint {
    /// It holds text that strangers may have written: the web, MCP servers, mail.
    Untrusted,
    /// It holds private data.
    Private,
}

/// An action of a tool, for agents whose actions are limited.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Applies a patch.
    Patch,
    /// Declares the work done.
    Finalize,
    /// Gives work to another agent.
    Delegate,
}

/// What kind of [`Resource`] an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResourceKind {
    /// A path in the workspace.
    Path,
    /// A host, or a URL whose host counts.
    Host,
    /// A session.
    Session,
}

impl Resource {
    /// True if using one may be seen by a user of the other: equal, or one path holds the other.
    pub fn overlaps(&self, other: &Resource) -> bool {
        match (self, other) {
            (Resource::Path(a), Resource::Path(b)) => holds(a, b) || holds(b, a),
            _ => self == other,
        }
    }
}

fn holds(outer: &str, inner: &str) -> bool {
    outer == "."
        || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_overlap_when_one_holds_the_other() {
        let path = |p: &str| Resource::Path(p.into());
        assert!(path("a").overlaps(&path("a/b")));
        assert!(path("a/b").overlaps(&path("a")));
        assert!(path(".").overlaps(&path("x")));
        assert!(!path("a").overlaps(&path("ab")));
        assert!(!path("a/b").overlaps(&Resource::Host("a/b".into())));
    }
}
