//! What is wrong with a schema that cannot be compiled, and where.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::limits::prefix_of_chars;
use crate::tool::dialect::{escaped, percent_decoded};

/// The longest text of an error, in characters: it may hold a large part of the schema.
const MOST_CHARS: usize = 300;

/// The error with the place that it is about, as a JSON pointer into the schema.
pub(super) fn describe(schema: &Value, error: &ValidationError<'_>) -> String {
    let text = error.to_string();
    let text = prefix_of_chars(&text, MOST_CHARS);
    match place(schema, error) {
        Some(place) => format!("{text} (at `{place}`)"),
        None => text.to_owned(),
    }
}

fn place(schema: &Value, error: &ValidationError<'_>) -> Option<String> {
    // The schema is what does not fit the schema of schemas.
    let own = error.instance_path().as_str();
    if !own.is_empty() {
        return Some(own.to_owned());
    }
    if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
        return find(schema, "", &|keyword, value| {
            keyword == "$ref" && value.as_str().is_some_and(|pointer| !leads_on(schema, pointer))
        });
    }
    let keyword = error.schema_path().as_str();
    if !keyword.is_empty() && schema.pointer(keyword).is_some() {
        return Some(keyword.to_owned());
    }
    find(schema, "", &|_, value| *value == **error.instance())
}

/// True if the reference points at something in the schema.
fn leads_on(schema: &Value, reference: &str) -> bool {
    let Some(pointer) = reference.strip_prefix('#') else { return false };
    let pointer = percent_decoded(pointer);
    let is_anchor = |keyword: &str, value: &Value| keyword == "$anchor" && *value == *pointer;
    schema.pointer(&pointer).is_some() || find(schema, "", &is_anchor).is_some()
}

/// The pointer of the first value that is as wanted, given the key that it stands under.
fn find(value: &Value, at: &str, is_wanted: &dyn Fn(&str, &Value) -> bool) -> Option<String> {
    let look = |step: &str, inner: &Value| {
        let place = format!("{at}/{}", escaped(step));
        if is_wanted(step, inner) { Some(place) } else { find(inner, &place, is_wanted) }
    };
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, inner)| look(name, inner)),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, inner)| look(&index.to_string(), inner))
        }
        _ => None,
    }
}
