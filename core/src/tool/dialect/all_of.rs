//! Merges the parts of an `allOf` into one schema.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::refs::REMARKS;
use super::walk::Keywords;

/// Merges the `allOf` of a schema, if it has one. False, with the schema as it was, if the parts
/// cannot be written as one.
pub(super) fn merge(keywords: &mut Keywords) -> bool {
    let Some(Value::Array(parts)) = keywords.get("allOf") else { return true };
    let mut whole = keywords.clone();
    whole.shift_remove("allOf");
    for part in parts.clone() {
        let merged = match part {
            Value::Bool(true) => Some(whole),
            Value::Object(part) => both(whole, &part),
            _ => None,
        };
        let Some(merged) = merged else { return false };
        whole = merged;
    }
    *keywords = whole;
    true
}

/// One schema that says what two say. None if that takes more than one.
pub(super) fn both(mut one: Keywords, other: &Keywords) -> Option<Keywords> {
    if one.contains_key("$ref") || other.contains_key("$ref") {
        return with_reference(one, other);
    }
    for (keyword, theirs) in other {
        let Some(ours) = one.get(keyword) else {
            one.insert(keyword.clone(), theirs.clone());
            continue;
        };
        let merged = keyword_of_both(keyword, ours, theirs)?;
        one.insert(keyword.clone(), merged);
    }
    Some(one)
}

/// The same where one of them is a reference: the other may add remarks to it.
fn with_reference(one: Keywords, other: &Keywords) -> Option<Keywords> {
    let narrows = |schema: &Keywords| schema.keys().any(|key| !REMARKS.contains(&key.as_str()));
    if one == *other {
        return Some(one);
    }
    if narrows(&one) && narrows(other) {
        return None;
    }
    // What is said outermost, or first, is said.
    let mut whole = other.clone();
    whole.extend(one);
    Some(whole)
}

/// True if no value is as both say.
pub(super) fn contradict(one: &Keywords, other: &Keywords) -> bool {
    let both = |keyword: &str| Some((one.get(keyword)?, other.get(keyword)?));
    both("type").is_some_and(|(ours, theirs)| types(ours, theirs).is_none())
        || both("enum").is_some_and(|(ours, theirs)| common(ours, theirs).is_none())
        || both("const").is_some_and(|(ours, theirs)| ours != theirs)
}

fn keyword_of_both(keyword: &str, ours: &Value, theirs: &Value) -> Option<Value> {
    if ours == theirs {
        return Some(ours.clone());
    }
    match keyword {
        // What is said outermost, or first, is said.
        "description" | "title" | "default" | "examples" | "$comment" | "deprecated" => {
            Some(ours.clone())
        }
        "type" => types(ours, theirs),
        "enum" => common(ours, theirs),
        "required" => Some(united(ours, theirs)),
        "properties" | "patternProperties" => properties(ours, theirs),
        "items" | "additionalProperties" => schema(ours, theirs),
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            let theirs_wins = theirs.as_f64()? > ours.as_f64()?;
            Some(if theirs_wins { theirs.clone() } else { ours.clone() })
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            let theirs_wins = theirs.as_f64()? < ours.as_f64()?;
            Some(if theirs_wins { theirs.clone() } else { ours.clone() })
        }
        "uniqueItems" => Some(json!(ours == true || theirs == true)),
        _ => None,
    }
}

fn schema(ours: &Value, theirs: &Value) -> Option<Value> {
    match (ours, theirs) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Some(json!(false)),
        (Value::Bool(true), other) | (other, Value::Bool(true)) => Some(other.clone()),
        (Value::Object(ours), Value::Object(theirs)) => {
            both(ours.clone(), theirs).map(Value::Object)
        }
        _ => None,
    }
}

fn properties(ours: &Value, theirs: &Value) -> Option<Value> {
    let mut merged = ours.as_object()?.clone();
    for (name, property) in theirs.as_object()? {
        let property = match merged.get(name) {
            Some(known) => schema(known, property)?,
            None => property.clone(),
        };
        merged.insert(name.clone(), property);
    }
    Some(Value::Object(merged))
}

fn types(ours: &Value, theirs: &Value) -> Option<Value> {
    let (ours, theirs) = (type_names(ours), type_names(theirs));
    let mut kept: Vec<&str> = Vec::new();
    for name in &ours {
        if theirs.contains(name) || (*name == "integer" && theirs.contains(&"number")) {
            kept.push(name);
        } else if *name == "number" && theirs.contains(&"integer") {
            kept.push("integer");
        }
    }
    match kept.as_slice() {
        [] => None,
        [one] => Some(json!(one)),
        many => Some(json!(many)),
    }
}

/// The names in a `type`, whether it has one or several.
pub(super) fn type_names(kind: &Value) -> Vec<&str> {
    match kind {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn common(ours: &Value, theirs: &Value) -> Option<Value> {
    let theirs: HashSet<String> = theirs.as_array()?.iter().map(Value::to_string).collect();
    let both = |value: &&Value| theirs.contains(&value.to_string());
    let kept: Vec<&Value> = ours.as_array()?.iter().filter(both).collect();
    (!kept.is_empty()).then(|| json!(kept))
}

fn united(ours: &Value, theirs: &Value) -> Value {
    let mut known: HashSet<&str> = HashSet::new();
    let names = [ours, theirs].into_iter().filter_map(Value::as_array).flatten();
    names.filter(|name| name.as_str().is_none_or(|name| known.insert(name))).cloned().collect()
}
