//! Knows where schemas stand within a schema, so that no step mistakes a property called `pattern`,
//! an example or a default for a keyword.

use serde_json::{Map, Value};

use super::Unfit;

/// A schema that is an object: its keywords.
pub(super) type Keywords = Map<String, Value>;

/// The deepest nesting of schemas that is looked at.
const DEEPEST: usize = 64;

/// How the value of a keyword holds schemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// It is a schema.
    One,
    /// It is a list of schemas.
    List,
    /// It is an object whose values are schemas, under names of the author's.
    Named,
    /// It holds none.
    Nothing,
}

/// What the value of a keyword holds.
pub(super) fn holds(keyword: &str, value: &Value) -> Holds {
    match keyword {
        "items" if value.is_array() => Holds::List,
        "items"
        | "additionalProperties"
        | "additionalItems"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Holds::One,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Holds::Named
        }
        _ => Holds::Nothing,
    }
}

/// Rewrites every schema that is an object, the inner ones first. `path` is where `schema` stands.
///
/// # Errors
/// The step's own, or that the schema is too deep.
pub(super) fn rewrite(
    schema: Value,
    path: &str,
    step: &mut dyn FnMut(Keywords, &str) -> Result<Value, Unfit>,
) -> Result<Value, Unfit> {
    descend(schema, path, 0, step)
}

fn descend(
    schema: Value,
    path: &str,
    depth: usize,
    step: &mut dyn FnMut(Keywords, &str) -> Result<Value, Unfit>,
) -> Result<Value, Unfit> {
    let Value::Object(mut keywords) = schema else { return Ok(schema) };
    if depth > DEEPEST {
        return Err(too_deep(path));
    }
    for (keyword, value) in &mut keywords {
        each(keyword, value, path, &mut |inner, place| {
            *inner = descend(inner.take(), place, depth + 1, step)?;
            Ok(())
        })?;
    }
    step(keywords, path)
}

/// Hands over each schema that stands right below a keyword, with its place.
pub(super) fn each(
    keyword: &str,
    value: &mut Value,
    path: &str,
    visit: &mut dyn FnMut(&mut Value, &str) -> Result<(), Unfit>,
) -> Result<(), Unfit> {
    let place = format!("{path}/{}", escaped(keyword));
    match (holds(keyword, value), value) {
        (Holds::One, one) => visit(one, &place),
        (Holds::List, Value::Array(list)) => {
            for (index, one) in list.iter_mut().enumerate() {
                visit(one, &format!("{place}/{index}"))?;
            }
            Ok(())
        }
        (Holds::Named, Value::Object(named)) => {
            for (name, one) in named {
                visit(one, &format!("{place}/{}", escaped(name)))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Leaves no boolean in the place of the schema of a property or of items.
pub(super) fn without_booleans(keywords: &mut Keywords) {
    if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
        properties.retain(|_, property| *property != Value::Bool(false));
        for property in properties.values_mut().filter(|property| property.is_boolean()) {
            *property = Value::Object(Keywords::new());
        }
    }
    if keywords.get("items").is_some_and(Value::is_boolean) {
        keywords.shift_remove("items");
    }
}

/// The complaint about a schema that nests too deep.
pub(super) fn too_deep(path: &str) -> Unfit {
    Unfit::at(path, format!("schemas are nested deeper than {DEEPEST} levels"))
}

/// True if it is too deep to go on.
pub(super) fn is_too_deep(depth: usize) -> bool {
    depth > DEEPEST
}

/// A name as one step of a JSON pointer.
pub(in crate::tool) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
