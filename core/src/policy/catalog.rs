//! What a policy has to know of the registry.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::profile::BUILTIN_GROUPS;
use crate::kind::ToolId;

/// The tools, aliases and groups that a policy is compiled against: one registry generation.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tools: Vec<CatalogTool>,
    aliases: BTreeMap<String, String>,
    groups: BTreeMap<String, Vec<String>>,
}

/// One tool of a [`Catalog`]. Its place in the list is its [`ToolId`].
#[derive(Clone, Debug)]
pub struct CatalogTool {
    /// The canonical name.
    pub name: String,
    /// The group that the tool itself names.
    pub group: Option<String>,
}

impl Catalog {
    /// A catalog of these tools (in order of id), aliases (to canonical names) and declared groups
    /// (to their members). The built-in groups are added.
    pub fn new(
        tools: Vec<CatalogTool>,
        aliases: BTreeMap<String, String>,
        declared: &BTreeMap<String, Vec<String>>,
    ) -> Catalog {
        let mut groups: BTreeMap<String, Vec<String>> = BUILTIN_GROUPS
            .iter()
            .map(|(name, members)| {
                ((*name).to_owned(), members.iter().map(|m| (*m).to_owned()).collect())
            })
            .collect();
        for (name, members) in declared {
            groups.entry(name.clone()).or_default().extend(members.iter().cloned());
        }
        for tool in &tools {
            if let Some(group) = &tool.group {
                groups.entry(group.clone()).or_default().push(tool.name.clone());
            }
        }
        for members in groups.values_mut() {
            members.sort();
            members.dedup();
        }
        Catalog { tools, aliases, groups }
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// True if there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The groups and their members, sorted.
    pub fn groups(&self) -> &BTreeMap<String, Vec<String>> {
        &self.groups
    }

    /// The id of the tool of that name or alias.
    pub fn id(&self, name: &str) -> Option<ToolId> {
        let canonical = self.aliases.get(name).map_or(name, String::as_str);
        let index = self.tools.iter().position(|tool| tool.name == canonical)?;
        u32::try_from(index).ok().map(ToolId)
    }

    pub(super) fn everything(&self) -> FixedBitSet {
        let mut set = self.nothing();
        set.insert_range(..);
        set
    }

    pub(super) fn nothing(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.tools.len())
    }

    pub(super) fn matching(&self, accept: impl Fn(&str) -> bool) -> FixedBitSet {
        let mut set = self.nothing();
        for (index, tool) in self.tools.iter().enumerate() {
            set.set(index, accept(&tool.name));
        }
        set
    }
}
