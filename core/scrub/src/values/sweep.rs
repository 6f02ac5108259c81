//! The sweep over a text: where an anchor may be.

use super::confirm::{self, Match};
use super::joined::{self, Piece};
use super::sieve::{BLOCK, BLOCKS, Gram, STEP, STRIDE, Sights};
use super::table::{LAYERS, LONG, SHORT, Sieves, TINY, Tables};

/// Finds everything that starts in `text[from..to]`, in no order and with overlaps.
pub(super) fn sweep(
    tables: &Tables,
    text: &[u8],
    from: usize,
    to: usize,
    matches: &mut Vec<Match>,
) {
    let sieves = tables.sieves();
    let end = text.len().min(to.saturating_add(tables.reach()));
    let swept = &text[..end];
    let whole = Whole { text, from, to };
    let mut sweep =
        Sweep { tables, sieves: &sieves, whole, swept, start: from, joined: None, matches };
    if sieves.have(LONG) || sieves.have(SHORT) {
        sweep.run();
    }
    if sieves.have(TINY) {
        sweep.run_tiny();
    }
    let wanted = tables.wanted();
    let rest = swept.get(from..).unwrap_or_default();
    for filler in [None, Some(b' ')] {
        if filler.is_none() || wanted.blanks {
            joined::join(rest, wanted, filler, |swept, pieces| {
                let (matches, joined) = (&mut *matches, Some(pieces));
                Sweep { tables, sieves: &sieves, whole, swept, start: 0, joined, matches }.run();
            });
        }
    }
}

/// The text in which matches are looked for, and where they start.
#[derive(Clone, Copy)]
struct Whole<'s> {
    text: &'s [u8],
    from: usize,
    to: usize,
}

struct Sweep<'s> {
    tables: &'s Tables,
    sieves: &'s Sieves,
    whole: Whole<'s>,
    /// The text up to where an anchor may be, or some of it without its breaks.
    swept: &'s [u8],
    /// Where anchors may start in it.
    start: usize,
    /// Where its stretches stand in the text.
    joined: Option<&'s [Piece]>,
    matches: &'s mut Vec<Match>,
}

impl Sweep<'_> {
    fn run(&mut self) {
        let mut at = self.start;
        let mut sights = Sights::new();
        loop {
            let text = self.swept.get(at..).unwrap_or_default();
            self.see(text, at, &mut sights);
            at += sights.blocks * STRIDE;
            if sights.blocks < BLOCKS {
                break;
            }
        }
        // The end of the text, where no whole block is. What is behind it counts as zeros.
        let rest = self.swept.get(at..).unwrap_or_default();
        let mut padded = [0; STRIDE + BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        self.see(&padded, at, &mut sights);
    }

    /// Looks at the next blocks of `text`, which stands at `at`.
    #[inline(always)]
    fn see(&mut self, text: &[u8], at: usize, sights: &mut Sights) {
        self.sieves.grams.see(text, sights);
        for seen in sights.seen() {
            let block = at + usize::from(seen.block) * STRIDE;
            for (layer, mut places) in [(LONG, seen.long), (SHORT, seen.short)] {
                while places != 0 {
                    self.look(layer, block + places.trailing_zeros() as usize * STEP);
                    places &= places - 1;
                }
            }
        }
    }

    fn run_tiny(&mut self) {
        for at in self.start..self.swept.len() {
            let gram = Gram::at(&self.swept[at..]);
            if self.sieves.tiny.has(gram).0 {
                self.look(TINY, at);
            }
        }
    }

    /// Looks for stretches with a gram at `gram`.
    fn look(&mut self, layer: usize, gram: usize) {
        let shape = &LAYERS[layer];
        for at in (gram + 1).saturating_sub(shape.step).max(self.start)..=gram {
            let Some(stretch) = self.swept.get(at..at + shape.stretch) else { continue };
            if self.sieves.may_be(layer, stretch) {
                self.confirm(layer, at);
            }
        }
    }

    #[cold]
    fn confirm(&mut self, layer: usize, at: usize) {
        let Sweep { whole: Whole { text, from, to }, swept, joined, matches, .. } = self;
        self.tables.look(layer, swept, at, &mut |entry| {
            let found = match joined {
                None => confirm::confirm(entry, text, *from, at),
                Some(pieces) => {
                    let at = *from + joined::original(pieces, at);
                    confirm::confirm_broken(entry, text, *from, at)
                }
            };
            matches.extend(found.filter(|found| found.span.start < *to));
        });
    }
}
