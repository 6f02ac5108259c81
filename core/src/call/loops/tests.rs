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

const NEVER: Thresholds = Thresholds::new(u32::MAX, u32::MAX);

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
        let informative = step.pace == Pace::Reads;
        let found = self.guard.before(&self.limits, step, self.remembers).or_else(|| {
            self.ran += 1;
            let nothing_found = result == "no hit";
            let (result, missed) = (PRINTS.of(result.as_bytes()), result.starts_with("no "));
            let informative = informative || missed;
            let outcome = Outcome { result, ran: true, informative, missed, nothing_found };
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

fn target(tool: &str, path: &str) -> Target {
    Target {
        of_tool: of_call(*PRINTS, tool, &json!([path])),
        paths: of_call(*PRINTS, "", &json!([path])),
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
fn the_same_result_of_other_arguments_warns_at_four_and_is_left_out_from_six_on() {
    let mut run = Run::only(Detector::SameResult);
    for n in 0..6 {
        let expected = match n {
            0..3 => Level::None,
            3..5 => Warning(Detector::SameResult),
            _ => Critical(Detector::SameResult),
        };
        assert_eq!(run.read(&n.to_string(), "nothing"), expected, "{n}");
    }
    assert_eq!(run.read("7", "nothing"), Critical(Detector::SameResult));
    assert_eq!(run.ran, 7);
    assert_eq!(run.read("new", "something"), Level::None, "the tool goes on");
    assert_eq!(run.read("8", "nothing"), Level::None, "the count has begun anew");
    assert_eq!(run.step(&step("other", "new", Pace::Reads), "nothing"), Level::None);
}

#[test]
fn looking_for_many_things_and_finding_none_is_no_repetition() {
    for pace in [Pace::Reads, Pace::Neutral] {
        let mut run = Run::new();
        for n in 0..20 {
            assert_eq!(run.step(&step("look", &n.to_string(), pace), "no hit"), Level::None);
        }
        for n in 0..4 {
            let expected = if n < 2 { Level::None } else { Warning(Detector::Identical) };
            assert_eq!(run.step(&step("look", "same", pace), "no hit"), expected, "{n}");
        }
        assert_eq!(
            run.step(&step("look", "same", pace), "no hit"),
            Critical(Detector::Identical),
            "the same question is one"
        );
    }
}

#[test]
fn work_in_between_begins_the_counts_anew() {
    let mut run = Run::new();
    let check = step("exec", "make test", Pace::Neutral);
    for n in 0..20 {
        for _ in 0..2 {
            assert_eq!(run.step(&check, "no way: 3 failed"), Level::None, "{n}");
        }
        let edit = step("edit", &n.to_string(), Pace::Changes);
        assert_eq!(run.step(&edit, "done"), Level::None);
    }
}

#[test]
fn what_is_stopped_may_be_called_again_after_a_change() {
    let mut run = Run::new();
    let check = step("exec", "make test", Pace::Neutral);
    for _ in 0..4 {
        run.step(&check, "no way");
    }
    assert_eq!(run.step(&check, "no way"), Critical(Detector::Identical));
    run.step(&step("exec", "ls", Pace::Neutral), "a b");
    assert_eq!(run.step(&check, "no way"), Critical(Detector::Identical), "looking is no change");
    run.step(&step("edit", "x", Pace::Changes), "no such text");
    assert_eq!(run.step(&check, "no way"), Critical(Detector::Identical), "nothing was changed");
    run.step(&step("edit", "y", Pace::Changes), "done");
    assert_eq!(run.step(&check, "no way"), Level::None);
}

#[test]
fn the_same_change_over_and_over_is_no_work() {
    let mut run = Run::only(Detector::Identical);
    let write = step("write", "a", Pace::Changes);
    let mut last = (Level::None, Level::None);
    for _ in 0..5 {
        last = (run.step(&write, "done"), run.read("a", "r"));
    }
    assert_eq!(last, (Critical(Detector::Identical), Critical(Detector::Identical)));
}

#[test]
fn edits_of_many_files_that_miss_are_no_repetition() {
    let mut run = Run::new();
    for n in 0..20 {
        let target = Some(target("edit", &n.to_string()));
        let edit = Step { target, ..step("edit", &n.to_string(), Pace::Changes) };
        assert_eq!(run.step(&edit, "no such text"), Level::None);
    }
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
fn reading_other_things_warns_at_24_and_again_at_48_and_never_stops() {
    let of = |count| Run::only(Detector::Exploring).reads(0..count);
    for (count, expected) in [
        (12, Level::None),
        (23, Level::None),
        (24, Warning(Detector::Exploring)),
        (25, Level::None),
        (36, Level::None),
        (48, Warning(Detector::Exploring)),
        (500, Level::None),
    ] {
        assert_eq!(of(count), expected, "{count}");
    }
}

#[test]
fn an_owner_may_stop_reading_after_so_many_calls() {
    let mut run = Run::only(Detector::Exploring);
    run.limits.exploring = Thresholds::new(24, 36);
    assert_eq!(run.reads(0..35), Level::None);
    assert_eq!(run.reads(35..36), Critical(Detector::Exploring));
}

#[test]
fn one_who_reads_the_same_again_and_again_may_read_something_new() {
    let mut run = Run::only(Detector::Stuck);
    run.reads((0..12).map(|n| n % 2));
    assert_eq!(run.reads([0]), Critical(Detector::Stuck));
    assert_eq!(run.reads([77]), Level::None);
    assert_eq!(run.reads([1]), Critical(Detector::Stuck));
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
    let result = PRINTS.of(b"no");
    let refused =
        Outcome { result, ran: false, informative: true, missed: true, nothing_found: false };
    run.guard.after(&run.limits, &step("edit", "x", Pace::Changes), refused, true);
    assert_eq!(run.guard.streak, 12);
    run.limits.exploring = Thresholds::new(24, 36);
    run.reads(200..235);
    assert_eq!(run.reads(300..301), Critical(Detector::Exploring));
    assert_eq!(run.step(&step("edit", "x", Pace::Changes), "done"), Level::None);
    assert_eq!(run.reads(300..301), Level::None, "something was done");
}

#[test]
fn what_a_tool_is_decides_what_it_does_to_a_streak() {
    use crate::kind::Capability;
    let pace = |name: &str, args: serde_json::Value| {
        super::super::pace(&ToolSpec::new(name, "").capability(Capability::ReadOnly), &args, false)
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
    let pace_of = |spec: &ToolSpec, writes| super::super::pace(spec, &json!({}), writes);
    assert_eq!(pace_of(&undeclared, false), Pace::Changes);
    let bridged = undeclared.capability(Capability::McpBridged);
    assert_eq!(pace_of(&bridged, false), Pace::Neutral);
    assert_eq!(pace_of(&bridged.capability(Capability::Mutating), false), Pace::Changes);
    let exec = ToolSpec::new("exec", "");
    assert_eq!(pace_of(&exec, false), Pace::Neutral);
    assert_eq!(pace_of(&exec, true), Pace::Changes, "its command writes files");
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
    let edit = |path: &str, args: &str| Step {
        target: Some(target("edit", path)),
        ..step("edit", args, Pace::Changes)
    };
    for n in 0..11 {
        let expected = if n < 5 { Level::None } else { Warning(Detector::Missing) };
        assert_eq!(run.step(&edit("a", &format!("{n}")), &format!("no {n}")), expected, "{n}");
        assert_eq!(run.step(&edit("a", "fits"), "done"), Level::None);
    }
    assert_eq!(run.step(&edit("a", "11"), "no 11"), Critical(Detector::Missing));
    assert_eq!(run.step(&edit("a", "fits"), "done"), Critical(Detector::Missing), "it stays so");
    assert_eq!(run.step(&edit("b", "11"), "no 11"), Level::None, "other paths go on");
    let read = |path: &str| Step {
        target: Some(target("read_file", path)),
        ..step("read_file", path, Pace::Reads)
    };
    run.step(&read("b"), "its text");
    assert_eq!(run.step(&edit("a", "12"), "no 12"), Critical(Detector::Missing));
    run.step(&read("a"), "its text");
    assert_eq!(run.step(&edit("a", "fits"), "done"), Level::None, "it was read");
    for n in 0..11 {
        run.step(&edit("a", &format!("more {n}")), &format!("no {n}"));
    }
    assert_eq!(run.step(&edit("a", "last"), "no"), Level::None, "an answer, and no miss");
    assert_eq!(run.step(&edit("a", "very last"), "no 12"), Critical(Detector::Missing));
}
