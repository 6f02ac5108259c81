//! Makes the whole schema one object, as every provider wants the arguments.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::Unfit;
use super::unions::one_union;
use super::walk::Keywords;

/// Folds a union at the root into one object: it has the properties of all variants, and asks only
/// for those that every variant asks for.
pub(super) fn fold(schema: Value) -> Result<Value, Unfit> {
    let Value::Object(mut root) = schema else {
        return Err(Unfit::at("", "the schema must be a JSON object"));
    };
    if let Some(keyword) = ["$ref", "allOf", "oneOf"].iter().find(|k| root.contains_key(**k)) {
        let reason = format!("`{keyword}` at the root cannot be written as one object");
        return Err(Unfit::at(&format!("/{keyword}"), reason));
    }
    if let Some(variants) = root.shift_remove("anyOf") {
        let variants = objects(variants)?;
        let said = root.get("description").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{said}\n{}", choices(&variants));
        root.insert("description".into(), json!(text.trim_start()));
        root.insert("type".into(), json!("object"));
        root.insert("properties".into(), Value::Object(properties(&variants)));
        root.insert("required".into(), json!(always_required(&variants)));
        if variants.iter().all(|variant| variant.get("additionalProperties") == Some(&json!(false)))
        {
            root.insert("additionalProperties".into(), json!(false));
        }
    }
    root.entry("type").or_insert_with(|| json!("object"));
    root.entry("properties").or_insert_with(|| json!({}));
    if root.get("required") == Some(&json!([])) {
        root.shift_remove("required");
    }
    Ok(Value::Object(root))
}

fn objects(variants: Value) -> Result<Vec<Keywords>, Unfit> {
    let Value::Array(variants) = variants else { return Ok(Vec::new()) };
    let mut objects = Vec::new();
    for (index, variant) in variants.into_iter().enumerate() {
        match variant {
            Value::Object(variant)
                if variant.get("type").is_none_or(|kind| kind == "object")
                    && !variant.contains_key("$ref")
                    && !variant.contains_key("anyOf") =>
            {
                objects.push(variant);
            }
            _ => {
                let reason = "a union at the root must be of plain objects";
                return Err(Unfit::at(&format!("/anyOf/{index}"), reason));
            }
        }
    }
    Ok(objects)
}

fn properties(variants: &[Keywords]) -> Keywords {
    let mut united: Vec<(&String, Vec<Value>)> = Vec::new();
    let mut places: HashMap<&String, usize> = HashMap::new();
    let mut known: HashMap<(usize, String), usize> = HashMap::new();
    for (name, property) in
        variants.iter().filter_map(|variant| variant.get("properties")?.as_object()).flatten()
    {
        let place = *places.entry(name).or_insert_with(|| {
            united.push((name, Vec::new()));
            united.len() - 1
        });
        let schemas = &mut united[place].1;
        let alike = known.entry((place, bare(property))).or_insert(schemas.len());
        match schemas.get_mut(*alike) {
            // Of two that differ in what they say, the one that says something.
            Some(known) if known.get("description").is_none() => known.clone_from(property),
            Some(_) => {}
            None => schemas.push(property.clone()),
        }
    }
    let one = |mut schemas: Vec<Value>| match schemas.len() {
        1 => schemas.remove(0),
        _ => {
            let mut union = Keywords::new();
            union.insert("anyOf".into(), Value::Array(schemas));
            Value::Object(one_union(union))
        }
    };
    united.into_iter().map(|(name, schemas)| (name.clone(), one(schemas))).collect()
}

/// What a schema takes, as far as one can see: two that take the same are written the same.
fn bare(schema: &Value) -> String {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.retain(|keyword, _| !matches!(keyword.as_str(), "description" | "title"));
    }
    schema.sort_all_objects();
    schema.to_string()
}

fn required(variant: &Keywords) -> Vec<&str> {
    let names = variant.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn always_required(variants: &[Keywords]) -> Vec<&str> {
    let Some((first, rest)) = variants.split_first() else { return Vec::new() };
    let rest: Vec<HashSet<&str>> =
        rest.iter().map(|variant| required(variant).into_iter().collect()).collect();
    let always = |name: &&str| rest.iter().all(|names| names.contains(name));
    required(first).into_iter().filter(always).collect()
}

/// What the union said, for the model.
fn choices(variants: &[Keywords]) -> String {
    let sets: Vec<String> = variants
        .iter()
        .map(|variant| match required(variant).as_slice() {
            [] => "none required".to_owned(),
            names => names.join(" + "),
        })
        .collect();
    format!("Give the properties of one of these sets: {}.", sets.join("; or "))
}
