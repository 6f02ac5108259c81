//! One state of a registry: it is read from any thread and never changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::{Alias, Entry};
use crate::error::{Code, Error};
use crate::kind::Tier;
use crate::limits::echo;
use crate::nearest::{nearest, nearest_few};
use crate::policy::{Catalog, ListEntry};

/// How many names are proposed in place of one that is unknown.
const MOST_PROPOSED: usize = 3;

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Found {
    /// The tool.
    pub entry: Arc<Entry>,
    /// The alias that the name is, if it is not the tool's own.
    pub alias: Option<Arc<Alias>>,
}

/// One state of the registry.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) generation: u64,
    /// Every tool, those in the shadow of another, too.
    pub(super) registered: BTreeMap<(String, Tier), Arc<Entry>>,
    /// The owner's aliases.
    pub(super) given: BTreeMap<String, Arc<Alias>>,
    /// The aliases that everybody gets. They give way to every other name.
    pub(super) standing: Arc<BTreeMap<String, Arc<Alias>>>,
    /// The groups that the configuration and the tools have named.
    pub(super) declared: Arc<BTreeMap<String, Vec<ListEntry>>>,
    /// Every name that there ever was in any registry of the runtime.
    pub(super) ever: Arc<BTreeSet<String>>,
    // What is derived from these:
    pub(super) tools: BTreeMap<String, Arc<Entry>>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) lookup: HashMap<Box<str>, Found, RandomState>,
    pub(super) catalog: Arc<Catalog>,
}

impl Snapshot {
    pub(super) fn empty(declared: BTreeMap<String, Vec<ListEntry>>) -> Result<Snapshot, Error> {
        let catalog = Catalog::new(Vec::new(), BTreeMap::new(), &declared)?;
        Ok(Snapshot {
            generation: 0,
            registered: BTreeMap::new(),
            given: BTreeMap::new(),
            standing: Arc::default(),
            declared: Arc::new(declared),
            ever: Arc::default(),
            tools: BTreeMap::new(),
            aliases: BTreeMap::new(),
            lookup: HashMap::default(),
            catalog: Arc::new(catalog),
        })
    }

    /// Another state has another generation, in any registry of the runtime.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The tool of that name or alias, if it is enabled.
    pub fn resolve(&self, name: &str) -> Option<&Arc<Entry>> {
        self.find(name).map(|found| &found.entry)
    }

    /// The same, with the alias that the name is.
    pub fn find(&self, name: &str) -> Option<&Found> {
        self.lookup.get(name).filter(|found| found.entry.enabled)
    }

    /// The names (canonical, or of an advertised alias) closest to one that is unknown, best
    /// first, at most three, of enabled tools that may be told of. A tool's own name goes before
    /// an alias that is as close.
    pub fn nearest(&self, name: &str, may_name: impl Fn(&Entry) -> bool) -> Vec<&str> {
        let shown = self.names().filter(|(_, found)| {
            found.alias.as_ref().is_none_or(|alias| alias.advertised)
                && found.entry.enabled
                && may_name(&found.entry)
        });
        nearest_few(name, own_first(shown).into_iter(), MOST_PROPOSED)
    }

    fn names(&self) -> impl Iterator<Item = (&str, &Found)> {
        self.lookup.iter().map(|(name, found)| (name.as_ref(), found))
    }

    /// The tools that names stand for, sorted by name: not those in the shadow of another.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.tools.values()
    }

    /// The aliases and the canonical names they stand for, sorted; also of tools that are not
    /// there.
    pub fn aliases(&self) -> &BTreeMap<String, String> {
        &self.aliases
    }

    /// The aliases that definitions show, and the tools they stand for, sorted.
    pub fn advertised_aliases(&self) -> impl Iterator<Item = (&str, &Arc<Entry>)> {
        self.given.iter().filter_map(|(name, alias)| {
            let entry = self.tools.get(&alias.name).filter(|entry| entry.enabled)?;
            alias.advertised.then_some((name.as_str(), entry))
        })
    }

    /// Every name that a tool or alias ever had in a registry of this runtime: a policy that names one is not
    /// mistyped.
    pub fn ever_known(&self) -> &Arc<BTreeSet<String>> {
        &self.ever
    }

    /// What policies are compiled against.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The tool of that name or alias, switched off or not.
    ///
    /// # Errors
    /// `not_found` that names the nearest.
    pub fn known(&self, name: &str) -> Result<&Arc<Entry>, Error> {
        match self.lookup.get(name) {
            Some(found) => Ok(&found.entry),
            None => {
                let meant = nearest(name, own_first(self.names()).into_iter());
                let hint = meant.map(|n| format!(", did you mean `{n}`?")).unwrap_or_default();
                Err(Error::new(Code::NotFound, format!("no tool named `{}`{hint}", echo(name))))
            }
        }
    }
}

/// The names in an order that is always the same, those that are no aliases first.
fn own_first<'s>(names: impl Iterator<Item = (&'s str, &'s Found)>) -> Vec<&'s str> {
    let mut names: Vec<_> = names.map(|(name, found)| (found.alias.is_some(), name)).collect();
    names.sort_unstable();
    names.into_iter().map(|(_, name)| name).collect()
}
