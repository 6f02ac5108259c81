//! Gemini function declarations, with the part of JSON Schema that `parametersJsonSchema` is
//! documented to understand.

use serde_json::{Value, json};

use super::refs::{Cycles, inline};
use super::walk::rewrite;
use super::{Unfit, constants, notes, root, unions};
use crate::tool::ToolSpec;

pub(super) fn define(name: &str, spec: &ToolSpec) -> Result<Value, Unfit> {
    Ok(json!({
        "name": name,
        "description": spec.description,
        "parametersJsonSchema": parameters(&spec.parameters)?,
    }))
}

fn parameters(schema: &Value) -> Result<Value, Unfit> {
    let schema = root::fold(unions::simplify(inline(schema, Cycles::Cut)?)?)?;
    let schema = notes::move_out(constants::to_enums(schema)?, keeps)?;
    rewrite(schema, "", &mut |keywords, path| match ["allOf", "oneOf"]
        .iter()
        .find(|keyword| keywords.contains_key(**keyword))
    {
        None => Ok(Value::Object(keywords)),
        Some(keyword) => {
            let reason = format!("this `{keyword}` cannot be written as one schema or as `anyOf`");
            Err(Unfit::at(path, reason))
        }
    })
}

fn keeps(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type"
        | "title"
        | "description"
        | "properties"
        | "required"
        | "additionalProperties"
        | "items"
        | "prefixItems"
        | "minItems"
        | "maxItems"
        | "minimum"
        | "maximum"
        | "anyOf"
        | "allOf"
        | "oneOf" => true,
        "enum" => value
            .as_array()
            .is_some_and(|values| values.iter().all(|v| v.is_string() || v.is_number())),
        "format" => ["date-time", "date", "time"].iter().any(|format| value == format),
        _ => false,
    }
}
