//! The scan for values: finds the places where an anchor may be.

use super::confirm::{self, Match};
use super::gram_filter::{BLOCK, BLOCKS, Gram, GramHits, STEP, STRIDE};
use super::table::{Filters, LAYERS, LONG, SHORT, TINY, Tables};
use super::unwrapped::{self, Piece};

/// Finds every value that starts in `text[from..to]`, in no order and with overlaps.
pub(super) fn scan(tables: &Tables, text: &[u8], from: usize, to: usize, matches: &mut Vec<Match>) {
    let filters = tables.filters();
    let end = text.len().min(to.saturating_add(tables.max_match_length()));
    let text_scanned = &text[..end];
    let whole = Whole { text, from, to };
    let mut scan = Scan {
        tables,
        filters: &filters,
        whole,
        text_scanned,
        start: from,
        unwrapped: None,
        matches,
    };
    if filters.has_layer(LONG) || filters.has_layer(SHORT) {
        scan.run();
    }
    if filters.has_layer(TINY) {
        scan.run_tiny();
    }
    let unwrap_options = tables.unwrap_options();
    let rest = text_scanned.get(from..).unwrap_or_default();
    for filler in [None, Some(b' ')] {
        if filler.is_none() || unwrap_options.blanks {
            unwrapped::unwrap(rest, unwrap_options, filler, |text_scanned, pieces| {
                let (matches, unwrapped) = (&mut *matches, Some(pieces));
                Scan {
                    tables,
                    filters: &filters,
                    whole,
                    text_scanned,
                    start: 0,
                    unwrapped,
                    matches,
                }
                .run();
            });
        }
    }
}

/// The text in which matches are confirmed, and where they may start.
#[derive(Clone, Copy)]
struct Whole<'s> {
    text: &'s [u8],
    from: usize,
    to: usize,
}

/// One pass over a text.
struct Scan<'s> {
    tables: &'s Tables,
    filters: &'s Filters,
    whole: Whole<'s>,
    /// The text that is scanned for anchors: the text itself, or parts of it without breaks.
    text_scanned: &'s [u8],
    /// Where anchors may start in it.
    start: usize,
    /// For text without breaks, where its pieces stand in the text itself.
    unwrapped: Option<&'s [Piece]>,
    matches: &'s mut Vec<Match>,
}

impl Scan<'_> {
    /// Scans for the anchors of the long and the short layer: many blocks at once, then the rest.
    fn run(&mut self) {
        let mut at = self.start;
        let mut hits = GramHits::new();
        loop {
            let text = self.text_scanned.get(at..).unwrap_or_default();
            self.find_hits(text, at, &mut hits);
            at += hits.blocks * STRIDE;
            if hits.blocks < BLOCKS {
                break;
            }
        }
        // The end of the text, which fills no block. Bytes behind it count as zero.
        let rest = self.text_scanned.get(at..).unwrap_or_default();
        let mut padded = [0; STRIDE + BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        self.find_hits(&padded, at, &mut hits);
    }

    /// Scans the next blocks of `text`, which stands at `at`.
    #[inline(always)]
    fn find_hits(&mut self, text: &[u8], at: usize, hits: &mut GramHits) {
        self.filters.grams.find_hits(text, hits);
        for seen in hits.blocks() {
            let block = at + usize::from(seen.block) * STRIDE;
            for (layer, mut places) in [(LONG, seen.long), (SHORT, seen.short)] {
                while places != 0 {
                    self.check_stretches(layer, block + places.trailing_zeros() as usize * STEP);
                    places &= places - 1;
                }
            }
        }
    }

    /// Scans for the anchors of the tiny layer, one byte after another.
    fn run_tiny(&mut self) {
        for at in self.start..self.text_scanned.len() {
            let gram = Gram::at(&self.text_scanned[at..]);
            if self.filters.tiny.has(gram).0 {
                self.check_stretches(TINY, at);
            }
        }
    }

    /// Checks the anchors that have the gram at `gram`.
    fn check_stretches(&mut self, layer: usize, gram: usize) {
        let shape = &LAYERS[layer];
        for at in (gram + 1).saturating_sub(shape.step).max(self.start)..=gram {
            let Some(stretch) = self.text_scanned.get(at..at + shape.stretch) else { continue };
            if self.filters.may_be(layer, stretch) {
                self.confirm_anchor(layer, at);
            }
        }
    }

    /// Compares the text around a possible anchor with every form that has it there.
    #[cold]
    fn confirm_anchor(&mut self, layer: usize, at: usize) {
        let Scan { whole: Whole { text, from, to }, text_scanned, unwrapped, matches, .. } = self;
        self.tables.for_each_entry(layer, text_scanned, at, &mut |entry| {
            let found = match unwrapped {
                None => confirm::confirm(entry, text, *from, at),
                Some(pieces) => {
                    let at = *from + unwrapped::original(pieces, at);
                    confirm::confirm_broken(entry, text, *from, at)
                }
            };
            matches.extend(found.filter(|found| found.span.start < *to));
        });
    }
}
