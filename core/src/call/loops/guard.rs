//! The loop breaker's memory of one run, and what it makes of it. No I/O and no clock.

use std::collections::{HashSet, VecDeque};

use super::{Loops, Thresholds};
use crate::fingerprint::Fingerprint;

/// How many stopped calls and paths are remembered.
const STOPPED: usize = 64;

/// What a call means for a streak of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// It only looked.
    Reads,
    /// It changed something: the work goes on.
    Changes,
    /// Nobody knows.
    Neutral,
}

/// One call, as far as loops go.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The tool, by its own name.
    pub tool: String,
    /// The fingerprint of the tool and its arguments.
    pub call: Fingerprint,
    /// The paths that it names; none if it names none.
    pub target: Option<Target>,
    pub pace: Pace,
    /// True if repeating it is no fault.
    pub exempt: bool,
}

/// The paths that a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The fingerprint of the tool and the paths.
    pub of_tool: Fingerprint,
    /// The fingerprint of the paths alone.
    pub paths: Fingerprint,
}

/// What a call came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The fingerprint of its result.
    pub result: Fingerprint,
    /// True if the tool ran.
    pub ran: bool,
    /// True if its result says something even if the arguments are others: that of a call that
    /// only looked, or an error. A bare "done" after each of ten changes is no loop.
    pub informative: bool,
    /// True if it missed what it was after: an error, or a search that found nothing.
    pub missed: bool,
    /// True if it looked for something and there was nothing: a search without a hit, a program that
    /// says no by its exit code alone. Many different calls may well come to that.
    pub nothing_found: bool,
}

/// Which repetition was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detector {
    /// The same call with the same result.
    Identical,
    /// The same tool with the same result, whatever the arguments.
    SameResult,
    /// One call after the other that misses, of the same tool for the same paths.
    Missing,
    /// Reading the same things again and again.
    Stuck,
    /// Reading more and more, and doing nothing.
    Exploring,
}

impl Detector {
    /// Its name in the configuration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Detector::Identical => "identical",
            Detector::SameResult => "same_result",
            Detector::Missing => "missing",
            Detector::Stuck => "stuck",
            Detector::Exploring => "exploring",
        }
    }
}

/// A repetition that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub detector: Detector,
    /// True if the call is refused; otherwise the model is warned.
    pub is_critical: bool,
    /// How many calls it took.
    pub count: u32,
}

/// What the loop breaker remembers of a run.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    history: VecDeque<Record>,
    /// How many calls have only read since something was changed.
    streak: u32,
    /// Which calls these were.
    unique: HashSet<Fingerprint>,
    stopped: VecDeque<Stopped>,
}

#[derive(Debug)]
struct Record {
    tool: String,
    call: Fingerprint,
    target: Option<Target>,
    outcome: Outcome,
    /// True for a change that succeeded and was not made before: repetitions before it do not count
    /// for those after it.
    is_work: bool,
}

/// A repetition that is refused without being counted again.
#[derive(Debug, PartialEq, Eq)]
enum Stopped {
    /// The same call, until something is changed.
    Call(Fingerprint),
    /// Calls of the same tool for the same paths, until these are read.
    Target(Target),
}

impl Guard {
    /// Whether the call must not run. With `remembers` what was stopped stays so; otherwise the
    /// guard starts anew.
    pub fn before(&mut self, limits: &Loops, step: &Step, remembers: bool) -> Option<Finding> {
        let finding = self.stopped_before(limits, step).or_else(|| {
            let identical = self.identical(step).saturating_add(1);
            let finding = found(Detector::Identical, limits.identical, identical);
            finding.filter(|finding| !step.exempt && finding.is_critical)
        });
        let finding = finding.or_else(|| {
            let streak = self.reading_with(step)?;
            streak.finding(limits).filter(|finding| finding.is_critical)
        })?;
        self.stop(step, finding, remembers);
        Some(finding)
    }

    /// What the call came to, and what that says.
    pub fn after(
        &mut self,
        limits: &Loops,
        step: &Step,
        outcome: Outcome,
        remembers: bool,
    ) -> Option<Finding> {
        let streak = self.advance(limits, step, outcome);
        if step.exempt {
            return None;
        }
        self.remember(step, outcome);
        while self.history.len() > limits.window as usize {
            self.history.pop_front();
        }
        let same = self.same_result(step, outcome);
        let findings = [
            found(Detector::Identical, limits.identical, self.identical(step)),
            found(Detector::SameResult, limits.same_result, same),
            found(Detector::Missing, limits.missing, self.missing(step, outcome)),
            streak,
        ];
        let mut findings = findings.into_iter().flatten();
        let first = findings.next()?;
        // The worst one; of equals the first.
        let worst = match first.is_critical {
            true => first,
            false => findings.find(|finding| finding.is_critical).unwrap_or(first),
        };
        if worst.is_critical {
            self.stop(step, worst, remembers);
        }
        Some(worst)
    }

    fn stopped_before(&self, limits: &Loops, step: &Step) -> Option<Finding> {
        if step.exempt {
            return None;
        }
        let finding = |detector, limits: Thresholds| {
            Some(Finding { detector, is_critical: true, count: limits.critical? })
        };
        self.stopped.iter().find_map(|stopped| match stopped {
            Stopped::Call(call) if *call == step.call => {
                finding(Detector::Identical, limits.identical)
            }
            Stopped::Target(target) if Some(*target) == step.target => {
                finding(Detector::Missing, limits.missing)
            }
            _ => None,
        })
    }

    /// Takes the call into the history, and lifts what it puts an end to.
    fn remember(&mut self, step: &Step, outcome: Outcome) {
        let Step { tool, call, target, .. } = step.clone();
        let succeeded = !outcome.missed;
        let is_new = || self.history.iter().all(|record| record.call != call);
        let is_work = step.pace == Pace::Changes && outcome.ran && succeeded && is_new();
        if is_work {
            self.stopped.retain(|stopped| !matches!(stopped, Stopped::Call(_)));
        }
        if let Some(read) = target.filter(|_| step.pace == Pace::Reads && succeeded) {
            self.allow_again(read.paths);
        }
        self.history.push_back(Record { tool, call, target, outcome, is_work });
    }

    /// Calls for these paths were stopped, and now the paths were read: they may be tried anew.
    fn allow_again(&mut self, paths: Fingerprint) {
        let of_paths = |target: &Target| target.paths == paths;
        let was_stopped =
            |stopped: &Stopped| matches!(stopped, Stopped::Target(target) if of_paths(target));
        if !self.stopped.iter().any(was_stopped) {
            return;
        }
        self.stopped.retain(|stopped| !was_stopped(stopped));
        for record in &mut self.history {
            record.target.take_if(|target| of_paths(target));
        }
    }

    /// The calls since something was changed by another call than this one, the last one first.
    fn since_work(&self, step: &Step) -> impl Iterator<Item = &Record> {
        let call = step.call;
        self.history.iter().rev().take_while(move |record| !record.is_work || record.call == call)
    }

    /// How often the same call gave the same result, up to the last time. Another result in between
    /// begins the count anew, and so does a change: what was checked may be otherwise now.
    fn identical(&self, step: &Step) -> u32 {
        let mut same = self.since_work(step).filter(|record| record.call == step.call);
        let Some(last) = same.next() else { return 0 };
        let again = same.take_while(|record| record.outcome.result == last.outcome.result);
        1 + u32::try_from(again.count()).unwrap_or(u32::MAX)
    }

    /// How often in a row the tool gave this result for the same paths, or for none. Errors of calls
    /// that name paths are left to [`Guard::missing`].
    fn same_result(&self, step: &Step, outcome: Outcome) -> u32 {
        let has_missed_paths = outcome.missed && step.target.is_some();
        if !outcome.informative || outcome.nothing_found || has_missed_paths {
            return 0;
        }
        let of_tool = self.since_work(step).filter(|record| record.tool == step.tool);
        let is_same = |record: &&Record| {
            record.outcome.result == outcome.result && record.target == step.target
        };
        u32::try_from(of_tool.take_while(is_same).count()).unwrap_or(u32::MAX)
    }

    /// How many calls of the tool for the same paths have missed, of those that are looked back on.
    /// What else was called in between does not matter, and neither does how they differ.
    fn missing(&self, step: &Step, outcome: Outcome) -> u32 {
        if step.target.is_none() || !outcome.missed {
            return 0;
        }
        let of_target = self.history.iter().filter(|record| record.target == step.target);
        let missed = of_target.filter(|record| record.outcome.missed).count();
        u32::try_from(missed).unwrap_or(u32::MAX)
    }

    /// The streak with this call.
    fn reading_with(&self, step: &Step) -> Option<Streak> {
        if step.pace != Pace::Reads || step.exempt {
            return None;
        }
        let is_repeated = self.unique.contains(&step.call);
        let unique = self.unique.len() + usize::from(!is_repeated);
        Some(Streak { calls: self.streak.saturating_add(1), unique, is_repeated })
    }

    fn advance(&mut self, limits: &Loops, step: &Step, outcome: Outcome) -> Option<Finding> {
        if step.pace == Pace::Changes && outcome.ran {
            self.streak = 0;
            self.unique.clear();
        }
        let streak = self.reading_with(step)?;
        self.streak = streak.calls;
        self.unique.insert(step.call);
        streak.finding(limits)
    }

    fn stop(&mut self, step: &Step, finding: Finding, remembers: bool) {
        if !remembers {
            *self = Guard::default();
            return;
        }
        let stopped = match finding.detector {
            Detector::Identical => Stopped::Call(step.call),
            Detector::Missing => match step.target {
                Some(target) => Stopped::Target(target),
                None => return,
            },
            // The result is compared each time: another one is no repetition.
            Detector::SameResult => return,
            // The streak itself says so until something is changed.
            Detector::Stuck | Detector::Exploring => return,
        };
        if !self.stopped.contains(&stopped) {
            self.stopped.push_back(stopped);
        }
        if self.stopped.len() > STOPPED {
            self.stopped.pop_front();
        }
    }
}

/// Calls in a row that only read.
struct Streak {
    calls: u32,
    /// How many of them are different.
    unique: usize,
    /// True if the last one was made before in the streak.
    is_repeated: bool,
}

impl Streak {
    fn finding(&self, limits: &Loops) -> Option<Finding> {
        let above = u64::from(self.calls) * u64::from(limits.exploring_above_percent);
        if self.unique as u64 * 100 <= above {
            // A call that reads something new is not what repeats itself.
            return found(Detector::Stuck, limits.stuck, self.calls).filter(|_| self.is_repeated);
        }
        let finding = found(Detector::Exploring, limits.exploring, self.calls)?;
        // One who reads on has heard it: say it again only after as many calls more.
        let is_due = self.calls.is_multiple_of(limits.exploring.warning.max(1));
        (finding.is_critical || is_due).then_some(finding)
    }
}

fn found(detector: Detector, limits: Thresholds, count: u32) -> Option<Finding> {
    let is_critical = limits.critical.is_some_and(|critical| count >= critical);
    (is_critical || count >= limits.warning).then_some(Finding { detector, is_critical, count })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
