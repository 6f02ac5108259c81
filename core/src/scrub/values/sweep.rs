//! The sweep over a text: where an anchor may be.

use super::confirm::{self, Match};
use super::sieve::{BLOCK, Gram, STEP, STRIDE};
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
        while let Some(seen) = self.sieves.grams.next(self.swept, at) {
            for (layer, mut places) in [(LONG, seen.long), (SHORT, seen.short)] {
                while places != 0 {
                    self.look(layer, seen.at + places.trailing_zeros() as usize * STEP);
                    places &= places - 1;
                }
            }
            at = seen.at + STRIDE;
        }
        // The end of the text, where no whole block is.
        for place in (last_block_end(self.from, self.swept.len())..self.swept.len()).step_by(STEP) {
            let (short, long) = self.sieves.grams.has(Gram::at(&self.swept[place..]));
            if long {
                self.look(LONG, place);
            }
            if short {
                self.look(SHORT, place);
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

/// Where the first block would start that is not wholly in a text of this length.
fn last_block_end(from: usize, length: usize) -> usize {
    let strides = (length - from).checked_sub(BLOCK).map_or(0, |more| more / STRIDE + 1);
    from + strides * STRIDE
}
