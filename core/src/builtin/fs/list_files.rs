//! `list_files`

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{blocking, uses};
use crate::builtin::Deps;
use crate::files::Aim;
use crate::kind::{Capability, Effect};
use crate::tool::{Stamp, Tool, ToolResult, tool_fn};
use crate::workspace::{EntryKind, ListOptions, Listing};

/// Lists a folder of the workspace, sorted by name: folders end with "/", files come with their
/// size in bytes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The folder, relative to the workspace. Default: the workspace itself.
    #[serde(default = "here")]
    path: String,
    /// How many levels to show, 1 to 10. Default: 1.
    #[serde(default = "one")]
    depth: usize,
}

fn here() -> String {
    ".".into()
}

fn one() -> usize {
    1
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("list_files", move |args: Args, cx| {
        let deps = deps.clone();
        async move {
            let path = if args.path.is_empty() { here() } else { args.path };
            let options = ListOptions { depth: args.depth, ..ListOptions::default() };
            let listing = blocking(&deps, &cx, (path, Aim::Read), move |workspace, path| {
                workspace.list(path, options)
            })
            .await?;
            Ok(ToolResult::silent(told(&listing)))
        }
    })
    .group("fs")
    .argument_aliases("path", &["folder", "dir", "directory"])
    .capability(Capability::ReadOnly)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Read, &args.path))
    // A change deep in a folder shows nowhere but there.
    .stamp(|_, _| std::future::ready(Stamp::Never))
}

fn told(listing: &Listing) -> String {
    if listing.entries.is_empty() {
        return "[The folder is empty]".into();
    }
    let mut text = String::new();
    for entry in &listing.entries {
        // Writing to a string does not fail.
        let _ = match entry.kind {
            EntryKind::Folder => writeln!(text, "{}/", entry.path),
            EntryKind::File => writeln!(text, "{} ({} bytes)", entry.path, entry.bytes),
            EntryKind::Link => writeln!(text, "{} (link)", entry.path),
            EntryKind::Other => writeln!(text, "{} (device, pipe or socket)", entry.path),
        };
    }
    if listing.more {
        let shown = listing.entries.len();
        let _ = writeln!(text, "[There is more than these {shown}; list a folder of it]");
    }
    text.truncate(text.trim_end().len());
    text
}
