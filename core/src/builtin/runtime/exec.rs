//! `exec`

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::credentialed;
use super::ordered::{Wanted, not_run, order};
use super::process;
use super::told::told;
use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::{Console, Control, Done, NotRun, Order};
use crate::kind::Capability;
use crate::tool::{CallContext, Caller, Tool, ToolError, ToolResult, tool_fn};

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
    /// How long it may take, in milliseconds: at most 3,600,000. Default: 60,000, or 300,000 in a
    /// sandbox.
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
    if let Some(cli) = credentialed::called(deps, cx).await? {
        if args.background {
            return Err(credentialed::not_in_background(&cli));
        }
        return credentialed::run(deps, cx, cli, args.stdin, args.timeout_ms).await;
    }
    let input = args.stdin.unwrap_or_default().into_bytes();
    let timeout = match args.background {
        true => args.timeout_ms.map_or(Duration::MAX, Duration::from_millis),
        false => timeout(deps, args.timeout_ms, cx.caller()),
    };
    let (command, console) = (args.command.as_str(), Console::Once);
    let wanted = Wanted { command, argument: "command", input, console, timeout };
    if args.background {
        let process = process::start(deps, wanted, cx).await?;
        return Ok(process::told_of_start(&process, Duration::ZERO).await);
    }
    finished(deps, wanted, cx).await
}

/// Runs a judged command to its end, for every tool that takes one.
pub(super) async fn finished(
    deps: &Deps,
    wanted: Wanted<'_>,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let order = order(deps, wanted, cx).await?;
    ended(deps, order, cx).await
}

/// Runs an order to its end.
pub(super) async fn ended(
    deps: &Deps,
    order: Order,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let limit = order.timeout;
    told(carried_out(deps, order, cx).await?, limit, cx)
}

/// Carries an order out and waits for its end.
pub(super) async fn carried_out(
    deps: &Deps,
    order: Order,
    cx: &CallContext,
) -> Result<Done, ToolError> {
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
