//! The loop breaker's memory of one run, and what it makes of it. No I/O and no clock.

use std::collections::{HashSet, VecDeque};

use super::{Loops, Thresholds};
use crate::fingerprint::Fingerprint;

/// How many stopped calls and tools are remembered.
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
    /// The fingerprint of the tool and the paths that it names; none if it names none.
    pub target: Option<Fingerprint>,
    pub pace: Pace,
    /// True if repeating it is no fault.
    pub exempt: bool,
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
    pub telling: bool,
    /// True if it missed what it was after: an error, or a search that found nothing.
    pub missed: bool,
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
    target: Option<Fingerprint>,
    outcome: Outcome,
}

/// What is refused from now on.
#[derive(Debug, PartialEq, Eq)]
enum Stopped {
    Call(Fingerprint),
    Tool(String),
    Target(Fingerprint),
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
            let (streak, unique) = self.reading_with(step)?;
            reading(limits, streak, unique).filter(|finding| finding.is_critical)
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
        let Step { tool, call, target, .. } = step.clone();
        let record = Record { tool, call, target, outcome };
        self.history.push_back(record);
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
            Some(Finding { detector, is_critical: true, count: limits.critical })
        };
        self.stopped.iter().find_map(|stopped| match stopped {
            Stopped::Call(call) if *call == step.call => {
                finding(Detector::Identical, limits.identical)
            }
            Stopped::Tool(tool) if *tool == step.tool => {
                finding(Detector::SameResult, limits.same_result)
            }
            Stopped::Target(target) if Some(*target) == step.target => {
                finding(Detector::Missing, limits.missing)
            }
            _ => None,
        })
    }

    /// How often the same call gave the same result, up to the last time. Another result in between
    /// begins the count anew: something has changed.
    fn identical(&self, step: &Step) -> u32 {
        let mut same = self.history.iter().rev().filter(|record| record.call == step.call);
        let Some(last) = same.next() else { return 0 };
        let again = same.take_while(|record| record.outcome.result == last.outcome.result);
        1 + u32::try_from(again.count()).unwrap_or(u32::MAX)
    }

    /// How often in a row the tool gave this result.
    fn same_result(&self, step: &Step, outcome: Outcome) -> u32 {
        if !outcome.telling {
            return 0;
        }
        let of_tool = self.history.iter().rev().filter(|record| record.tool == step.tool);
        let same = of_tool.take_while(|record| record.outcome.result == outcome.result);
        u32::try_from(same.count()).unwrap_or(u32::MAX)
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

    /// The streak with this call, and how many different calls would be in it.
    fn reading_with(&self, step: &Step) -> Option<(u32, usize)> {
        if step.pace != Pace::Reads || step.exempt {
            return None;
        }
        let unique = self.unique.len() + usize::from(!self.unique.contains(&step.call));
        Some((self.streak.saturating_add(1), unique))
    }

    fn advance(&mut self, limits: &Loops, step: &Step, outcome: Outcome) -> Option<Finding> {
        if step.pace == Pace::Changes && outcome.ran {
            self.streak = 0;
            self.unique.clear();
        }
        let (streak, unique) = self.reading_with(step)?;
        self.streak = streak;
        self.unique.insert(step.call);
        reading(limits, streak, unique)
    }

    fn stop(&mut self, step: &Step, finding: Finding, remembers: bool) {
        if !remembers {
            *self = Guard::default();
            return;
        }
        let stopped = match finding.detector {
            Detector::Identical => Stopped::Call(step.call),
            Detector::SameResult => Stopped::Tool(step.tool.clone()),
            Detector::Missing => match step.target {
                Some(target) => Stopped::Target(target),
                None => return,
            },
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

fn reading(limits: &Loops, streak: u32, unique: usize) -> Option<Finding> {
    let above = u64::from(streak) * u64::from(limits.exploring_above_percent);
    if unique as u64 * 100 > above {
        found(Detector::Exploring, limits.exploring, streak)
    } else {
        found(Detector::Stuck, limits.stuck, streak)
    }
}

fn found(detector: Detector, limits: Thresholds, count: u32) -> Option<Finding> {
    let is_critical = count >= limits.critical;
    (is_critical || count >= limits.warning).then_some(Finding { detector, is_critical, count })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
