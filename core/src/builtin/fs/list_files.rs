//! `list_files`

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{looked_through, one_line, uses};
use crate::builtin::Deps;
use crate::error::Code;
use crate::kind::{Capability, Effect};
use crate::tool::{CallContext, Stamp, Tool, ToolError, ToolResult, tool_fn};
use crate::workspace::{
    BadGlob, Entry, EntryKind, Globs, ListOptions, Listing, RelativePath, Unfiltered, Workspace,
};

/// Lists a folder of the workspace, sorted by name: folders end with "/", files come with their
/// size in bytes. Everything in a folder is shown, but below the first level hidden and ignored
/// folders are not opened.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The folder, relative to the workspace. Default: the workspace itself.
    #[serde(default = "here")]
    path: String,
    /// How many levels to show, 1 to 10. Default: 1.
    #[serde(default = "one")]
    depth: usize,
    /// How many entries to show at most, 1 to 10000. Default: 1000.
    #[serde(default = "page")]
    limit: usize,
    /// Go on after this entry: the last one of the page before.
    #[serde(default)]
    after: Option<String>,
    /// What to leave out, by globs: "*.log" and "target" in any folder, "src/gen/**" from `path`.
    /// Default: nothing.
    #[serde(default)]
    exclude: Vec<String>,
    /// Also open hidden folders, as `.github`. Default: false.
    #[serde(default)]
    hidden: bool,
    /// Also open folders that .gitignore and .ignore leave out, and `.git`. Default: false.
    #[serde(default)]
    ignored: bool,
}

fn here() -> String {
    ".".into()
}

fn one() -> usize {
    1
}

fn page() -> usize {
    1000
}

/// The most entries of a page.
const MOST_ENTRIES: usize = 10_000;

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("list_files", move |args: Args, cx| {
        let deps = deps.clone();
        async move { list(&deps, args, &cx).await }
    })
    .group("fs")
    .argument_aliases("path", &["folder", "dir", "directory"])
    .argument_aliases("limit", &["max_results", "max_entries"])
    .argument_aliases("after", &["cursor"])
    .argument_aliases("exclude", &["ignore"])
    .capability(Capability::ReadOnly)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Read, &args.path))
    // A change deep in a folder shows nowhere but there.
    .stamp(|_, _| std::future::ready(Stamp::Never))
}

async fn list(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let options = ListOptions {
        depth: args.depth,
        max_entries: args.limit.clamp(1, MOST_ENTRIES),
        after: args.after.clone(),
        exclude: Globs::excluding(&args.exclude).map_err(bad_exclude)?,
        unfiltered: Unfiltered { hidden: args.hidden, ignored: args.ignored },
    };
    let (after, depth, excludes) = (args.after, args.depth, !args.exclude.is_empty());
    let (folder, virtual_part) = looked_through(deps, cx, args.path).await?;
    let overlay = virtual_part.overlay();
    if let Some(note) = virtual_part.nothing {
        return Ok(ToolResult::silent(note));
    }
    let cancellation = cx.cancellation().clone();
    let listed = move |workspace: &Workspace, path: &RelativePath| {
        workspace.list_over(path, &options, &overlay, &|| cancellation.is_cancelled())
    };
    let listing = folder.blocking(listed).await?;
    let structured = Some(data(&listing));
    Ok(ToolResult {
        structured,
        ..ToolResult::silent(render(&listing, after.as_deref(), depth, excludes))
    })
}

fn bad_exclude(bad: BadGlob) -> ToolError {
    ToolError::new(Code::InvalidArguments, format!("Argument `exclude`: {bad}."))
}

fn render(listing: &Listing, after: Option<&str>, depth: usize, excludes: bool) -> String {
    if listing.entries.is_empty() {
        return match after {
            Some(after) => format!("[Nothing comes after \"{after}\"]"),
            None if excludes => {
                "[Nothing is left of the folder; `exclude` may leave it out]".into()
            }
            None => "[The folder is empty]".into(),
        };
    }
    let mut text = String::new();
    for entry in &listing.entries {
        let path = one_line(&entry.path);
        // Writing to a string does not fail.
        let _ = match entry.kind {
            EntryKind::Folder if entry.closed => writeln!(text, "{path}/ (not opened)"),
            EntryKind::Folder if entry.unread => writeln!(text, "{path}/ (cannot be read)"),
            EntryKind::Folder => writeln!(text, "{path}/"),
            EntryKind::File => writeln!(text, "{path} ({} bytes)", entry.bytes),
            EntryKind::Link => writeln!(text, "{path} (link)"),
            EntryKind::Other => writeln!(text, "{path} (device, pipe or socket)"),
        };
    }
    if let Some(last) = listing.entries.last().filter(|_| listing.more) {
        let _ = writeln!(text, "[There is more; go on with after=\"{}\"]", one_line(&last.path));
    }
    if depth > ListOptions::MAX_DEPTH {
        let most = ListOptions::MAX_DEPTH;
        let _ = writeln!(text, "[{most} levels are shown at most; list a folder further down]");
    }
    text.truncate(text.trim_end().len());
    text
}

fn data(listing: &Listing) -> Value {
    let entry = |entry: &Entry| match entry.kind {
        EntryKind::File => json!({ "path": entry.path, "kind": "file", "bytes": entry.bytes }),
        EntryKind::Folder if entry.unread => {
            json!({ "path": entry.path, "kind": "folder", "unread": true })
        }
        EntryKind::Folder => json!({ "path": entry.path, "kind": "folder" }),
        EntryKind::Link => json!({ "path": entry.path, "kind": "link" }),
        EntryKind::Other => json!({ "path": entry.path, "kind": "other" }),
    };
    let entries: Vec<Value> = listing.entries.iter().map(entry).collect();
    json!({ "entries": entries, "more": listing.more })
}
