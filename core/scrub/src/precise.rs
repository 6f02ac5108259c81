//! The `precise` profile: finds secrets by shape, by name and by context, and replaces the secret
//! alone.
//!
//! The way of a text:
//!
//! 1. The [candidate scan](candidate) reads the text in blocks of 64 bytes and stops at
//!    *candidates*: places that may start a secret, each with the detector that must look at
//!    it. Nearly all text has none.
//! 2. The detector reads a bounded [`View`] around the candidate and returns an [`Outcome`].
//! 3. A hit that reaches the end of its view is extended by its
//!    [continuation].
//!
//! Invariant: a candidate and its outcome follow from the view alone. So a stream gives the same
//! hits as the whole text. The one exception is a [table], which may be longer than a view:
//! it is a state of the search that goes from row to row, and each row is decided from a view.
//!
//! The modules:
//!
//! - `candidate`: the scan for candidates. `repeat`: skips text that repeats itself.
//! - `token`, `kinds`: tokens of known kinds, by prefix, infix or a keyword nearby. `key_pair`: the
//!   secret behind a key's id. `hex`: bare hexadecimal keys. `jwt`, `jwk`: JSON web tokens and
//!   keys. `escape`: escape sequences in front of a token.
//! - `assignment`: values with a name. `name` classifies the name, `judge` the value. `table`:
//!   columns of secrets.
//! - `link`: URLs. `scheme`: `Authorization` schemes. `block`: private key blocks. `password_hash`,
//!   `pgpass`, `manifest`: password hashes, PostgreSQL password files, Kubernetes secrets.

use std::ops::Range;

use super::continuation::{self, End};
use super::hit::Hit;
use super::placeholder;
use super::simd::Level;
use super::view::{Outcome, View};

mod assignment;
mod block;
mod candidate;
mod escape;
mod hex;
mod judge;
mod jwk;
mod jwt;
mod key_pair;
mod kinds;
mod link;
mod manifest;
mod name;
mod password_hash;
mod pgpass;
mod repeat;
mod scheme;
mod table;
mod token;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod test_marks;

use candidate::{Candidate, Detector};
use repeat::RepeatSkipper;
use table::Cell;
pub(super) use table::{MAX_ROW, Table};

/// The tables of the profile. They never change; one instance serves all threads.
pub(super) struct Precise {
    candidates: candidate::CandidateScanner,
    kinds: kinds::Kinds,
}

impl Precise {
    /// Builds the tables for a SIMD level.
    pub(super) fn new(level: Level) -> Precise {
        Precise { candidates: candidate::CandidateScanner::new(level), kinds: kinds::Kinds::new() }
    }

    /// Finds the secrets whose candidates lie in `text[from..to]`, in order and without overlaps.
    ///
    /// `to` is the end of the text, or so far before it that every view is complete; more text may
    /// follow then. No hit includes a byte before `floor`. `table` is the table that the text is in
    /// at `from`, and afterwards at `to`.
    ///
    /// Returns where the search continues: `to`, or a place behind it that is already decided, or
    /// the end of what is known of an open hit. An open hit is always the last one.
    pub(super) fn find(
        &self,
        text: &[u8],
        Range { start: from, end: to }: Range<usize>,
        mut floor: usize,
        table: &mut Option<Table>,
        found: &mut Vec<Hit>,
    ) -> usize {
        let mut at = from;
        let mut scan = self.candidates.scan(&self.kinds, text, from, to);
        let mut pending = None;
        let mut repeats = RepeatSkipper::default();
        loop {
            let candidate = pending
                .take()
                .filter(|pending: &Candidate| pending.at >= at)
                .or_else(|| scan.next(at));
            let outcome;
            if table.is_some()
                && let Some(cell) = Table::take(table, text, candidate.map_or(to, |s| s.at), to)
            {
                pending = candidate;
                outcome = self.inspect_cell(text, cell, floor);
            } else {
                let Some(candidate) = candidate else { break };
                if let Some(further) = repeats.skip(text, candidate.at, to, floor) {
                    at = further;
                    continue;
                }
                let (view, start) = View::around(text, candidate.at, floor);
                if candidate.detector == Detector::Name
                    && let Some(resume) = assignment::skip(&self.kinds, &view)
                {
                    at = start + resume;
                    continue;
                }
                outcome = self.inspect_candidate(&view, candidate).shifted(start);
                debug_assert!(outcome.resume > candidate.at, "a finder must go on");
                at = outcome.resume;
                let Some(hit) = &outcome.hit else {
                    if let Some(below) = table_starting_at(&view, candidate) {
                        *table = Some(below.shifted(start));
                    }
                    continue;
                };
                // A name before a placeholder does not reach over it: the secret in its place was
                // the value. Text next to a placeholder may still belong to it.
                let over = placeholder::end_between(text, candidate.at, hit.span.start);
                if let Some(end) = over.filter(|end| *end != hit.span.start)
                    && outcome.more.is_empty()
                {
                    at = end.max(candidate.at + 1);
                    continue;
                }
            }
            for mut hit in outcome.hit.into_iter().chain(outcome.more) {
                extend_open_hit(&mut hit, text, to == text.len());
                repeats.reset();
                floor = hit.span.end;
                at = at.max(floor);
                let open = hit.open.is_some();
                found.push(hit);
                if open {
                    // No row of a table is that long.
                    *table = None;
                    return at;
                }
            }
        }
        at.max(to)
    }

    /// Judges a cell of a table.
    fn inspect_cell(&self, text: &[u8], cell: Cell, floor: usize) -> Outcome {
        let (view, start) = View::around(text, cell.start, floor);
        match assignment::find_in_cell(&self.kinds, &view, cell.within(start)) {
            Some(hit) => Outcome::found(hit).shifted(start),
            // Nothing is skipped: candidates inside the cell are still looked at.
            None => Outcome::none(0),
        }
    }

    /// Runs the detector of a candidate, then its fallback if there is no hit.
    fn inspect_candidate(&self, view: &View<'_>, candidate: Candidate) -> Outcome {
        let outcome = self.inspect(view, candidate.detector);
        match (&outcome.hit, candidate.fallback) {
            (None, Some(detector)) => self.inspect(view, detector),
            _ => outcome,
        }
    }

    /// Runs one detector.
    fn inspect(&self, view: &View<'_>, detector: Detector) -> Outcome {
        #[cfg(test)]
        repeat::tests::count_look();
        match detector {
            Detector::Run => token::inspect(&self.kinds, view),
            Detector::Name => assignment::inspect(&self.kinds, view),
            Detector::Link => link::inspect(&self.kinds, view),
            Detector::Parameter => link::inspect_parameter(view)
                .unwrap_or_else(|| self.inspect_or_name(view, Outcome::none(view.at + 1))),
            Detector::Scheme => self.inspect_or_name(view, scheme::inspect(&self.kinds, view)),
            Detector::Block => block::inspect(view),
            Detector::Jwt => jwt::inspect(&self.kinds, view),
            Detector::Jwk => jwk::inspect(view),
            Detector::PasswordHash => password_hash::inspect(view),
            Detector::Pgpass => pgpass::inspect(view),
            Detector::Manifest => manifest::inspect(view),
            Detector::Rows => Outcome::none(view.at + 1),
        }
    }

    /// The outcome, or, if it has no hit, that of a name which starts at the same place: `bearer:
    /// …`, `signature=…`.
    fn inspect_or_name(&self, view: &View<'_>, outcome: Outcome) -> Outcome {
        if outcome.hit.is_some() || !view.text[view.at].is_ascii_alphabetic() {
            return outcome;
        }
        assignment::inspect(&self.kinds, view)
    }

    /// The secret in a value with a name in structured data: `{"name": "value"}`. Positions count
    /// from the start of `value`.
    pub(super) fn find_named(&self, name: &str, value: &str) -> Option<Hit> {
        assignment::find_named(&self.kinds, name.as_bytes(), value.as_bytes())
    }
}

/// The table that starts at a candidate. Positions count from the start of the view.
fn table_starting_at(view: &View<'_>, candidate: Candidate) -> Option<Table> {
    match (candidate.detector, candidate.fallback) {
        (Detector::Rows, _) => Table::filled_by_statement(view),
        (Detector::Name, _) | (_, Some(Detector::Name)) => Table::with_header(view),
        _ => None,
    }
}

/// Extends a hit that continues behind its view: to its end or, if more text may follow, as far as
/// is certain. It then stays open.
fn extend_open_hit(hit: &mut Hit, text: &[u8], last: bool) {
    let Some(continuation) = hit.open else { return };
    match continuation::end(continuation, text, hit.span.end, last) {
        End::At(end) => {
            hit.span.end = end;
            hit.open = None;
        }
        End::Beyond(end) => hit.span.end = end,
    }
}
