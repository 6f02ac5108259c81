//! Regions: hits that overlap become one placeholder.
//!
//! Several detectors may find the same secret, or parts of it. A [`Region`] collects hits that
//! overlap and grows while the scan goes on. Once nothing more can overlap it, the region is closed
//! and becomes a [`Mask`]. Of the hits in a region, the one with the highest priority and then the
//! widest one decides the kind.

use std::ops::Range;

use super::hit::{Confidence, Hit, Kind};
use super::placeholder::{Placeholders, Tagger};

/// Which detector found a hit. Of two hits of equal priority and width, the later variant decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A seed pattern in the `paranoid` profile. It takes the name along with the secret, so it is
    /// wider than other hits of the same secret, and never decides the kind if another hit does.
    Pattern,
    /// A detector of the `precise` profile.
    Precise,
    /// A set of registered values. A narrower scope has a higher number.
    Values(usize),
    /// A seed pattern in the `seed` profile. It takes precedence over registered values.
    Exact,
}

impl Source {
    /// The priority when a region has hits of several sources.
    fn priority(self) -> u8 {
        match self {
            Source::Pattern => 0,
            Source::Precise | Source::Values(_) => 1,
            Source::Exact => 2,
        }
    }
}

/// A hit whose borders are final. Positions count from the start of the whole text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub span: Range<usize>,
    pub kind: Kind,
    pub confidence: Confidence,
    pub verified: bool,
    pub encoding: Option<&'static str>,
    pub source: Source,
    /// Set if the hit is a bare JSON number: the number of backslashes before each quote of its
    /// replacement.
    pub bare: Option<usize>,
}

impl Found {
    /// Converts a hit whose span counts from `base`.
    pub(super) fn new(hit: Hit, source: Source, base: usize) -> Found {
        let Hit { span, kind, confidence, verified, encoding, .. } = hit;
        let span = span.start + base..span.end + base;
        Found { span, kind, confidence, verified, encoding, source, bare: None }
    }

    /// What hits of one region are compared by: priority, width, source.
    fn priority_key(&self) -> (u8, usize, Source) {
        (self.source.priority(), self.span.len(), self.source)
    }
}

/// A region that may still grow.
#[derive(Clone)]
pub(super) struct Region {
    pub start: usize,
    pub end: usize,
    /// The hit that decides the kind.
    widest: Found,
    /// Computes the tag; absent in profiles without tags. Boxed because it is large and regions are
    /// moved often.
    tagger: Option<Box<Tagger>>,
}

/// A closed region: what is replaced, and what is reported about it.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub confidence: Confidence,
    pub verified: bool,
    pub encoding: Option<&'static str>,
    pub tag: Option<String>,
    /// Set if the placeholder needs quotes: the number of backslashes before each quote.
    pub quotes: Option<usize>,
}

impl Region {
    /// Starts a region with its first hit. `text` starts at `base` in the whole text.
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
        Region { start, end, widest: found, tagger }
    }

    /// Adds a hit that overlaps the region.
    pub(super) fn merge(&mut self, found: Found, text: &[u8], base: usize) {
        if found.span.end > self.end {
            if let Some(tagger) = &mut self.tagger {
                tagger.feed(&text[self.end - base..found.span.end - base]);
            }
            self.end = found.span.end;
        }
        if found.priority_key() > self.widest.priority_key() {
            self.widest = found;
        }
    }

    /// Ends the region and computes its tag.
    pub(super) fn close(self, placeholders: Option<&Placeholders>) -> Mask {
        let Region { start, end, widest, tagger } = self;
        Mask {
            start,
            end,
            quotes: widest.bare.filter(|_| widest.span == (start..end)),
            kind: widest.kind,
            confidence: widest.confidence,
            verified: widest.verified,
            encoding: widest.encoding,
            tag: placeholders
                .zip(tagger)
                .and_then(|(placeholders, tagger)| placeholders.tag(*tagger)),
        }
    }
}
