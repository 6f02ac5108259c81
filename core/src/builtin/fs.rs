//! Group `fs`: files in the workspace.

pub(super) mod apply_patch;
pub(super) mod edit;
pub(super) mod glob;
mod guard;
pub(super) mod list_files;
pub(super) mod lock_paths;
mod masked;
mod masking;
mod patching;
mod placeholders;
pub(super) mod read_file;
pub(super) mod search;
mod stored;
pub(super) mod unlock_paths;
mod veil;
mod veiled;
pub(super) mod workspace_dir;
pub(super) mod write_file;

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::json;

use super::Deps;
use crate::error::Code;
use crate::files::{FileOverlay, OnDisk, Place};
use crate::kind::Effect;
use crate::limits::echo;
use crate::tool::{Assessment, CallContext, ToolError};

/// The argument that says where a call works.
#[derive(Deserialize)]
struct At {
    path: String,
}

/// What the path of an artifact starts with.
const ARTIFACT: &str = "artifact:";

/// Refuses to change what `read_file` would not read as a file: the path of an artifact.
fn check_writable(path: &str) -> Result<(), ToolError> {
    if !path.starts_with(ARTIFACT) {
        return Ok(());
    }
    let text = format!(
        "Nothing was changed: `{}` names an artifact, the kept text of a result. Artifacts are \
         read-only; `read_file` reads them. Choose the path of a file, such as `notes/result.txt`.",
        crate::limits::echo(path)
    );
    Err(ToolError::new(Code::InvalidArguments, text))
}

/// A text with a note after it.
fn noted(text: String, note: Option<String>) -> String {
    match note {
        Some(note) => format!("{text}\n{note}"),
        None => text,
    }
}

/// A path as it stands in a line of a result: line ends and what else is not seen are written as in
/// JSON, so that a name can be taken over into arguments, and can be nothing but a name.
fn one_line(path: &str) -> Cow<'_, str> {
    let is_odd = |character: char| {
        let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        character.is_control() || turns || matches!(character, '\\' | '\u{2028}' | '\u{2029}')
    };
    if !path.contains(is_odd) {
        return path.into();
    }
    let mut text = String::with_capacity(path.len() + 8);
    for character in path.chars() {
        match character {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\\' => text.push_str("\\\\"),
            other if is_odd(other) => {
                // Writing to a string does not fail.
                let _ = write!(text, "\\u{:04x}", u32::from(other));
            }
            other => text.push(other),
        }
    }
    text.into()
}

/// A folder, or a file, to look through, and what is seen there without being on the disk.
async fn looked_through(
    deps: &Deps,
    cx: &CallContext,
    path: String,
) -> Result<(OnDisk, FileOverlay), ToolError> {
    let reach = deps.files.reach(cx).await?;
    let place = match reach.place(if path.is_empty() { "." } else { &path }).await? {
        Place::Disk(place) => place,
        Place::Stored(file) => file.looked_through(),
    };
    let virtual_part = reach.overlay(&place).await?;
    Ok((place, virtual_part))
}

/// Declares that a call uses one path. A path that will be refused is declared as nothing.
fn uses(deps: &Deps, cx: &CallContext, effect: Effect, path: &str) -> Assessment {
    let path = if path.is_empty() { "." } else { path };
    let declared = deps.files.resource(cx, path);
    let touches = declared.into_iter().map(|resource| (effect, resource)).collect();
    let assessment = Assessment { touches, ..Assessment::default() };
    match effect {
        Effect::Write => asking(deps, cx, assessment, [path]),
        _ => assessment,
    }
}

/// Has somebody asked where one of the paths that a call writes is protected.
fn asking<'p>(
    deps: &Deps,
    cx: &CallContext,
    assessment: Assessment,
    written: impl IntoIterator<Item = &'p str>,
) -> Assessment {
    let mut paths = Vec::new();
    let mut reasons = Vec::new();
    for path in written {
        if let Some(protection) = deps.files.protection(cx, path) {
            paths.push(path);
            reasons.push(protection.why(&echo(path)));
        }
    }
    if paths.is_empty() {
        return assessment;
    }
    let plan = Some(json!({ "protected": paths }));
    Assessment { ask: Some(reasons.join(" ")), plan, ..assessment }
}
