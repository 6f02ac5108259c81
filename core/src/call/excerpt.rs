//! What an audit row and an event take along of a call's arguments.

use std::io;

use serde_json::Value;

use super::recorder::TAKEN_ARGUMENTS;
use crate::limits::{abridged as both_ends, echo, prefix_of_bytes};
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

/// How much of the arguments an event shows, in bytes of JSON.
const SHOWN: usize = 8_192;

/// Scrubbed arguments for whoever decides about them: JSON text, and true if something of them is left
/// out. Of a long text both ends are shown, and each place where something is left out says how much:
/// what is dangerous may stand anywhere.
pub(super) fn shown(args: &Value) -> (String, bool) {
    let whole = if is_longer(args) { None } else { Some(args.to_string()) };
    if let Some(whole) = whole.filter(|whole| whole.len() <= SHOWN) {
        return (whole, false);
    }
    for (chars, items) in [(2_000, 64), (1_000, 32), (400, 16), (160, 8), (80, 4)] {
        let text = shortened(args, chars, items, 16).to_string();
        if text.len() <= SHOWN {
            return (text, true);
        }
    }
    // Nested too widely for that. The text is no JSON any more, but a JSON string.
    let text = shortened(args, 80, 4, 4).to_string();
    (Value::from(both_ends(&text, SHOWN / 4)).to_string(), true)
}

/// A copy with at most so many characters in a text, items in a list, and levels.
fn shortened(value: &Value, chars: usize, items: usize, levels: usize) -> Value {
    if levels == 0 && (value.is_array() || value.is_object()) {
        return "…[nested deeper]…".into();
    }
    let inner = |value: &Value| shortened(value, chars, items, levels.saturating_sub(1));
    match value {
        Value::String(text) => both_ends(text, chars).into(),
        Value::Array(all) if all.len() > items => {
            let (head, tail) = (items - items / 3, items / 3);
            let mut kept: Vec<Value> = all[..head].iter().map(inner).collect();
            kept.push(format!("…[{} items left out]…", all.len() - head - tail).into());
            kept.extend(all[all.len() - tail..].iter().map(inner));
            kept.into()
        }
        Value::Array(all) => all.iter().map(inner).collect(),
        Value::Object(fields) => {
            let mut kept: serde_json::Map<String, Value> = fields
                .iter()
                .take(items)
                .map(|(key, field)| (echo(key).into_owned(), inner(field)))
                .collect();
            if let Some(more) = fields.len().checked_sub(items).filter(|more| *more > 0) {
                kept.insert("…".into(), format!("{more} fields left out").into());
            }
            kept.into()
        }
        other => other.clone(),
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
    fn what_is_left_out_for_an_approver_is_marked_and_both_ends_are_shown() {
        let command = format!("echo {} ; rm -rf /srv", "x".repeat(100_000));
        let (text, is_cut) = shown(&json!({ "command": command }));
        assert!(is_cut && text.len() <= SHOWN);
        let read: Value = serde_json::from_str(&text).unwrap();
        let read = read["command"].as_str().unwrap();
        assert!(read.starts_with("echo xxx") && read.ends_with("; rm -rf /srv"), "{read}");
        assert!(read.contains("characters left out]"), "{read}");
        for long in [
            json!({ "list": vec!["word"; 100_000] }),
            json!(vec!["é".repeat(3_000); 100]),
            Value::Object((0..10_000).map(|n| (format!("key{n}"), json!(n))).collect()),
            json!({ "é".repeat(50_000): 1 }),
            json!([[[[vec![vec![vec![vec!["é".repeat(200); 9]; 9]; 9]; 9]]]]]),
        ] {
            let (text, is_cut) = shown(&long);
            assert!(is_cut && text.len() <= SHOWN, "{}", text.len());
            assert!(text.contains('…') && serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        }
        assert_eq!(shown(&json!({ "a": 1 })), (r#"{"a":1}"#.to_owned(), false));
    }

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
