//! Placeholders in what a tool writes to a file.
//!
//! A model that rewrites a file from what it was shown writes placeholders where the file has secrets.
//! With the vault on, the secrets go back byte for byte. Where one cannot, the call is refused:
//! written as it stands, the placeholder would take the place of the secret for good. Only a
//! placeholder that the file has as its own text, as this library's documentation has, stays one.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::guard::{Guard, KNOWN_BYTES};
use super::veiled::{EditFailure, EditedText};
use crate::builtin::Deps;
use crate::error::Code;
use crate::scrub::Scrubber;
use crate::tool::{CallContext, ToolError};
use crate::vault::{FileAt, Opened, Opener, Refusal, placeholders, without_placeholders};
use crate::workspace::{
    Body, Change, Changing, Edit, Error, MAX_FILE_BYTES, ReadText, RelativePath, Replaced, Spent,
    Standing, Workspace, WriteMode, Written, is_converted, misfit, with_mark,
};

/// The mark that stands where bytes are no UTF-8.
const MARK: &str = "\u{fffd}";

/// Refuses a text with marks for a file that has such bytes and no mark: they would be lost.
fn check_no_bytes_lost(path: &RelativePath, there: &[u8], text: &[u8]) -> Result<(), ToolError> {
    let has_mark = |text: &[u8]| memmem::find(text, MARK.as_bytes()).is_some();
    if !has_mark(text) || has_mark(there) || std::str::from_utf8(there).is_ok() {
        return Ok(());
    }
    let text = format!(
        "`{path}` is unchanged: it has bytes that are no UTF-8 and were shown as `{MARK}`, and to write \
         that mark would lose them. Change the text beside them with `edit`, or convert the file first, \
         as with `iconv`."
    );
    Err(ToolError::new(Code::Conflict, text))
}

/// What is noted of a mark that a whole new text has not, and the file keeps.
pub(super) const MARK_KEPT: &str =
    "[The byte order mark (U+FEFF) that the file begins with is kept; `edit` can remove it]";

const CONVERTED: &str = "[The file was not in UTF-8 before, and is now]";

/// What to note of a whole new text about the encoding of the file.
fn note_of_encoding(there: &[u8], text: &[u8], keeps_mark: bool) -> Option<String> {
    match keeps_mark {
        true => Some(MARK_KEPT.to_owned()),
        false => is_converted(there, text).then(|| CONVERTED.to_owned()),
    }
}

/// What a write did.
pub(super) struct Wrote {
    pub bytes: u64,
    pub created: bool,
    /// True if the file had this content already; then nothing was written.
    pub unchanged: bool,
    /// What the model should know besides.
    pub note: Option<String>,
}

/// What each edit of a file did, and what the model should know besides.
type EditsDone = (Vec<Replaced>, Option<String>);

/// What writes files for one call.
pub(super) struct Writer {
    tool: &'static str,
    scrubber: Scrubber,
    opener: Option<Arc<Opener>>,
    pub(super) guard: Guard,
}

impl Writer {
    /// To be called within the async runtime.
    pub(super) fn new(tool: &'static str, deps: &Deps, cx: &CallContext) -> Writer {
        let (scrubber, opener) = (cx.scrubber(&deps.scrubbers), cx.opener().cloned());
        Writer { tool, scrubber, opener, guard: Guard::new(deps, cx) }
    }

    /// Writes a text to a file. Also gives what is left over.
    pub(super) fn write(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        content: &str,
        mode: WriteMode,
    ) -> Result<(Wrote, Spent), ToolError> {
        workspace.check_writable_size(path, content.len())?;
        match mode {
            WriteMode::Replace => self.replace(workspace, path, content),
            WriteMode::Append => {
                self.append(workspace, path, content).map(|wrote| (wrote, Spent::default()))
            }
        }
    }

    fn replace(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        content: &str,
    ) -> Result<(Wrote, Spent), ToolError> {
        let is_plain = placeholders(content).next().is_none();
        let make = |standing: &Standing| {
            let there = standing.content().unwrap_or_default();
            let opened = match is_plain {
                true => None,
                false => {
                    let file = file_at(workspace, &standing.target);
                    self.filled(&file, content, WriteMode::Replace, there)?
                }
            };
            let text: Cow<'_, [u8]> = match &opened {
                Some(opened) => opened.text().as_bytes().to_owned().into(),
                None => content.as_bytes().into(),
            };
            let (text, keeps_mark) = with_mark(there, text);
            let (bytes, created) = (text.len() as u64, standing.is_missing());
            // Of a file with secrets it is not told: who guesses at one must not learn that he is right.
            let is_same = standing.content() == Some(&*text);
            let unchanged = is_same && !self.has_masks(&text);
            check_no_bytes_lost(path, there, &text)?;
            let note = match unchanged {
                true => None,
                false => {
                    let notes = [
                        self.guard.check(workspace, path, standing)?,
                        note_of_encoding(there, &text, keeps_mark),
                    ];
                    notes.into_iter().flatten().reduce(|notes, note| format!("{notes}\n{note}"))
                }
            };
            let (known, target) = (self.guard.known(&text), standing.target.clone());
            let wrote = Wrote { bytes, created, unchanged, note };
            let change = if unchanged { Change::Keep } else { Change::Put(text, None) };
            Ok((change, (wrote, opened, (target, known))))
        };
        let last = |now: &Standing, (_, opened, _): &(Wrote, Option<Opened>, _)| {
            self.guard.last(workspace, path, &now.target)?;
            self.take(opened.as_slice())
        };
        // As much as an edit takes in, so that what one has written the other knows.
        let most_bytes = MAX_FILE_BYTES;
        let expected = is_plain.then_some(content.as_bytes());
        let changing = Changing { most_bytes, expected, make_folders: true, make, last };
        let done = |(wrote, _, (target, known)): (_, _, (PathBuf, _))| {
            self.guard.knows(workspace, &target, known);
            wrote
        };
        workspace.change_then::<_, ToolError, _, _, _>(path, changing, done)
    }

    /// Appending overwrites nothing, so it asks for no version that was read. Who knew the file
    /// before knows it afterwards.
    fn append(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        content: &str,
    ) -> Result<Wrote, ToolError> {
        let standing = workspace.standing(path, KNOWN_BYTES)?;
        let there = standing.content().unwrap_or_default();
        let file = file_at(workspace, &standing.target);
        let opened = self.filled(&file, content, WriteMode::Append, there)?;
        let text = opened.as_ref().map_or(content, Opened::text);
        self.check_appended(there, [there, text.as_bytes()].concat())?;
        let last = |target: &Path| {
            if target != standing.target {
                return Err(Error::Changed { path: path.to_string() }.into());
            }
            self.guard.last(workspace, path, target)?;
            self.take(opened.as_slice())
        };
        let written = workspace.append_as::<ToolError>(path, text.as_bytes(), last)?;
        let is_small = !matches!(standing.body, Body::Large(_));
        if is_small && self.guard.is_known(workspace, &standing) {
            let known = self.guard.known(&[there, text.as_bytes()].concat());
            self.guard.knows(workspace, &standing.target, known);
        }
        let Written { bytes, created } = written;
        Ok(Wrote { bytes, created, unchanged: false, note: None })
    }

    /// What is to stand in a file of the store, or behind what stands there.
    pub(super) fn text_for(
        &self,
        file: &FileAt,
        content: &str,
        mode: WriteMode,
        standing: &[u8],
    ) -> Result<Vec<u8>, ToolError> {
        let opened = self.filled(file, content, mode, standing)?;
        self.take(opened.as_slice())?;
        Ok(opened.as_ref().map_or(content, Opened::text).as_bytes().to_vec())
    }

    /// A file of the store with some texts changed.
    pub(super) fn text_edited(
        &self,
        path: &str,
        file: &FileAt,
        standing: &[u8],
        edits: &[Edit],
    ) -> Result<(Vec<u8>, Vec<Replaced>), ToolError> {
        let made = self.edited(standing, edits, file).map_err(|failure| match failure {
            EditFailure::Misfit(problem) => {
                let (path, problem) = (path.to_owned(), Box::new(problem));
                Error::Edit { path, problem }.into()
            }
            EditFailure::Refused(refusal) => refusal,
        })?;
        self.take(&made.opened)?;
        Ok((made.content, made.replaced))
    }

    /// The content of a file with every secret back in its place; none where it has no placeholder.
    fn filled(
        &self,
        file: &FileAt,
        content: &str,
        mode: WriteMode,
        standing: &[u8],
    ) -> Result<Option<Opened>, ToolError> {
        if placeholders(content).next().is_none() {
            return Ok(None);
        }
        if mode == WriteMode::Replace {
            self.check_bare(content, standing)?;
        }
        let opened = self.opened("content", content, file, standing)?;
        self.check_hidden(&opened, content.as_bytes(), opened.text().as_bytes())?;
        Ok(Some(opened))
    }

    /// Changes a text of a file. What an error shows of the file is masked as a whole file is. Also
    /// gives what the model should know besides, and what is left over.
    pub(super) fn edit(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        edits: &[Edit],
    ) -> Result<(EditsDone, Spent), ToolError> {
        let make = |standing: &Standing| {
            let content = workspace.editable(path, standing)?;
            let note = self.guard.check(workspace, path, standing)?;
            let file = file_at(workspace, &standing.target);
            let made = self.edited(content, edits, &file).map_err(|failure| match failure {
                EditFailure::Misfit(problem) => misfit(path, problem).into(),
                EditFailure::Refused(refusal) => refusal,
            })?;
            let EditedText { content, replaced, opened } = made;
            let known = self.guard.known(&content);
            let outcome = (replaced, note, known, standing.target.clone());
            Ok((Change::Put(content.into(), None), (outcome, opened)))
        };
        let last = |now: &Standing, (_, opened): &(_, Vec<Opened>)| {
            self.guard.last(workspace, path, &now.target)?;
            self.take(opened)
        };
        let most_bytes = MAX_FILE_BYTES;
        let changing = Changing { most_bytes, expected: None, make_folders: false, make, last };
        let done = |((replaced, note, known, target), _): ((_, _, _, PathBuf), _)| {
            self.guard.knows(workspace, &target, known);
            (replaced, note)
        };
        workspace.change_then::<_, ToolError, _, _, _>(path, changing, done)
    }

    /// The text of a new file, with every secret in its place.
    pub(super) fn new_text(
        &self,
        workspace: &Workspace,
        target: &Path,
        content: &str,
    ) -> Result<(Vec<u8>, Option<Opened>), ToolError> {
        let file = file_at(workspace, target);
        let opened = self.filled(&file, content, WriteMode::Replace, b"")?;
        let text = opened.as_ref().map_or(content, Opened::text).as_bytes().to_owned();
        Ok((text, opened))
    }

    /// The tool that writes.
    pub(super) fn tool(&self) -> &'static str {
        self.tool
    }

    /// What opens placeholders; none without a vault.
    pub(super) fn opener(&self) -> Option<&Opener> {
        self.opener.as_deref()
    }

    /// What masks a file before it is shown.
    pub(super) fn standing_scrubber(&self) -> Scrubber {
        match &self.opener {
            Some(opener) => opener.standing_scrubber(&self.scrubber),
            None => self.scrubber.clone(),
        }
    }

    /// True if something in a text is masked before it is shown.
    pub(super) fn has_masks(&self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        matches!(self.standing_scrubber().scrub(&text), Cow::Owned(_))
    }

    /// What stands between the call and the files.
    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The text with its secrets in their places. Refused where a placeholder opens nothing and is
    /// not in the file as a text.
    pub(super) fn opened(
        &self,
        argument: &str,
        text: &str,
        file: &FileAt,
        standing: &[u8],
    ) -> Result<Opened, ToolError> {
        let there = finder(standing);
        if let Some(opener) = &self.opener {
            let opened = opener.open_text((self.tool, argument), text, file, &there);
            return opened.map_err(|refusal| self.refused(&refusal));
        }
        match placeholders(text).find(|one| !one.is_bare() && !there(one.text)) {
            Some(one) => Err(self.refused(&unnamed(one.text, argument))),
            None => Ok(Opened::of_text(text)),
        }
    }

    /// Refuses a text for a whole file in which `[REDACTED]` takes the place of a secret. Where the
    /// file has none, it is a text like any other.
    fn check_bare(&self, content: &str, standing: &[u8]) -> Result<(), ToolError> {
        let Some(bare) = placeholders(content).find(|one| one.is_bare()) else { return Ok(()) };
        let standing = String::from_utf8_lossy(standing);
        let masked = self.scrubber.scrub(&standing);
        let count = |text: &str| placeholders(text).filter(|one| one.is_bare()).count();
        if count(&masked) > count(&standing) {
            return Err(self.refused(&unnamed(bare.text, "content")));
        }
        Ok(())
    }

    /// Refuses to put a secret where it would be read as a text like any other. One that can be
    /// guessed is found only by what stands around it, so that must tell what it is in its new
    /// place, too. `shown` is the file with the placeholders in it, `whole` with the secrets.
    fn check_hidden(&self, opened: &Opened, shown: &[u8], whole: &[u8]) -> Result<(), ToolError> {
        let Some(opener) = &self.opener else { return Ok(()) };
        let mut guessable = opened.guessable().peekable();
        if guessable.peek().is_none() {
            return Ok(());
        }
        let scrubber = opener.standing_scrubber(&self.scrubber);
        let plain = |file: &[u8]| {
            without_placeholders(&String::from_utf8_lossy(&scrubber.scrub_bytes(file)), "")
        };
        let (whole, shown) = (plain(whole), plain(shown));
        let count = |text: &str, value: &str| text.matches(value).count();
        for (placeholder, value) in guessable {
            if count(&whole, value) > count(&shown, value) {
                let why = "Where it would stand, nothing would tell that it is a secret, and the \
                           next who reads the file would see it. Keep the name that it had in \
                           front of it.";
                return Err(self.refused(&Refusal {
                    placeholder: placeholder.to_owned(),
                    argument: opened.argument().to_owned(),
                    why: why.to_owned(),
                }));
            }
        }
        Ok(())
    }

    /// Takes the secrets of what is written into use.
    pub(super) fn take(&self, opened: &[Opened]) -> Result<(), ToolError> {
        let Some(opener) = &self.opener else { return Ok(()) };
        opener.use_texts(opened).map_err(|refusal| self.refused(&refusal))
    }

    /// A file as it is shown.
    pub(super) fn masked(&self, content: &[u8], file: &FileAt) -> Vec<u8> {
        let text = String::from_utf8_lossy(content);
        let Some(opener) = &self.opener else {
            return self.scrubber.scrub(&text).into_owned().into_bytes();
        };
        let sealing = opener.sealing(Some(file.clone()));
        let scrubber = opener.standing_scrubber(&self.scrubber);
        let masked = scrubber.scrub_sealing(&text, &sealing).into_owned();
        if sealing.keep() > 0 {
            opener.has_sealed();
        }
        masked.into_bytes()
    }

    /// A page of a text of a file. Its secrets are masked before it is cut out, and kept, to go back
    /// to this file.
    pub(super) fn masked_page(
        &self,
        text: &str,
        file: FileAt,
        cut: impl FnOnce(&str) -> ReadText,
    ) -> ReadText {
        let Some(opener) = &self.opener else { return cut(&self.scrubber.scrub(text)) };
        let sealing = opener.sealing(Some(file));
        let scrubber = opener.standing_scrubber(&self.scrubber);
        let page = cut(&scrubber.scrub_sealing(text, &sealing));
        if sealing.keep_in(&page.text) > 0 {
            opener.has_sealed();
        }
        page
    }

    pub(super) fn refused(&self, refusal: &Refusal) -> ToolError {
        let Refusal { placeholder, argument, why } = refusal;
        let tool = self.tool;
        let advice = match &self.opener {
            Some(_) => {
                "Change the file with `edit` around that text, read the file again for its present \
                 placeholders, or ask the user to bind the secret to this file."
            }
            None => {
                "Change the file with `edit`, so that old_string and new_string leave out that \
                 text, or ask the user to switch the vault on (`vault.enabled`), which puts secrets \
                 back."
            }
        };
        let text = format!(
            "`{tool}` changed nothing, because of `{placeholder}` in `{argument}`: a placeholder, \
             shown where a secret was masked. {why} {advice}"
        );
        ToolError::new(Code::SecretUnbound, text).by_rule("vault.bindings")
    }
}

/// Tells whether a text stands in a content, which may be large. Looks for each text once: a change may
/// have many placeholders.
pub(super) fn finder(content: &[u8]) -> impl Fn(&str) -> bool + '_ {
    let known = RefCell::new(HashMap::new());
    let look = |text: &str| memmem::find(content, text.as_bytes()).is_some();
    move |text| *known.borrow_mut().entry(text.to_owned()).or_insert_with_key(|text| look(text))
}

pub(super) fn file_at(workspace: &Workspace, target: &Path) -> FileAt {
    let (root, path) = workspace.named(target);
    FileAt { root, path }
}

/// What is said of a placeholder that nothing can be told of.
pub(super) fn unnamed(placeholder: &str, argument: &str) -> Refusal {
    Refusal {
        placeholder: placeholder.to_owned(),
        argument: argument.to_owned(),
        why: "The secret is not known here, and the file would have the placeholder in its stead."
            .to_owned(),
    }
}
