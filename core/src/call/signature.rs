//! What tells one call from another: a digest of its tool and its arguments.

use blake3::Hasher;
use serde_json::Value;

/// The digest of something that is compared, not kept.
pub(super) type Digest = [u8; 32];

/// The digest of a text.
pub(super) fn of_text(text: &str) -> Digest {
    blake3::hash(text.as_bytes()).into()
}

/// The digest of a tool's name and its arguments, whatever the order of their keys.
pub(super) fn of_call(tool: &str, args: &Value) -> Digest {
    let mut hasher = Hasher::new();
    text(&mut hasher, b't', tool);
    feed(&mut hasher, args);
    hasher.finalize().into()
}

/// Each value goes in with its type and its length, so that no two different ones look alike.
fn feed(hasher: &mut Hasher, value: &Value) {
    match value {
        Value::Null => length(hasher, b'n', 0),
        Value::Bool(is) => length(hasher, b'b', usize::from(*is)),
        Value::Number(number) => text(hasher, b'#', &number.to_string()),
        Value::String(given) => text(hasher, b's', given),
        Value::Array(items) => {
            length(hasher, b'a', items.len());
            items.iter().for_each(|item| feed(hasher, item));
        }
        Value::Object(fields) => {
            length(hasher, b'o', fields.len());
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            for (key, field) in fields {
                text(hasher, b'k', key);
                feed(hasher, field);
            }
        }
    }
}

fn text(hasher: &mut Hasher, kind: u8, given: &str) {
    length(hasher, kind, given.len());
    hasher.update(given.as_bytes());
}

fn length(hasher: &mut Hasher, kind: u8, length: usize) {
    hasher.update(&[kind]);
    hasher.update(&(length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_count_and_everything_else_does() {
        let of = |args: Value| of_call("t", &args);
        let args = json!({ "a": 1, "b": { "c": [1, 2], "d": null } });
        let turned = json!({ "b": { "d": null, "c": [1, 2] }, "a": 1 });
        assert_eq!(of(args.clone()), of(turned));
        assert_ne!(of(args.clone()), of_call("u", &args));
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
