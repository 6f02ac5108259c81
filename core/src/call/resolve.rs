//! Gate: name or alias → tool. No side effect.

use super::recorder::{TAKEN_NAME, kept_name};
use crate::error::Code;
use crate::limits::{echo, prefix_of_bytes};
use crate::policy::Decision;
use crate::scrub::Scrubber;
use crate::tool::{Snapshot, ToolError};

/// The refusal of a name that is no enabled tool's. Only what the caller may call is recommended.
/// The name is masked before it is cut, so that no half of a secret is left of it; of a very long one
/// only as much is looked at as can matter for what is shown.
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
    let name = kept_name(scrubber, prefix_of_bytes(name, TAKEN_NAME));
    let text = format!("There is no tool named `{}`. {advice}", echo(&name));
    ToolError::new(Code::UnknownTool, text)
}
