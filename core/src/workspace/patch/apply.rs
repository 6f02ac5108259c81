//! Applying the hunks of one file to its content.
//!
//! Each hunk is looked for behind the one before: where the patch says first, then, if it is the end
//! of the file by its looks, there, and then at the nearest place with exactly its lines. One without
//! a line number must have a single place, or lines above that decide which.

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::memmem;

use super::hunk::Hunk;
use crate::error::Code;
use crate::workspace::edit::line_of;
use crate::workspace::edit_problem::mixed;
use crate::workspace::encoding::mixed_by;
use crate::workspace::line_ends::{self, Plain};
use crate::workspace::media::UTF8_MARK;
use crate::workspace::nearest::{Nearest, nearest};

/// How many line numbers an error lists.
const MAX_LISTED: usize = 10;

/// How many ways to end its lines are tried for a hunk in a file with both kinds.
const MAX_SPELLINGS: usize = 16;

/// Why a hunk does not fit a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Misfit {
    /// Which of the file's hunks, counted from 1, and of how many.
    pub number: usize,
    pub of: usize,
    pub problem: HunkProblem,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum HunkProblem {
    #[error("its lines are not in the file{}{}", place(*.before), look_at(.nearest.as_ref()))]
    NoMatch {
        nearest: Option<Nearest>,
        /// True if they are, but above the hunk before.
        before: bool,
    },
    #[error(
        "its lines are not in the file, and nothing matches a part of a masked secret, whatever that \
         is; give lines beside the placeholder, and only the beginning of a line behind `@@`. The \
         nearest text begins at line {line} (counted from 1):\n{text}"
    )]
    NearMask { line: usize, text: String },
    #[error(
        "its lines are in the file more than once (lines {}, counted from 1); give more lines \
         around the change, or write a line that stands above it behind `@@`",
        listed(.lines)
    )]
    ManyMatches { lines: Vec<usize> },
    #[error(
        "the line{}, which it names behind `@@`, is not in the file{}",
        quoted(.anchor.as_deref()),
        look_at(.nearest.as_ref())
    )]
    NoAnchor {
        /// Not quoted for a file with masked secrets, so that all guesses at one get the same answer.
        anchor: Option<String>,
        nearest: Option<Nearest>,
    },
    #[error("the file has only {lines} lines, so nothing can be added behind line {line}")]
    BeyondEnd { line: usize, lines: usize },
    #[error("{}", mixed(*.line))]
    OtherEncoding {
        /// The line where that is seen, counted from 1.
        line: usize,
    },
    #[error("the call has ended")]
    Ended,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "hunk {} of {}: {}", self.number, self.of, self.problem)
    }
}

impl Misfit {
    /// The stable code.
    pub(crate) fn code(&self) -> Code {
        match self.problem {
            HunkProblem::Ended => Code::Cancelled,
            _ => Code::Conflict,
        }
    }
}

fn place(before: bool) -> &'static str {
    match before {
        true => " below the hunk before it, only above; give the hunks in the order of the file",
        false => "",
    }
}

fn look_at(nearest: Option<&Nearest>) -> String {
    match nearest {
        Some(place) => format!(
            ". The nearest text begins at line {} (counted from 1); `-` is what the patch has, `+` \
             what stands there:\n{}",
            place.line, place.diff
        ),
        None => String::new(),
    }
}

fn quoted(anchor: Option<&str>) -> String {
    anchor.map_or_else(String::new, |anchor| format!(" `{anchor}`"))
}

fn listed(lines: &[usize]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().take(MAX_LISTED).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let _ = write!(text, "{comma}{line}");
    }
    if lines.len() > MAX_LISTED {
        text.push_str(", …");
    }
    text
}

/// An error if a hunk would mix two encodings.
pub(crate) fn check_hunks(content: &[u8], hunks: &[Hunk]) -> Result<(), Misfit> {
    for (at, hunk) in hunks.iter().enumerate() {
        if let Some(byte) = mixed_by(content, [hunk.old.as_str(), &hunk.new].into_iter()) {
            let problem = HunkProblem::OtherEncoding { line: line_of(content, byte) };
            return Err(Misfit { number: at + 1, of: hunks.len(), problem });
        }
    }
    Ok(())
}

/// The content after all hunks, and the line of each in the old content, counted from 1. `show`
/// gives the content as an error may quote it. Ends in an error once it `is_stopped`.
pub(crate) fn apply(
    content: &[u8],
    hunks: &[Hunk],
    is_stopped: &dyn Fn() -> bool,
    show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
) -> Result<(Vec<u8>, Vec<usize>), Misfit> {
    let (mark, content) = content.split_at(mark_of(content, hunks));
    let mut file = File::new(content, is_stopped);
    let mut lines = Vec::with_capacity(hunks.len());
    for (at, hunk) in hunks.iter().enumerate() {
        let misfit = |problem| Misfit { number: at + 1, of: hunks.len(), problem };
        match file.put_as_given(hunk) {
            Ok(line) => lines.push(line + 1),
            Err(missed) => return Err(misfit(missed.problem(content, hunk, show))),
        }
    }
    let mut after = file.finish();
    if !after.is_empty() {
        after.splice(..0, mark.iter().copied());
    }
    Ok((after, lines))
}

/// The length of the mark of UTF-8 that the content begins with. Whoever writes a patch does not see it,
/// unless it is in there.
fn mark_of(content: &[u8], hunks: &[Hunk]) -> usize {
    let is_seen = || hunks.iter().any(|hunk| hunk.old.starts_with('\u{feff}'));
    if content.starts_with(UTF8_MARK) && !is_seen() { UTF8_MARK.len() } else { 0 }
}

/// How the lines of a file end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Lf,
    Crlf,
    Mixed,
}

/// A hunk that was not found.
enum Missed {
    Lines,
    Before,
    Many(Vec<usize>),
    Anchor(String),
    Beyond(usize, usize),
    Ended,
}

impl Missed {
    fn problem(
        self,
        content: &[u8],
        hunk: &Hunk,
        show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
    ) -> HunkProblem {
        match self {
            Missed::Before => HunkProblem::NoMatch { nearest: None, before: true },
            Missed::Lines => match nearest(&show(content), &hunk.old) {
                Some(place) if place.has_placeholder() => near_mask(place),
                nearest => HunkProblem::NoMatch { nearest, before: false },
            },
            Missed::Many(lines) => HunkProblem::ManyMatches { lines },
            Missed::Anchor(anchor) => {
                let shown = show(content);
                match nearest(&shown, &anchor) {
                    Some(place) if place.has_placeholder() => near_mask(place),
                    nearest => {
                        let anchor = (*shown == *content).then_some(anchor);
                        HunkProblem::NoAnchor { anchor, nearest }
                    }
                }
            }
            Missed::Ended => HunkProblem::Ended,
            Missed::Beyond(line, lines) => HunkProblem::BeyondEnd { line, lines },
        }
    }
}

/// A place with a placeholder. What was given is not quoted, so that all guesses at a masked secret
/// get the same answer.
fn near_mask(Nearest { line, text, .. }: Nearest) -> HunkProblem {
    HunkProblem::NearMask { line, text }
}

/// A file while hunks are put into it.
struct File<'c> {
    content: &'c [u8],
    ends: Ends,
    /// The content with LF alone, where it has both kinds of line ends.
    plain: Option<Plain<'c>>,
    is_stopped: &'c dyn Fn() -> bool,
    done: Vec<u8>,
    /// The byte behind the last hunk, where a line begins, and that line, counted from 0.
    at: usize,
    line: usize,
    /// How many lines farther down than the patch says the last hunk was.
    drift: isize,
}

/// Where a hunk goes: the bytes that it replaces.
struct Spot {
    at: usize,
    length: usize,
}

impl<'c> File<'c> {
    fn new(content: &'c [u8], is_stopped: &'c dyn Fn() -> bool) -> File<'c> {
        let crlf = memmem::find_iter(content, b"\r\n").count();
        let ends = match crlf {
            0 => Ends::Lf,
            _ if crlf == lines_in(content) => Ends::Crlf,
            _ => Ends::Mixed,
        };
        let plain = (ends == Ends::Mixed).then(|| Plain::of(content));
        let done = Vec::with_capacity(content.len());
        File { content, ends, plain, is_stopped, done, at: 0, line: 0, drift: 0 }
    }

    /// Gives the line where the hunk went, counted from 0. Blank lines behind it are lines of the file
    /// where these are there, and else stand between two hunks.
    fn put_as_given(&mut self, hunk: &Hunk) -> Result<usize, Missed> {
        let missed = match self.put(hunk) {
            Err(missed @ (Missed::Lines | Missed::Before)) => missed,
            put => return put,
        };
        match hunk.without_blank_end().map(|hunk| self.put(&hunk)) {
            Some(Err(Missed::Lines | Missed::Before)) | None => Err(missed),
            Some(put) => put,
        }
    }

    /// Gives the line where the hunk went, counted from 0.
    fn put(&mut self, hunk: &Hunk) -> Result<usize, Missed> {
        if (self.is_stopped)() {
            return Err(Missed::Ended);
        }
        let from = self.behind_anchors(&hunk.anchors)?;
        let mut missed = Missed::Lines;
        for old in self.spellings(hunk) {
            match self.find(hunk, &old, from) {
                Ok(spot) => return Ok(self.replace(hunk, &old, &spot)),
                Err(why) => missed = why,
            }
        }
        if matches!(missed, Missed::Lines) && hunk.line.is_none() && self.is_above(hunk) {
            return Err(Missed::Before);
        }
        Err(missed)
    }

    /// The old lines in the spellings to try: a patch without any CR means the line ends of the file.
    fn spellings<'h>(&self, hunk: &'h Hunk) -> Vec<Cow<'h, str>> {
        if self.is_literal(hunk) {
            return vec![(&hunk.old).into()];
        }
        let in_crlf = hunk.old.replace('\n', "\r\n").into();
        let Some(plain) = &self.plain else { return vec![in_crlf] };
        let rest =
            plain.spellings(self.at, &hunk.old, MAX_SPELLINGS).into_iter().map(str::to_owned);
        // The end of the file, whose last line has no line end.
        let open = hunk.old.strip_suffix('\n').and_then(|open| plain.ending(open));
        let open = open.filter(|_| !self.ends_in_line_end()).map(|open| format!("{open}\n"));
        [(&hunk.old).into(), in_crlf].into_iter().chain(rest.chain(open).map(Cow::from)).collect()
    }

    /// True if the lines of the hunk are taken as they are.
    fn is_literal(&self, hunk: &Hunk) -> bool {
        self.ends == Ends::Lf || hunk.old.contains('\r') || hunk.new.contains('\r')
    }

    /// The lines that take the place of the old ones, which are `old` in the file.
    fn new_lines<'h>(&self, hunk: &'h Hunk, old: &str, at: usize) -> Cow<'h, str> {
        match self.ends {
            _ if self.is_literal(hunk) => (&hunk.new).into(),
            Ends::Mixed => {
                let above = line_ends::end_at(self.content, at);
                line_ends::carried(&hunk.marks, (old, &hunk.new), above).into()
            }
            Ends::Lf | Ends::Crlf => hunk.new.replace('\n', "\r\n").into(),
        }
    }

    fn find(&self, hunk: &Hunk, old: &str, from: usize) -> Result<Spot, Missed> {
        if old.is_empty() {
            return self.insertion(hunk, from);
        }
        let old = old.as_bytes();
        let whole = |at| Ok(Spot { at, length: old.len() });
        let is_end_only = hunk.at_end || !old.ends_with(b"\n");
        let expected = hunk.line.map(|line| self.byte_of(self.expected(line)));
        if let Some(expected) = expected
            && !is_end_only
            && self.content[expected..].starts_with(old)
        {
            return whole(expected);
        }
        let seems_end = hunk.line.is_some() && hunk.trailing == 0 && hunk.leading > 0;
        if let Some((at, length)) = self.at_end(old, from)
            && (is_end_only || seems_end || length < old.len())
        {
            return Ok(Spot { at, length });
        }
        if is_end_only {
            return Err(Missed::Lines);
        }
        match expected {
            Some(expected) => {
                self.nearest_to(expected.max(from), from, old).map_or(Err(Missed::Lines), whole)
            }
            None => {
                let first = self.forward(from, old).ok_or(Missed::Lines)?;
                if hunk.anchors.is_empty() {
                    self.check_single(first, old)?;
                }
                whole(first)
            }
        }
    }

    /// Where a hunk goes that only adds: behind the line that it names, or at the end.
    fn insertion(&self, hunk: &Hunk, from: usize) -> Result<Spot, Missed> {
        let at = match hunk.line {
            Some(line) => {
                // A hunk without old lines names the line before; so does the drift of the last.
                let behind = self.expected(line.saturating_add(1)).max(self.line);
                let at = self.byte_of(behind);
                let reached = self.line + lines_in(&self.content[self.at..at]);
                let open = usize::from(at == self.content.len() && !self.ends_in_line_end());
                if reached + open < behind {
                    return Err(Missed::Beyond(behind, reached + open));
                }
                at
            }
            None if hunk.anchors.is_empty() || hunk.at_end => self.content.len(),
            None => self.line_after(from),
        };
        Ok(Spot { at, length: 0 })
    }

    /// Puts the new lines of a hunk where the old ones are, which are `old` in the file.
    fn replace(&mut self, hunk: &Hunk, old: &str, spot: &Spot) -> usize {
        let new = self.new_lines(hunk, old, spot.at);
        let is_open = spot.length < old.len();
        let at_open_end = old.is_empty() && spot.at == self.content.len();
        let before = match at_open_end && !self.ends_in_line_end() {
            true => line_ends::end_at(self.content, spot.at),
            false => "",
        };
        let line = self.line + lines_in(&self.content[self.at..spot.at]);
        if let Some(said) = hunk.line
            && !hunk.old.is_empty()
        {
            let said = isize::try_from(said.saturating_sub(1)).unwrap_or(isize::MAX);
            self.drift = line.cast_signed() - said;
        }
        let end = spot.at + spot.length;
        self.done.extend_from_slice(&self.content[self.at..spot.at]);
        self.done.extend_from_slice(before.as_bytes());
        // A patch that knows nothing of a missing last line end does not mean to make one.
        let unended = new.strip_suffix("\r\n").or_else(|| new.strip_suffix('\n'));
        let new = unended.filter(|_| is_open).unwrap_or(&new);
        self.done.extend_from_slice(new.as_bytes());
        self.line = line + lines_in(&self.content[spot.at..end]);
        self.at = end;
        line
    }

    fn finish(mut self) -> Vec<u8> {
        self.done.extend_from_slice(&self.content[self.at..]);
        self.done
    }

    /// The line, counted from 0, where a hunk is that the patch has at `line`.
    fn expected(&self, line: usize) -> usize {
        line.saturating_sub(1).saturating_add_signed(self.drift).max(self.line)
    }

    /// Where a line begins that is not above the last hunk; the end if there are not so many.
    fn byte_of(&self, line: usize) -> usize {
        let Some(skipped) = line.checked_sub(self.line + 1) else { return self.at };
        let rest = &self.content[self.at..];
        let end = memchr::memchr_iter(b'\n', rest).nth(skipped);
        end.map_or(self.content.len(), |end| self.at + end + 1)
    }

    /// Where the line with the last anchor begins, below the last hunk.
    fn behind_anchors(&self, anchors: &[String]) -> Result<usize, Missed> {
        let mut from = self.at;
        for (nth, anchor) in anchors.iter().enumerate() {
            if (self.is_stopped)() {
                return Err(Missed::Ended);
            }
            let below = if nth == 0 { from } else { self.line_after(from) };
            let found = self.line_like(below, |line| line == anchor.as_bytes());
            let found =
                found.or_else(|| self.line_like(below, |line| line.starts_with(anchor.as_bytes())));
            from = found.ok_or_else(|| Missed::Anchor(anchor.clone()))?;
        }
        Ok(from)
    }

    /// The first line from there on that is like that, without the blanks around it.
    fn line_like(&self, from: usize, is: impl Fn(&[u8]) -> bool) -> Option<usize> {
        let mut at = from;
        while at < self.content.len() {
            let end = self.line_after(at);
            if is(self.content[at..end].trim_ascii()) {
                return Some(at);
            }
            at = end;
        }
        None
    }

    fn line_after(&self, at: usize) -> usize {
        let end = memchr::memchr(b'\n', &self.content[at..]);
        end.map_or(self.content.len(), |end| at + end + 1)
    }

    fn ends_in_line_end(&self) -> bool {
        self.content.is_empty() || self.content.ends_with(b"\n")
    }

    /// The old lines as the end of the file, with or without the last line end.
    fn at_end(&self, old: &[u8], from: usize) -> Option<(usize, usize)> {
        let open = old.strip_suffix(b"\r\n").or_else(|| old.strip_suffix(b"\n"));
        let fits = |old: &[u8]| {
            let at = self.content.len().checked_sub(old.len()).filter(|at| *at >= from)?;
            let begins = at == 0 || self.content[at - 1] == b'\n';
            (begins && self.content.ends_with(old)).then_some((at, old.len()))
        };
        fits(old).or_else(|| open.filter(|_| !self.ends_in_line_end()).and_then(fits))
    }

    /// The first place from there on; `from` is where a line begins.
    fn forward(&self, from: usize, old: &[u8]) -> Option<usize> {
        if self.content[from..].starts_with(old) {
            return Some(from);
        }
        let needle = [b"\n", old].concat();
        memmem::find(&self.content[from..], &needle).map(|at| from + at + 1)
    }

    /// The place nearest to `expected`, not above `from`; of two as near, the lower one.
    fn nearest_to(&self, expected: usize, from: usize, old: &[u8]) -> Option<usize> {
        let below = self.forward(expected, old);
        let needle = [b"\n", old].concat();
        // Up to what begins right before the expected place.
        let reach = (expected + old.len()).saturating_sub(1).min(self.content.len());
        let above = self.content.get(from..reach).and_then(|above| memmem::rfind(above, &needle));
        let above = above.map(|at| from + at + 1);
        let above = above.or_else(|| Some(from).filter(|at| self.content[*at..].starts_with(old)));
        match (above, below) {
            (Some(above), Some(below)) => {
                let up = lines_in(&self.content[above..expected.max(above)]);
                let down = lines_in(&self.content[expected..below]);
                Some(if down <= up { below } else { above })
            }
            (above, below) => below.or(above),
        }
    }

    /// An error if the lines are there again below.
    fn check_single(&self, first: usize, old: &[u8]) -> Result<(), Missed> {
        let line_of = |at: usize| self.line + lines_in(&self.content[self.at..at]) + 1;
        let mut found = vec![first];
        while found.len() <= MAX_LISTED
            && let Some(next) = self.forward(self.line_after(found[found.len() - 1]), old)
        {
            found.push(next);
        }
        match found.len() {
            1 => Ok(()),
            _ => Err(Missed::Many(found.into_iter().map(line_of).collect())),
        }
    }

    /// True if the lines are above the last hunk.
    fn is_above(&self, hunk: &Hunk) -> bool {
        let above = &self.content[..self.at];
        !hunk.old.is_empty() && memmem::find(above, hunk.old.as_bytes()).is_some()
    }
}

fn lines_in(content: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', content).count()
}
