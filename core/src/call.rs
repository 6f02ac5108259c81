//! The one path that every call takes, a file per gate:
//!
//! ```text
//! resolve    name or alias → tool
//! policy     the compiled decision for this caller: hidden is refused
//! activate   a deferred tool that is called is active from then on
//! arguments  parse, empty-args hint, JSON Schema
//! assess     Tool::assess → what the call touches, the tool's own objection
//! command    what a command of a shell does that the call brings along
//! budget     calls of the run, rate limit of the session
//! loops      a run that repeats itself is warned, then stopped
//! before     hooks of the host: none yet
//! taint      what the session has read, and what that means for this call
//! approve    somebody's word, where the call wants it
//! redundancy a call that would read the same again gets the last result
//! once       a call that ran before under its key is not run again: no keys yet
//! unseal     vault placeholders get their secrets, where they are bound
//! execute    deadline, cancellation, panic isolation
//! scrub      every text field of the result
//! after      hooks of the host, on masked content: none yet
//! shape      cap by lines and characters; the whole goes to an artifact
//! record     audit row, event, span
//! ```
//!
//! Whatever the model caused comes out as a result with `is_error` and a code. Only a store that
//! does not answer, the caller's own cancellation, or a closed runtime is an error.

mod activate;
mod after;
mod all;
mod approve;
mod arguments;
mod assess;
mod before;
mod budget;
mod cli;
mod command;
mod excerpt;
mod execute;
mod loops;
mod once;
mod path;
mod policy;
mod record;
mod recorder;
mod redundancy;
mod resolve;
mod runs;
mod scrub;
mod shape;
mod signature;
mod state;
mod taint;
mod unseal;

pub use all::{CallAnswer, CallRequest, TurnCall};
pub use approve::{
    ApprovalAnswer, ApprovalConfig, ApprovalMode, ApprovalRequest, Approve, AskReason,
};
pub use budget::{Budget, RateLimit};
pub use execute::Execute;
pub use loops::{Loops, Thresholds};
pub use policy::{Explanation, PolicyDiff, ToolChange};
pub use recorder::{Record, RecordMode};
pub use redundancy::Redundancy;
pub use shape::Output;

pub(crate) use activate::Finder;
pub(crate) use approve::{ApproveGate, Kept, chosen, keep, only_allowed};
pub(crate) use command::STANDING;
pub(crate) use path::{CallPath, Limits, Reads, Shell, Texts, Tools};
pub(crate) use policy::{
    Candidate, Decided, Parts as PolicyParts, PolicyFile, PolicyGate, Written,
};
pub(crate) use recorder::Recorder;
pub(crate) use redundancy::RedundancyGate;
pub(crate) use runs::Runs;
pub(crate) use shape::NOTE_CHARS;
pub(crate) use taint::Marked;

use std::sync::Arc;

use serde_json::Map;
use tracing::Instrument;

use crate::body::BodySlot;
use crate::error::{Code, Error};
use crate::id::new_id;
use crate::limits::TooMuch;
use crate::tool::{Arguments, CallContext, Caller, Snapshot, ToolResult};
use crate::vault::Opener;
use state::{Call, Judged, Stop};

impl CallPath {
    /// The tools as a caller has them, with the custom ones as the store has them.
    ///
    /// # Errors
    /// The store's.
    pub async fn tools_of(&self, caller: &Caller) -> Result<Arc<Snapshot>, Error> {
        if let Some(custom) = &self.tools.custom
            && !custom.is_fresh(caller)
        {
            Box::pin(custom.follow(caller)).await?;
        }
        Ok(self.tools.registries.of(caller))
    }

    /// The tools for a call. Where the store does not answer, a call of what is no custom tool goes on
    /// with those that are known.
    async fn tools_for(&self, caller: &Caller, name: &str) -> Result<Arc<Snapshot>, Error> {
        match self.tools_of(caller).await {
            Ok(snapshot) => Ok(snapshot),
            Err(error) => {
                let snapshot = self.tools.registries.of(caller);
                let found = snapshot.find(name);
                let is_other = found.is_some_and(|found| !found.entry.is_custom());
                if is_other { Ok(snapshot) } else { Err(error) }
            }
        }
    }

    /// Takes one call along the path.
    pub async fn call(
        &self,
        cx: &CallContext,
        name: &str,
        args: Arguments,
    ) -> Result<ToolResult, Error> {
        self.call_among(cx, name, args, None).await
    }

    /// Takes one call along the path, perhaps one of several of a turn.
    async fn call_among(
        &self,
        cx: &CallContext,
        name: &str,
        args: Arguments,
        claims: Option<&approve::Claims>,
    ) -> Result<ToolResult, Error> {
        cx.caller().check()?;
        if self.recorder.is_behind() {
            Box::pin(self.recorder.catch_up()).await?;
        }
        let span = tracing::info_span!(
            "execute_tool",
            "gen_ai.operation.name" = "execute_tool",
            "gen_ai.tool.name" = tracing::field::Empty,
            "gen_ai.agent.name" = cx.caller().agent,
            "error.type" = tracing::field::Empty,
        );
        self.walk(cx, name, args, claims, span.clone()).instrument(span).await
    }

    async fn walk(
        &self,
        cx: &CallContext,
        name: &str,
        args: Arguments,
        claims: Option<&approve::Claims>,
        span: tracing::Span,
    ) -> Result<ToolResult, Error> {
        // Before anything walks through them: no depth and no size may harm what follows.
        let args = arguments::within_limits(args);
        let at_ms = self.clock.now_ms();
        let call = Call {
            id: new_id(),
            cx,
            called_as: name,
            at_ms,
            arguments: args.as_ref().map(excerpt::excerpt).unwrap_or_default(),
            tool: None,
            repairs: Vec::new(),
            notes: Map::new(),
            ask: Vec::new(),
            claims,
            run: self.limits.history.of(cx.caller(), at_ms),
            is_counted: false,
            watched: None,
            is_loop: false,
            fresh: None,
            is_cached: false,
            opener: self.texts.vault.as_ref().and_then(|vault| {
                let caller = cx.caller();
                Opener::of(vault, &caller.tenant, caller.session.as_deref())
            }),
            // A call that a tool makes is a part of the tool's own.
            secrets: cx.call_secrets().cloned().unwrap_or_default(),
            body: BodySlot::default(),
            plan: None,
            cli: None,
            unasked: false,
            allowed: false,
            started: None,
            ran: None,
            span,
        };
        let mut pending = record::Pending::new(&self.recorder, call);
        let outcome = tokio::select! {
            biased;
            () = cx.cancellation().cancelled() => Err(cancelled().into()),
            outcome = self.run(pending.call(), args) => outcome,
        };
        let answer = self.finish(pending.call(), outcome).await;
        pending.finish(&answer).await?;
        answer
    }

    /// The gates that decide on the call without doing anything, in order. A call that was allowed
    /// later, or with other arguments, passes them once more.
    async fn judge(
        &self,
        call: &mut Call<'_>,
        args: Result<Arguments, TooMuch>,
    ) -> Result<Judged, Stop> {
        let snapshot = self.tools_for(call.cx.caller(), call.called_as).await?;
        let found = snapshot.find(call.called_as);
        call.tool = found.map(|found| found.entry.clone());
        // A name that is no tool's is a model's invention, and may hold anything.
        let known = call.tool.as_ref().map_or("(unknown)", |tool| tool.spec.name.as_str());
        call.span.record("gen_ai.tool.name", known);
        budget::count(&self.limits.budget, call)?;
        let decision = match self.policy.remembered(&snapshot, call.cx.caller()) {
            Some(decision) => decision?,
            None => Box::pin(self.policy.decision(&snapshot, call.cx.caller())).await?,
        };
        let Some(found) = found else {
            let scrubber = call.cx.scrubber(&self.texts.scrubbers);
            let refusal = resolve::refusal(&snapshot, &scrubber, call.called_as, &decision);
            return Err(refusal.into());
        };
        let entry = found.entry.clone();
        policy::pass(&decision, &snapshot, &entry, &mut call.notes)?;
        activate::pass(
            &self.tools.deferred,
            &snapshot,
            decision.offered(),
            &entry,
            call.cx.caller(),
        );
        let args = arguments::pass(found, args)?.noted(call);
        policy::pass_target(&decision, &entry, &args, &mut call.notes)?;
        let mut assessment = assess::pass(&entry, &args, call.cx)?;
        let command = match entry.brings_command() {
            true => Box::pin(command::pass(self, &entry, &args, call, &mut assessment)).await?,
            false => None,
        };
        Ok(Judged { decision, entry, args, assessment, command })
    }

    /// The gates up to the tool's own answer, in order.
    async fn run(
        &self,
        call: &mut Call<'_>,
        args: Result<Arguments, TooMuch>,
    ) -> Result<ToolResult, Stop> {
        let mut judged = self.judge(call, args).await?;
        if let Some(limit) = &self.limits.rate {
            Box::pin(budget::pass(self, limit, call.cx.caller(), call.at_ms)).await?;
        }
        loops::before(&self.limits.loops, &judged, call)?;
        before::pass(&judged)?;
        let role = taint::Role::of(&judged.decision, &judged.entry);
        let mut watched = Box::pin(taint::watch(self, role, &judged, call)).await?;
        if role.is_guarded {
            Box::pin(taint::before(self, role, watched.as_ref(), call)).await?;
        }
        if approve::is_wanted(&judged, call) {
            judged = Box::pin(approve::pass(self, judged, call)).await?;
            // The arguments may be others now, and the files, too.
            watched = Box::pin(taint::watch(self, role, &judged, call)).await?;
        } else {
            command::confined(&judged, call)?;
        }
        call.allowed = true;
        let recalled = self
            .reads
            .redundancy
            .recall(&judged.entry, &judged.args, &judged.assessment, call)
            .await;
        if recalled.is_none() {
            once::pass(&judged)?;
            let sealed = command::given(&judged.entry, &judged.args).cloned();
            unseal::pass(self, &judged.entry, &mut judged.args, &judged.assessment, call)?;
            if sealed.as_ref() == command::given(&judged.entry, &judged.args) {
                call.plan = command::settled(&judged, call);
                call.cli = judged.command.as_ref().and_then(|command| command.cli.clone());
            }
            if self.recorder.mode == RecordMode::Durable {
                Box::pin(record::intend(&self.recorder, call)).await?;
            }
        }
        let outcome = match recalled {
            Some(result) => Ok(result),
            None => {
                let changing = self.reads.redundancy.watch(&judged.entry, &judged.assessment);
                let outcome = execute::pass(&self.execute, &judged.entry, judged.args, call).await;
                if let Some(changing) = changing {
                    changing.end(&outcome);
                }
                outcome
            }
        };
        if role.is_marking(watched.as_ref()) {
            Box::pin(taint::after(self, role, call.cx.caller(), watched, &outcome)).await?;
        }
        outcome
    }

    /// The gates that every answer passes, refusals too.
    async fn finish(
        &self,
        call: &mut Call<'_>,
        outcome: Result<ToolResult, Stop>,
    ) -> Result<ToolResult, Error> {
        let scrubber = unseal::scrubber(self, call);
        let body = call.body.take().filter(|_| outcome.is_ok());
        let mut result = match outcome {
            Ok(result) => result,
            Err(Stop::Refused(refusal)) => refusal.into(),
            Err(Stop::Failed(error)) => return Err(unseal::masked(&scrubber, error)),
        };
        if result.is_error {
            result.code.get_or_insert(Code::ToolFailed);
        } else {
            result.code = None;
        }
        // Only `shape` makes artifacts: an id from elsewhere would lead nowhere.
        result.artifact = None;
        result.repairs = std::mem::take(&mut call.repairs);
        result.cached = call.is_cached;
        scrub::pass(&scrubber, call.opener.as_deref(), &mut result);
        after::pass(&mut result);
        approve::mention(self, call, &mut result);
        let advice = loops::after(&self.limits.loops, call, &mut result).unwrap_or_default();
        // A call that is one too many answers something else.
        let body = body.filter(|_| result.code != Some(Code::LoopDetected));
        if body.is_some() || !shape::fits(&self.texts.output, &result, &advice) {
            Box::pin(shape::pass(self, &mut result, body, &advice, call)).await?;
        }
        if call.opener.as_ref().is_some_and(|opener| opener.is_used()) {
            call.fresh = None;
        }
        self.reads.redundancy.keep(call, &result);
        shape::append(&mut result, &advice);
        result.call_id.clone_from(&call.id);
        let ran = call.ran.unwrap_or_default();
        result.duration_us = u64::try_from(ran.as_micros()).unwrap_or(u64::MAX);
        Ok(result)
    }
}

/// The error of a call that its caller cancelled.
fn cancelled() -> Error {
    Error::new(Code::Cancelled, "the call was cancelled by its caller")
}
