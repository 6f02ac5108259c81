//! What a model is told of a command that has run.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::body::{Body, IN_MEMORY};
use crate::error::Code;
use crate::exec::{Appeared, Confined, Cut, Done, RanIn, Reached, Status, UsedUp, sandbox};
use crate::limits;
use crate::tool::{CallContext, ToolError, ToolResult};

/// The result of a command: what it wrote, and how it ended unless that was well.
pub(super) fn render(
    done: Done,
    limit: Duration,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    render_with(done, limit, "Give it more with `timeout_ms`, or less to do.", cx)
}

/// The same of a command of an owner's: how long it has is his to say.
pub(super) fn render_for_owner(
    done: Done,
    limit: Duration,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let advice = "Give it less to do; only its owner can give it more time.";
    render_with(done, limit, advice, cx)
}

fn render_with(
    done: Done,
    limit: Duration,
    advice: &str,
    cx: &CallContext,
) -> Result<ToolResult, ToolError> {
    let Done { output, error, ended, confined, appeared } = done;
    let truncated = output.dropped() + error.dropped() > 0;
    let (written, complained) = (output.total(), error.total());
    let is_well = ended.cut.is_none() && ended.status == Status::Exited(0);
    let mut body = output.finish();
    if complained > 0 {
        body.push_line("STDERR:\n");
        body.append(error.finish());
    }
    if body.is_empty() && is_well {
        body.push("The command has written nothing.");
    }
    let how = how(ended.status, ended.cut, limit, advice);
    let hint = match (confined.ran_in, ended.status) {
        _ if is_well => None,
        (RanIn::Host, status) => {
            let text = read(body.tail(LOOKED_AT))?;
            network_hint(&text, &confined).or_else(|| size_hint(&text, status))
        }
        (RanIn::Sandbox, Status::Exited(code)) if ended.cut.is_none() => {
            let text = read(body.tail(LOOKED_AT))?;
            sandbox::hint(code, &text, &confined).map(|hint| format!("[{hint}]"))
        }
        (RanIn::Sandbox, _) => None,
    };
    let come = come(&appeared);
    let kept = (!is_well || complained > 0).then(|| kept(&confined.withheld)).flatten();
    let closed = (!is_well || complained > 0).then(|| closed(&confined.not_looked_at)).flatten();
    [how, hint, kept, closed, come].into_iter().flatten().for_each(|line| body.push_line(&line));
    let (exit_code, signal) = numbers(ended.status);
    let mut structured = json!({
        "exit_code": exit_code,
        "signal": signal,
        "timed_out": ended.cut == Some(Cut::Deadline),
        "duration_ms": ended.took.as_millis(),
        "stdout_bytes": written,
        "stderr_bytes": complained,
        "truncated": truncated,
        "confinement": confined,
    });
    note_appeared(&mut structured, &appeared);
    let code = match ended.cut {
        _ if is_well => None,
        Some(Cut::Deadline) => Some(Code::Timeout),
        Some(Cut::Cancelled) => Some(Code::Cancelled),
        Some(Cut::Disk(_) | Cut::Replaced | Cut::Appeared) | None => Some(Code::ToolFailed),
    };
    Ok(ToolResult {
        is_error: !is_well,
        code,
        structured: Some(structured),
        ..ToolResult::silent(shown(body, cx)?)
    })
}

/// Notes what was not to be made and has come: `appeared` has the paths, and `set_aside` where what came is
/// now, by its path.
pub(super) fn note_appeared(structured: &mut Value, appeared: &[Appeared]) {
    if appeared.is_empty() {
        return;
    }
    structured["appeared"] = appeared.iter().map(|one| json!(one.path)).collect();
    let aside = appeared.iter().filter_map(|one| Some((one.path.clone(), one.set_aside.clone()?)));
    let aside: BTreeMap<String, String> = aside.collect();
    if !aside.is_empty() {
        structured["set_aside"] = json!(aside);
    }
}

/// What is said of files that were not to be written, if there are any.
pub(super) fn come(appeared: &[Appeared]) -> Option<String> {
    let shown = |one: &Appeared| match &one.set_aside {
        Some(aside) => format!("{} (now {aside})", one.path),
        None => one.path.clone(),
    };
    let all = appeared.iter().map(shown).collect::<Vec<_>>().join(", ");
    let all = Some(all).filter(|all| !all.is_empty())?;
    Some(format!(
        "[{all} came while it ran, or was changed. Such files tell agents, editors or version control what \
         to do, and nobody was asked about that: show them to the user before anything goes by them. To \
         make one, name it in a command of its own, such as `git init`, or write it with `write_file`.]"
    ))
}

/// What is said of settings that Git was to write and could not, if there are any.
fn kept(withheld: &[String]) -> Option<String> {
    let all = Some(withheld.join(", ")).filter(|all| !all.is_empty())?;
    Some(format!(
        "[{all} could not be written, since other commands run that must be kept from it. End them, as with \
         `process`, to change settings of Git.]"
    ))
}

/// What is said of folders that were closed since nobody could look through them, if there are any.
pub(super) fn closed(not_looked_at: &[String]) -> Option<String> {
    let (shown, others) = not_looked_at.split_at(not_looked_at.len().min(MOST_SHOWN));
    let shown: Vec<String> = shown.iter().map(|path| shortened(path)).collect();
    let all = Some(shown.join(", ")).filter(|all| !all.is_empty())?;
    let others = match others.len() {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Some(format!(
        "[Nothing could be written in {all}{others}: more folders or repositories lie there than are looked \
         through, and hooks and settings of Git must stay as they are. Take away what is not needed \
         there with `rm -rf` and its name, or write single files by their names.]"
    ))
}

/// A path as a text shows it.
fn shortened(path: &str) -> String {
    limits::shortened(path, LONGEST_SHOWN).into_owned()
}

/// How many characters of a path a text shows.
const LONGEST_SHOWN: usize = 300;

/// How many folders a text names. All of them stand in the structured result.
const MOST_SHOWN: usize = 8;

/// How much of the end is looked at for what would help.
const LOOKED_AT: usize = 64 * 1024;

/// How much of each end of a long text stands for it, until it is shown.
const ENDS: usize = 16 * 1024;

/// The text of a result. A long one is left with the call, which shows its beginning and its end.
fn shown(body: Body, cx: &CallContext) -> Result<String, ToolError> {
    if body.length() <= IN_MEMORY as u64 {
        return read(body.head(IN_MEMORY));
    }
    // What those see of it who compare results.
    let (head, tail) = (read(body.head(ENDS))?, read(body.tail(ENDS))?);
    cx.body().put(body);
    Ok(head + &tail)
}

fn read(text: std::io::Result<String>) -> Result<String, ToolError> {
    text.map_err(|error| {
        let text = format!(
            "The command has run, but the file in which its output waited cannot be read: {error}. \
             Look at what it has done before it is run again."
        );
        ToolError::new(Code::Unavailable, text)
    })
}

/// The exit code and the signal of a status.
pub(super) fn numbers(status: Status) -> (Option<i32>, Option<i32>) {
    match status {
        Status::Exited(code) => (Some(code), None),
        Status::Signalled(signal) => (None, Some(signal)),
        Status::Lost => (None, None),
    }
}

/// How a command that went on ended, where that was not well.
pub(super) fn ended(status: Status, cut: Option<Cut>) -> Option<String> {
    Some(match (cut, status) {
        (Some(Cut::Deadline), _) => "ended when its time was over".to_owned(),
        (Some(Cut::Cancelled), _) => "ended as it was told to".to_owned(),
        (Some(Cut::Disk(UsedUp::Space)), _) => {
            "ended when it had all but used up the disk".to_owned()
        }
        (Some(Cut::Disk(UsedUp::Files)), _) => {
            "ended when the disk could hold few files more".to_owned()
        }
        (Some(Cut::Replaced), _) => "ended when what it is kept from was replaced".to_owned(),
        (Some(Cut::Appeared), _) => "ended when something came that it must not make".to_owned(),
        (None, Status::Exited(0)) => return None,
        (None, Status::Exited(code)) => format!("ended with exit code {code}{}", hint(code)),
        (None, Status::Signalled(signal)) => format!("ended by signal {signal}"),
        (None, Status::Lost) => "ended from outside".to_owned(),
    })
}

/// How it ended, where that was not well.
fn how(status: Status, cut: Option<Cut>, limit: Duration, advice: &str) -> Option<String> {
    let seconds = limit.as_secs_f64();
    Some(match (cut, status) {
        (Some(Cut::Deadline), _) => format!(
            "[Ended after {seconds} s, which is all it had. What it wrote until then stands above. \
             {advice}]"
        ),
        (Some(Cut::Cancelled), _) => "[Cancelled.]".to_owned(),
        (Some(Cut::Disk(UsedUp::Space)), _) => {
            "[Ended, since it had all but used up the disk. Delete what is not needed, and write less.]"
                .to_owned()
        }
        (Some(Cut::Disk(UsedUp::Files)), _) => {
            "[Ended, since the disk can hold few files more (`df -i`). Delete files that are not needed, \
             and make fewer.]"
                .to_owned()
        }
        (Some(Cut::Replaced), _) => "[Ended, since a file that it must be kept from was replaced by \
                                     another while it ran. Run it again.]"
            .to_owned(),
        (Some(Cut::Appeared), Status::Exited(_)) => "[It made what it must not make.]".to_owned(),
        (Some(Cut::Appeared), _) => "[Ended, since something came that it must not make.]".to_owned(),
        (None, Status::Exited(0)) => return None,
        (None, Status::Exited(code)) => format!("[Exit code {code}{}]", hint(code)),
        (None, Status::Signalled(9)) => {
            "[Ended by signal 9, as what uses more memory than it may is.]".to_owned()
        }
        (None, Status::Signalled(signal)) => format!("[Ended by signal {signal}.]"),
        (None, Status::Lost) => "[It was ended from outside.]".to_owned(),
    })
}

/// What programs say when a name leads nowhere, or nothing is reached: curl and those that ask the C
/// library, Node, Go, Git, Python.
const UNREACHED: &[&str] = &[
    "Could not resolve",
    "Could not connect",
    "Failed to connect",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "No address associated with hostname",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ENETUNREACH",
    "no such host",
    "unable to resolve host",
];

/// Why nothing was reached, where it looks as if that was in the way.
fn network_hint(text: &str, confined: &Confined) -> Option<String> {
    UNREACHED.iter().find(|sign| text.contains(**sign))?;
    match confined.network {
        Reached::All => None,
        Reached::Nothing => Some(
            "[It has run without a network, since none was seen in it or nobody allowed one. Name the \
             host in the command itself, so that it can be seen.]"
                .to_owned(),
        ),
        Reached::Hosts => Some(format!(
            "[It could reach {} and no other host, since no other stands in the command.]",
            confined.hosts.join(", ")
        )),
    }
}

/// The signal that ends what writes a larger file than it may, and what shells say of it and programs that do
/// not heed it.
const TOO_LARGE: i32 = 25;
const SAY_TOO_LARGE: &[&str] = &["File too large", "File size limit exceeded", "EFBIG"];

/// Why a file could not grow, where it looks as if that was in the way.
fn size_hint(text: &str, status: Status) -> Option<String> {
    (status == Status::Signalled(TOO_LARGE) || SAY_TOO_LARGE.iter().any(|sign| text.contains(sign))).then(|| {
        "[A file was to grow larger than it may: the owner sets `exec.limits.file_mb`, and on a disk that \
         is all but full no file may grow. Look with `df -h .`, and delete what is not needed.]"
            .to_owned()
    })
}

/// What an exit code may mean.
fn hint(code: i32) -> String {
    match code {
        126 => ": it was found and cannot be run".to_owned(),
        127 => ": there is no such program".to_owned(),
        _ => passed_on(code).map(of_signal).unwrap_or_default(),
    }
}

/// The signal whose number a shell passes on by this exit code. A command may have chosen the code as well:
/// only a wait status says that a signal ended it.
fn passed_on(code: i32) -> Option<i32> {
    // 32 and 33 are the C library's own.
    Some(code - 128).filter(|signal| matches!(signal, 1..=31 | 34..=64))
}

fn of_signal(signal: i32) -> String {
    let why = if signal == 9 { ", as what uses more memory than it may is" } else { "" };
    format!(" (a shell says so, too, where signal {signal} ended a command in it{why})")
}
