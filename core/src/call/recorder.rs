//! Writes the ledger of one runtime.
//!
//! `batched` puts rows in a queue that is written [`LINGER`] after its first entry, or at once when
//! it holds [`QUEUE`] entries: a process that dies loses at most that much. `durable` writes each
//! before the call goes on.
//!
//! A write that has begun goes on when its caller no longer waits. What the store does not take is
//! kept and tried again every [`RETRY`]; until it is taken every further call is refused with the
//! store's error: no call goes unrecorded.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::runtime::{self, Handle};

use crate::detached::detached;
use crate::error::{Code, Error};
use crate::event::NewEvent;
use crate::joint::{Joint, WeakJoint};
use crate::limits::prefix_of_bytes;
use crate::scrub::Scrubber;
use crate::scrubbers::Scrubbers;
use crate::store::{AuditRow, Decision, Phase, Store};
use crate::upkeep::Upkeep;

/// How long the first entry of a batch waits for company.
const LINGER: Duration = Duration::from_millis(25);
/// How long it waits after the store did not take a batch.
const RETRY: Duration = Duration::from_secs(1);
/// How many entries wait at most.
const QUEUE: usize = 4_096;
/// How many entries one transaction writes at most.
const BATCH: usize = 512;
/// How much of the arguments a row keeps, in bytes.
const KEPT_ARGUMENTS: usize = 4_096;
/// How much of the notes a row keeps, in bytes.
const KEPT_NOTES: usize = 4_096;
/// How much of a tool's name a row keeps, in bytes: a model can send any name.
const KEPT_NAME: usize = 256;
/// How much more is scrubbed than kept, so that a secret that the cut would split is still seen
/// whole enough to be found: more than what any finder looks ahead (4,096).
const SCRUBBED_BEYOND: usize = 4_352;

/// How much of the arguments a row brings along, in bytes.
pub(super) const TAKEN_ARGUMENTS: usize = KEPT_ARGUMENTS + SCRUBBED_BEYOND;
/// How much of a tool's name a row brings along, in bytes.
pub(super) const TAKEN_NAME: usize = KEPT_NAME + SCRUBBED_BEYOND;

/// The `record` part of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    /// `batched` (fast, with a loss window of 25 ms or 4,096 calls) or `durable`.
    pub mode: RecordMode,
}

/// When a call is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordMode {
    /// Soon after it has ended, by a task on the async runtime of the call. (On a runtime that runs
    /// only while something is awaited, that is when something is awaited next.)
    #[default]
    Batched,
    /// An intent row before the tool runs, completed before the answer is given.
    Durable,
}

/// The ledger's writer.
pub(crate) struct Recorder {
    pub(super) mode: RecordMode,
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    scrubbers: Arc<Scrubbers>,
    queue: Mutex<VecDeque<AuditRow>>,
    /// Who writes the queue now, for all who wait for that.
    writing: Mutex<WeakJoint>,
    /// The async runtimes that are going to write the queue: one that nobody drives any more must
    /// not keep the calls of another one waiting.
    scheduled: Mutex<Vec<runtime::Id>>,
    failing: AtomicBool,
    failure: Mutex<Option<Failure>>,
    sealed: AtomicBool,
    upkeep: Arc<Upkeep>,
}

/// What the store said when it last refused a batch.
#[derive(Clone)]
struct Failure {
    at: Instant,
    code: Code,
    message: String,
}

impl Failure {
    fn error(self) -> Error {
        Error::new(self.code, self.message)
    }
}

impl Recorder {
    pub(crate) fn new(
        mode: RecordMode,
        store: Arc<dyn Store>,
        scrubbers: Arc<Scrubbers>,
        upkeep: Arc<Upkeep>,
    ) -> Recorder {
        let shared = Shared {
            store,
            scrubbers,
            queue: Mutex::new(VecDeque::new()),
            writing: Mutex::default(),
            scheduled: Mutex::default(),
            failing: AtomicBool::new(false),
            failure: Mutex::new(None),
            sealed: AtomicBool::new(false),
            upkeep,
        };
        Recorder { mode, shared: Arc::new(shared) }
    }

    pub(super) fn scrubbers(&self) -> &Scrubbers {
        &self.shared.scrubbers
    }

    /// True while the store refuses what was recorded before.
    pub(super) fn is_failing(&self) -> bool {
        self.shared.failing.load(Ordering::Acquire)
    }

    /// Tries once more to write what the store refused. Only one caller in a while does; the
    /// others get the same error at once.
    pub(super) async fn retry(&self) -> Result<(), Error> {
        let failure = locked(&self.shared.failure).clone();
        match failure {
            Some(failure) if failure.at.elapsed() < RETRY => Err(failure.error()),
            _ => self.flush().await,
        }
    }

    /// Writes everything that is queued.
    pub(crate) async fn flush(&self) -> Result<(), Error> {
        let shared = self.shared.clone();
        detached(async move { shared.flush().await }).await
    }

    /// Takes no further row: the store is closed.
    pub(crate) fn seal(&self) {
        self.shared.sealed.store(true, Ordering::Release);
    }

    /// Records a row, as the mode says. The row is taken over before anything is awaited.
    pub(super) async fn put(&self, row: AuditRow) -> Result<(), Error> {
        if self.shared.sealed.load(Ordering::Acquire) {
            return Err(Error::new(Code::Closed, "the runtime was closed before the call ended"));
        }
        if self.mode == RecordMode::Durable {
            let shared = self.shared.clone();
            return detached(async move { shared.write_or_keep(row).await }).await;
        }
        if self.enqueue(row) { Ok(()) } else { Box::pin(self.flush()).await }
    }

    /// Queues a row. False if it must be flushed now: the queue is full, or there is no async
    /// runtime to do it later.
    pub(super) fn enqueue(&self, row: AuditRow) -> bool {
        let mut queue = locked(&self.shared.queue);
        queue.push_back(row);
        let full = queue.len() >= QUEUE;
        drop(queue);
        !full && self.shared.schedule()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Sees to it that the queue is written soon. False if there is no async runtime to do it.
    fn schedule(self: &Arc<Shared>) -> bool {
        let Ok(runtime) = Handle::try_current() else { return false };
        let mut scheduled = locked(&self.scheduled);
        if scheduled.contains(&runtime.id()) {
            return true;
        }
        scheduled.push(runtime.id());
        drop(scheduled);
        let turn = Scheduled(self.clone(), runtime.id());
        runtime.spawn(async move {
            tokio::time::sleep(LINGER).await;
            let shared = turn.0.clone();
            // From here on a new entry schedules its own write.
            drop(turn);
            while let Err(error) = shared.flush().await {
                tracing::error!(code = error.code().name(), "the ledger could not be written");
                tokio::time::sleep(RETRY).await;
                if shared.sealed.load(Ordering::Acquire) || Arc::strong_count(&shared) == 1 {
                    return;
                }
            }
        });
        true
    }

    /// Writes what is queued, together with everybody else who wants that.
    async fn flush(self: &Arc<Shared>) -> Result<(), Error> {
        loop {
            self.writing().await;
            if self.failing.load(Ordering::Acquire) {
                let failure = locked(&self.failure).clone();
                return failure.map_or(Ok(()), |failure| Err(failure.error()));
            }
            // A row that came when the others were just done is written by the next turn.
            if locked(&self.queue).is_empty() {
                return Ok(());
            }
        }
    }

    fn writing(self: &Arc<Shared>) -> Joint {
        let mut writing = locked(&self.writing);
        writing.upgrade().unwrap_or_else(|| {
            let shared = self.clone();
            let begun = Joint::new(async move {
                if let Err(error) = shared.write_all().await {
                    shared.remember(&error);
                }
            });
            *writing = begun.downgrade();
            begun
        })
    }

    async fn write_all(&self) -> Result<(), Error> {
        loop {
            let mut batch = Batch { shared: self, rows: self.take() };
            if batch.rows.is_empty() {
                self.failing.store(false, Ordering::Release);
                return Ok(());
            }
            self.write(batch.rows.clone()).await?;
            batch.rows.clear();
        }
    }

    async fn write_or_keep(&self, row: AuditRow) -> Result<(), Error> {
        let written = self.write(vec![row.clone()]).await;
        if let Err(error) = &written {
            locked(&self.queue).push_back(row);
            self.remember(error);
        }
        written
    }

    fn remember(&self, error: &Error) {
        let failure =
            Failure { at: Instant::now(), code: error.code(), message: error.message().into() };
        *locked(&self.failure) = Some(failure);
        self.failing.store(true, Ordering::Release);
    }

    fn take(&self) -> Vec<AuditRow> {
        let mut queue = locked(&self.queue);
        let count = queue.len().min(BATCH);
        queue.drain(..count).collect()
    }

    async fn write(&self, mut rows: Vec<AuditRow>) -> Result<(), Error> {
        for row in &mut rows {
            let scrubber = self.scrubbers.of(&row.tenant);
            row.arguments = kept_arguments(&scrubber, &row.arguments);
            row.called_as = kept_name(&scrubber, &row.called_as);
            row.tool = kept_name(&scrubber, &row.tool);
            row.notes = row.notes.take().map(|notes| kept_notes(&scrubber, notes));
        }
        let events = rows.iter().filter(|row| row.phase == Phase::Completed).map(event).collect();
        let tenants: BTreeSet<String> = rows.iter().map(|row| row.tenant.clone()).collect();
        let count = rows.len();
        self.store.record_audit(rows, events).await?;
        self.upkeep.after_writing(tenants.iter().map(String::as_str), count);
        Ok(())
    }
}

/// Notes with their secrets masked, as far as a row keeps them; what it does not is named.
fn kept_notes(scrubber: &Scrubber, notes: Map<String, Value>) -> Map<String, Value> {
    let (mut kept, mut left_out, mut bytes) = (Map::new(), Vec::new(), 0);
    for (key, mut note) in notes {
        scrubber.scrub_json(&mut note);
        let more = key.len() + note.to_string().len();
        if bytes + more > KEPT_NOTES {
            left_out.push(Value::String(key));
            continue;
        }
        bytes += more;
        kept.insert(key, note);
    }
    if !left_out.is_empty() {
        kept.insert("left_out".into(), Value::Array(left_out));
    }
    kept
}

/// Arguments with their secrets masked, as far as a row keeps them.
pub(super) fn kept_arguments(scrubber: &Scrubber, taken: &str) -> String {
    kept(&scrubbed_json(scrubber, taken), taken, KEPT_ARGUMENTS)
}

/// A tool's name with its secrets masked, as far as a row keeps it.
pub(super) fn kept_name(scrubber: &Scrubber, taken: &str) -> String {
    kept(&scrubber.scrub(taken), taken, KEPT_NAME)
}

/// JSON text with its secrets masked, also those that JSON's escapes hide from the patterns.
fn scrubbed_json(scrubber: &Scrubber, text: &str) -> String {
    let text = match serde_json::from_str(text) {
        Ok(mut value) => {
            scrubber.scrub_json(&mut value);
            value.to_string()
        }
        Err(_) => text.to_owned(),
    };
    scrubber.scrub(&text).into_owned()
}

/// The start of a scrubbed text that a row keeps. Where the text had been cut before it was
/// scrubbed, half a secret may stand at its end, so that much is left off.
fn kept(scrubbed: &str, taken: &str, most: usize) -> String {
    let was_cut = taken.len() > most + SCRUBBED_BEYOND - 4;
    let safe = if was_cut { scrubbed.len().saturating_sub(SCRUBBED_BEYOND) } else { most };
    prefix_of_bytes(scrubbed, most.min(safe)).to_owned()
}

/// Rows on their way to the store; those that did not get there go back to the front.
struct Batch<'s> {
    shared: &'s Shared,
    rows: Vec<AuditRow>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut queue = locked(&self.shared.queue);
        for row in self.rows.drain(..).rev() {
            queue.push_front(row);
        }
    }
}

/// The promise that a write is coming; broken promises (a runtime that shut down) are taken back.
struct Scheduled(Arc<Shared>, runtime::Id);

impl Drop for Scheduled {
    fn drop(&mut self) {
        locked(&self.0.scheduled).retain(|runtime| *runtime != self.1);
    }
}

fn event(row: &AuditRow) -> NewEvent {
    let kind = match row.decision {
        Decision::Allowed => "call.completed",
        Decision::Refused => "call.refused",
    };
    NewEvent {
        tenant: row.tenant.clone(),
        at_ms: row.at_ms,
        kind,
        subject: row.session.clone().unwrap_or_else(|| row.id.clone()),
        data: json!({
            "call_id": row.id,
            "tool": row.tool,
            "agent": row.agent,
            "user": row.user,
            "session": row.session,
            "code": row.code,
            "rule": row.rule,
            "is_error": row.is_error,
            "duration_us": row.duration_us,
            "notes": row.notes,
        }),
    }
}
