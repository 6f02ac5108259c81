//! Gate: the secrets go back into the arguments, where they are bound. The last step before the tool
//! runs: whoever saw the call before, saw placeholders.

use std::borrow::Cow;

use serde_json::Value;

use super::path::CallPath;
use super::state::{Call, Stop};
use crate::error::{Code, Error};
use crate::scrub::Scrubber;
use crate::tool::{Assessment, Entry, ToolError};
use crate::vault::Refusal;

pub(super) fn pass(
    path: &CallPath,
    entry: &Entry,
    args: &mut Value,
    assessment: &Assessment,
    call: &mut Call<'_>,
) -> Result<(), Stop> {
    let (Some(vault), Some(opener)) = (&path.texts.vault, &call.opener) else { return Ok(()) };
    let tool = &entry.spec.name;
    if entry.tool.keeps_placeholders() || vault.is_text_to(tool) {
        return Ok(());
    }
    opener.open_all(tool, args, &assessment.touches).map_err(|refusal| {
        call.allowed = false;
        render(tool, &refusal).into()
    })
}

fn render(tool: &str, refusal: &Refusal) -> ToolError {
    let Refusal { placeholder, argument, why } = refusal;
    let text = format!(
        "`{tool}` was not run, because of `{placeholder}` in `{argument}`. {why} Make the call as \
         it is bound, or without the placeholder, or ask the user to bind it to this call."
    );
    ToolError::new(Code::SecretUnbound, text).by_rule("vault.bindings")
}

/// What masks the texts of this call: also the secrets that were put back for it, and those that
/// its tool has told of.
pub(super) fn scrubber(path: &CallPath, call: &Call<'_>) -> Scrubber {
    let scrubber = path.texts.scrubbers.of(&call.cx.caller().tenant);
    let scrubber = match &call.opener {
        Some(opener) => opener.scrubber(&scrubber),
        None => scrubber,
    };
    call.secrets().fold(scrubber, |scrubber, values| scrubber.with_values(values))
}

/// An error for the host, which a tool may have made of its arguments.
pub(super) fn masked(scrubber: &Scrubber, error: Error) -> Error {
    match scrubber.scrub(error.message()) {
        Cow::Borrowed(_) => error,
        Cow::Owned(masked) => Error::new(error.code(), masked),
    }
}
