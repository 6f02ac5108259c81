//! Every tool there is, by name and alias.
//!
//! Readers work on a [`Snapshot`], which never changes; writers make a new one and swap it in. So a
//! call that has begun sees one state of the registry, and no lock is held while host code runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Schema, Tool, ToolSpec};
use crate::error::{Code, Error};
use crate::kind::{Capability, Origin, ToolId};
use crate::limits::echo;
use crate::nearest::nearest;
use crate::policy::{Catalog, CatalogTool};

/// A registered tool.
pub struct Entry {
    /// Its number within the snapshot.
    pub id: ToolId,
    /// Where it comes from.
    pub origin: Origin,
    /// The digest of its name, description and schema: another version, another digest.
    pub version: Arc<str>,
    /// Its description, as it was when it was registered.
    pub spec: Arc<ToolSpec>,
    /// Its compiled argument schema.
    pub schema: Arc<Schema>,
    /// The tool itself.
    pub tool: Arc<dyn Tool>,
    /// False while it is switched off.
    pub enabled: bool,
}

impl Clone for Entry {
    fn clone(&self) -> Entry {
        Entry {
            id: self.id,
            origin: self.origin,
            version: self.version.clone(),
            spec: self.spec.clone(),
            schema: self.schema.clone(),
            tool: self.tool.clone(),
            enabled: self.enabled,
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.spec.name)
            .field("enabled", &self.enabled)
            .finish_non_exhaustive()
    }
}

/// What the registry tells of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolInfo {
    /// The canonical name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The group that it names.
    pub group: Option<String>,
    /// What it can do.
    pub capabilities: Vec<Capability>,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// False while it is switched off.
    pub enabled: bool,
}

/// One state of the registry.
#[derive(Clone, Debug)]
pub struct Snapshot {
    generation: u64,
    tools: BTreeMap<String, Arc<Entry>>,
    lookup: HashMap<String, Arc<Entry>>,
    aliases: BTreeMap<String, String>,
    declared: Arc<BTreeMap<String, Vec<String>>>,
    /// The names of all tools that there ever were: a policy may go on to speak of them.
    ever: Arc<BTreeSet<String>>,
    catalog: Arc<Catalog>,
}

impl Snapshot {
    fn empty(declared: BTreeMap<String, Vec<String>>) -> Result<Snapshot, Error> {
        let catalog = Catalog::new(Vec::new(), BTreeMap::new(), &declared)?;
        Ok(Snapshot {
            generation: 0,
            tools: BTreeMap::new(),
            lookup: HashMap::new(),
            aliases: BTreeMap::new(),
            declared: Arc::new(declared),
            ever: Arc::default(),
            catalog: Arc::new(catalog),
        })
    }

    /// Grows with every change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The tool of that name or alias, if it is enabled.
    pub fn resolve(&self, name: &str) -> Option<&Arc<Entry>> {
        self.lookup.get(name).filter(|entry| entry.enabled)
    }

    /// The enabled name (canonical or alias) closest to one that is unknown, among the tools that
    /// may be told of.
    pub fn nearest(&self, name: &str, may_tell: impl Fn(&Entry) -> bool) -> Option<&str> {
        let enabled =
            self.lookup.iter().filter(|(_, entry)| entry.enabled && may_tell(entry.as_ref()));
        let mut names: Vec<&str> = enabled.map(|(known, _)| known.as_str()).collect();
        names.sort_unstable();
        nearest(name, names.into_iter())
    }

    /// All tools, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.tools.values()
    }

    /// The aliases and the canonical names they stand for, sorted.
    pub fn aliases(&self) -> &BTreeMap<String, String> {
        &self.aliases
    }

    /// What policies are compiled against.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// What is known of each tool, sorted by name.
    pub fn list(&self) -> Vec<ToolInfo> {
        self.tools.values().map(|entry| self.info(entry)).collect()
    }

    /// What is known of one tool.
    pub fn info(&self, entry: &Entry) -> ToolInfo {
        let ToolSpec { name, description, group, capabilities, .. } = entry.spec.as_ref();
        ToolInfo {
            name: name.clone(),
            description: description.clone(),
            group: group.clone(),
            capabilities: capabilities.clone(),
            aliases: self
                .aliases
                .iter()
                .filter(|(_, canonical)| *canonical == name)
                .map(|(alias, _)| alias.clone())
                .collect(),
            enabled: entry.enabled,
        }
    }

    /// Renumbers the tools and rebuilds what is derived from them.
    fn settle(&mut self) -> Result<(), Error> {
        self.generation += 1;
        let mut numbered = BTreeMap::new();
        let mut catalog = Vec::with_capacity(self.tools.len());
        for (number, (name, entry)) in (0..).zip(&self.tools) {
            let entry = Entry { id: ToolId(number), ..entry.as_ref().clone() };
            catalog.push(CatalogTool {
                name: name.clone(),
                origin: entry.origin,
                group: entry.spec.group.clone(),
                capabilities: entry.spec.capabilities.clone(),
                channels: entry.spec.channels.clone(),
                action: entry.spec.action,
                taints: entry.spec.taints.clone(),
                enabled: entry.enabled,
            });
            numbered.insert(name.clone(), Arc::new(entry));
        }
        self.tools = numbered;
        self.lookup = self.tools.iter().map(|(name, e)| (name.clone(), e.clone())).collect();
        for (alias, canonical) in &self.aliases {
            if let Some(entry) = self.tools.get(canonical) {
                self.lookup.insert(alias.clone(), entry.clone());
            }
        }
        let (aliases, ever) = (self.aliases.clone(), self.ever.clone());
        self.catalog = Arc::new(Catalog::with_known(catalog, aliases, &self.declared, ever)?);
        Ok(())
    }

    fn check_free(&self, name: &str) -> Result<(), Error> {
        ToolSpec::check_name(name)?;
        let clash = if self.tools.contains_key(name) {
            format!("a tool named `{name}` is registered already; unregister it first")
        } else if let Some(canonical) = self.aliases.get(name) {
            format!("`{name}` is an alias of the tool `{canonical}`; choose another name")
        } else {
            return Ok(());
        };
        Err(Error::new(Code::NameTaken, clash))
    }

    fn known(&self, name: &str) -> Result<&Arc<Entry>, Error> {
        match self.lookup.get(name) {
            Some(entry) => Ok(entry),
            None => {
                let names: BTreeSet<&str> = self.lookup.keys().map(String::as_str).collect();
                let meant = nearest(name, names.into_iter());
                let hint = meant.map(|n| format!(", did you mean `{n}`?")).unwrap_or_default();
                Err(Error::new(Code::NotFound, format!("no tool named `{}`{hint}", echo(name))))
            }
        }
    }
}

/// The tools of one runtime. Cheap to read from any thread.
#[derive(Debug)]
pub struct Registry {
    current: ArcSwap<Snapshot>,
    writing: Mutex<()>,
}

impl Registry {
    /// An empty registry with the groups that the configuration declares.
    ///
    /// # Errors
    /// `invalid_config` for a member of a group that is no entry of a list.
    pub fn new(declared_groups: BTreeMap<String, Vec<String>>) -> Result<Registry, Error> {
        Ok(Registry {
            current: ArcSwap::from_pointee(Snapshot::empty(declared_groups)?),
            writing: Mutex::new(()),
        })
    }

    /// The state as it is now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Adds a tool of the host's.
    ///
    /// # Errors
    /// `name_taken` if a tool or an alias has that name, `invalid_argument` for an unusable name
    /// or schema.
    pub fn register(&self, tool: Arc<dyn Tool>) -> Result<(), Error> {
        self.register_as(tool, Origin::Host)
    }

    /// Adds a tool from wherever it comes.
    ///
    /// # Errors
    /// As [`register`](Registry::register).
    pub fn register_as(&self, tool: Arc<dyn Tool>, origin: Origin) -> Result<(), Error> {
        let spec = tool.spec();
        ToolSpec::check_name(&spec.name)?;
        let schema = Schema::compile(&spec.name, &spec.parameters)?;
        // Where it is refused it must end after the lock.
        let _kept = tool.clone();
        self.change(|next| {
            next.check_free(&spec.name)?;
            let name = spec.name.clone();
            if !next.ever.contains(&name) {
                Arc::make_mut(&mut next.ever).insert(name.clone());
            }
            if let Some(group) = &spec.group {
                // A group stays known when its last tool goes, so that a policy that names it
                // goes on to mean what it meant.
                Arc::make_mut(&mut next.declared).entry(group.clone()).or_default();
            }
            let entry = Entry {
                id: ToolId(0),
                origin,
                version: spec.version().into(),
                spec: Arc::new(spec),
                schema: Arc::new(schema),
                tool,
                enabled: true,
            };
            next.tools.insert(name, Arc::new(entry));
            Ok(())
        })
    }

    /// Removes a tool with its aliases. Calls that are running go on.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn unregister(&self, name: &str) -> Result<(), Error> {
        self.change(|next| {
            let entry = next.known(name)?.clone();
            next.tools.remove(&entry.spec.name);
            next.aliases.retain(|_, target| *target != entry.spec.name);
            Ok(())
        })
    }

    /// Gives a tool another name.
    ///
    /// # Errors
    /// `name_taken` if the alias is a tool or an alias already, `not_found` if there is no such
    /// tool, `invalid_argument` for an unusable name.
    pub fn alias(&self, alias: &str, name: &str) -> Result<ToolInfo, Error> {
        self.change(|next| {
            next.check_free(alias)?;
            let entry = next.known(name)?.clone();
            next.aliases.insert(alias.to_owned(), entry.spec.name.clone());
            Ok(next.info(&entry))
        })
    }

    /// Switches a tool on or off. While it is off it is unknown to every caller.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn set_enabled(&self, name: &str, enabled: bool) -> Result<ToolInfo, Error> {
        self.change(|next| {
            let entry = Entry { enabled, ..next.known(name)?.as_ref().clone() };
            let info = next.info(&entry);
            next.tools.insert(info.name.clone(), Arc::new(entry));
            Ok(info)
        })
    }

    fn change<T>(&self, edit: impl FnOnce(&mut Snapshot) -> Result<T, Error>) -> Result<T, Error> {
        let writing: MutexGuard<'_, ()> =
            self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.current.load().as_ref().clone();
        let edited = edit(&mut next).and_then(|answer| next.settle().map(|()| answer));
        let next = Arc::new(next);
        let old = edited.is_ok().then(|| self.current.swap(next.clone()));
        drop(writing);
        // The end of a tool may run host code, which may come back here: not under the lock.
        drop((old, next));
        edited
    }
}

/// A clone shares the tools and from then on changes apart from the original.
impl Clone for Registry {
    fn clone(&self) -> Registry {
        Registry { current: ArcSwap::new(self.snapshot()), writing: Mutex::new(()) }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::super::{ToolResult, tool_fn};
    use super::*;

    /// Nothing.
    #[derive(Deserialize, JsonSchema)]
    struct Empty {}

    fn named(name: &str) -> Arc<dyn Tool> {
        Arc::new(tool_fn(name, |_: Empty, _| async { Ok(ToolResult::default()) }))
    }

    fn registry() -> Registry {
        let registry = Registry::new(BTreeMap::new()).unwrap();
        registry.register(named("read_file")).unwrap();
        registry.register(named("edit")).unwrap();
        registry.alias("Read", "read_file").unwrap();
        registry
    }

    #[test]
    fn names_and_aliases_resolve_and_disabled_tools_do_not() {
        let registry = registry();
        assert_eq!(registry.snapshot().resolve("Read").unwrap().spec.name, "read_file");
        registry.set_enabled("read_file", false).unwrap();
        assert!(registry.snapshot().resolve("Read").is_none());
        assert!(registry.snapshot().resolve("read_file").is_none());
        assert!(!registry.set_enabled("Read", false).unwrap().enabled);
        registry.set_enabled("Read", true).unwrap();
        assert!(registry.snapshot().resolve("read_file").is_some());
    }

    #[test]
    fn a_clash_names_both_sides() {
        let registry = registry();
        for (error, words) in [
            (registry.register(named("read_file")).unwrap_err(), vec!["`read_file`"]),
            (registry.register(named("Read")).unwrap_err(), vec!["`Read`", "`read_file`"]),
            (registry.alias("edit", "read_file").unwrap_err(), vec!["`edit`"]),
        ] {
            assert_eq!(error.code(), Code::NameTaken);
            for word in words {
                assert!(error.message().contains(word), "{error}");
            }
        }
        let error = registry.alias("x", "raed_file").unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.message().contains("`read_file`"));
    }

    #[test]
    fn unregistering_takes_the_aliases_along() {
        let registry = registry();
        registry.unregister("Read").unwrap();
        assert!(registry.snapshot().aliases().is_empty());
        assert!(registry.snapshot().resolve("read_file").is_none());
        registry.register(named("Read")).unwrap();
    }

    #[test]
    fn a_clone_changes_apart_and_a_snapshot_never_changes() {
        let registry = registry();
        let before = registry.snapshot();
        let clone = registry.clone();
        clone.unregister("edit").unwrap();
        assert!(registry.snapshot().resolve("edit").is_some());
        registry.unregister("edit").unwrap();
        assert!(before.resolve("edit").is_some());
        assert!(registry.snapshot().generation() > before.generation());
    }

    #[test]
    fn the_end_of_a_tool_may_come_back_to_the_registry() {
        struct Ends(Arc<Registry>);
        impl Drop for Ends {
            fn drop(&mut self) {
                let _ = self.0.register(named("another"));
            }
        }
        let registry = Arc::new(registry());
        let ends = |name: &str| {
            let end = Ends(registry.clone());
            Arc::new(tool_fn(name, move |_: Empty, _| {
                let _ = &end;
                async { Ok(ToolResult::default()) }
            }))
        };
        assert!(registry.register(ends("edit")).is_err());
        assert!(registry.snapshot().resolve("another").is_some());
        registry.unregister("another").unwrap();
        registry.register(ends("ends")).unwrap();
        registry.unregister("ends").unwrap();
        assert!(registry.snapshot().resolve("another").is_some());
    }

    #[test]
    fn ids_are_the_places_in_the_catalog() {
        let snapshot = registry().snapshot();
        for entry in snapshot.tools() {
            assert_eq!(snapshot.catalog().id(&entry.spec.name), Some(entry.id));
        }
    }
}
