//! Writes the ledger of one runtime.
//!
//! `batched` puts rows in a queue that is written [`LINGER`] after its first entry. A call is not
//! answered, and no further one begins, while a row is older than [`OVERDUE`] or [`QUEUE`] rows wait:
//! the calls wait for the store, or fail with its error. So a process that dies loses at most that
//! much, however slow the store is. `durable` writes each row before the call goes on.
//!
//! A write that has begun goes on when its caller no longer waits. What the store does not take is
//! kept and tried again every [`RETRY`], and when the next call comes. A call that comes while the
//! store still does not take it is refused with the store's error: no call goes unrecorded.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
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
/// How long it waits after the store did not take a batch, if no call comes.
const RETRY: Duration = Duration::from_secs(1);
/// How old a row may be that is not written yet, before calls wait for it.
const OVERDUE: Duration = Duration::from_millis(100);
/// How many rows may be not written yet, before calls wait for them.
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
    /// `batched` (fast, with a loss window of 25 ms, or 100 ms of a slow store) or `durable`.
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
    queue: Mutex<Queue>,
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

/// The rows that are not written yet.
#[derive(Default)]
struct Queue {
    /// Those that nobody is writing, oldest first.
    waiting: VecDeque<Queued>,
    /// How many are being written.
    writing: usize,
    /// When the oldest of those came.
    writing_since: Option<Instant>,
}

/// A row, and when it came.
#[derive(Clone)]
struct Queued {
    came: Instant,
    row: AuditRow,
}

impl Queue {
    /// True if calls must wait until rows are written.
    fn is_overdue(&self) -> bool {
        let oldest = self.writing_since.or(self.waiting.front().map(|queued| queued.came));
        self.waiting.len() + self.writing >= QUEUE
            || oldest.is_some_and(|came| came.elapsed() >= OVERDUE)
    }
}

/// What whoever queued a row must wait for.
pub(super) enum Wait {
    /// Nothing: it is written later.
    Nothing,
    /// The store, which is behind.
    CatchUp,
    /// The row itself: there is no async runtime to write it later.
    Flush,
}

/// What the store said when it last refused a batch.
#[derive(Clone)]
struct Failure {
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
            queue: Mutex::default(),
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

    /// True if a call must not begin before [`catch_up`](Recorder::catch_up): the store refused what
    /// was recorded before, or has not taken it in time.
    pub(super) fn is_behind(&self) -> bool {
        self.shared.failing.load(Ordering::Acquire) || self.shared.is_overdue()
    }

    /// Waits until the store has taken what it refused or was slow to take. Those who wait at the
    /// same time share one attempt.
    ///
    /// # Errors
    /// The store's, of this attempt.
    pub(super) async fn catch_up(&self) -> Result<(), Error> {
        let shared = self.shared.clone();
        let done = detached(async move { shared.catch_up().await }).await;
        done.map_err(|error| {
            about("the call was not made, because earlier calls could not be recorded", error)
        })
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
        let (shared, phase) = (self.shared.clone(), row.phase);
        let written = if self.mode == RecordMode::Durable {
            detached(async move { shared.write_or_keep(row).await }).await
        } else {
            match self.enqueue(row) {
                Wait::Nothing => return Ok(()),
                Wait::CatchUp => detached(async move { shared.catch_up().await }).boxed().await,
                Wait::Flush => detached(async move { shared.flush().await }).boxed().await,
            }
        };
        let call = match phase {
            Phase::Intent => "the call was not made, because it could not be recorded",
            Phase::Completed => "the call has ended, and its record waits for the store",
        };
        written.map_err(|error| about(call, error))
    }

    /// Queues a row.
    pub(super) fn enqueue(&self, row: AuditRow) -> Wait {
        let mut queue = locked(&self.shared.queue);
        queue.waiting.push_back(Queued { came: Instant::now(), row });
        let overdue = queue.is_overdue();
        drop(queue);
        match (self.shared.schedule(), overdue) {
            (false, _) => Wait::Flush,
            (true, true) => Wait::CatchUp,
            (true, false) => Wait::Nothing,
        }
    }
}

/// The same error, which says first what it means for a call.
fn about(call: &str, error: Error) -> Error {
    Error::new(error.code(), format!("{call}: {}", error.message())).with_source(error)
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
            self.write_once().await?;
            // A row that came when the others were just done is written by the next turn.
            if locked(&self.queue).waiting.is_empty() {
                return Ok(());
            }
        }
    }

    /// Writes until nothing is overdue, though others may go on queueing.
    async fn catch_up(self: &Arc<Shared>) -> Result<(), Error> {
        loop {
            self.write_once().await?;
            if !self.is_overdue() {
                return Ok(());
            }
        }
    }

    async fn write_once(self: &Arc<Shared>) -> Result<(), Error> {
        self.writing().await;
        if self.failing.load(Ordering::Acquire) {
            let failure = locked(&self.failure).clone();
            return failure.map_or(Ok(()), |failure| Err(failure.error()));
        }
        Ok(())
    }

    fn is_overdue(&self) -> bool {
        locked(&self.queue).is_overdue()
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
            let mut batch = self.take();
            if batch.rows.is_empty() {
                self.failing.store(false, Ordering::Release);
                return Ok(());
            }
            self.write(batch.rows.iter().map(|queued| queued.row.clone()).collect()).await?;
            batch.rows.clear();
        }
    }

    async fn write_or_keep(self: &Arc<Shared>, row: AuditRow) -> Result<(), Error> {
        let written = self.write(vec![row.clone()]).await;
        if let Err(error) = &written {
            let kept = Queued { came: Instant::now(), row };
            locked(&self.queue).waiting.push_back(kept);
            self.remember(error);
            self.schedule();
        }
        written
    }

    fn remember(&self, error: &Error) {
        let failure = Failure { code: error.code(), message: error.message().into() };
        *locked(&self.failure) = Some(failure);
        self.failing.store(true, Ordering::Release);
    }

    fn take(&self) -> Batch<'_> {
        let mut queue = locked(&self.queue);
        let count = queue.waiting.len().min(BATCH);
        let rows: Vec<Queued> = queue.waiting.drain(..count).collect();
        queue.writing = rows.len();
        queue.writing_since = rows.first().map(|queued| queued.came);
        drop(queue);
        Batch { shared: self, rows }
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

/// The start of a scrubbed text that a row keeps, with `…` where it was cut. Where the text had been
/// cut before it was scrubbed, half a secret may stand at its end, so that much is left off.
fn kept(scrubbed: &str, taken: &str, most: usize) -> String {
    let was_cut = taken.len() > most + SCRUBBED_BEYOND - 4;
    let safe = if was_cut { scrubbed.len().saturating_sub(SCRUBBED_BEYOND) } else { most };
    let room = most.min(safe);
    match scrubbed.len() <= room {
        true => scrubbed.to_owned(),
        false => format!("{}…", prefix_of_bytes(scrubbed, room.saturating_sub('…'.len_utf8()))),
    }
}

/// Rows on their way to the store; those that did not get there go back to the front.
struct Batch<'s> {
    shared: &'s Shared,
    rows: Vec<Queued>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut queue = locked(&self.shared.queue);
        (queue.writing, queue.writing_since) = (0, None);
        for queued in self.rows.drain(..).rev() {
            queue.waiting.push_front(queued);
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
