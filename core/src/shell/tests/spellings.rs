//! Commands as developers write them, and harm in spellings that no labelled row has.

use super::super::{Decision, Env, check};
use super::corpus::{strict, workspace};

/// A command on each line, by ecosystem: tests, linters, builds, questions. None installs anything.
const ORDINARY: &str = include_str!("ordinary.txt");

/// A command on each line that is harm, or may be.
const HARMFUL: &str = include_str!("harmful.txt");

#[test]
fn ordinary_work_of_every_ecosystem_is_mostly_allowed() {
    let commands = || ORDINARY.lines().filter(|line| !line.starts_with("# "));
    for (settings, least) in [(strict(), 85), (workspace(), 95)] {
        let allows =
            |line: &&str| check(line, &Env::default(), &settings).verdict == Decision::Allow;
        let share = commands().filter(allows).count() * 100 / commands().count();
        assert!(share >= least, "{share} of a hundred");
    }
}

#[test]
fn harm_in_other_spellings_is_never_allowed() {
    for settings in [strict(), workspace()] {
        let allows =
            |line: &&str| check(line, &Env::default(), &settings).verdict == Decision::Allow;
        let allowed: Vec<&str> = HARMFUL.lines().filter(allows).collect();
        assert_eq!(allowed, <[&str; 0]>::default());
    }
}
