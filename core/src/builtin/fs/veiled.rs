//! Edits and hunks applied to a veiled text: see [`veil`](super::veil).

use std::borrow::Cow;
use std::path::Path;

use super::placeholders::{Writer, file_at, finder, unnamed};
use super::veil::{Unveiled, Veil};
use crate::error::Code;
use crate::scrub::Scrubber;
use crate::tool::ToolError;
use crate::vault::{FileAt, Opened, Sealing, placeholders};
use crate::workspace::{
    Edit, EditProblem, Hunk, Misfit, RelativePath, Replaced, Workspace, apply, check_changed,
    check_encoding, check_hunks, edit_once,
};

/// What edits have made of a text.
pub(super) struct EditedText {
    pub content: Vec<u8>,
    pub replaced: Vec<Replaced>,
    /// The secrets that went back, to be taken into use once nothing else stands in the way.
    pub opened: Vec<Opened>,
}

/// What hunks have made of a text.
pub(super) struct PatchedText {
    pub content: Vec<u8>,
    /// Where each hunk was found, counted from 1.
    pub lines: Vec<usize>,
    pub opened: Vec<Opened>,
    /// True if they leave the text as it is, as far as can be seen.
    pub is_same: bool,
}

/// Why edits were not applied.
pub(super) enum EditFailure {
    Misfit(EditProblem),
    Refused(ToolError),
}

impl From<EditProblem> for EditFailure {
    fn from(problem: EditProblem) -> EditFailure {
        EditFailure::Misfit(problem)
    }
}

impl From<ToolError> for EditFailure {
    fn from(refusal: ToolError) -> EditFailure {
        EditFailure::Refused(refusal)
    }
}

/// A file while it is changed.
struct Changed<'w> {
    writer: &'w Writer,
    file: &'w FileAt,
    scrubber: Scrubber,
    sealing: Option<Sealing<'w>>,
    veil: Veil,
    opened: Vec<Opened>,
}

impl Writer {
    /// The content after all edits, each applied to what the one before has left, with every secret
    /// back in its place. Nothing is written, and no secret taken into use: see [`Writer::take`].
    pub(super) fn edited(
        &self,
        content: &[u8],
        edits: &[Edit],
        file: &FileAt,
    ) -> Result<EditedText, EditFailure> {
        let (mut changed, mut before) = Changed::begin(self, content, file)?;
        let (mut text, mut replaced) = (before.clone(), Vec::with_capacity(edits.len()));
        for (at, edit) in edits.iter().enumerate() {
            self.guard().check_going_on()?;
            // The secrets that an edit names are those of the file.
            let certain = check_encoding(content, edit);
            certain.map_err(|problem| problem.of_edit(at, edits.len()))?;
            let edit = changed.veiled_edit(edit, &text)?;
            (before, text) = (changed.veil.covered(before), changed.veil.covered(text));
            let made = edit_once(&text, &edit, |text| changed.veil.shown(text).into());
            let (after, done) = made.map_err(|problem| {
                changed.keep_shown(&problem.to_string());
                problem.of_edit(at, edits.len())
            })?;
            text = Cow::Owned(after);
            replaced.push(done);
        }
        check_changed(&before, &text, edits.len())?;
        let (content, opened) = changed.finish(&text, "new_string")?;
        Ok(EditedText { content, replaced, opened })
    }

    /// A content after the hunks of a patch, with every secret back in its place, and the line of
    /// each hunk. Nothing is written, and no secret taken into use.
    pub(super) fn patched(
        &self,
        (workspace, path, target): (&Workspace, &RelativePath, &Path),
        content: &[u8],
        hunks: &[Hunk],
    ) -> Result<PatchedText, ToolError> {
        let file = file_at(workspace, target);
        let refusal =
            |misfit: &Misfit| ToolError::new(misfit.code(), format!("`{path}`, {misfit}"));
        check_hunks(content, hunks).map_err(|misfit| refusal(&misfit))?;
        let (mut changed, before) = Changed::begin(self, content, &file)?;
        let mut veiled = Vec::with_capacity(hunks.len());
        for hunk in hunks {
            veiled.push(changed.veiled_hunk(hunk, &before)?);
        }
        let before = changed.veil.covered(before);
        let is_stopped = || self.guard().check_going_on().is_err();
        let made = apply(&before, &veiled, &is_stopped, |text| changed.veil.shown(text).into());
        let (after, lines) = made.map_err(|misfit| {
            let refusal = refusal(&misfit);
            changed.keep_shown(&refusal.message);
            refusal
        })?;
        let is_same = after == *before;
        let (content, opened) = changed.finish(&after, "patch")?;
        Ok(PatchedText { content, lines, opened, is_same })
    }

    /// Refuses to put a text behind another where that would uncover a secret at its end.
    pub(super) fn check_appended(&self, before: &[u8], after: Vec<u8>) -> Result<(), ToolError> {
        let scrubber = self.standing_scrubber();
        match Unveiled::begun_with(before, after, &scrubber).uncovers(&scrubber) {
            true => Err(self.uncovers("content")),
            false => Ok(()),
        }
    }

    fn uncovers(&self, argument: &str) -> ToolError {
        let text = format!(
            "`{}` changed nothing, because of `{argument}`: where a masked secret of the file would \
             stand then, nothing would tell that it is one, and the next who reads the file would \
             see it. Keep the name in front of each placeholder, and the text right beside it, as \
             they are; put new text on lines of its own.",
            self.tool()
        );
        ToolError::new(Code::SecretUnbound, text).by_rule("scrub.profile")
    }
}

impl<'w> Changed<'w> {
    /// Also gives the veiled text.
    fn begin<'c>(
        writer: &'w Writer,
        content: &'c [u8],
        file: &'w FileAt,
    ) -> Result<(Changed<'w>, Cow<'c, [u8]>), ToolError> {
        let scrubber = writer.standing_scrubber();
        let sealing = writer.opener().map(|opener| opener.sealing(Some(file.clone())));
        let (veil, text) = Veil::over(content, &scrubber, sealing.as_ref())?;
        Ok((Changed { writer, file, scrubber, sealing, veil, opened: Vec::new() }, text))
    }

    /// Keeps the secrets whose placeholders an error shows.
    fn keep_shown(&mut self, text: &str) {
        let kept = self.sealing.take().map_or(0, |sealing| sealing.keep_in(text));
        if let Some(opener) = self.writer.opener().filter(|_| kept > 0) {
            opener.has_sealed();
        }
    }

    /// The edit with tokens in place of the placeholders that the vault opens.
    fn veiled_edit<'e>(
        &mut self,
        edit: &'e Edit,
        standing: &[u8],
    ) -> Result<Cow<'e, Edit>, ToolError> {
        let mut marked = placeholders(&edit.old).chain(placeholders(&edit.new));
        if marked.next().is_none() {
            return Ok(Cow::Borrowed(edit));
        }
        self.check_bare("old_string", &edit.old, standing)?;
        let old = self.veiled("old_string", &edit.old, standing)?;
        let new = self.veiled("new_string", &edit.new, standing)?;
        Ok(Cow::Owned(Edit { old, new, replace_all: edit.replace_all }))
    }

    /// The same for a hunk.
    fn veiled_hunk(&mut self, hunk: &Hunk, standing: &[u8]) -> Result<Hunk, ToolError> {
        self.check_bare("patch", &hunk.old, standing)?;
        let old = self.veiled("patch", &hunk.old, standing)?;
        let new = self.veiled("patch", &hunk.new, standing)?;
        Ok(Hunk { old, new, ..hunk.clone() })
    }

    fn check_bare(&self, argument: &str, old: &str, standing: &[u8]) -> Result<(), ToolError> {
        let there = finder(standing);
        match placeholders(old).find(|one| one.is_bare() && !there(one.text)) {
            Some(bare) => Err(self.writer.refused(&unnamed(bare.text, argument))),
            None => Ok(()),
        }
    }

    fn veiled(&mut self, argument: &str, text: &str, standing: &[u8]) -> Result<String, ToolError> {
        if placeholders(text).next().is_none() {
            return Ok(text.to_owned());
        }
        let opened = self.writer.opened(argument, text, self.file, standing)?;
        let veil = &mut self.veil;
        let veiled = opened.veiled(text, |placeholder, value, is_guessable| {
            veil.token(value.as_bytes(), placeholder, !is_guessable)
        });
        self.opened.push(opened);
        Ok(veiled)
    }

    /// The content with its secrets, none of which the change uncovers.
    fn finish(self, text: &[u8], argument: &str) -> Result<(Vec<u8>, Vec<Opened>), ToolError> {
        let unveiled = self.veil.lifted(text);
        if unveiled.uncovers(&self.scrubber) {
            return Err(self.writer.uncovers(argument));
        }
        Ok((unveiled.content, self.opened))
    }
}
