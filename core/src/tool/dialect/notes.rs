//! Moves what a provider's schema language lacks into descriptions, where the model still reads it.

use serde_json::{Value, json};

use super::Unfit;
use super::walk::{Keywords, rewrite};
use crate::limits::shortened;

/// Keywords that tell a model nothing.
const SILENT: [&str; 12] = [
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$comment",
    "$vocabulary",
    "title",
    "deprecated",
    "readOnly",
    "writeOnly",
    "discriminator",
    "contentSchema",
];

/// The longest value of a keyword that is told, in characters.
const MOST_CHARS: usize = 300;

/// Leaves the keywords that `keeps` accepts and tells of the others in the description. Nothing that
/// narrows stays beside a reference.
pub(super) fn move_out(
    schema: Value,
    keeps: impl Fn(&str, &Value) -> bool,
) -> Result<Value, Unfit> {
    rewrite(schema, "", &mut |keywords, _| {
        let is_reference = keywords.contains_key("$ref");
        let stays = |keyword: &str| {
            !is_reference || matches!(keyword, "$ref" | "description" | "title" | "type")
        };
        let (mut kept, dropped): (Keywords, Keywords) = keywords
            .into_iter()
            .partition(|(keyword, value)| stays(keyword) && keeps(keyword, value));
        describe(&mut kept, &dropped);
        Ok(Value::Object(kept))
    })
}

fn describe(kept: &mut Keywords, dropped: &Keywords) {
    let described: Vec<String> = dropped
        .iter()
        .filter(|(keyword, _)| !SILENT.contains(&keyword.as_str()) && !keyword.starts_with("x-"))
        .map(|(keyword, value)| format!("{keyword}: {}", shortened(&value.to_string(), MOST_CHARS)))
        .collect();
    if described.is_empty() {
        return;
    }
    let note = format!("({})", described.join(", "));
    let text = match kept.get("description").and_then(Value::as_str) {
        Some(said) if !said.is_empty() => format!("{said} {note}"),
        _ => note,
    };
    kept.insert("description".into(), json!(text));
}

/// True for a pattern that looks ahead or behind, which strict decoders cannot do.
pub(super) fn looks_around(pattern: &Value) -> bool {
    let text = pattern.as_str().unwrap_or_default();
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| text.contains(look))
}
