//! What a policy has to know of the registry.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::entry::CAPABILITIES;
use super::profile::{BUILTIN_GROUPS, LEAF_DENY, MCP, NATIVE, SUBAGENT_DENY};
use super::tool_list::Noticed;
use super::{Entry, Error, ListEntry};
use crate::kind::{Action, Capability, Origin, Taint, ToolId};

/// The tools, aliases and groups that a policy is compiled against: one registry generation.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tools: Vec<CatalogTool>,
    aliases: BTreeMap<String, String>,
    /// By canonical name and by alias.
    ids: HashMap<String, ToolId>,
    /// Aliases whose name something else has by now, with the tools that they stood for.
    lost: Arc<BTreeMap<String, String>>,
    groups: BTreeMap<String, Vec<String>>,
    grouped: HashMap<String, FixedBitSet>,
    capable: Vec<(Capability, FixedBitSet)>,
    enabled: FixedBitSet,
    ever: Arc<BTreeSet<String>>,
    noticed: Noticed,
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
    /// What it can do. Mutating, too, where it is destructive, or neither read-only nor async.
    pub capabilities: Vec<Capability>,
    /// The channel types that it works on; empty means all.
    pub channels: Vec<String>,
    /// Its action.
    pub action: Option<Action>,
    /// The marks that its results set on a session.
    pub taints: Vec<Taint>,
    /// False while it is switched off: no policy allows it then.
    pub enabled: bool,
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
            enabled: true,
        }
    }

    fn can(&self, capability: Capability) -> bool {
        match capability {
            Capability::Mutating => self.is_mutating(),
            Capability::McpBridged if self.origin == Origin::Mcp => true,
            _ => self.capabilities.contains(&capability),
        }
    }

    /// True unless it says that it changes nothing by itself: that it destroys, reaches out or comes
    /// from a server says no such thing.
    fn is_mutating(&self) -> bool {
        let declares = |capability| self.capabilities.contains(&capability);
        declares(Capability::Mutating)
            || declares(Capability::Destructive)
            || !(declares(Capability::ReadOnly) || declares(Capability::Async))
    }

    /// True for a tool from outside that says nothing of what it does: that it comes from a server
    /// says nothing of that.
    fn is_undeclared(&self) -> bool {
        self.origin != Origin::Builtin
            && self.capabilities.iter().all(|capability| *capability == Capability::McpBridged)
    }

    fn is_of_mcp(&self) -> bool {
        let of_server = |group: &str| group.strip_prefix(MCP).is_some_and(|g| g.starts_with(':'));
        self.origin == Origin::Mcp || self.group.as_deref().is_some_and(of_server)
    }
}

impl Catalog {
    /// A catalog of these tools (in order of id), aliases (to canonical names) and declared groups
    /// (to their members). The built-in groups are added. A member is an entry like any other: a
    /// name, an alias, a glob, a capability, or another group, and may be marked optional. An alias
    /// may stand for a tool that is not there (yet).
    ///
    /// # Errors
    /// A member that is no entry or `final`, a group that is unknown, or groups that hold each
    /// other.
    pub fn new(
        tools: Vec<CatalogTool>,
        aliases: BTreeMap<String, String>,
        declared: &BTreeMap<String, Vec<ListEntry>>,
    ) -> Result<Catalog, Error> {
        Catalog::with_known(tools, aliases, declared, Arc::default())
    }

    /// As [`Catalog::new`], with the names of tools that there were once: a list may go on to name
    /// them.
    ///
    /// # Errors
    /// As [`Catalog::new`].
    pub fn with_known(
        tools: Vec<CatalogTool>,
        aliases: BTreeMap<String, String>,
        declared: &BTreeMap<String, Vec<ListEntry>>,
        ever: Arc<BTreeSet<String>>,
    ) -> Result<Catalog, Error> {
        let mut catalog = Catalog { tools, aliases, ever, ..Catalog::default() };
        catalog.number();
        catalog.start_groups();
        catalog.fill(declared)?;
        for members in catalog.groups.values_mut() {
            members.sort();
            members.dedup();
        }
        catalog.grouped = catalog
            .groups
            .iter()
            .map(|(group, members)| {
                let mut tools = catalog.nothing();
                tools.extend(members.iter().filter_map(|name| catalog.id(name)).map(index));
                (group.clone(), tools)
            })
            .collect();
        Ok(catalog)
    }

    /// The same, with the aliases whose name something else took, and the tools that they stood for.
    #[must_use]
    pub fn with_lost_aliases(self, lost: BTreeMap<String, String>) -> Catalog {
        Catalog { lost: Arc::new(lost), ..self }
    }

    fn number(&mut self) {
        let numbered = || (0..).map(ToolId).zip(&self.tools);
        let mut ids: HashMap<String, ToolId> =
            numbered().map(|(id, tool)| (tool.name.clone(), id)).collect();
        for (alias, canonical) in &self.aliases {
            if let Some(id) = ids.get(canonical).copied() {
                ids.entry(alias.clone()).or_insert(id);
            }
        }
        self.ids = ids;
        let those = |accept: &dyn Fn(&CatalogTool) -> bool| {
            let mut set = FixedBitSet::with_capacity(self.tools.len());
            set.extend(numbered().filter(|(_, tool)| accept(tool)).map(|(id, _)| index(id)));
            set
        };
        let enabled = those(&|tool| tool.enabled);
        let capable = CAPABILITIES
            .map(|(_, capability)| (capability, those(&|tool| tool.can(capability))))
            .to_vec();
        self.enabled = enabled;
        self.capable = capable;
    }

    /// The built-in groups, and those that the tools themselves name.
    fn start_groups(&mut self) {
        let mut add = |group: &str, member: &str| {
            self.groups.entry(group.to_owned()).or_default().push(member.to_owned());
        };
        for (group, members) in BUILTIN_GROUPS {
            for member in *members {
                add(group, member);
                NATIVE.iter().for_each(|native| add(native, member));
            }
        }
        for tool in &self.tools {
            if let Some(group) = &tool.group {
                add(group, &tool.name);
            }
            if tool.is_of_mcp() {
                add(MCP, &tool.name);
            }
            if tool.origin == Origin::Builtin {
                NATIVE.iter().for_each(|native| add(native, &tool.name));
            }
        }
        self.groups.entry(MCP.to_owned()).or_default();
    }

    /// Puts the members of the declared groups in, each group after those that it names.
    fn fill(&mut self, declared: &BTreeMap<String, Vec<ListEntry>>) -> Result<(), Error> {
        for name in declared.keys() {
            self.groups.entry(name.clone()).or_default();
        }
        let mut waiting: Vec<(&String, Vec<Member>)> = Vec::new();
        for (group, listed) in declared {
            let listed = listed.iter().enumerate();
            let members = listed.map(|(index, listed)| Member::parse(group, index, listed));
            waiting.push((group, members.collect::<Result<_, _>>()?));
        }
        for member in waiting.iter().flat_map(|(_, members)| members) {
            let unmatched = member.entry.unmatched(&member.place, self);
            self.noticed.those(member.is_optional).extend(unmatched);
        }
        while !waiting.is_empty() {
            let names: Vec<&str> = waiting.iter().map(|(group, _)| group.as_str()).collect();
            let ready = waiting.iter().position(|(_, members)| {
                let mut named = members.iter().filter_map(|member| member.entry.group());
                !named.any(|named| names.contains(&named))
            });
            let Some(ready) = ready else {
                return Err(Error::BadEntry {
                    source_name: format!("groups.{}", names[0]),
                    entry: format!("group:{}", names[0]),
                    why: "it holds itself, through the groups in it".into(),
                });
            };
            let (group, members) = waiting.swap_remove(ready);
            let names = self.member_names(&members)?;
            self.groups.entry(group.clone()).or_default().extend(names);
        }
        Ok(())
    }

    fn member_names(&mut self, members: &[Member]) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        for negated in [false, true] {
            for member in members.iter().filter(|member| member.entry.is_negated() == negated) {
                let names = match member.entry.member_names(&member.place, self) {
                    Err(unknown @ Error::UnknownGroup { .. }) if member.is_optional => {
                        self.noticed.warnings.push(unknown);
                        continue;
                    }
                    names => names?,
                };
                if negated {
                    all.retain(|name| !names.contains(name));
                } else {
                    all.extend(names);
                }
            }
        }
        Ok(all)
    }

    /// The same tools and aliases with other declared groups.
    ///
    /// # Errors
    /// As [`Catalog::new`].
    pub fn with_groups(
        &self,
        declared: &BTreeMap<String, Vec<ListEntry>>,
    ) -> Result<Catalog, Error> {
        let (tools, aliases) = (self.tools.clone(), self.aliases.clone());
        let catalog = Catalog::with_known(tools, aliases, declared, self.ever.clone())?;
        Ok(Catalog { lost: self.lost.clone(), ..catalog })
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

    /// The tool of that id.
    pub fn tool(&self, id: ToolId) -> Option<&CatalogTool> {
        self.tools.get(index(id))
    }

    /// The id of the tool of that name or alias.
    pub fn id(&self, name: &str) -> Option<ToolId> {
        self.ids.get(name).copied()
    }

    /// The tool that the name stood for as an alias, before something else took it.
    pub(super) fn lost(&self, name: &str) -> Option<ToolId> {
        self.ids.get(self.lost.get(name)?).copied()
    }

    pub(super) fn tools(&self) -> &[CatalogTool] {
        &self.tools
    }

    /// The name that an alias stands for; any other name as it is.
    pub(super) fn canonical<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// The name of the tool at that place.
    pub(super) fn name(&self, index: usize) -> Option<&str> {
        self.tools.get(index).map(|tool| tool.name.as_str())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    pub(super) fn alias_names(&self) -> impl Iterator<Item = &str> {
        self.aliases.keys().map(String::as_str)
    }

    /// The names of tools that a list may speak of: those there are, those there were, and those
    /// that are in a built-in group or in the seeds' own lists. That a declared group names a tool
    /// makes it no more known than that another list does.
    pub(super) fn known_names(&self) -> impl Iterator<Item = &str> {
        let of_seeds = BUILTIN_GROUPS.iter().flat_map(|(_, members)| *members);
        let of_seeds = of_seeds.chain(SUBAGENT_DENY).chain(LEAF_DENY).copied();
        self.names().chain(self.ever.iter().map(String::as_str)).chain(of_seeds)
    }

    /// True if a list may speak of a tool of that name or alias.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.ids.contains_key(name)
            || self.aliases.contains_key(name)
            || self.ever.contains(name)
            || self.known_names().any(|known| known == name)
    }

    /// What the declared groups name and nobody knows.
    pub(super) fn noticed(&self) -> &Noticed {
        &self.noticed
    }

    pub(super) fn grouped(&self, group: &str) -> Option<&FixedBitSet> {
        self.grouped.get(group)
    }

    pub(super) fn capable(&self, capability: Capability) -> &FixedBitSet {
        let known = self.capable.iter().find(|(known, _)| *known == capability);
        known.map_or(NOTHING, |(_, tools)| tools)
    }

    /// The tools that may do anything, as far as they say.
    pub(super) fn undeclared(&self) -> FixedBitSet {
        let mut tools = self.nothing();
        for (index, tool) in self.tools.iter().enumerate() {
            tools.set(index, tool.is_undeclared());
        }
        tools
    }

    pub(super) fn enabled(&self) -> &FixedBitSet {
        &self.enabled
    }

    pub(super) fn nothing(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.tools.len())
    }
}

/// A member of a declared group.
struct Member {
    /// `groups.mine[2]`.
    place: String,
    entry: Entry,
    is_optional: bool,
}

impl Member {
    fn parse(group: &str, index: usize, listed: &ListEntry) -> Result<Member, Error> {
        let place = format!("groups.{group}[{index}]");
        let entry = Entry::parse(&place, listed.text())?;
        if listed.is_final() {
            let entry = listed.text().to_owned();
            return Err(Error::MisplacedFinal { source_name: place, entry });
        }
        Ok(Member { place, entry, is_optional: listed.is_optional() })
    }
}

const NOTHING: &FixedBitSet = &FixedBitSet::new();

/// The bit of a tool.
pub(super) fn index(id: ToolId) -> usize {
    id.0 as usize
}
