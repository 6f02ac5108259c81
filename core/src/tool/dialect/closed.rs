//! The strict form: every object closed, every value of a known type.

use serde_json::{Value, json};

use super::Unfit;
use super::all_of::type_names;
use super::walk::{Keywords, rewrite};

/// Closes every object. With `requires_all` every property is required, and one that was optional
/// may be null instead.
pub(super) fn close(schema: Value, requires_all: bool) -> Result<Value, Unfit> {
    rewrite(schema, "", &mut |mut keywords, path| {
        if keywords.contains_key("$ref") {
            keywords.retain(|keyword, _| keyword == "$ref");
            return Ok(Value::Object(keywords));
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
fn close_each(keywords: &Keywords, path: &str, requires_all: bool) -> Result<Value, Unfit> {
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
    let required = keywords.shift_remove("required");
    let mut properties = match keywords.shift_remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Keywords::new(),
    };
    let was_required = |name: &String| {
        required
            .as_ref()
            .and_then(Value::as_array)
            .is_some_and(|names| names.contains(&json!(name)))
    };
    if let Some(name) = properties.iter().find(|(_, p)| !p.is_object()).map(|(name, _)| name) {
        let place = format!("{path}/properties/{}", super::walk::escaped(name));
        return Err(Unfit::at(&place, "it takes any value; give it a `type`"));
    }
    let required: Vec<String> =
        properties.keys().filter(|name| requires_all || was_required(name)).cloned().collect();
    if requires_all {
        for (name, property) in &mut properties {
            if !was_required(name) {
                *property = nullable(property.take());
            }
        }
    }
    keywords.insert("properties".into(), Value::Object(properties));
    keywords.insert("required".into(), json!(required));
    keywords.insert("additionalProperties".into(), json!(false));
    Ok(())
}

/// The same schema, or null.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else { return schema };
    let null = json!({ "type": "null" });
    if let Some(Value::Array(variants)) = keywords.get_mut("anyOf") {
        let takes_null = |variant: &Value| type_names(&variant["type"]).contains(&"null");
        if !variants.iter().any(takes_null) {
            variants.push(null);
        }
        return Value::Object(keywords);
    }
    if keywords.contains_key("$ref") {
        return json!({ "anyOf": [keywords, null] });
    }
    let mut kinds: Vec<&str> = keywords.get("type").map(type_names).unwrap_or_default();
    if kinds.contains(&"null") {
        return Value::Object(keywords);
    }
    if kinds.contains(&"object") {
        let description = keywords.shift_remove("description");
        let mut union = Keywords::new();
        union.extend(description.map(|text| ("description".to_owned(), text)));
        union.insert("anyOf".into(), json!([keywords, null]));
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
