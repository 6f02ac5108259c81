//! A tool's argument schema, compiled.

mod complaint;
mod fault;
mod form;
mod width;

use std::fmt;

use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

use crate::error::{Code, Error};
use crate::fork;
use crate::limits::check_json;

/// How many references are followed from one place.
const MOST_REFERENCES: usize = 8;

/// A compiled JSON Schema (2020-12). References are resolved within the schema only: nothing is
/// ever fetched.
pub struct Schema {
    validator: Validator,
    source: Value,
    /// How often it looks at one value at most.
    width: usize,
    properties: Vec<String>,
    required: Vec<String>,
    defaults: Vec<(String, Value)>,
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
        let width = width::width(schema);
        if width > width::MOST_LOOKS {
            return Err(bad(format!(
                "its unions and references multiply to more than {} forms of one value",
                width::MOST_LOOKS
            )));
        }
        let options = jsonschema::options().with_draft(Draft::Draft202012).offline();
        // The schema of schemas is made once, for the whole process.
        let validator = fork::hold(|| options.build(schema))
            .map_err(|error| bad(fault::describe(schema, &error)))?;
        let mut compiled = Schema {
            validator,
            source: schema.clone(),
            width,
            properties: Vec::new(),
            required: Vec::new(),
            defaults: Vec::new(),
        };
        compiled.learn();
        Ok(compiled)
    }

    /// Finds out what the schema says of the arguments themselves.
    fn learn(&mut self) {
        let whole = self.followed(&self.source);
        let properties = whole.get("properties").and_then(Value::as_object);
        let named = properties.into_iter().flatten();
        // A null that is filled in says no more than a property that is not there.
        let default = |(name, schema): (&String, &Value)| {
            let value = schema.get("default").filter(|value| !value.is_null())?;
            Some((name.clone(), value.clone()))
        };
        let defaults = named.clone().filter_map(default).collect();
        let names = named.map(|(name, _)| name.clone()).collect();
        // An empty object lacks all that must be there, wherever the schema says so.
        let nothing = Value::Object(serde_json::Map::new());
        let required = self.errors(&nothing).filter_map(|error| match error.kind() {
            jsonschema::error::ValidationErrorKind::Required { property } => {
                property.as_str().map(str::to_owned)
            }
            _ => None,
        });
        let required = required.collect();
        (self.properties, self.required, self.defaults) = (names, required, defaults);
    }

    /// The names of the required arguments.
    pub fn required(&self) -> &[String] {
        &self.required
    }

    /// True if the arguments fit.
    pub fn accepts(&self, args: &Value) -> bool {
        self.validator.is_valid(args)
    }

    pub(super) fn has_property(&self, name: &str) -> bool {
        self.properties.iter().any(|known| known == name)
    }

    /// The arguments that have a default, other than null.
    pub(super) fn defaults(&self) -> &[(String, Value)] {
        &self.defaults
    }

    /// The schema as it was written.
    pub(super) fn source(&self) -> &Value {
        &self.source
    }

    /// What a schema within this one refers to, if it refers to another within this one.
    pub(super) fn followed<'s>(&'s self, mut schema: &'s Value) -> &'s Value {
        for _ in 0..MOST_REFERENCES {
            let reference = schema.get("$ref").and_then(Value::as_str);
            let Some(pointer) = reference.and_then(|reference| reference.strip_prefix('#')) else {
                return schema;
            };
            let Some(next) = self.source.pointer(pointer) else { return schema };
            schema = next;
        }
        schema
    }

    pub(super) fn errors<'a>(
        &'a self,
        args: &'a Value,
    ) -> impl Iterator<Item = ValidationError<'a>> + 'a {
        self.validator.iter_errors(args)
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
        assert!(complaints(json!({"path": "x", "mode": "c"})).contains(r#""a", "b""#));
        assert!(complaints(json!({"path": "x", "nested": {"x": "y"}})).contains("`nested.x`"));
    }

    #[test]
    fn an_unknown_property_names_the_nearest_and_the_known_ones() {
        let text = complaints(json!({"path": "x", "limits": 5}));
        assert!(text.contains("did you mean `limit`?"), "{text}");
        assert!(text.contains("known: path, limit, mode, nested"), "{text}");
    }

    #[test]
    fn complaints_know_what_was_meant_deep_down_too() {
        let schema = json!({
            "type": "object",
            "properties": {
                "list": { "type": "array", "items": { "$ref": "#/$defs/item" } },
                "mode": { "enum": ["fast", "slow"] },
                "what": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/item" }] }
            },
            "required": ["list"],
            "$defs": { "item": {
                "type": "object", "properties": { "name": { "type": "string" } },
                "required": ["name"], "additionalProperties": false
            } }
        });
        let schema = Schema::compile("t", &schema).unwrap();
        let complaints = |args: Value| schema.complaints(&args).join(" ");
        let text = complaints(json!({"list": [{"name": "a"}, {"name": "a", "nmae": 1}]}));
        assert!(text.contains("`list[1]`") && text.contains("did you mean `name`?"), "{text}");
        let text = complaints(json!({"lists": []}));
        assert!(text.contains("`lists` was given, did you mean `list`?"), "{text}");
        let text = complaints(json!({"list": [], "mode": "fats"}));
        assert!(text.contains("did you mean \"fast\"?"), "{text}");
        let text = complaints(json!({"list": [], "what": 5}));
        assert!(text.contains("expected a string, or an object with `name`"), "{text}");
        let text = complaints(json!({"list": [], "what": {"name": 5}}));
        assert!(text.contains("`what.name`: expected string"), "{text}");
    }

    #[test]
    fn complaints_are_few_and_short() {
        let options: Vec<String> = (0..5_000).map(|n| format!("option-{n}")).collect();
        let schema = json!({
            "type": "object",
            "properties": { "many": { "items": { "enum": options } } }
        });
        let schema = Schema::compile("t", &schema).unwrap();
        let wrong: Vec<String> = (0..1_000).map(|_| "é".repeat(10_000)).collect();
        let complaints = schema.complaints(&json!({ "many": wrong }));
        assert_eq!(complaints.len(), 5);
        assert!(complaints.iter().all(|text| text.chars().count() <= 600));
        assert!(complaints[0].contains("more"), "{}", complaints[0]);
    }

    #[test]
    fn what_is_required_is_known_wherever_the_schema_says_so() {
        for schema in [
            json!({"required": ["a", "b"]}),
            json!({"allOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"$ref": "#/$defs/x", "$defs": {"x": {"required": ["a", "b"]}}}),
        ] {
            assert_eq!(Schema::compile("t", &schema).unwrap().required(), ["a", "b"], "{schema}");
        }
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        for (bad, place) in [
            (json!(5), "JSON object"),
            (json!({"type": "string"}), "`type`"),
            (json!({"type": 7}), "`type`"),
            (json!({"$ref": "https://example.com/x.json"}), "`/$ref`"),
            (json!({"properties": {"a/b": {"type": "strng"}}}), "`/properties/a~1b/type`"),
            (
                json!({"properties": {"a": {"items": {"minimum": "0"}}}}),
                "`/properties/a/items/minimum`",
            ),
            (json!({"required": "a"}), "`/required`"),
            (json!({"properties": {"a": {"pattern": "("}}}), "`/properties/a/pattern`"),
            (json!({"$defs": {"d": {"enum": 1}}}), "`/$defs/d/enum`"),
            (json!({"properties": {"a": {"$ref": "#/$defs/d"}}}), "`/properties/a/$ref`"),
            (json!({"anyOf": [{}, {"$ref": "#none"}]}), "`/anyOf/1/$ref`"),
            (
                json!({"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"pattern": "["}}}),
                "`/$defs/d/pattern`",
            ),
        ] {
            let error = Schema::compile("t", &bad).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{bad}");
            assert!(error.message().contains("`t`"));
            assert!(error.message().contains(place), "{bad}: {}", error.message());
        }
    }

    #[test]
    fn a_schema_whose_forms_multiply_without_end_is_refused() {
        for last in ["#/$defs/d30", "#/$defs/d%330", "#end"] {
            let mut definitions = serde_json::Map::new();
            for n in 0..30 {
                let next = format!("#/$defs/d{}", n + 1);
                let next = json!({ "$ref": if n == 29 { last } else { &next } });
                definitions.insert(format!("d{n}"), json!({ "anyOf": [next, { "not": next }] }));
            }
            definitions.insert("d30".into(), json!({ "$anchor": "end", "type": "integer" }));
            let schema = json!({
                "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": definitions
            });
            let error = Schema::compile("t", &schema).unwrap_err();
            assert!(error.message().contains("multiply"), "{}", error.message());
        }
    }

    #[test]
    fn what_is_wrong_with_huge_arguments_is_not_listed_form_by_form() {
        let forms: Vec<Value> = (0..50).map(|n| json!({ "const": n })).collect();
        let schema = json!({ "properties": { "x": { "oneOf": forms } } });
        let schema = Schema::compile("t", &schema).unwrap();
        let complaints = |args: &Value| schema.complaints(args).join(" ");
        assert!(complaints(&json!({ "x": "a" })).contains("`x`"));
        let huge = json!({ "x": "a".repeat(1 << 20) });
        assert!(complaints(&huge).contains("too large"), "{}", complaints(&huge));
        let none = std::collections::BTreeMap::new();
        let names = crate::tool::Names { argument_aliases: &none, alias: None };
        assert!(!schema.fit(names, huge).fits);
    }
}
