//! Gate: a call that would read what it has read already is answered with the last result.
//!
//! That is so in one run, for calls that only read and declare what, while nothing of that was
//! changed: by no call of this runtime, and, where the tool can tell, by nobody else.

mod cache;
mod journal;

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::cache::{Basis, Cache, Key};
use self::journal::{Changes, Journal};
use super::signature;
use super::state::{Call, Stop};
use crate::error::Code;
use crate::fingerprint::Fingerprints;
use crate::kind::{Capability, Effect, Resource};
use crate::tool::{Assessment, Entry, Stamp, ToolResult};

/// The `redundancy` part of the configuration: whether a repeated read in the same run is answered
/// with the last result while nothing has changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Redundancy {
    /// False runs every call.
    pub enabled: bool,
    /// The most results that are kept in memory, of all runs together.
    pub max_entries: usize,
    /// The most bytes that they take.
    pub max_bytes: usize,
}

impl Default for Redundancy {
    fn default() -> Redundancy {
        Redundancy { enabled: true, max_entries: 1_024, max_bytes: 16 << 20 }
    }
}

/// The results that are kept, and what was changed meanwhile.
pub(crate) struct RedundancyGate {
    config: Redundancy,
    prints: Fingerprints,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    journal: Journal,
    cache: Cache,
}

/// A call whose result may be kept.
pub(super) struct Fresh {
    key: Key,
    basis: Basis,
}

impl RedundancyGate {
    pub(crate) fn new(config: Redundancy) -> RedundancyGate {
        RedundancyGate { config, prints: Fingerprints::default(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last result of the same call, where it still holds. Otherwise the call is told whether
    /// its own result may be kept.
    pub(super) async fn recall(
        &self,
        entry: &Entry,
        args: &Value,
        assessment: &Assessment,
        call: &mut Call<'_>,
    ) -> Option<ToolResult> {
        let caller = call.cx.caller();
        let (Some(run), true) = (&caller.run, self.config.enabled) else { return None };
        let reads = reads(entry, assessment)?;
        // Before the state is looked at: a change from here on is one too many.
        let since = self.state().journal.last();
        let stamp = AssertUnwindSafe(entry.tool.stamp(args, call.cx)).catch_unwind().await;
        let stamp = match stamp {
            Ok(Stamp::Declared) => None,
            Ok(Stamp::At(stamp)) => Some(stamp),
            Ok(Stamp::Never) | Err(_) => return None,
        };
        let key = Key {
            tenant: caller.tenant.clone(),
            run: run.clone(),
            agent: caller.agent.clone(),
            session: caller.session.clone(),
            call: signature::of_call(self.prints, &entry.spec.name, args),
        };
        let basis = Basis::new(&entry.tool, call.cx, reads, since, stamp);
        let mut state = self.state();
        let State { journal, cache } = &mut *state;
        let found = cache.get(&key, &basis, journal);
        drop(state);
        match found {
            Some(result) => {
                call.is_cached = true;
                call.notes.insert("cached".into(), Value::Bool(true));
                Some(result)
            }
            None => {
                call.fresh = Some(Fresh { key, basis });
                None
            }
        }
    }

    /// Keeps a result that can be given again.
    pub(super) fn keep(&self, call: &mut Call<'_>, result: &ToolResult) {
        let Some(Fresh { key, basis }) = call.fresh.take() else { return };
        let is_plain = !result.is_error
            && !result.is_async
            // A word about an approval holds for its own call only.
            && result.approval.is_none()
            && result.artifact.is_none()
            && result.media.is_empty();
        if is_plain && call.ran.is_some() {
            let most = (self.config.max_entries, self.config.max_bytes);
            self.state().cache.put(key, result.clone(), basis, most);
        }
    }

    /// Watches over a call that is about to run: what it changes no longer holds when it has ended,
    /// however it ends.
    pub(super) fn watch<'g>(
        &'g self,
        entry: &Entry,
        assessment: &Assessment,
    ) -> Option<Changing<'g>> {
        if !self.config.enabled {
            return None;
        }
        let changes = changes(entry, assessment)?;
        let goes_on = entry.spec.capabilities.contains(&Capability::Async);
        Some(Changing { gate: self, changes: Some(changes), goes_on, has_answered: false })
    }
}

/// A call that changes something.
pub(super) struct Changing<'g> {
    gate: &'g RedundancyGate,
    changes: Option<Changes>,
    goes_on: bool,
    has_answered: bool,
}

impl Changing<'_> {
    /// The call has ended. One that its tool answered changes nothing any more.
    pub(super) fn end(mut self, outcome: &Result<ToolResult, Stop>) {
        self.has_answered = match outcome {
            Ok(result) => !result.is_async,
            Err(Stop::Refused(error)) => !matches!(error.code, Code::Timeout | Code::ToolPanicked),
            Err(Stop::Failed(_)) => false,
        };
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        if let Some(changes) = self.changes.take() {
            self.gate.state().journal.add(changes, self.has_answered && !self.goes_on);
        }
    }
}

/// What a call reads, if it only reads, and says what, and nobody outside can change it.
fn reads(entry: &Entry, assessment: &Assessment) -> Option<Vec<Resource>> {
    let spec = &entry.spec;
    let only_reads = spec.capabilities.iter().all(|one| *one == Capability::ReadOnly);
    if spec.capabilities.is_empty() || !only_reads || spec.polling {
        return None;
    }
    let read = |(effect, resource): &(Effect, Resource)| match (effect, resource) {
        (Effect::Write, _) | (_, Resource::Host(_)) => None,
        (Effect::Read, resource) => Some(resource.clone()),
    };
    let reads: Option<Vec<Resource>> = assessment.touches.iter().map(read).collect();
    reads.filter(|reads| !reads.is_empty())
}

/// What a call changes, if anything. One that does not say may change anything.
fn changes(entry: &Entry, assessment: &Assessment) -> Option<Changes> {
    let writes = assessment.touches.iter().filter(|(effect, _)| *effect == Effect::Write);
    let writes: Vec<Resource> = writes.map(|(_, resource)| resource.clone()).collect();
    match (writes.is_empty(), entry.spec.is_read_only()) {
        (true, true) => None,
        (true, false) => Some(Changes::Everything),
        (false, _) => Some(Changes::These(writes)),
    }
}
