//! What a snapshot derives from the tools and aliases in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Entry, Found, Snapshot};
use crate::error::Error;
use crate::kind::ToolId;
use crate::policy::{Catalog, CatalogTool};

impl Snapshot {
    /// Numbers the tools anew and rebuilds what is derived from them.
    pub(super) fn settle(&mut self, generation: u64) -> Result<(), Error> {
        self.generation = generation;
        self.settle_tools();
        self.settle_aliases();
        let tools = self.tools.values().map(|entry| in_catalog(entry)).collect();
        let (aliases, ever) = (self.aliases.clone(), self.ever.clone());
        let catalog = Catalog::with_known(tools, aliases, &self.declared, ever)?;
        self.catalog = Arc::new(catalog.with_lost_aliases(self.lost_aliases()));
        Ok(())
    }

    fn settle_tools(&mut self) {
        let mut tools: BTreeMap<String, Arc<Entry>> = BTreeMap::new();
        let mut number = 0;
        // Tiers are in order within a name: the first of a name has it.
        for ((name, _), entry) in &mut self.registered {
            if tools.contains_key(name) {
                continue;
            }
            if entry.id != ToolId(number) {
                Arc::make_mut(entry).id = ToolId(number);
            }
            tools.insert(name.clone(), entry.clone());
            number += 1;
        }
        self.tools = tools;
    }

    /// The standing aliases that gave way to another name, with the tools that they stood for.
    fn lost_aliases(&self) -> BTreeMap<String, String> {
        let standing = self.standing.iter().map(|(name, alias)| (name, &alias.name));
        let lost = standing.filter(|(name, tool)| {
            self.tools.contains_key(*name) || self.aliases.get(*name) != Some(*tool)
        });
        lost.map(|(name, tool)| (name.clone(), tool.clone())).collect()
    }

    fn settle_aliases(&mut self) {
        self.aliases.clear();
        self.lookup.clear();
        for (name, entry) in &self.tools {
            let found = Found { entry: entry.clone(), alias: None };
            self.lookup.insert(name.as_str().into(), found);
        }
        for (name, alias) in self.given.iter().chain(self.standing.iter()) {
            if self.tools.contains_key(name) || self.aliases.contains_key(name) {
                continue;
            }
            self.aliases.insert(name.clone(), alias.name.clone());
            if let Some(entry) = self.tools.get(&alias.name) {
                let found = Found { entry: entry.clone(), alias: Some(alias.clone()) };
                self.lookup.insert(name.as_str().into(), found);
            }
        }
    }
}

fn in_catalog(entry: &Entry) -> CatalogTool {
    CatalogTool {
        name: entry.spec.name.clone(),
        origin: entry.origin,
        group: entry.spec.group.clone(),
        capabilities: entry.spec.capabilities.clone(),
        channels: entry.spec.channels.clone(),
        action: entry.spec.action,
        taints: entry.spec.taints.clone(),
        enabled: entry.enabled,
    }
}
