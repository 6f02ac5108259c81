//! Carries orders out, for every tool that runs something.

use std::sync::Arc;
use std::time::Duration;

use super::exec_request::{Wanted, not_run, request};
use super::report::render;
use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::{Control, Done, ExecRequest, NotRun};
use crate::tool::{CallContext, Caller, ToolError, ToolResult};

/// The longest that a command may take.
pub(super) const LONGEST: Duration = Duration::from_secs(3_600);

/// What the call has left for clearing up after a command that took all its time.
pub(super) const SPARE: Duration = Duration::from_secs(10);

/// Runs a judged command to its end, for every tool that takes one.
pub(super) async fn finished(
    deps: &Deps,
    wanted: Wanted<'_>,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let request = request(deps, wanted, cx).await?;
    ended(deps, request, cx).await
}

/// Runs an order to its end.
pub(super) async fn ended(
    deps: &Deps,
    request: ExecRequest,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let limit = request.timeout;
    render(carried_out(deps, request, cx).await?, limit, cx)
}

/// Carries an order out and waits for its end.
pub(super) async fn carried_out(
    deps: &Deps,
    request: ExecRequest,
    cx: &CallContext,
) -> Result<Done, ToolError> {
    let scrubber = cx.scrubber(&deps.scrubbers);
    let control = Control::new().map_err(|error| not_run(NotRun::from(error)))?;
    // Whoever gives the call up ends the command.
    let cancelled = Cancelled(control.clone());
    let (reply, done) = tokio::sync::oneshot::channel();
    let host = Arc::clone(&deps.host);
    tokio::task::spawn_blocking(move || {
        host.run(request, &control, &scrubber, |done| drop(reply.send(done)));
    });
    let done = done.await.map_err(|_| {
        ToolError::new(Code::Internal, "The thread that ran the command ended early.")
    })?;
    drop(cancelled);
    done.map_err(not_run)
}

/// How long a command may take: as long as it says, or the owner's default, and never so long that the
/// call is given up before the command has been ended in good order.
pub(super) fn timeout(deps: &Deps, wanted: Option<u64>, caller: &Caller) -> Duration {
    let default = deps.host.usual_timeout(caller.agent.as_deref());
    let wanted = wanted.map_or(default, Duration::from_millis).min(LONGEST);
    match caller.timeout_ms.map(Duration::from_millis) {
        Some(of_call) => wanted.min(of_call.saturating_sub(SPARE).max(of_call / 2)),
        None => wanted,
    }
}

/// Ends the command when it is dropped.
struct Cancelled(Control);

impl Drop for Cancelled {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
