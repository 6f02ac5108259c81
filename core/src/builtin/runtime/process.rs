//! `process`

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::exec_request::{Wanted, not_run, request};
use super::report::{closed, come, ended};
use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::{Console, Ended, Owner, Process, Refused, Status};
use crate::kind::Capability;
use crate::limits::echo;
use crate::tool::{CallContext, Tool, ToolError, ToolResult, tool_fn};

/// Starts commands that go on after the call, and looks after them: servers, watchers, long builds,
/// programs that ask questions. A command is checked and confined as with `exec`. It belongs to this
/// session, and ends with `kill`, or when the program that this agent runs in ends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to do. `start`: run `command`. `list`: tell all of them. `poll`: what `id` wrote since the
    /// last look, and whether it runs. `log`: any part of what it wrote. `write`: give it `input`.
    /// `signal`: send it `signal`. `kill`: end it and all that it has started.
    action: Action,
    /// The process, for all actions but `start` and `list`.
    #[serde(default)]
    id: Option<String>,
    /// For `start`: the command.
    #[serde(default)]
    command: Option<String>,
    /// For `start`: the folder that it starts in, relative to the workspace. Default: the workspace.
    #[serde(default)]
    #[expect(dead_code, reason = "the judge reads the folder; the plan says it again")]
    working_dir: Option<String>,
    /// For `start`: how long it may run, in milliseconds. Default: until it is ended.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    /// For `start`: true for a program that wants a terminal.
    #[serde(default)]
    terminal: bool,
    /// For `start`: the terminal's rows. Default: 24.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    rows: Option<u16>,
    /// For `start`: the terminal's columns. Default: 80.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    columns: Option<u16>,
    /// For `write`: what it is given on standard input. A line ends with "\n". In a terminal, "\u0003"
    /// is Ctrl-C.
    #[serde(default)]
    input: Option<String>,
    /// For `write`: true if its standard input ends with this.
    #[serde(default)]
    end_of_input: bool,
    /// For `signal`: which.
    #[serde(default)]
    signal: Option<Signal>,
    /// For `start`, `poll` and `write`: how long to wait for new output, in milliseconds, at most
    /// 60,000. Default: 1,000 for `poll`, otherwise 0.
    #[serde(default)]
    #[schemars(range(max = 60_000))]
    wait_ms: Option<u64>,
    /// For `log`: from which byte of the output on. Default: its end.
    #[serde(default)]
    offset: Option<u64>,
    /// For `log`: how many bytes. Default: 20,000.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000))]
    limit: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[schemars(rename = "ProcessAction")]
#[serde(rename_all = "lowercase")]
enum Action {
    Start,
    List,
    Poll,
    Log,
    Write,
    Signal,
    Kill,
}

/// A signal, by its name.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "ProcessSignal")]
#[serde(rename_all = "UPPERCASE")]
enum Signal {
    Hup,
    Int,
    Quit,
    Term,
    Kill,
    Usr1,
    Usr2,
    Stop,
    Cont,
    Winch,
}

impl Signal {
    fn number(self) -> u8 {
        match self {
            Signal::Hup => 1,
            Signal::Int => 2,
            Signal::Quit => 3,
            Signal::Kill => 9,
            Signal::Usr1 => 10,
            Signal::Usr2 => 12,
            Signal::Term => 15,
            Signal::Cont => 18,
            Signal::Stop => 19,
            Signal::Winch => 28,
        }
    }
}

/// What one look tells at most, in bytes.
const MOST_NEWS: usize = 24_000;

/// What a page of the log has, where nothing is said, in bytes.
const PAGE: u32 = 20_000;

/// The longest that a call waits for output.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How long a poll waits where it does not say.
const POLL: Duration = Duration::from_secs(1);

/// How long is waited for the end of what was told to end: it has three seconds for that by itself.
const END: Duration = Duration::from_secs(6);

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, host) = (deps.clone(), deps.host.clone());
    tool_fn("process", move |args: Args, cx| {
        let deps = deps.clone();
        async move { run(&deps, args, &cx).await }
    })
    .group("runtime")
    .capability(Capability::Mutating)
    .polling()
    .shell_command("command")
    .shell_cwd("working_dir")
    .argument_aliases("working_dir", &["cwd", "workdir"])
    .argument_aliases("id", &["process_id", "session_id", "sessionId"])
    .argument_aliases("input", &["data", "stdin", "text"])
    .argument_aliases("end_of_input", &["eof"])
    .argument_aliases("terminal", &["pty", "tty"])
    // A secret in a command would stand in the list of processes.
    .keeps_placeholders()
    .confines(move || host.confines())
}

async fn run(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    check(&args)?;
    let owner = owner(deps, cx);
    match args.action {
        Action::Start => start_one(deps, &args, cx).await,
        Action::List => Ok(list(&deps.background.list(&owner))),
        Action::Poll => {
            let process = named(deps, &owner, &args)?;
            Ok(news(&process, wait(&args, POLL), "").await)
        }
        Action::Log => Ok(log(&*named(deps, &owner, &args)?, &args)),
        Action::Write => {
            let process = named(deps, &owner, &args)?;
            write(&process, &args)?;
            Ok(news(&process, wait(&args, Duration::ZERO), "Written.").await)
        }
        Action::Signal => {
            let process = named(deps, &owner, &args)?;
            let signal = args.signal.ok_or_else(|| missing("signal", "signal"))?;
            still_runs(&process)?;
            process.signal(signal.number());
            Ok(news(&process, wait(&args, Duration::ZERO), "Sent.").await)
        }
        Action::Kill => {
            let process = named(deps, &owner, &args)?;
            process.end();
            process.wait(END).await;
            Ok(news(&process, Duration::ZERO, "").await)
        }
    }
}

/// Refuses arguments of one action that were given to another: they would do nothing.
fn check(args: &Args) -> Result<(), ToolError> {
    let is = |action| args.action == action;
    let start = is(Action::Start);
    let given = [
        ("command", args.command.is_some(), start, "start"),
        ("terminal", args.terminal, start, "start"),
        ("rows", args.rows.is_some(), start, "start"),
        ("columns", args.columns.is_some(), start, "start"),
        ("timeout_ms", args.timeout_ms.is_some(), start, "start"),
        ("input", args.input.is_some(), is(Action::Write), "write"),
        ("end_of_input", args.end_of_input, is(Action::Write), "write"),
        ("signal", args.signal.is_some(), is(Action::Signal), "signal"),
        ("offset", args.offset.is_some(), is(Action::Log), "log"),
    ];
    match given.iter().find(|(_, is_given, fits, _)| *is_given && !fits) {
        Some((name, .., action)) => {
            let text = format!("`{name}` goes with the action `{action}` only.");
            Err(ToolError::new(Code::InvalidArguments, text))
        }
        None => Ok(()),
    }
}

/// Starts a command that goes on, for `process` and for `exec` with `background`.
pub(super) async fn start(
    deps: &Deps,
    wanted: Wanted<'_>,
    cx: &CallContext,
) -> Result<Arc<Process>, ToolError> {
    let command = wanted.command.to_owned();
    let request = request(deps, wanted, cx).await?;
    let scrubber = cx.scrubber(&deps.scrubbers);
    let command = scrubber.scrub(&command).into_owned();
    let started = deps.background.start(owner(deps, cx), command, request, scrubber).await;
    started.map_err(|refused| match refused {
        Refused::NotRun(error) => not_run(error),
        Refused::Full { running, key } => {
            let text = format!(
                "{running} processes run already, and no more may. End one of them with the tool \
                 `process`, action `kill`; action `list` shows those of this session. The owner can \
                 raise `{key}`."
            );
            ToolError::new(Code::Unavailable, text).by_rule(key)
        }
        Refused::Closed => ToolError::new(Code::Closed, "The runtime is closed."),
    })
}

/// What a model is told of one that was just started.
pub(super) async fn render_start(process: &Process, wait: Duration) -> ToolResult {
    let how = format!(
        "Started as {}. Look with the tool `process`: action `poll` and this `id`.",
        process.id()
    );
    news(process, wait, &how).await
}

async fn start_one(deps: &Deps, args: &Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let command = args.command.as_deref().ok_or_else(|| missing("command", "start"))?;
    let console = if args.terminal {
        let (rows, columns) = (args.rows.unwrap_or(24), args.columns.unwrap_or(80));
        Console::Terminal { rows, columns }
    } else {
        Console::Open
    };
    let timeout = args.timeout_ms.map_or(Duration::MAX, Duration::from_millis);
    let wanted = Wanted { command, argument: "command", input: Vec::new(), console, timeout };
    let process = start(deps, wanted, cx).await?;
    Ok(render_start(&process, wait(args, Duration::ZERO)).await)
}

fn owner(deps: &Deps, cx: &CallContext) -> Owner {
    let caller = cx.caller();
    let session = deps.sessions.key(caller).unwrap_or_default();
    Owner { tenant: caller.tenant.clone(), session }
}

fn named(deps: &Deps, owner: &Owner, args: &Args) -> Result<Arc<Process>, ToolError> {
    let id = args.id.as_deref().ok_or_else(|| {
        let text =
            "`id` is missing: the action needs a process. `list` shows those of this session.";
        ToolError::new(Code::InvalidArguments, text)
    })?;
    deps.background.get(owner, id).ok_or_else(|| {
        let own: Vec<String> = deps.background.list(owner).iter().map(|one| one.id()).collect();
        let known = if own.is_empty() {
            "This session has none.".to_owned()
        } else {
            format!("This session has: {}.", own.join(", "))
        };
        let text = format!("There is no process `{}`. {known}", echo(id));
        ToolError::new(Code::NotFound, text)
    })
}

fn missing(name: &str, action: &str) -> ToolError {
    let text = format!("`{name}` is missing: the action `{action}` needs it.");
    ToolError::new(Code::InvalidArguments, text)
}

fn wait(args: &Args, default: Duration) -> Duration {
    args.wait_ms.map_or(default, Duration::from_millis).min(LONGEST_WAIT)
}

fn still_runs(process: &Process) -> Result<(), ToolError> {
    match process.ended() {
        None => Ok(()),
        Some(_) => {
            let text = format!("The process {} has ended. `poll` tells how.", process.id());
            Err(ToolError::new(Code::NotFound, text))
        }
    }
}

fn write(process: &Process, args: &Args) -> Result<(), ToolError> {
    still_runs(process)?;
    let input = args.input.as_deref().unwrap_or_default();
    if input.is_empty() && !args.end_of_input {
        return Err(missing("input", "write"));
    }
    if process.give(input.as_bytes(), args.end_of_input) {
        return Ok(());
    }
    let text = format!(
        "The process {} has not read what it was given before, and no more than a megabyte may wait \
         for that. Nothing of this was written; `poll` shows what it does.",
        process.id()
    );
    Err(ToolError::new(Code::Unavailable, text))
}

fn list(processes: &[Arc<Process>]) -> ToolResult {
    let mut text = String::new();
    for process in processes {
        let line = format!(
            "{}  {}, {} s: {}\n",
            process.id(),
            state(process.ended()),
            process.age().as_secs(),
            process.command
        );
        text += &line;
    }
    if text.is_empty() {
        text.push_str("This session has no processes.");
    }
    let all: Vec<Value> = processes.iter().map(|one| described(one, one.ended())).collect();
    let structured = json!({ "processes": all });
    ToolResult { structured: Some(structured), ..ToolResult::silent(text) }
}

fn state(ended: Option<Ended>) -> String {
    match ended {
        None => "running".to_owned(),
        Some(how) => ended_in_words(how),
    }
}

fn ended_in_words(how: Ended) -> String {
    let status = ended(how.status, how.cut);
    status.unwrap_or_else(|| "ended well".to_owned())
}

fn described(process: &Process, how: Option<Ended>) -> Value {
    let mut status = json!({
        "id": process.id(),
        "command": process.command,
        "running": how.is_none(),
        "duration_ms": u64::try_from(process.age().as_millis()).unwrap_or(u64::MAX),
        "confinement": process.confined,
    });
    if let Some(how) = how {
        let (exit_code, signal) = super::report::numbers(how.status);
        status["exit_code"] = json!(exit_code);
        status["signal"] = json!(signal);
    }
    super::report::note_appeared(&mut status, &process.appeared());
    status
}

/// What a process wrote since somebody looked, after what was done now.
async fn news(process: &Process, wait: Duration, done: &str) -> ToolResult {
    let polled = process.poll(MOST_NEWS, wait).await;
    let part = &polled.news;
    let mut text = String::new();
    if !done.is_empty() {
        text += done;
        text.push('\n');
    }
    if !part.text.is_empty() {
        text += &part.text;
        if !part.text.ends_with('\n') {
            text.push('\n');
        }
    }
    let id = process.id();
    match polled.ended {
        None if part.text.is_empty() => {
            text += &format!("[{id} runs, and has written nothing new.]")
        }
        None => text += &format!("[{id} runs.]"),
        Some(how) => text += &format!("[{id}: {}.]", ended_in_words(how)),
    }
    let failed = polled.ended.is_some_and(|how| how.status != Status::Exited(0));
    let closed = failed.then(|| closed(&process.confined.not_looked_at)).flatten();
    for line in closed.into_iter().chain(come(&process.appeared())) {
        text.push('\n');
        text += &line;
    }
    let mut structured = described(process, polled.ended);
    structured["output"] = json!(part.text);
    structured["from"] = json!(part.from);
    structured["next_offset"] = json!(part.to);
    ToolResult { structured: Some(structured), ..ToolResult::silent(text) }
}

fn log(process: &Process, args: &Args) -> ToolResult {
    let most = usize::try_from(args.limit.unwrap_or(PAGE)).unwrap_or(usize::MAX);
    let part = process.log(args.offset, most);
    let mut text = part.text.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let (from, to, end) = (part.from, part.to, part.end);
    text += &format!("[Bytes {from} to {to} of {end}");
    if args.offset.is_some_and(|offset| offset < from) {
        text += "; what stood before is no longer kept";
    }
    if to < end {
        text += &format!("; read on with offset={to}");
    }
    text += ".]";
    let mut structured = described(process, process.ended());
    structured["from"] = json!(from);
    structured["next_offset"] = json!(to);
    structured["bytes"] = json!(end);
    ToolResult { structured: Some(structured), ..ToolResult::silent(text) }
}
