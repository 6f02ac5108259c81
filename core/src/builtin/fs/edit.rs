//! `edit`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::placeholders::Writer;
use super::{place, stored, uses};
use crate::builtin::Deps;
use crate::files::{Aim, Place};
use crate::kind::{Capability, Effect};
use crate::tool::{Tool, ToolResult, tool_fn};
use crate::workspace::Edit;

/// Replaces exact text in a file of the workspace. `old_string` must occur exactly once, unless
/// `replace_all` is set; give enough lines around the change to make it unique.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file, relative to the workspace.
    path: String,
    /// The text to find, exactly as it stands in the file.
    old_string: String,
    /// The text to put in its place. Empty removes it.
    new_string: String,
    /// Replace every occurrence. Default: false.
    #[serde(default)]
    replace_all: bool,
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("edit", move |args: Args, cx| {
        let deps = deps.clone();
        async move {
            let path = args.path.clone();
            let edit =
                Edit { old: args.old_string, new: args.new_string, replace_all: args.replace_all };
            let edited = match place(&deps, &cx, &path, Aim::Write).await? {
                Place::Stored(file) => stored::edit(&deps, &cx, &file, edit).await?,
                Place::Disk(file) => {
                    let writer = Writer::new("edit", &deps, &cx);
                    let work = move |workspace: &_, path: &_| writer.edit(workspace, path, &edit);
                    file.blocking(work).await?
                }
            };
            let count = edited.replacements;
            let (line, s) = (edited.line, if count == 1 { "" } else { "s" });
            let text = format!("Edited {path}: {count} replacement{s}, the first in line {line}.");
            Ok(ToolResult {
                structured: Some(json!({ "replacements": count, "line": line })),
                ..ToolResult::silent(text)
            })
        }
    })
    .group("fs")
    .keeps_placeholders()
    .argument_aliases("path", &["file", "filepath", "file_path"])
    .argument_aliases("old_string", &["old", "old_text", "oldText", "search", "from"])
    .argument_aliases("new_string", &["new", "new_text", "newText", "replace", "to"])
    .argument_aliases("replace_all", &["all"])
    .capability(Capability::Mutating)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Write, &args.path))
}
