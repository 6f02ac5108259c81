//! What the model is told of an approval that it did not get, or got for other arguments.

use crate::call::budget::spoken;
use crate::error::Code;
use crate::limits::echo;
use crate::store::Approval;
use crate::tool::ToolError;

const DO_NOT_REPEAT: &str = "It has not run. Do not make the same call again: propose another way, \
                             or ask the user what to do instead.";

fn refusal(id: &str, text: String) -> ToolError {
    ToolError::new(Code::ApprovalDenied, text).by_rule(format!("approval {id}"))
}

pub(super) fn denied(tool: &str, denied: &Approval) -> ToolError {
    let reason = match denied.reason.as_deref().map(str::trim) {
        None | Some("") => "No reason was given.".to_owned(),
        Some(reason) => format!("The reason: {reason}\n"),
    };
    let text = format!("This call of `{tool}` was denied. {reason} {DO_NOT_REPEAT}");
    refusal(&denied.id, text.replace("\n ", "\n"))
}

pub(super) fn expired(tool: &str, id: &str, timeout_ms: u64) -> ToolError {
    let text = format!(
        "This call of `{tool}` wants somebody's approval, and nobody answered within {}. It has \
         not run. Go on with what needs no approval, and tell the user what is left to be approved.",
        spoken(timeout_ms)
    );
    refusal(id, text)
}

pub(super) fn pending(tool: &str, id: &str) -> ToolError {
    let text = format!(
        "This call of `{tool}` waits for somebody's approval (`{id}`). It has not run. Go on with \
         what does not depend on it and tell the user that it waits; make exactly the same call \
         again later, and it runs once it is allowed."
    );
    ToolError::new(Code::ApprovalPending, text).by_rule(format!("approval {id}"))
}

/// `why`: the tool's own reason, where it has one.
pub(super) fn nobody(tool: &str, why: Option<&str>) -> ToolError {
    let why = why.map(|why| format!(" {why}")).unwrap_or_default();
    let text = format!(
        "This call of `{tool}` wants somebody's approval, and nobody can be asked here. It has not \
         run, and will not.{why} Do without it, or tell the user what is to be done by hand."
    );
    ToolError::new(Code::ApprovalDenied, text).by_rule("approval.external = false")
}

pub(super) fn failed(tool: &str, id: &str) -> ToolError {
    let text = format!(
        "This call of `{tool}` wants somebody's approval, and asking for it failed. It has not \
         run. Tell the user; the same call will likely fail again for now."
    );
    refusal(id, text)
}

pub(super) fn unfit(tool: &str, id: &str) -> ToolError {
    let text = format!(
        "Whoever approved this call of `{tool}` changed its arguments, and the changes could not be \
         applied: the tool does not take them. {DO_NOT_REPEAT}"
    );
    refusal(id, text)
}

pub(super) fn gone(tool: &str, id: &str) -> ToolError {
    let text =
        format!("The request to approve this call of `{tool}` was taken back. {DO_NOT_REPEAT}");
    refusal(id, text)
}

pub(super) fn used_elsewhere(tool: &str, id: &str) -> ToolError {
    let text = format!(
        "The approval of this call of `{tool}` was used by another call like it. This one has not \
         run. Make it again only if it is needed twice."
    );
    refusal(id, text)
}

pub(super) fn too_large(tool: &str) -> ToolError {
    let text = format!(
        "This call of `{tool}` wants somebody's approval, and its arguments are too large to be \
         shown to a person. It has not run. Make it in smaller parts."
    );
    ToolError::new(Code::InvalidArguments, text)
}

pub(super) fn changed(tool: &str, id: &str) -> ToolError {
    let text = format!(
        "`{tool}` has changed since this call of it was approved, so the approval does not hold. It \
         has not run. Look at its description again, and make the call anew if it is still right."
    );
    refusal(id, text)
}

pub(super) fn edited<'k>(keys: impl Iterator<Item = &'k str>) -> String {
    let keys: Vec<String> = keys.map(|key| format!("`{}`", echo(key))).collect();
    format!(
        "Note: whoever approved this call changed its arguments ({}). What follows is the answer to \
         the changed call.",
        keys.join(", ")
    )
}
