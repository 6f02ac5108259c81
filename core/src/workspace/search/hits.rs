//! The lines that are shown.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::workspace::order::{Ordered, compare};

/// What a search found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileHits {
    /// The path as a model may use it.
    pub path: String,
    /// Matching lines and those around them, in their order.
    pub lines: Vec<Line>,
}

/// A line that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Counted from 1, in the text as `read_file` shows it.
    pub number: u64,
    /// Without its end, and cut where it is very long.
    pub text: String,
    /// False for a line that is shown because it is near one that matches.
    pub is_match: bool,
}

impl FileHits {
    pub(super) fn matches(&self) -> usize {
        self.lines.iter().filter(|line| line.is_match).count()
    }

    /// About how many characters it takes to show it.
    fn cost(&self) -> usize {
        let lines: usize = self.lines.iter().map(Line::cost).sum();
        self.path.len() + lines
    }
}

impl Line {
    /// About how many characters it takes to show it: with its number.
    pub(super) fn cost(&self) -> usize {
        self.text.len() + 10
    }
}

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    pub matches: usize,
    pub cost: usize,
}

/// The first files that come together up to more than the caps allow.
pub(super) struct Hits {
    caps: Caps,
    is_full: AtomicBool,
    first: Mutex<First>,
}

#[derive(Default)]
struct First {
    files: BTreeMap<Ordered, FileHits>,
    matches: usize,
    cost: usize,
}

impl First {
    /// True if there is already more than is shown.
    fn exceeds(&self, caps: Caps) -> bool {
        self.matches > caps.matches || self.cost > caps.cost
    }
}

impl Hits {
    pub(super) fn new(caps: Caps) -> Hits {
        Hits { caps, is_full: AtomicBool::new(false), first: Mutex::default() }
    }

    /// False for a file, or a folder, that comes behind all that is shown.
    pub(super) fn wants(&self, path: &[u8]) -> bool {
        if !self.is_full.load(Ordering::Relaxed) {
            return true;
        }
        let first = self.first();
        first.files.last_key_value().is_none_or(|(last, _)| compare(path, &last.0).is_lt())
    }

    /// Adds a file, and drops those that come too late to be shown.
    pub(super) fn put(&self, path: &[u8], found: FileHits) {
        let mut first = self.first();
        first.matches += found.matches();
        first.cost += found.cost();
        first.files.insert(Ordered(path.to_vec()), found);
        while let Some((path, last)) = first.files.pop_last() {
            let (matches, cost) = (last.matches(), last.cost());
            first.matches -= matches;
            first.cost -= cost;
            if !first.exceeds(self.caps) {
                first.matches += matches;
                first.cost += cost;
                first.files.insert(path, last);
                break;
            }
        }
        self.is_full.store(first.exceeds(self.caps), Ordering::Relaxed);
    }

    /// What is shown, and whether there is more.
    pub(super) fn shown(self) -> (Vec<FileHits>, bool) {
        let caps = self.caps;
        let first = self.first.into_inner().unwrap_or_else(PoisonError::into_inner);
        let more = first.exceeds(caps);
        let (mut matches, mut cost) = (0, 0);
        let mut shown = Vec::new();
        for mut file in first.files.into_values() {
            cost += file.path.len();
            let mut kept = 0;
            for line in &file.lines {
                matches += usize::from(line.is_match);
                cost += line.cost();
                // The very first is always shown: a cut line is shorter than any cap.
                if matches > caps.matches || cost > caps.cost && (kept > 0 || !shown.is_empty()) {
                    break;
                }
                kept += 1;
            }
            let is_whole = kept == file.lines.len();
            file.lines.truncate(kept);
            if file.matches() > 0 {
                shown.push(file);
            }
            if !is_whole {
                break;
            }
        }
        (shown, more)
    }

    fn first(&self) -> MutexGuard<'_, First> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, matches: u64) -> FileHits {
        let line = |number| Line { number, text: "x".into(), is_match: true };
        FileHits { path: path.into(), lines: (1..=matches).map(line).collect() }
    }

    #[test]
    fn the_first_files_are_shown_in_whatever_order_they_come() {
        let files = [("a", 2), ("b", 3), ("c", 1), ("d", 9)];
        for rotation in 0..files.len() {
            let hits = Hits::new(Caps { matches: 4, cost: 10_000 });
            for at in 0..files.len() {
                let (path, matches) = files[(at + rotation) % files.len()];
                hits.put(path.as_bytes(), file(path, matches));
            }
            assert!(!hits.wants(b"c") && !hits.wants(b"b") && hits.wants(b"a/z"));
            let (shown, more) = hits.shown();
            let shown: Vec<_> = shown.iter().map(|f| (f.path.as_str(), f.lines.len())).collect();
            assert_eq!((shown, more), (vec![("a", 2), ("b", 2)], true));
        }
    }

    #[test]
    fn there_is_no_more_where_all_is_shown() {
        let hits = Hits::new(Caps { matches: 4, cost: 10_000 });
        hits.put(b"a", file("a", 4));
        assert!(hits.wants(b"z"));
        assert_eq!(hits.shown(), (vec![file("a", 4)], false));
    }

    #[test]
    fn long_texts_end_the_results_as_many_do() {
        let hits = Hits::new(Caps { matches: 100, cost: 40 });
        hits.put(b"a", file("a", 3));
        hits.put(b"b", file("b", 3));
        let (shown, more) = hits.shown();
        assert_eq!((shown.len(), shown[0].lines.len(), more), (1, 3, true));
    }
}
