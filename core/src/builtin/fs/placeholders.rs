//! Placeholders in what a tool writes to a file.
//!
//! A model that rewrites a file from what it was shown writes placeholders where the file has secrets.
//! With the vault on, the secrets go back byte for byte. Where one cannot, the call is refused:
//! written as it stands, the placeholder would take the place of the secret for good. Only a
//! placeholder that the file has as its own text, as this library's documentation has, stays one.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem;

use crate::builtin::Deps;
use crate::error::Code;
use crate::scrub::Scrubber;
use crate::tool::{CallContext, ToolError};
use crate::vault::{FileAt, Opened, Opener, Refusal, placeholders, without_placeholders};
use crate::workspace::{
    Edit, Edited, ReadText, RelativePath, Standing, Workspace, WriteMode, Written, edit_text,
};

/// The largest file that is looked into for placeholders of its own (16 MiB).
const LOOKED_INTO: u64 = 16 << 20;

/// What writes files for one call.
pub(super) struct Writer {
    tool: &'static str,
    scrubber: Scrubber,
    opener: Option<Arc<Opener>>,
}

impl Writer {
    pub(super) fn new(tool: &'static str, deps: &Deps, cx: &CallContext) -> Writer {
        Writer { tool, scrubber: deps.scrubbers.of_call(cx), opener: cx.opener().cloned() }
    }

    /// Writes a text to a file.
    pub(super) fn write(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        content: &str,
        mode: WriteMode,
    ) -> Result<Written, ToolError> {
        if placeholders(content).next().is_none() {
            return Ok(workspace.write(path, content.as_bytes(), mode)?);
        }
        let target = workspace.target(path)?;
        let standing = workspace.read_whole(path, LOOKED_INTO).ok().flatten().unwrap_or_default();
        let file = FileAt { root: workspace.real_root().to_owned(), path: target };
        let opened = [self.filled(&file, content, mode, &standing)?];
        let target = Some(file.path.as_path());
        Ok(workspace.write_at(path, opened[0].text().as_bytes(), mode, target)?)
    }

    /// What is to stand in a file of the store, or behind what stands there.
    pub(super) fn text_for(
        &self,
        file: &FileAt,
        content: &str,
        mode: WriteMode,
        standing: &[u8],
    ) -> Result<Vec<u8>, ToolError> {
        if placeholders(content).next().is_none() {
            return Ok(content.as_bytes().to_vec());
        }
        Ok(self.filled(file, content, mode, standing)?.text().as_bytes().to_vec())
    }

    /// A file of the store with one text changed.
    pub(super) fn text_edited(
        &self,
        path: &str,
        file: &FileAt,
        standing: &[u8],
        edit: &Edit,
    ) -> Result<(Vec<u8>, Edited), ToolError> {
        let edit = self.edit_of(edit, &Standing { target: &file.path, content: standing }, file)?;
        Ok(edit_text(path, standing, &edit, |content| self.masked(content, file).into())?)
    }

    /// The content of a file with every secret back in its place, which is taken into use.
    fn filled(
        &self,
        file: &FileAt,
        content: &str,
        mode: WriteMode,
        standing: &[u8],
    ) -> Result<Opened, ToolError> {
        if mode == WriteMode::Replace {
            self.check_bare(content, standing)?;
        }
        let opened = [self.opened("content", content, file, standing)?];
        self.check_hidden(&opened[0], content.as_bytes(), opened[0].text().as_bytes())?;
        self.take(&opened)?;
        let [opened] = opened;
        Ok(opened)
    }

    /// Changes a text of a file. What an error shows of the file is masked as a whole file is.
    pub(super) fn edit(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        edit: &Edit,
    ) -> Result<Edited, ToolError> {
        let target = workspace.target(path)?;
        let file = FileAt { root: workspace.real_root().to_owned(), path: target };
        let make = |standing: &Standing<'_>| self.edit_of(edit, standing, &file);
        workspace.edit_as(path, make, |content| self.masked(content, &file).into())
    }

    /// The edit with every secret back in its place.
    fn edit_of<'e>(
        &self,
        edit: &'e Edit,
        standing: &Standing<'_>,
        file: &FileAt,
    ) -> Result<Cow<'e, Edit>, ToolError> {
        let mut marked = placeholders(&edit.old).chain(placeholders(&edit.new));
        if marked.next().is_none() {
            return Ok(Cow::Borrowed(edit));
        }
        if standing.target != file.path {
            return Err(
                crate::workspace::Error::Changed { path: file.path.display().to_string() }.into()
            );
        }
        let there = |text: &str| memmem::find(standing.content, text.as_bytes()).is_some();
        let bare = placeholders(&edit.old).find(|one| one.is_bare() && !there(one.text));
        if let Some(bare) = bare {
            return Err(self.refused(&unnamed(bare.text, "old_string")));
        }
        let old = self.opened("old_string", &edit.old, file, standing.content)?;
        let new = self.opened("new_string", &edit.new, file, standing.content)?;
        // With LF alone the model means the line ends of the file, also inside of a secret.
        let ends = edit.old.contains('\r') || edit.new.contains('\r');
        let text = |opened: &Opened| match ends {
            true => opened.text().to_owned(),
            false => opened.text().replace("\r\n", "\n"),
        };
        let replace_all = edit.replace_all;
        let whole = Edit { old: text(&old), new: text(&new), replace_all };
        let shown = Edit { old: text(&old), new: edit.new.clone(), replace_all };
        if let (Some(shown), Some(whole)) = (standing.edited(&shown), standing.edited(&whole)) {
            self.check_hidden(&new, &shown, &whole)?;
            self.take(&[old, new])?;
        }
        Ok(Cow::Owned(whole))
    }

    /// The text with its secrets in their places. Refused where a placeholder opens nothing and is
    /// not in the file as a text.
    fn opened(
        &self,
        argument: &str,
        text: &str,
        file: &FileAt,
        standing: &[u8],
    ) -> Result<Opened, ToolError> {
        let there = |text: &str| memmem::find(standing, text.as_bytes()).is_some();
        if let Some(opener) = &self.opener {
            let opened = opener.open_text((self.tool, argument), text, file, there);
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

    fn take(&self, opened: &[Opened]) -> Result<(), ToolError> {
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

    fn refused(&self, refusal: &Refusal) -> ToolError {
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

/// What is said of a placeholder that nothing can be told of.
fn unnamed(placeholder: &str, argument: &str) -> Refusal {
    Refusal {
        placeholder: placeholder.to_owned(),
        argument: argument.to_owned(),
        why: "The secret is not known here, and the file would have the placeholder in its stead."
            .to_owned(),
    }
}
