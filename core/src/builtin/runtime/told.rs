//! What a model is told of a command that has run.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use crate::error::Code;
use crate::exec::{Confined, Cut, Done, Reached, Status};
use crate::tool::ToolResult;

/// The result of a command: what it wrote, and how it ended unless that was well.
pub(super) fn told(done: Done, limit: Duration) -> ToolResult {
    let Done { output, error, ended, confined } = done;
    let truncated = output.dropped() + error.dropped() > 0;
    let (written, complained) = (output.total(), error.total());
    let mut text = output.text();
    let error = error.text();
    if !error.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let _ = write!(text, "STDERR:\n{error}");
    }
    let is_well = ended.cut.is_none() && ended.status == Status::Exited(0);
    if text.is_empty() && is_well {
        text.push_str("The command has written nothing.");
    }
    let how = how(ended.status, ended.cut, limit);
    let hint = if is_well { None } else { network_hint(&text, &confined) };
    for line in [how, hint].into_iter().flatten() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    }
    let (exit_code, signal) = numbers(ended.status);
    let structured = json!({
        "exit_code": exit_code,
        "signal": signal,
        "timed_out": ended.cut == Some(Cut::Deadline),
        "duration_ms": ended.took.as_millis(),
        "stdout_bytes": written,
        "stderr_bytes": complained,
        "truncated": truncated,
        "confinement": confined,
    });
    let code = match ended.cut {
        _ if is_well => None,
        Some(Cut::Deadline) => Some(Code::Timeout),
        Some(Cut::Cancelled) => Some(Code::Cancelled),
        None => Some(Code::ToolFailed),
    };
    ToolResult {
        is_error: !is_well,
        code,
        structured: Some(structured),
        ..ToolResult::silent(text)
    }
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
        (None, Status::Exited(0)) => return None,
        (None, Status::Exited(code)) => format!("ended with exit code {code}{}", hint(code)),
        (None, Status::Signalled(signal)) => format!("ended by signal {signal}"),
        (None, Status::Lost) => "ended from outside".to_owned(),
    })
}

/// How it ended, where that was not well.
fn how(status: Status, cut: Option<Cut>, limit: Duration) -> Option<String> {
    let seconds = limit.as_secs_f64();
    Some(match (cut, status) {
        (Some(Cut::Deadline), _) => format!(
            "[Ended after {seconds} s, which is all it had. What it wrote until then stands above. \
             Give it more with `timeout_ms`, or less to do.]"
        ),
        (Some(Cut::Cancelled), _) => "[Cancelled.]".to_owned(),
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

/// What an exit code of a shell means.
fn hint(code: i32) -> String {
    match code {
        126 => ": it was found and cannot be run".to_owned(),
        127 => ": there is no such program".to_owned(),
        129..=192 => format!(": ended by signal {}", code - 128),
        _ => String::new(),
    }
}
