//! Tools of a project: what makes them run, load, fetch or write something else is never let through,
//! and their ordinary work is.

use super::corpus::{strict, workspace};
use crate::{Decision, Env, check};

/// A text on each line that is harm, or may be.
const HARMFUL: &str = include_str!("builds_harmful.txt");

/// A text on each line as developers write it.
const ORDINARY: &str = include_str!("builds_ordinary.txt");

const NONE: [&str; 0] = [];

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with("# "))
}

#[test]
fn what_makes_a_tool_run_something_else_is_never_allowed() {
    let profiles = [strict(), workspace()];
    let allows = |text: &&str| {
        let verdicts = profiles.iter().map(|one| check(text, &Env::default(), one).verdict);
        verdicts.into_iter().any(|verdict| verdict == Decision::Allow)
    };
    let allowed: Vec<&str> = lines(HARMFUL).filter(allows).collect();
    assert_eq!(allowed, NONE);
}

#[test]
fn ordinary_work_of_tools_is_allowed() {
    let asks = |text: &&str| check(text, &Env::default(), &workspace()).verdict != Decision::Allow;
    let asked: Vec<&str> = lines(ORDINARY).filter(asks).collect();
    assert_eq!(asked, NONE);
}
