//! The strict form: every object closed, every value of a known type.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Unfit;
use super::all_of::type_names;
use super::walk::{Keywords, escaped, rewrite};

/// Closes every object. With `requires_all` every property is required, and one that was optional
/// may be null instead.
pub(super) fn close(schema: Value, requires_all: bool) -> Result<Value, Unfit> {
    rewrite(schema, "", &mut |mut keywords, path| {
        if keywords.contains_key("$ref") {
            return Ok(Value::Object(alone(keywords)));
        }
        check_typed(&keywords, path)?;
        let kinds = keywords.get("type").map(type_names).unwrap_or_default();
        let (has_object, has_array, many) =
            (kinds.contains(&"object"), kinds.contains(&"array"), kinds.len() > 1);
        if many && (has_object || has_array) {
            return close_each(&keywords, path, requires_all);
        }
        if has_object {
            close_object(&mut keywords, path, requires_all)?;
        }
        if has_array {
            check_items(&keywords, path)?;
        }
        Ok(Value::Object(keywords))
    })
}

/// A reference stands alone in the strict form: what is said of it stands around it.
fn alone(mut keywords: Keywords) -> Keywords {
    let reference = keywords.shift_remove("$ref");
    keywords.retain(|keyword, _| matches!(keyword.as_str(), "description" | "title"));
    if keywords.is_empty() {
        keywords.extend(reference.map(|pointer| ("$ref".to_owned(), pointer)));
    } else {
        keywords.insert("anyOf".into(), json!([{ "$ref": reference }]));
    }
    keywords
}

fn check_typed(keywords: &Keywords, path: &str) -> Result<(), Unfit> {
    if let Some(keyword) = ["allOf", "oneOf"].iter().find(|k| keywords.contains_key(**k)) {
        let reason = format!("this `{keyword}` cannot be written as one schema or as `anyOf`");
        return Err(Unfit::at(path, reason));
    }
    if keywords.contains_key("type") || keywords.contains_key("anyOf") {
        return Ok(());
    }
    Err(Unfit::at(path, "it takes any value; give it a `type`"))
}

/// A union of types with an object or an array among them, as a union of schemas.
pub(super) fn close_each(
    keywords: &Keywords,
    path: &str,
    requires_all: bool,
) -> Result<Value, Unfit> {
    const REMARKS: [&str; 3] = ["description", "title", "$defs"];
    let (remarks, rest): (Keywords, Keywords) =
        keywords.clone().into_iter().partition(|(keyword, _)| REMARKS.contains(&keyword.as_str()));
    let mut variants = Vec::new();
    for kind in rest.get("type").map(type_names).unwrap_or_default() {
        let mut variant = rest.clone();
        variant.retain(|keyword, _| belongs(keyword, kind));
        variant.insert("type".into(), json!(kind));
        match kind {
            "object" => close_object(&mut variant, path, requires_all)?,
            "array" => check_items(&variant, path)?,
            _ => {}
        }
        variants.push(Value::Object(variant));
    }
    let mut union = remarks;
    union.insert("anyOf".into(), Value::Array(variants));
    Ok(Value::Object(union))
}

fn belongs(keyword: &str, kind: &str) -> bool {
    match keyword {
        "properties" | "required" | "additionalProperties" => kind == "object",
        "items" | "minItems" | "maxItems" => kind == "array",
        "pattern" | "format" => kind == "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "number" | "integer")
        }
        _ => true,
    }
}

fn check_items(keywords: &Keywords, path: &str) -> Result<(), Unfit> {
    match keywords.get("items") {
        Some(Value::Object(_)) => Ok(()),
        _ => Err(Unfit::at(path, "its items may be anything; give `items` a `type`")),
    }
}

fn close_object(keywords: &mut Keywords, path: &str, requires_all: bool) -> Result<(), Unfit> {
    let named =
        keywords.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
    match keywords.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        // A declared object that does not mind more; the model is told of the declared ones.
        Some(_) if named && keywords.get("additionalProperties") == Some(&json!(true)) => {}
        Some(_) => {
            let reason = "its properties may have any name; declare them under `properties`";
            return Err(Unfit::at(path, reason));
        }
    }
    if !named && !path.is_empty() && keywords.get("additionalProperties") != Some(&json!(false)) {
        let reason = "it is an object of any properties; declare them under `properties`";
        return Err(Unfit::at(path, reason));
    }
    let was_required: HashSet<String> = names(keywords.get("required"));
    let properties = keywords.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else { return Ok(()) };
    if let Some((name, _)) = properties.iter().find(|(_, property)| !property.is_object()) {
        let place = format!("{path}/properties/{}", escaped(name));
        return Err(Unfit::at(&place, "it takes any value; give it a `type`"));
    }
    let mut required: Vec<String> = Vec::new();
    for (name, property) in properties {
        let optional = !was_required.contains(name);
        if requires_all && optional {
            *property = nullable(property.take());
        }
        if requires_all || !optional {
            required.push(name.clone());
        }
    }
    keywords.insert("required".into(), json!(required));
    keywords.insert("additionalProperties".into(), json!(false));
    Ok(())
}

fn names(list: Option<&Value>) -> HashSet<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The same schema, or null.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else { return schema };
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(variants)) = keywords.get_mut("anyOf") {
        let takes_null = |variant: &Value| type_names(&variant["type"]).contains(&"null");
        if !variants.iter().any(takes_null) {
            variants.push(nothing);
        }
        return Value::Object(keywords);
    }
    if keywords.contains_key("$ref") {
        return json!({ "anyOf": [keywords, nothing] });
    }
    let mut kinds: Vec<&str> = keywords.get("type").map(type_names).unwrap_or_default();
    if kinds.contains(&"null") {
        return Value::Object(keywords);
    }
    if kinds.contains(&"object") {
        let description = keywords.shift_remove("description");
        let mut union = Keywords::new();
        union.extend(description.map(|text| ("description".to_owned(), text)));
        union.insert("anyOf".into(), json!([keywords, nothing]));
        return Value::Object(union);
    }
    kinds.push("null");
    let kinds = json!(kinds);
    keywords.insert("type".into(), kinds);
    if let Some(Value::Array(values)) = keywords.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(keywords)
}
