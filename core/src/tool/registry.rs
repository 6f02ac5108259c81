//! Every tool there is, by name and alias.
//!
//! Readers work on a [`Snapshot`], which never changes; writers make a new one and swap it in. So a
//! call that has begun sees one state of the registry, and no lock is held while host code runs.
//!
//! A state costs as much as there are tools, so tools that are added one by one do not make one each:
//! they wait, and whoever reads next settles all of them at once.
//!
//! What has a name, strongest first: the tool of the earliest [tier](crate::kind::Tier), the
//! owner's alias, the built-in alias. A tool and an owner's alias never have the same name.

mod alias;
mod entry;
mod info;
mod layer;
mod registries;
mod settle;
mod snapshot;

pub use alias::Alias;
pub use entry::{Entry, Registered, Registration};
pub use info::ToolInfo;
pub(crate) use layer::Layer;
pub use registries::Registries;
pub(crate) use registries::no_clone;
pub use snapshot::{Found, Snapshot};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use super::{Tool, ToolSpec};
use crate::error::{Code, Error};
use crate::kind::{Origin, Tier};
use crate::policy::ListEntry;

/// The tools of one runtime, or of one agent in it. Cheap to read from any thread.
#[derive(Debug)]
pub struct Registry {
    current: ArcSwap<Snapshot>,
    /// The next state, which tools were added to and which nobody has read. Only whoever holds
    /// `Lineage::writing` locks it.
    waiting: Mutex<Option<Snapshot>>,
    /// True while there is one.
    is_waiting: AtomicBool,
    lineage: Arc<Lineage>,
}

/// What the registries have in common that came from the same one.
#[derive(Debug, Default)]
struct Lineage {
    /// Held by whoever changes one of them. The names that were learned and are not in `ever` yet.
    writing: Mutex<Vec<String>>,
    /// True while there are such.
    has_learned: AtomicBool,
    /// The last generation of any of them.
    generations: AtomicU64,
    /// Every name that there ever was in any of them: one policy holds for all, and may name what
    /// only one of them has.
    ever: ArcSwap<BTreeSet<String>>,
}

impl Registry {
    /// An empty registry with the groups that the configuration declares.
    ///
    /// # Errors
    /// `invalid_config` for a member of a group that is no entry of a list.
    pub fn new(declared_groups: BTreeMap<String, Vec<ListEntry>>) -> Result<Registry, Error> {
        let empty = Snapshot::empty(declared_groups)?;
        let lineage = Lineage { ever: ArcSwap::new(empty.ever.clone()), ..Lineage::default() };
        Ok(Registry::of(Arc::new(empty), Arc::new(lineage)))
    }

    fn of(current: Arc<Snapshot>, lineage: Arc<Lineage>) -> Registry {
        let (current, waiting) = (ArcSwap::new(current), Mutex::default());
        Registry { current, waiting, is_waiting: AtomicBool::new(false), lineage }
    }

    /// The state as it is now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        if let Some(now) = self.settled() {
            return now;
        }
        // Tools wait, or another registry of the runtime has learned or forgotten a name since.
        let mut learned = self.lineage.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.settled().is_none().then(|| self.catch_up(&mut learned));
        drop(learned);
        // The end of a tool may run host code, which may come back here: not under the lock.
        drop(before);
        self.current.load_full()
    }

    /// The state as it is now, unless something waits for the next. That is asked first: what waited until
    /// then is in the state.
    fn settled(&self) -> Option<Arc<Snapshot>> {
        let waits = self.is_waiting.load(Ordering::Acquire)
            || self.lineage.has_learned.load(Ordering::Acquire);
        let now = self.current.load_full();
        (!waits && Arc::ptr_eq(&now.ever, &self.lineage.ever.load())).then_some(now)
    }

    /// Adds a tool of the host's.
    ///
    /// # Errors
    /// `name_taken` if a tool of its tier or an owner's alias has that name, `invalid_argument` for
    /// an unusable name or schema.
    pub fn register(&self, tool: Arc<dyn Tool>) -> Result<(), Error> {
        self.add(Registration::shared(tool)).map(|_| ())
    }

    /// Adds a tool from wherever it comes, and replaces another where that is asked for. A tool
    /// that has the name of one of an earlier tier is kept in its shadow, and surfaces when that
    /// one goes.
    ///
    /// # Errors
    /// As [`register`](Registry::register).
    pub fn add(&self, registration: Registration) -> Result<Registered, Error> {
        let entry = Entry::new(&registration)?;
        let mut learned = self.lineage.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.get_or_insert_with(|| self.current.load().as_ref().clone());
        let name = entry.spec.name.clone();
        // What cannot be put changes nothing, and what can settles: tools break no group.
        let put = next.put(entry, registration.replace).map(|put| put.describe(next));
        if put.is_ok() {
            learned.push(name);
            self.is_waiting.store(true, Ordering::Release);
            self.lineage.has_learned.store(true, Ordering::Release);
        } else if !self.is_waiting.load(Ordering::Acquire) {
            *waiting = None;
        }
        drop((waiting, learned));
        // The end of a tool may run host code, which may come back here: not under the lock.
        put.map(|(registered, _ended)| registered)
    }

    /// Adds several tools at once: all of them, or none.
    ///
    /// # Errors
    /// As [`register`](Registry::register), of the first that fails.
    pub fn add_all(&self, registrations: Vec<Registration>) -> Result<Vec<Registered>, Error> {
        let entries: Vec<Entry> =
            registrations.iter().map(Entry::new).collect::<Result<_, Error>>()?;
        // `registrations` holds the tools until after the lock: the end of one may come back here.
        let added = self.change(|next| {
            let replace = registrations.iter().map(|registration| registration.replace);
            entries
                .into_iter()
                .zip(replace)
                .map(|(entry, replace)| next.put(entry, replace))
                .collect()
        });
        let added: Vec<Put> = added?;
        let snapshot = self.snapshot();
        Ok(added.into_iter().map(|put| put.describe(&snapshot).0).collect())
    }

    /// Removes a tool with its aliases. Calls that are running go on.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn unregister(&self, name: &str) -> Result<(), Error> {
        self.take(name, None).map(|_| ())
    }

    /// Removes the tool that has the name, or the one of that name in a tier. One that had the name
    /// takes its aliases along, and the next of that name surfaces. Gives the tool as it was.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn take(&self, name: &str, tier: Option<Tier>) -> Result<ToolInfo, Error> {
        self.change(|next| {
            let named = next.known(name)?.clone();
            let name = &named.spec.name;
            let key = (name.clone(), tier.unwrap_or(named.tier()));
            let Some(entry) = next.registered.remove(&key) else {
                let text = format!("no tool named `{name}` in that tier");
                return Err(Error::new(Code::NotFound, text));
            };
            let info = next.info(&entry);
            if entry.tier() == named.tier() {
                next.given.retain(|_, alias| alias.name != *name);
            }
            Ok(info)
        })
    }

    /// Gives a tool another name.
    ///
    /// # Errors
    /// `name_taken` if a tool or an owner's alias has it already, `not_found` if there is no such
    /// tool, `invalid_argument` for an unusable name.
    pub fn alias(&self, alias: &str, name: &str) -> Result<ToolInfo, Error> {
        self.alias_as(alias, Alias::of(name))
    }

    /// Gives a tool another name, with names and defaults of its own for the arguments.
    ///
    /// # Errors
    /// As [`alias`](Registry::alias).
    pub fn alias_as(&self, name: &str, mut alias: Alias) -> Result<ToolInfo, Error> {
        let canonical = self.change(|next| {
            alias.name.clone_from(&next.known(&alias.name)?.spec.name);
            next.give(name, &alias)?;
            Ok(alias.name)
        })?;
        let snapshot = self.snapshot();
        Ok(snapshot.info(snapshot.known(&canonical)?))
    }

    /// The same for a tool that does not stand in the registry itself, by its own name.
    ///
    /// # Errors
    /// As [`alias`](Registry::alias).
    pub(crate) fn alias_of_layer(&self, name: &str, alias: &Alias) -> Result<(), Error> {
        self.change(|next| next.give(name, alias))
    }

    /// Takes a name away from a tool. A built-in alias may go, too.
    ///
    /// # Errors
    /// `not_found` if there is no such alias.
    pub fn unalias(&self, alias: &str) -> Result<(), Error> {
        self.change(|next| {
            let standing = next.standing.contains_key(alias);
            if next.given.remove(alias).is_some() {
                next.forget_name(alias);
                return Ok(());
            }
            if standing {
                Arc::make_mut(&mut next.standing).remove(alias);
                next.forget_name(alias);
                return Ok(());
            }
            let hint = match next.tools.contains_key(alias) {
                true => "that is a tool's own name; `registry.unregister` removes the tool",
                false => "`registry.get` lists the aliases of a tool",
            };
            let text = format!("no alias `{}`: {hint}", crate::limits::echo(alias));
            Err(Error::new(Code::NotFound, text))
        })
    }

    /// Adds aliases that give way to every other name. One whose tool is not there takes no name
    /// away, and comes to life with it.
    ///
    /// # Errors
    /// `invalid_argument` for an unusable name.
    pub fn add_standing_aliases(
        &self,
        aliases: impl IntoIterator<Item = (String, Alias)>,
    ) -> Result<(), Error> {
        self.change(|next| {
            for (name, alias) in aliases {
                ToolSpec::check_name(&name)?;
                next.learn_name(&name);
                next.learn_name(&alias.name);
                Arc::make_mut(&mut next.standing).insert(name, Arc::new(alias));
            }
            Ok(())
        })
    }

    /// Switches a tool on or off. While it is off it is unknown to every caller, and still has its
    /// name.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn set_enabled(&self, name: &str, enabled: bool) -> Result<ToolInfo, Error> {
        self.change(|next| {
            let entry = Entry { enabled, ..next.known(name)?.as_ref().clone() };
            let info = next.info(&entry);
            next.registered.insert((info.name.clone(), info.tier), Arc::new(entry));
            Ok(info)
        })
    }

    /// Makes names known that tools have which do not stand in the registry itself.
    pub(crate) fn learn<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) {
        let ever = self.lineage.ever.load();
        if names.clone().all(|name| ever.contains(name)) {
            return;
        }
        // A state that settled once settles again.
        let _ = self.change(|next| {
            names.for_each(|name| next.learn_name(name));
            Ok(())
        });
    }

    /// Makes a group known, whether or not a tool is in it.
    ///
    /// # Errors
    /// `invalid_config` where the name cannot be one.
    pub(crate) fn declare_group(&self, group: &str) -> Result<(), Error> {
        self.change(|next| {
            Arc::make_mut(&mut next.declared).entry(group.to_owned()).or_default();
            Ok(())
        })
    }

    fn next_generation(&self) -> u64 {
        self.lineage.generations.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Lets go of every tool.
    pub(crate) fn clear(&self) {
        // A registry without tools always settles.
        let _ = self.change(|next| {
            next.given.clear();
            Ok(std::mem::take(&mut next.registered))
        });
    }

    fn change<T>(&self, edit: impl FnOnce(&mut Snapshot) -> Result<T, Error>) -> Result<T, Error> {
        let mut learned: MutexGuard<'_, Vec<String>> =
            self.lineage.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = self.is_waiting.load(Ordering::Acquire) || !learned.is_empty();
        let caught_up = waits.then(|| self.catch_up(&mut learned));
        let mut next = self.current.load().as_ref().clone();
        next.ever = self.lineage.ever.load_full();
        let edited =
            edit(&mut next).and_then(|answer| next.settle(self.next_generation()).map(|()| answer));
        let next = Arc::new(next);
        let old = edited.is_ok().then(|| {
            let old = self.current.swap(next.clone());
            self.lineage.ever.store(next.ever.clone());
            old
        });
        drop(learned);
        // The end of a tool may run host code, which may come back here: not under the lock.
        drop((old, next, caught_up));
        edited
    }

    /// Makes a state of the tools that wait and the names that were learned. A state that settled once
    /// settles again: only groups can fail to, and tools change none that has members. Gives the one before, to
    /// be dropped after the lock.
    fn catch_up(&self, learned: &mut Vec<String>) -> Option<Arc<Snapshot>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = match waiting.take() {
            Some(next) => next,
            None => self.current.load().as_ref().clone(),
        };
        drop(waiting);
        next.ever = self.lineage.ever.load_full();
        for name in learned.drain(..) {
            next.learn_name(&name);
        }
        let old = next.settle(self.next_generation()).ok().map(|()| {
            let next = Arc::new(next);
            let old = self.current.swap(next.clone());
            self.lineage.ever.store(next.ever.clone());
            old
        });
        // Last: who sees that nothing waits reads the state that was made just now.
        self.is_waiting.store(false, Ordering::Release);
        self.lineage.has_learned.store(false, Ordering::Release);
        old
    }
}

/// A clone shares the tools and from then on changes apart from the original. Their states never
/// have the same generation unless they are the same.
impl Clone for Registry {
    fn clone(&self) -> Registry {
        Registry::of(self.snapshot(), self.lineage.clone())
    }
}

/// A tool that was put into a snapshot.
struct Put {
    entry: Arc<Entry>,
    replaced: Option<Arc<Entry>>,
    dropped: Option<Arc<Alias>>,
}

impl Put {
    /// What is told of it, and the tool whose place it took.
    fn describe(self, snapshot: &Snapshot) -> (Registered, Option<Arc<Entry>>) {
        let registered = Registered {
            tool: snapshot.info(&self.entry),
            replaced_version: self.replaced.as_ref().map(|old| old.version.to_string()),
            dropped_alias_of: self.dropped.map(|alias| alias.name.clone()),
        };
        (registered, self.replaced)
    }
}

impl Snapshot {
    fn put(&mut self, mut entry: Entry, replace: bool) -> Result<Put, Error> {
        let key = (entry.spec.name.clone(), entry.tier());
        let name = &key.0;
        if !replace {
            self.check_free(name, entry.origin)?;
        }
        if let Some(group) = &entry.spec.group {
            // A group stays known when its last tool goes, so that a policy that names it goes on
            // to mean what it meant.
            Arc::make_mut(&mut self.declared).entry(group.clone()).or_default();
        }
        self.learn_name(name);
        let dropped = self.given.remove(name);
        if let Some(old) = self.registered.get(&key) {
            entry.enabled = old.enabled;
        }
        let entry = Arc::new(entry);
        let replaced = self.registered.insert(key, entry.clone());
        Ok(Put { entry, replaced, dropped })
    }

    /// Gives a tool, by its own name, another one.
    fn give(&mut self, name: &str, alias: &Alias) -> Result<(), Error> {
        ToolSpec::check_name(name)?;
        self.check_unused(name, &format!("an alias of the tool `{}`", alias.name))?;
        self.learn_name(name);
        self.given.insert(name.to_owned(), Arc::new(alias.clone()));
        Ok(())
    }

    /// Makes a name known. The set stays the same one where it has the name, so that the other
    /// registries of the runtime need not catch up.
    fn learn_name(&mut self, name: &str) {
        if !self.ever.contains(name) {
            Arc::make_mut(&mut self.ever).insert(name.to_owned());
        }
    }

    /// Makes a name unknown that means nothing any more while the tool that it stood for is there: a
    /// policy that denies it would deny nothing, and must say so.
    fn forget_name(&mut self, alias: &str) {
        let known = self.tools.contains_key(alias) || self.standing.contains_key(alias);
        if !known && self.ever.contains(alias) {
            Arc::make_mut(&mut self.ever).remove(alias);
        }
    }

    /// Refuses a name that a tool of the same tier or an owner's alias has.
    fn check_free(&self, name: &str, origin: Origin) -> Result<(), Error> {
        let clash = if let Some(alias) = self.given.get(name) {
            format!("`{name}` is an alias of the tool `{}`; remove the alias first", alias.name)
        } else if self.registered.contains_key(&(name.to_owned(), origin.tier())) {
            format!("a tool named `{name}` is registered already; unregister it first")
        } else {
            return Ok(());
        };
        let text = format!("{clash}, register it to replace that, or choose another name");
        Err(Error::new(Code::NameTaken, text))
    }

    /// Refuses a name that any tool or owner's alias has. `what` is to get it.
    fn check_unused(&self, name: &str, what: &str) -> Result<(), Error> {
        let has = if self.tools.contains_key(name) {
            format!("a tool is named `{name}` already")
        } else if let Some(alias) = self.given.get(name) {
            format!("`{name}` is an alias of the tool `{}` already", alias.name)
        } else {
            return Ok(());
        };
        let text = format!("`{name}` cannot become {what}: {has}; choose another name");
        Err(Error::new(Code::NameTaken, text))
    }
}

#[cfg(test)]
mod tests;
