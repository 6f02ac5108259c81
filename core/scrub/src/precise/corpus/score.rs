//! How well the profile does: the corpus' own definition of found, and shares by group.

use std::collections::BTreeMap;

use super::super::super::{Profile, Scrubber, TagKey};

pub(super) fn scrubber() -> Scrubber {
    Scrubber::new(Profile::Precise, TagKey::new([7; 32]))
}

/// True if the longest piece of `secret` that is left in `masked` is at most five characters, or
/// 34 % of it.
pub(super) fn is_found(secret: &str, masked: &str) -> bool {
    let secret: Vec<char> = secret.chars().collect();
    let masked: Vec<char> = masked.chars().collect();
    longest_common(&secret, &masked) <= (secret.len() * 34 / 100).max(5)
}

fn longest_common(a: &[char], b: &[char]) -> usize {
    let mut row = vec![0; b.len() + 1];
    let mut longest = 0;
    for x in a {
        for (at, y) in b.iter().enumerate().rev() {
            row[at + 1] = if x == y { row[at] + 1 } else { 0 };
            longest = longest.max(row[at + 1]);
        }
    }
    longest
}

/// Hits and misses by group.
#[derive(Default)]
pub(super) struct Tally {
    groups: BTreeMap<String, (usize, usize)>,
    misses: Vec<String>,
}

impl Tally {
    pub(super) fn count(&mut self, group: &str, good: bool, miss: impl FnOnce() -> String) {
        let entry = self.groups.entry(group.to_owned()).or_default();
        entry.1 += 1;
        if good {
            entry.0 += 1;
        } else if group != ALL {
            self.misses.push(format!("{group}: {}", miss()));
        }
    }

    /// The share of good ones in a group, in hundredths of a percent.
    pub(super) fn share(&self, group: &str) -> usize {
        let (good, all) = self.groups[group];
        good * 10_000 / all
    }

    pub(super) fn report(&self) -> String {
        let line = |(group, (good, all)): (&String, &(usize, usize))| {
            format!("{group}: {good} of {all} ({:.2} %)", *good as f64 * 100.0 / *all as f64)
        };
        let mut lines: Vec<String> = self.groups.iter().map(line).collect();
        lines.extend(self.misses.iter().take(400).cloned());
        lines.join("\n")
    }

    /// Fails with the report if a group has a smaller share of good ones than its gate says, in
    /// hundredths of a percent.
    pub(super) fn hold(&self, gates: &[(&str, usize)]) {
        for (group, least) in gates {
            let share = self.share(group);
            assert!(share >= *least, "{group}: {share} < {least}\n{}", self.report());
        }
    }
}

/// The group of all cases.
pub(super) const ALL: &str = "all";

#[test]
fn a_third_of_a_secret_may_be_left_and_no_more() {
    assert!(is_found("abcdefghijklmnop", "x=[REDACTED]mnop"));
    assert!(!is_found("abcdefghijklmnop", "x=[REDACTED]klmnop"));
    assert!(is_found("hunter2", "hunte"));
    assert!(!is_found("hunter2", "hunter"));
}
