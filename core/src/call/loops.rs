//! Gate: a run that repeats itself is told so, and then stopped.
//!
//! Before the tool runs a repetition that is certain is refused; after it ran, its result is
//! compared, and the model is warned in a paragraph after the tool's own text.

mod guard;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::guard::{Detector, Finding, Outcome, Pace, Step, Target};
use super::runs::Run;
use super::signature;
use super::state::{Call, Judged};
use crate::commands::JudgedCommand;
use crate::error::Code;
use crate::fingerprint::Fingerprints;
use crate::kind::{Capability, Effect, Resource};
use crate::tool::{ToolError, ToolResult, ToolSpec};
use crate::vault::without_fresh_tags;

pub(super) use self::guard::Guard;

/// The `loops` part of the configuration: when a run that repeats itself is warned, and when it is
/// stopped. Counted per run, else per session. A call with neither is not watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Loops {
    /// False switches the loop breaker off.
    pub enabled: bool,
    /// How many of the last calls are compared, 1 to 1,000.
    #[schemars(range(min = 1, max = 1000))]
    pub window: u32,
    /// Tools whose calls may repeat, by their own names: those that poll until an answer changes.
    /// Tools that declare `polling` need not be named.
    pub exempt: Vec<String>,
    /// The same call with the same result. Another result in between starts the count anew.
    pub identical: Thresholds,
    /// The same tool with the same result each time for the same paths, or for none, whatever the
    /// other arguments. Counted for calls that only read, and for errors; not for "nothing found".
    pub same_result: Thresholds,
    /// Calls of the same tool for the same paths that fail or find nothing, whatever comes in
    /// between: edits that do not fit, searches of one file or folder without a hit. Not counted
    /// for searches of the whole workspace.
    pub missing: Thresholds,
    /// Calls that only read, and mostly the same things again. Calls that read the same again are
    /// refused.
    pub stuck: Thresholds,
    /// Calls that only read, and mostly new things. They are not refused by default.
    pub exploring: Thresholds,
    /// Reading counts as `exploring` if more than this percentage of the calls are different.
    #[schemars(range(max = 100))]
    pub exploring_above_percent: u32,
}

/// After how many calls something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// From this call on the model is warned; at least 2.
    #[schemars(range(min = 2))]
    pub warning: u32,
    /// This call is refused; at least 2. None: the model is only warned.
    #[serde(default)]
    #[schemars(range(min = 2))]
    pub critical: Option<u32>,
}

impl Thresholds {
    /// Warns from the one call on, and refuses the other.
    pub const fn new(warning: u32, critical: u32) -> Thresholds {
        Thresholds { warning, critical: Some(critical) }
    }
}

impl Default for Loops {
    fn default() -> Loops {
        Loops {
            enabled: true,
            window: 30,
            exempt: Vec::new(),
            identical: Thresholds::new(3, 5),
            same_result: Thresholds::new(4, 6),
            missing: Thresholds::new(6, 12),
            stuck: Thresholds::new(8, 12),
            exploring: Thresholds { warning: 24, critical: None },
            exploring_above_percent: 60,
        }
    }
}

impl Loops {
    /// The thresholds, by their keys.
    pub(crate) fn thresholds(&self) -> [(&'static str, Thresholds); 5] {
        [
            ("identical", self.identical),
            ("same_result", self.same_result),
            ("missing", self.missing),
            ("stuck", self.stuck),
            ("exploring", self.exploring),
        ]
    }
}

/// What the loop breaker knows of a call on its way.
pub(super) struct Watched {
    run: Arc<Run>,
    step: Step,
}

/// Refuses a call that is certain to be one too many.
pub(super) fn before(
    limits: &Loops,
    judged: &Judged,
    call: &mut Call<'_>,
) -> Result<(), ToolError> {
    let (entry, args) = (&judged.entry, &judged.args);
    let Some(run) = call.run.clone().filter(|_| limits.enabled) else { return Ok(()) };
    let writes = judged.command.as_ref().is_some_and(JudgedCommand::writes);
    let step = Step {
        tool: entry.spec.name.clone(),
        call: signature::of_call(run.prints, &entry.spec.name, args),
        target: target(run.prints, &entry.spec.name, &judged.assessment.touches),
        pace: pace(&entry.spec, args, writes),
        exempt: entry.spec.polling || limits.exempt.contains(&entry.spec.name),
    };
    let found = run.guard().before(limits, &step, run.is_run);
    call.watched = Some(Watched { run, step });
    match found {
        None => Ok(()),
        Some(finding) => {
            // It is on record already.
            call.watched = None;
            note(call, finding);
            Err(refusal(limits, &entry.spec.name, finding))
        }
    }
}

/// Compares what the call came to. Gives the paragraph that warns the model, if it must be warned;
/// a result that is one too many becomes a refusal.
pub(super) fn after(
    limits: &Loops,
    call: &mut Call<'_>,
    result: &mut ToolResult,
) -> Option<String> {
    let watched = call.watched.take().or_else(|| refused_early(limits, call))?;
    if result.code.is_some_and(is_no_answer) {
        return None;
    }
    let looked = result.is_error || watched.step.pace == Pace::Reads;
    let nothing_found = looked && found_nothing(result);
    let outcome = Outcome {
        result: watched.run.prints.of(without_fresh_tags(&result.for_llm).as_bytes()),
        ran: call.started.is_some(),
        informative: looked,
        missed: result.is_error || nothing_found,
        nothing_found,
    };
    let Watched { run, step } = watched;
    let finding = run.guard().after(limits, &step, outcome, run.is_run)?;
    note(call, finding);
    if finding.is_critical {
        *result = refusal(limits, &step.tool, finding).into();
        return None;
    }
    Some(warning(limits, &step.tool, finding))
}

/// A call that was refused before its arguments were known is watched, too, by what is left of
/// them.
fn refused_early(limits: &Loops, call: &Call<'_>) -> Option<Watched> {
    let run = call.run.clone().filter(|_| limits.enabled && !call.is_loop)?;
    let tool = call.tool.as_ref().map_or(call.called_as, |entry| entry.spec.name.as_str());
    let step = Step {
        // It may be a name of any length that a model invented.
        tool: crate::limits::echo(tool).into_owned(),
        call: signature::of_call(run.prints, tool, &Value::from(call.arguments.as_str())),
        target: None,
        pace: Pace::Neutral,
        exempt: limits.exempt.iter().any(|name| name == tool),
    };
    Some(Watched { run, step })
}

/// What tells calls of a tool for the same paths from others. None for one of no path, or of all
/// that there are.
fn target(prints: Fingerprints, tool: &str, touches: &[(Effect, Resource)]) -> Option<Target> {
    let path = |(_, resource): &(Effect, Resource)| match resource {
        Resource::Path(path) if path != "." => Some(path.clone()),
        _ => None,
    };
    let mut paths: Vec<String> = touches.iter().filter_map(path).collect();
    if paths.is_empty() {
        return None;
    }
    paths.sort_unstable();
    let paths = Value::from(paths);
    let of_tool = signature::of_call(prints, tool, &paths);
    Some(Target { of_tool, paths: signature::of_call(prints, "", &paths) })
}

/// The tools that run programs.
const PROGRAMS: [&str; 4] = ["exec", "bash", "credentialed_exec", "execute_code"];

/// Where tools list what they have found.
const LISTS: [&str; 8] =
    ["files", "paths", "entries", "matches", "results", "items", "hits", "tools"];

/// True if the call looked for something and there was nothing: an empty list, an empty text of a
/// tool that only reads, `not_found`, or a program that ended with 1 and wrote nothing, as `test`,
/// `grep -q` and `diff -q` do.
fn found_nothing(result: &ToolResult) -> bool {
    let of = |key: &str| result.structured.as_ref().and_then(|structured| structured.get(key));
    if result.is_error {
        let is = |key: &str, number: u64| of(key).and_then(Value::as_u64) == Some(number);
        let is_silent_no = is("exit_code", 1) && is("stdout_bytes", 0) && is("stderr_bytes", 0);
        return result.code == Some(Code::NotFound) || is_silent_no;
    }
    let is_empty = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
    match LISTS.iter().find_map(|key| of(key)) {
        Some(list) => is_empty(list),
        None => matches!(result.for_llm.trim(), "" | "[]" | "{}" | "null"),
    }
}

/// True for a refusal that says nothing about the call itself: it may well be made again later.
fn is_no_answer(code: Code) -> bool {
    matches!(
        code,
        Code::RateLimited
            | Code::BudgetExhausted
            | Code::LoopDetected
            | Code::ApprovalPending
            | Code::ApprovalDenied
            | Code::Cancelled
    )
}

/// What a call of the tool means for a streak of reading. `writes` says that it brings a command
/// which writes files.
fn pace(spec: &ToolSpec, args: &Value, writes: bool) -> Pace {
    if writes {
        return Pace::Changes;
    }
    if spec.name == "team_tasks" {
        return match args.get("action").and_then(Value::as_str) {
            Some("list" | "get" | "search") => Pace::Reads,
            Some("progress") | None => Pace::Neutral,
            Some(_) => Pace::Changes,
        };
    }
    let is_neutral = PROGRAMS.contains(&spec.name.as_str())
        || matches!(spec.name.as_str(), "process" | "wait")
        || spec.name.starts_with("mcp_")
        || spec.capabilities.contains(&Capability::McpBridged)
            && !spec.capabilities.contains(&Capability::Mutating);
    match is_neutral {
        true => Pace::Neutral,
        false if spec.is_read_only() => Pace::Reads,
        false => Pace::Changes,
    }
}

fn note(call: &mut Call<'_>, finding: Finding) {
    call.is_loop = finding.is_critical;
    let level = if finding.is_critical { "critical" } else { "warning" };
    let note = json!({
        "detector": finding.detector.name(), "level": level, "count": finding.count
    });
    call.notes.insert("loop".into(), note);
}

fn critical(limits: &Loops, detector: Detector) -> Option<u32> {
    match detector {
        Detector::Identical => limits.identical.critical,
        Detector::SameResult => limits.same_result.critical,
        Detector::Missing => limits.missing.critical,
        Detector::Stuck => limits.stuck.critical,
        Detector::Exploring => limits.exploring.critical,
    }
}

/// How to wait for something other than by running a command again and again.
fn waiting(tool: &str) -> &'static str {
    match PROGRAMS.contains(&tool) {
        true => {
            " To wait for a program, start it in the background and ask `process` with `wait_ms`."
        }
        false => "",
    }
}

/// How to read much in few calls.
const READING: &str = "To see more at once, read larger pages (`limit`), or use `search` over a \
                       folder.";

fn refusal(limits: &Loops, tool: &str, finding: Finding) -> ToolError {
    let count = finding.count;
    let text = match finding.detector {
        Detector::Identical => format!(
            "You go round in circles: `{tool}` with the same arguments gave the same result each \
             time, and this is time {count}. It is not run again before something has changed. Use \
             the result that you have, change the arguments, take another tool, or tell the user \
             what you cannot find out.{}",
            waiting(tool)
        ),
        Detector::SameResult => format!(
            "You go round in circles: `{tool}` gave the same result {count} times in a row, \
             whatever the arguments. It is left out here; you have it already. `{tool}` may be \
             called on, and another result is shown. Try another way, or tell the user what you \
             cannot find out."
        ),
        Detector::Missing => format!(
            "You go round in circles: {count} calls of `{tool}` for the same path failed or found \
             nothing. It is not run for that path before you have read it. Read the file and work \
             with what is shown there, write the file anew, or tell the user what is missing. What \
             is masked cannot be found out by trying."
        ),
        Detector::Stuck => format!(
            "You go round in circles: {count} calls in a row only read, and mostly the same things \
             again, like this one. Act on what you know, read something else, or tell the user \
             what is missing. You may read it again when you have changed something. {READING}"
        ),
        Detector::Exploring => format!(
            "{count} calls in a row only read, and nothing was done. Act on what you know, or tell \
             the user what is missing. You may read again when you have changed something. {READING}"
        ),
    };
    let error = ToolError::new(Code::LoopDetected, text);
    match critical(limits, finding.detector) {
        Some(at) => error.by_rule(format!("loops.{}.critical = {at}", finding.detector.name())),
        None => error,
    }
}

fn warning(limits: &Loops, tool: &str, finding: Finding) -> String {
    let count = finding.count;
    let at = |what: &str| match critical(limits, finding.detector) {
        Some(at) => format!("at {at} {what} is refused"),
        None => "it is not refused".to_owned(),
    };
    match finding.detector {
        Detector::Identical => format!(
            "[You have called `{tool}` {count} times with the same arguments and got the same \
             result. Use it, or try something else.{} {}.]",
            waiting(tool),
            match limits.identical.critical {
                Some(at) => format!("Call {at} is refused"),
                None => "It is not refused".to_owned(),
            }
        ),
        Detector::SameResult => format!(
            "[`{tool}` gave the same result {count} times in a row, whatever the arguments. Try \
             another tool or another way: {}.]",
            at("that result")
        ),
        Detector::Missing => format!(
            "[{count} calls of `{tool}` for the same path failed or found nothing. Read the file \
             again and take the text from there: {}.]",
            at("the tool for that path")
        ),
        Detector::Stuck => format!(
            "[{count} calls in a row only read, mostly the same things again. Act on what you \
             know, or say what is missing: {}. {READING}]",
            at("reading them again")
        ),
        Detector::Exploring => match critical(limits, finding.detector) {
            Some(at) => format!(
                "[{count} calls in a row only read. Act on what you know, or say what is missing: \
                 at {at} reading is refused. {READING}]"
            ),
            None => format!(
                "[{count} calls in a row only read. Act on what you know if that is enough. \
                 {READING}]"
            ),
        },
    }
}
