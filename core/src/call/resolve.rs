//! Gate: name or alias → tool. No side effect.

use crate::error::Code;
use crate::limits::echo;
use crate::policy::Decision;
use crate::scrub::Scrubber;
use crate::tool::{Snapshot, ToolError};

/// The longest name of which something is shown, in bytes. Longer ones are no slip of a model's, and to
/// look for secrets in 64 MiB takes a while.
const LONGEST_SHOWN: usize = 16 << 10;

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
    let named = match name.len() {
        ..=LONGEST_SHOWN => format!("named `{}`", echo(&scrubber.scrub(name))),
        bytes => format!("whose name has {bytes} bytes"),
    };
    let text = format!("There is no tool {named}. {advice}");
    ToolError::new(Code::UnknownTool, text)
}
