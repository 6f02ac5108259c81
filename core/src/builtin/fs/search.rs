//! `search`

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::glob::{ABSOLUTE, MOST_RESULTS, unread};
use super::masking::Masking;
use super::{looked_through, one_line, uses};
use crate::builtin::Deps;
use crate::call::NOTE_CHARS;
use crate::error::Code;
use crate::files::VirtualFile;
use crate::kind::{Capability, Effect};
use crate::tool::{CallContext, Stamp, Tool, ToolError, ToolResult, tool_fn};
use crate::workspace::{
    BadQuery, FileHits, Globs, Line, Pattern, Reading, RelativePath, SearchFound, SearchOptions,
    SearchText, Show, Unfiltered, UnknownType, Workspace,
};

/// Searches the content of files for a regular expression, line by line, without what is hidden or
/// ignored by .gitignore. Shows the matching lines of each file with their numbers, sorted by path,
/// or only which files match, or how many of their lines do.
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
    /// Search only files of this type, as ripgrep names them: "rust", "py", "js", "ts", "go".
    /// Default: all.
    #[serde(default, rename = "type")]
    file_type: Option<String>,
    /// What to show: "content" the matching lines, "files_with_matches" the paths of the files,
    /// "count" how many lines of each file match. Default: "content".
    #[serde(default)]
    output_mode: OutputMode,
    /// Search for the text of the query as it is. Default: false.
    #[serde(default)]
    literal: bool,
    /// Take upper and lower case for the same. Default: false.
    #[serde(default)]
    ignore_case: bool,
    /// Let a match go over several lines; `.` then matches the ends of lines. Default: false.
    #[serde(default)]
    multiline: bool,
    /// Show the numbers of lines. Default: true.
    #[serde(default = "yes")]
    line_numbers: bool,
    /// How many lines to show before and after each matching one, at most 50. Default: 0.
    #[serde(default)]
    context: usize,
    /// How many lines to show before each matching one, where that is another number.
    #[serde(default)]
    before: Option<usize>,
    /// How many lines to show after each matching one, where that is another number.
    #[serde(default)]
    after: Option<usize>,
    /// How many matching lines, or files, to show at most, 1 to 10000; 0 for as many as that.
    /// Default: 200.
    #[serde(default = "most")]
    max_results: usize,
    /// How many matching lines, or files, to pass over first, at most 10000; to go on behind the
    /// results of an earlier search. Default: 0.
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    offset: usize,
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

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum OutputMode {
    #[default]
    Content,
    FilesWithMatches,
    Count,
}

impl OutputMode {
    fn show(self) -> Show {
        match self {
            OutputMode::Content => Show::Lines,
            OutputMode::FilesWithMatches => Show::Files,
            OutputMode::Count => Show::Counts,
        }
    }
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
    .argument_aliases("type", &["file_type"])
    .argument_aliases("max_results", &["limit"])
    .capability(Capability::ReadOnly)
    .assess(move |args: &Args, cx| uses(&for_assess, cx, Effect::Read, &args.path))
    // Any file may have changed.
    .stamp(|_, _| std::future::ready(Stamp::Never))
}

impl Args {
    fn options(&self, max_chars: usize) -> Result<SearchOptions, ToolError> {
        let reading = Reading {
            is_literal: self.literal,
            ignores_case: self.ignore_case,
            is_multiline: self.multiline,
        };
        let globs = Globs::new(&self.globs)?;
        let lines = |own: Option<usize>| own.unwrap_or(self.context).min(MOST_CONTEXT);
        Ok(SearchOptions {
            pattern: Pattern::new(&self.query, reading)?,
            globs: match &self.file_type {
                Some(name) => globs.of_type(name)?,
                None => globs,
            },
            unfiltered: Unfiltered { hidden: self.hidden, ignored: self.ignored },
            context: (lines(self.before), lines(self.after)),
            show: self.output_mode.show(),
            skipped: self.offset,
            max_results: match self.max_results {
                0 => MOST_RESULTS,
                some => some.min(MOST_RESULTS),
            },
            max_chars,
        })
    }
}

async fn search(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let options = args.options(deps.output.max_chars - NOTE_CHARS)?;
    let is_absolute = args.globs.iter().any(|glob| glob.starts_with('/'));
    let (mode, numbers, offset) = (args.output_mode, args.line_numbers, args.offset);
    let asked = Asked { mode, numbers, offset, is_absolute };
    let problem = options.pattern.problem.clone();
    let (place, virtual_part) = looked_through(deps, cx, args.path).await?;
    if let Some(note) = virtual_part.nothing {
        return Ok(ToolResult::silent(note));
    }
    let texts: Vec<VirtualFile> = (virtual_part.files.iter())
        .filter(|file| options.covers(&place.path, &file.path))
        .cloned()
        .collect();
    let masking = Masking::new(deps, cx, place.workspace.clone());
    let (overlay, cancellation) = (virtual_part.overlay(), cx.cancellation().clone());
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
    let structured = Some(data(&found, asked.mode, problem.is_some()));
    let text = render(&found, &asked, problem.as_deref());
    Ok(ToolResult { structured, ..ToolResult::silent(text) })
}

/// How the result is asked for.
struct Asked {
    mode: OutputMode,
    /// Whether lines have their numbers.
    numbers: bool,
    /// How many matching lines, or files, were passed over.
    offset: usize,
    /// True if a glob has a slash in front.
    is_absolute: bool,
}

fn render(found: &SearchFound, asked: &Asked, problem: Option<&str>) -> String {
    let mut text = String::new();
    for file in &found.files {
        let FileHits { path, matched } = file;
        // Writing to a string does not fail.
        let _ = match asked.mode {
            OutputMode::Content => {
                if !text.is_empty() {
                    text.push('\n');
                }
                add_file(&mut text, file, asked.numbers);
                Ok(())
            }
            OutputMode::FilesWithMatches => writeln!(text, "{}", one_line(path)),
            OutputMode::Count => writeln!(text, "{}: {}", one_line(path), matched.count),
        };
    }
    if found.files.is_empty() {
        text.push_str(&nothing(asked));
    }
    if let Some(problem) = problem {
        let note = "[The query is no regular expression, so it was searched for literally";
        let _ = writeln!(text, "{note}: {problem}]");
    }
    if found.more {
        text.push_str(&more(found, asked));
    }
    text.truncate(text.trim_end_matches('\n').len());
    text.push_str(&unread(found.unread));
    text
}

fn nothing(asked: &Asked) -> String {
    match asked.offset {
        0 if asked.is_absolute => format!("[No line matches; {ABSOLUTE}]\n"),
        0 => "[No line matches]\n".to_owned(),
        offset => format!("[Nothing comes after the first {offset}]\n"),
    }
}

/// A note that this is not all.
fn more(found: &SearchFound, asked: &Asked) -> String {
    let lines = found.files.iter().flat_map(|file| &file.matched.lines);
    let (shown, of) = match asked.mode {
        OutputMode::Content => (lines.filter(|line| line.is_match).count(), "matching lines"),
        OutputMode::FilesWithMatches | OutputMode::Count => (found.files.len(), "matching files"),
    };
    let next = asked.offset + shown;
    let which = match asked.offset {
        0 => format!("the first {shown} {of}"),
        offset => format!("{of} {} to {next}", offset + 1),
    };
    // Further on none is taken.
    let on = match next <= MOST_RESULTS {
        true => format!(", raise max_results, or go on with offset={next}"),
        false => String::new(),
    };
    format!("[These are {which}; there are more: narrow the query, give globs or a path{on}]\n")
}

fn add_file(text: &mut String, file: &FileHits, has_numbers: bool) {
    let _ = writeln!(text, "{}", one_line(&file.path));
    let lines = &file.matched.lines;
    let has_context = lines.iter().any(|line| !line.is_match);
    let mut last = None;
    for Line { number, text: line, is_match } in lines {
        if has_context && last.is_some_and(|last| last + 1 < *number) {
            text.push_str("--\n");
        }
        let mark = if *is_match { ':' } else { '-' };
        let _ = match has_numbers {
            true => writeln!(text, "{number}{mark} {line}"),
            false => writeln!(text, "{line}"),
        };
        last = Some(*number);
    }
}

fn data(found: &SearchFound, mode: OutputMode, is_literal: bool) -> Value {
    let line =
        |line: &Line| json!({ "line": line.number, "text": line.text, "match": line.is_match });
    let file = |FileHits { path, matched }: &FileHits| match mode {
        OutputMode::Content => {
            let lines: Vec<Value> = matched.lines.iter().map(line).collect();
            json!({ "path": path, "lines": lines })
        }
        OutputMode::FilesWithMatches => json!({ "path": path }),
        OutputMode::Count => json!({ "path": path, "count": matched.count }),
    };
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

impl From<UnknownType> for ToolError {
    fn from(unknown: UnknownType) -> ToolError {
        ToolError::new(Code::InvalidArguments, format!("Argument `type`: {unknown}."))
    }
}
