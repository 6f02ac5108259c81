//! Constants and enumerations, with the type that some providers ask for.

use serde_json::{Value, json};

use super::Unfit;
use super::walk::rewrite;

/// Turns every `const` into an `enum` of one value, and gives every `enum` a `type`.
pub(super) fn to_enums(schema: Value) -> Result<Value, Unfit> {
    rewrite(schema, "", &mut |mut keywords, _| {
        if let Some(value) = keywords.shift_remove("const") {
            keywords.insert("enum".into(), json!([value]));
        }
        if let (Some(Value::Array(values)), false) =
            (keywords.get("enum"), keywords.contains_key("type"))
        {
            let mut kinds: Vec<&str> = Vec::new();
            for kind in values.iter().map(type_of) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            let kind = match kinds.as_slice() {
                [one] => json!(one),
                many => json!(many),
            };
            keywords.insert("type".into(), kind);
        }
        Ok(Value::Object(keywords))
    })
}

/// The one type that all values have, if it is a scalar one.
pub(super) fn common_type(values: &[Value]) -> Option<&'static str> {
    let kind = type_of(values.first()?);
    let same = values.iter().all(|value| type_of(value) == kind);
    (same && !matches!(kind, "object" | "array" | "null")).then_some(kind)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
