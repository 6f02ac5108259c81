//! `exec`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::told::told;
use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::sandbox::Whose;
use crate::exec::{Canceller, NotRun, Order};
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
}

/// The longest that a command may take.
const LONGEST: Duration = Duration::from_secs(3_600);

/// What the call has left for clearing up after a command that took all its time.
const SPARE: Duration = Duration::from_secs(10);

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
    // A secret in a command would stand in the list of processes.
    .keeps_placeholders()
    .confines(move || host.confines())
}

async fn run(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let plan = cx.plan().ok_or_else(|| {
        ToolError::new(Code::Internal, "The command was not judged, so it has not run.")
    })?;
    if args.command.trim().is_empty() {
        let text = "`command` is empty; give the command that is to run.";
        return Err(ToolError::new(Code::InvalidArguments, text));
    }
    // Without a workspace there is no folder to run in, as for files.
    deps.files.check_workspace(cx).await?;
    let caller = cx.caller();
    let places = deps.files.places(caller)?;
    let seen = places.readable.iter().chain(&places.writable).map(PathBuf::from).collect();
    let session = caller.session.as_deref().unwrap_or_default();
    let order = Order {
        run: plan.run.clone(),
        cwd: PathBuf::from(&plan.cwd),
        held_to: plan.confinement.clone(),
        seen,
        variables: Default::default(),
        input: args.stdin.unwrap_or_default().into_bytes(),
        session: format!("{}\0{session}", caller.tenant),
        whose: Whose::of(caller, &places),
        timeout: timeout(deps, args.timeout_ms, caller),
    };
    let limit = order.timeout;
    let scrubber = deps.scrubbers.of_call(cx);
    let canceller = Canceller::new().map_err(|error| not_run(NotRun::from(error)))?;
    // Whoever gives the call up ends the command.
    let cancelled = Cancelled(canceller.clone());
    let (tell, done) = tokio::sync::oneshot::channel();
    let host = Arc::clone(&deps.host);
    tokio::task::spawn_blocking(move || {
        host.run(order, &canceller, &scrubber, |done| drop(tell.send(done)));
    });
    let done = done.await.map_err(|_| {
        ToolError::new(Code::Internal, "The thread that ran the command ended early.")
    })?;
    drop(cancelled);
    Ok(told(done.map_err(not_run)?, limit))
}

/// How long a command may take: as long as it says, or the owner's default, and never so long that the
/// call is given up before the command has been ended in good order.
fn timeout(deps: &Deps, wanted: Option<u64>, caller: &Caller) -> Duration {
    let default = deps.host.usual_timeout(caller.agent.as_deref());
    let wanted = wanted.map_or(default, Duration::from_millis).min(LONGEST);
    match caller.timeout_ms.map(Duration::from_millis) {
        Some(of_call) => wanted.min(of_call.saturating_sub(SPARE).max(of_call / 2)),
        None => wanted,
    }
}

/// Ends the command when it is dropped.
struct Cancelled(Canceller);

impl Drop for Cancelled {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn not_run(error: NotRun) -> ToolError {
    match error {
        NotRun::NoProgram(program) => {
            let text = format!(
                "There is no program `{program}` here, so nothing has run. Look with \
                 `command -v {program}` for another one of the kind, or ask the user to install it."
            );
            ToolError::new(Code::NotFound, text)
        }
        NotRun::NoFolder(folder, error) => {
            let text = format!("`working_dir`: `{folder}` cannot be entered: {error}.");
            ToolError::new(Code::NotFound, text)
        }
        NotRun::Unconfined(why) => {
            let text = format!(
                "The command has not run, since it could not be confined as it must be: {why}. The \
                 owner can change `exec.confinement` or `exec.require`."
            );
            ToolError::new(Code::Unavailable, text).by_rule("exec.confinement")
        }
        NotRun::Sandbox(why) => {
            let text = format!(
                "The command has not run: it is to run in a sandbox, which cannot be used now: {why}. \
                 It is never run outside of it; tell the user."
            );
            ToolError::new(Code::Unavailable, text).by_rule("exec.sandbox")
        }
        NotRun::System(why) => {
            ToolError::new(Code::Unavailable, format!("The command could not be run: {why}."))
        }
    }
}
