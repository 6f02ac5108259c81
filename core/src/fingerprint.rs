//! Fingerprints: what tells one content from every other while a runtime lives.
//!
//! They are compared in memory, and never kept, shown or sent. Every set of them has a key of its
//! own, made by chance, so that nobody who writes a content can make one that looks like another.
//! XXH3 of 128 bits (<https://xxhash.com>) takes a tenth of the time of a cryptographic hash, and the
//! arguments of each call and the content of each file that is written are looked at.

use std::hash::{BuildHasher as _, RandomState};

use twox_hash::XxHash3_128;

/// What tells a content from every other of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint(u128);

/// A set of fingerprints. Those of different sets say nothing of each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprints {
    key: u64,
}

impl Default for Fingerprints {
    fn default() -> Fingerprints {
        // The standard library's own source of chance, which cannot fail.
        Fingerprints { key: RandomState::new().hash_one(0) }
    }
}

impl Fingerprints {
    /// Of one content.
    pub(crate) fn of(self, content: &[u8]) -> Fingerprint {
        Fingerprint(XxHash3_128::oneshot_with_seed(self.key, content))
    }

    /// Of one that comes in pieces; where they part makes no difference.
    pub(crate) fn pieces(self) -> Pieces {
        Pieces(XxHash3_128::with_seed(self.key))
    }
}

/// A fingerprint on its way.
pub(crate) struct Pieces(XxHash3_128);

impl Pieces {
    pub(crate) fn put(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    pub(crate) fn done(self) -> Fingerprint {
        Fingerprint(self.0.finish_128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_has_one_fingerprint_in_its_set_however_it_comes() {
        let (prints, other) = (Fingerprints::default(), Fingerprints::default());
        let content: Vec<u8> = (0..5_000_u32).map(|n| (n * 7 % 251) as u8).collect();
        let whole = prints.of(&content);
        for at in [0, 1, 16, 239, 240, 241, 1_024, 4_999] {
            let mut pieces = prints.pieces();
            pieces.put(&content[..at]);
            pieces.put(&content[at..]);
            assert_eq!(pieces.done(), whole, "{at}");
        }
        assert_ne!(other.of(&content), whole);
        let mut changed = content;
        changed[2_500] ^= 1;
        assert_ne!(prints.of(&changed), whole);
    }
}
