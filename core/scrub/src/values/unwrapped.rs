//! Unwrapped text: text without its breaks, for values that are broken in many places.
//!
//! An anchor is found only if no break stands in it. The [table](super::table) chooses anchors so
//! that every stretch of [`MAX_UNANCHORED`] bytes contains one. So a value can only be missed if it
//! is broken at shorter distances throughout. Such parts of a text are copied here without their
//! breaks and scanned once more. If an anchor is found, the original text decides. Where lines are
//! long, or have several words each, there is nothing to unwrap.

use std::ops::Range;
use std::sync::LazyLock;

use super::super::simd::{self, BLOCK, ByteSet, Class, Lanes, Level, Task};
use super::breaks::{self, Break};

/// An unbroken stretch of a form with this many bytes contains an anchor.
pub(super) const MAX_UNANCHORED: usize = 48;

/// How much text around a single break is unwrapped, in bytes: one less than the shortest form with
/// an anchor on either side of any break.
const SINGLE_BREAK_CONTEXT: usize = 13;

/// What the registered values require.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnwrapOptions {
    /// True if some values contain blanks, which a line end may replace.
    pub blanks: bool,
    /// True if some values are so short that a single break can hide them.
    pub short: bool,
}

/// How much is unwrapped before it is scanned. A fixed buffer, so that nothing is allocated.
const BUFFER_SIZE: usize = 1_024;
/// The most pieces of the buffer.
const MAX_PIECES: usize = 128;

/// How much is kept for the next scan, since an anchor may go on.
const OVERLAP: usize = super::table::LONGEST_STRETCH - 1;

/// The buffer of unwrapped text.
pub(super) struct Unwrapped<S> {
    text: [u8; BUFFER_SIZE],
    length: usize,
    pieces: [Piece; MAX_PIECES],
    count: usize,
    see: S,
}

/// Where a piece without breaks stands, in the buffer and in the original text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    unwrapped: usize,
    original: usize,
}

/// The position in the original text of a position in the buffer.
pub(super) fn original(pieces: &[Piece], at: usize) -> usize {
    let behind = pieces.partition_point(|piece| piece.unwrapped <= at);
    let piece = behind.checked_sub(1).and_then(|last| pieces.get(last));
    piece.map_or(0, |piece| piece.original + (at - piece.unwrapped))
}

/// Unwraps the parts of `text` with many breaks, and calls `see` with one buffer after another.
/// `filler` replaces line ends.
pub(super) fn unwrap(
    text: &[u8],
    unwrap_options: UnwrapOptions,
    filler: Option<u8>,
    see: impl FnMut(&[u8], &[Piece]),
) {
    let mut parts = Parts::of(text, unwrap_options).peekable();
    if parts.peek().is_none() {
        return;
    }
    let pieces = [Piece::default(); MAX_PIECES];
    let mut unwrapped = Unwrapped { text: [0; BUFFER_SIZE], length: 0, pieces, count: 0, see };
    for part in parts {
        unwrapped.add(text, part, filler);
    }
    unwrapped.flush();
}

impl<S: FnMut(&[u8], &[Piece])> Unwrapped<S> {
    /// Adds a part of the text without its breaks. `filler` replaces line ends.
    fn add(&mut self, text: &[u8], part: Range<usize>, filler: Option<u8>) {
        let mut at = part.start;
        let mut was_line = false;
        for (start, found) in Breaks::of(&text[..part.end], part.start) {
            let mut stretch = &text[at..start.max(at)];
            if found.line {
                let blanks = stretch.iter().rev().take_while(|b| breaks::is_blank(**b)).count();
                stretch = &stretch[..stretch.len() - blanks];
            }
            self.push(stretch, at);
            // Consecutive line ends count once.
            if found.line && (!stretch.is_empty() || !was_line) {
                self.push(filler.as_slice(), at + stretch.len());
            }
            was_line = found.line || was_line && stretch.is_empty();
            at = start + found.length;
        }
        self.push(&text[at.min(part.end)..part.end], at);
    }

    /// Adds bytes that stand at `original` in the text. A full buffer is scanned first.
    fn push(&mut self, mut stretch: &[u8], mut original: usize) {
        while !stretch.is_empty() {
            if self.length == BUFFER_SIZE || self.count == MAX_PIECES {
                self.flush();
            }
            let (now, rest) = stretch.split_at(stretch.len().min(BUFFER_SIZE - self.length));
            self.pieces[self.count] = Piece { unwrapped: self.length, original };
            self.text[self.length..self.length + now.len()].copy_from_slice(now);
            self.count += 1;
            self.length += now.len();
            original += now.len();
            stretch = rest;
        }
    }

    /// Has the buffer scanned, and keeps its end.
    fn flush(&mut self) {
        let (text, pieces) = (&self.text[..self.length], &self.pieces[..self.count]);
        (self.see)(text, pieces);
        let kept = self.length.min(OVERLAP);
        let from = self.length - kept;
        let first = pieces.partition_point(|piece| piece.unwrapped <= from).saturating_sub(1);
        let mut count = 0;
        for index in first..self.count {
            let Piece { unwrapped, original } = self.pieces[index];
            // The first piece may begin before what is kept.
            let gone = from.saturating_sub(unwrapped);
            self.pieces[count] =
                Piece { unwrapped: (unwrapped + gone) - from, original: original + gone };
            count += 1;
        }
        self.text.copy_within(from..self.length, 0);
        (self.length, self.count) = (kept, count);
    }
}

/// Iterates over the breaks of a text, with their positions. A break inside another one is left
/// out.
struct Breaks<'t> {
    text: &'t [u8],
    /// Where the current block starts.
    block: usize,
    /// Which of its bytes may start a break and are still to be checked.
    left: u64,
    level: Level,
    /// Everything before this is done.
    floor: usize,
}

impl Breaks<'_> {
    /// The breaks from `from` on.
    fn of(text: &[u8], from: usize) -> Breaks<'_> {
        let level = Level::best();
        let left = starts(level, text, from);
        Breaks { text, block: from, left, level, floor: from }
    }
}

impl Iterator for Breaks<'_> {
    type Item = (usize, Break);

    fn next(&mut self) -> Option<(usize, Break)> {
        loop {
            while self.left != 0 {
                let at = self.block + self.left.trailing_zeros() as usize;
                self.left &= self.left - 1;
                if at < self.floor || at >= self.text.len() {
                    continue;
                }
                if let Some(found) = breaks::at_start(&self.text[at..]) {
                    self.floor = at + found.length;
                    return Some((at, found));
                }
            }
            self.block += BLOCK;
            if self.block >= self.text.len() {
                return None;
            }
            self.left = starts(self.level, self.text, self.block);
        }
    }
}

/// Which bytes of a block may start a break.
fn starts(level: Level, text: &[u8], at: usize) -> u64 {
    struct Look<'t>(&'t Class, &'t [u8], usize);
    impl Task for Look<'_> {
        type Answer = u64;

        #[inline(always)]
        fn run<L: Lanes>(self) -> u64 {
            L::matching(self.0, simd::block(self.1, self.2).bytes())
        }
    }
    static STARTS: LazyLock<Option<Class>> =
        LazyLock::new(|| Class::new(ByteSet::of(breaks::may_start)));
    STARTS.as_ref().map_or(u64::MAX, |class| level.run(Look(class, text, at)))
}

/// Iterates over the parts of a text with many breaks, with as much around them as may belong to a
/// value.
struct Parts<'t> {
    text: &'t [u8],
    breaks: Breaks<'t>,
    unwrap_options: UnwrapOptions,
    /// A group of close breaks, from the first to the end of the last, and their number.
    open: Option<(Range<usize>, usize)>,
}

impl Parts<'_> {
    /// The parts of `text`.
    fn of(text: &[u8], unwrap_options: UnwrapOptions) -> Parts<'_> {
        Parts { text, breaks: Breaks::of(text, 0), unwrap_options, open: None }
    }

    /// The part to unwrap around a group of breaks.
    fn around(&self, (breaks, count): (Range<usize>, usize)) -> Option<Range<usize>> {
        let around = match count {
            1 if self.unwrap_options.short => SINGLE_BREAK_CONTEXT,
            1 => return None,
            _ => MAX_UNANCHORED,
        };
        let end = self.text.len().min(breaks.end + around);
        Some(breaks.start.saturating_sub(around)..end)
    }

    /// True if the text between two breaks may be part of a value.
    fn is_inside(&self, between: Range<usize>) -> bool {
        let between = self.text.get(between).unwrap_or_default();
        between.len() < MAX_UNANCHORED
            && (self.unwrap_options.blanks || !between.trim_ascii_end().contains(&b' '))
    }
}

impl Iterator for Parts<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some((start, found)) = self.breaks.next() {
            let next = start..start + found.length;
            match &self.open {
                Some((open, count)) if self.is_inside(open.end..start) => {
                    let count = count + usize::from(start > open.end);
                    self.open = Some((open.start..next.end, count));
                }
                _ => {
                    let done = self.open.replace((next, 1));
                    if let Some(part) = done.and_then(|done| self.around(done)) {
                        return Some(part);
                    }
                }
            }
        }
        self.open.take().and_then(|done| self.around(done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unwrapped(text: &str, unwrap_options: UnwrapOptions, filler: Option<u8>) -> String {
        let mut all: Vec<u8> = Vec::new();
        unwrap(text.as_bytes(), unwrap_options, filler, |unwrapped, pieces| {
            for (at, byte) in unwrapped.iter().enumerate() {
                let original = text.as_bytes()[original(pieces, at)];
                assert!(original == *byte || Some(*byte) == filler, "{at} of {text:?}");
            }
            let known = if all.is_empty() { 0 } else { OVERLAP };
            all.extend(&unwrapped[known..]);
        });
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn a_long_text_is_put_together_bit_by_bit() {
        let lines: Vec<String> = (0..3_000).map(|n| n.to_string()).collect();
        assert_eq!(unwrapped(&lines.join("\n"), UnwrapOptions::default(), None), lines.concat());
    }

    #[test]
    fn what_has_many_breaks_is_put_together() {
        let none = UnwrapOptions::default();
        assert_eq!(unwrapped("ab\n  cd \n\nef\u{200b}g", none, None), "abcdefg");
        assert_eq!(unwrapped("one\ntwo \n\n three", none, Some(b' ')), "one two three");
        assert_eq!(unwrapped("a\nb", none, None), "");
        assert_eq!(unwrapped("a\nb", UnwrapOptions { short: true, ..none }, None), "ab");
    }

    #[test]
    fn a_class_has_room_for_what_may_start_a_break() {
        assert!(Class::new(ByteSet::of(breaks::may_start)).is_some());
    }

    #[test]
    fn long_lines_and_lines_of_several_words_are_left_alone() {
        let none = UnwrapOptions::default();
        let prose = "some words of a line\nthat goes on here\nand ends in this one\n";
        assert_eq!(unwrapped(prose, none, None), "");
        assert_ne!(unwrapped(prose, UnwrapOptions { blanks: true, ..none }, None), "");
        let long = format!("{}\n", "x".repeat(MAX_UNANCHORED)).repeat(9);
        assert_eq!(unwrapped(&long, none, None), "");
    }
}
