//! OpenAI: Chat Completions, and the schema that the Responses API shares.

use serde_json::{Value, json};

use super::refs::{Cycles, inline};
use super::walk::{Keywords, rewrite, without_booleans};
use super::{Unfit, closed, constants, limits, notes, root, unions};
use crate::tool::ToolSpec;

pub(super) fn define(name: &str, spec: &ToolSpec, strict: bool) -> Result<Value, Unfit> {
    let mut function = json!({
        "name": name,
        "description": spec.description,
        "parameters": parameters(&spec.parameters, strict)?,
    });
    if strict {
        function["strict"] = json!(true);
    }
    Ok(json!({ "type": "function", "function": function }))
}

/// The arguments as OpenAI takes them.
pub(super) fn parameters(schema: &Value, strict: bool) -> Result<Value, Unfit> {
    let schema = root::fold(unions::simplify(inline(schema, Cycles::Keep)?)?)?;
    if !strict {
        return rewrite(schema, "", &mut |keywords, path| Ok(loose(keywords, path)));
    }
    let schema = notes::move_out(constants::to_enums(schema)?, keeps)?;
    let schema = closed::close(schema, true)?;
    limits::check(&schema)?;
    Ok(schema)
}

/// What OpenAI wants of any schema: no booleans in the place of schemas, `items` for every array,
/// and a root without conditions.
fn loose(mut keywords: Keywords, path: &str) -> Value {
    for keyword in ["$schema", "$id", "$anchor", "$comment"] {
        keywords.shift_remove(keyword);
    }
    if path.is_empty() {
        for keyword in ["not", "enum", "const"] {
            keywords.shift_remove(keyword);
        }
    }
    without_booleans(&mut keywords);
    if keywords.get("type").is_some_and(|kind| super::all_of::type_names(kind).contains(&"array")) {
        keywords.entry("items").or_insert_with(|| json!({}));
    }
    Value::Object(keywords)
}

fn keeps(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type" | "title" | "description" | "enum" | "properties" | "required"
        | "additionalProperties" | "items" | "anyOf" | "$ref" | "$defs" | "minimum" | "maximum"
        | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minItems" | "maxItems"
        // Told of when the schema is closed: they cannot be expressed.
        | "allOf" | "oneOf" => true,
        "pattern" => !notes::looks_around(value),
        "format" => [
            "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
        ]
        .iter()
        .any(|format| value == format),
        _ => false,
    }
}
