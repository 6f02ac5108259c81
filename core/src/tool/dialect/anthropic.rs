//! Anthropic Messages.

use serde_json::{Value, json};

use super::refs::{Cycles, inline};
use super::walk::escaped;
use super::{Unfit, closed, constants, notes, root, unions};
use crate::tool::ToolSpec;

pub(super) fn define(name: &str, spec: &ToolSpec, strict: bool) -> Result<Value, Unfit> {
    let mut tool = json!({
        "name": name,
        "description": spec.description,
        "input_schema": parameters(&spec.parameters, strict)?,
    });
    if strict {
        tool["strict"] = json!(true);
    }
    Ok(tool)
}

fn parameters(schema: &Value, strict: bool) -> Result<Value, Unfit> {
    let cycles = if strict { Cycles::Refuse } else { Cycles::Keep };
    let mut schema = root::fold(unions::simplify(inline(schema, cycles)?)?)?;
    check_names(&schema)?;
    if !strict {
        if let Some(root) = schema.as_object_mut() {
            root.shift_remove("$schema");
        }
        return Ok(schema);
    }
    closed::close(notes::move_out(constants::to_enums(schema)?, keeps)?, false)
}

/// The API refuses a request in which an argument has another kind of name.
fn check_names(schema: &Value) -> Result<(), Unfit> {
    let fits = |name: &str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
    };
    let names = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name);
    match names.into_iter().find(|name| !fits(name)) {
        None => Ok(()),
        Some(name) => Err(Unfit::at(
            &format!("/properties/{}", escaped(name)),
            "the name of an argument must be 1 to 64 letters, digits, `_`, `.` or `-`",
        )),
    }
}

fn keeps(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type"
        | "description"
        | "enum"
        | "properties"
        | "required"
        | "additionalProperties"
        | "items"
        | "anyOf"
        | "allOf"
        | "oneOf" => true,
        "minItems" => value == 0 || value == 1,
        "format" => [
            "date-time",
            "time",
            "date",
            "duration",
            "email",
            "hostname",
            "uri",
            "ipv4",
            "ipv6",
            "uuid",
        ]
        .iter()
        .any(|format| value == format),
        _ => false,
    }
}
