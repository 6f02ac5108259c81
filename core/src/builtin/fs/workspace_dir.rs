//! `workspace_dir`

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::builtin::Deps;
use crate::kind::Capability;
use crate::tool::{Stamp, Tool, ToolResult, tool_fn};
use crate::workspace::RootInfo;

/// Tells which folders the file tools may use, how to write paths in them, and whether they may be
/// written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let deps = deps.clone();
    tool_fn("workspace_dir", move |_: Args, cx| {
        let deps = deps.clone();
        async move {
            let roots = deps.files.reach(&cx).await?.roots();
            let listed =
                |root: &RootInfo| json!({ "path": root.path, "writable": !root.read_only });
            let (workspace, others) = roots.split_at(1);
            Ok(ToolResult {
                structured: Some(json!({
                    "workspace": workspace.first().map(listed),
                    "others": others.iter().map(listed).collect::<Vec<_>>(),
                })),
                ..ToolResult::silent(render(workspace, others))
            })
        }
    })
    .group("fs")
    .capability(Capability::ReadOnly)
    // The same call may be answered for another caller, whose folders are others.
    .stamp(|_, _| std::future::ready(Stamp::Never))
}

fn render(workspace: &[RootInfo], others: &[RootInfo]) -> String {
    let mut text = String::new();
    for root in workspace {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "The workspace is `{}`: write paths relative to it, as in `notes/today.md`. {}",
            root.path,
            may(root)
        );
    }
    if !others.is_empty() {
        text.push_str("\nOther folders, by absolute paths:");
    }
    for root in others {
        let _ = write!(text, "\n`{}`: {}", root.path, may(root));
    }
    text
}

fn may(root: &RootInfo) -> &'static str {
    if root.read_only { "It may be read." } else { "It may be read and written." }
}
