//! The sweep over a text: where an anchor may be.

use super::confirm::{self, Match};
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
    let mut sweep = Sweep { tables, sieves: &sieves, text, swept, from, to, matches };
    if sieves.have(LONG) || sieves.have(SHORT) {
        sweep.run();
    }
    if sieves.have(TINY) {
        sweep.run_tiny();
    }
}

struct Sweep<'s> {
    tables: &'s Tables,
    sieves: &'s Sieves,
    text: &'s [u8],
    /// The text up to where an anchor may be.
    swept: &'s [u8],
    from: usize,
    to: usize,
    matches: &'s mut Vec<Match>,
}

impl Sweep<'_> {
    fn run(&mut self) {
        let mut at = self.from;
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
        for at in self.from..self.swept.len() {
            let gram = Gram::at(&self.swept[at..]);
            if self.sieves.tiny.has(gram).0 {
                self.look(TINY, at);
            }
        }
    }

    /// Looks for stretches with a gram at `gram`.
    fn look(&mut self, layer: usize, gram: usize) {
        let shape = &LAYERS[layer];
        for at in (gram + 1).saturating_sub(shape.step).max(self.from)..=gram {
            let Some(stretch) = self.swept.get(at..at + shape.stretch) else { continue };
            if self.sieves.may_be(layer, stretch) {
                self.confirm(layer, at);
            }
        }
    }

    #[cold]
    fn confirm(&mut self, layer: usize, at: usize) {
        let Sweep { text, from, to, matches, .. } = self;
        self.tables.look(layer, text, at, &mut |entry| {
            let found = confirm::confirm(entry, text, *from, at);
            matches.extend(found.filter(|found| found.span.start < *to));
        });
    }
}
