//! MCP: the schema as the tool has it, and hints.

use serde_json::{Value, json};

use crate::kind::Capability;
use crate::tool::ToolSpec;

pub(super) fn define(name: &str, spec: &ToolSpec) -> Value {
    json!({
        "name": name,
        "description": spec.description,
        "inputSchema": object(&spec.parameters),
        "annotations": {
            "readOnlyHint": spec.is_read_only(),
            "destructiveHint": spec.may_be(Capability::Destructive),
            "openWorldHint": spec.may_be(Capability::OpenWorld),
        },
    })
}

/// MCP wants the `type` said that the registry takes for granted.
fn object(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}
