//! Gate: the compiled decision for a caller. A tool that is hidden is refused here, also when the
//! model names it all the same.
//!
//! What is in force is one value ([`InForce`]), replaced as one: the policy, the groups, and what is
//! compiled from them for each state of the registry. So nobody decides by half of a change, and
//! whoever asks after a change returned is decided by it. Nobody waits for a change.

mod examine;
mod explanation;
mod file;
mod in_force;
mod place;
mod refusal;
mod rows;

pub use explanation::{Change as ToolChange, Explanation, PolicyDiff};

pub(crate) use examine::Candidate;
pub(crate) use file::{PolicyFile, Written};
pub(crate) use in_force::{Decided, Groups, InForce};
pub(super) use refusal::{pass, pass_target};

use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::json;

use crate::clock::Clock;
use crate::detached::detached;
use crate::error::{Code, Error};
use crate::event::NewEvent;
use crate::id::DEFAULT_TENANT;
use crate::policy::{Decision, Inputs, Policy, RowLists};
use crate::scrubbers::Scrubbers;
use crate::shell::AgentSettings;
use crate::store::Store;
use crate::tool::{Caller, Entry, MOST_PARENTS, Registries, Snapshot};
use file::{Look, Report};
use rows::{Row, Rows};

/// Decides for one runtime.
pub(crate) struct PolicyGate {
    in_force: ArcSwap<InForce>,
    registries: Arc<Registries>,
    rows: Rows,
    file: Option<PolicyFile>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    scrubbers: Arc<Scrubbers>,
}

/// What a [`PolicyGate`] works with.
pub(crate) struct Parts {
    pub registries: Arc<Registries>,
    pub policy: Policy,
    pub groups: Groups,
    /// Where both came from, if that is a file.
    pub file: Option<PolicyFile>,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub scrubbers: Arc<Scrubbers>,
}

/// The rows of a caller's agent and of those above it, in that order.
type RowsAbove = [Option<Arc<Row>>; MOST_PARENTS + 1];

/// A caller and those above it.
pub(super) fn upwards(caller: &Caller) -> impl Iterator<Item = &Caller> {
    std::iter::successors(Some(caller), |caller| caller.parent.as_deref())
}

impl PolicyGate {
    pub(crate) fn new(parts: Parts) -> PolicyGate {
        let Parts { registries, policy, groups, file, store, clock, scrubbers } = parts;
        let in_force = InForce::first(policy, groups);
        PolicyGate {
            in_force: ArcSwap::from_pointee(in_force),
            registries,
            rows: Rows::new(store.clone()),
            file,
            store,
            clock,
            scrubbers,
        }
    }

    /// The decision that holds for this caller, if nothing need be read for it.
    pub(crate) fn remembered(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
    ) -> Option<Result<Decided, Error>> {
        if self.file.as_ref().is_some_and(PolicyFile::is_due) {
            return None;
        }
        let mut rows = RowsAbove::default();
        for (row, caller) in rows.iter_mut().zip(upwards(caller)) {
            if let Some(agent) = &caller.agent {
                *row = Some(self.rows.remembered(&caller.tenant, agent)?);
            }
        }
        Some(self.decided(snapshot, caller, &rows))
    }

    /// The decision that holds for this caller.
    ///
    /// # Errors
    /// `invalid_config` for a policy that names what is not there, or the store's error.
    pub(crate) async fn decision(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
    ) -> Result<Decided, Error> {
        self.follow_file().await;
        let rows = self.read_rows(caller).await?;
        self.decided(snapshot, caller, &rows)
    }

    async fn read_rows(&self, caller: &Caller) -> Result<RowsAbove, Error> {
        let mut rows = RowsAbove::default();
        for (row, caller) in rows.iter_mut().zip(upwards(caller)) {
            if let Some(agent) = &caller.agent {
                *row = Some(self.rows.read(&caller.tenant, agent).await?);
            }
        }
        Ok(rows)
    }

    /// What the store says of the commands of a caller's agent, and of those above it, in that
    /// order.
    ///
    /// # Errors
    /// `invalid_config` for a row that makes no sense, or the store's error.
    pub(crate) async fn commands_of(
        &self,
        caller: &Caller,
    ) -> Result<Vec<Option<AgentSettings>>, Error> {
        let rows = self.read_rows(caller).await?;
        let said = rows.iter().zip(upwards(caller)).map(|(row, _)| match row {
            Some(row) => row.commands(),
            None => Ok(None),
        });
        said.collect()
    }

    fn decided(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
        rows: &RowsAbove,
    ) -> Result<Decided, Error> {
        self.decided_by(&self.in_force.load(), snapshot, caller, rows)
    }

    /// Decides for a caller, and first for those above it, each by the tools that it has itself:
    /// nobody gets more than they have.
    fn decided_by(
        &self,
        in_force: &InForce,
        snapshot: &Snapshot,
        caller: &Caller,
        rows: &[Option<Arc<Row>>],
    ) -> Result<Decided, Error> {
        let generation = in_force.generation(snapshot)?;
        generation.check()?;
        let (row, above) = match rows.split_first() {
            Some((row, above)) => (row.as_ref(), above),
            None => (None, rows),
        };
        let parent = match &caller.parent {
            Some(parent) => {
                let snapshot = self.registries.of(parent);
                Some(self.decided_by(in_force, &snapshot, parent, above)?)
            }
            None => None,
        };
        let parent = parent.as_ref().map(Decided::decision);
        let decision = generation.decide(&inputs(caller, row.map(AsRef::as_ref), parent))?;
        Ok(Decided::new(decision, generation))
    }

    /// Announces that an agent's row is about to change. Until the announcement is dropped no
    /// decision is remembered for it, so that none outlives the row that it was made from.
    pub(crate) fn changing(&self, tenant: &str, agent: &str) -> rows::Change {
        self.rows.changing(tenant, agent)
    }

    /// Tells that the rows of any agents may have changed.
    pub(crate) fn rows_changed(&self) {
        self.rows.forget_all();
    }

    /// Checks lists as an agent's row would have them, against the tools there are.
    pub(crate) fn check(
        &self,
        snapshot: &Snapshot,
        agent: &str,
        row: RowLists<'_>,
    ) -> Result<(), Error> {
        let inputs = Inputs { agent: Some(agent), row: Some(row), ..Inputs::default() };
        self.in_force.load().generation(snapshot)?.compiled().decide(&inputs)?;
        Ok(())
    }

    /// What is in force.
    pub(crate) fn in_force(&self) -> Arc<InForce> {
        self.in_force.load_full()
    }

    /// Puts another policy in force, for every decision from then on, and gives its generation.
    ///
    /// # Errors
    /// `conflict` where a file says what is in force; `invalid_config` if the policy is wrong, and
    /// then the one before stays.
    pub(crate) async fn set(&self, policy: Policy) -> Result<u64, Error> {
        if let Some(file) = &self.file {
            let text = format!(
                "this runtime was opened from {}, and that file says what is in force; change \
                 `policy` there, then wait a second or use `policy.reload`",
                file.path().display()
            );
            return Err(Error::new(Code::Conflict, text));
        }
        let generation = self.replace(&policy, None)?;
        self.publish(&Look::Changed(generation, Vec::new())).await;
        Ok(generation)
    }

    /// Takes up what the file says now. False if that was in force already.
    ///
    /// # Errors
    /// `conflict` if no file was opened; `invalid_config` if what it says is wrong, and then what
    /// was in force stays.
    pub(crate) async fn reload(&self) -> Result<bool, Error> {
        let Some(file) = &self.file else {
            let text = "this runtime was not opened from a file, so there is nothing to reload; \
                        use `policy.set`";
            return Err(Error::new(Code::Conflict, text));
        };
        let look = file.reload(|written| self.take_up(written));
        self.publish(&look).await;
        match look {
            Look::Same => Ok(false),
            Look::Changed(..) => Ok(true),
            Look::Rejected(error) => Err(error),
        }
    }

    /// Where the policy comes from.
    pub(crate) fn source(&self) -> String {
        match &self.file {
            Some(file) => file.path().display().to_string(),
            None => "given in code".to_owned(),
        }
    }

    /// Why the newest policy is not in force, and the parts that wait for a reopening.
    pub(crate) fn report(&self) -> Report {
        self.file.as_ref().map(PolicyFile::report).unwrap_or_default()
    }

    /// Looks at the file if it is time to.
    pub(crate) async fn follow_file(&self) {
        let Some(file) = self.file.as_ref().filter(|file| file.takes_the_look()) else { return };
        let look = file.look(|written| self.take_up(written));
        self.publish(&look).await;
    }

    fn take_up(&self, written: &Written) -> Result<Option<u64>, Error> {
        let held = self.in_force.load();
        if held.policy.as_ref() == &written.policy && held.groups.as_ref() == &written.groups {
            return Ok(None);
        }
        self.replace(&written.policy, Some(&written.groups)).map(Some)
    }

    fn replace(&self, policy: &Policy, groups: Option<&Groups>) -> Result<u64, Error> {
        let next = place::change(&self.in_force, |held| {
            let next = held.next(policy.clone(), groups.cloned());
            next.generation(&self.registries.shared().snapshot())?.check()?;
            Ok::<_, Error>(next)
        })?;
        Ok(next.generation)
    }

    /// Tells of a change, or of one that was refused.
    async fn publish(&self, look: &Look) {
        let (kind, data) = match look {
            Look::Same => return,
            Look::Changed(generation, needs_reopening) => {
                tracing::info!(generation, "another policy is in force");
                let data = json!({
                    "generation": generation,
                    "source": self.source(),
                    "needs_reopening": needs_reopening,
                });
                ("policy.changed", data)
            }
            Look::Rejected(error) => {
                let error = self.scrubbers.shared().scrub(error.message()).into_owned();
                tracing::error!(error, "a policy was not taken up; the one before stays in force");
                ("policy.rejected", json!({ "source": self.source(), "error": error }))
            }
        };
        let event = NewEvent {
            tenant: DEFAULT_TENANT.into(),
            at_ms: self.clock.now_ms(),
            kind,
            subject: "policy".into(),
            data,
        };
        let store = self.store.clone();
        // The call that happened to look may be dropped; the change has been made all the same.
        let stored = detached(async move { store.append_events(vec![event]).await }).await;
        if let Err(error) = stored {
            tracing::warn!(%error, kind, "the event could not be stored");
        }
    }

    /// Why the caller may or may not call the tool.
    pub(crate) async fn explain(
        &self,
        snapshot: &Snapshot,
        entry: &Entry,
        caller: &Caller,
    ) -> Result<Explanation, Error> {
        let decided = self.decision(snapshot, caller).await?;
        Ok(Explanation::of(&decided, entry, self.source()))
    }

    /// What another policy would change for the caller.
    pub(crate) async fn diff(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
        policy: Policy,
        groups: Option<Groups>,
    ) -> Result<PolicyDiff, Error> {
        let rows = self.read_rows(caller).await?;
        let now = self.decided(snapshot, caller, &rows)?;
        let next = self.in_force.load().next(policy, groups);
        let then = self.decided_by(&next, snapshot, caller, &rows)?;
        Ok(PolicyDiff::between(snapshot, &now, &then))
    }
}

fn inputs<'i>(
    caller: &'i Caller,
    row: Option<&'i Row>,
    parent: Option<&'i Arc<Decision>>,
) -> Inputs<'i> {
    let stand_above = u32::try_from(upwards(caller).skip(1).count()).unwrap_or(u32::MAX);
    Inputs {
        agent: caller.agent.as_deref(),
        provider: caller.provider.as_deref(),
        model: caller.model.as_deref(),
        channel: caller.channel.as_deref(),
        channel_type: caller.channel_type.as_deref(),
        chat: caller.chat.as_deref(),
        in_group: caller.peer_kind.as_deref() == Some("group"),
        depth: caller.depth.max(stand_above),
        tools: caller.tools.as_deref(),
        row: row.and_then(Row::lists),
        parent,
    }
}
