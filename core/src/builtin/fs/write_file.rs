//! `write_file`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::placeholders::{Writer, Wrote};
use super::{At, check_writable, noted, stored, uses};
use crate::builtin::Deps;
use crate::files::Worked;
use crate::kind::{Capability, Effect};
use crate::tool::{Media, Tool, ToolResult, tool_fn};
use crate::workspace::WriteMode;

/// Writes a text file in the workspace, making missing folders. It replaces what is there unless
/// `append` is set; read a file before you replace it. Write more than about 12,000 characters in
/// several parts with `append`. The file is handed to the user unless `deliver` is false.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file, relative to the workspace.
    path: String,
    /// The whole content, or what to append.
    content: String,
    /// Add to the end instead of replacing. Default: false.
    #[serde(default)]
    append: bool,
    /// Hand the file to the user. Default: true, but for scripts and working files.
    #[serde(default)]
    deliver: Option<bool>,
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("write_file", move |args: Args, cx| {
        let deps = deps.clone();
        async move {
            let mode = if args.append { WriteMode::Append } else { WriteMode::Replace };
            check_writable(&args.path)?;
            let path = args.path.clone();
            let writer = Writer::new("write_file", &deps, &cx);
            let turn = deps.files.turn_to_write().await;
            let work = move |workspace: &_, path: &_, content: String| {
                let _turn = turn;
                let (wrote, spent) = writer.write(workspace, path, &content, mode)?;
                Ok((wrote, spent.and(content)))
            };
            match deps.files.on_disk((&cx, &path), args.content, work).await? {
                Worked::Disk(wrote) => {
                    let deliver = args.deliver.unwrap_or_else(|| deps.files.is_delivered(&path));
                    Ok(render(&path, mode, deliver, wrote))
                }
                Worked::Stored(file, content) => {
                    stored::write(&deps, &cx, &file, (content, mode)).await
                }
            }
        }
    })
    .group("fs")
    .keeps_placeholders()
    .argument_aliases("path", &["file", "filepath", "file_path"])
    .capability(Capability::Mutating)
    .assess(move |at: &At, cx| uses(&for_assess, cx, Effect::Write, &at.path))
}

fn render(path: &str, mode: WriteMode, deliver: bool, wrote: Wrote) -> ToolResult {
    let Wrote { bytes, created, unchanged, note } = wrote;
    let verb = match (mode, created) {
        (_, true) => "Created",
        (WriteMode::Append, false) => "Appended to",
        (WriteMode::Replace, false) => "Replaced",
    };
    let text = match unchanged {
        true => format!("{path} is unchanged: it has exactly this content already."),
        false => format!("{verb} {path} ({bytes} bytes written)."),
    };
    let text = if deliver { format!("{text} It is handed to the user.") } else { text };
    let filename = path.rsplit('/').next().unwrap_or(path).to_owned();
    let media = Media { path: path.to_owned(), filename: Some(filename), ..Media::default() };
    let mut structured = json!({ "bytes": bytes, "created": created });
    if unchanged {
        structured = json!({ "bytes": 0, "created": false, "unchanged": true });
    }
    ToolResult {
        structured: Some(structured),
        media: if deliver { vec![media] } else { Vec::new() },
        ..ToolResult::silent(noted(text, note))
    }
}
