//! `edit`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::placeholders::Writer;
use super::{At, check_writable, noted, stored, uses};
use crate::builtin::Deps;
use crate::error::Code;
use crate::files::Worked;
use crate::kind::{Capability, Effect};
use crate::tool::{Tool, ToolError, ToolResult, tool_fn};
use crate::workspace::{Edit, Replaced};

/// The most edits of one call.
const MOST_EDITS: usize = 1_000;

/// Replaces exact text in a file of the workspace. `old_string` must occur exactly once, unless
/// `replace_all` is set; give enough lines around the change to make it unique. For several changes
/// of one file give `edits` instead: all are made, or none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file, relative to the workspace.
    path: String,
    /// The text to find, exactly as it stands in the file.
    old_string: Option<String>,
    /// The text to put in its place. Empty removes it.
    new_string: Option<String>,
    /// Replace every occurrence. Default: false.
    #[serde(default)]
    replace_all: bool,
    /// Several changes, each made to what the one before has left.
    #[schemars(length(min = 1, max = MOST_EDITS))]
    edits: Option<Vec<OneEdit>>,
}

/// One of several changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneEdit {
    /// The text to find, exactly as it stands in the file.
    old_string: String,
    /// The text to put in its place. Empty removes it.
    new_string: String,
    /// Replace every occurrence. Default: false.
    #[serde(default)]
    replace_all: bool,
}

impl Args {
    /// What is to be changed. A text that was left out is no empty text: it would remove something.
    fn edits(&mut self) -> Result<Vec<Edit>, ToolError> {
        let refused = |text: &str| Err(ToolError::new(Code::InvalidArguments, text));
        match (self.old_string.take(), self.new_string.take(), self.edits.take()) {
            (None, None, Some(edits)) if self.replace_all => {
                let text = format!(
                    "`replace_all` stands beside `edits`, which has {}; set it in those edits that \
                     are to change every occurrence. Nothing was changed.",
                    edits.len()
                );
                refused(&text)
            }
            (None, None, Some(edits)) => Ok(edits.into_iter().map(OneEdit::into_edit).collect()),
            (Some(old), Some(new), None) => {
                Ok(vec![Edit { old, new, replace_all: self.replace_all }])
            }
            (_, _, Some(_)) => refused(
                "`edits` and `old_string` or `new_string` were both given; put every change into \
                 `edits`, or leave `edits` out. Nothing was changed.",
            ),
            (None, _, None) => refused(
                "`old_string` is missing: the text to find. Give `old_string` and `new_string`, or \
                 `edits` with several of them. Nothing was changed.",
            ),
            (Some(_), None, None) => refused(
                "`new_string` is missing: the text to put in place of `old_string`. To remove that \
                 text, give an empty `new_string`. Nothing was changed.",
            ),
        }
    }
}

impl OneEdit {
    fn into_edit(self) -> Edit {
        Edit { old: self.old_string, new: self.new_string, replace_all: self.replace_all }
    }
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("edit", move |mut args: Args, cx| {
        let deps = deps.clone();
        async move {
            check_writable(&args.path)?;
            let path = args.path.clone();
            let edits = args.edits()?;
            let writer = Writer::new("edit", &deps, &cx);
            let turn = deps.files.turn_to_write().await;
            let work = move |workspace: &_, path: &_, edits: Vec<Edit>| {
                let _turn = turn;
                writer.edit(workspace, path, &edits)
            };
            let (done, note) = match deps.files.on_disk((&cx, &path), edits, work).await? {
                Worked::Disk(done) => done,
                Worked::Stored(file, edits) => stored::edit(&deps, &cx, &file, edits).await?,
            };
            Ok(render(&path, &done, note))
        }
    })
    .group("fs")
    .keeps_placeholders()
    .argument_aliases("path", &["file", "filepath", "file_path"])
    .argument_aliases("old_string", &["old", "old_text", "oldText", "search", "from"])
    .argument_aliases("new_string", &["new", "new_text", "newText", "replace", "to"])
    .argument_aliases("replace_all", &["all"])
    .capability(Capability::Mutating)
    .assess(move |at: &At, cx| uses(&for_assess, cx, Effect::Write, &at.path))
}

fn render(path: &str, done: &[Replaced], note: Option<String>) -> ToolResult {
    let count: usize = done.iter().map(|edit| edit.replacements).sum();
    let line = done.first().map_or(0, |edit| edit.line);
    let s = if count == 1 { "" } else { "s" };
    let text = match done.len() {
        1 => format!("Edited {path}: {count} replacement{s}, the first in line {line}."),
        edits => format!("Edited {path}: {edits} edits with {count} replacement{s}."),
    };
    let each = |edit: &Replaced| json!({ "replacements": edit.replacements, "line": edit.line });
    let mut structured = json!({ "replacements": count, "line": line });
    if done.len() > 1 {
        structured["edits"] = done.iter().map(each).collect();
    }
    ToolResult { structured: Some(structured), ..ToolResult::silent(noted(text, note)) }
}
