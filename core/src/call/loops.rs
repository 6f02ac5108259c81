//! Gate: a run that repeats itself is told so, and then stopped.
//!
//! Before the tool runs a repetition that is certain is refused; after it ran, its result is
//! compared, and the model is warned in a paragraph after the tool's own text.

mod guard;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::guard::{Detector, Finding, Outcome, Pace, Step};
use super::runs::Run;
use super::{Call, Judged, signature};
use crate::error::Code;
use crate::fingerprint::{Fingerprint, Fingerprints};
use crate::kind::{Capability, Effect, Resource};
use crate::tool::{ToolError, ToolResult, ToolSpec};
use crate::vault::without_fresh_tags;

pub(super) use self::guard::Guard;

/// The `loops` part of the configuration: when a run that repeats itself is warned, and when it is
/// stopped. Counted per run, else per session; a call with neither is not watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Loops {
    /// False switches the loop breaker off.
    pub enabled: bool,
    /// How many calls are looked back on, 1 to 1,000.
    #[schemars(range(min = 1, max = 1000))]
    pub window: u32,
    /// Tools that may repeat themselves, by their own names: those that ask until an answer
    /// changes. Tools that declare `polling` need not be named.
    pub exempt: Vec<String>,
    /// The same call with the same result. Another result in between begins the count anew.
    pub identical: Thresholds,
    /// The same tool with the same result each time, whatever the arguments. Counted for calls
    /// that only read, and for errors.
    pub same_result: Thresholds,
    /// Calls of the same tool for the same paths that fail or find nothing, whatever comes in
    /// between: edits that do not fit, searches of one file or folder without a hit. Not counted
    /// for searches of the whole workspace.
    pub missing: Thresholds,
    /// Calls that only read, and mostly the same things again.
    pub stuck: Thresholds,
    /// Calls that only read, and mostly new things.
    pub exploring: Thresholds,
    /// How many of a hundred calls must be different for reading to be `exploring`: more than this.
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
    /// This call is refused; at least 2.
    #[schemars(range(min = 2))]
    pub critical: u32,
}

impl Default for Loops {
    fn default() -> Loops {
        Loops {
            enabled: true,
            window: 30,
            exempt: Vec::new(),
            identical: Thresholds { warning: 3, critical: 5 },
            same_result: Thresholds { warning: 4, critical: 6 },
            missing: Thresholds { warning: 6, critical: 12 },
            stuck: Thresholds { warning: 8, critical: 12 },
            exploring: Thresholds { warning: 24, critical: 36 },
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
    let step = Step {
        tool: entry.spec.name.clone(),
        call: signature::of_call(run.prints, &entry.spec.name, args),
        target: target(run.prints, &entry.spec.name, &judged.assessment.touches),
        pace: pace(&entry.spec, args),
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
    let outcome = Outcome {
        result: watched.run.prints.of(without_fresh_tags(&result.for_llm).as_bytes()),
        ran: call.started.is_some(),
        telling: result.is_error || watched.step.pace == Pace::Reads,
        missed: result.is_error || found_nothing(result),
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
        tool: crate::limits::echo(tool).to_owned(),
        call: signature::of_call(run.prints, tool, &Value::from(call.arguments.as_str())),
        target: None,
        pace: Pace::Neutral,
        exempt: limits.exempt.iter().any(|name| name == tool),
    };
    Some(Watched { run, step })
}

/// What tells calls of a tool for the same paths from others. None for one of no path, or of all
/// that there are.
fn target(prints: Fingerprints, tool: &str, touches: &[(Effect, Resource)]) -> Option<Fingerprint> {
    let path = |(_, resource): &(Effect, Resource)| match resource {
        Resource::Path(path) if path != "." => Some(path.clone()),
        _ => None,
    };
    let mut paths: Vec<String> = touches.iter().filter_map(path).collect();
    paths.sort_unstable();
    (!paths.is_empty()).then(|| signature::of_call(prints, tool, &Value::from(paths)))
}

/// True for a search without a hit.
fn found_nothing(result: &ToolResult) -> bool {
    let files = result.structured.as_ref().and_then(|structured| structured.get("files"));
    files.and_then(Value::as_array).is_some_and(Vec::is_empty)
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

/// What a call of the tool means for a streak of reading.
fn pace(spec: &ToolSpec, args: &Value) -> Pace {
    if spec.name == "team_tasks" {
        return match args.get("action").and_then(Value::as_str) {
            Some("list" | "get" | "search") => Pace::Reads,
            Some("progress") | None => Pace::Neutral,
            Some(_) => Pace::Changes,
        };
    }
    let is_neutral = matches!(
        spec.name.as_str(),
        "exec" | "credentialed_exec" | "execute_code" | "process" | "bash" | "wait"
    ) || spec.name.starts_with("mcp_")
        || spec.capabilities.contains(&Capability::McpBridged);
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

fn critical(limits: &Loops, detector: Detector) -> u32 {
    match detector {
        Detector::Identical => limits.identical.critical,
        Detector::SameResult => limits.same_result.critical,
        Detector::Missing => limits.missing.critical,
        Detector::Stuck => limits.stuck.critical,
        Detector::Exploring => limits.exploring.critical,
    }
}

fn refusal(limits: &Loops, tool: &str, finding: Finding) -> ToolError {
    let count = finding.count;
    let text = match finding.detector {
        Detector::Identical => format!(
            "You go round in circles: `{tool}` with the same arguments gave the same result each \
             time, and this is time {count}. It is not run again. Use the result that you have, \
             change the arguments, take another tool, or tell the user what you cannot find out."
        ),
        Detector::SameResult => format!(
            "You go round in circles: `{tool}` gave the same result {count} times in a row, \
             whatever the arguments. Take another tool or another way, or tell the user what you \
             cannot find out."
        ),
        Detector::Missing => format!(
            "You go round in circles: {count} calls of `{tool}` for the same path failed or found \
             nothing. It is not run for that path again. Read the file and work with what is shown \
             there, write the file anew, or tell the user what is missing. What is masked cannot be \
             found out by trying."
        ),
        Detector::Stuck => format!(
            "You go round in circles: {count} calls in a row only read, and mostly the same things \
             again. Act on what you know, or tell the user what is missing. You may read again when \
             you have changed something."
        ),
        Detector::Exploring => format!(
            "{count} calls in a row only read, and nothing was done. Act on what you know, or tell \
             the user what is missing. You may read again when you have changed something."
        ),
    };
    let rule = format!(
        "loops.{}.critical = {}",
        finding.detector.name(),
        critical(limits, finding.detector)
    );
    ToolError::new(Code::LoopDetected, text).by_rule(rule)
}

fn warning(limits: &Loops, tool: &str, finding: Finding) -> String {
    let (count, at) = (finding.count, critical(limits, finding.detector));
    match finding.detector {
        Detector::Identical => format!(
            "[You have called `{tool}` {count} times with the same arguments and got the same \
             result. Use it, or try something else: call {at} is refused.]"
        ),
        Detector::SameResult => format!(
            "[`{tool}` gave the same result {count} times in a row, whatever the arguments. Try \
             another tool or another way: at {at} it is refused.]"
        ),
        Detector::Missing => format!(
            "[{count} calls of `{tool}` for the same path failed or found nothing. Read the file again \
             and take the text from there: at {at} it is refused for that path.]"
        ),
        Detector::Stuck => format!(
            "[{count} calls in a row only read, mostly the same things again. Act on what you \
             know, or say what is missing: at {at} reading is refused.]"
        ),
        Detector::Exploring => format!(
            "[{count} calls in a row only read. Act on what you know, or say what is missing: at \
             {at} reading is refused.]"
        ),
    }
}
