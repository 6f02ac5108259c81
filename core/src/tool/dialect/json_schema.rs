//! The plain JSON Schema of a tool's arguments.

use serde_json::{Map, Value, json};

use crate::tool::ToolSpec;

pub(super) fn define(name: &str, spec: &ToolSpec) -> Value {
    let mut schema = Map::new();
    schema.insert("title".into(), json!(name));
    schema.insert("description".into(), json!(spec.description));
    for (keyword, value) in spec.parameters.as_object().into_iter().flatten() {
        if !schema.contains_key(keyword) {
            schema.insert(keyword.clone(), value.clone());
        }
    }
    Value::Object(schema)
}
