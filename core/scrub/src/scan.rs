//! Takes a text through all finders and puts together what they find. A whole text and a stream
//! have the same way: the whole is a stream of pieces of itself.
//!
//! All finders decide a place from a bounded view of what is around it. So a place is decided when
//! [`REACH`] bytes behind it are known, or the end of the text, and what is decided never changes.
//! A secret may go on further than that: it is *open*, and masked as it goes.

use std::sync::Arc;

use super::border::{self, EDGE};
use super::hit::{Hit, Until};
use super::placeholder::Placeholders;
use super::precise::{Precise, ROW, Table};
use super::region::{Found, Mask, Region, Source};
use super::scalar;
use super::seed::{self, Seed};
use super::until::{self, End};
use super::values::Values;
use super::view;

/// How many bytes behind a place must be known before it is decided.
const REACH: usize = view::AHEAD + EDGE;
/// How many bytes before what is settled are still looked at.
const MEMORY: usize = seed::BACK + 2 * EDGE;
const _: () = assert!(MEMORY >= ROW, "the row of a table that is being read is known");

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) struct Eyes<'s> {
    pub precise: Option<&'s Precise>,
    pub seed: Option<&'s Seed>,
    pub values: &'s [Arc<Values>],
    /// Nothing where secrets have no tags.
    pub placeholders: Option<&'s Placeholders>,
}

/// A part of a text: all of it that is not settled, and some of what is.
#[derive(Clone, Copy)]
pub(super) struct Piece<'t> {
    pub text: &'t [u8],
    /// Where it starts in the whole text: at a multiple of 64.
    pub base: usize,
    /// No more follows.
    pub last: bool,
}

impl Piece<'_> {
    fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// What can be decided with this piece ends here.
    fn to(&self) -> usize {
        if self.last { self.end() } else { self.end().saturating_sub(REACH) }
    }
}

/// The search through one text. Positions count from its start.
#[derive(Clone, Default)]
pub(super) struct Scan {
    precise: Track<Until>,
    seed: Track<seed::Tail>,
    values_from: usize,
    /// The table in which the search by `precise` is.
    table: Option<Table>,
    /// What is found and not settled: something that overlaps it may still be found.
    found: Vec<Found>,
    /// A secret that may go on behind what is settled.
    live: Option<Region>,
    settled: usize,
}

/// How far one finder is, whose hits go on by a rule.
#[derive(Clone)]
struct Track<R> {
    at: usize,
    /// Nothing before this becomes part of a hit.
    floor: usize,
    /// The last hit, where it may go on at `at`.
    open: Option<Open<R>>,
}

#[derive(Clone)]
struct Open<R> {
    found: Found,
    rule: R,
}

impl<R> Default for Track<R> {
    fn default() -> Track<R> {
        Track { at: 0, floor: 0, open: None }
    }
}

impl Scan {
    /// Adds what is known to be a secret before the search; its span counts from the start of the
    /// text.
    pub(super) fn expect(&mut self, hit: Hit, text: &[u8]) {
        add(hit, Source::Precise, Piece { text, base: 0, last: true }, &mut self.found);
    }

    /// Goes on with the next piece and answers the masks that are settled by it, in order.
    pub(super) fn advance(&mut self, eyes: Eyes<'_>, piece: Piece<'_>) -> Vec<Mask> {
        self.look_precise(eyes, piece);
        self.look_seed(eyes, piece);
        self.look_values(eyes, piece);
        self.settle(eyes, piece)
    }

    /// Everything before this stays as it is, or is part of a mask that was answered, or of the
    /// one that starts at [`Scan::live`].
    pub(super) fn settled(&self) -> usize {
        self.settled
    }

    /// Where the secret starts that may go on behind what is settled.
    pub(super) fn live(&self) -> Option<usize> {
        self.live.as_ref().map(|region| region.start)
    }

    /// The next piece must start here or before.
    pub(super) fn needed(&self) -> usize {
        self.settled.saturating_sub(MEMORY)
    }

    fn look_precise(&mut self, eyes: Eyes<'_>, piece: Piece<'_>) {
        let Some(precise) = eyes.precise else { return };
        let track = &mut self.precise;
        let mut hits = Vec::new();
        while track.follow(piece, &mut self.found, until::end) && track.at < piece.to() {
            let (from, to) = (track.at - piece.base, piece.to() - piece.base);
            let floor = track.floor.saturating_sub(piece.base);
            let mut table = self.table.and_then(|table| table.within(piece.base));
            let at = precise.find(piece.text, from..to, floor, &mut table, &mut hits);
            track.at = piece.base + at;
            self.table = table.map(|table| table.moved(piece.base));
            for hit in hits.drain(..) {
                track.floor = piece.base + hit.span.end;
                let rule = hit.open;
                track.add(hit, Source::Precise, rule, piece, &mut self.found);
            }
        }
    }

    fn look_seed(&mut self, eyes: Eyes<'_>, piece: Piece<'_>) {
        let Some(seed) = eyes.seed else { return };
        let barriers = eyes.precise.is_some();
        let source = if barriers { Source::Pattern } else { Source::Exact };
        let track = &mut self.seed;
        let mut hits = Vec::new();
        let end = |tail, text: &[u8], from, last| seed.end(tail, text, from, last);
        while track.follow(piece, &mut self.found, end) && track.at < piece.to() {
            let range = (track.at - piece.base, piece.to() - piece.base);
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

    fn look_values(&mut self, eyes: Eyes<'_>, piece: Piece<'_>) {
        let (from, to) = (self.values_from, piece.to());
        if from >= to {
            return;
        }
        let mut hits = Vec::new();
        for (set, values) in eyes.values.iter().enumerate() {
            values.find(piece.text, from - piece.base, to - piece.base, &mut hits);
            for hit in hits.drain(..) {
                add(hit, Source::Values(set), piece, &mut self.found);
            }
        }
        self.values_from = to;
    }

    /// Joins what overlaps, and closes what nothing can overlap any more.
    fn settle(&mut self, eyes: Eyes<'_>, piece: Piece<'_>) -> Vec<Mask> {
        self.settled = self.settled.max(self.safe(eyes, piece));
        self.found.sort_by_key(|found| found.span.start);
        let ready = self.found.partition_point(|found| found.span.start < self.settled);
        let mut masks = Vec::new();
        for found in self.found.drain(..ready) {
            match &mut self.live {
                Some(live) if found.span.start < live.end => {
                    live.absorb(found, piece.text, piece.base);
                }
                live => {
                    let next = Region::new(found, piece.text, piece.base, eyes.placeholders);
                    masks.extend(live.replace(next).map(|done| done.close(eyes.placeholders)));
                }
            }
        }
        let over = |live: &mut Region| {
            let open = self.precise.is_inside(live) || self.seed.is_inside(live);
            live.end <= self.settled && !open
        };
        masks.extend(self.live.take_if(over).map(|done| done.close(eyes.placeholders)));
        masks
    }

    /// Nothing that is still to be found starts before this.
    fn safe(&self, eyes: Eyes<'_>, piece: Piece<'_>) -> usize {
        if piece.last {
            return piece.end();
        }
        let precise = eyes.precise.map(|_| self.precise.safe(view::BACK));
        let seed = eyes.seed.map(|_| self.seed.safe(seed::BACK));
        let first = [precise, seed].into_iter().flatten().fold(self.values_from, usize::min);
        first.saturating_sub(EDGE)
    }
}

impl<R: Copy> Track<R> {
    /// Follows the open hit. False if it goes on behind the piece.
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
            End::At(end) => (end, border::end(piece.text, end)),
            End::Beyond(end) => (end, end.saturating_sub(EDGE)),
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
            hit.span.start = border::start(piece.text, hit.span.start);
        }
        // The borders of an end are known when the end is.
        hit.span.end = hit.span.end.saturating_sub(EDGE).max(hit.span.start + 1);
        let open = Found::new(hit, source, piece.base);
        found.push(open.clone());
        self.open = Some(Open { found: open, rule });
    }

    /// Nothing that this finder still finds starts before this. A hit starts at most `back` before
    /// what is looked at.
    fn safe(&self, back: usize) -> usize {
        match &self.open {
            Some(open) => open.found.span.end,
            None => self.floor.max(self.at.saturating_sub(back)),
        }
    }

    fn is_inside(&self, region: &Region) -> bool {
        let start = self.open.as_ref().map(|open| open.found.span.start);
        start.is_some_and(|start| (region.start..region.end).contains(&start))
    }
}

/// Adds a hit whose span counts from the start of the piece, in the borders that it may have.
fn add(mut hit: Hit, source: Source, piece: Piece<'_>, found: &mut Vec<Found>) {
    let mut bare = None;
    if let Source::Values(_) = source
        && let Some(number) = scalar::bare(piece.text, &hit.span)
    {
        hit.span = number.span;
        bare = Some(number.escapes);
    } else if source != Source::Exact {
        let Some(span) = border::fit(piece.text, hit.span) else { return };
        hit.span = span;
    }
    found.push(Found { bare, ..Found::new(hit, source, piece.base) });
}
