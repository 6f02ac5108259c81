//! How often a schema looks at one and the same value.
//!
//! References within unions multiply: a schema of thirty lines could look a million times, and say
//! a million times that a value does not fit, each time with a copy of it.

use std::collections::HashMap;

use serde_json::Value;

use super::Schema;
use crate::tool::dialect::percent_decoded;

/// How often a schema may look at one value.
pub(super) const MOST_LOOKS: usize = 10_000;

/// How many references may lead from one to the next at one value.
const MOST_WITHIN: usize = 128;

/// How many bytes it may take to say where arguments do not fit.
const MOST_SAID: usize = 32 << 20;

/// What it takes to say that one value does not fit, beside a copy of its text.
const EACH: usize = 256;

/// The keywords that look at the value itself, and not at a part of it.
const LISTS: [&str; 3] = ["anyOf", "oneOf", "allOf"];
const SINGLE: [&str; 4] = ["not", "if", "then", "else"];

/// How often the schema looks at one value at most.
pub(super) fn width(root: &Value) -> usize {
    let mut anchors = HashMap::new();
    let mut schemas = Vec::new();
    let mut pending = vec![root];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(keywords) => {
                if let Some(Value::String(anchor)) = keywords.get("$anchor") {
                    anchors.insert(anchor.as_str(), value);
                }
                schemas.push(value);
                pending.extend(keywords.values());
            }
            _ => {}
        }
    }
    let mut looks = Looks { root, anchors, known: HashMap::new(), within: 0 };
    schemas.into_iter().map(|schema| looks.of(schema)).max().unwrap_or(1)
}

struct Looks<'r> {
    root: &'r Value,
    anchors: HashMap<&'r str, &'r Value>,
    /// By reference; 0 while it is being counted.
    known: HashMap<&'r str, usize>,
    /// How many references are being followed.
    within: usize,
}

impl<'r> Looks<'r> {
    fn of(&mut self, schema: &'r Value) -> usize {
        let Value::Object(keywords) = schema else { return 1 };
        let listed = LISTS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_array());
        let single = SINGLE.iter().filter_map(|keyword| keywords.get(*keyword));
        let dependent = keywords.get("dependentSchemas").and_then(Value::as_object);
        let dependent = dependent.into_iter().flat_map(|named| named.values());
        let inner = listed.flatten().chain(single).chain(dependent);
        let looks = inner.fold(1_usize, |sum, schema| sum.saturating_add(self.of(schema)));
        let references = ["$ref", "$dynamicRef"].iter();
        references
            .filter_map(|keyword| keywords.get(*keyword)?.as_str())
            .fold(looks, |sum, reference| sum.saturating_add(self.of_reference(reference)))
    }

    fn of_reference(&mut self, reference: &'r str) -> usize {
        if let Some(known) = self.known.get(reference) {
            return *known;
        }
        if self.within > MOST_WITHIN {
            return usize::MAX;
        }
        self.known.insert(reference, 0);
        let fragment = reference.split_once('#').map_or("", |(_, fragment)| fragment);
        let decoded = percent_decoded(fragment);
        let target = match self.anchors.get(decoded.as_str()) {
            Some(target) => Some(*target),
            None => self.root.pointer(&decoded),
        };
        self.within += 1;
        let looks = target.map_or(1, |target| self.of(target));
        self.within -= 1;
        self.known.insert(reference, looks);
        looks
    }
}

impl Schema {
    /// True if it can be said where the arguments do not fit without taking up the memory.
    pub(crate) fn can_explain(&self, args: &Value) -> bool {
        size(args).saturating_mul(self.width) <= MOST_SAID
    }
}

fn size(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, field)| name.len() + size(field)).sum(),
        _ => 0,
    };
    EACH + inner
}
