//! A hunk, and the lines that patches are read by.

use super::Malformed;
pub(super) use crate::workspace::line_ends::Mark;

/// One place that is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// Lines that stand above it, one after the other, where the patch names them.
    pub anchors: Vec<String>,
    /// Its first line in the old file, counted from 1, where the patch says. For one that only adds,
    /// the line before.
    pub line: Option<usize>,
    /// The lines that are there, each with its LF, but the last where the file ends without one.
    pub old: String,
    /// The lines that take their place.
    pub new: String,
    /// How many of the first lines stay.
    pub leading: usize,
    /// How many of the last lines stay.
    pub trailing: usize,
    /// It is the end of the file.
    pub at_end: bool,
    /// What each of its lines does.
    pub marks: Vec<Mark>,
    /// How many of the last lines may be no lines of the file, but blank ones between two hunks.
    pub blank_end: usize,
}

impl Hunk {
    /// The hunk without the blank lines behind it, where it may have some.
    pub(super) fn without_blank_end(&self) -> Option<Hunk> {
        let blank = self.blank_end;
        let trimmed = |text: &str| {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            Some(lines.get(..lines.len().checked_sub(blank)?)?.concat())
        };
        if blank == 0 {
            return None;
        }
        Some(Hunk {
            old: trimmed(&self.old)?,
            new: trimmed(&self.new)?,
            trailing: self.trailing.saturating_sub(blank),
            marks: self.marks[..self.marks.len().checked_sub(blank)?].to_vec(),
            blank_end: 0,
            ..self.clone()
        })
    }
}

/// A hunk while it is read.
#[derive(Default)]
pub(super) struct Body {
    hunk: Hunk,
    last: Option<Mark>,
    changes: bool,
}

impl Body {
    pub(super) fn new(hunk: Hunk) -> Body {
        Body { hunk, ..Body::default() }
    }

    pub(super) fn push(&mut self, mark: Mark, text: &str) {
        if mark != Mark::Add {
            self.hunk.old.push_str(text);
            self.hunk.old.push('\n');
        }
        if mark != Mark::Remove {
            self.hunk.new.push_str(text);
            self.hunk.new.push('\n');
        }
        self.hunk.marks.push(mark);
        self.hunk.blank_end = 0;
        match mark {
            Mark::Keep if self.changes => self.hunk.trailing += 1,
            Mark::Keep => self.hunk.leading += 1,
            Mark::Remove | Mark::Add => {
                self.changes = true;
                self.hunk.trailing = 0;
            }
        }
        self.last = Some(mark);
    }

    /// A line without a mark: a blank one that stays, or one between two hunks, if only such ones follow.
    pub(super) fn push_blank(&mut self, text: &str) {
        let before = self.hunk.blank_end;
        self.push(Mark::Keep, text);
        // A hunk of nothing but blank lines is none.
        self.hunk.blank_end = if self.changes { before + 1 } else { 0 };
    }

    /// The last line has no line end: `\ No newline at end of file`.
    pub(super) fn unend(&mut self) {
        if matches!(self.last, Some(Mark::Keep | Mark::Remove)) {
            self.hunk.old.pop();
        }
        if matches!(self.last, Some(Mark::Keep | Mark::Add)) {
            self.hunk.new.pop();
        }
        self.hunk.at_end = true;
    }

    pub(super) fn at_end(&mut self) {
        self.hunk.at_end = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The hunk, which changes something.
    pub(super) fn finish(self) -> Option<Hunk> {
        self.changes.then_some(self.hunk)
    }
}

/// What the first character of a line in a hunk says of the rest. None for a line of no hunk.
pub(super) fn marked(line: &str) -> Option<(Mark, &str)> {
    let mark = match line.as_bytes().first() {
        // An empty line is an empty line that stays, whose blank got lost on the way.
        None | Some(b'\r') => return Some((Mark::Keep, line)),
        Some(b' ') => Mark::Keep,
        Some(b'-') => Mark::Remove,
        Some(b'+') => Mark::Add,
        Some(_) => return None,
    };
    Some((mark, &line[1..]))
}

/// Where a hunk begins in the old file and how many lines it has, old and new: `-3,4 +3,5`, with
/// whatever follows.
pub(super) fn ranges(text: &str) -> Option<((usize, usize), usize, &str)> {
    let (old, rest) = text.strip_prefix('-')?.split_once(" +")?;
    let (new, rest) = rest.split_once(" @@").unwrap_or((rest, ""));
    let range = |text: &str| {
        let (line, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((line.trim().parse().ok()?, count.trim().parse().ok()?))
    };
    let (_, new_count): (usize, usize) = range(new)?;
    Some((range(old)?, new_count, rest))
}

/// The lines of a patch, read one by one.
pub(super) struct Lines<'p> {
    lines: Vec<&'p str>,
    at: usize,
}

impl<'p> Lines<'p> {
    /// A patch whose own lines end in CRLF is read as if they ended in LF.
    pub(super) fn of(text: &'p str) -> Lines<'p> {
        let mut lines: Vec<&str> = text.split('\n').collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        let heads = |line: &&&str| line.starts_with("@@") || line.starts_with("*** ");
        if lines.iter().find(heads).is_some_and(|line| line.ends_with('\r')) {
            for line in &mut lines {
                *line = line.strip_suffix('\r').unwrap_or(line);
            }
        }
        Lines { lines, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'p str> {
        self.ahead(0)
    }

    /// The line that comes so many lines after the next.
    pub(super) fn ahead(&self, by: usize) -> Option<&'p str> {
        self.lines.get(self.at + by).copied()
    }

    pub(super) fn next(&mut self) -> Option<&'p str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// True if the next line is blank, and the first that is not begins like that.
    pub(super) fn is_blank_before(&self, prefix: &str) -> bool {
        let is_blank = |line: &&str| line.trim().is_empty();
        let rest = &self.lines[self.at..];
        rest.first().is_some_and(is_blank)
            && rest.iter().find(|line| !is_blank(line)).is_some_and(|line| line.starts_with(prefix))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'p str> {
        self.lines.iter().copied()
    }

    /// The next line, if it begins like that, without that.
    pub(super) fn take(&mut self, prefix: &str) -> Option<&'p str> {
        let rest = self.peek()?.strip_prefix(prefix)?;
        self.at += 1;
        Some(rest)
    }

    /// Of the line that was read last.
    pub(super) fn malformed(&self, problem: impl Into<String>) -> Malformed {
        Malformed { line: self.at.max(1), problem: problem.into() }
    }
}
