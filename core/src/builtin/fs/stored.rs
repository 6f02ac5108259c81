//! What the file tools do with files of the store.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::json;

use super::placeholders::Writer;
use crate::builtin::Deps;
use crate::files::{Becomes, Did, Stored, VirtualName};
use crate::limits::prefix_of_chars;
use crate::tool::{CallContext, ToolError, ToolResult};
use crate::workspace::{Edit, ReadRange, ReadText, Replaced, WriteMode, window};

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
    let Some(body) = file.read().await? else { return missing(file).map(Err) };
    let shown = Writer::new("read_file", deps, cx);
    let at = file.file_at();
    let text = String::from_utf8_lossy(&body);
    let lossy = matches!(text, Cow::Owned(_));
    let page = shown.masked_page(&text, at, |masked| {
        window(masked.as_bytes(), range, max_chars).unwrap_or_default()
    });
    Ok(Ok(ReadText { lossy, ..page }))
}

/// What is said of a file that is not there. To have no memory of something is no error.
fn missing(file: &Stored) -> Result<String, ToolError> {
    let path = file.written();
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
    let making = writer.clone();
    let make = move |standing: Option<&[u8]>| {
        let text = making.text_for(&at, &content, mode, standing.unwrap_or_default())?;
        let becomes = match (mode, standing) {
            (WriteMode::Append, _) if text.is_empty() => Becomes::Same,
            (WriteMode::Append, Some(standing)) => {
                Becomes::Text(appended(standing, &text, is_memory))
            }
            (_, Some(standing)) if standing == text => Becomes::Same,
            _ => Becomes::Text(text),
        };
        Ok((becomes, ()))
    };
    let (change, ()) = file.change(make).await?;
    let path = file.written();
    let mut told = match (change.did, mode) {
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
    };
    let replaced = change.before.filter(|_| is_memory && mode == WriteMode::Replace);
    if let Some(before) = replaced.filter(|_| change.did != Did::Nothing) {
        let before = writer.masked(&before, &file.file_at());
        let before = String::from_utf8_lossy(&before);
        let shown = prefix_of_chars(&before, SHOWN_CHARS);
        let cut = if shown.len() < before.len() { " (cut)" } else { "" };
        told += &format!(
            " It had other content before. Write it again with both, if some of that is to be \
             kept. It was{cut}:\n{shown}"
        );
    }
    let created = change.did == Did::Created;
    Ok(ToolResult {
        structured: Some(json!({ "bytes": bytes, "created": created })),
        ..ToolResult::silent(told)
    })
}

/// A text with another behind it. What is remembered is told apart by a blank line.
fn appended(standing: &[u8], text: &[u8], is_memory: bool) -> Vec<u8> {
    if !is_memory {
        return [standing, text].concat();
    }
    let end = standing.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    [&standing[..end], b"\n\n", text].concat()
}

/// Edits a file of the store.
pub(super) async fn edit(
    deps: &Deps,
    cx: &CallContext,
    file: &Stored,
    edits: Vec<Edit>,
) -> Result<Vec<Replaced>, ToolError> {
    let writer = Writer::new("edit", deps, cx);
    let (at, path) = (file.file_at(), file.written().to_owned());
    let make = move |standing: Option<&[u8]>| {
        let missing =
            || crate::workspace::Error::NotFound { path: path.clone(), similar: Vec::new() };
        let standing = standing.ok_or_else(missing)?;
        let (text, edited) = writer.text_edited(&path, &at, standing, &edits)?;
        Ok((Becomes::Text(text), edited))
    };
    Ok(file.change(make).await?.1)
}
