//! The key set: a Bloom filter of the keys of whole anchors, with four bits per key.
//!
//! Its false positive rate is very low, because each positive costs a lookup in a map outside the
//! cache.

use std::sync::atomic::{AtomicU64, Ordering};

/// The bits of a full filter per key. Four of them are set, all in the same word.
const BITS_PER_KEY: usize = 32;

/// A set of keys. It is changed while others read it: bits are only ever set, one word at a time.
pub(super) struct KeySet {
    words: Box<[AtomicU64]>,
}

impl KeySet {
    /// A set with room for so many keys.
    pub(super) fn new(key_set: usize) -> KeySet {
        let words = (key_set * BITS_PER_KEY / 64).next_power_of_two();
        KeySet { words: (0..words).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Adds a key.
    pub(super) fn set(&self, key: u64) {
        self.words[self.place(key)].fetch_or(bits(key), Ordering::Release);
    }

    /// True if the set may contain the key.
    #[inline]
    pub(super) fn may_have(&self, key: u64) -> bool {
        let bits = bits(key);
        // The place is always inside.
        let word = self.words.get(self.place(key));
        word.is_some_and(|word| word.load(Ordering::Relaxed) & bits == bits)
    }

    /// The word of a key.
    #[inline]
    fn place(&self, key: u64) -> usize {
        // The length is a power of two.
        key as usize & (self.words.len() - 1)
    }
}

/// The bits of a key, from the other end of it than its place.
#[inline]
fn bits(key: u64) -> u64 {
    [58, 52, 46, 40].iter().fold(0, |bits, from| bits | 1 << (key >> from & 63))
}
