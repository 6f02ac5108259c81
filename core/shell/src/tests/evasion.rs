//! However a harmful text is written, its verdict is not weaker.

use std::collections::BTreeMap;
use std::io::Write;

use super::corpus::{Row, rows, strict, workspace};
use super::rewrites::{REWRITES, Rewrite};
use super::{Dice, rounds};
use crate::{Decision, Settings, analyse, judge};

/// A harmful text with what is decided of it, in each profile.
struct Harm {
    row: Row,
    decided: [Decision; 2],
}

struct Trial {
    harms: Vec<Harm>,
    settings: [Settings; 2],
    tried: usize,
    /// What was weaker, by the names of the rewritings.
    weaker: BTreeMap<String, Vec<String>>,
}

impl Trial {
    fn new() -> Trial {
        let settings = [strict(), workspace()];
        // `cmd` is another language, in which these are no rewritings.
        let of_shells = rows().into_iter().filter(|row| row.denies() && row.shell != "cmd");
        let harms =
            of_shells.map(|row| Harm { decided: decide(&row.cmd, &row, &settings), row }).collect();
        Trial { harms, settings, tried: 0, weaker: BTreeMap::new() }
    }

    /// Rewrites a text by some ways in turn, and judges it.
    fn try_all(&mut self, at: usize, ways: &[&Rewrite], dice: &mut Dice) {
        let harm = &self.harms[at];
        // A shell reads a text in whole lines: within another construct an alias comes too late.
        let alias = ways.iter().position(|way| way.name == "alias");
        if alias.is_some_and(|at| at + 1 < ways.len()) {
            return;
        }
        let mut text = harm.row.cmd.clone();
        for way in ways {
            let Some(next) = (way.write)(&text, dice) else { return };
            text = next;
        }
        self.tried += 1;
        let decided = decide(&text, &harm.row, &self.settings);
        if decided[0] < harm.decided[0] || decided[1] < harm.decided[1] {
            let names: Vec<_> = ways.iter().map(|way| way.name).collect();
            let line = format!("{:?} was {:?}: {text:?}", decided, harm.decided);
            self.weaker.entry(names.join(", ")).or_default().push(line);
        }
    }

    fn finish(self) {
        let count: usize = self.weaker.values().map(Vec::len).sum();
        let shown: Vec<_> = self
            .weaker
            .iter()
            .flat_map(|(names, lines)| {
                let some = lines.iter().take(4).map(move |line| format!("{names}: {line}"));
                some.chain([format!("{names}: {} in all", lines.len())])
            })
            .collect();
        writeln!(std::io::stderr(), "{} rewritings, {count} weaker", self.tried).unwrap();
        assert!(self.tried > 500);
        assert!(shown.is_empty(), "{count} of {} are weaker: {shown:#?}", self.tried);
    }
}

fn decide(text: &str, row: &Row, settings: &[Settings; 2]) -> [Decision; 2] {
    let env = row.env();
    let analysis = analyse(text, &env);
    [0, 1].map(|which: usize| judge(&analysis, &env, &settings[which]).decision)
}

#[test]
fn no_rewriting_weakens_a_verdict() {
    let mut trial = Trial::new();
    let mut dice = Dice::new(7);
    for at in 0..trial.harms.len() {
        for way in REWRITES {
            for _ in 0..rounds(1, 40) {
                trial.try_all(at, &[way], &mut dice);
            }
        }
    }
    trial.finish();
}

#[test]
fn no_two_rewritings_weaken_a_verdict() {
    several(2, rounds(2_000, 500_000));
}

#[test]
fn no_three_rewritings_weaken_a_verdict() {
    several(3, rounds(2_000, 500_000));
}

fn several(depth: usize, rounds: usize) {
    let mut trial = Trial::new();
    let mut dice = Dice::new(u64::try_from(depth).unwrap());
    for _ in 0..rounds {
        let at = dice.roll(trial.harms.len());
        let ways: Vec<_> = (0..depth).map(|_| dice.pick(REWRITES)).collect();
        trial.try_all(at, &ways, &mut dice);
    }
    trial.finish();
}
