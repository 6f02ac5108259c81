//! Each case of the seeds' table, and what they get wrong.

use std::sync::LazyLock;

use serde_json::json;

use super::*;
use crate::call::signature::of_call;
use crate::fingerprint::Fingerprints;
use crate::tool::ToolSpec;

/// What a call comes to: nothing, a warning, or a refusal.
#[derive(Debug, PartialEq)]
enum Level {
    None,
    Warning(Detector),
    Critical(Detector),
}

use Level::{Critical, Warning};

struct Run {
    guard: Guard,
    limits: Loops,
    remembers: bool,
    ran: u32,
}

static PRINTS: LazyLock<Fingerprints> = LazyLock::new(Fingerprints::default);

const NEVER: Thresholds = Thresholds { warning: u32::MAX, critical: u32::MAX };

impl Run {
    fn new() -> Run {
        Run { guard: Guard::default(), limits: Loops::default(), remembers: true, ran: 0 }
    }

    /// A run with only the one detector (or the two of reading).
    fn only(detector: Detector) -> Run {
        let mut run = Run::new();
        let limits = &mut run.limits;
        if detector != Detector::Identical {
            limits.identical = NEVER;
        }
        if detector != Detector::SameResult {
            limits.same_result = NEVER;
        }
        if detector != Detector::Missing {
            limits.missing = NEVER;
        }
        if !matches!(detector, Detector::Stuck | Detector::Exploring) {
            (limits.stuck, limits.exploring) = (NEVER, NEVER);
        }
        run
    }

    fn step(&mut self, step: &Step, result: &str) -> Level {
        let telling = step.pace == Pace::Reads;
        let found = self.guard.before(&self.limits, step, self.remembers).or_else(|| {
            self.ran += 1;
            let (result, missed) = (PRINTS.of(result.as_bytes()), result.starts_with("no "));
            let outcome = Outcome { result, ran: true, telling, missed };
            self.guard.after(&self.limits, step, outcome, self.remembers)
        });
        match found {
            None => Level::None,
            Some(Finding { detector, is_critical: false, .. }) => Warning(detector),
            Some(Finding { detector, .. }) => Critical(detector),
        }
    }

    /// A reading call.
    fn read(&mut self, args: &str, result: &str) -> Level {
        self.step(&step("look", args, Pace::Reads), result)
    }

    /// Reading calls of different results.
    fn reads(&mut self, args: impl IntoIterator<Item = usize>) -> Level {
        let mut last = Level::None;
        for (n, args) in args.into_iter().enumerate() {
            last = self.read(&args.to_string(), &n.to_string());
        }
        last
    }
}

fn step(tool: &str, args: &str, pace: Pace) -> Step {
    let call = of_call(*PRINTS, tool, &json!({ "a": args }));
    Step { tool: tool.into(), call, target: None, pace, exempt: false }
}

#[test]
fn a_fresh_run_finds_nothing() {
    assert_eq!(Run::new().read("a", "r"), Level::None);
}

#[test]
fn identical_calls_warn_at_three_and_stop_at_five_without_running() {
    let mut run = Run::only(Detector::Identical);
    let expected = [
        Level::None,
        Level::None,
        Warning(Detector::Identical),
        Warning(Detector::Identical),
        Critical(Detector::Identical),
    ];
    for expected in expected {
        assert_eq!(run.read("a", "r"), expected);
    }
    assert_eq!(run.ran, 4);
    assert_eq!(run.read("a", "other"), Critical(Detector::Identical), "it stays stopped");
    assert_eq!(run.read("b", "r"), Level::None, "other calls go on");
}

#[test]
fn other_arguments_or_other_results_are_not_identical() {
    let mut run = Run::only(Detector::Identical);
    for n in 0..15 {
        assert_eq!(run.read(&n.to_string(), "r"), Level::None);
        assert_eq!(run.read("same", &n.to_string()), Level::None);
    }
}

#[test]
fn eight_alternating_calls_warn_and_never_stop_but_the_ninth_does() {
    let mut run = Run::only(Detector::Identical);
    for n in 0..8 {
        let level = run.read(["a", "b"][n % 2], "r");
        let expected = if n < 4 { Level::None } else { Warning(Detector::Identical) };
        assert_eq!(level, expected, "{n}");
    }
    assert_eq!(run.read("a", "r"), Critical(Detector::Identical));
}

#[test]
fn polling_whose_result_changes_in_between_goes_on() {
    let mut run = Run::only(Detector::Identical);
    for result in ["wait", "wait", "half", "wait", "wait", "half", "wait", "wait", "done"] {
        assert_eq!(run.read("status", result), Level::None);
    }
}

#[test]
fn an_exempt_tool_repeats_itself_as_it_likes() {
    let mut run = Run::new();
    let polls = Step { exempt: true, ..step("status", "a", Pace::Reads) };
    for _ in 0..50 {
        assert_eq!(run.step(&polls, "wait"), Level::None);
    }
    assert_eq!(run.guard.streak, 0);
}

#[test]
fn the_same_result_of_other_arguments_warns_at_four_and_stops_the_tool_at_six() {
    let mut run = Run::only(Detector::SameResult);
    for n in 0..6 {
        let expected = match n {
            0..3 => Level::None,
            3..5 => Warning(Detector::SameResult),
            _ => Critical(Detector::SameResult),
        };
        assert_eq!(run.read(&n.to_string(), "nothing"), expected, "{n}");
    }
    assert_eq!(run.read("new", "something"), Critical(Detector::SameResult));
    assert_eq!(run.step(&step("other", "new", Pace::Reads), "nothing"), Level::None);
}

#[test]
fn another_result_of_the_tool_begins_the_count_anew() {
    let mut run = Run::only(Detector::SameResult);
    for n in 0..30 {
        let result = if n % 3 == 2 { "hit" } else { "nothing" };
        assert_eq!(run.read(&n.to_string(), result), Level::None);
    }
}

#[test]
fn a_bare_done_after_each_of_many_changes_is_no_loop() {
    let mut run = Run::new();
    for n in 0..30 {
        let write = step("write", &n.to_string(), Pace::Changes);
        assert_eq!(run.step(&write, "done"), Level::None);
    }
}

#[test]
fn reading_other_things_warns_at_24_and_stops_at_36() {
    let of = |count| Run::only(Detector::Exploring).reads(0..count);
    assert_eq!(of(12), Level::None);
    assert_eq!(of(23), Level::None);
    assert_eq!(of(24), Warning(Detector::Exploring));
    assert_eq!(of(35), Warning(Detector::Exploring));
    assert_eq!(of(36), Critical(Detector::Exploring));
}

#[test]
fn reading_the_same_things_warns_at_8_and_stops_at_12() {
    let of = |args: Vec<usize>| Run::only(Detector::Stuck).reads(args);
    let cycle = |unique: usize, count: usize| (0..count).map(|n| n % unique).collect::<Vec<_>>();
    assert_eq!(of(vec![1; 7]), Level::None);
    assert_eq!(of(vec![1; 8]), Warning(Detector::Stuck));
    assert_eq!(of(vec![1; 12]), Critical(Detector::Stuck));
    assert_eq!(of(cycle(3, 12)), Critical(Detector::Stuck));
    assert_eq!(of(cycle(2, 12)), Critical(Detector::Stuck));
    // The share of different ones decides: 60 % is still the same things.
    assert_eq!(of(cycle(7, 12)), Critical(Detector::Stuck));
    assert_eq!(of(cycle(8, 12)), Level::None);
    assert_eq!(of(cycle(6, 10)), Warning(Detector::Stuck));
}

#[test]
fn a_change_ends_the_streak_and_only_one_that_ran() {
    let mut run = Run::only(Detector::Exploring);
    run.reads(0..10);
    run.step(&step("edit", "x", Pace::Changes), "done");
    assert_eq!(run.reads(100..112), Level::None);
    assert_eq!((run.guard.streak, run.guard.unique.len()), (12, 12));
    let refused = Outcome { result: PRINTS.of(b"no"), ran: false, telling: true, missed: true };
    run.guard.after(&run.limits, &step("edit", "x", Pace::Changes), refused, true);
    assert_eq!(run.guard.streak, 12);
    run.reads(200..235);
    assert_eq!(run.reads(300..301), Critical(Detector::Exploring));
    assert_eq!(run.step(&step("edit", "x", Pace::Changes), "done"), Level::None);
    assert_eq!(run.reads(300..301), Level::None, "something was done");
}

#[test]
fn what_a_tool_is_decides_what_it_does_to_a_streak() {
    use crate::kind::Capability;
    let pace = |name: &str, args: serde_json::Value| {
        super::super::pace(&ToolSpec::new(name, "").capability(Capability::ReadOnly), &args)
    };
    let streak = |name: &str, args: serde_json::Value| {
        let mut run = Run::only(Detector::Exploring);
        run.reads(0..5);
        run.step(&step(name, "x", pace(name, args)), "r");
        run.guard.streak
    };
    let cases = [
        ("progress", 5),
        ("list", 6),
        ("get", 6),
        ("search", 6),
        ("create", 0),
        ("complete", 0),
        ("comment", 0),
        ("unknown", 0),
    ];
    for (action, expected) in cases {
        assert_eq!(streak("team_tasks", json!({ "action": action })), expected, "{action}");
    }
    assert_eq!(streak("team_tasks", json!({})), 5);
    for neutral in ["exec", "bash", "wait", "mcp_a__x"] {
        assert_eq!(streak(neutral, json!({})), 5, "{neutral}");
    }
    assert_eq!(streak("read_file", json!({})), 6);
    let undeclared = ToolSpec::new("anything", "");
    assert_eq!(super::super::pace(&undeclared, &json!({})), Pace::Changes);
    let bridged = undeclared.capability(Capability::McpBridged);
    assert_eq!(super::super::pace(&bridged, &json!({})), Pace::Neutral);
}

#[test]
fn without_a_run_the_count_begins_anew_after_a_refusal() {
    let mut run = Run { remembers: false, ..Run::only(Detector::Identical) };
    for _ in 0..4 {
        run.read("a", "r");
    }
    assert_eq!(run.read("a", "r"), Critical(Detector::Identical));
    assert_eq!(run.read("a", "r"), Level::None);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut run = Run::only(Detector::Identical);
    for n in 0..200 {
        for _ in 0..5 {
            run.step(&step("t", &n.to_string(), Pace::Neutral), "r");
        }
    }
    assert_eq!((run.guard.history.len(), run.guard.stopped.len()), (30, STOPPED));
}

#[test]
fn calls_that_miss_at_the_same_path_are_stopped_whatever_comes_in_between() {
    let mut run = Run::only(Detector::Missing);
    let edit = |path: &str, args: &str| {
        let target = Some(of_call(*PRINTS, "edit", &json!([path])));
        Step { target, ..step("edit", args, Pace::Changes) }
    };
    for n in 0..11 {
        let expected = if n < 5 { Level::None } else { Warning(Detector::Missing) };
        assert_eq!(run.step(&edit("a", &format!("{n}")), &format!("no {n}")), expected, "{n}");
        assert_eq!(run.step(&edit("a", "fits"), "done"), Level::None);
    }
    assert_eq!(run.step(&edit("a", "11"), "no 11"), Critical(Detector::Missing));
    assert_eq!(run.step(&edit("a", "fits"), "done"), Critical(Detector::Missing), "it stays so");
    assert_eq!(run.step(&edit("b", "11"), "no 11"), Level::None, "other paths go on");
}
