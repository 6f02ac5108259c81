//! Tools that are not defined for a model until it finds them, and who has found which.
//!
//! Deferring never decides what may be called: it only leaves definitions out. A tool that the
//! policy allows can be called by its name at any time, and every list here is drawn from the tools
//! that the caller may call.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Caller, Entry, Snapshot};
use crate::kind::Origin;
use crate::policy::Decision;

/// The tool that finds deferred ones.
pub(crate) const SEARCH: &str = "tool_search";

/// How many sessions are remembered; beyond it the one that was quiet longest is forgotten.
const MOST_SESSIONS: usize = 4_096;

/// How many tools one session keeps active; beyond it the one that was activated first goes.
const MOST_ACTIVE: usize = 256;

/// What a caller may call.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'d> {
    /// The decision for the caller.
    pub decision: &'d Arc<Decision>,
    /// True if the decision is only watched, and everything may be called.
    pub everything: bool,
}

impl<'d> Offered<'d> {
    /// True if the tool is enabled and may be called.
    pub(super) fn has(self, entry: &Entry) -> bool {
        entry.enabled && (self.everything || self.decision.allows(entry.id))
    }

    /// The tools that may be called, sorted by name.
    pub(super) fn tools<'s>(
        self,
        snapshot: &'s Snapshot,
    ) -> impl Iterator<Item = &'s Arc<Entry>> + use<'s, 'd> {
        snapshot.tools().filter(move |entry| self.has(entry))
    }
}

/// Defers tools past a threshold, and remembers which were activated for whom.
pub(crate) struct Deferred {
    over: usize,
    sessions: Mutex<Sessions>,
}

/// The tools that are active for one session. It never changes; another activation makes another.
#[derive(Debug, Default)]
pub(crate) struct Activated {
    /// Another one for every change; 0 while nothing was activated.
    pub stamp: u64,
    pub names: BTreeSet<String>,
}

#[derive(Default)]
struct Sessions {
    known: HashMap<Key, Session>,
    stamp: u64,
    clock: u64,
}

/// A session of a tenant, or a run where there is no session.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    tenant: String,
    name: String,
    is_run: bool,
}

#[derive(Default)]
struct Session {
    used: u64,
    /// In the order of activation.
    order: Vec<String>,
    activated: Arc<Activated>,
}

impl Deferred {
    pub(crate) fn new(over: usize) -> Deferred {
        Deferred { over, sessions: Mutex::default() }
    }

    /// The names that come past the threshold for a caller with that decision, sorted. None where
    /// the caller may not search.
    pub(super) fn past<'s>(&self, snapshot: &'s Snapshot, offered: Offered<'s>) -> Vec<&'s str> {
        self.past_entries(snapshot, offered).map(|entry| entry.spec.name.as_str()).collect()
    }

    pub(super) fn past_entries<'s>(
        &self,
        snapshot: &'s Snapshot,
        offered: Offered<'s>,
    ) -> impl Iterator<Item = &'s Arc<Entry>> + use<'s> {
        let over = if may_search(snapshot, offered) { self.over } else { usize::MAX };
        offered.tools(snapshot).filter(|entry| may_wait(entry)).skip(over)
    }

    /// True if the tool comes past the threshold for a caller with that decision.
    fn is_past(&self, snapshot: &Snapshot, offered: Offered<'_>, entry: &Entry) -> bool {
        // Ids count the tools by name: so few before it cannot reach the threshold.
        if !may_wait(entry) || (entry.id.0 as usize) < self.over {
            return false;
        }
        self.past_entries(snapshot, offered).any(|past| past.id == entry.id)
    }

    /// Activates a tool that is called although it was not defined. It must be allowed already.
    pub(crate) fn note_call(
        &self,
        snapshot: &Snapshot,
        offered: Offered<'_>,
        entry: &Entry,
        caller: &Caller,
    ) {
        if self.is_past(snapshot, offered, entry) {
            self.activate(caller, &[entry.spec.name.as_str()]);
        }
    }

    /// Activates tools for the caller's session, or run. Without either nothing is remembered.
    pub(crate) fn activate(&self, caller: &Caller, names: &[&str]) {
        let Some(key) = Key::of(caller) else { return };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = &mut *sessions;
        sessions.clock += 1;
        if sessions.known.len() >= MOST_SESSIONS && !sessions.known.contains_key(&key) {
            sessions.forget_the_quietest();
        }
        let session = sessions.known.entry(key).or_default();
        session.used = sessions.clock;
        let fresh: Vec<&str> =
            names.iter().copied().filter(|name| !session.activated.names.contains(*name)).collect();
        if fresh.is_empty() {
            return;
        }
        session.order.extend(fresh.into_iter().map(str::to_owned));
        let surplus = session.order.len().saturating_sub(MOST_ACTIVE);
        session.order.drain(..surplus);
        sessions.stamp += 1;
        let names = session.order.iter().cloned().collect();
        session.activated = Arc::new(Activated { stamp: sessions.stamp, names });
    }

    /// What is active for the caller.
    pub(crate) fn activated(&self, caller: &Caller) -> Arc<Activated> {
        let Some(key) = Key::of(caller) else { return Arc::default() };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = &mut *sessions;
        sessions.clock += 1;
        match sessions.known.get_mut(&key) {
            Some(session) => {
                session.used = sessions.clock;
                session.activated.clone()
            }
            None => Arc::default(),
        }
    }
}

/// Toolkeep's own tools and those of skills are always defined.
fn may_wait(entry: &Entry) -> bool {
    matches!(entry.origin, Origin::Host | Origin::Custom | Origin::Mcp)
}

fn may_search(snapshot: &Snapshot, offered: Offered<'_>) -> bool {
    snapshot.resolve(SEARCH).is_some_and(|entry| entry.is_builtin() && offered.has(entry))
}

impl Key {
    fn of(caller: &Caller) -> Option<Key> {
        let (name, is_run) = match (&caller.session, &caller.run) {
            (Some(session), _) => (session, false),
            (None, Some(run)) => (run, true),
            (None, None) => return None,
        };
        Some(Key { tenant: caller.tenant.clone(), name: name.clone(), is_run })
    }
}

impl Sessions {
    fn forget_the_quietest(&mut self) {
        let quietest = self.known.iter().min_by_key(|(_, session)| session.used);
        if let Some(key) = quietest.map(|(key, _)| key.clone()) {
            self.known.remove(&key);
        }
    }
}
