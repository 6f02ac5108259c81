//! Writes unions in one way: `anyOf`, with nothing beside it that narrows.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::all_of::{both, contradict, merge};
use super::walk::{Keywords, rewrite};
use super::weight::Allowance;
use super::{Unfit, constants};

/// Keywords that may stand beside `anyOf`.
const BESIDE: [&str; 6] = ["anyOf", "description", "title", "default", "examples", "$defs"];

/// Merges every `allOf`, turns every `oneOf` into `anyOf`, moves what stands beside a union into
/// its variants, and folds unions of constants into one `enum`. What cannot be merged stays.
pub(super) fn simplify(schema: Value) -> Result<Value, Unfit> {
    let mut allowance = Allowance::default();
    rewrite(schema, "", &mut |mut keywords, path| {
        merge(&mut keywords);
        // Each variant gets a copy of what stands beside it.
        let variants = ["anyOf", "oneOf"].iter().find_map(|keyword| keywords.get(*keyword));
        let copies = variants.and_then(Value::as_array).map_or(0, Vec::len).saturating_sub(1);
        if copies > 0 {
            for (keyword, value) in keywords.iter().filter(|(keyword, _)| narrows(keyword)) {
                if keyword != "oneOf" {
                    allowance.take(value, copies, path)?;
                }
            }
        }
        Ok(Value::Object(one_union(keywords)))
    })
}

/// True if the keyword may not stand beside `anyOf`.
fn narrows(keyword: &str) -> bool {
    !BESIDE.contains(&keyword)
}

/// The same for a single schema whose inner ones are done.
pub(super) fn one_union(mut keywords: Keywords) -> Keywords {
    if !keywords.contains_key("anyOf")
        && let Some(variants) = keywords.shift_remove("oneOf")
    {
        keywords.insert("anyOf".into(), variants);
    }
    if keywords.contains_key("oneOf") || keywords.contains_key("allOf") {
        return keywords;
    }
    let Some(Value::Array(variants)) = keywords.get("anyOf").cloned() else { return keywords };
    if let Some(folded) = folded(&keywords, &variants) {
        return folded;
    }
    if !keywords.keys().any(|keyword| narrows(keyword)) && variants.len() != 1 {
        return keywords;
    }
    let (beside, mut union): (Keywords, Keywords) =
        keywords.clone().into_iter().partition(|(keyword, _)| narrows(keyword));
    let mut spread: Vec<Keywords> = Vec::new();
    for variant in &variants {
        match variant {
            Value::Object(variant) => match both(variant.clone(), &beside) {
                Some(merged) => spread.push(merged),
                // Nothing can be of that form.
                None if contradict(variant, &beside) => {}
                None => return keywords,
            },
            Value::Bool(true) => spread.push(beside.clone()),
            _ => {}
        }
    }
    match spread.as_slice() {
        // They cannot be brought together; whoever can express both may keep both.
        [] => keywords,
        [only] => {
            union.shift_remove("anyOf");
            both(union, only).unwrap_or(keywords)
        }
        _ => {
            union.insert("anyOf".into(), json!(spread));
            union
        }
    }
}

/// One `enum`, if every variant is a constant or some, all of one type.
fn folded(keywords: &Keywords, variants: &[Value]) -> Option<Keywords> {
    let mut values: Vec<Value> = Vec::new();
    let mut known_values: HashSet<String> = HashSet::new();
    let mut notes: Vec<String> = Vec::new();
    for variant in variants {
        let variant = variant.as_object()?;
        let known = ["const", "enum", "type", "description", "title"];
        if !variant.keys().all(|keyword| known.contains(&keyword.as_str())) {
            return None;
        }
        let own = match (variant.get("const"), variant.get("enum")) {
            (Some(value), None) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => return None,
        };
        if let (Some(Value::String(text)), [value]) = (variant.get("description"), own.as_slice()) {
            notes.push(format!("{value}: {text}"));
        }
        for value in own {
            if known_values.insert(value.to_string()) {
                values.push(value);
            }
        }
    }
    let kind = constants::common_type(&values)?;
    let beside = ["anyOf", "type", "description", "title", "default", "examples", "$defs"];
    let fits = keywords.get("type").is_none_or(|given| *given == kind);
    if !fits || !keywords.keys().all(|keyword| beside.contains(&keyword.as_str())) {
        return None;
    }
    let mut folded = keywords.clone();
    folded.shift_remove("anyOf");
    folded.insert("type".into(), json!(kind));
    folded.insert("enum".into(), Value::Array(values));
    if !notes.is_empty() {
        let said = folded.get("description").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{said}\n{}", notes.join("\n"));
        folded.insert("description".into(), json!(text.trim_start()));
    }
    Some(folded)
}
