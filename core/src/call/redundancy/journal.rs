//! What was changed, and when: which earlier readings still hold.

use std::collections::VecDeque;

use crate::kind::Resource;

/// How many changes are remembered. A reading that is older than all of them holds no longer.
const CHANGES: usize = 1_024;
/// How many resources may be in somebody's hands. Beyond that it is all of them.
const UNSETTLED: usize = 256;

/// What a call changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Changes {
    /// Anything.
    Everything,
    /// These.
    These(Vec<Resource>),
}

impl Changes {
    fn meets(&self, reads: &[Resource]) -> bool {
        match self {
            Changes::Everything => true,
            Changes::These(changed) => {
                changed.iter().any(|changed| reads.iter().any(|read| read.overlaps(changed)))
            }
        }
    }
}

/// The changes, each with its number.
#[derive(Debug, Default)]
pub(super) struct Journal {
    last: u64,
    changes: VecDeque<(u64, Changes)>,
    /// What may still change at any time: by calls that were given up, or that went on in the
    /// background.
    unsettled: Vec<Changes>,
}

impl Journal {
    /// The number of the last change.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Adds a change that has just ended. One that is not settled may go on.
    pub fn add(&mut self, changes: Changes, is_settled: bool) {
        if !is_settled && !self.unsettled.contains(&Changes::Everything) {
            if changes == Changes::Everything || self.unsettled.len() >= UNSETTLED {
                self.unsettled = vec![Changes::Everything];
            } else if !self.unsettled.contains(&changes) {
                self.unsettled.push(changes.clone());
            }
        }
        self.last += 1;
        self.changes.push_back((self.last, changes));
        if self.changes.len() > CHANGES {
            self.changes.pop_front();
        }
    }

    /// True if none of `reads` was changed after the change of that number.
    pub fn holds(&self, since: u64, reads: &[Resource]) -> bool {
        let oldest = self.changes.front().map_or(self.last + 1, |(number, _)| *number);
        since + 1 >= oldest
            && !self
                .changes
                .iter()
                .rev()
                .take_while(|(number, _)| *number > since)
                .any(|(_, changes)| changes.meets(reads))
    }

    /// True if some of `reads` may be changing even now.
    pub fn is_unsettled(&self, reads: &[Resource]) -> bool {
        self.unsettled.iter().any(|changes| changes.meets(reads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> Vec<Resource> {
        vec![Resource::Path(path.into())]
    }

    #[test]
    fn a_reading_holds_until_what_it_read_is_changed() {
        let mut journal = Journal::default();
        let since = journal.last();
        assert!(journal.holds(since, &path("a/b")));
        journal.add(Changes::These(path("c")), true);
        journal.add(Changes::These(vec![Resource::Session("a".into())]), true);
        assert!(journal.holds(since, &path("a/b")));
        journal.add(Changes::These(path("a")), true);
        assert!(!journal.holds(since, &path("a/b")));
        assert!(journal.holds(journal.last(), &path("a/b")));
        journal.add(Changes::Everything, true);
        assert!(!journal.holds(since + 3, &path("z")));
        assert!(!journal.is_unsettled(&path("z")));
    }

    #[test]
    fn a_reading_older_than_what_is_remembered_holds_no_longer() {
        let mut journal = Journal::default();
        for _ in 0..CHANGES {
            journal.add(Changes::These(path("x")), true);
        }
        assert!(journal.holds(0, &path("a")));
        journal.add(Changes::These(path("x")), true);
        assert!(!journal.holds(0, &path("a")));
        assert!(journal.holds(1, &path("a")));
    }

    #[test]
    fn what_may_go_on_changing_is_remembered() {
        let mut journal = Journal::default();
        journal.add(Changes::These(path("a")), false);
        journal.add(Changes::These(path("b")), true);
        assert!(journal.is_unsettled(&path("a/x")) && !journal.is_unsettled(&path("b")));
        for n in 0..UNSETTLED {
            journal.add(Changes::These(path(&n.to_string())), false);
        }
        assert!(journal.is_unsettled(&path("b")));
        assert_eq!(journal.unsettled.len(), 1);
    }
}
