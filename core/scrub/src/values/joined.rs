//! A text without its breaks, in which a value is found that is broken in many places.
//!
//! An anchor is found only where no break stands in it. The [table](super::table) sets one so often
//! that a stretch of [`WHOLE`] bytes of a form has one in it. So what is missed is broken at shorter
//! distances throughout. Such parts of a text are put together here, without their breaks, and swept
//! once more; where an anchor is in that, the text itself decides. Where lines are long, or are more
//! than one word each, there is nothing to put together.

use std::ops::Range;
use std::sync::LazyLock;

use super::super::simd::{self, BLOCK, ByteSet, Class, Lanes, Level, Task};
use super::breaks::{self, Break};

/// A stretch of a form without a break in it has an anchor if it has this many bytes.
pub(super) const WHOLE: usize = 48;

/// How far around a lone break the text is put together: one less than the length of the shortest
/// form that has an anchor on either side of any break.
const AROUND: usize = 13;

/// What the values ask for that are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Some values have blanks, in place of which there may be the end of a line.
    pub blanks: bool,
    /// Some are so short that a single break may hide them.
    pub short: bool,
}

/// How much is put together before it is looked at, and of how many stretches: so nothing is
/// allocated.
const ROOM: usize = 1_024;
const MOST_PIECES: usize = 128;

/// What stays of it for the next look: an anchor may go on behind it.
const OVERLAP: usize = super::table::LONGEST_STRETCH - 1;

/// Some of the parts of a text that have many breaks, without these.
pub(super) struct Joined<S> {
    text: [u8; ROOM],
    length: usize,
    pieces: [Piece; MOST_PIECES],
    count: usize,
    see: S,
}

/// Where a stretch without a break stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    joined: usize,
    original: usize,
}

/// Where a place of the joined text stands in the text itself.
pub(super) fn original(pieces: &[Piece], at: usize) -> usize {
    let behind = pieces.partition_point(|piece| piece.joined <= at);
    let piece = behind.checked_sub(1).and_then(|last| pieces.get(last));
    piece.map_or(0, |piece| piece.original + (at - piece.joined))
}

/// Puts together what has many breaks in `text`, and shows it to `see`, bit by bit. `filler` takes
/// the place of the end of a line.
pub(super) fn join(
    text: &[u8],
    wanted: Wanted,
    filler: Option<u8>,
    see: impl FnMut(&[u8], &[Piece]),
) {
    let mut parts = Parts::of(text, wanted).peekable();
    if parts.peek().is_none() {
        return;
    }
    let pieces = [Piece::default(); MOST_PIECES];
    let mut joined = Joined { text: [0; ROOM], length: 0, pieces, count: 0, see };
    for part in parts {
        joined.add(text, part, filler);
    }
    joined.show();
}

impl<S: FnMut(&[u8], &[Piece])> Joined<S> {
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
            // Of several ends of lines that follow each other, one counts.
            if found.line && (!stretch.is_empty() || !was_line) {
                self.push(filler.as_slice(), at + stretch.len());
            }
            was_line = found.line || was_line && stretch.is_empty();
            at = start + found.length;
        }
        self.push(&text[at.min(part.end)..part.end], at);
    }

    fn push(&mut self, mut stretch: &[u8], mut original: usize) {
        while !stretch.is_empty() {
            if self.length == ROOM || self.count == MOST_PIECES {
                self.show();
            }
            let (now, rest) = stretch.split_at(stretch.len().min(ROOM - self.length));
            self.pieces[self.count] = Piece { joined: self.length, original };
            self.text[self.length..self.length + now.len()].copy_from_slice(now);
            self.count += 1;
            self.length += now.len();
            original += now.len();
            stretch = rest;
        }
    }

    /// Has what there is looked at, and keeps the end of it.
    fn show(&mut self) {
        let (text, pieces) = (&self.text[..self.length], &self.pieces[..self.count]);
        (self.see)(text, pieces);
        let kept = self.length.min(OVERLAP);
        let from = self.length - kept;
        let first = pieces.partition_point(|piece| piece.joined <= from).saturating_sub(1);
        let mut count = 0;
        for index in first..self.count {
            let Piece { joined, original } = self.pieces[index];
            // The first of them may begin before what is kept.
            let gone = from.saturating_sub(joined);
            self.pieces[count] =
                Piece { joined: (joined + gone) - from, original: original + gone };
            count += 1;
        }
        self.text.copy_within(from..self.length, 0);
        (self.length, self.count) = (kept, count);
    }
}

/// The breaks of a text, each with its place. One that another takes in is left out.
struct Breaks<'t> {
    text: &'t [u8],
    /// Where the block starts that is looked at.
    block: usize,
    /// Which bytes of it may start a break and were not looked at.
    left: u64,
    level: Level,
    /// What is before this was passed over.
    floor: usize,
}

impl Breaks<'_> {
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

/// The parts of a text that have many breaks, with as much around them as may belong to a value.
struct Parts<'t> {
    text: &'t [u8],
    breaks: Breaks<'t>,
    wanted: Wanted,
    /// From the first to the end of the last of some breaks that stand close, and how many there
    /// are.
    open: Option<(Range<usize>, usize)>,
}

impl Parts<'_> {
    fn of(text: &[u8], wanted: Wanted) -> Parts<'_> {
        Parts { text, breaks: Breaks::of(text, 0), wanted, open: None }
    }

    /// What is put together around these breaks.
    fn around(&self, (breaks, count): (Range<usize>, usize)) -> Option<Range<usize>> {
        let around = match count {
            1 if self.wanted.short => AROUND,
            1 => return None,
            _ => WHOLE,
        };
        let end = self.text.len().min(breaks.end + around);
        Some(breaks.start.saturating_sub(around)..end)
    }

    /// True if what stands between two breaks may be a part of a value.
    fn is_inside(&self, between: Range<usize>) -> bool {
        let between = self.text.get(between).unwrap_or_default();
        between.len() < WHOLE && (self.wanted.blanks || !between.trim_ascii_end().contains(&b' '))
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

    fn joined(text: &str, wanted: Wanted, filler: Option<u8>) -> String {
        let mut all: Vec<u8> = Vec::new();
        join(text.as_bytes(), wanted, filler, |joined, pieces| {
            for (at, byte) in joined.iter().enumerate() {
                let original = text.as_bytes()[original(pieces, at)];
                assert!(original == *byte || Some(*byte) == filler, "{at} of {text:?}");
            }
            let known = if all.is_empty() { 0 } else { OVERLAP };
            all.extend(&joined[known..]);
        });
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn a_long_text_is_put_together_bit_by_bit() {
        let lines: Vec<String> = (0..3_000).map(|n| n.to_string()).collect();
        assert_eq!(joined(&lines.join("\n"), Wanted::default(), None), lines.concat());
    }

    #[test]
    fn what_has_many_breaks_is_put_together() {
        let none = Wanted::default();
        assert_eq!(joined("ab\n  cd \n\nef\u{200b}g", none, None), "abcdefg");
        assert_eq!(joined("one\ntwo \n\n three", none, Some(b' ')), "one two three");
        assert_eq!(joined("a\nb", none, None), "");
        assert_eq!(joined("a\nb", Wanted { short: true, ..none }, None), "ab");
    }

    #[test]
    fn a_class_has_room_for_what_may_start_a_break() {
        assert!(Class::new(ByteSet::of(breaks::may_start)).is_some());
    }

    #[test]
    fn long_lines_and_lines_of_several_words_are_left_alone() {
        let none = Wanted::default();
        let prose = "some words of a line\nthat goes on here\nand ends in this one\n";
        assert_eq!(joined(prose, none, None), "");
        assert_ne!(joined(prose, Wanted { blanks: true, ..none }, None), "");
        let long = format!("{}\n", "x".repeat(WHOLE)).repeat(9);
        assert_eq!(joined(&long, none, None), "");
    }
}
