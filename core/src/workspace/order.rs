//! The order of results: folder by folder, each sorted by name, as a listing shows them.

use std::cmp::Ordering;

/// A path, ordered by its names and not by its letters: what is in `a` comes before `a.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ordered(pub Vec<u8>);

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares two paths by their names.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    // No name holds a NUL, so a slash comes before every letter.
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(*a).cmp(&rank(*b)),
        None => a.len().cmp(&b.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_folder_comes_right_behind_it() {
        let mut paths = ["b", "a.txt", "a/z", "a", "a-b/c", "a/b/c", "a b"];
        paths.sort_by(|a, b| compare(a.as_bytes(), b.as_bytes()));
        assert_eq!(paths, ["a", "a/b/c", "a/z", "a b", "a-b/c", "a.txt", "b"]);
    }
}
