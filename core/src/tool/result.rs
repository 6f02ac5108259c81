//! What a call answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Repair, ToolError};
use crate::error::Code;

/// A file to hand to the user along with a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Media {
    /// Where it lies: a path in the workspace, or a URL.
    pub path: String,
    /// The name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// The MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// A caption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// The answer to a call: what the model may see, and what the host should know. A refusal is a
/// result, too, with `is_error` and a `code`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolResult {
    /// The text for the model: scrubbed, and capped. Where a tool leaves it empty and gives
    /// `structured`, the model sees that as compact JSON.
    pub for_llm: String,
    /// The text for the user, where it differs.
    pub for_user: Option<String>,
    /// True if the call was refused or the tool failed.
    pub is_error: bool,
    /// The stable code of the refusal or failure.
    pub code: Option<Code>,
    /// The rule that refused.
    pub rule: Option<String>,
    /// When the same call may be tried again, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// True if the user need not see it.
    pub silent: bool,
    /// True if work goes on in the background.
    pub is_async: bool,
    /// Files for the user.
    pub media: Vec<Media>,
    /// The result as data, where the tool has it. Scrubbed.
    pub structured: Option<Value>,
    /// The artifact that holds the whole text when `for_llm` was cut. Read it in parts with
    /// `read_file` and `path="artifact:<id>"`, from the same session.
    pub artifact: Option<String>,
    /// What was put right in the arguments before the tool got them. Never a value of them.
    pub repairs: Vec<Repair>,
    /// The approval that the call waits for, was denied by, or used: the id for `approvals.*`.
    pub approval: Option<String>,
    /// The id of the call: the same as in its audit row and events.
    pub call_id: String,
    /// How long the tool ran, in microseconds. 0 if it did not.
    pub duration_us: u64,
}

impl ToolResult {
    /// A text for the model.
    pub fn text(for_llm: impl Into<String>) -> ToolResult {
        ToolResult { for_llm: for_llm.into(), ..ToolResult::default() }
    }

    /// A text for the model that the user need not see.
    pub fn silent(for_llm: impl Into<String>) -> ToolResult {
        ToolResult { for_llm: for_llm.into(), silent: true, ..ToolResult::default() }
    }

    /// The same text for model and user.
    pub fn for_user(text: impl Into<String>) -> ToolResult {
        let text = text.into();
        ToolResult { for_llm: text.clone(), for_user: Some(text), ..ToolResult::default() }
    }

    /// Data: the model sees it as compact JSON.
    pub fn data(value: Value) -> ToolResult {
        ToolResult { structured: Some(value), ..ToolResult::default() }
    }

    /// A host tool's return value as a result. A string is the text for the model, `null` is an
    /// empty text, an object with the key `for_llm` is a whole result, and any other JSON is
    /// data, which the model sees as compact JSON.
    pub fn from_value(value: Value) -> Result<ToolResult, ToolError> {
        match value {
            Value::String(text) => Ok(ToolResult::text(text)),
            Value::Null => Ok(ToolResult::default()),
            Value::Object(fields) if fields.contains_key("for_llm") => {
                crate::strict::from_value(&Value::Object(fields)).map_err(|why| {
                    let text = format!("The tool returned a malformed result: {why}.");
                    ToolError::new(Code::InvalidResult, text)
                })
            }
            other => Ok(ToolResult::data(other)),
        }
    }
}

impl From<ToolError> for ToolResult {
    fn from(error: ToolError) -> ToolResult {
        ToolResult {
            for_llm: error.message,
            is_error: true,
            code: Some(error.code),
            rule: error.rule,
            retry_after_ms: error.retry_after_ms,
            ..ToolResult::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn host_values_become_results() {
        assert_eq!(ToolResult::from_value(json!("hi")).unwrap().for_llm, "hi");
        assert_eq!(ToolResult::from_value(json!(null)).unwrap().for_llm, "");
        let data = ToolResult::from_value(json!({"a": 1})).unwrap();
        assert_eq!(data.for_llm, "");
        assert_eq!(data.structured, Some(json!({"a": 1})));
        let whole = ToolResult::from_value(json!({"for_llm": "x", "silent": true})).unwrap();
        assert!(whole.silent);
    }

    #[test]
    fn a_malformed_whole_result_is_refused() {
        let error = ToolResult::from_value(json!({"for_llm": 5})).unwrap_err();
        assert_eq!(error.code, Code::InvalidResult);
        let error = ToolResult::from_value(json!({"for_llm": "x", "slient": true})).unwrap_err();
        assert!(error.message.contains("slient"));
    }
}
