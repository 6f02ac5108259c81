//! What a policy has to know of the registry.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::profile::BUILTIN_GROUPS;
use super::{Entry, Error};
use crate::kind::{Action, Capability, Origin, Taint, ToolId};

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
    /// Where it comes from.
    pub origin: Origin,
    /// The group that the tool itself names.
    pub group: Option<String>,
    /// What it can do. Empty means mutating.
    pub capabilities: Vec<Capability>,
    /// The channel types that it works on; empty means all.
    pub channels: Vec<String>,
    /// The action that it is.
    pub action: Option<Action>,
    /// What its results do to a session.
    pub taints: Vec<Taint>,
}

impl CatalogTool {
    /// A tool of the host's of which only the name is known.
    pub fn named(name: impl Into<String>) -> CatalogTool {
        CatalogTool {
            name: name.into(),
            origin: Origin::Host,
            group: None,
            capabilities: Vec::new(),
            channels: Vec::new(),
            action: None,
            taints: Vec::new(),
        }
    }
}

impl Catalog {
    /// A catalog of these tools (in order of id), aliases (to canonical names) and declared groups
    /// (to their members). The built-in groups are added. A member is an entry like any other: a
    /// name, an alias, a glob, or another group.
    ///
    /// # Errors
    /// A member that is no entry, a group that is unknown, or groups that hold each other.
    pub fn new(
        tools: Vec<CatalogTool>,
        aliases: BTreeMap<String, String>,
        declared: &BTreeMap<String, Vec<String>>,
    ) -> Result<Catalog, Error> {
        let mut groups: BTreeMap<String, Vec<String>> = BUILTIN_GROUPS
            .iter()
            .map(|(name, members)| {
                ((*name).to_owned(), members.iter().map(|m| (*m).to_owned()).collect())
            })
            .collect();
        for name in declared.keys() {
            groups.entry(name.clone()).or_default();
        }
        for tool in &tools {
            if let Some(group) = &tool.group {
                groups.entry(group.clone()).or_default().push(tool.name.clone());
            }
        }
        let mut catalog = Catalog { tools, aliases, groups };
        catalog.fill(declared)?;
        for members in catalog.groups.values_mut() {
            members.sort();
            members.dedup();
        }
        Ok(catalog)
    }

    /// Puts the members of the declared groups in, each group after those that it names.
    fn fill(&mut self, declared: &BTreeMap<String, Vec<String>>) -> Result<(), Error> {
        let mut waiting: Vec<(&String, Vec<Entry>)> = Vec::new();
        for (group, members) in declared {
            let parse = |(index, text): (usize, &String)| {
                Entry::parse(&format!("groups.{group}[{index}]"), text)
            };
            waiting.push((group, members.iter().enumerate().map(parse).collect::<Result<_, _>>()?));
        }
        while !waiting.is_empty() {
            let names: Vec<&str> = waiting.iter().map(|(group, _)| group.as_str()).collect();
            let ready = waiting.iter().position(|(_, entries)| {
                !entries.iter().filter_map(Entry::group).any(|named| names.contains(&named))
            });
            let Some(ready) = ready else {
                return Err(Error::BadEntry {
                    source_name: format!("groups.{}", names[0]),
                    entry: format!("group:{}", names[0]),
                    why: "it holds itself, through the groups in it".into(),
                });
            };
            let (group, entries) = waiting.swap_remove(ready);
            let members = self.members(group, &entries)?;
            self.groups.entry(group.clone()).or_default().extend(members);
        }
        Ok(())
    }

    fn members(&self, group: &str, entries: &[Entry]) -> Result<Vec<String>, Error> {
        let mut members = Vec::new();
        for negated in [false, true] {
            for (index, entry) in entries.iter().enumerate() {
                if entry.is_negated() != negated {
                    continue;
                }
                let names = entry.names(&format!("groups.{group}[{index}]"), self)?;
                if negated {
                    members.retain(|member| !names.contains(member));
                } else {
                    members.extend(names);
                }
            }
        }
        Ok(members)
    }

    /// The same tools and aliases with other declared groups.
    ///
    /// # Errors
    /// As [`Catalog::new`].
    pub fn with_groups(&self, declared: &BTreeMap<String, Vec<String>>) -> Result<Catalog, Error> {
        Catalog::new(self.tools.clone(), self.aliases.clone(), declared)
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

    /// The name that an alias stands for; any other name as it is.
    pub(super) fn canonical<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// The name of the tool at that place.
    pub(super) fn name(&self, index: usize) -> Option<&str> {
        self.tools.get(index).map(|tool| tool.name.as_str())
    }

    /// The id of the tool of that name or alias.
    pub fn id(&self, name: &str) -> Option<ToolId> {
        let canonical = self.canonical(name);
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
