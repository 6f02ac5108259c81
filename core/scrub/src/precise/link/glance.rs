//! Says no to most links that hold no secret, from the 64 bytes behind their `://`.

use super::super::super::simd::{self, ByteSet, Classes, Lanes};
use super::hook;

pub(in super::super) struct Glance {
    /// What ends a link, what asks for a closer look, `/` and `k`.
    classes: Classes<4>,
}

impl Glance {
    #[expect(clippy::expect_used, reason = "constant sets, with few different rows")]
    pub(in super::super) fn new() -> Glance {
        let sets = [
            // Fewer than `region` knows, so that a link seems rather too long.
            ByteSet::of(|b| b <= b' ' || matches!(b, b'"' | b'\'' | b'<' | b'>')),
            // A user part, a port or the next link, and what may hide an end.
            ByteSet::of(|b| matches!(b, b'@' | b':' | b'\\')),
            ByteSet::of(|b| b == b'/'),
            ByteSet::of(|b| b == b'k'),
        ];
        Glance { classes: Classes::new(&sets).expect("the classes of a link") }
    }

    /// False only if a look at the `://` at `at` finds nothing.
    #[inline(always)]
    pub(in super::super) fn may_hold<L: Lanes>(&self, text: &[u8], at: usize) -> bool {
        let start = at + 3;
        let [ends, odd, slash, k] = L::each(&self.classes, simd::block(text, start).bytes());
        let link = ends ^ ends.wrapping_sub(1);
        let own = slash & k >> 4 & slash >> 6;
        let host = (slash.trailing_zeros() as usize).min(text.len().saturating_sub(start));
        let known = hook::may_be_known(&text[start.min(text.len())..][..host]);
        ends == 0 || (odd | own) & link != 0 || known && slash & link != 0
    }
}
