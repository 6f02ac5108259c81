//! Replacing exact text in a file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use memchr::memmem;

use super::edit_problem::{EditProblem, MAX_LINES_LISTED};
use super::lock::while_locked;
use super::media::Media;
use super::nearest::nearest;
use super::replace::replace;
use super::resolve::Place;
use super::write::{MAX_FILE_BYTES, check_size};
use super::{Error, RelativePath, Workspace};

const TOO_LARGE: &str = "change it with a program instead";

/// One change of a file: exact text for exact text, blanks and case included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text to find. Must occur exactly once unless `replace_all`.
    pub old: String,
    /// The text to put in its place. Empty removes `old`.
    pub new: String,
    /// True to replace every occurrence, from the start of the file and without overlaps.
    pub replace_all: bool,
}

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edited {
    /// How many occurrences were replaced.
    pub replacements: usize,
    /// The line of the first one, counted from 1.
    pub line: usize,
    /// The size of the file afterwards, in bytes.
    pub bytes: u64,
}

impl Workspace {
    /// Replaces exact text in a file. In a file whose lines end in CRLF, text that is written with
    /// LF alone matches too, and what is put in gets the file's line ends.
    ///
    /// The file is replaced as by [`Workspace::write`]. Changes of one file by this process wait for
    /// each other; if anybody else changed the file meanwhile, the edit is called off.
    ///
    /// # Errors
    ///
    /// [`Error::Edit`] if the edit does not fit; [`Error::Changed`]; [`Error::Binary`] for a file
    /// with a NUL in its first 8 KiB; [`Error::TooLarge`] if the file has or would get more than
    /// [`MAX_FILE_BYTES`]; and what [`Workspace::write`] may return.
    pub fn edit(&self, path: &RelativePath, edit: &Edit) -> Result<Edited, Error> {
        self.edit_as(path, |_| Ok(Cow::Borrowed(edit)), as_it_is)
    }

    /// The same, with an edit that is made when it is known what stands in the file. `show` gives
    /// the file as an error may quote it.
    pub(crate) fn edit_as<'e, E: From<Error>>(
        &self,
        path: &RelativePath,
        make: impl FnOnce(&Standing<'_>) -> Result<Cow<'e, Edit>, E>,
        show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
    ) -> Result<Edited, E> {
        let place = self.place(path, false)?;
        let edit = || {
            let file = place.open_file(path).map_err(|error| match error {
                Error::NotFound { path: written, .. } => {
                    Error::NotFound { path: written, similar: self.similar(path) }
                }
                error => error,
            })?;
            edit_at(path, &place, file, make, show)
        };
        while_locked(&place, edit).map_err(|error| Error::from_io(path, "edit", error))?
    }
}

/// What is to be edited.
pub(crate) struct Standing<'s> {
    /// The path without links, relative to the root.
    pub target: &'s Path,
    /// The whole file.
    pub content: &'s [u8],
}

impl Standing<'_> {
    /// The file as the edit would leave it; `None` if the edit does not fit.
    pub(crate) fn edited(&self, edit: &Edit) -> Option<Vec<u8>> {
        Some(find(self.content, edit, as_it_is).ok()?.replaced(self.content))
    }
}

fn edit_at<'e, E: From<Error>>(
    path: &RelativePath,
    place: &Place,
    mut file: File,
    make: impl FnOnce(&Standing<'_>) -> Result<Cow<'e, Edit>, E>,
    show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
) -> Result<Edited, E> {
    let failed = |error| Error::from_io(path, "edit", error);
    let before = Version::of(&file).map_err(failed)?;
    check_size(path, before.bytes, TOO_LARGE)?;
    let mut content = Vec::with_capacity(before.bytes as usize);
    file.by_ref().take(MAX_FILE_BYTES + 1).read_to_end(&mut content).map_err(failed)?;
    check_size(path, content.len() as u64, TOO_LARGE)?;
    if let Some(media) = Media::of_content(&content) {
        return Err(Error::Binary { path: path.to_string(), media }.into());
    }

    let edit = make(&Standing { target: &place.target, content: &content })?;
    let misfit = |problem| Error::Edit { path: path.to_string(), problem: Box::new(problem) };
    let found = find(&content, &edit, show).map_err(misfit)?;
    check_size(path, found.bytes_after(content.len()), TOO_LARGE)?;
    let changed = found.replaced(&content);
    replace(path, place, &changed, || confirm(path, place, before, &content))?;
    Ok(Edited {
        replacements: found.count,
        line: line_of(&content, found.first),
        bytes: changed.len() as u64,
    })
}

/// A text with one edit made, as [`Workspace::edit`] makes it in a file that an error calls `path`.
/// `show` gives the text as an error may quote it.
pub(crate) fn edit_text(
    path: &str,
    content: &[u8],
    edit: &Edit,
    show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
) -> Result<(Vec<u8>, Edited), Error> {
    let misfit = |problem| Error::Edit { path: path.to_owned(), problem: Box::new(problem) };
    let found = find(content, edit, show).map_err(misfit)?;
    let bytes = found.bytes_after(content.len());
    if bytes > MAX_FILE_BYTES {
        let (path, max) = (path.to_owned(), MAX_FILE_BYTES);
        return Err(Error::TooLarge { path, bytes, max, remedy: TOO_LARGE });
    }
    let edited = Edited { replacements: found.count, line: line_of(content, found.first), bytes };
    Ok((found.replaced(content), edited))
}

fn as_it_is(content: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(content)
}

/// What tells one version of a file from the next without reading it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    bytes: u64,
    identity: (u64, u64),
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    fn of(file: &File) -> io::Result<Version> {
        let metadata = file.metadata()?;
        Ok(Version {
            bytes: metadata.len(),
            identity: (metadata.dev(), metadata.ino()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// An error if the file is no longer what was read. Compares the content too: two changes within
/// one tick of the file system's clock leave the same times.
fn confirm(
    path: &RelativePath,
    place: &Place,
    before: Version,
    content: &[u8],
) -> Result<(), Error> {
    let failed = |error| Error::from_io(path, "edit", error);
    let mut file = place.open_file(path)?;
    let mut same = Version::of(&file).map_err(failed)? == before;
    let mut rest = content;
    let mut block = vec![0; 64 << 10];
    while same {
        let count = match file.read(&mut block) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if count == 0 {
            break;
        }
        same = rest.starts_with(&block[..count]);
        rest = rest.get(count..).unwrap_or_default();
    }
    if same && rest.is_empty() {
        return Ok(());
    }
    Err(Error::Changed { path: path.to_string() })
}

/// The old text where it matched, in the spelling in which it did. Keeps no list of places: a short
/// text in a large file has millions of them.
#[derive(Debug)]
struct Found<'e> {
    count: usize,
    first: usize,
    old: Cow<'e, str>,
    new: Cow<'e, str>,
}

impl Found<'_> {
    fn bytes_after(&self, before: usize) -> u64 {
        let kept = before - self.count * self.old.len();
        (kept as u64).saturating_add((self.count as u64).saturating_mul(self.new.len() as u64))
    }

    fn replaced(&self, content: &[u8]) -> Vec<u8> {
        let mut changed = Vec::with_capacity(self.bytes_after(content.len()) as usize);
        let mut done = 0;
        for at in memmem::find_iter(content, self.old.as_bytes()) {
            changed.extend_from_slice(&content[done..at]);
            changed.extend_from_slice(self.new.as_bytes());
            done = at + self.old.len();
        }
        changed.extend_from_slice(&content[done..]);
        changed
    }
}

/// Finds what the edit replaces. Works on bytes, so the rest of the file need not be UTF-8.
fn find<'e>(
    content: &[u8],
    edit: &'e Edit,
    show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
) -> Result<Found<'e>, EditProblem> {
    if edit.old.is_empty() {
        return Err(EditProblem::EmptyOld);
    }
    if edit.old == edit.new {
        return Err(EditProblem::NoChange);
    }
    for (old, new) in spellings(content, edit) {
        let places = || memmem::find_iter(content, old.as_bytes());
        let Some(first) = places().next() else { continue };
        let count = places().count();
        if count > 1 && !edit.replace_all {
            let listed = places().take(MAX_LINES_LISTED);
            let lines = listed.map(|at| line_of(content, at)).collect();
            return Err(EditProblem::ManyMatches { count, lines });
        }
        return Ok(Found { count, first, old, new });
    }
    Err(EditProblem::NoMatch { nearest: nearest(&show(content), &edit.old) })
}

/// The old and new text in the spellings to try, in this order.
///
/// A model that gives a CR anywhere knows of line ends and is taken by its word. One that gives none
/// in a file of CRLF lines means those.
fn spellings<'e>(content: &[u8], edit: &'e Edit) -> Vec<(Cow<'e, str>, Cow<'e, str>)> {
    let literal = (Cow::from(&edit.old), Cow::from(&edit.new));
    let crlf_lines = memmem::find_iter(content, b"\r\n").count();
    if crlf_lines == 0 || edit.old.contains('\r') || edit.new.contains('\r') {
        return vec![literal];
    }
    let as_crlf =
        (Cow::from(edit.old.replace('\n', "\r\n")), Cow::from(edit.new.replace('\n', "\r\n")));
    if crlf_lines == memchr::memchr_iter(b'\n', content).count() {
        return vec![as_crlf];
    }
    vec![literal, as_crlf]
}

/// The line of a byte, counted from 1.
fn line_of(content: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &content[..at]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn edit(old: &str, new: &str) -> Edit {
        Edit { old: old.into(), new: new.into(), replace_all: false }
    }

    fn all(old: &str, new: &str) -> Edit {
        Edit { replace_all: true, ..edit(old, new) }
    }

    fn apply(content: &str, edit: &Edit) -> Result<String, EditProblem> {
        let changed = find(content.as_bytes(), edit, as_it_is)?.replaced(content.as_bytes());
        Ok(String::from_utf8(changed).unwrap())
    }

    #[test]
    fn a_unique_text_is_replaced_and_every_one_on_demand() {
        assert_eq!(apply("a b c", &edit("b", "xx")).unwrap(), "a xx c");
        assert_eq!(apply("a b b", &all("b", "")).unwrap(), "a  ");
        assert_eq!(apply("aaaa", &all("aa", "b")).unwrap(), "bb");
        assert_eq!(apply("a.c abc", &edit("a.c", "$0")).unwrap(), "$0 abc");
    }

    #[test]
    fn an_edit_that_says_nothing_is_refused() {
        assert_eq!(apply("a", &edit("", "b")), Err(EditProblem::EmptyOld));
        assert_eq!(apply("a", &edit("a", "a")), Err(EditProblem::NoChange));
    }

    #[test]
    fn several_matches_name_their_lines_and_both_remedies() {
        let problem = apply("x\ny\nx\nx", &edit("x", "z")).unwrap_err();
        let message = problem.to_string();
        assert_eq!(problem, EditProblem::ManyMatches { count: 3, lines: vec![1, 3, 4] });
        for part in ["3 times", "1, 3, 4", "unique", "replace_all"] {
            assert!(message.contains(part), "{message}");
        }
        let message = apply(&"x\n".repeat(50), &edit("x", "z")).unwrap_err().to_string();
        assert!(message.contains("and 30 more"), "{message}");
    }

    #[test]
    fn no_match_shows_the_nearest_lines() {
        let content = "fn one() {\n    first();\n}\nfn two() {\n    second();\n}\n";
        let problem = apply(content, &edit("fn two() {\n  second();\n}", "")).unwrap_err();
        let message = problem.to_string();
        assert!(message.contains("line 4"), "{message}");
        assert!(message.contains("fn two() {\n    second();\n}"), "{message}");
        assert_eq!(problem.code(), Code::Conflict);
    }

    #[test]
    fn lf_text_matches_in_a_crlf_file_and_takes_on_its_line_ends() {
        let content = "one\r\ntwo\r\nthree\r\n";
        assert_eq!(apply(content, &edit("one\ntwo", "1\n2")).unwrap(), "1\r\n2\r\nthree\r\n");
        assert_eq!(apply(content, &edit("two", "2\n2.5")).unwrap(), "one\r\n2\r\n2.5\r\nthree\r\n");
        assert_eq!(
            apply(content, &all("\n", "\n\n")).unwrap(),
            content.replace("\r\n", "\r\n\r\n")
        );
    }

    #[test]
    fn crlf_text_is_taken_by_its_word() {
        assert_eq!(apply("a\r\nb\r\n", &all("\r\n", "\n")).unwrap(), "a\nb\n");
        assert!(apply("a\nb\n", &edit("a\r\nb", "c")).is_err());
    }

    #[test]
    fn in_a_file_of_mixed_line_ends_the_literal_text_goes_first() {
        let content = "a\nb\r\nc\r\nd\n";
        assert_eq!(apply(content, &edit("a\nb", "x\ny")).unwrap(), "x\ny\r\nc\r\nd\n");
        assert_eq!(apply(content, &edit("b\nc", "x\ny")).unwrap(), "a\nx\r\ny\r\nd\n");
    }

    #[test]
    fn bytes_that_are_no_utf8_stay_as_they_are() {
        let edit = edit("one", "two");
        let found = find(b"\xff one \xfe", &edit, as_it_is).unwrap();
        assert_eq!(found.replaced(b"\xff one \xfe"), b"\xff two \xfe");
    }

    #[test]
    fn an_edit_that_would_make_the_file_huge_is_refused_before_it_is_made() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        std::fs::write(root.path().join("file"), "x".repeat(100_000)).unwrap();
        let path = workspace.relative("file").unwrap();
        let error = workspace.edit(&path, &all("x", &"y".repeat(10_000))).unwrap_err();
        assert_eq!(error.code(), Code::ToolFailed);
    }

    #[test]
    fn a_file_changed_by_somebody_else_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let path = workspace.relative("file").unwrap();
        std::fs::write(root.path().join("file"), "old").unwrap();
        let place = workspace.place(&path, false).unwrap();
        let before = Version::of(&place.open_file(&path).unwrap()).unwrap();
        assert!(confirm(&path, &place, before, b"old").is_ok());
        assert!(confirm(&path, &place, before, b"odd").is_err());
        assert!(confirm(&path, &place, before, b"olds").is_err());
        std::fs::write(root.path().join("other"), "old").unwrap();
        std::fs::rename(root.path().join("other"), root.path().join("file")).unwrap();
        let error = confirm(&path, &place, before, b"old").unwrap_err();
        assert_eq!(error.code(), Code::Conflict);
    }
}
