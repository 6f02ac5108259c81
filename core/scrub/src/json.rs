//! JSON values: rewrites strings, keys and numbers in place.
//!
//! Each string is judged together with its name, as in the text of the document. The name is the
//! key of its object, or of the list it is in. The `value` of a pair such as `{"name":
//! "DB_PASSWORD", "value": "…"}` has the name that the pair gives.
//!
//! Invariant: entries keep their order and none is lost. If masking makes two keys equal, the later
//! one gets a number.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

/// The name of a string, if it has one.
type Name<'v> = Option<Cow<'v, str>>;

/// The keys that hold the name in a pair of name and value, in lower case.
const NAME_KEYS: [&str; 2] = ["name", "key"];
/// The key that holds the value in such a pair.
const VALUE_KEY: &str = "value";

/// Replaces each string, key and number for which `mask` returns something. `mask` gets the name of
/// a value; keys, and elements of a list without a name, have none. Numbers are passed as they are
/// written, and only if `numbers` is set.
pub(super) fn scrub(
    value: &mut Value,
    numbers: bool,
    mask: impl Fn(Option<&str>, &str) -> Option<String>,
) {
    // A list instead of recursion, so that no depth exhausts the stack.
    let mut pending: Vec<(Name<'_>, &mut Value)> = vec![(None, value)];
    while let Some((name, value)) = pending.pop() {
        match value {
            Value::String(text) => {
                if let Some(masked) = mask(name.as_deref(), text) {
                    *text = masked;
                }
            }
            Value::Number(number) if numbers => {
                if let Some(masked) = mask(None, &number.to_string()) {
                    *value = Value::String(masked);
                }
            }
            Value::Array(items) => {
                pending.extend(items.iter_mut().map(|item| (name.clone(), item)));
            }
            Value::Object(entries) => {
                let pair = name_of_pair(entries);
                scrub_keys(entries, |key| mask(None, key));
                for (key, value) in entries.iter_mut() {
                    let of_pair = pair.as_ref().filter(|_| key.eq_ignore_ascii_case(VALUE_KEY));
                    let name = of_pair
                        .map_or(Cow::Borrowed(key.as_str()), |name| Cow::Owned(name.clone()));
                    pending.push((Some(name), value));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The name that a pair gives to its value; `None` if the object is no pair.
fn name_of_pair(entries: &Map<String, Value>) -> Option<String> {
    let is_value = |key: &String| key.eq_ignore_ascii_case(VALUE_KEY);
    let is_name = |key: &String| NAME_KEYS.iter().any(|name| key.eq_ignore_ascii_case(name));
    if !entries.keys().any(is_value) {
        return None;
    }
    let (_, name) = entries.iter().find(|(key, _)| is_name(key))?;
    name.as_str().map(str::to_owned)
}

/// Replaces keys. Two keys that become equal stay apart: the later one gets a number.
fn scrub_keys(entries: &mut Map<String, Value>, mask: impl Fn(&str) -> Option<String>) {
    // A clean object must cost no allocation; nearly every object is clean.
    let mut keys = entries.keys().enumerate();
    let Some((first, name)) = keys.find_map(|(at, key)| mask(key).map(|name| (at, name))) else {
        return;
    };
    let mut masked: Vec<Option<String>> = vec![None; first];
    masked.push(Some(name));
    masked.extend(keys.map(|(_, key)| mask(key)));
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
