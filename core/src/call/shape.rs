//! Gate: no more text than a model can take. The whole goes to an artifact, which the same session
//! reads in parts with `read_file path="artifact:<id>"`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, CallPath};
use crate::error::Error;
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

pub(super) async fn pass(
    path: &CallPath,
    result: &mut ToolResult,
    advice: &str,
    call: &Call<'_>,
) -> Result<(), Error> {
    let Room { chars: max_chars, lines: max_lines } = Room::beside(&path.output, advice);
    let whole = std::mem::take(&mut result.for_llm);
    let head = head(&whole, max_chars.saturating_sub(NOTE_CHARS), max_lines.saturating_sub(1));
    let id = new_id();
    result.for_llm = format!("{}\n{}", head.trim_end_matches('\n'), note(&id, head, &whole));
    let caller = call.cx.caller();
    let artifact = Artifact {
        tenant: caller.tenant.clone(),
        id: id.clone(),
        session: caller.session.clone(),
        tool: call.tool.as_ref().map_or("(unknown)", |tool| &tool.spec.name).to_owned(),
        mime: "text/plain; charset=utf-8".into(),
        body: whole.into_bytes(),
        created_at_ms: call.at_ms,
    };
    result.artifact = Some(id);
    path.store.put_artifact(artifact).await?;
    Ok(())
}

fn exceeds_lines(text: &str, max: usize) -> bool {
    text.len() > max && text.lines().nth(max).is_some()
}

/// The longest start that keeps to both caps; it ends with a whole line where there is one.
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
        Some(newline) => &by_chars[..=newline],
        None => by_chars,
    }
}

fn note(id: &str, head: &str, whole: &str) -> String {
    let lines = whole.lines().count();
    let shown = head.matches('\n').count();
    let (shown_text, next) = match shown {
        0 => {
            let chars = head.chars().count();
            (format!("the first {chars} characters of line 1"), format!("column={chars}"))
        }
        _ => (format!("lines 1 to {shown}"), format!("offset={shown}")),
    };
    format!(
        "[Cut: {shown_text} of {lines} lines, {} characters in all. Read on with read_file \
         path=\"artifact:{id}\" {next}]",
        whole.chars().count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_keeps_to_both_caps_and_ends_with_a_line() {
        assert_eq!(head("ab\ncd\nef\n", 7, 10), "ab\ncd\n");
        assert_eq!(head("ab\ncd\nef\n", 100, 1), "ab\n");
        assert_eq!(head("ééééé", 3, 10), "ééé");
    }

    #[test]
    fn the_note_names_where_to_read_on() {
        assert!(note("x", "a\nb\n", "a\nb\nc\n").contains("lines 1 to 2 of 3 lines"));
        assert!(note("x", "aaa", "aaaaaa").contains("column=3"));
        let longest = note(&"f".repeat(32), &"a\n".repeat(1_000_000), &"a\n".repeat(9_000_000));
        assert!(longest.chars().count() < NOTE_CHARS);
    }
}
