//! The sieve of the keys of whole stretches: it lets through next to nothing that it has not, as
//! what it lets through is looked up in a map far from the cache.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many bits there are for each key, when the sieve is full. Four of them are set, all in the
/// same word.
const BITS: usize = 32;

/// A set of keys. Changed while others read it: bits are only ever set, one word at a time.
pub(super) struct Keys {
    words: Box<[AtomicU64]>,
}

impl Keys {
    /// With room for some keys.
    pub(super) fn new(keys: usize) -> Keys {
        let words = (keys * BITS / 64).next_power_of_two();
        Keys { words: (0..words).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(super) fn set(&self, key: u64) {
        self.words[self.place(key)].fetch_or(bits(key), Ordering::Release);
    }

    /// True if the key may be there.
    #[inline]
    pub(super) fn have(&self, key: u64) -> bool {
        let bits = bits(key);
        // The place is never out of bounds.
        let word = self.words.get(self.place(key));
        word.is_some_and(|word| word.load(Ordering::Relaxed) & bits == bits)
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        // The length is a power of two.
        key as usize & (self.words.len() - 1)
    }
}

/// The bits of a key, from its other end than its place.
#[inline]
fn bits(key: u64) -> u64 {
    [58, 52, 46, 40].iter().fold(0, |bits, from| bits | 1 << (key >> from & 63))
}
