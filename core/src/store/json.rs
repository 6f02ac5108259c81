//! JSON on its way into the store: an object, and shallow enough to be read again.

use serde_json::Value;

use crate::limits::MAX_JSON_DEPTH;

/// The text of a JSON object.
///
/// The parser that reads it back gives up one level before [`MAX_JSON_DEPTH`], so deeper objects
/// are refused here: a row that nobody can read would stop whoever reads past it.
pub(super) fn object_text(field: &str, value: &Value) -> Result<String, String> {
    if !value.is_object() {
        return Err(format!("`{field}` is not a JSON object; give `{{}}` for none"));
    }
    any_text(field, value)
}

/// The text of any JSON, shallow enough to be read again.
pub(super) fn any_text(field: &str, value: &Value) -> Result<String, String> {
    if !is_shallower(value, MAX_JSON_DEPTH) {
        return Err(format!(
            "`{field}` is nested too deeply; keep it below {MAX_JSON_DEPTH} levels"
        ));
    }
    Ok(value.to_string())
}

fn is_shallower(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 1 && items.iter().all(|item| is_shallower(item, depth - 1)),
        Value::Object(fields) => {
            depth > 1 && fields.values().all(|field| is_shallower(field, depth - 1))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Null, |inner, _| serde_json::json!({ "a": inner }))
    }

    #[test]
    fn what_is_accepted_can_be_read_again() {
        let text = object_text("data", &nested(MAX_JSON_DEPTH - 1)).unwrap();
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        assert!(object_text("data", &nested(MAX_JSON_DEPTH)).is_err());
    }

    #[test]
    fn only_objects_are_accepted() {
        assert!(object_text("settings", &serde_json::json!([])).unwrap_err().contains("settings"));
    }
}
