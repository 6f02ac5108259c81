//! A stretch of a text that one placeholder replaces: one hit, or several that overlap.

use std::ops::Range;

use super::hit::{Confidence, Hit, Kind};
use super::placeholder::{Placeholders, Tagger};

/// Who found it. What is later here is believed first where two are equally wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A seed pattern in the `paranoid` profile. It takes the name with the secret, so it is wider
    /// than what it finds, and never says what a secret is where another does.
    Pattern,
    /// The finders of the `precise` profile.
    Precise,
    /// A set of registered values; a narrower scope has a higher number.
    Values(usize),
    /// A seed pattern in the `seed` profile, which comes before the values.
    Exact,
}

impl Source {
    fn weight(self) -> u8 {
        match self {
            Source::Pattern => 0,
            Source::Precise | Source::Values(_) => 1,
            Source::Exact => 2,
        }
    }
}

/// A hit in its final borders. Positions count from the start of the whole text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub span: Range<usize>,
    pub kind: Kind,
    pub confidence: Confidence,
    pub verified: bool,
    pub encoding: Option<&'static str>,
    pub source: Source,
    /// It is a bare JSON number, and its quotes need so many backslashes each.
    pub bare: Option<usize>,
}

impl Found {
    /// A hit of which the span counts from `base`.
    pub(super) fn new(hit: Hit, source: Source, base: usize) -> Found {
        let Hit { span, kind, confidence, verified, encoding, .. } = hit;
        let span = span.start + base..span.end + base;
        Found { span, kind, confidence, verified, encoding, source, bare: None }
    }

    fn rank(&self) -> (u8, usize, Source) {
        (self.source.weight(), self.span.len(), self.source)
    }
}

/// A region in the making.
#[derive(Clone)]
pub(super) struct Region {
    pub start: usize,
    pub end: usize,
    /// The hit that says what it is: the widest.
    first: Found,
    /// Nothing where secrets have no tags. It is large, and a region is moved about.
    tagger: Option<Box<Tagger>>,
}

/// A region that is settled: what is replaced, and what is to be said about it.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub confidence: Confidence,
    pub verified: bool,
    pub encoding: Option<&'static str>,
    pub tag: Option<String>,
    /// The placeholder needs quotes, with so many backslashes each.
    pub quotes: Option<usize>,
}

impl Region {
    /// `text` starts at `base` in the whole.
    pub(super) fn new(
        found: Found,
        text: &[u8],
        base: usize,
        placeholders: Option<&Placeholders>,
    ) -> Region {
        let Range { start, end } = found.span;
        let mut tagger = placeholders.map(|placeholders| Box::new(placeholders.tagger()));
        if let Some(tagger) = &mut tagger {
            tagger.feed(&text[start - base..end - base]);
        }
        Region { start, end, first: found, tagger }
    }

    /// Adds a hit that overlaps.
    pub(super) fn absorb(&mut self, found: Found, text: &[u8], base: usize) {
        if found.span.end > self.end {
            if let Some(tagger) = &mut self.tagger {
                tagger.feed(&text[self.end - base..found.span.end - base]);
            }
            self.end = found.span.end;
        }
        if found.rank() > self.first.rank() {
            self.first = found;
        }
    }

    pub(super) fn close(self, placeholders: Option<&Placeholders>) -> Mask {
        let Region { start, end, first, tagger } = self;
        Mask {
            start,
            end,
            quotes: first.bare.filter(|_| first.span == (start..end)),
            kind: first.kind,
            confidence: first.confidence,
            verified: first.verified,
            encoding: first.encoding,
            tag: placeholders
                .zip(tagger)
                .and_then(|(placeholders, tagger)| placeholders.tag(*tagger)),
        }
    }
}
