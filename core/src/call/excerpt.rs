//! What an audit row takes along of a call's arguments.

use std::io;

use serde_json::Value;

use super::recorder::TAKEN_ARGUMENTS;
use crate::limits::prefix_of_bytes;
use crate::tool::Arguments;

/// The start of the arguments as JSON text: as much as is scrubbed for the row, never more, however
/// large they are. Of arguments that do not fit, each string is cut, so that the text stays JSON.
pub(super) fn excerpt(args: &Arguments) -> String {
    match args {
        Arguments::Unread(_) => String::new(),
        Arguments::Text(text) => prefix_of_bytes(text, TAKEN_ARGUMENTS).to_owned(),
        Arguments::Value(value) => {
            let mut start = Start(Vec::with_capacity(128));
            // The only error is the writer's own "enough".
            if !is_longer(value)
                && serde_json::to_writer(&mut start, value).is_ok()
                && let Ok(text) = String::from_utf8(start.0)
            {
                return text;
            }
            let mut room = TAKEN_ARGUMENTS;
            let mut text = abridged(value, &mut room).to_string();
            // Never shorter than what tells that it was cut, however much was left out.
            text.extend(std::iter::repeat_n(' ', TAKEN_ARGUMENTS.saturating_sub(text.len())));
            text
        }
    }
}

/// True if one text alone is too long: to write it is to look at all of it.
fn is_longer(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > TAKEN_ARGUMENTS,
        Value::Array(items) => items.iter().any(is_longer),
        Value::Object(fields) => fields.values().any(is_longer),
        _ => false,
    }
}

/// A copy with at most `room` bytes of text in it; what comes after that is left out.
fn abridged(value: &Value, room: &mut usize) -> Value {
    *room = room.saturating_sub(2);
    match value {
        Value::String(text) => {
            let start = prefix_of_bytes(text, *room);
            *room -= start.len();
            Value::String(start.to_owned())
        }
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                if *room == 0 {
                    break;
                }
                kept.push(abridged(item, room));
            }
            Value::Array(kept)
        }
        Value::Object(fields) => {
            let mut kept = serde_json::Map::new();
            for (key, field) in fields {
                if key.len() > *room {
                    *room = 0;
                }
                if *room == 0 {
                    break;
                }
                *room -= key.len();
                kept.insert(key.clone(), abridged(field, room));
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// A writer that takes as much as an excerpt holds, and then refuses.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > TAKEN_ARGUMENTS {
            return Err(io::Error::other("enough"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_excerpt_is_bounded_and_stays_json() {
        for long in [
            json!({ "text": "é".repeat(1_000_000), "more": 1 }),
            json!({ "list": vec!["word"; 100_000] }),
            Value::Object((0..10_000).map(|n| (format!("key{n}"), json!(n))).collect()),
        ] {
            let text = excerpt(&Arguments::Value(long));
            assert!(text.len() < 3 * TAKEN_ARGUMENTS, "{}", text.len());
            assert!(text.len() >= TAKEN_ARGUMENTS);
            assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
        assert_eq!(excerpt(&json!({"a": 1}).into()), r#"{"a":1}"#);
    }
}
