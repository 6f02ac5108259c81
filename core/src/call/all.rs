//! The calls of one model turn: what is independent runs side by side, the rest in order.

use futures_util::StreamExt;
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approve::Claims;
use super::arguments::Prepared;
use super::path::CallPath;
use super::{Decided, arguments, assess};
use crate::error::{Code, Error};
use crate::kind::{Capability, Effect, Resource};
use crate::limits::check_json;
use crate::tool::{Arguments, CallContext, Snapshot, ToolError, ToolResult};

/// One call of a model's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    /// The id that the provider gave the call; it comes back with the answer.
    pub id: String,
    /// The tool, as the model named it.
    pub name: String,
    /// The arguments: JSON, or JSON text in a string.
    #[serde(default)]
    pub arguments: Value,
}

/// One call of a model's turn, with its arguments as the host's own reader left them.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnCall {
    /// The id that the provider gave the call; it comes back with the answer.
    pub id: String,
    /// The tool, as the model named it.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
}

impl From<CallRequest> for TurnCall {
    fn from(request: CallRequest) -> TurnCall {
        let CallRequest { id, name, arguments } = request;
        let arguments = match arguments {
            Value::String(text) => Arguments::Text(text),
            value => Arguments::Value(value),
        };
        TurnCall { id, name, arguments }
    }
}

/// The answer to a [`CallRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallAnswer {
    /// The id of the request.
    pub id: String,
    /// What it came to.
    pub result: ToolResult,
}

/// What a call uses, as far as order matters.
#[derive(Clone, Debug, PartialEq)]
enum Use {
    /// Nothing that another call could change.
    Nothing,
    /// These.
    Declared(Vec<(Effect, Resource)>),
    /// It only reads, but does not say what.
    ReadsSomething,
    /// It may change anything.
    Unknown,
}

impl Use {
    fn conflicts(&self, other: &Use) -> bool {
        match (self, other) {
            (Use::Nothing, _) | (_, Use::Nothing) | (Use::ReadsSomething, Use::ReadsSomething) => {
                false
            }
            (Use::Unknown, _) | (_, Use::Unknown) => true,
            (Use::ReadsSomething, Use::Declared(uses))
            | (Use::Declared(uses), Use::ReadsSomething) => {
                uses.iter().any(|(effect, _)| *effect == Effect::Write)
            }
            (Use::Declared(a), Use::Declared(b)) => a.iter().any(|(effect, resource)| {
                b.iter().any(|(other_effect, other)| {
                    (*effect == Effect::Write || *other_effect == Effect::Write)
                        && resource.overlaps(other)
                })
            }),
        }
    }
}

impl CallPath {
    /// Takes the calls of one turn along the path. Every request is answered, in order; an error
    /// of one becomes its answer and never loses a sibling.
    pub async fn call_all(&self, cx: &CallContext, requests: Vec<TurnCall>) -> Vec<CallAnswer> {
        let snapshot = match self.tools_of(cx.caller()).await {
            Ok(snapshot) => snapshot,
            Err(_) => self.tools.registries.of(cx.caller()),
        };
        // Without a decision each call fails by itself, and says why.
        let decision = self.policy.decision(&snapshot, cx.caller()).await.ok();
        let mut answers = Vec::with_capacity(requests.len());
        let mut wave: Vec<(TurnCall, Use)> = Vec::new();
        let claims = Claims::default();
        for request in requests {
            let uses = match &decision {
                Some(decision) => uses(&snapshot, decision, &request, cx),
                None => Use::Nothing,
            };
            if wave.iter().any(|(_, earlier)| earlier.conflicts(&uses)) {
                answers.extend(self.run_wave(cx, std::mem::take(&mut wave), &claims).await);
            }
            wave.push((request, uses));
        }
        answers.extend(self.run_wave(cx, wave, &claims).await);
        answers
    }

    async fn run_wave(
        &self,
        cx: &CallContext,
        wave: Vec<(TurnCall, Use)>,
        claims: &Claims,
    ) -> Vec<CallAnswer> {
        let calls = wave.into_iter().map(|(request, _)| async move {
            let TurnCall { id, name, arguments } = request;
            let result = self.call_among(cx, &name, arguments, Some(claims)).await;
            CallAnswer { id, result: result.unwrap_or_else(|error| self.answer_of(&error)) }
        });
        stream::iter(calls).buffered(self.execute.parallel).collect().await
    }

    /// What the model is told of an error that is the host's business. Its own text may name files
    /// of the host, so that goes to the log.
    fn answer_of(&self, error: &Error) -> ToolResult {
        let text = match error.code() {
            Code::Cancelled => "The call was cancelled.",
            Code::Closed => "The call was not made: the tools are closed.",
            _ => {
                let message = self.texts.scrubbers.shared().scrub(error.message());
                tracing::error!(code = error.code().name(), %message, "a call failed");
                "The call failed in the tool layer itself, not in the tool. Tell the user; the same \
                 call will likely fail again for now."
            }
        };
        ToolError::new(error.code(), text).into()
    }
}

/// What a request uses. One that will be refused anyway uses nothing, and its tool is not asked.
fn uses(snapshot: &Snapshot, decision: &Decided, request: &TurnCall, cx: &CallContext) -> Use {
    let found = snapshot.find(&request.name);
    let Some(found) = found.filter(|found| decision.lets_pass(found.entry.id)) else {
        return Use::Nothing;
    };
    let entry = &found.entry;
    if matches!(&request.arguments, Arguments::Value(value) if check_json(value).is_err()) {
        return Use::Nothing;
    }
    let args = arguments::within_limits(request.arguments.clone());
    let args = arguments::pass(found, args);
    let Ok(Prepared { args, .. }) = args else { return Use::Nothing };
    let capabilities = &entry.spec.capabilities;
    // What goes on after its answer, and what cannot be undone, is never beside another call.
    let is_alone = [Capability::Async, Capability::Destructive];
    match assess::ask(entry, &args, cx) {
        Err(_) => Use::Nothing,
        Ok(_) if is_alone.iter().any(|one| capabilities.contains(one)) => Use::Unknown,
        Ok(assessment) => used(entry.spec.is_read_only(), assessment.touches),
    }
}

/// What a call uses that declares to touch this.
fn used(only_reads: bool, touches: Vec<(Effect, Resource)>) -> Use {
    let writes = touches.iter().any(|(effect, _)| *effect == Effect::Write);
    match (only_reads, touches.is_empty()) {
        (true, true) => Use::ReadsSomething,
        // It changes something, and does not say what.
        (false, _) if !writes => Use::Unknown,
        _ => Use::Declared(touches),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_write_to_the_same_thing_conflicts() {
        let file = |effect, path: &str| Use::Declared(vec![(effect, Resource::Path(path.into()))]);
        let read = file(Effect::Read, "a");
        let write = file(Effect::Write, "a");
        assert!(!read.conflicts(&read));
        assert!(read.conflicts(&write) && write.conflicts(&read));
        assert!(!write.conflicts(&file(Effect::Write, "b")));
        assert!(Use::Unknown.conflicts(&read) && Use::Unknown.conflicts(&Use::ReadsSomething));
        assert!(Use::ReadsSomething.conflicts(&write));
        assert!(!Use::ReadsSomething.conflicts(&read));
        assert!(!Use::Nothing.conflicts(&Use::Unknown));
    }

    #[test]
    fn a_call_that_changes_something_but_declares_only_what_it_reads_may_change_anything() {
        let touch = |effect| vec![(effect, Resource::Path("a".into()))];
        assert_eq!(used(false, touch(Effect::Read)), Use::Unknown);
        assert_eq!(used(false, Vec::new()), Use::Unknown);
        assert_eq!(used(true, Vec::new()), Use::ReadsSomething);
        let reads = touch(Effect::Read);
        assert_eq!(used(true, reads.clone()), Use::Declared(reads));
        let writes = touch(Effect::Write);
        assert_eq!(used(false, writes.clone()), Use::Declared(writes));
    }
}
