//! A tool's argument schema, compiled, and its complaints written for a model.

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

use crate::error::{Code, Error};
use crate::limits::{check_json, echo, prefix_of_chars};
use crate::nearest::nearest;

/// How many complaints one answer lists.
const MOST_COMPLAINTS: usize = 5;

/// A compiled JSON Schema (2020-12). References are resolved within the schema only: nothing is
/// ever fetched.
pub struct Schema {
    validator: Validator,
    properties: Vec<String>,
    required: Vec<String>,
}

impl Schema {
    /// Compiles the schema of a tool's arguments. `tool` names it in the error.
    pub fn compile(tool: &str, schema: &Value) -> Result<Schema, Error> {
        let bad = |why: String| {
            Error::new(
                Code::InvalidArgument,
                format!("the `parameters` of tool `{tool}` are not a usable JSON Schema: {why}"),
            )
        };
        check_json(schema).map_err(|why| Error::new(why.code(), bad(why.to_string()).message()))?;
        let Some(fields) = schema.as_object() else {
            return Err(bad("it must be a JSON object".into()));
        };
        match fields.get("type") {
            None => {}
            Some(Value::String(kind)) if kind == "object" => {}
            Some(other) => {
                return Err(bad(format!("its `type` is {other}, but arguments are an object")));
            }
        }
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .build(schema)
            .map_err(|error| bad(error.to_string()))?;
        let properties = fields
            .get("properties")
            .and_then(Value::as_object)
            .map(|properties| properties.keys().cloned().collect())
            .unwrap_or_default();
        let required = fields
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            .unwrap_or_default();
        Ok(Schema { validator, properties, required })
    }

    /// The names of the required arguments.
    pub fn required(&self) -> &[String] {
        &self.required
    }

    /// What is wrong with the arguments, a complaint each; empty if nothing is.
    pub fn complaints(&self, args: &Value) -> Vec<String> {
        if self.validator.is_valid(args) {
            return Vec::new();
        }
        let errors = self.validator.iter_errors(args);
        errors.take(MOST_COMPLAINTS).map(|error| self.complaint(&error)).collect()
    }

    fn complaint(&self, error: &ValidationError<'_>) -> String {
        let path = error.instance_path().as_str();
        let place = match path.strip_prefix('/') {
            None => "The arguments".to_owned(),
            Some(path) => format!("`{}`", path.replace('/', ".")),
        };
        let got = shown(error.instance());
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                match path {
                    "" => format!("The required property `{name}` is missing."),
                    _ => format!("{place}: the required property `{name}` is missing."),
                }
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                self.unknown_properties(&place, path.is_empty(), unexpected)
            }
            ValidationErrorKind::Type { kind } => {
                let wanted = match kind {
                    jsonschema::error::TypeKind::Single(one) => one.to_string(),
                    jsonschema::error::TypeKind::Multiple(many) => {
                        many.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
                    }
                };
                format!("{place}: expected {wanted}, got {got}.")
            }
            ValidationErrorKind::Enum { options } => {
                format!("{place}: {got} is not one of the allowed values {options}.")
            }
            _ => format!("{place}: {}.", prefix_of_chars(&error.to_string(), 300)),
        }
    }

    fn unknown_properties(&self, place: &str, at_root: bool, unexpected: &[String]) -> String {
        let mut named: Vec<String> = unexpected
            .iter()
            .take(MOST_COMPLAINTS)
            .map(|name| {
                let known = self.properties.iter().map(String::as_str);
                match nearest(name, known).filter(|_| at_root) {
                    Some(meant) => format!("`{}` (did you mean `{meant}`?)", echo(name)),
                    None => format!("`{}`", echo(name)),
                }
            })
            .collect();
        if unexpected.len() > MOST_COMPLAINTS {
            named.push(format!("and {} more", unexpected.len() - MOST_COMPLAINTS));
        }
        let mut text = match at_root {
            true => format!("Unknown property {}", named.join(", ")),
            false => format!("{place}: unknown property {}", named.join(", ")),
        };
        if at_root && !self.properties.is_empty() {
            text.push_str(&format!("; known: {}", self.properties.join(", ")));
        }
        text.push('.');
        text
    }
}

/// A value as a complaint shows it: its kind, and itself where that is short.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().nth(40).is_none() => format!("the string {value}"),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("properties", &self.properties).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn complaints(args: Value) -> String {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "limit": { "type": ["integer", "null"], "minimum": 0 },
                "mode": { "enum": ["a", "b"] },
                "nested": { "type": "object", "properties": { "x": { "type": "integer" } } }
            },
            "required": ["path"],
            "additionalProperties": false
        });
        Schema::compile("t", &schema).unwrap().complaints(&args).join(" ")
    }

    #[test]
    fn complaints_name_path_expectation_and_what_was_given() {
        assert_eq!(complaints(json!({"path": "x"})), "");
        assert!(complaints(json!({})).contains("required property `path` is missing"));
        assert_eq!(complaints(json!({"path": 5})), "`path`: expected string, got the number 5.");
        assert!(complaints(json!({"path": "x", "limit": "a"})).contains("null"));
        assert!(complaints(json!({"path": "x", "limit": -1})).contains("`limit`"));
        assert!(complaints(json!({"path": "x", "mode": "c"})).contains(r#"["a","b"]"#));
        assert!(complaints(json!({"path": "x", "nested": {"x": "y"}})).contains("`nested.x`"));
    }

    #[test]
    fn an_unknown_property_names_the_nearest_and_the_known_ones() {
        let text = complaints(json!({"path": "x", "limits": 5}));
        assert!(text.contains("did you mean `limit`?"), "{text}");
        assert!(text.contains("known: path, limit, mode, nested"), "{text}");
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        for bad in [
            json!(5),
            json!({"type": "string"}),
            json!({"type": 7}),
            json!({"$ref": "https://example.com/x.json"}),
        ] {
            let error = Schema::compile("t", &bad).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{bad}");
            assert!(error.message().contains("`t`"));
        }
    }
}
