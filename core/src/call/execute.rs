//! Gate: the tool runs, with a deadline, cancellable, and with its panics contained.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, Stop};
use crate::error::Code;
use crate::tool::{Entry, ToolError, ToolResult};

/// The `execute` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Execute {
    /// The deadline of a call in milliseconds, where neither the caller nor the tool names one.
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
    let cx = call.cx.clone().with_cancellation(token);
    let started = *call.started.insert(Instant::now());
    let outcome = match Contained::start(|| entry.tool.call(args, cx)) {
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

type Panic = Box<dyn Any + Send>;

/// A tool's future whose panics are caught, also those of its end.
struct Contained<'t>(Option<BoxFuture<'t, Result<ToolResult, ToolError>>>);

impl<'t> Contained<'t> {
    fn start(
        call: impl FnOnce() -> BoxFuture<'t, Result<ToolResult, ToolError>>,
    ) -> Result<Contained<'t>, Panic> {
        catch_unwind(AssertUnwindSafe(call)).map(|run| Contained(Some(run)))
    }
}

impl Future for Contained<'_> {
    type Output = Result<Result<ToolResult, ToolError>, Panic>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(run) = &mut self.0 else { return Poll::Pending };
        match catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

impl Drop for Contained<'_> {
    fn drop(&mut self) {
        let run = self.0.take();
        // The tool's own destructors may panic; there is nobody left to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(run)));
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
