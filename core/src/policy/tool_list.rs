//! A list of entries, expanded against one catalog.

use fixedbitset::FixedBitSet;

use super::{Catalog, Entry, Error, ListEntry, Rule};

/// A list of entries and the tools that it means.
#[derive(Debug)]
pub(super) struct ToolList {
    place: String,
    entries: Vec<Entry>,
    tools: FixedBitSet,
    finals: Option<FixedBitSet>,
}

impl ToolList {
    /// A list that is given with a call or kept with an agent: its entries only narrow, so one
    /// that matches nothing is no mistake.
    ///
    /// # Errors
    /// A text that is no entry, an unknown group or capability.
    pub(super) fn narrowing<'t>(
        place: String,
        texts: impl IntoIterator<Item = &'t String>,
        purpose: Purpose,
        catalog: &Catalog,
    ) -> Result<ToolList, Error> {
        let mut list = Expansion::new(place, purpose, catalog);
        for text in texts {
            let place = list.next_place();
            let entry = Entry::parse(&place, text)?;
            list.add(&place, entry)?;
        }
        list.finish()
    }

    /// The tools that the list means.
    pub(super) fn tools(&self) -> &FixedBitSet {
        &self.tools
    }

    /// Those of them that entries marked `final` mean.
    pub(super) fn finals(&self) -> Option<&FixedBitSet> {
        self.finals.as_ref()
    }

    /// Where the list stands: `policy.deny`.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The entry that put the tool into the list.
    pub(super) fn entry_with(&self, tool: usize, catalog: &Catalog) -> Option<(String, &str)> {
        self.named(|entry| !entry.is_negated() && entry.means(tool, catalog))
    }

    /// The entry that took the tool out of the list.
    pub(super) fn entry_against(&self, tool: usize, catalog: &Catalog) -> Option<(String, &str)> {
        self.named(|entry| entry.is_negated() && entry.means(tool, catalog))
    }

    fn named(&self, accept: impl Fn(&Entry) -> bool) -> Option<(String, &str)> {
        let (index, entry) = self.entries.iter().enumerate().find(|(_, entry)| accept(entry))?;
        Some((format!("{}[{index}] = \"{}\"", self.place, entry.text()), entry.text()))
    }

    /// Why the tool is not in this list, which had to have it.
    pub(super) fn lacks(&self, tool: usize, catalog: &Catalog) -> Rule {
        match self.entry_against(tool, catalog) {
            Some((name, entry)) => Rule { name, text: self.ruled_out(entry) },
            None => Rule {
                name: self.place.clone(),
                text: format!("`{}` does not include it", self.place),
            },
        }
    }

    /// Why the tool is in this list, which had not to have it.
    pub(super) fn denies(&self, tool: usize, catalog: &Catalog) -> Rule {
        self.rule_with(tool, catalog, |entry| self.ruled_out(entry))
    }

    /// The entry of this list that gives the tool back.
    pub(super) fn restores(&self, tool: usize, catalog: &Catalog) -> Rule {
        let text =
            |entry: &str| format!("the list `{}` gives it back by its entry `{entry}`", self.place);
        self.rule_with(tool, catalog, text)
    }

    /// The entry of this list that asks about the tool.
    pub(super) fn asks(&self, tool: usize, catalog: &Catalog) -> Rule {
        let text = |entry: &str| {
            format!("the list `{}` wants approval of it by its entry `{entry}`", self.place)
        };
        self.rule_with(tool, catalog, text)
    }

    fn rule_with(&self, tool: usize, catalog: &Catalog, text: impl Fn(&str) -> String) -> Rule {
        let (name, entry) =
            self.entry_with(tool, catalog).unwrap_or_else(|| (self.place.clone(), ""));
        Rule { text: text(entry), name }
    }

    fn ruled_out(&self, entry: &str) -> String {
        format!("the list `{}` rules it out by its entry `{entry}`", self.place)
    }
}

/// What a list is for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Purpose {
    /// What it means may be called.
    Allow,
    /// What it means is asked about or watched. It goes on to hold for the tool that a name in it
    /// stood for before something else took the name.
    Watch,
    /// What it means is watched, likewise. A tool that does not say what it can do is taken to do
    /// whatever an entry of the list guards against.
    Guard,
    /// What it means may not be called, likewise. Its entries may be marked `final`.
    Deny,
}

/// What was noticed while lists were expanded.
#[derive(Clone, Debug, Default)]
pub(super) struct Noticed {
    /// Entries that match nothing that is known.
    pub unmatched: Vec<Error>,
    /// The same for entries that may.
    pub warnings: Vec<Error>,
}

impl Noticed {
    /// Where an entry goes that matches nothing.
    pub(super) fn those(&mut self, may_match_nothing: bool) -> &mut Vec<Error> {
        if may_match_nothing { &mut self.warnings } else { &mut self.unmatched }
    }

    /// Expands a list of the configuration.
    ///
    /// # Errors
    /// A text that is no entry, an unknown group or capability, `final` where nothing is denied.
    pub(super) fn list(
        &mut self,
        place: String,
        entries: &[ListEntry],
        purpose: Purpose,
        catalog: &Catalog,
    ) -> Result<ToolList, Error> {
        let mut list = Expansion::new(place, purpose, catalog);
        for listed in entries {
            let place = list.next_place();
            let entry = Entry::parse(&place, listed.text())?;
            if listed.is_final() && (purpose != Purpose::Deny || entry.is_negated()) {
                return Err(Error::MisplacedFinal {
                    source_name: place,
                    entry: listed.text().to_owned(),
                });
            }
            let unmatched = entry.unmatched(&place, catalog);
            self.those(listed.is_optional()).extend(unmatched);
            list.mark(listed.is_final());
            match list.add(&place, entry) {
                Err(unknown @ Error::UnknownGroup { .. }) if listed.is_optional() => {
                    self.warnings.push(unknown);
                }
                added => added?,
            }
        }
        list.finish()
    }
}

/// A list that is being expanded.
struct Expansion<'c> {
    catalog: &'c Catalog,
    place: String,
    purpose: Purpose,
    entries: Vec<Entry>,
    added: FixedBitSet,
    taken: Option<FixedBitSet>,
    finals: Option<FixedBitSet>,
    is_final: bool,
}

impl<'c> Expansion<'c> {
    fn new(place: String, purpose: Purpose, catalog: &'c Catalog) -> Expansion<'c> {
        Expansion {
            catalog,
            place,
            purpose,
            entries: Vec::new(),
            added: catalog.nothing(),
            taken: None,
            finals: None,
            is_final: false,
        }
    }

    fn next_place(&self) -> String {
        format!("{}[{}]", self.place, self.entries.len())
    }

    /// Says whether the next entry is final.
    fn mark(&mut self, is_final: bool) {
        self.is_final = is_final;
    }

    fn add(&mut self, place: &str, entry: Entry) -> Result<(), Error> {
        let nothing = || self.catalog.nothing();
        let expanded = if entry.is_negated() {
            let taken = self.taken.get_or_insert_with(nothing);
            if self.purpose == Purpose::Allow {
                entry.expand_lost(self.catalog, taken);
            }
            entry.expand(place, self.catalog, taken)
        } else {
            if self.is_final {
                let finals = self.finals.get_or_insert_with(nothing);
                entry.expand_lost(self.catalog, finals);
                entry.expand(place, self.catalog, finals)?;
            }
            if self.purpose != Purpose::Allow {
                entry.expand_lost(self.catalog, &mut self.added);
            }
            if self.purpose == Purpose::Guard && entry.may_mean_undeclared() {
                self.added.union_with(&self.catalog.undeclared());
            }
            entry.expand(place, self.catalog, &mut self.added)
        };
        // Also one of an unknown group that may be missing, so that the others keep their places.
        self.entries.push(entry);
        expanded
    }

    fn finish(mut self) -> Result<ToolList, Error> {
        if let Some(first) = self.entries.first()
            && self.entries.iter().all(Entry::is_negated)
        {
            return Err(Error::BadEntry {
                source_name: self.place,
                entry: first.text().to_owned(),
                why: "the list has only entries with `!`, so there is nothing to take them from"
                    .into(),
            });
        }
        if let Some(taken) = &self.taken {
            self.added.difference_with(taken);
            if let Some(finals) = &mut self.finals {
                finals.difference_with(taken);
            }
        }
        Ok(ToolList {
            place: self.place,
            entries: self.entries,
            tools: self.added,
            finals: self.finals,
        })
    }
}
