//! Gate: name or alias → tool. No side effect.

use crate::error::Code;
use crate::limits::echo;
use crate::policy::Decision;
use crate::scrub::Scrubber;
use crate::tool::{Snapshot, ToolError};

/// The refusal of a name that is no enabled tool's. Only what the caller may call is recommended.
/// The name is masked before it is cut, so that no half of a secret is left of it.
pub(super) fn refusal(
    snapshot: &Snapshot,
    scrubber: &Scrubber,
    name: &str,
    decision: &Decision,
) -> ToolError {
    let meant = snapshot.nearest(name, |entry| decision.allows(entry.id));
    let named: Vec<String> = meant.iter().map(|name| format!("`{name}`")).collect();
    let advice = match named.is_empty() {
        false => {
            format!("Did you mean {}? Call only tools that you were given.", named.join(" or "))
        }
        true => "Call only tools that you were given.".to_owned(),
    };
    let name = scrubber.scrub(name);
    let text = format!("There is no tool named `{}`. {advice}", echo(&name));
    ToolError::new(Code::UnknownTool, text)
}
