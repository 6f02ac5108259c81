//! Replacing exact text in a file.

use std::borrow::Cow;

use memchr::memmem;

use super::change::{Body, Change, Changing, Standing};
use super::edit_problem::{EditProblem, MAX_LINES_LISTED};
use super::encoding::{mixed_by, within_character};
use super::line_ends::{self, Plain};
use super::nearest::nearest;
use super::read::check_text;
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

/// What one edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// How many occurrences were replaced.
    pub replacements: usize,
    /// The line of the first one, counted from 1, in the content that the edit was applied to.
    pub line: usize,
}

/// What an edit of a file did.
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
    /// The file is replaced as by [`Workspace::write`]. Changes of one file wait for each other,
    /// within a process and among processes that use this room; if anybody else changes the file
    /// meanwhile, the edit is applied to what stands there then, or called off.
    ///
    /// # Errors
    ///
    /// [`Error::Edit`] if the edit does not fit; [`Error::Changed`]; [`Error::Binary`] for a file
    /// with a NUL in its first 8 KiB; [`Error::TooLarge`] if the file has more than
    /// [`MAX_FILE_BYTES`]; and what [`Workspace::write`] may return.
    pub fn edit(&self, path: &RelativePath, edit: &Edit) -> Result<Edited, Error> {
        let make = |standing: &Standing| {
            let content = self.editable(path, standing)?;
            let made =
                check_encoding(content, edit).and_then(|()| edit_once(content, edit, as_it_is));
            let (content, done) = made.map_err(|problem| misfit(path, problem))?;
            let Replaced { replacements, line } = done;
            let edited = Edited { replacements, line, bytes: content.len() as u64 };
            Ok((Change::Put(content.into(), None), edited))
        };
        let last = |_: &Standing, _: &Edited| Ok(());
        let most_bytes = MAX_FILE_BYTES;
        self.change(path, Changing { most_bytes, expected: None, make_folders: false, make, last })
    }

    /// The content of a text file that is to be edited.
    pub(crate) fn editable<'s>(
        &self,
        path: &RelativePath,
        standing: &'s Standing,
    ) -> Result<&'s [u8], Error> {
        match &standing.body {
            Body::Missing => {
                let similar = self.similar(path);
                Err(Error::NotFound { path: path.to_string(), similar })
            }
            Body::Large(bytes) => {
                check_size(path, *bytes, TOO_LARGE)?;
                Err(Error::Changed { path: path.to_string() })
            }
            Body::Whole(content) => {
                check_text(path, content)?;
                Ok(content)
            }
        }
    }
}

/// The error for an edit that does not fit the file.
pub(crate) fn misfit(path: &RelativePath, problem: EditProblem) -> Error {
    Error::Edit { path: path.to_string(), problem: Box::new(problem) }
}

/// The content after all edits, each applied to what the one before has left, and what each did.
///
/// ```
/// use toolkeep::workspace::{Edit, apply_edits};
///
/// let edit = |old: &str, new: &str| Edit { old: old.into(), new: new.into(), replace_all: false };
/// let (content, done) = apply_edits(b"one two", &[edit("one", "1"), edit("1 two", "12")])?;
/// assert_eq!((content.as_slice(), done.len()), (b"12".as_slice(), 2));
/// # Ok::<(), toolkeep::workspace::EditProblem>(())
/// ```
///
/// # Errors
///
/// Why the first of them that does not fit does not; [`EditProblem::NoChange`] if they leave the
/// content as it is, and [`EditProblem::NoEdits`] if there are none.
pub fn apply_edits(
    content: &[u8],
    edits: &[Edit],
) -> Result<(Vec<u8>, Vec<Replaced>), EditProblem> {
    let mut now = Cow::Borrowed(content);
    let mut done = Vec::with_capacity(edits.len());
    for (at, edit) in edits.iter().enumerate() {
        let made = check_encoding(&now, edit).and_then(|()| edit_once(&now, edit, as_it_is));
        let (next, replaced) = made.map_err(|problem| problem.of_edit(at, edits.len()))?;
        now = Cow::Owned(next);
        done.push(replaced);
    }
    check_changed(content, &now, edits.len())?;
    Ok((now.into_owned(), done))
}

/// An error if an edit would mix two encodings. Of an old text with the mark for bytes that are no UTF-8
/// something else is reported.
pub(crate) fn check_encoding(content: &[u8], edit: &Edit) -> Result<(), EditProblem> {
    let old = Some(edit.old.as_str()).filter(|old| !old.contains(char::REPLACEMENT_CHARACTER));
    match mixed_by(content, old.into_iter().chain([edit.new.as_str()])) {
        Some(at) => Err(EditProblem::OtherEncoding { line: line_of(content, at) }),
        None => Ok(()),
    }
}

/// An error if so many edits have left the content as it was.
pub(crate) fn check_changed(before: &[u8], after: &[u8], edits: usize) -> Result<(), EditProblem> {
    match edits {
        0 => Err(EditProblem::NoEdits),
        _ if before == after => Err(EditProblem::NoChange),
        _ => Ok(()),
    }
}

/// The content after one edit. `show` gives the content as an error may quote it.
pub(crate) fn edit_once(
    content: &[u8],
    edit: &Edit,
    show: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
) -> Result<(Vec<u8>, Replaced), EditProblem> {
    let found = find(content, edit, show)?;
    if let Some(at) = within_character(content, found.old.as_bytes()) {
        return Err(EditProblem::WithinCharacter { line: line_of(content, at) });
    }
    let bytes = found.bytes_after(content.len());
    if bytes > MAX_FILE_BYTES {
        return Err(EditProblem::TooLarge { bytes });
    }
    let replaced = Replaced { replacements: found.count, line: line_of(content, found.first) };
    Ok((found.replaced(content), replaced))
}

fn as_it_is(content: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(content)
}

/// The old text where it matched, in the spelling in which it did. Keeps no list of places: a short
/// text in a large file has millions of them.
#[derive(Debug)]
struct Found<'e> {
    count: usize,
    first: usize,
    old: Cow<'e, str>,
    new: Cow<'e, str>,
    /// The new text for lines that end in CRLF, where the old one has no line end to go by.
    in_crlf: Option<String>,
}

impl Found<'_> {
    fn bytes_after(&self, before: usize) -> u64 {
        let kept = before - self.count * self.old.len();
        let new = self.in_crlf.as_ref().map_or(0, String::len).max(self.new.len());
        (kept as u64).saturating_add((self.count as u64).saturating_mul(new as u64))
    }

    fn replaced(&self, content: &[u8]) -> Vec<u8> {
        let mut changed = Vec::with_capacity(self.bytes_after(content.len()) as usize);
        let (mut done, mut line) = (0, Line::default());
        for at in memmem::find_iter(content, self.old.as_bytes()) {
            changed.extend_from_slice(&content[done..at]);
            let new = match &self.in_crlf {
                Some(in_crlf) if line.is_crlf(content, at) => in_crlf,
                _ => &*self.new,
            };
            changed.extend_from_slice(new.as_bytes());
            done = at + self.old.len();
        }
        changed.extend_from_slice(&content[done..]);
        changed
    }
}

/// The last line that was asked about, which may be very long and have many places.
#[derive(Default)]
struct Line {
    end: usize,
    is_crlf: bool,
}

impl Line {
    /// True if the line of a byte ends in CRLF; the last one, if it is open, where the one before does.
    fn is_crlf(&mut self, content: &[u8], at: usize) -> bool {
        if at >= self.end {
            let end = memchr::memchr(b'\n', &content[at..]).map(|end| at + end);
            self.end = end.map_or(content.len(), |end| end + 1);
            self.is_crlf = match end {
                Some(end) => content[..end].ends_with(b"\r"),
                None => line_ends::end_at(content, at) == "\r\n",
            };
        }
        self.is_crlf
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
    for Spelling { old, new, in_crlf } in spellings(content, edit) {
        let places = || memmem::find_iter(content, old.as_bytes());
        let Some(first) = places().next() else { continue };
        let count = places().count();
        // One that begins within the first is another place, too.
        let within = memmem::find(&content[first + 1..], old.as_bytes()).map(|at| first + 1 + at);
        if let Some(within) = within.filter(|_| !edit.replace_all) {
            let listed = if count > 1 {
                places().take(MAX_LINES_LISTED).collect()
            } else {
                vec![first, within]
            };
            let lines: Vec<usize> = listed.into_iter().map(|at| line_of(content, at)).collect();
            let count = count.max(2);
            return Err(EditProblem::ManyMatches { count, lines });
        }
        return Ok(Found { count, first, old, new, in_crlf });
    }
    if let Some(found) = find_otherwise(content, edit)? {
        return Ok(found);
    }
    if edit.old.contains('\u{fffd}') && std::str::from_utf8(content).is_err() {
        return Err(EditProblem::Mark);
    }
    Err(match nearest(&show(content), &edit.old) {
        Some(place) if place.has_placeholder() => {
            EditProblem::NearMask { line: place.line, text: place.text }
        }
        nearest => EditProblem::NoMatch { nearest },
    })
}

/// The old and the new text as they are looked for and put in.
struct Spelling<'e> {
    old: Cow<'e, str>,
    new: Cow<'e, str>,
    in_crlf: Option<String>,
}

/// The old and new text in the spellings to try, in this order.
///
/// A model that gives a CR anywhere knows of line ends and is taken by its word. One that gives none
/// in a file of CRLF lines means those.
fn spellings<'e>(content: &[u8], edit: &'e Edit) -> Vec<Spelling<'e>> {
    let literal = Spelling { old: (&edit.old).into(), new: (&edit.new).into(), in_crlf: None };
    let crlf_lines = memmem::find_iter(content, b"\r\n").count();
    if crlf_lines == 0 || edit.old.contains('\r') || edit.new.contains('\r') {
        return vec![literal];
    }
    let (old, new) = (edit.old.replace('\n', "\r\n"), edit.new.replace('\n', "\r\n"));
    if crlf_lines == memchr::memchr_iter(b'\n', content).count() {
        return vec![Spelling { old: old.into(), new: new.into(), in_crlf: None }];
    }
    if !edit.old.contains('\n') {
        return vec![Spelling { in_crlf: Some(new), ..literal }];
    }
    vec![literal, Spelling { old: old.into(), new: new.into(), in_crlf: None }]
}

/// The place where the old text is but for its line ends, in a file that has both kinds. Not for every
/// occurrence: they may be of several kinds.
fn find_otherwise<'e>(content: &[u8], edit: &'e Edit) -> Result<Option<Found<'e>>, EditProblem> {
    if edit.replace_all || edit.old.contains('\r') || edit.new.contains('\r') {
        return Ok(None);
    }
    if memmem::find(content, b"\r\n").is_none() {
        return Ok(None);
    }
    let spellings = Plain::of(content).spellings(0, &edit.old, MAX_LINES_LISTED);
    let places = spellings.iter().flat_map(|old| memmem::find_iter(content, old.as_bytes()));
    let mut places: Vec<usize> = places.take(MAX_LINES_LISTED).collect();
    places.sort_unstable();
    match (spellings.as_slice(), places.as_slice()) {
        ([], _) | (_, []) => Ok(None),
        ([old], [first]) => {
            let (old, new) = (old.to_string(), line_ends::ended_as(old, &edit.new));
            let (old, new) = (old.into(), new.into());
            Ok(Some(Found { count: 1, first: *first, old, new, in_crlf: None }))
        }
        (_, places) => {
            let lines = places.iter().map(|at| line_of(content, *at)).collect();
            Err(EditProblem::ManyMatches { count: places.len(), lines })
        }
    }
}

/// The line of a byte, counted from 1.
pub(super) fn line_of(content: &[u8], at: usize) -> usize {
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
    fn a_text_that_overlaps_itself_is_not_unique() {
        for (content, old, lines) in
            [("aaa", "aa", vec![1, 1]), ("x\n}\n}\n}\n", "}\n}\n", vec![2, 3])]
        {
            let problem = apply(content, &edit(old, "b")).unwrap_err();
            assert_eq!(problem, EditProblem::ManyMatches { count: 2, lines });
        }
        assert_eq!(apply("aaab", &edit("aab", "c")).unwrap(), "ac");
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
        let shown = " fn two() {\n-  second();\n+    second();\n }";
        assert!(message.contains(shown), "{message}");
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
    fn in_a_file_of_mixed_line_ends_every_line_that_stays_keeps_its_own() {
        let content = "a\nb\r\nc\r\nd\n";
        let changed = |old, new| apply(content, &edit(old, new)).unwrap();
        assert_eq!(changed("a\nb\nc", "a\nB\nc"), "a\nB\nc\r\nd\n");
        assert_eq!(changed("a\nb\n", "a\nx\nb\n"), "a\nx\nb\r\nc\r\nd\n");
        assert_eq!(changed("c\nd\n", "c\nD\ne\n"), "a\nb\r\nc\r\nD\r\ne\r\n");
        assert_eq!(changed("b", "b\nx"), "a\nb\r\nx\r\nc\r\nd\n");
        assert_eq!(changed("d", "d\nx"), "a\nb\r\nc\r\nd\nx\n");
        let each = apply("x\nx\r\nx", &all("x", "y\nz")).unwrap();
        assert_eq!(each, "y\nz\ny\r\nz\r\ny\r\nz");
    }

    #[test]
    fn a_file_in_another_encoding_is_changed_by_ascii_that_is_certain_and_by_nothing_else() {
        let refusal = |content: &[u8], edit: &Edit| {
            let problem = apply_edits(content, std::slice::from_ref(edit)).unwrap_err();
            assert_eq!(problem.code(), Code::Conflict);
            problem.to_string()
        };
        // `x=表\` in Shift-JIS.
        let shift_jis = b"x=\x95\x5c\x5c\nend\n";
        assert!(refusal(shift_jis, &edit("\\", "/")).contains("occurs 2 times"));
        assert!(refusal(shift_jis, &all("\\", "/")).contains("second half of a character"));
        assert!(refusal(b"x\n\x95\x5c", &edit("\\", "/")).contains("in line 2"));
        assert!(refusal(shift_jis, &edit("end", "\u{7d42}")).contains("iconv"));
        assert!(refusal(b"caf\xe9\n", &edit("caf", "\u{e9}t\u{e9} ")).contains("line 1"));
        assert!(refusal(b"caf\xe9\n", &edit("caf\u{e9}", "x")).contains("only ASCII text"));
        let (changed, _) = apply_edits(shift_jis, &[edit("x=", "y="), edit("end", "fin")]).unwrap();
        assert_eq!(changed, b"y=\x95\x5c\x5c\nfin\n");
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
    fn each_of_several_edits_meets_what_the_one_before_has_left() {
        let (content, done) =
            apply_edits(b"a\nb\nc\n", &[edit("b", "x\ny"), edit("y\nc", "z"), all("z", "a")])
                .unwrap();
        assert_eq!(content, b"a\nx\na\n");
        let lines: Vec<usize> = done.iter().map(|replaced| replaced.line).collect();
        assert_eq!(lines, [2, 3, 3]);
    }

    #[test]
    fn the_edit_that_does_not_fit_is_named_by_its_number() {
        let problem = apply_edits(b"a b", &[edit("a", "c"), edit("a", "d")]).unwrap_err();
        let message = problem.to_string();
        assert!(message.starts_with("edit 2 of 2: the old text does not occur"), "{message}");
        assert_eq!(problem.code(), Code::Conflict);
        let problem = apply_edits(b"a", &[edit("a", "c"), edit("", "d")]).unwrap_err();
        assert_eq!(problem.code(), Code::InvalidArguments);
    }

    #[test]
    fn edits_that_undo_each_other_or_are_none_are_refused() {
        let undone = apply_edits(b"a", &[edit("a", "b"), edit("b", "a")]);
        assert_eq!(undone.unwrap_err(), EditProblem::NoChange);
        assert_eq!(apply_edits(b"a", &[]).unwrap_err(), EditProblem::NoEdits);
    }
}
