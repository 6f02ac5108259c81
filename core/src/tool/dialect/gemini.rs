//! Gemini function declarations, with the part of JSON Schema that `parametersJsonSchema` is
//! documented to understand.

use serde_json::{Value, json};

use super::refs::{Cycles, inline};
use super::walk::{rewrite, without_booleans};
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
    let schema = rewrite(constants::to_enums(schema)?, "", &mut |mut keywords, _| {
        // What may be null is said by `type`; an `enum` has texts and numbers only.
        if let Some(Value::Array(values)) = keywords.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        Ok(Value::Object(keywords))
    })?;
    let schema = notes::move_out(schema, keeps)?;
    rewrite(schema, "", &mut |mut keywords, path| match ["allOf", "oneOf"]
        .iter()
        .find(|keyword| keywords.contains_key(**keyword))
    {
        None => {
            without_booleans(&mut keywords);
            Ok(Value::Object(keywords))
        }
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
        "enum" => value.as_array().is_some_and(|values| {
            !values.is_empty() && values.iter().all(|v| v.is_string() || v.is_number())
        }),
        "format" => ["date-time", "date", "time"].iter().any(|format| value == format),
        _ => false,
    }
}
