//! `apply_patch`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::asking;
use super::check_writable;
use super::patching::{Done, Patcher, Target};
use super::placeholders::Writer;
use crate::builtin::Deps;
use crate::error::Code;
use crate::files::{OnDisk, Place};
use crate::kind::{Capability, Effect};
use crate::tool::{Assessment, CallContext, Tool, ToolError, ToolResult, tool_fn};
use crate::workspace::{Action, FilePatch, Malformed, parse};

/// Changes several files of the workspace at once, or none: a unified diff as git writes it, or
/// "*** Begin Patch", then for each file "*** Update File: path" ("*** Add File: path", "*** Delete
/// File: path") and its hunks, then "*** End Patch". A hunk begins with "@@"; its lines begin with
/// a blank, "-" or "+". Lines that stay and lines that go must be exactly those of the file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The patch, at most 200 KiB.
    patch: String,
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("apply_patch", move |args: Args, cx| {
        let deps = deps.clone();
        async move { patch(&deps, &args.patch, &cx).await }
    })
    .group("fs")
    .keeps_placeholders()
    .argument_aliases("patch", &["input", "diff", "patch_text", "patchText"])
    .capability(Capability::Mutating)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, &args.patch))
}

/// Declares every path that the patch names. One that is no patch is declared as nothing.
fn uses(deps: &Deps, cx: &CallContext, patch: &str) -> Assessment {
    let files = parse(patch).unwrap_or_default();
    let declared = files.iter().flat_map(paths).filter_map(|path| deps.files.resource(cx, path));
    let touches = declared.map(|resource| (Effect::Write, resource)).collect();
    let assessment = Assessment { touches, ..Assessment::default() };
    asking(deps, cx, assessment, files.iter().flat_map(paths))
}

/// The paths of a file, before and after.
fn paths(file: &FilePatch) -> impl Iterator<Item = &str> {
    let to = match &file.action {
        Action::Update { to, .. } => to.as_deref(),
        Action::Add(_) | Action::Delete(_) => None,
    };
    [Some(file.path.as_str()), to].into_iter().flatten()
}

async fn patch(deps: &Deps, text: &str, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let files = parse(text).map_err(|malformed| malformed_error(&malformed))?;
    let mut targets = Vec::with_capacity(files.len());
    for file in files {
        let at = on_disk(deps, cx, &file.path).await?;
        let to = match &file.action {
            Action::Update { to: Some(to), .. } => Some(on_disk(deps, cx, to).await?),
            _ => None,
        };
        targets.push(Target { at, to, action: file.action });
    }
    let writer = Writer::new("apply_patch", deps, cx);
    let turn = deps.files.turn_to_write().await;
    let work = move || {
        let _turn = turn;
        Patcher::new(&writer).apply(targets)
    };
    let done = tokio::task::spawn_blocking(work).await;
    let done =
        done.unwrap_or_else(|error| Err(ToolError::failed(format!("File work failed: {error}."))))?;
    Ok(render(&done))
}

async fn on_disk(deps: &Deps, cx: &CallContext, path: &str) -> Result<OnDisk, ToolError> {
    check_writable(path)?;
    match deps.files.place(cx, path).await? {
        Place::Disk(file) => Ok(file),
        Place::Stored(_) => {
            let text = format!(
                "Nothing was changed: `{path}` is kept in the store, where it cannot be changed in \
                 one step with files of the disk. Leave it out of the patch, and change it with \
                 `edit` or `write_file`."
            );
            Err(ToolError::new(Code::InvalidArguments, text))
        }
    }
}

fn malformed_error(malformed: &Malformed) -> ToolError {
    let text = format!("Nothing was changed: {malformed}.");
    ToolError::new(Code::InvalidArguments, text)
}

fn render(done: &Done) -> ToolResult {
    let mut text = format!("Patched {} file{}:", done.files.len(), plural(done.files.len()));
    for file in &done.files {
        text.push_str(&format!("\n{} {}", file.sign(), file.path));
        if let Some(to) = &file.to {
            text.push_str(&format!(" -> {to}"));
        }
        if !file.lines.is_empty() {
            let lines: Vec<String> = file.lines.iter().map(usize::to_string).collect();
            let hunks = file.lines.len();
            let s = plural(hunks);
            text.push_str(&format!(" ({hunks} hunk{s}, at line {})", lines.join(", ")));
        }
    }
    for note in &done.notes {
        text.push_str(&format!("\n{note}"));
    }
    let files: Vec<_> = done
        .files
        .iter()
        .map(|file| {
            json!({ "path": file.path, "change": file.change, "to": file.to, "lines": file.lines })
        })
        .collect();
    ToolResult { structured: Some(json!({ "files": files })), ..ToolResult::silent(text) }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
