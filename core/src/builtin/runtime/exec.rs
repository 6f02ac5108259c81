//! `exec`

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::carried::{LONGEST, SPARE, finished, timeout};
use super::credentialed;
use super::exec_request::Wanted;
use super::process;
use crate::builtin::Deps;
use crate::exec::Console;
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
        return Ok(process::render_start(&process, Duration::ZERO).await);
    }
    finished(deps, wanted, cx).await
}
