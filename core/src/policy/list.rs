//! Lists of the configuration: which tools a layer allows, denies or asks about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One entry of a list, in short (`"exec"`) or with marks (`{ entry = "exec", final = true }`).
///
/// An entry is a tool name, an alias, `group:name`, `capability:name`, a glob over tool names
/// (`mcp_*`, `*`), or one of these with `!` before it, which takes away what the rest of the list
/// added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ListEntry {
    /// The entry alone.
    Short(String),
    /// The entry with marks.
    Marked(MarkedEntry),
}

/// An entry with marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkedEntry {
    /// The entry.
    pub entry: String,
    /// True if it may match nothing: a tool that is not always there. Otherwise an entry that
    /// matches no known tool is an error.
    #[serde(default)]
    pub optional: bool,
    /// Only in a deny list: true if no `also_allow` may bring it back.
    #[serde(default, rename = "final")]
    pub is_final: bool,
}

impl ListEntry {
    /// The entry itself.
    pub fn text(&self) -> &str {
        match self {
            ListEntry::Short(text) => text,
            ListEntry::Marked(marked) => &marked.entry,
        }
    }

    /// True if it may match nothing.
    pub fn is_optional(&self) -> bool {
        matches!(self, ListEntry::Marked(marked) if marked.optional)
    }

    /// True if no `also_allow` may bring back what it denies.
    pub fn is_final(&self) -> bool {
        matches!(self, ListEntry::Marked(marked) if marked.is_final)
    }
}

impl From<&str> for ListEntry {
    fn from(text: &str) -> ListEntry {
        ListEntry::Short(text.to_owned())
    }
}

impl From<String> for ListEntry {
    fn from(text: String) -> ListEntry {
        ListEntry::Short(text)
    }
}
