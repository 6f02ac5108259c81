//! Gate: name or alias → tool. No side effect.

use crate::error::Code;
use crate::limits::echo;
use crate::policy::Decision;
use crate::tool::{Snapshot, ToolError};

/// The refusal of a name that is no enabled tool's. Only what the caller may call is recommended.
pub(super) fn refusal(snapshot: &Snapshot, name: &str, decision: &Decision) -> ToolError {
    let meant = snapshot.nearest(name, |entry| decision.allows(entry.id));
    let named: Vec<String> = meant.iter().map(|name| format!("`{name}`")).collect();
    let advice = match named.is_empty() {
        false => {
            format!("Did you mean {}? Call only tools that you were given.", named.join(" or "))
        }
        true => "Call only tools that you were given.".to_owned(),
    };
    let text = format!("There is no tool named `{}`. {advice}", echo(name));
    ToolError::new(Code::UnknownTool, text)
}
