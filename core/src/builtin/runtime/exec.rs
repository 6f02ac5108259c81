//! `exec`

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::ordered::{Wanted, not_run, order};
use super::process;
use super::told::told;
use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::{Console, Control, NotRun};
use crate::kind::Capability;
use crate::tool::{CallContext, Tool, ToolError, ToolResult, tool_fn};

/// Runs a command of a shell and gives what it writes, and how it ends. It is checked before it runs:
/// what is harmful is refused, with the reason and what to do instead. It runs in the workspace and
/// can do no more than it was understood to do: write there and in `/tmp`, and reach the hosts that it
/// names. Every process that it leaves behind is ended with it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the judge reads the folder; the plan says it again")]
struct Args {
    /// The command.
    command: String,
    /// The folder that it starts in, relative to the workspace. Default: the workspace.
    #[serde(default)]
    working_dir: Option<String>,
    /// How long it may take, in milliseconds: at most 3,600,000. Default: 60,000.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600_000))]
    timeout_ms: Option<u64>,
    /// What it is given on standard input. Default: nothing.
    #[serde(default)]
    stdin: Option<String>,
    /// True for a command that is to go on while other things are done: a server, a long build. The
    /// result names it, and the tool `process` looks after it. It ends with `timeout_ms` only where
    /// that is given.
    #[serde(default)]
    background: bool,
}

/// The longest that a command may take.
pub(super) const LONGEST: Duration = Duration::from_secs(3_600);

/// What the call has left for clearing up after a command that took all its time.
pub(super) const SPARE: Duration = Duration::from_secs(10);

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, host) = (deps.clone(), deps.host.clone());
    tool_fn("exec", move |args: Args, cx| {
        let deps = deps.clone();
        async move { run(&deps, args, &cx).await }
    })
    .group("runtime")
    .capability(Capability::Mutating)
    .timeout(LONGEST + SPARE)
    .shell_command("command")
    .shell_cwd("working_dir")
    .shell_stdin("stdin")
    .argument_aliases("working_dir", &["cwd", "workdir"])
    .argument_aliases("background", &["run_in_background"])
    // A secret in a command would stand in the list of processes.
    .keeps_placeholders()
    .confines(move || host.confines())
}

async fn run(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let input = args.stdin.unwrap_or_default().into_bytes();
    if args.background {
        let timeout = args.timeout_ms.map_or(Duration::MAX, Duration::from_millis);
        let wanted = Wanted {
            command: &args.command,
            argument: "command",
            input,
            console: Console::Once,
            timeout,
        };
        let process = process::start(deps, wanted, cx).await?;
        return Ok(process::told_of_start(&process, Duration::ZERO).await);
    }
    let limit = timeout(deps, args.timeout_ms, cx.caller().timeout_ms);
    let wanted = Wanted {
        command: &args.command,
        argument: "command",
        input,
        console: Console::Once,
        timeout: limit,
    };
    finished(deps, wanted, cx).await
}

/// Runs a judged command to its end, for every tool that takes one.
pub(super) async fn finished(
    deps: &Deps,
    wanted: Wanted<'_>,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let order = order(deps, wanted, cx).await?;
    let limit = order.timeout;
    let scrubber = deps.scrubbers.of_call(cx);
    let control = Control::new().map_err(|error| not_run(NotRun::from(error)))?;
    // Whoever gives the call up ends the command.
    let cancelled = Cancelled(control.clone());
    let (tell, done) = tokio::sync::oneshot::channel();
    let host = Arc::clone(&deps.host);
    tokio::task::spawn_blocking(move || {
        host.run(order, &control, &scrubber, |done| drop(tell.send(done)));
    });
    let done = done.await.map_err(|_| {
        ToolError::new(Code::Internal, "The thread that ran the command ended early.")
    })?;
    drop(cancelled);
    Ok(told(done.map_err(not_run)?, limit))
}

/// How long a command may take: as long as it says, or the owner's default, and never so long that the
/// call is given up before the command has been ended in good order.
pub(super) fn timeout(deps: &Deps, wanted: Option<u64>, of_call: Option<u64>) -> Duration {
    let default = Duration::from_secs(deps.host.config().timeout_seconds);
    let wanted = wanted.map_or(default, Duration::from_millis).min(LONGEST);
    match of_call.map(Duration::from_millis) {
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
