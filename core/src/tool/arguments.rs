//! The arguments of a call as a host hands them over.

use serde_json::Value;

/// Arguments before they are parsed and validated: a JSON value, or the JSON text as the model
/// wrote it. Broken text is the model's mistake and is answered with a result that says so.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arguments {
    /// Parsed JSON. `null` means no arguments.
    Value(Value),
    /// JSON text. An empty text means no arguments.
    Text(String),
    /// Data that is not JSON, though a model may have sent it: text with half a character, a number that is
    /// too long. Says what is wrong, and where. The call is answered with that.
    Unread(String),
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Arguments {
        Arguments::Value(value)
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Arguments {
        Arguments::Text(text)
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Arguments {
        Arguments::Text(text.to_owned())
    }
}
