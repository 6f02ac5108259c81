//! Why an edit does not fit a file.

use std::fmt::Write as _;

use super::encoding::CONVERT;
use super::nearest::Nearest;
use super::write::MAX_FILE_BYTES;
use crate::error::Code;

/// How many line numbers an error lists.
pub(super) const MAX_LINES_LISTED: usize = 20;

/// Why an edit does not fit a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditProblem {
    /// There is no text to find.
    #[error("the old text is empty; give the text to replace, or use write_file")]
    EmptyOld,
    /// There is no edit.
    #[error("there is no edit; give at least one")]
    NoEdits,
    /// The edit would change nothing.
    #[error("the old and the new text are the same, so the edit would change nothing")]
    NoChange,
    /// The file would become larger than is handled at once.
    #[error(
        "it would get {bytes} bytes, and at most {MAX_FILE_BYTES} are handled; change it with a \
         program instead"
    )]
    TooLarge {
        /// The size that it would get, in bytes.
        bytes: u64,
    },
    /// One of several edits does not fit.
    #[error("edit {number} of {of}: {problem}")]
    InEdit {
        /// Its number, counted from 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// Why it does not fit what the edits before it have left.
        problem: Box<EditProblem>,
    },
    /// The old text does not occur.
    #[error(
        "the old text does not occur in it; it must match exactly, blanks and line breaks \
         included{}",
        look_at(nearest.as_ref())
    )]
    NoMatch {
        /// The place that looks most like it, if any does.
        nearest: Option<Nearest>,
    },
    /// The old text does not occur, and what looks most like it has a placeholder. What was given is
    /// not quoted, so that all guesses at a masked secret get the same answer.
    #[error(
        "the old text does not occur in it; it must match exactly, blanks and line breaks included, \
         and nothing matches a part of a masked secret, whatever that is. Take text beside the \
         placeholder. The nearest text begins at line {line} (counted from 1):\n{text}"
    )]
    NearMask {
        /// The first line of that place, counted from 1.
        line: usize,
        /// The lines there, as they are shown.
        text: String,
    },
    /// The old text has marks that the content has not, where bytes are no UTF-8.
    #[error(
        "the old text has U+FFFD in it, which stands for bytes that are no UTF-8; take text before or \
         behind them"
    )]
    Mark,
    /// The file is in another encoding than UTF-8, in which the edit would put UTF-8.
    #[error("{}", mixed(*line))]
    OtherEncoding {
        /// The line where that is seen first, counted from 1.
        line: usize,
    },
    /// The file is in another encoding than UTF-8, and the old text may begin within a character.
    #[error(
        "it is not in UTF-8, and in line {line} (counted from 1) the old text may begin with the second \
         half of a character: with a byte of one that looks like ASCII, as `\\` in Shift-JIS; begin the \
         old text farther before, or {CONVERT}"
    )]
    WithinCharacter {
        /// The line of that place, counted from 1.
        line: usize,
    },
    /// The old text occurs more than once.
    #[error(
        "the old text occurs {count} times (lines {}, counted from 1); add lines around it until \
         it is unique, or set replace_all to change every occurrence",
        listed(lines, *count)
    )]
    ManyMatches {
        /// How often.
        count: usize,
        /// The lines of the first occurrences, counted from 1.
        lines: Vec<usize>,
    },
}

impl EditProblem {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            EditProblem::EmptyOld | EditProblem::NoEdits | EditProblem::NoChange => {
                Code::InvalidArguments
            }
            EditProblem::NoMatch { .. }
            | EditProblem::NearMask { .. }
            | EditProblem::Mark
            | EditProblem::OtherEncoding { .. }
            | EditProblem::WithinCharacter { .. }
            | EditProblem::ManyMatches { .. } => Code::Conflict,
            EditProblem::TooLarge { .. } => Code::ToolFailed,
            EditProblem::InEdit { problem, .. } => problem.code(),
        }
    }

    /// The problem as that of the edit at an index, if there are several.
    pub(crate) fn of_edit(self, at: usize, of: usize) -> EditProblem {
        match of {
            1 => self,
            _ => EditProblem::InEdit { number: at + 1, of, problem: Box::new(self) },
        }
    }
}

/// What is said of a change that would mix UTF-8 with another encoding.
pub(super) fn mixed(line: usize) -> String {
    format!(
        "it is not in UTF-8, as line {line} (counted from 1) shows, and what is put into it would be: \
         only ASCII text can be changed in it where that is certain; {CONVERT}"
    )
}

fn look_at(nearest: Option<&Nearest>) -> String {
    match nearest {
        Some(place) => format!(
            ". The nearest text begins at line {} (counted from 1); `-` is what was given, `+` what \
             stands there:\n{}",
            place.line, place.diff
        ),
        None => ". Nothing in the file looks like it; read the file again".to_owned(),
    }
}

fn listed(lines: &[usize], count: usize) -> String {
    let mut text = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if lines.len() < count {
        let _ = write!(text, " and {} more", count - lines.len());
    }
    text
}
