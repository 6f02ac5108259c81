//! Gate: every call leaves an audit row and an event, refused and cancelled calls too.

use std::time::Duration;

use super::recorder::{RecordMode, Recorder, TAKEN_NAME, kept_arguments, kept_name};
use super::state::Call;
use crate::error::{Code, Error};
use crate::limits::prefix_of_bytes;
use crate::store::{AuditRow, Decision, Phase};
use crate::tool::ToolResult;

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
            self.call.span.record("error.type", code.name());
        }
        let row = row(self.recorder, &mut self.call, Phase::Completed, code, is_error, rule);
        // The recorder takes the row over before it waits for anything.
        self.recorded = true;
        self.recorder.put(row).await
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.recorded {
            let row = row(
                self.recorder,
                &mut self.call,
                Phase::Completed,
                Some(Code::Cancelled),
                true,
                None,
            );
            // Nothing can be awaited here: a full queue grows by one and is written next time.
            let _ = self.recorder.enqueue(row);
        }
    }
}

/// In durable mode, writes that the call is about to run.
pub(super) async fn intend(recorder: &Recorder, call: &mut Call<'_>) -> Result<(), Error> {
    if recorder.mode == RecordMode::Batched {
        return Ok(());
    }
    let (arguments, notes) = (call.arguments.clone(), call.notes.clone());
    let row = row(recorder, call, Phase::Intent, None, false, None);
    (call.arguments, call.notes) = (arguments, notes);
    recorder.put(row).await
}

/// The row of a call. It takes the arguments and the notes along.
fn row(
    recorder: &Recorder,
    call: &mut Call<'_>,
    phase: Phase,
    code: Option<Code>,
    is_error: bool,
    rule: Option<&str>,
) -> AuditRow {
    let caller = call.cx.caller();
    let called_as = match prefix_of_bytes(call.called_as, TAKEN_NAME) {
        "" => "(empty)",
        name => name,
    };
    let tool = call.tool.as_ref().map_or(called_as, |tool| tool.spec.name.as_str());
    let (mut tool, mut called_as) = (tool.to_owned(), called_as.to_owned());
    if let Some(opened) = call.opener.as_ref().and_then(|opener| opener.notes()) {
        call.notes.insert("vault".into(), opened);
    }
    mask(recorder, call, [&mut tool, &mut called_as]);
    let ran = call.ran.or_else(|| call.started.map(|started| started.elapsed()));
    AuditRow {
        tenant: caller.tenant.clone(),
        id: call.id.clone(),
        at_ms: call.at_ms,
        phase,
        agent: caller.agent.clone(),
        user: caller.user.clone(),
        session: caller.session.clone(),
        tool,
        called_as,
        decision: if call.allowed { Decision::Allowed } else { Decision::Refused },
        code: code.map(|code| code.name().to_owned()),
        rule: rule.map(str::to_owned),
        arguments: std::mem::take(&mut call.arguments),
        duration_us: Some(microseconds(ran.unwrap_or_default())),
        is_error,
        run: caller.run.clone(),
        depth: i64::from(caller.depth),
        notes: Some(std::mem::take(&mut call.notes)).filter(|notes| !notes.is_empty()),
    }
}

/// Masks what only this call knows to be secret: whoever writes the row knows the tenant's alone.
fn mask(recorder: &Recorder, call: &mut Call<'_>, names: [&mut String; 2]) {
    let mut own = call.secrets().peekable();
    if own.peek().is_none() {
        return;
    }
    let scrubber = recorder.scrubbers().of(&call.cx.caller().tenant);
    let scrubber = own.fold(scrubber, |scrubber, values| scrubber.with_values(values));
    call.arguments = kept_arguments(&scrubber, &call.arguments);
    for name in names {
        *name = kept_name(&scrubber, name);
    }
    for note in call.notes.values_mut() {
        scrubber.scrub_json(note);
    }
}

fn microseconds(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}
