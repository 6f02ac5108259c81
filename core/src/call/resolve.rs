//! Gate: name or alias → tool. No side effect.

use std::sync::Arc;

use crate::error::Code;
use crate::limits::prefix_of_chars;
use crate::tool::{Entry, Snapshot, ToolError};

/// The longest tool name that a refusal repeats, in characters.
const LONGEST_ECHO: usize = 80;

pub(super) fn pass(snapshot: &Snapshot, name: &str) -> Result<Arc<Entry>, ToolError> {
    if let Some(entry) = snapshot.resolve(name) {
        return Ok(entry.clone());
    }
    let echo = prefix_of_chars(name, LONGEST_ECHO);
    let advice = match snapshot.nearest(name) {
        Some(meant) => format!("Did you mean `{meant}`? Call only tools that you were given."),
        None => "Call only tools that you were given.".to_owned(),
    };
    Err(ToolError::new(Code::UnknownTool, format!("There is no tool named `{echo}`. {advice}")))
}
