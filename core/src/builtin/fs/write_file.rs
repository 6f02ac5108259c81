//! `write_file`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::placeholders::Writer;
use super::{place, stored, uses};
use crate::builtin::Deps;
use crate::files::{Aim, Place};
use crate::kind::{Capability, Effect};
use crate::tool::{Tool, ToolResult, tool_fn};
use crate::workspace::WriteMode;

/// Writes a text file in the workspace, making missing folders. It replaces what is there unless
/// `append` is set. Write more than about 12,000 characters in several parts with `append`.
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
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("write_file", move |args: Args, cx| {
        let deps = deps.clone();
        async move {
            let mode = if args.append { WriteMode::Append } else { WriteMode::Replace };
            let path = args.path.clone();
            let file = match place(&deps, &cx, &path, Aim::Write).await? {
                Place::Disk(file) => file,
                Place::Stored(file) => {
                    return stored::write(&deps, &cx, &file, (args.content, mode)).await;
                }
            };
            let writer = Writer::new("write_file", &deps, &cx);
            let work =
                move |workspace: &_, path: &_| writer.write(workspace, path, &args.content, mode);
            let written = file.blocking(work).await?;
            let verb = match (mode, written.created) {
                (_, true) => "Created",
                (WriteMode::Append, false) => "Appended to",
                (WriteMode::Replace, false) => "Replaced",
            };
            Ok(ToolResult {
                structured: Some(json!({ "bytes": written.bytes, "created": written.created })),
                ..ToolResult::silent(format!("{verb} {path} ({} bytes written).", written.bytes))
            })
        }
    })
    .group("fs")
    .keeps_placeholders()
    .argument_aliases("path", &["file", "filepath", "file_path"])
    .capability(Capability::Mutating)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Write, &args.path))
}
