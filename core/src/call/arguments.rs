//! Gate: arguments that fit the tool's schema, or a text that says where they do not.

use serde_json::{Map, Value};

use crate::error::Code;
use crate::limits::{MAX_ARGUMENT_BYTES, TooMuch, check_json, discard};
use crate::tool::{Arguments, Entry, ToolError};

/// The arguments, or why they are too much to be looked at.
pub(super) fn within_limits(args: Arguments) -> Result<Arguments, TooMuch> {
    match args {
        Arguments::Value(value) => match check_json(&value) {
            Ok(()) => Ok(Arguments::Value(value)),
            Err(why) => {
                discard(value);
                Err(why)
            }
        },
        Arguments::Text(text) if text.len() > MAX_ARGUMENT_BYTES => Err(TooMuch::Large),
        text => Ok(text),
    }
}

pub(super) fn pass(entry: &Entry, args: Result<Arguments, TooMuch>) -> Result<Value, ToolError> {
    let name = &entry.spec.name;
    let args = parse(name, args.map_err(|why| too_much(name, why))?)?;
    let Value::Object(fields) = &args else {
        return Err(refusal(name, "They must be one JSON object of named arguments."));
    };
    let required = entry.schema.required();
    if fields.is_empty() && !required.is_empty() {
        let text = format!(
            "They arrived empty, but these are required: {}. If you did send them, they were \
             probably dropped because the output was too long: send them again in smaller parts.",
            required.join(", ")
        );
        return Err(refusal(name, &text));
    }
    let complaints = entry.schema.complaints(&args);
    if complaints.is_empty() {
        return Ok(args);
    }
    Err(refusal(name, &format!("{} Correct that and call again.", complaints.join(" "))))
}

fn parse(name: &str, args: Arguments) -> Result<Value, ToolError> {
    let value = match args {
        Arguments::Value(value) => value,
        Arguments::Text(text) if text.trim().is_empty() => Value::Null,
        Arguments::Text(text) => serde_json::from_str(&text).map_err(|error| {
            // The parser has no code for it, and stops at the same depth as `check_json`.
            if error.to_string().starts_with("recursion limit exceeded") {
                return too_much(name, TooMuch::Deep);
            }
            let text = format!("They are not valid JSON: {error}. Send one complete JSON object.");
            refusal(name, &text)
        })?,
    };
    Ok(if value.is_null() { Value::Object(Map::new()) } else { value })
}

fn refusal(name: &str, text: &str) -> ToolError {
    ToolError::new(Code::InvalidArguments, format!("The arguments of `{name}` do not fit. {text}"))
}

fn too_much(name: &str, why: TooMuch) -> ToolError {
    let text = format!("Their JSON is refused: {why}. Send less at a time.");
    refusal(name, &text)
}
