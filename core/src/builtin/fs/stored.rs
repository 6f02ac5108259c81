//! What the file tools do with files of the store.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::guard::Guard;
use super::noted;
use super::placeholders::{MARK_KEPT, Writer};
use crate::builtin::Deps;
use crate::files::{Becomes, Did, OnDisk, Stored, StoredChange, VirtualName};
use crate::limits::prefix_of_chars;
use crate::terminal::{self, Returns};
use crate::tool::{CallContext, ToolError, ToolResult};
use crate::workspace::{Edit, Error, ReadRange, ReadText, Replaced, WriteMode, window, with_mark};

/// How much of a memory that is replaced the result shows, in characters.
const SHOWN_CHARS: usize = 4_000;

/// A page of a file of the store; a note if there is none.
pub(super) async fn page(
    deps: &Deps,
    cx: &CallContext,
    file: &Stored,
    range: ReadRange,
    max_chars: usize,
) -> Result<Result<ReadText, String>, ToolError> {
    let Some(body) = file.read().await? else { return missing(file).await.map(Err) };
    let shown = Writer::new("read_file", deps, cx);
    let at = file.file_at();
    let text = String::from_utf8_lossy(&body);
    let lossy = matches!(text, Cow::Owned(_));
    shown.guard.knows_stored(&at, &body);
    let clean = terminal::clean(&text, Returns::Pictures);
    let cleaned = matches!(clean, Cow::Owned(_));
    let page = shown.masked_page(&clean, at, |masked| {
        window(masked.as_bytes(), range, max_chars).unwrap_or_default()
    });
    Ok(Ok(ReadText { lossy, cleaned, ..page }))
}

/// What is said of a file that is not there. To have no memory of something is no error.
async fn missing(file: &Stored) -> Result<String, ToolError> {
    let path = file.written();
    if file.is_memory_folder().await? {
        return Err(Error::IsFolder { path: path.to_owned() }.into());
    }
    match file.name() {
        VirtualName::Context(_) => {
            let text = format!(
                "context file not found: `{path}` has no text yet; write_file gives it one"
            );
            Err(ToolError::new(crate::error::Code::NotFound, text))
        }
        _ => Ok(format!("[There is no memory at {path} yet; write_file makes it]")),
    }
}

/// Writes a file of the store.
pub(super) async fn write(
    deps: &Deps,
    cx: &CallContext,
    file: &Stored,
    (content, mode): (String, WriteMode),
) -> Result<ToolResult, ToolError> {
    let writer = Arc::new(Writer::new("write_file", deps, cx));
    let (at, bytes) = (file.file_at(), content.len());
    let is_memory = matches!(file.name(), VirtualName::Memory(_));
    let (making, at_lock) = (writer.clone(), file.clone());
    let make = move |standing: Option<&[u8]>| {
        at_lock.check_unlocked(&making.guard)?;
        let text = making.text_for(&at, &content, mode, standing.unwrap_or_default())?;
        let (text, keeps_mark) = match mode {
            WriteMode::Replace => with_mark(standing.unwrap_or_default(), text.into()),
            WriteMode::Append => (text.into(), false),
        };
        let text = text.into_owned();
        let mut note = keeps_mark.then(|| MARK_KEPT.to_owned());
        let becomes = match (mode, standing) {
            (WriteMode::Append, _) if text.is_empty() => Becomes::Same,
            (WriteMode::Append, Some(standing)) => {
                let after = appended(standing, &text, is_memory);
                making.check_appended(standing, after.clone())?;
                Becomes::Text(after)
            }
            // Of a file with secrets it is not told: see `Writer::replace`.
            (_, Some(standing)) if standing == text && !making.has_masks(&text) => Becomes::Same,
            (WriteMode::Replace, Some(standing)) => {
                note = making.guard.check_stored(&at, at_lock.written(), standing)?.or(note);
                Becomes::Text(text)
            }
            (_, None) => Becomes::Text(text),
        };
        let after = match &becomes {
            Becomes::Same => standing.unwrap_or_default().to_vec(),
            Becomes::Text(text) => text.clone(),
        };
        let knew = standing.is_none_or(|there| making.guard.is_known_stored(&at, there));
        Ok((becomes, (note, after, knew || mode == WriteMode::Replace)))
    };
    let (change, (note, after, knows)) = file.change(make).await?;
    let had_none = change.did == Did::Nothing && change.before.is_some() && after.is_empty();
    keep(&writer, file, &change, (knows && !had_none).then_some(after.as_slice()));
    let mut text = render(file.written(), (change.did, mode), bytes);
    if had_none {
        text += " What is read there is the agent's, for all its users.";
    }
    let replaced = change.before.filter(|_| is_memory && mode == WriteMode::Replace);
    if let Some(before) = replaced.filter(|_| change.did != Did::Nothing) {
        text += &replaced_memory(&writer.masked(&before, &file.file_at()));
    }
    let created = change.did == Did::Created;
    Ok(ToolResult {
        structured: Some(json!({ "bytes": bytes, "created": created })),
        ..ToolResult::silent(noted(text, note))
    })
}

fn render(path: &str, done: (Did, WriteMode), bytes: usize) -> String {
    match done {
        (Did::Nothing, _) => format!("{path} is as it was; there was nothing to change."),
        (Did::Created, _) => format!("Created {path} ({bytes} bytes written)."),
        (Did::Copied | Did::Changed, WriteMode::Append) => {
            format!("Appended to {path} ({bytes} bytes written).")
        }
        (Did::Copied | Did::Changed, WriteMode::Replace) => {
            format!("Replaced {path} ({bytes} bytes written).")
        }
        (Did::Deleted, _) => format!("Deleted {path}."),
        (Did::AgentsShows, _) => {
            format!("Deleted the user's own {path}; the one of the agent shows again.")
        }
    }
}

/// What is said of the memory that a write has replaced, given as it may be shown.
fn replaced_memory(before: &[u8]) -> String {
    let before = String::from_utf8_lossy(before);
    let shown = prefix_of_chars(&before, SHOWN_CHARS);
    let cut = if shown.len() < before.len() { " (cut)" } else { "" };
    format!(
        " It had other content before. Write it again with both, if some of that is to be kept. It \
         was{cut}:\n{shown}"
    )
}

/// A text with another behind it. What is remembered is told apart by a blank line.
fn appended(standing: &[u8], text: &[u8], is_memory: bool) -> Vec<u8> {
    if !is_memory {
        return [standing, text].concat();
    }
    let end = standing.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    [&standing[..end], b"\n\n", text].concat()
}

/// Notes what the caller knows of a file after a change.
fn keep(writer: &Writer, file: &Stored, change: &StoredChange, known: Option<&[u8]>) {
    match (change.did, known) {
        (Did::Deleted | Did::AgentsShows, _) => writer.guard.forget_stored(&file.file_at()),
        (_, Some(text)) => writer.guard.knows_stored(&file.file_at(), text),
        (_, None) => {}
    }
}

/// Edits a file of the store. Also gives what the model should know besides.
pub(super) async fn edit(
    deps: &Deps,
    cx: &CallContext,
    file: &Stored,
    edits: Vec<Edit>,
) -> Result<(Vec<Replaced>, Option<String>), ToolError> {
    let writer = Arc::new(Writer::new("edit", deps, cx));
    let (making, at, there) = (writer.clone(), file.file_at(), file.clone());
    let make = move |standing: Option<&[u8]>| {
        let path = there.written();
        let missing = || Error::NotFound { path: path.to_owned(), similar: Vec::new() };
        let standing = standing.ok_or_else(missing)?;
        there.check_unlocked(&making.guard)?;
        let (text, done) = making.text_edited(path, &at, standing, &edits)?;
        let note = making.guard.check_stored(&at, path, standing)?;
        Ok((Becomes::Text(text.clone()), (text, done, note)))
    };
    let (change, (text, done, note)) = file.change(make).await?;
    let path = file.written();
    if change.did == Did::Nothing {
        return Err(nothing_of_own(path));
    }
    keep(&writer, file, &change, Some(&text));
    let gone = match change.did {
        Did::Deleted => Some(format!("[Nothing was left in {path}, so it is deleted]")),
        Did::AgentsShows => Some(format!(
            "[Nothing was left in the user's own {path}, so it is deleted; the one of the agent \
             shows again]"
        )),
        Did::Nothing | Did::Created | Did::Changed | Did::Copied => None,
    };
    Ok((done, gone.or(note)))
}

/// An empty text takes away what a caller has. Where he has nothing, it changes nothing.
fn nothing_of_own(path: &str) -> ToolError {
    let text = format!(
        "`{path}` is unchanged: it is the agent's, for all its users, and writing nothing takes \
         away only what is the user's own. Leave some text, and it becomes the user's own."
    );
    ToolError::new(crate::error::Code::InvalidArguments, text)
}

impl Stored {
    /// An error if somebody else has locked the path, asked from a thread that may block.
    fn check_unlocked(&self, guard: &Guard) -> Result<(), ToolError> {
        let OnDisk { workspace, path } = self.disk();
        guard.last(workspace, path, Path::new(self.name().path()))
    }
}
