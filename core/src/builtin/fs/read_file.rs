//! `read_file`

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::guard::{Guard, KNOWN_BYTES};
use super::masked::Masked;
use super::{ARTIFACT, stored, uses};
use crate::artifacts;
use crate::builtin::Deps;
use crate::call::NOTE_CHARS;
use crate::error::Code;
use crate::files::{Place, Worked};
use crate::kind::{Capability, Effect};
use crate::scrub::Scrubber;
use crate::terminal::{self, Returns};
use crate::tool::{Assessment, CallContext, Stamp, Tool, ToolError, ToolResult, tool_fn};
use crate::vault::{FileAt, Opener};
use crate::workspace::{
    Error, ReadRange, ReadText, RelativePath, Spent, Standing, Workspace, window,
};

/// The largest file that is masked as a whole before a page of it is shown (16 MiB).
const WHOLE_BYTES: u64 = KNOWN_BYTES;

/// The most characters of one page (the seeds' cap), where the output cap does not say less.
const PAGE_CHARS: usize = 50_000;

/// Reads a text file of the workspace, or a part of it by lines. A long file comes in pages: the
/// closing note tells the offset of the next one. Also reads a result that was cut, as
/// "artifact:<id>".
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file, relative to the workspace, or "artifact:<id>".
    path: String,
    /// The first line to read, counted from 0. Default: 0.
    #[serde(default)]
    offset: usize,
    /// How many lines to read at most. Default: as many as fit.
    #[serde(default)]
    limit: Option<usize>,
    /// How many characters of the first line to leave out; to go on in a very long line.
    #[serde(default)]
    column: usize,
    /// The first line to read, counted from 1, instead of `offset`.
    #[serde(default)]
    start_line: Option<usize>,
    /// The first and the last line to read, counted from 1, instead of `offset` and `limit`.
    #[serde(default)]
    line_range: Option<[usize; 2]>,
    /// How many bytes of text to show at most. Default: as many as fit.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_bytes: Option<usize>,
}

impl Args {
    /// What to show.
    fn range(&self, most_lines: usize) -> Result<ReadRange, ToolError> {
        let mut range = ReadRange {
            offset: self.offset,
            limit: self.limit.filter(|limit| *limit > 0),
            column: self.column,
            max_bytes: self.max_bytes,
        };
        let refused = |text: String| Err(ToolError::new(Code::InvalidArguments, text));
        // Models begin at 0 and at 1 alike.
        let skipped = self.start_line.map_or(0, |line| line.saturating_sub(1));
        if self.start_line.is_some() && self.offset > 0 {
            return refused(
                "`start_line` was given beside `offset`; give one of them: `start_line` counts from \
                 1, `offset` from 0."
                    .to_owned(),
            );
        }
        range.offset += skipped;
        if let Some([first, last]) = self.line_range {
            if (range.offset, self.limit) != (0, None) {
                return refused(
                    "`line_range` was given beside `offset`, `start_line` or `limit`; give either \
                     the lines from and to, or where to begin and how many."
                        .to_owned(),
                );
            }
            if first == 0 || last < first {
                return refused(format!(
                    "`line_range` is [{first}, {last}]; give the first and the last line, counted \
                     from 1 and both included, such as [1, 20]."
                ));
            }
            (range.offset, range.limit) = (first - 1, Some((last - first).saturating_add(1)));
        }
        range.limit = Some(range.limit.map_or(most_lines, |limit| limit.min(most_lines)));
        Ok(range)
    }
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, for_assess, for_stamp) = (deps.clone(), deps.clone(), deps.clone());
    tool_fn("read_file", move |args: Args, cx| {
        let deps = deps.clone();
        async move { read(&deps, args, &cx).await }
    })
    .group("fs")
    .argument_aliases("path", &["file", "filepath", "file_path"])
    .capability(Capability::ReadOnly)
    .assess(move |args: &Args, cx| match args.path.strip_prefix(ARTIFACT) {
        Some(_) => Assessment::default(),
        None => uses(&for_assess, cx, Effect::Read, &args.path),
    })
    .stamp(move |args, cx| {
        let deps = for_stamp.clone();
        async move { stamp(&deps, args, &cx).await }
    })
}

/// What the file is known by: another process may change it at any time.
async fn stamp(deps: &Deps, args: Args, cx: &CallContext) -> Stamp {
    let found = match deps.files.place(cx, &args.path).await {
        Ok(Place::Disk(file)) => {
            file.blocking(|workspace, path| workspace.stamp(path)).await.ok().flatten()
        }
        Ok(Place::Stored(file)) => file.stamp().await,
        Err(_) => None,
    };
    found.map_or(Stamp::Never, Stamp::At)
}

async fn read(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let max_chars = PAGE_CHARS.min(deps.output.max_chars) - NOTE_CHARS;
    let most_lines = deps.output.max_lines - 2;
    let range = args.range(most_lines)?;
    let page = match args.path.strip_prefix(ARTIFACT) {
        Some(id) => artifact(deps, cx, id, range, max_chars).await?,
        None => match disk_page(deps, cx, &args.path, range, max_chars).await? {
            Worked::Disk(page) => page,
            Worked::Stored(file, ()) => {
                match stored::page(deps, cx, &file, range, max_chars).await? {
                    Ok(page) => page,
                    Err(note) => return Ok(ToolResult::silent(note)),
                }
            }
        },
    };
    let counting = if args.start_line.is_some() { Counting::From1 } else { Counting::From0 };
    Ok(ToolResult::silent(render(&page, range, counting)))
}

/// A page of a file, if it is of the disk.
async fn disk_page(
    deps: &Deps,
    cx: &CallContext,
    path: &str,
    range: ReadRange,
    max_chars: usize,
) -> Result<Worked<ReadText, ()>, ToolError> {
    let (scrubber, opener) = (cx.scrubber(&deps.scrubbers), cx.opener().cloned());
    let guard = Guard::new(deps, cx);
    let cancellation = cx.cancellation().clone();
    let work = move |workspace: &Workspace, path: &RelativePath, ()| {
        let wanted = Wanted { range, max_chars, is_stopped: &|| cancellation.is_cancelled() };
        let standing = workspace.read_standing(path, WHOLE_BYTES)?;
        let known = guard.known_standing(&standing);
        let page = match opener {
            Some(opener) => {
                let scrubber = opener.standing_scrubber(&scrubber);
                let at = (workspace, path, &standing);
                sealed_page(at, (&scrubber, &opener), wanted)
            }
            None => {
                let mask = |text: &str| scrubber.scrub(text).into_owned();
                page((workspace, path, &standing), (&scrubber, mask), wanted)
            }
        }?;
        // Also a part counts as read: what the rest says is for the model to judge.
        guard.knows(workspace, &standing.target, known);
        Ok((page, Spent::default()))
    };
    deps.files.on_disk((cx, path), (), work).await
}

/// A page as it is wanted.
#[derive(Clone, Copy)]
struct Wanted<'w> {
    range: ReadRange,
    max_chars: usize,
    /// Tells that nobody waits for it any more.
    is_stopped: &'w (dyn Fn() -> bool + Sync),
}

/// A page of a file. Secrets are masked before the page is cut out, so that none can be read in
/// halves. A file over [`WHOLE_BYTES`] is masked as it is read.
fn page(
    (workspace, path, standing): (&Workspace, &RelativePath, &Standing),
    (scrubber, mask): (&Scrubber, impl Fn(&str) -> String),
    Wanted { range, max_chars, is_stopped }: Wanted<'_>,
) -> Result<ReadText, Error> {
    let Some(bytes) = standing.content() else {
        let masked = |reader| Masked::new(reader, scrubber);
        return workspace.read_through(path, (range, max_chars), is_stopped, masked);
    };
    let text = String::from_utf8_lossy(bytes);
    let lossy = matches!(text, Cow::Owned(_));
    // Before it is masked: what commands a terminal could stand in a secret.
    let clean = terminal::clean(&text, Returns::Pictures);
    let cleaned = matches!(clean, Cow::Owned(_));
    let page = paged(mask(&clean).as_bytes(), range, max_chars);
    Ok(ReadText { lossy, cleaned, ..page })
}

/// The same, and the secrets of the page are kept, to go back to this file.
fn sealed_page(
    at: (&Workspace, &RelativePath, &Standing),
    (scrubber, opener): (&Scrubber, &Opener),
    wanted: Wanted<'_>,
) -> Result<ReadText, Error> {
    let (workspace, _, standing) = at;
    let (root, path) = workspace.named(&standing.target);
    let file = FileAt { root, path };
    let sealing = opener.sealing(Some(file));
    let mask = |text: &str| scrubber.scrub_sealing(text, &sealing).into_owned();
    let page = page(at, (scrubber, mask), wanted)?;
    if sealing.keep_in(&page.text) > 0 {
        opener.has_sealed();
    }
    Ok(page)
}

/// A page of a text in memory, which is always readable.
fn paged(text: &[u8], range: ReadRange, max_chars: usize) -> ReadText {
    window(text, range, max_chars).unwrap_or_default()
}

async fn artifact(
    deps: &Deps,
    cx: &CallContext,
    id: &str,
    range: ReadRange,
    max_chars: usize,
) -> Result<ReadText, ToolError> {
    let missing = || {
        let text = format!(
            "There is no artifact `{id}` in this session. Use the id from the note of the result \
             that was cut."
        );
        ToolError::new(Code::NotFound, text)
    };
    let caller = cx.caller();
    let session = deps.sessions.key(caller);
    let found = artifacts::find(&*deps.store, &caller.tenant, session.as_deref(), id).await;
    let reading = found.map_err(ToolError::raise)?.ok_or_else(missing)?;
    // Once more, whole: what came to be secret since then must not be read in halves.
    let mut scrubber = cx.scrubber(&deps.scrubbers);
    if let Some(opener) = cx.opener() {
        scrubber = opener.standing_scrubber(&scrubber);
    }
    let page = move |parts| window(Masked::new(parts, &scrubber), range, max_chars);
    let page = reading.read(page).await.map_err(ToolError::raise)?;
    Ok(page.and_then(Result::ok).unwrap_or_default())
}

/// How a call counts lines, and so its notes.
#[derive(Clone, Copy)]
enum Counting {
    /// `offset`
    From0,
    /// `start_line`
    From1,
}

impl Counting {
    /// The argument that begins there.
    fn argument(self, offset: usize) -> String {
        match self {
            Counting::From0 => format!("offset={offset}"),
            Counting::From1 => format!("start_line={}", offset + 1),
        }
    }
}

/// The page with a closing note, where there is something to note.
fn render(page: &ReadText, range: ReadRange, counting: Counting) -> String {
    let total = page.total_lines;
    let all = if page.may_be_more { format!("at least {total}") } else { total.to_string() };
    if total == 0 {
        return "[The file is empty]".into();
    }
    if page.lines_shown == 0 {
        let at = |offset| match counting {
            Counting::From0 => format!("offset {offset}"),
            Counting::From1 => format!("line {}", offset + 1),
        };
        return format!(
            "[Nothing at {}: there are {total} lines, the last at {}]",
            at(range.offset),
            at(total - 1)
        );
    }
    let mut notes = Vec::new();
    if page.lossy {
        notes.push("bytes that are no UTF-8 are shown as \u{fffd}".to_owned());
    }
    if page.cleaned {
        notes.push(
            "the file has control characters, which are not shown: `edit` finds no text that goes \
             across one"
                .to_owned(),
        );
    }
    let (first, last) = (page.first_line + 1, page.first_line + page.lines_shown);
    match page.next {
        Some(next) if next.column > 0 => notes.push(format!(
            "lines {first} to {last} of {all}, the last one cut; go on with {} column={}",
            counting.argument(next.offset),
            next.column
        )),
        Some(next) => notes.push(format!(
            "lines {first} to {last} of {all}; go on with {}",
            counting.argument(next.offset)
        )),
        None if range.offset > 0 || range.column > 0 => {
            notes.push(format!("lines {first} to {last} of {all}, to the end"));
        }
        None => {}
    }
    if notes.is_empty() {
        return page.text.clone();
    }
    let text = page.text.strip_suffix('\n').unwrap_or(&page.text);
    format!("{text}\n[{}]", notes.join("; "))
}
