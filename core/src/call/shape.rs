//! Gate: no more text than a model can take: of a longer one it sees the beginning and the end. The
//! whole goes to an artifact, which the same session reads in parts with `read_file path="artifact:<id>"`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::CallPath;
use super::state::Call;
use crate::artifacts::{self, Counted, NotKept};
use crate::body::Body;
use crate::error::{Code, Error};
use crate::id::new_id;
use crate::limits::{exceeds_chars, prefix_of_chars};
use crate::store::Artifact;
use crate::tool::ToolResult;

/// The `output` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// The most characters in `for_llm`, the closing note included; at least 1,000.
    #[schemars(range(min = 1000))]
    pub max_chars: usize,
    /// The most lines in `for_llm`; at least 10.
    #[schemars(range(min = 10))]
    pub max_lines: usize,
}

impl Default for Output {
    fn default() -> Output {
        Output { max_chars: 30_000, max_lines: 2_000 }
    }
}

/// What the closing note may take of `max_chars`.
pub(crate) const NOTE_CHARS: usize = 300;

/// True if the text may go out whole, with an advice after it.
pub(super) fn fits(output: &Output, result: &ToolResult, advice: &str) -> bool {
    let room = Room::beside(output, advice);
    !exceeds_chars(&result.for_llm, room.chars) && !exceeds_lines(&result.for_llm, room.lines)
}

/// Puts an advice after the text, as a paragraph of its own.
pub(super) fn append(result: &mut ToolResult, advice: &str) {
    if !advice.is_empty() {
        let gap = if result.for_llm.is_empty() { "" } else { "\n\n" };
        result.for_llm = format!("{}{gap}{advice}", result.for_llm.trim_end_matches('\n'));
    }
}

/// What there is room for beside an advice.
struct Room {
    chars: usize,
    lines: usize,
}

impl Room {
    fn beside(output: &Output, advice: &str) -> Room {
        let (chars, lines) = match advice.chars().count() {
            0 => (0, 0),
            chars => (chars + 2, 2),
        };
        Room {
            chars: output.max_chars.saturating_sub(chars),
            lines: output.max_lines.saturating_sub(lines),
        }
    }
}

/// Cuts a text that is too long. `body` is the text, where it was too long for a string before.
pub(super) async fn pass(
    path: &CallPath,
    result: &mut ToolResult,
    body: Option<Body>,
    advice: &str,
    call: &Call<'_>,
) -> Result<(), Error> {
    let Room { chars, lines } = Room::beside(&path.texts.output, advice);
    if let Some(body) = &body
        && body.length() <= chars as u64 * LONGEST_CHARACTER
    {
        result.for_llm = body.head(usize::MAX).map_err(unreadable)?;
        if fits(&path.texts.output, result, advice) {
            return Ok(());
        }
    }
    let whole = body.unwrap_or_else(|| std::mem::take(&mut result.for_llm).into());
    let shown = Shown::of(&whole, chars.saturating_sub(NOTE_CHARS), lines.saturating_sub(1))?;
    let id = new_id();
    let caller = call.cx.caller();
    let artifact = Artifact {
        tenant: caller.tenant.clone(),
        id: id.clone(),
        session: path.sessions.key(caller),
        tool: call.tool.as_ref().map_or("(unknown)", |tool| &tool.spec.name).to_owned(),
        mime: "text/plain; charset=utf-8".into(),
        body: Vec::new(),
        created_at_ms: call.at_ms,
    };
    let counted =
        artifacts::keep(&*path.store, artifact, whole).await.map_err(|why| match why {
            NotKept::Store(error) => error.into(),
            NotKept::File(error) => unreadable(error),
        })?;
    result.for_llm = shown.render(&id, counted);
    result.artifact = Some(id);
    Ok(())
}

fn unreadable(error: std::io::Error) -> Error {
    let text = format!("the file in which a long output waited cannot be read: {error}");
    Error::new(Code::Unavailable, text)
}

fn exceeds_lines(text: &str, max: usize) -> bool {
    text.len() > max && text.lines().nth(max).is_some()
}

/// The most bytes of a character.
const LONGEST_CHARACTER: u64 = 4;

/// What is shown of a text that is too long: two thirds of it from the beginning, the rest from the
/// end, since a command says there what has become of it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    head: String,
    tail: String,
    /// True if the tail begins within a line.
    is_cut: bool,
}

impl Shown {
    fn of(whole: &Body, max_chars: usize, max_lines: usize) -> Result<Shown, Error> {
        let most = max_chars.saturating_mul(4);
        let (start, end) = (whole.head(most), whole.tail(most));
        let (start, end) = (start.map_err(unreadable)?, end.map_err(unreadable)?);
        Ok(Shown::between(&start, &end, max_chars, max_lines))
    }

    fn between(start: &str, end: &str, max_chars: usize, max_lines: usize) -> Shown {
        let head = head(start, max_chars / 3 * 2, max_lines / 3 * 2);
        let chars = max_chars.saturating_sub(head.chars().count());
        let tail = tail(end, chars, max_lines.saturating_sub(head.lines().count()));
        let is_cut = !end[..end.len() - tail.len()].ends_with('\n');
        Shown { head: head.to_owned(), tail: tail.to_owned(), is_cut }
    }

    /// The two parts with a note between them.
    fn render(&self, id: &str, whole: Counted) -> String {
        let Shown { head, tail, .. } = self;
        let gap = if head.ends_with('\n') { "" } else { "\n" };
        format!("{head}{gap}{}\n{tail}", self.note(id, whole))
    }

    fn note(&self, id: &str, whole: Counted) -> String {
        let Shown { head, tail, is_cut } = self;
        let left_out = whole.bytes.saturating_sub((head.len() + tail.len()) as u64);
        let shown = head.matches('\n').count() as u64;
        let after = (tail.lines().count() as u64).saturating_sub(u64::from(*is_cut));
        let column = head.rsplit('\n').next().map_or(0, |line| line.chars().count());
        let place = if column == 0 { String::new() } else { format!(" column={column}") };
        format!(
            "[Cut: {left_out} bytes are left out here, of lines {} to {} of {}. Read them with \
             read_file path=\"artifact:{id}\" offset={shown}{place}]",
            shown + 1,
            whole.lines.saturating_sub(after),
            whole.lines
        )
    }
}

/// The longest start that keeps to both caps. It ends with a whole line where one ends in its last
/// fifth.
fn head(text: &str, max_chars: usize, max_lines: usize) -> &str {
    let by_lines = match text.match_indices('\n').nth(max_lines.saturating_sub(1)) {
        Some((newline, _)) => &text[..=newline],
        None => text,
    };
    let by_chars = prefix_of_chars(by_lines, max_chars);
    if by_chars.len() == by_lines.len() {
        return by_lines;
    }
    match by_chars.rfind('\n') {
        Some(newline) if newline >= by_chars.len() / 5 * 4 => &by_chars[..=newline],
        _ => by_chars,
    }
}

/// The longest end that keeps to both caps. It begins with a whole line where one begins in its first
/// fifth.
fn tail(text: &str, max_chars: usize, max_lines: usize) -> &str {
    let before = text.strip_suffix('\n').unwrap_or(text);
    let by_lines = match before.rmatch_indices('\n').nth(max_lines.saturating_sub(1)) {
        Some((newline, _)) => &text[newline + 1..],
        None => text,
    };
    let by_chars = suffix_of_chars(by_lines, max_chars);
    if by_chars.len() == by_lines.len() {
        return by_lines;
    }
    match by_chars.find('\n') {
        Some(newline) if newline <= by_chars.len() / 5 => &by_chars[newline + 1..],
        _ => by_chars,
    }
}

/// The longest suffix of `text` that has at most `max` characters.
fn suffix_of_chars(text: &str, max: usize) -> &str {
    match text.char_indices().rev().nth(max.saturating_sub(1)) {
        Some((start, _)) if max > 0 => &text[start..],
        None => text,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_keep_to_both_caps_and_to_lines() {
        assert_eq!(head("ab\ncd\nef\n", 7, 10), "ab\ncd\n");
        assert_eq!(head("ab\ncd\nef\n", 100, 1), "ab\n");
        assert_eq!(head("ab\ncdefghijk", 10, 9), "ab\ncdefghi");
        assert_eq!(head("ééééé", 3, 10), "ééé");
        assert_eq!(tail("ab\ncd\nef\n", 7, 10), "cd\nef\n");
        assert_eq!(tail("ab\ncd\nef\n", 100, 1), "ef\n");
        assert_eq!(tail("ab\ncd\nef", 100, 2), "cd\nef");
        assert_eq!(tail("abcdefghi\nk", 10, 9), "bcdefghi\nk");
        assert_eq!(tail("ééééé", 3, 10), "ééé");
        assert_eq!(tail("ééééé", 0, 10), "");
    }

    fn shown(text: &str, max_chars: usize, max_lines: usize) -> String {
        let counted = Counted { bytes: text.len() as u64, lines: text.lines().count() as u64 };
        Shown::between(text, text, max_chars, max_lines).render("x", counted)
    }

    #[test]
    fn the_note_says_what_is_left_out_and_where_to_read_it() {
        let text: String = (1..=9).map(|line| format!("line {line}\n")).collect();
        let cut = "line 1\nline 2\n[Cut: 42 bytes are left out here, of lines 3 to 8 of 9. Read \
                   them with read_file path=\"artifact:x\" offset=2]\nline 9\n";
        assert_eq!(shown(&text, 1_000, 3), cut);
        let cut = shown(&"é".repeat(100), 30, 9);
        assert!(cut.contains("140 bytes") && cut.contains("lines 1 to 1 of 1"), "{cut}");
        assert!(cut.contains("offset=0 column=20]"), "{cut}");
        let counted = Counted { bytes: u64::MAX, lines: u64::MAX };
        let long = "a".repeat(1_000_000);
        let shown = Shown::between(&long, &long, 999_999, 9);
        assert!(shown.note(&"f".repeat(32), counted).chars().count() < NOTE_CHARS);
    }
}
