//! Arguments as the person who allowed a call changed them.

use serde_json::{Map, Value};

use crate::call::{Call, CallPath, Judged, arguments};
use crate::scrub::Scrubber;
use crate::tool::{Arguments, Found};

/// What edited arguments are held against.
pub(super) struct Original<'j> {
    scrubber: Scrubber,
    args: &'j Value,
    /// None if the tool is another by now: then the approval does not hold anyway.
    found: Option<Found>,
}

impl<'j> Original<'j> {
    pub(super) fn new(path: &'j CallPath, judged: &'j Judged, call: &Call<'_>) -> Original<'j> {
        let found = path.tools.registries.of(call.cx.caller()).find(call.called_as).cloned();
        let same = |found: &Found| found.entry.version == judged.entry.version;
        let found = found.filter(same);
        Original { scrubber: call.cx.scrubber(&path.texts.scrubbers), args: &judged.args, found }
    }

    /// What masks the texts of the call.
    pub(super) fn scrubber(&self) -> &Scrubber {
        &self.scrubber
    }

    /// The edited arguments as they are meant.
    pub(super) fn restored(&self, edited: Value) -> Value {
        let mut shown = self.args.clone();
        self.scrubber.scrub_json(&mut shown);
        restored(edited, &shown, self.args)
    }

    /// Why the edited arguments cannot be those of the call.
    pub(super) fn misfit(&self, edited: &Value) -> Option<String> {
        let found = self.found.as_ref()?;
        let args = arguments::within_limits(Arguments::Value(self.restored(edited.clone())));
        let why = arguments::pass(found, args).err()?;
        Some(format!("the edited arguments do not fit: {}", why.message))
    }
}

/// The edited arguments as they are meant: what was left as it was shown, with its secrets masked,
/// stays as it really is.
pub(super) fn restored(edited: Value, shown: &Value, real: &Value) -> Value {
    if edited == *shown {
        return real.clone();
    }
    match (edited, shown, real) {
        (Value::Object(edited), Value::Object(shown), Value::Object(real)) => {
            let restore = |(key, value): (String, Value)| match (shown.get(&key), real.get(&key)) {
                (Some(shown), Some(real)) => {
                    let value = restored(value, shown, real);
                    (key, value)
                }
                _ => (key, value),
            };
            Value::Object(edited.into_iter().map(restore).collect())
        }
        (Value::Array(edited), Value::Array(shown), Value::Array(real))
            if edited.len() == shown.len() && shown.len() == real.len() =>
        {
            let items = edited.into_iter().zip(shown.iter().zip(real));
            items.map(|(value, (shown, real))| restored(value, shown, real)).collect()
        }
        (edited, _, _) => edited,
    }
}

/// The arguments that were changed, added or taken away, by name.
pub(super) fn changed(before: &Value, after: &Value) -> Vec<String> {
    let none = Map::new();
    let before = before.as_object().unwrap_or(&none);
    let after = after.as_object().unwrap_or(&none);
    let added = after.keys().filter(|key| !before.contains_key(*key));
    let others = before.iter().filter(|(key, value)| after.get(*key) != Some(value));
    others.map(|(key, _)| key).chain(added).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_left_as_it_was_shown_stays_as_it_is() {
        let real = json!({ "url": "https://a", "key": "s3cret", "list": ["s3cret", 1] });
        let shown = json!({ "url": "https://a", "key": "[MASKED]", "list": ["[MASKED]", 1] });
        let edited = json!({ "url": "https://b", "key": "[MASKED]", "list": ["[MASKED]", 2] });
        let meant = restored(edited, &shown, &real);
        let expected = json!({ "url": "https://b", "key": "s3cret", "list": ["s3cret", 2] });
        assert_eq!(meant, expected);
        assert_eq!(changed(&real, &meant), ["url", "list"]);
    }

    #[test]
    fn added_and_removed_arguments_are_changes() {
        assert_eq!(changed(&json!({ "a": 1, "b": 2 }), &json!({ "b": 2, "c": 3 })), ["a", "c"]);
        assert!(changed(&json!({ "a": 1 }), &json!({ "a": 1 })).is_empty());
    }
}
