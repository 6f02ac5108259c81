//! What differs between two texts, for the reader of an error.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::limits;

/// Lines that are the same around each difference.
const CONTEXT: usize = 3;
/// Characters of a line that are shown.
const MAX_CHARS: usize = 160;
/// How long the shortest difference is looked for. After that any will do.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// The differing lines with those around them, at most `max_lines` of them: what both have after a
/// blank, what only the old text has after `-`, what only the new one has after `+`. Lines left out
/// are listed. Empty if the texts have the same lines.
pub(crate) fn line_diff(old: &str, new: &str, max_lines: usize) -> String {
    let diff = TextDiff::configure().timeout(LONGEST_LOOK).diff_lines(old, new);
    let mut lines = Vec::new();
    let mut left_out = 0;
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 && lines.len() < max_lines {
            lines.push("...".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            if lines.len() >= max_lines {
                left_out += 1;
                continue;
            }
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = change.value().trim_end_matches(['\r', '\n']);
            lines.push(format!("{sign}{}", limits::shortened(line, MAX_CHARS)));
        }
    }
    if left_out > 0 {
        lines.push(format!("[{left_out} more lines]"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown_with_what_is_around_it() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "ten\n").replace("20\n", "");
        let shown = line_diff(&old, &new, 100);
        let want = " 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n...\n 17\n 18\n 19\n-20";
        assert_eq!(shown, want);
        assert_eq!(line_diff(&old, &old, 100), "");
    }

    #[test]
    fn a_long_difference_is_cut_and_says_so() {
        let (old, new) = ("a\n".repeat(50), "b\n".repeat(50));
        let shown = line_diff(&old, &new, 10);
        assert_eq!(shown.lines().count(), 11);
        assert!(shown.ends_with("[90 more lines]"), "{shown}");
    }
}
