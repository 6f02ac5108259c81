//! `glob`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{looked_through, one_line, uses};
use crate::builtin::Deps;
use crate::error::Code;
use crate::kind::{Capability, Effect};
use crate::tool::{CallContext, Stamp, Tool, ToolError, ToolResult, tool_fn};
use crate::workspace::{
    BadGlob, GlobFound, GlobOptions, Globs, RelativePath, Unfiltered, Workspace,
};

/// Finds files by their paths, sorted, without what is hidden or ignored by .gitignore. Paths come
/// relative to the workspace, ready for the other tools.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What the path of a file is like, relative to `path`: "*.rs" in any folder, "src/**/*.rs" and
    /// "src/*.{ts,tsx}" from there. "!" in front leaves out what matches.
    globs: Vec<String>,
    /// The folder to look in, relative to the workspace. Default: the workspace itself.
    #[serde(default = "here")]
    path: String,
    /// How many files to show at most, 1 to 10000. Default: 200.
    #[serde(default = "most")]
    max_results: usize,
    /// Also look at hidden files and folders. A glob that names one, as ".github/**", needs no such
    /// leave. Default: false.
    #[serde(default)]
    hidden: bool,
    /// Also look at what .gitignore and .ignore leave out, and at `.git`. Default: false.
    #[serde(default)]
    ignored: bool,
}

fn here() -> String {
    ".".into()
}

fn most() -> usize {
    200
}

/// The most files that are shown.
pub(super) const MOST_RESULTS: usize = 10_000;

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("glob", move |args: Args, cx| {
        let deps = deps.clone();
        async move { glob(&deps, args, &cx).await }
    })
    .group("fs")
    .argument_aliases("globs", &["glob", "pattern", "patterns"])
    .argument_aliases("path", &["folder", "dir", "directory"])
    .argument_aliases("max_results", &["limit"])
    .capability(Capability::ReadOnly)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Read, &args.path))
    // A file may come or go anywhere.
    .stamp(|_, _| std::future::ready(Stamp::Never))
}

async fn glob(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let is_absolute = args.globs.iter().any(|glob| glob.starts_with('/'));
    let options = GlobOptions {
        globs: Globs::new(&args.globs)?,
        unfiltered: Unfiltered { hidden: args.hidden, ignored: args.ignored },
        max_results: args.max_results.clamp(1, MOST_RESULTS),
    };
    let (folder, virtual_part) = looked_through(deps, cx, args.path).await?;
    if let Some(note) = virtual_part.nothing {
        return Ok(ToolResult::silent(note));
    }
    let (overlay, cancellation) = (virtual_part.overlay(), cx.cancellation().clone());
    let find = move |workspace: &Workspace, path: &RelativePath| {
        workspace.glob(path, &options, &overlay, &|| cancellation.is_cancelled())
    };
    let found = folder.blocking(find).await?;
    let structured = json!({ "paths": found.paths, "more": found.more, "unread": found.unread });
    Ok(ToolResult {
        structured: Some(structured),
        ..ToolResult::silent(render(&found, is_absolute))
    })
}

/// What is said of globs with a slash in front that match nothing.
pub(super) const ABSOLUTE: &str =
    "globs count from `path`, and a `/` in front stands for that folder";

fn render(found: &GlobFound, is_absolute: bool) -> String {
    let mut text = match found.paths.is_empty() {
        true if is_absolute => format!("[No file matches; {ABSOLUTE}]"),
        true => "[No file matches]".to_owned(),
        false => found.paths.iter().map(|path| one_line(path)).collect::<Vec<_>>().join("\n"),
    };
    if found.more {
        let shown = found.paths.len();
        let note = format!(
            "\n[These are the first {shown}; there are more: narrow the globs, or raise max_results]"
        );
        text.push_str(&note);
    }
    text.push_str(&unread(found.unread));
    text
}

/// A note about what could not be looked at.
pub(super) fn unread(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "\n[One file or folder could not be read]".to_owned(),
        count => format!("\n[{count} files or folders could not be read]"),
    }
}

impl From<BadGlob> for ToolError {
    fn from(bad: BadGlob) -> ToolError {
        ToolError::new(Code::InvalidArguments, format!("Argument `globs`: {bad}."))
    }
}
