//! Gate: hooks of the host before a tool runs.
//!
//! Here `pre_tool_use` hooks let a call pass, block it, or rewrite its arguments. There are no hooks yet,
//! so each call passes.

use super::state::{Judged, Stop};

#[expect(clippy::unnecessary_wraps, reason = "a hook may block the call")]
pub(super) fn pass(_judged: &Judged) -> Result<(), Stop> {
    Ok(())
}
