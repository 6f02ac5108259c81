//! The prefilter of links: rejects most links without a secret, from the 64 bytes behind `://`.
//!
//! Invariant: it rejects only links in which [`inspect`](super::inspect) finds nothing. A link may
//! have a secret if it contains `@`, a second `:` or a backslash, if its host is that of a known
//! webhook, or if its path contains `/hooks/`.

use super::super::super::simd::{self, ByteSet, Classes, Lanes};
use super::webhook;

/// The classes of bytes that the filter needs.
pub(in super::super) struct LinkFilter {
    /// Bytes that end a link; bytes that need a closer look; `/`; and `k`.
    classes: Classes<4>,
}

impl LinkFilter {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(in super::super) fn new() -> LinkFilter {
        let sets = [
            // Fewer than in `url_bytes`, so that a link rather seems too long.
            ByteSet::of(|b| b <= b' ' || matches!(b, b'"' | b'\'' | b'<' | b'>')),
            // A user part, a port or the next link, and what may hide an end.
            ByteSet::of(|b| matches!(b, b'@' | b':' | b'\\')),
            ByteSet::of(|b| b == b'/'),
            ByteSet::of(|b| b == b'k'),
        ];
        LinkFilter { classes: Classes::new(&sets).expect("the classes of a link") }
    }

    /// False only if inspecting the `://` at `at` finds nothing.
    #[inline(always)]
    pub(in super::super) fn may_have_secret<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let start = at + 3;
        let [ends, odd, slash, k] = L::each(&self.classes, simd::block(text, start).bytes());
        let link = ends ^ ends.wrapping_sub(1);
        let self_hosted = slash & k >> 4 & slash >> 6;
        let host = (slash.trailing_zeros() as usize).min(text.len().saturating_sub(start));
        let known = webhook::may_be_listed(&text[start.min(text.len())..][..host]);
        ends == 0 || (odd | self_hosted) & link != 0 || known && slash & link != 0
    }
}
