//! Gate: name or alias → tool. No side effect.

use crate::error::Code;
use crate::limits::echo;
use crate::policy::Decision;
use crate::tool::{Snapshot, ToolError};

/// The refusal of a name that is no enabled tool's. Only what the caller may call is recommended.
pub(super) fn refusal(snapshot: &Snapshot, name: &str, decision: &Decision) -> ToolError {
    let advice = match snapshot.nearest(name, |entry| decision.allows(entry.id)) {
        Some(meant) => format!("Did you mean `{meant}`? Call only tools that you were given."),
        None => "Call only tools that you were given.".to_owned(),
    };
    let text = format!("There is no tool named `{}`. {advice}", echo(name));
    ToolError::new(Code::UnknownTool, text)
}
