//! What a host hands in as text, taken apart.

use serde_json::Value;
use toolkeep::limits::MAX_ARGUMENT_BYTES;
use toolkeep::{CallContext, Caller, Code, Error, strict};

use crate::string::toolkeep_str;

/// JSON from a text; an empty one is `null`. `what` names the argument in the error.
///
/// # Safety
/// As [`toolkeep_str::text`].
pub(crate) unsafe fn json(text: toolkeep_str, what: &str) -> Result<Value, Error> {
    // SAFETY: the same conditions.
    let text = unsafe { text.text(what) }?;
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    if text.len() > MAX_ARGUMENT_BYTES {
        let most = MAX_ARGUMENT_BYTES >> 20;
        let text = format!("`{what}` is larger than {most} MiB; send less at a time");
        return Err(Error::new(Code::TooLarge, text));
    }
    strict::parse(text).map_err(|error| {
        Error::new(Code::InvalidJson, format!("`{what}` is not valid JSON: {error}"))
    })
}

/// The context of a call; an empty text is the default one.
///
/// # Safety
/// As [`toolkeep_str::text`].
pub(crate) unsafe fn context(text: toolkeep_str) -> Result<CallContext, Error> {
    // SAFETY: the same conditions.
    let value = unsafe { json(text, "context_json") }?;
    if value.is_null() {
        return Ok(CallContext::new());
    }
    Ok(Caller::from_value(&value)?.into())
}

/// JSON text of an answer.
pub(crate) fn text_of(answer: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(answer)
        .map_err(|error| Error::new(Code::Internal, format!("an answer is not JSON: {error}")))
}
