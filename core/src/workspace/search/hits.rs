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
    /// What is shown of it.
    pub matched: Matched,
}

/// What matches in a text, as far as that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matched {
    /// Matching lines and those around them, in their order. None where lines are not shown.
    pub lines: Vec<Line>,
    /// How many lines match, as far as they were counted.
    pub count: usize,
}

/// What is shown of the files in which a line matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Their lines.
    Lines,
    /// That they match.
    Files,
    /// How many lines match.
    Counts,
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
    /// How many matching lines are shown. A file of which no line is shown counts as one.
    pub(super) fn matches(&self) -> usize {
        match self.matched.lines.is_empty() {
            true => 1,
            false => self.matched.lines.iter().filter(|line| line.is_match).count(),
        }
    }

    /// About how many characters it takes to show it.
    fn cost(&self) -> usize {
        let lines: usize = self.matched.lines.iter().map(Line::cost).sum();
        self.path.len() + lines + NUMBER_CHARS
    }

    /// What it takes to show its first matching lines, and those before them.
    fn cost_of_first(&self, matches: usize) -> usize {
        let lines = self.matched.lines.iter();
        let is_before = |line: &&Line, left: &mut usize| {
            let is_more = *left > 0;
            *left -= usize::from(line.is_match && is_more);
            is_more
        };
        let mut left = matches;
        lines.take_while(|line| is_before(line, &mut left)).map(Line::cost).sum()
    }

    /// What is left of it behind its first `skipped` matching lines, with the context of the next.
    fn behind(&mut self, skipped: usize, before: usize) {
        let lines = &mut self.matched.lines;
        let mut matching = lines.iter().enumerate().filter(|(_, line)| line.is_match);
        let Some((first, line)) = matching.nth(skipped).filter(|_| skipped > 0) else { return };
        let from = line.number.saturating_sub(before as u64);
        let near = |line: &&Line| !line.is_match && line.number >= from;
        let kept = lines[..first].iter().rev().take_while(near).count();
        lines.drain(..first - kept);
    }
}

impl Line {
    /// About how many characters it takes to show it: with its number.
    pub(super) fn cost(&self) -> usize {
        self.text.len() + NUMBER_CHARS
    }
}

/// About what the number of a line, or of lines, takes.
const NUMBER_CHARS: usize = 10;

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// How many matching lines, or files, are passed over.
    pub skipped: usize,
    /// How many lines before a match are shown.
    pub before: usize,
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
        self.matches > caps.matches + caps.skipped
            || (self.cost > caps.cost && self.cost - self.skipped_cost(caps.skipped) > caps.cost)
    }

    /// What it would take to show the files of which nothing is.
    fn skipped_cost(&self, mut skipped: usize) -> usize {
        let mut cost = 0;
        for file in self.files.values() {
            let matches = file.matches();
            if matches > skipped {
                cost += file.cost_of_first(skipped);
                break;
            }
            skipped -= matches;
            cost += file.cost();
        }
        cost
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
        let (mut skipped, mut matches, mut cost) = (caps.skipped, 0, 0);
        let mut shown: Vec<FileHits> = Vec::new();
        for mut file in first.files.into_values() {
            let own = file.matches();
            if own <= skipped {
                skipped -= own;
                continue;
            }
            file.behind(std::mem::take(&mut skipped), caps.before);
            let is_whole = match file.matched.lines.is_empty() {
                true => {
                    matches += 1;
                    cost += file.cost();
                    matches <= caps.matches && (cost <= caps.cost || shown.is_empty())
                }
                false => {
                    cost += file.path.len();
                    cut(&mut file.matched.lines, caps, (&mut matches, &mut cost), !shown.is_empty())
                }
            };
            if is_whole || file.matched.lines.iter().any(|line| line.is_match) {
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

/// Leaves the lines that the caps allow. True if these are all of them.
fn cut(
    lines: &mut Vec<Line>,
    caps: Caps,
    (matches, cost): (&mut usize, &mut usize),
    is_later: bool,
) -> bool {
    let mut kept = 0;
    for line in lines.iter() {
        *matches += usize::from(line.is_match);
        *cost += line.cost();
        // The very first is always shown: a cut line is shorter than any cap.
        if *matches > caps.matches || *cost > caps.cost && (kept > 0 || is_later) {
            break;
        }
        kept += 1;
    }
    let is_whole = kept == lines.len();
    lines.truncate(kept);
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, matches: u64) -> FileHits {
        let line = |number| Line { number, text: "x".into(), is_match: true };
        let lines: Vec<Line> = (1..=matches).map(line).collect();
        FileHits { path: path.into(), matched: Matched { count: lines.len(), lines } }
    }

    fn caps(matches: usize, cost: usize) -> Caps {
        Caps { skipped: 0, before: 0, matches, cost }
    }

    #[test]
    fn the_first_files_are_shown_in_whatever_order_they_come() {
        let files = [("a", 2), ("b", 3), ("c", 1), ("d", 9)];
        for rotation in 0..files.len() {
            let hits = Hits::new(caps(4, 10_000));
            for at in 0..files.len() {
                let (path, matches) = files[(at + rotation) % files.len()];
                hits.put(path.as_bytes(), file(path, matches));
            }
            assert!(!hits.wants(b"c") && !hits.wants(b"b") && hits.wants(b"a/z"));
            let (shown, more) = hits.shown();
            let shown: Vec<_> =
                shown.iter().map(|f| (f.path.as_str(), f.matched.lines.len())).collect();
            assert_eq!((shown, more), (vec![("a", 2), ("b", 2)], true));
        }
    }

    #[test]
    fn there_is_no_more_where_all_is_shown() {
        let hits = Hits::new(caps(4, 10_000));
        hits.put(b"a", file("a", 4));
        assert!(hits.wants(b"z"));
        assert_eq!(hits.shown(), (vec![file("a", 4)], false));
    }

    #[test]
    fn long_texts_end_the_results_as_many_do() {
        let hits = Hits::new(caps(100, 40));
        hits.put(b"a", file("a", 3));
        hits.put(b"b", file("b", 3));
        let (shown, more) = hits.shown();
        assert_eq!((shown.len(), shown[0].matched.lines.len(), more), (1, 3, true));
    }

    #[test]
    fn what_is_passed_over_takes_no_room() {
        let files = [("a", 2), ("b", 3), ("c", 1), ("d", 9)];
        for rotation in 0..files.len() {
            let hits = Hits::new(Caps { skipped: 4, ..caps(3, 50) });
            for at in 0..files.len() {
                let (path, matches) = files[(at + rotation) % files.len()];
                hits.put(path.as_bytes(), file(path, matches));
            }
            let (shown, more) = hits.shown();
            let numbers = |f: &FileHits| f.matched.lines.iter().map(|l| l.number).collect();
            let shown: Vec<(String, Vec<u64>)> =
                shown.iter().map(|f| (f.path.clone(), numbers(f))).collect();
            let wanted = [("b", vec![3]), ("c", vec![1]), ("d", vec![1])];
            assert_eq!(shown, wanted.map(|(path, lines)| (path.to_owned(), lines)));
            assert!(more);
        }
    }

    #[test]
    fn what_is_behind_keeps_the_context_of_its_first_line() {
        let lines = [(1, true), (2, false), (4, false), (5, true), (6, false)];
        let line = |(number, is_match)| Line { number, text: String::new(), is_match };
        let lines: Vec<Line> = lines.into_iter().map(line).collect();
        let mut file =
            FileHits { path: "a".into(), matched: Matched { count: lines.len(), lines } };
        file.behind(1, 1);
        let left: Vec<u64> = file.matched.lines.iter().map(|line| line.number).collect();
        assert_eq!(left, [4, 5, 6]);
    }

    #[test]
    fn files_without_lines_count_one_each() {
        let named = |path: &str| FileHits {
            path: path.into(),
            matched: Matched { count: 7, lines: Vec::new() },
        };
        let hits = Hits::new(Caps { skipped: 1, ..caps(2, 10_000) });
        for path in ["d", "a", "c", "b"] {
            hits.put(path.as_bytes(), named(path));
        }
        assert_eq!(hits.shown(), (vec![named("b"), named("c")], true));
    }
}
