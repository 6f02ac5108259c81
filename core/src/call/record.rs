//! Gate: every call leaves an audit row and an event, refused and cancelled calls too.
//!
//! `batched` puts them in a queue that is written [`LINGER`] after its first entry, or at once
//! when it holds [`QUEUE`] entries: a process that dies loses at most that much. `durable` writes
//! an intent row before the tool runs and completes it afterwards, each before the call goes on.
//!
//! When the store does not take a batch it is kept, and every further call is refused with the
//! store's error until a write succeeds: no call goes unrecorded.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;

use super::Call;
use crate::error::{Code, Error};
use crate::event::NewEvent;
use crate::limits::prefix_of_bytes;
use crate::scrub::Scrubber;
use crate::store::{AuditRow, Decision, Phase, Store};
use crate::tool::{Arguments, ToolResult};

/// How long the first entry of a batch waits for company.
const LINGER: Duration = Duration::from_millis(25);
/// How many entries wait at most.
const QUEUE: usize = 4_096;
/// How many entries one transaction writes at most.
const BATCH: usize = 512;
/// How much of the arguments a row keeps, in bytes.
const KEPT_ARGUMENTS: usize = 4_096;
/// How much more is scrubbed than kept, so that a secret that the cut would split is still seen
/// whole enough to be found: far longer than what any pattern needs for a match.
const SCRUBBED_BEYOND: usize = 1_024;
/// The longest tool name that a row keeps, in bytes: a model can send any name.
const KEPT_NAME: usize = 256;

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
    /// Soon after it has ended.
    #[default]
    Batched,
    /// An intent row before the tool runs, completed before the answer is given.
    Durable,
}

/// Writes the ledger of one runtime.
pub(crate) struct Recorder {
    mode: RecordMode,
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    scrubber: Scrubber,
    queue: Mutex<VecDeque<AuditRow>>,
    writing: tokio::sync::Mutex<()>,
    scheduled: AtomicBool,
    failed: AtomicBool,
    written: watch::Sender<u64>,
}

impl Recorder {
    pub(crate) fn new(mode: RecordMode, store: Arc<dyn Store>, scrubber: Scrubber) -> Recorder {
        let shared = Shared {
            store,
            scrubber,
            queue: Mutex::new(VecDeque::new()),
            writing: tokio::sync::Mutex::new(()),
            scheduled: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            written: watch::Sender::new(0),
        };
        Recorder { mode, shared: Arc::new(shared) }
    }

    /// Refuses to go on while the store refuses what was recorded before.
    pub(super) async fn check(&self) -> Result<(), Error> {
        if self.shared.failed.load(Ordering::Acquire) {
            self.flush().await?;
        }
        Ok(())
    }

    /// In durable mode, writes that the call is about to run.
    pub(super) async fn intend(&self, call: &Call<'_>) -> Result<(), Error> {
        if self.mode == RecordMode::Durable {
            let row = row(call, Phase::Intent, None, false, None);
            self.shared.write(vec![row]).await?;
        }
        Ok(())
    }

    /// Writes everything that is queued.
    pub(crate) async fn flush(&self) -> Result<(), Error> {
        self.shared.flush().await
    }

    /// Ticks after each write, so that readers of events need not poll.
    pub(crate) fn written(&self) -> watch::Receiver<u64> {
        self.shared.written.subscribe()
    }

    async fn put(&self, row: AuditRow) -> Result<(), Error> {
        if self.mode == RecordMode::Durable {
            return self.shared.write(vec![row]).await;
        }
        if self.shared.enqueue(row) { Ok(()) } else { self.flush().await }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, VecDeque<AuditRow>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a row. False if it must be flushed now: the queue is full, or there is no async
    /// runtime to do it later.
    fn enqueue(self: &Arc<Shared>, row: AuditRow) -> bool {
        let mut queue = self.queue();
        queue.push_back(row);
        let full = queue.len() >= QUEUE;
        drop(queue);
        !full && (self.scheduled.swap(true, Ordering::AcqRel) || self.schedule())
    }

    fn schedule(self: &Arc<Shared>) -> bool {
        let turn = Scheduled(self.clone());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return false;
        };
        runtime.spawn(async move {
            tokio::time::sleep(LINGER).await;
            let shared = turn.0.clone();
            // From here on a new entry schedules its own write.
            drop(turn);
            if let Err(error) = shared.flush().await {
                tracing::error!(code = error.code().name(), "the ledger could not be written");
            }
        });
        true
    }

    async fn flush(&self) -> Result<(), Error> {
        let _turn = self.writing.lock().await;
        loop {
            let mut batch = Batch { shared: self, rows: self.take() };
            if batch.rows.is_empty() {
                self.failed.store(false, Ordering::Release);
                return Ok(());
            }
            match self.write(batch.rows.clone()).await {
                Ok(()) => batch.rows.clear(),
                Err(error) => {
                    self.failed.store(true, Ordering::Release);
                    return Err(error);
                }
            }
        }
    }

    fn take(&self) -> Vec<AuditRow> {
        let mut queue = self.queue();
        let count = queue.len().min(BATCH);
        queue.drain(..count).collect()
    }

    async fn write(&self, mut rows: Vec<AuditRow>) -> Result<(), Error> {
        for row in &mut rows {
            let scrubbed = self.scrubber.scrub(&row.arguments);
            row.arguments = prefix_of_bytes(&scrubbed, KEPT_ARGUMENTS).to_owned();
            row.called_as = self.scrubber.scrub(&row.called_as).into_owned();
            row.tool = self.scrubber.scrub(&row.tool).into_owned();
        }
        let events = rows.iter().filter(|row| row.phase == Phase::Completed).map(event).collect();
        self.store.record_audit(rows, events).await?;
        self.written.send_modify(|count| *count += 1);
        Ok(())
    }
}

/// Rows on their way to the store; those that did not get there go back to the front.
struct Batch<'s> {
    shared: &'s Shared,
    rows: Vec<AuditRow>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        for row in self.rows.drain(..).rev() {
            queue.push_front(row);
        }
    }
}

/// The promise that a write is coming; broken promises (a runtime that shut down) are taken back.
struct Scheduled(Arc<Shared>);

impl Drop for Scheduled {
    fn drop(&mut self) {
        self.0.scheduled.store(false, Ordering::Release);
    }
}

/// A call that has not been recorded yet. Dropping it records it as cancelled.
pub(super) struct Pending<'c> {
    recorder: &'c Recorder,
    call: Call<'c>,
    recorded: bool,
}

impl<'c> Pending<'c> {
    pub(super) fn new(recorder: &'c Recorder, call: Call<'c>) -> Pending<'c> {
        Pending { recorder, call, recorded: false }
    }

    pub(super) fn call(&mut self) -> &mut Call<'c> {
        &mut self.call
    }

    /// Records how the call ended.
    pub(super) async fn finish(mut self, answer: &Result<ToolResult, Error>) -> Result<(), Error> {
        let (code, is_error, rule) = match answer {
            Ok(result) => (result.code, result.is_error, result.rule.as_deref()),
            Err(error) => (Some(error.code()), true, None),
        };
        if let Some(code) = code {
            tracing::Span::current().record("error.type", code.name());
        }
        let row = row(&self.call, Phase::Completed, code, is_error, rule);
        // A batched row is queued before anything is awaited; a durable one that is dropped on
        // its way is written by `drop`, and the store keeps whichever comes first.
        self.recorded = self.recorder.mode == RecordMode::Batched;
        self.recorder.put(row).await?;
        self.recorded = true;
        Ok(())
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.recorded {
            let row = row(&self.call, Phase::Completed, Some(Code::Cancelled), true, None);
            // Nothing can be awaited here: a full queue grows by one and is written next time.
            self.recorder.shared.enqueue(row);
        }
    }
}

fn row(
    call: &Call<'_>,
    phase: Phase,
    code: Option<Code>,
    is_error: bool,
    rule: Option<&str>,
) -> AuditRow {
    let caller = call.cx.caller();
    let called_as = match prefix_of_bytes(call.called_as, KEPT_NAME) {
        "" => "(empty)",
        name => name,
    };
    AuditRow {
        tenant: caller.tenant.clone(),
        id: call.id.clone(),
        at_ms: call.at_ms,
        phase,
        agent: caller.agent.clone(),
        user: caller.user.clone(),
        session: caller.session.clone(),
        tool: call.tool.as_ref().map_or(called_as, |tool| tool.spec.name.as_str()).to_owned(),
        called_as: called_as.to_owned(),
        decision: if call.allowed { Decision::Allowed } else { Decision::Refused },
        code: code.map(|code| code.name().to_owned()),
        rule: rule.map(str::to_owned),
        arguments: call.arguments.clone(),
        duration_us: Some(i64::try_from(call.ran.as_micros()).unwrap_or(i64::MAX)),
        is_error,
        run: caller.run.clone(),
        depth: i64::from(caller.depth),
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
        }),
    }
}

/// The start of the arguments as JSON text: as much as is scrubbed for the audit row, never more,
/// however large they are.
pub(super) fn excerpt(args: &Arguments) -> String {
    let most = KEPT_ARGUMENTS + SCRUBBED_BEYOND;
    match args {
        Arguments::Text(text) => prefix_of_bytes(text, most).to_owned(),
        Arguments::Value(value) => {
            let mut start = Start { text: Vec::with_capacity(128), most };
            // The only error is the writer's own "enough".
            if serde_json::to_writer(&mut start, value).is_err() {
                start.text.truncate(most);
            }
            let mut text = String::with_capacity(start.text.len());
            for chunk in start.text.utf8_chunks() {
                let _ = text.write_str(chunk.valid());
            }
            text
        }
    }
}

/// A writer that takes so many bytes and then refuses.
struct Start {
    text: Vec<u8>,
    most: usize,
}

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() >= self.most {
            return Err(io::Error::other("enough"));
        }
        let room = bytes.len().min(self.most - self.text.len());
        self.text.extend_from_slice(&bytes[..room]);
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_bounded_and_valid_text() {
        let long = Arguments::Value(json!({ "text": "é".repeat(1_000_000) }));
        let text = excerpt(&long);
        assert!(text.len() <= KEPT_ARGUMENTS + SCRUBBED_BEYOND);
        assert!(text.starts_with(r#"{"text":"éé"#));
        assert_eq!(excerpt(&json!({"a": 1}).into()), r#"{"a":1}"#);
    }
}
