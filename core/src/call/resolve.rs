//! Gate: name or alias → tool. No side effect.

use std::sync::Arc;

use crate::error::Code;
use crate::limits::echo;
use crate::tool::{Entry, Snapshot, ToolError};

pub(super) fn pass(snapshot: &Snapshot, name: &str) -> Result<Arc<Entry>, ToolError> {
    if let Some(entry) = snapshot.resolve(name) {
        return Ok(entry.clone());
    }
    let echo = echo(name);
    let advice = match snapshot.nearest(name) {
        Some(meant) => format!("Did you mean `{meant}`? Call only tools that you were given."),
        None => "Call only tools that you were given.".to_owned(),
    };
    Err(ToolError::new(Code::UnknownTool, format!("There is no tool named `{echo}`. {advice}")))
}
