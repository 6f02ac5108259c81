//! Patches: unified diffs, as `diff -u` and git write them, and the shape that begins with
//! `*** Begin Patch`.
//!
//! [`parse`] turns the text into what becomes of each file, and [`apply`] applies the hunks of one
//! file to its content. Both are pure; nothing here opens a file. A hunk is found by exact context,
//! wherever in the file that stands now; no line of it is ever skipped.

mod apply;
mod git_name;
mod hunk;
mod unified;
mod v4a;

#[cfg(test)]
mod tests;

pub(crate) use apply::{Misfit, apply, check_hunks};
pub(crate) use hunk::Hunk;

use hunk::Lines;

/// The longest patch, in bytes (200 KiB).
pub(crate) const MAX_PATCH_BYTES: usize = 200 << 10;

/// The most hunks of one patch. Finding one may take a look at the whole file.
const MAX_HUNKS: usize = 2_000;

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePatch {
    /// The path, as the patch has it.
    pub path: String,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It is made.
    Add(String),
    /// It goes. Where there are hunks, they must take away all that it has.
    Delete(Vec<Hunk>),
    /// It is changed, and then moved where there is another path.
    Update { hunks: Vec<Hunk>, to: Option<String> },
}

/// Why a text is no patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {problem}")]
pub(crate) struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    pub problem: String,
}

impl FilePatch {
    fn hunks(&self) -> &[Hunk] {
        match &self.action {
            Action::Add(_) => &[],
            Action::Delete(hunks) | Action::Update { hunks, .. } => hunks,
        }
    }
}

/// What becomes of each file, in the patch's order.
///
/// # Errors
/// What is wrong with the patch, and in which line. One that may have been cut off is wrong.
pub(crate) fn parse(text: &str) -> Result<Vec<FilePatch>, Malformed> {
    if text.len() > MAX_PATCH_BYTES {
        let problem = format!(
            "the patch has {} bytes, and at most {MAX_PATCH_BYTES} are taken; give it in several \
             parts, or write whole files with write_file",
            text.len()
        );
        return Err(Malformed { line: 1, problem });
    }
    let lines = Lines::of(text);
    let files = if v4a::is_this(&lines) { v4a::parse(lines)? } else { unified::parse(lines)? };
    let problem = if files.is_empty() {
        "it names no file; begin each with `--- a/path` and `+++ b/path`, or write \
         `*** Begin Patch`, `*** Update File: path`, hunks and `*** End Patch`"
            .to_owned()
    } else if files.iter().map(|file| file.hunks().len()).sum::<usize>() > MAX_HUNKS {
        format!("it has more than {MAX_HUNKS} hunks; give it in several parts")
    } else {
        return Ok(files);
    };
    Err(Malformed { line: 1, problem })
}
