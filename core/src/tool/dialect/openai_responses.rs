//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Unfit, openai};
use crate::tool::ToolSpec;

pub(super) fn define(name: &str, spec: &ToolSpec, strict: bool) -> Result<Value, Unfit> {
    Ok(json!({
        "type": "function",
        "name": name,
        "description": spec.description,
        "parameters": openai::parameters(&spec.parameters, strict)?,
        // The API's own default is true.
        "strict": strict,
    }))
}
