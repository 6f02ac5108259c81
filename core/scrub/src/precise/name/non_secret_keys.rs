//! Keys that are no secrets: `sort_key`, `public_key`. The words are data: `non_secret_keys` in
//! `data/words/names.toml`.
use crate::words;

/// True if a key with this word before it is no secret.
pub(super) fn is_ordinary(before: &[u8]) -> bool {
    words::NON_SECRET_KEYS.binary_search(&before).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_in_order() {
        assert!(words::NON_SECRET_KEYS.is_sorted());
        assert!(is_ordinary(b"sort") && !is_ordinary(b"api"));
    }
}
