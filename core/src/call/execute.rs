//! Gate: the tool runs, with a deadline, cancellable, and with its panics contained.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, Stop, cancelled};
use crate::error::Code;
use crate::tool::{Entry, ToolError, ToolResult};

/// The `execute` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Execute {
    /// The deadline of a call in milliseconds, where neither the caller nor the tool names one.
    #[schemars(range(min = 1))]
    pub timeout_ms: u64,
}

impl Default for Execute {
    fn default() -> Execute {
        Execute { timeout_ms: 60_000 }
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
    let outer = call.cx.cancellation();
    let token = outer.child_token();
    // Fires when this future is dropped, too, so that work outside of it can notice.
    let _stop_the_tool = token.clone().drop_guard();
    let cx = call.cx.clone().with_cancellation(token);
    // `call` itself may panic before it gives a future, so it is made inside one.
    let run = AssertUnwindSafe(async { entry.tool.call(args, cx).await }).catch_unwind();
    let started = Instant::now();
    let outcome = tokio::select! {
        biased;
        () = outer.cancelled() => None,
        outcome = tokio::time::timeout(Duration::from_millis(timeout_ms), run) => Some(outcome),
    };
    call.ran = started.elapsed();
    match outcome {
        None => Err(cancelled().into()),
        Some(Err(_elapsed)) => Err(late(entry, timeout_ms).into()),
        Some(Ok(Err(panic))) => Err(panicked(entry, panic.as_ref()).into()),
        Some(Ok(Ok(answer))) => Ok(answer?),
    }
}

fn late(entry: &Entry, timeout_ms: u64) -> ToolError {
    let text = format!(
        "`{}` did not finish within {timeout_ms} ms and was stopped. What it had done until then \
         may stand; ask for less at a time.",
        entry.spec.name
    );
    ToolError::new(Code::Timeout, text)
}

fn panicked(entry: &Entry, panic: &(dyn std::any::Any + Send)) -> ToolError {
    let why = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let text = format!(
        "`{}` panicked: {why}. This is a fault in the tool; the same call will likely fail again.",
        entry.spec.name
    );
    ToolError::new(Code::ToolPanicked, text)
}
