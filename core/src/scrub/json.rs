//! Walks a JSON value and rewrites its strings and keys in place.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// Replaces each string and each key for which `mask` has something else.
pub(super) fn scrub(value: &mut Value, mask: impl Fn(&str) -> Option<String>) {
    // A list of what is still to be seen, so that no depth can exhaust the stack.
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::String(text) => {
                if let Some(masked) = mask(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => pending.extend(items),
            Value::Object(entries) => {
                scrub_keys(entries, &mask);
                pending.extend(entries.values_mut());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn scrub_keys(entries: &mut Map<String, Value>, mask: impl Fn(&str) -> Option<String>) {
    // A clean object, which is nearly every object, must cost no allocation.
    if !entries.keys().any(|key| mask(key).is_some()) {
        return;
    }
    let masked: Vec<Option<String>> = entries.keys().map(|key| mask(key)).collect();
    let clean = entries.keys().zip(&masked).filter(|(_, masked)| masked.is_none());
    let mut taken: HashSet<String> = clean.map(|(key, _)| key.clone()).collect();
    let mut number = 1;
    let renamed = std::mem::take(entries).into_iter().zip(masked).map(|((key, value), masked)| {
        let Some(masked) = masked else { return (key, value) };
        let mut name = masked.clone();
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{masked} #{number}");
        }
        (name, value)
    });
    *entries = renamed.collect();
}
