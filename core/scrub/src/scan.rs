//! The scan: runs all detectors over a text and merges what they find.
//!
//! A whole text and a stream take the same way, since a whole text is scanned as a stream of pieces
//! of itself. For each [`Piece`], [`Scan::advance`] runs the `precise` detectors, the `seed`
//! patterns and the search for registered values. It then merges overlapping hits into regions and
//! returns the masks that are final.
//!
//! Invariant: a place is decided once [`DECISION_REACH`] bytes behind it are known, or the end of
//! the text. A decision never changes. A secret that goes on further is *open*: its known part is
//! masked, and its end is searched in the next piece.

use std::sync::Arc;

use super::border::{self, BORDER_REACH};
use super::continuation::{self, End};
use super::hit::{Continuation, Hit};
use super::placeholder::Placeholders;
use super::precise::{MAX_ROW, Precise, Table};
use super::region::{Found, Mask, Region, Source};
use super::scalar;
use super::seed::{self, Seed};
use super::values::Values;
use super::view;

/// How many bytes behind a place must be known before it is decided: a full view, and what decides
/// about the border of a hit.
const DECISION_REACH: usize = view::AHEAD + BORDER_REACH;
/// How many bytes before the settled position are kept: what the seed patterns look back at, and
/// the borders on either side.
const KEPT_BYTES: usize = seed::BACK + 2 * BORDER_REACH;
const _: () = assert!(KEPT_BYTES >= MAX_ROW, "the row of a table that is being read is known");

/// The detectors of a scrubber. A profile leaves some of them out.
#[derive(Clone, Copy)]
pub(super) struct Detectors<'s> {
    /// The detectors of the `precise` profile.
    pub precise: Option<&'s Precise>,
    /// The patterns of the `seed` profile.
    pub seed: Option<&'s Seed>,
    /// The sets of registered values, the narrowest scope last.
    pub values: &'s [Arc<Values>],
    /// Absent in profiles whose placeholders have no tags.
    pub placeholders: Option<&'s Placeholders>,
}

/// A part of a text: everything that is not settled, and some bytes before it.
#[derive(Clone, Copy)]
pub(super) struct Piece<'t> {
    pub text: &'t [u8],
    /// Where the piece starts in the whole text; a multiple of 64, so that blocks of bytes are the
    /// same in every piece.
    pub base: usize,
    /// True if no more text follows.
    pub last: bool,
}

impl Piece<'_> {
    /// Where the piece ends in the whole text.
    fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// Where the decisions that this piece allows end.
    fn decided_end(&self) -> usize {
        if self.last { self.end() } else { self.end().saturating_sub(DECISION_REACH) }
    }
}

/// The state of a scan through one text. Positions count from the start of the whole text.
#[derive(Clone, Default)]
pub(super) struct Scan {
    /// How far the `precise` detectors have come.
    precise: Progress<Continuation>,
    /// How far the `seed` patterns have come.
    seed: Progress<seed::Tail>,
    /// Where the search for registered values continues.
    values_from: usize,
    /// The table that the `precise` detectors are in, if they are in one.
    table: Option<Table>,
    /// Hits that are not settled: another hit that overlaps them may still be found.
    found: Vec<Found>,
    /// A region that may grow past the settled position.
    open_region: Option<Region>,
    /// Everything before this is final.
    settled: usize,
}

/// How far one detector has come. Its open hits continue by a rule `R`.
#[derive(Clone)]
struct Progress<R> {
    at: usize,
    /// No hit may include a byte before this.
    floor: usize,
    /// The last hit, if it may continue at `at`.
    open: Option<OpenHit<R>>,
}

/// A hit whose end is not known yet, and the rule that finds it.
#[derive(Clone)]
struct OpenHit<R> {
    found: Found,
    rule: R,
}

impl<R> Default for Progress<R> {
    fn default() -> Progress<R> {
        Progress { at: 0, floor: 0, open: None }
    }
}

impl Scan {
    /// Adds a secret that is known before the scan. Its span counts from the start of the text.
    pub(super) fn add_known(&mut self, hit: Hit, text: &[u8]) {
        add(hit, Source::Precise, Piece { text, base: 0, last: true }, &mut self.found);
    }

    /// Scans the next piece and returns the masks that it settles, in text order.
    pub(super) fn advance(&mut self, detectors: Detectors<'_>, piece: Piece<'_>) -> Vec<Mask> {
        self.run_precise(detectors, piece);
        self.run_seed(detectors, piece);
        self.run_values(detectors, piece);
        self.settle(detectors, piece)
    }

    /// Everything before this is final: it stays, or is part of a mask that was returned, or
    /// belongs to the open region.
    pub(super) fn settled(&self) -> usize {
        self.settled
    }

    /// Where the open region starts, if there is one.
    pub(super) fn open_region_start(&self) -> Option<usize> {
        self.open_region.as_ref().map(|region| region.start)
    }

    /// The next piece must start here or before.
    pub(super) fn earliest_needed(&self) -> usize {
        self.settled.saturating_sub(KEPT_BYTES)
    }

    /// Runs the `precise` detectors as far as they can decide.
    fn run_precise(&mut self, detectors: Detectors<'_>, piece: Piece<'_>) {
        let Some(precise) = detectors.precise else { return };
        let track = &mut self.precise;
        let mut hits = Vec::new();
        while track.follow(piece, &mut self.found, continuation::end)
            && track.at < piece.decided_end()
        {
            let (from, to) = (track.at - piece.base, piece.decided_end() - piece.base);
            let floor = track.floor.saturating_sub(piece.base);
            let mut table = self.table.and_then(|table| table.within(piece.base));
            let at = precise.find(piece.text, from..to, floor, &mut table, &mut hits);
            track.at = piece.base + at;
            self.table = table.map(|table| table.shifted(piece.base));
            for hit in hits.drain(..) {
                track.floor = piece.base + hit.span.end;
                let rule = hit.open;
                track.add(hit, Source::Precise, rule, piece, &mut self.found);
            }
        }
    }

    /// Runs the `seed` patterns as far as they can decide.
    fn run_seed(&mut self, detectors: Detectors<'_>, piece: Piece<'_>) {
        let Some(seed) = detectors.seed else { return };
        let barriers = detectors.precise.is_some();
        let source = if barriers { Source::Pattern } else { Source::Exact };
        let track = &mut self.seed;
        let mut hits = Vec::new();
        let end = |tail, text: &[u8], from, last| seed.end(tail, text, from, last);
        while track.follow(piece, &mut self.found, end) && track.at < piece.decided_end() {
            let range = (track.at - piece.base, piece.decided_end() - piece.base);
            let floor = track.floor.saturating_sub(piece.base);
            let step = seed.find(piece.text, range, floor, barriers, &mut hits);
            (track.at, track.floor) = (piece.base + step.at, piece.base + step.floor);
            let last = hits.len();
            for (index, hit) in hits.drain(..).enumerate() {
                let rule = step.open.filter(|_| index + 1 == last);
                track.add(hit, source, rule, piece, &mut self.found);
            }
        }
    }

    /// Searches for registered values as far as that can be decided.
    fn run_values(&mut self, detectors: Detectors<'_>, piece: Piece<'_>) {
        let (from, to) = (self.values_from, piece.decided_end());
        if from >= to {
            return;
        }
        let mut hits = Vec::new();
        for (set, values) in detectors.values.iter().enumerate() {
            values.find(piece.text, from - piece.base, to - piece.base, &mut hits);
            for hit in hits.drain(..) {
                add(hit, Source::Values(set), piece, &mut self.found);
            }
        }
        self.values_from = to;
    }

    /// Merges hits that overlap, and closes the regions that nothing can overlap any more.
    fn settle(&mut self, detectors: Detectors<'_>, piece: Piece<'_>) -> Vec<Mask> {
        self.settled = self.settled.max(self.earliest_undecided(detectors, piece));
        self.found.sort_by_key(|found| found.span.start);
        let ready = self.found.partition_point(|found| found.span.start < self.settled);
        let mut masks = Vec::new();
        for found in self.found.drain(..ready) {
            match &mut self.open_region {
                Some(open_region) if found.span.start < open_region.end => {
                    open_region.merge(found, piece.text, piece.base);
                }
                open_region => {
                    let next = Region::new(found, piece.text, piece.base, detectors.placeholders);
                    masks.extend(
                        open_region.replace(next).map(|done| done.close(detectors.placeholders)),
                    );
                }
            }
        }
        let over = |open_region: &mut Region| {
            let open =
                self.precise.is_open_inside(open_region) || self.seed.is_open_inside(open_region);
            open_region.end <= self.settled && !open
        };
        masks.extend(self.open_region.take_if(over).map(|done| done.close(detectors.placeholders)));
        masks
    }

    /// No hit that is still to be found starts before this.
    fn earliest_undecided(&self, detectors: Detectors<'_>, piece: Piece<'_>) -> usize {
        if piece.last {
            return piece.end();
        }
        let precise = detectors.precise.map(|_| self.precise.earliest_undecided(view::BACK));
        let seed = detectors.seed.map(|_| self.seed.earliest_undecided(seed::BACK));
        let first = [precise, seed].into_iter().flatten().fold(self.values_from, usize::min);
        first.saturating_sub(BORDER_REACH)
    }
}

impl<R: Copy> Progress<R> {
    /// Continues the open hit. Returns false if it goes on behind the piece.
    fn follow(
        &mut self,
        piece: Piece<'_>,
        found: &mut Vec<Found>,
        end: impl Fn(R, &[u8], usize, bool) -> End,
    ) -> bool {
        let Some(open) = &mut self.open else { return true };
        let end = end(open.rule, piece.text, self.at - piece.base, piece.last);
        let (at, known) = match end {
            End::At(end) if open.found.source == Source::Exact => (end, end),
            End::At(end) => (end, border::snap_end(piece.text, end)),
            End::Beyond(end) => (end, end.saturating_sub(BORDER_REACH)),
        };
        self.at = piece.base + at;
        self.floor = self.at;
        open.found.span.end = open.found.span.end.max(piece.base + known);
        found.push(open.found.clone());
        let closed = matches!(end, End::At(_));
        if closed {
            self.open = None;
        }
        closed
    }

    /// Adds a hit with its borders adjusted.
    fn add(
        &mut self,
        mut hit: Hit,
        source: Source,
        rule: Option<R>,
        piece: Piece<'_>,
        found: &mut Vec<Found>,
    ) {
        let Some(rule) = rule else { return add(hit, source, piece, found) };
        if source != Source::Exact {
            hit.span.start = border::snap_start(piece.text, hit.span.start);
        }
        // The border of the end is known when the end is.
        hit.span.end = hit.span.end.saturating_sub(BORDER_REACH).max(hit.span.start + 1);
        let open = Found::new(hit, source, piece.base);
        found.push(open.clone());
        self.open = Some(OpenHit { found: open, rule });
    }

    /// No hit that this detector still finds starts before this. A hit starts at most `back` bytes
    /// before the place that is looked at.
    fn earliest_undecided(&self, back: usize) -> usize {
        match &self.open {
            Some(open) => open.found.span.end,
            None => self.floor.max(self.at.saturating_sub(back)),
        }
    }

    /// True if the open hit starts inside the region.
    fn is_open_inside(&self, region: &Region) -> bool {
        let start = self.open.as_ref().map(|open| open.found.span.start);
        start.is_some_and(|start| (region.start..region.end).contains(&start))
    }
}

/// Adds a hit whose span counts from the start of the piece, with its borders adjusted.
/// Adds a hit with its borders.
fn add(mut hit: Hit, source: Source, piece: Piece<'_>, found: &mut Vec<Found>) {
    let mut bare = None;
    if let Source::Values(_) = source
        && let Some(number) = scalar::json_number(piece.text, &hit.span)
    {
        hit.span = number.span;
        bare = Some(number.escapes);
    } else if source != Source::Exact {
        let Some(span) = border::snap(piece.text, hit.span) else { return };
        hit.span = span;
    }
    found.push(Found { bare, ..Found::new(hit, source, piece.base) });
}
