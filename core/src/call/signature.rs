//! What tells one call from another: its tool and its arguments.

use serde_json::Value;

use crate::fingerprint::{Fingerprint, Fingerprints, Pieces};

/// The fingerprint of a tool's name and its arguments, whatever the order of their keys.
pub(super) fn of_call(prints: Fingerprints, tool: &str, args: &Value) -> Fingerprint {
    let mut pieces = prints.pieces();
    text(&mut pieces, b't', tool);
    feed(&mut pieces, args);
    pieces.done()
}

/// Each value goes in with its type and its length, so that no two different ones look alike.
fn feed(pieces: &mut Pieces, value: &Value) {
    match value {
        Value::Null => length(pieces, b'n', 0),
        Value::Bool(is) => length(pieces, b'b', usize::from(*is)),
        Value::Number(number) => text(pieces, b'#', &number.to_string()),
        Value::String(given) => text(pieces, b's', given),
        Value::Array(items) => {
            length(pieces, b'a', items.len());
            items.iter().for_each(|item| feed(pieces, item));
        }
        Value::Object(fields) => {
            length(pieces, b'o', fields.len());
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            for (key, field) in fields {
                text(pieces, b'k', key);
                feed(pieces, field);
            }
        }
    }
}

fn text(pieces: &mut Pieces, kind: u8, given: &str) {
    length(pieces, kind, given.len());
    pieces.put(given.as_bytes());
}

fn length(pieces: &mut Pieces, kind: u8, length: usize) {
    pieces.put(&[kind]);
    pieces.put(&(length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_count_and_everything_else_does() {
        let prints = Fingerprints::default();
        let of = |args: Value| of_call(prints, "t", &args);
        let args = json!({ "a": 1, "b": { "c": [1, 2], "d": null } });
        let turned = json!({ "b": { "d": null, "c": [1, 2] }, "a": 1 });
        assert_eq!(of(args.clone()), of(turned));
        assert_ne!(of(args.clone()), of_call(prints, "u", &args));
        for other in [
            json!({ "a": 1, "b": { "c": [2, 1], "d": null } }),
            json!({ "a": "1", "b": { "c": [1, 2], "d": null } }),
            json!({ "a": 1, "b": { "c": [1, 2], "d": false } }),
            json!({ "a": 1, "b": { "c": [1], "d": [2] } }),
        ] {
            assert_ne!(of(args.clone()), of(other));
        }
        assert_ne!(of(json!(["ab", "c"])), of(json!(["a", "bc"])));
    }
}
