//! How much a strict schema may hold.

use serde_json::Value;

use super::Unfit;
use super::walk::{Holds, each, holds};

/// The most levels of objects and arrays within each other.
const DEEPEST: usize = 10;
/// The most properties in all.
const MOST_PROPERTIES: usize = 5_000;
/// The most values of enumerations in all.
const MOST_VALUES: usize = 1_000;

/// Refuses what OpenAI's strict mode refuses for its size.
pub(super) fn check(schema: &Value) -> Result<(), Unfit> {
    let mut count = Count::default();
    count.visit(schema, "", 0)
}

#[derive(Default)]
struct Count {
    properties: usize,
    values: usize,
}

impl Count {
    fn visit(&mut self, schema: &Value, path: &str, depth: usize) -> Result<(), Unfit> {
        let Value::Object(keywords) = schema else { return Ok(()) };
        let nests = keywords.contains_key("properties") || keywords.contains_key("items");
        let depth = depth + usize::from(nests);
        if depth > DEEPEST {
            let reason = format!("it is nested deeper than the {DEEPEST} levels of strict mode");
            return Err(Unfit::at(path, reason));
        }
        let held = |keyword: &str, length: fn(&Value) -> Option<usize>| {
            keywords.get(keyword).and_then(length).unwrap_or(0)
        };
        self.properties += held("properties", |value| value.as_object().map(|map| map.len()));
        self.values += held("enum", |value| value.as_array().map(Vec::len));
        for (what, count, most) in [
            ("properties", self.properties, MOST_PROPERTIES),
            ("values of enumerations", self.values, MOST_VALUES),
        ] {
            if count > most {
                return Err(Unfit::at(path, format!("more than {most} {what} in all")));
            }
        }
        for (keyword, value) in keywords {
            if holds(keyword, value) != Holds::Nothing {
                let mut value = value.clone();
                each(keyword, &mut value, path, &mut |inner, place| {
                    self.visit(inner, place, depth)
                })?;
            }
        }
        Ok(())
    }
}
