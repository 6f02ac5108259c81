//! Gate: the tool runs, with a deadline, cancellable, and with its panics contained.

use std::any::Any;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::state::{Call, Stop};
use crate::catch_panic::{self, CatchPanic};
use crate::error::Code;
use crate::tool::{Entry, ToolError, ToolResult};

/// The `execute` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Execute {
    /// The deadline of a call in milliseconds, if neither the caller nor the tool names one.
    #[schemars(range(min = 1))]
    pub timeout_ms: u64,
    /// How many calls of one turn run side by side at most, 1 to 256.
    #[schemars(range(min = 1, max = 256))]
    pub parallel: usize,
}

impl Default for Execute {
    fn default() -> Execute {
        Execute { timeout_ms: 60_000, parallel: 8 }
    }
}

pub(super) async fn pass(
    config: &Execute,
    entry: &Entry,
    args: Value,
    call: &mut Call<'_>,
) -> Result<ToolResult, Stop> {
    let timeout_ms =
        call.cx.caller().timeout_ms.or(entry.spec.timeout_ms).unwrap_or(config.timeout_ms);
    let token = call.cx.cancellation().child_token();
    // Fires when this future is dropped, too, so that work outside of it can notice.
    let stop_the_tool = token.clone().drop_guard();
    let cx = call.cx.clone().with_cancellation(token).with_opener(call.opener.clone());
    let cx =
        cx.with_call_secrets(call.secrets.clone()).with_plan(call.plan.clone(), call.cli.clone());
    let cx = cx.with_body(call.body.clone());
    let started = *call.started.insert(Instant::now());
    let outcome = match CatchPanic::start(|| entry.tool.call(args, cx)) {
        Ok(run) => tokio::time::timeout(Duration::from_millis(timeout_ms), run).await,
        Err(panic) => Ok(Err(panic)),
    };
    call.ran = Some(started.elapsed());
    match outcome {
        Err(_elapsed) => Err(late(entry, timeout_ms).into()),
        Ok(Err(panic)) => Err(panicked(entry, panic.as_ref()).into()),
        Ok(Ok(answer)) => {
            // It has answered: what it left running in the background may go on.
            stop_the_tool.disarm();
            answer.map_err(|error| match error.for_host() {
                Some(error) => Stop::Failed(error),
                None => Stop::Refused(error),
            })
        }
    }
}

fn late(entry: &Entry, timeout_ms: u64) -> ToolError {
    let text = format!(
        "`{}` did not finish within {timeout_ms} ms and was given up. What it had begun may still \
         take effect; look before you repeat it, and ask for less at a time.",
        entry.spec.name
    );
    ToolError::new(Code::Timeout, text)
}

fn panicked(entry: &Entry, panic: &(dyn Any + Send)) -> ToolError {
    let why = catch_panic::message(panic);
    let text = format!(
        "`{}` panicked: {why}. This is a fault in the tool; the same call will likely fail again.",
        entry.spec.name
    );
    ToolError::new(Code::ToolPanicked, text)
}
