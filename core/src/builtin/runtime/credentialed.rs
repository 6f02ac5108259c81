//! `credentialed_exec`, and the calls of CLIs that come by `exec`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::carried::{LONGEST, SPARE, ended};
use crate::builtin::Deps;
use crate::clis::{Prepared, Program, Registered, Room, Surroundings, Verified};
use crate::error::Code;
use crate::exec::environment::Variables;
use crate::exec::sandbox::{CommandOwner, HOME, Mounted, without_links};
use crate::exec::{Console, ExecRequest, Isolated, Opened};
use crate::kind::Capability;
use crate::shell::Run;
use crate::tool::{CallContext, Tool, ToolError, ToolResult, tool_fn};

/// Calls a CLI that has credentials, which nobody sees. There is no shell: give the CLI and its
/// arguments, and nothing around them. Which CLIs there are, what of them is blocked, and how to use
/// them stands in TOOLS.md.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "the judge reads the command and the folder; the plan says them again"
)]
struct Args {
    /// The call: the CLI and its arguments, as a list of words or as one text in which arguments with
    /// blanks are quoted.
    command: Words,
    /// The folder that it starts in, relative to the workspace. Default: the workspace.
    #[serde(default)]
    working_dir: Option<String>,
    /// How long it may take, in milliseconds. Default and most: what the owner set for the CLI.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600_000))]
    timeout_ms: Option<u64>,
    /// What it is given on standard input. Default: nothing.
    #[serde(default)]
    stdin: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the plan says again what it was understood to be")]
enum Words {
    Text(String),
    List(Vec<String>),
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, host) = (deps.clone(), deps.host.clone());
    tool_fn("credentialed_exec", move |args: Args, cx| {
        let deps = deps.clone();
        async move {
            let cli = called(&deps, &cx).await?.ok_or_else(not_judged)?;
            run(&deps, &cx, cli, args.stdin, args.timeout_ms).await
        }
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

fn not_judged() -> ToolError {
    ToolError::new(Code::Internal, "The command was not judged, so it has not run.")
}

/// A CLI with the words of its call.
pub(super) struct CalledCli {
    cli: Registered,
    words: Vec<String>,
}

/// The CLI that a judged command calls, if it is one's call. The gate has let it through.
pub(super) async fn called(deps: &Deps, cx: &CallContext) -> Result<Option<CalledCli>, ToolError> {
    let (Some(plan), Some(name)) = (cx.plan(), cx.cli()) else { return Ok(None) };
    let Run::Direct { arguments, environment, .. } = &plan.run else { return Ok(None) };
    if !environment.is_empty() {
        return Ok(None);
    }
    let clis = deps.clis.enabled(&cx.caller().tenant).await.map_err(|error| {
        let text = format!("The command has not run: the CLIs could not be read: {error}.");
        ToolError::new(Code::Unavailable, text)
    })?;
    let cli = clis.into_iter().find(|cli| cli.name == name).ok_or_else(|| {
        let text = format!("The CLI `{name}` was taken away meanwhile, so it has not run.");
        ToolError::new(Code::Unavailable, text)
    })?;
    Ok(Some(CalledCli { cli, words: arguments.clone() }))
}

/// Runs a CLI.
pub(super) async fn run(
    deps: &Deps,
    cx: &CallContext,
    called: CalledCli,
    stdin: Option<String>,
    timeout_ms: Option<u64>,
) -> Result<ToolResult, ToolError> {
    let CalledCli { cli, words } = called;
    let plan = cx.plan().ok_or_else(not_judged)?;
    let caller = cx.caller();
    let granted = deps.clis.allowed(caller, &cli, &words, stdin.as_deref()).await?;
    deps.files.check_workspace(cx)?;
    let places = deps.files.places(caller)?;
    let cwd = PathBuf::from(&plan.cwd);
    let mounted = deps.files.mounted(caller, &places);
    no_private_places(&cli.name, &words, stdin.as_deref(), &cwd, mounted.as_ref())?;
    let room = Room {
        writable: places.writable.iter().map(PathBuf::from).collect(),
        cwd: cwd.clone(),
        words: words.clone(),
        held_to: plan.confinement.clone(),
        mounted,
    };
    let prepared = deps.clis.prepared(caller, &cli, granted, room, deps.host.clone()).await?;
    let Prepared { program, surroundings, held_to, timeout } = prepared;
    for (value, kind) in &surroundings.secrets {
        // One that is too short to be guarded is told of where the CLI is registered.
        let _ = cx.register_secret(value, Some(kind_of(kind)));
    }
    let words = std::iter::once(cli.name).chain(words).collect();
    let (opened, isolated) = found(program, surroundings, words);
    let request = ExecRequest {
        run: plan.run.clone(),
        cwd,
        held_to,
        visible: places.readable.iter().chain(&places.writable).map(PathBuf::from).collect(),
        variables: Variables::new(),
        input: stdin.unwrap_or_default().into_bytes(),
        nested: Default::default(),
        console: Console::Once,
        session: String::new(),
        owner: CommandOwner::of(caller, deps.sessions.key(caller), &places),
        timeout: wanted(timeout, timeout_ms, caller.timeout_ms),
        opened,
        isolated,
    };
    ended(deps, request, cx).await
}

/// A program with all that it finds, on the host or in a container.
fn found(
    program: Program,
    surroundings: Surroundings,
    words: Vec<String>,
) -> (Option<Opened>, Option<Isolated>) {
    let Surroundings { variables, files, .. } = surroundings;
    match program {
        Program::OnHost(Verified { file, path, .. }, folder) => {
            let temp = Arc::new(folder);
            (Some(Opened { file, path, words, variables, temp }), None)
        }
        Program::OfImage => (None, Some(Isolated { words, variables, files })),
    }
}

/// The refusal of a CLI that is to go on after its call.
pub(super) fn not_in_background(called: &CalledCli) -> ToolError {
    let name = &called.cli.name;
    let text = format!(
        "[credentialed CLI] `{name}` does not run in the background, so it has not run. Call it \
         without `background`; it has until its time is up."
    );
    ToolError::new(Code::InvalidArguments, text).by_rule("cli.shape")
}

/// What placeholders call a value of a variable.
fn kind_of(kind: &str) -> &str {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if kind.len() <= 40 && kind.chars().all(fits) { kind } else { "credential" }
}

/// Where a program of this machine has its home folder while it runs, if temporary folders are its own.
const TEMPORARY: &str = "/tmp";

/// Refuses a path that leads to what processes hold, or to a whole folder in which private files lie, by
/// whatever links.
fn no_private_places(
    name: &str,
    words: &[String],
    input: Option<&str>,
    cwd: &Path,
    mounted: Option<&Mounted>,
) -> Result<(), ToolError> {
    let home = if mounted.is_some() { HOME } else { TEMPORARY };
    let real = |path: &str| {
        let at_home =
            path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let path = match at_home {
            Some(rest) => PathBuf::from(format!("{home}{rest}")),
            None => cwd.join(path),
        };
        match mounted {
            Some(mounted) => mounted.without_links(&path),
            None => without_links(&path, |path| Some(path.into())),
        }
    };
    let leads_there = |path: &str| {
        let real = real(path);
        real.starts_with("/proc") && real != Path::new("/proc")
    };
    let is_home = |path: &str| {
        // A single `/` may be anything.
        let real = real(path);
        real == Path::new(home) || real == Path::new("/") && path != "/"
    };
    // Commands of psql come on standard input, too.
    let commands = input.unwrap_or_default().lines().filter(|line| line.contains('\\'));
    let places = words.iter().map(String::as_str).chain(commands).flat_map(named_places);
    let found = places.into_iter().find_map(|place| match place {
        place if leads_there(place) => Some("what processes hold in memory"),
        place if is_home(place) => Some("its own private files"),
        _ => None,
    });
    let Some(what) = found else { return Ok(()) };
    let text =
        format!("[credentialed CLI] `{name}` has not run: one of its arguments leads to {what}.");
    Err(ToolError::new(Code::CommandDenied, text).by_rule("cli.proc"))
}

/// What of a word a program may take for a path: all of it, and what stands behind a mark or in quotes.
fn named_places(word: &str) -> Vec<&str> {
    let mut all = vec![word];
    let marks = word.match_indices(['=', '@', ',', ':']).map(|(at, mark)| &word[at + mark.len()..]);
    all.extend(marks);
    if word.starts_with('-') && !word.starts_with("--") {
        all.extend(word.get(2..));
    }
    all.extend(word.split(['\'', '"']).skip(1).step_by(2));
    let schemes = ["file://", "fileb://"];
    let bare = all.iter().filter_map(|text| schemes.iter().find_map(|one| text.strip_prefix(one)));
    let bare: Vec<&str> = bare.collect();
    all.extend(bare);
    all.retain(|text| !text.is_empty());
    all
}

/// How long it may take: as long as the owner says at most, and never so long that the call is given up
/// before the program has been ended in good order.
fn wanted(most: Duration, wanted: Option<u64>, of_call: Option<u64>) -> Duration {
    let wanted = wanted.map_or(most, Duration::from_millis).min(most).min(LONGEST);
    match of_call.map(Duration::from_millis) {
        Some(of_call) => wanted.min(of_call.saturating_sub(SPARE).max(of_call / 2)),
        None => wanted,
    }
}
