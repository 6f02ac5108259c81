//! Data from a host, taken at its word: an unknown key or a wrong type is an error that names the
//! key, and the nearest one that is known.

mod text;

pub use text::{Unread, parse, parse_by};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::nearest::nearest;

/// A typed value from JSON-like data.
///
/// # Errors
/// A sentence that names the key and says what is wrong with it.
pub fn from_value<T: DeserializeOwned + JsonSchema>(value: &Value) -> Result<T, String> {
    // Serde would take an array for a struct, too.
    if value.is_object()
        && let Ok(typed) = T::deserialize(value)
    {
        return Ok(typed);
    }
    check::<T>(value)?;
    serde_path_to_error::deserialize(value).map_err(|error| {
        let place = error.path().to_string();
        match place.as_str() {
            "." => error.inner().to_string(),
            _ => format!("`{place}`: {}", error.inner()),
        }
    })
}

/// Compares data with the type's schema, key by key, as deep as its objects go.
///
/// # Errors
/// A sentence that names the first key that the type does not have, or that should be an object.
pub fn check<T: JsonSchema>(value: &Value) -> Result<(), String> {
    let schema = schemars::schema_for!(T).to_value();
    walk(&schema, &schema, value, "")
}

fn walk(root: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let (schema, optional) = resolved(root, schema);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    let Some(fields) = value.as_object() else {
        if value.is_null() && optional {
            return Ok(());
        }
        let place = if place.is_empty() { String::new() } else { format!("`{place}`: ") };
        return Err(format!("{place}expected keys and values (an object), got {}", kind(value)));
    };
    for (key, field) in fields {
        let path = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        let Some(known) = properties.get(key) else {
            let meant = nearest(key, properties.keys().map(String::as_str));
            let hint = meant.map(|m| format!(" did you mean `{m}`?")).unwrap_or_default();
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            let known = names.join(", ");
            return Err(format!("`{path}`: there is no such key;{hint} known here: {known}"));
        };
        walk(root, known, field, &path)?;
    }
    Ok(())
}

/// Follows `$ref`, and the one object behind an optional value.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> (&'s Value, bool) {
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str)
        && let Some(target) = root.pointer(pointer.trim_start_matches('#'))
    {
        return resolved(root, target);
    }
    let choices = schema.get("anyOf").and_then(Value::as_array);
    match choices.and_then(|all| all.iter().find(|one| one.get("$ref").is_some())) {
        Some(choice) => (resolved(root, choice).0, true),
        None => (schema, false),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
