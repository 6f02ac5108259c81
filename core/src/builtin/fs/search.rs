//! `search`

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::glob::{MOST_RESULTS, unread};
use super::masking::Masking;
use super::{looked_through, uses};
use crate::builtin::Deps;
use crate::call::NOTE_CHARS;
use crate::error::Code;
use crate::files::VirtualFile;
use crate::kind::{Capability, Effect};
use crate::tool::{CallContext, Stamp, Tool, ToolError, ToolResult, tool_fn};
use crate::workspace::{
    BadQuery, FileHits, Globs, Line, Pattern, Reading, RelativePath, SearchFound, SearchOptions,
    SearchText, Unfiltered, Workspace,
};

/// Searches the content of files for a regular expression, line by line, without what is hidden or
/// ignored by .gitignore. Shows the matching lines of each file with their numbers, sorted by path.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// A regular expression (Rust syntax; `(?i)` in front ignores case). One that is not valid is
    /// searched for literally.
    query: String,
    /// The folder or file to search, relative to the workspace. Default: the workspace itself.
    #[serde(default = "here")]
    path: String,
    /// Which files to search, by their paths relative to `path`: "*.rs" in any folder,
    /// "src/**/*.ts" from there. "!" in front leaves out what matches. Default: all.
    #[serde(default)]
    globs: Vec<String>,
    /// Search for the text of the query as it is. Default: false.
    #[serde(default)]
    literal: bool,
    /// Take upper and lower case for the same. Default: false.
    #[serde(default)]
    ignore_case: bool,
    /// How many lines to show before and after each matching one, at most 50. Default: 0.
    #[serde(default)]
    context: usize,
    /// How many lines to show before each matching one, where that is another number.
    #[serde(default)]
    before: Option<usize>,
    /// How many lines to show after each matching one, where that is another number.
    #[serde(default)]
    after: Option<usize>,
    /// How many matching lines to show at most, 1 to 10000. Default: 200.
    #[serde(default = "most")]
    max_results: usize,
    /// Also search hidden files and folders. Default: false.
    #[serde(default)]
    hidden: bool,
    /// Also search what .gitignore and .ignore leave out, and `.git`. Default: false.
    #[serde(default)]
    ignored: bool,
}

fn here() -> String {
    ".".into()
}

fn most() -> usize {
    200
}

/// The most lines around a matching one.
const MOST_CONTEXT: usize = 50;

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess) = (deps.clone(), deps.clone());
    tool_fn("search", move |args: Args, cx| {
        let deps = deps.clone();
        async move { search(&deps, args, &cx).await }
    })
    .group("fs")
    .argument_aliases("query", &["pattern", "regex"])
    .argument_aliases("path", &["folder", "dir", "directory", "file", "filepath", "file_path"])
    .argument_aliases("globs", &["glob"])
    .argument_aliases("max_results", &["limit"])
    .capability(Capability::ReadOnly)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Read, &args.path))
    // Any file may have changed.
    .stamp(|_, _| std::future::ready(Stamp::Never))
}

async fn search(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let reading = Reading { is_literal: args.literal, ignores_case: args.ignore_case };
    let lines = |own: Option<usize>| own.unwrap_or(args.context).min(MOST_CONTEXT);
    let options = SearchOptions {
        pattern: Pattern::new(&args.query, reading)?,
        globs: Globs::new(&args.globs)?,
        unfiltered: Unfiltered { hidden: args.hidden, ignored: args.ignored },
        context: (lines(args.before), lines(args.after)),
        max_results: args.max_results.clamp(1, MOST_RESULTS),
        max_chars: deps.output.max_chars - NOTE_CHARS,
    };
    let problem = options.pattern.problem.clone();
    let (place, beside) = looked_through(deps, cx, args.path).await?;
    if let Some(note) = beside.nothing {
        return Ok(ToolResult::silent(note));
    }
    let texts: Vec<VirtualFile> = (beside.files.iter())
        .filter(|file| options.covers(&place.path, &file.path))
        .cloned()
        .collect();
    let masking = Masking::new(deps, cx, place.workspace.clone());
    let (overlay, cancellation) = (beside.overlay(), cx.cancellation().clone());
    let runtime = Handle::current();
    let find = move |workspace: &Workspace, path: &RelativePath| {
        let is_stopped = || cancellation.is_cancelled();
        let mut failed = None;
        let mut read = texts.iter().take_while(|_| !is_stopped()).map_while(|file| {
            let text = runtime.block_on((file.text)());
            let text = text.map_err(|error| failed = Some(error)).ok()?;
            Some(SearchText { path: file.path.clone(), text })
        });
        let found = workspace.search(path, &options, (&overlay, &mut read), &masking, &is_stopped);
        match failed {
            Some(error) => Err(error),
            None => found.map_err(ToolError::from),
        }
    };
    let found = place.blocking(find).await?;
    let structured = Some(data(&found, problem.is_some()));
    let text = told(&found, problem.as_deref());
    Ok(ToolResult { structured, ..ToolResult::silent(text) })
}

fn told(found: &SearchFound, problem: Option<&str>) -> String {
    let mut text = String::new();
    for file in &found.files {
        if !text.is_empty() {
            text.push('\n');
        }
        add_file(&mut text, file);
    }
    if found.files.is_empty() {
        text.push_str("[No line matches]\n");
    }
    if let Some(problem) = problem {
        let note = "[The query is no regular expression, so it was searched for literally";
        // Writing to a string does not fail.
        let _ = writeln!(text, "{note}: {problem}]");
    }
    if found.more {
        let lines = found.files.iter().flat_map(|file| &file.lines);
        let shown = lines.filter(|line| line.is_match).count();
        let what = "narrow the query, give globs or a path, or raise max_results";
        let _ =
            writeln!(text, "[These are the first {shown} matching lines; there are more: {what}]");
    }
    text.truncate(text.trim_end_matches('\n').len());
    text.push_str(&unread(found.unread));
    text
}

fn add_file(text: &mut String, file: &FileHits) {
    let _ = writeln!(text, "{}", file.path);
    let has_context = file.lines.iter().any(|line| !line.is_match);
    let mut last = None;
    for Line { number, text: line, is_match } in &file.lines {
        if has_context && last.is_some_and(|last| last + 1 < *number) {
            text.push_str("--\n");
        }
        let mark = if *is_match { ':' } else { '-' };
        let _ = writeln!(text, "{number}{mark} {line}");
        last = Some(*number);
    }
}

fn data(found: &SearchFound, is_literal: bool) -> Value {
    let line =
        |line: &Line| json!({ "line": line.number, "text": line.text, "match": line.is_match });
    let file = |file: &FileHits| json!({ "path": file.path, "lines": file.lines.iter().map(line).collect::<Vec<_>>() });
    json!({
        "files": found.files.iter().map(file).collect::<Vec<_>>(),
        "more": found.more,
        "taken_literally": is_literal,
        "unread": found.unread,
    })
}

impl From<BadQuery> for ToolError {
    fn from(bad: BadQuery) -> ToolError {
        ToolError::new(Code::InvalidArguments, format!("Argument `query`: {bad}."))
    }
}
