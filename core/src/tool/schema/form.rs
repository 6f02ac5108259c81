//! What a schema wants, in a few words for a model.

use serde_json::Value;

use super::Schema;
use crate::limits::{echo, shortened};

/// How many names or values are listed before the rest is left out.
const MOST_LISTED: usize = 20;

/// How long a list of values may get, in characters.
const LONGEST_LIST: usize = 300;

impl Schema {
    /// The form that a schema describes: `a string`, `an object with "kind" = "a"`.
    pub(super) fn form(&self, schema: &Value) -> String {
        let schema = self.followed(schema);
        if let Some(value) = schema.get("const") {
            return shortened(&value.to_string(), 80).into_owned();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return format!("one of {}", listed_values(values));
        }
        match schema.get("type") {
            Some(Value::String(kind)) if kind == "object" => self.form_of_object(schema),
            Some(Value::String(kind)) if kind == "array" => match schema.get("items") {
                Some(items) if self.followed(items).get("type").is_some_and(Value::is_string) => {
                    let kind = &self.followed(items)["type"];
                    format!("an array of {} values", kind.as_str().unwrap_or_default())
                }
                _ => "an array".into(),
            },
            Some(Value::String(kind)) if kind == "null" => "null".into(),
            Some(Value::String(kind)) if kind == "integer" => "an integer".into(),
            Some(Value::String(kind)) => format!("a {}", echo(kind)),
            Some(Value::Array(kinds)) => {
                let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
                kinds.join(" or ")
            }
            _ if schema.get("properties").is_some() || schema.get("required").is_some() => {
                self.form_of_object(schema)
            }
            _ => match schema.get("title").and_then(Value::as_str) {
                Some(title) => echo(title).into_owned(),
                None => "another form".into(),
            },
        }
    }

    fn form_of_object(&self, schema: &Value) -> String {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let named = required.into_iter().flatten().filter_map(Value::as_str);
        let parts: Vec<String> = named
            .take(MOST_LISTED)
            .map(|name| {
                let property = properties.and_then(|properties| properties.get(name));
                let fixed = property.and_then(|property| {
                    let property = self.followed(property);
                    property.get("const").or_else(|| match property.get("enum")?.as_array()? {
                        values if values.len() == 1 => values.first(),
                        _ => None,
                    })
                });
                match fixed {
                    Some(value) => {
                        format!("`{}` = {}", echo(name), shortened(&value.to_string(), 40))
                    }
                    None => format!("`{}`", echo(name)),
                }
            })
            .collect();
        match parts.is_empty() {
            true => "an object".into(),
            false => format!("an object with {}", parts.join(", ")),
        }
    }
}

/// Values as a complaint lists them, the rest left out.
pub(super) fn listed_values(values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().take(MOST_LISTED).map(Value::to_string).collect();
    listed(texts, values.len())
}

/// Names as a complaint lists them, the rest left out.
pub(super) fn listed_names<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let all = names.len();
    listed(names.take(MOST_LISTED).map(|name| echo(name).into_owned()).collect(), all)
}

fn listed(texts: Vec<String>, all: usize) -> String {
    let mut list = String::new();
    let mut shown = 0;
    for text in texts {
        let room = LONGEST_LIST.saturating_sub(list.chars().count());
        if shown > 0 && text.chars().count() + 2 > room {
            break;
        }
        if shown > 0 {
            list.push_str(", ");
        }
        list.push_str(&shortened(&text, room));
        shown += 1;
    }
    if shown < all {
        list.push_str(&format!(" and {} more", all - shown));
    }
    list
}
