//! Identifiers: new ids, and the rule for keys that hosts choose.

use crate::error::{Code, Error};
use crate::fork;

/// The longest key (tenant, agent, session, …) in bytes of UTF-8.
pub const MAX_KEY_BYTES: usize = 512;

/// The tenant of a call that names none.
pub const DEFAULT_TENANT: &str = "default";

/// A new id: a UUID of version 7 as 32 hexadecimal digits. Ids made later sort after ids made
/// earlier (to the millisecond).
pub fn new_id() -> String {
    // They come in the order of one counter of the process.
    fork::hold(uuid::Uuid::now_v7).simple().to_string()
}

/// Checks a key that a host chose: not empty, at most [`MAX_KEY_BYTES`] bytes, no NUL. `field` names
/// the key in the error.
pub fn check_key(field: &str, key: &str) -> Result<(), Error> {
    let problem = if key.is_empty() {
        "is empty"
    } else if key.len() > MAX_KEY_BYTES {
        "is longer than 512 bytes"
    } else if key.contains('\0') {
        "contains a NUL character"
    } else {
        return Ok(());
    };
    Err(Error::new(
        Code::InvalidArgument,
        format!("`{field}` {problem}; give 1 to 512 bytes of UTF-8 without NUL"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_in_order() {
        let ids: Vec<String> = (0..1000).map(|_| new_id()).collect();
        let mut sorted = ids.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted, ids);
    }

    #[test]
    fn keys_are_bounded_and_free_of_nul() {
        assert!(check_key("agent", "ok 🦀").is_ok());
        assert!(check_key("agent", &"x".repeat(512)).is_ok());
        for bad in ["", "a\0b", &"x".repeat(513), &"é".repeat(257)] {
            let error = check_key("agent", bad).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains("`agent`"));
        }
    }
}
