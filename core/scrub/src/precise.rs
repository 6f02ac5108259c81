//! The `precise` profile: finds secrets by their shape, by the name they are assigned to, and by
//! what stands around them, and replaces the secret alone.
//!
//! `sight` sweeps the text for the few places that deserve a look. Each is looked at by the finder
//! for its sort: a token by its prefix (`token`), a value by the name before it (`assignment`), a
//! link by its user part and query (`link`), a header by its scheme (`scheme`), a key block by its
//! first line (`block`). A finder sees a bounded [`View`] and nothing else. Only a table (`table`)
//! may be longer: its rows are gone through between the sights.

use std::ops::Range;

use super::hit::Hit;
use super::placeholder;
use super::simd::Level;
use super::until::{self, End};
use super::view::{Look, View};

mod assignment;
mod block;
mod companion;
mod crypt;
mod escape;
mod hex;
mod judge;
mod jwk;
mod jwt;
mod kinds;
mod link;
mod manifest;
mod name;
mod pgpass;
mod repeat;
mod scheme;
mod sight;
mod table;
mod token;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod marked;

use repeat::Repeats;
use sight::{Sight, Sort};
use table::Cell;
pub(super) use table::{ROW, Table};

/// The tables of the profile. Never changes; one serves all threads.
pub(super) struct Precise {
    sights: sight::Sights,
    kinds: kinds::Kinds,
}

impl Precise {
    pub(super) fn new(level: Level) -> Precise {
        Precise { sights: sight::Sights::new(level), kinds: kinds::Kinds::new() }
    }

    /// Finds what starts to be seen in `text[from..to]`, in order, without overlaps. `to` is the
    /// end of the text, or so far before it that every view is complete: more of the text may
    /// follow then. Nothing before `floor` becomes part of a hit. Answers where to go on: `to`, or
    /// a place behind it that has been decided already, or the end of what is known of a hit that
    /// is still open, which is the last one. `table` is the one that the text is in at `from`, and
    /// then at `to`.
    pub(super) fn find(
        &self,
        text: &[u8],
        Range { start: from, end: to }: Range<usize>,
        mut floor: usize,
        table: &mut Option<Table>,
        found: &mut Vec<Hit>,
    ) -> usize {
        let mut at = from;
        let mut sweep = self.sights.sweep(&self.kinds, text, from, to);
        let mut held = None;
        let mut repeats = Repeats::default();
        loop {
            let sight = held.take().filter(|held: &Sight| held.at >= at).or_else(|| sweep.next(at));
            let look;
            if table.is_some()
                && let Some(cell) = Table::take(table, text, sight.map_or(to, |s| s.at), to)
            {
                held = sight;
                look = self.look_at_cell(text, cell, floor);
            } else {
                let Some(sight) = sight else { break };
                if let Some(further) = repeats.skip(text, sight.at, to, floor) {
                    at = further;
                    continue;
                }
                let (view, start) = View::around(text, sight.at, floor);
                if sight.sort == Sort::Name
                    && let Some(resume) = assignment::pass(&self.kinds, &view)
                {
                    at = start + resume;
                    continue;
                }
                look = self.look_at_sight(&view, sight).moved(start);
                debug_assert!(look.resume > sight.at, "a finder must go on");
                at = look.resume;
                let Some(hit) = &look.hit else {
                    if let Some(below) = table_at(&view, sight) {
                        *table = Some(below.moved(start));
                    }
                    continue;
                };
                // A placeholder opens nothing, and nothing reaches over one: what stood in its
                // place was the value. What is left beside one may still belong to it.
                let over = placeholder::end_between(text, sight.at, hit.span.start);
                if let Some(end) = over.filter(|end| *end != hit.span.start)
                    && look.more.is_empty()
                {
                    at = end.max(sight.at + 1);
                    continue;
                }
            }
            for mut hit in look.hit.into_iter().chain(look.more) {
                follow(&mut hit, text, to == text.len());
                repeats.forget();
                floor = hit.span.end;
                at = at.max(floor);
                let open = hit.open.is_some();
                found.push(hit);
                if open {
                    // No row of a table is as long as that.
                    *table = None;
                    return at;
                }
            }
        }
        at.max(to)
    }

    /// Looks at a cell of a table.
    fn look_at_cell(&self, text: &[u8], cell: Cell, floor: usize) -> Look {
        let (view, start) = View::around(text, cell.start, floor);
        match assignment::in_cell(&self.kinds, &view, cell.within(start)) {
            Some(hit) => Look::found(hit).moved(start),
            // Nothing is passed over: whatever stands in the cell may be seen for itself.
            None => Look::nothing(0),
        }
    }

    fn look_at_sight(&self, view: &View<'_>, sight: Sight) -> Look {
        let look = self.look(view, sight.sort);
        match (&look.hit, sight.then) {
            (None, Some(sort)) => self.look(view, sort),
            _ => look,
        }
    }

    fn look(&self, view: &View<'_>, sort: Sort) -> Look {
        #[cfg(test)]
        repeat::tests::count_look();
        match sort {
            Sort::Run => token::look(&self.kinds, view),
            Sort::Name => assignment::look(&self.kinds, view),
            Sort::Link => link::look(&self.kinds, view),
            Sort::Parameter => link::look_at_parameter(view)
                .unwrap_or_else(|| self.look_at_name(view, Look::nothing(view.at + 1))),
            Sort::Scheme => self.look_at_name(view, scheme::look(&self.kinds, view)),
            Sort::Block => block::look(view),
            Sort::Jwt => jwt::look(&self.kinds, view),
            Sort::Jwk => jwk::look(view),
            Sort::Crypt => crypt::look(view),
            Sort::Pgpass => pgpass::look(view),
            Sort::Manifest => manifest::look(view),
            Sort::Rows => Look::nothing(view.at + 1),
        }
    }

    /// What else has been seen, or what a name says that starts at the same place: `bearer: …`,
    /// `signature=…`.
    fn look_at_name(&self, view: &View<'_>, seen: Look) -> Look {
        if seen.hit.is_some() || !view.text[view.at].is_ascii_alphabetic() {
            return seen;
        }
        assignment::look(&self.kinds, view)
    }

    /// The secret in a value that stands under a name in structured data: `{"name": "value"}`.
    /// Positions count from the start of `value`.
    pub(super) fn find_named(&self, name: &str, value: &str) -> Option<Hit> {
        assignment::named(&self.kinds, name.as_bytes(), value.as_bytes())
    }
}

/// The table that begins at a sight, counted from the start of the view.
fn table_at(view: &View<'_>, sight: Sight) -> Option<Table> {
    match (sight.sort, sight.then) {
        (Sort::Rows, _) => Table::filled(view),
        (Sort::Name, _) | (_, Some(Sort::Name)) => Table::below(view),
        _ => None,
    }
}

/// Follows a hit that goes on behind its view: to its end, or, where more text is to come, as far
/// as is sure. It stays open then.
fn follow(hit: &mut Hit, text: &[u8], last: bool) {
    let Some(until) = hit.open else { return };
    match until::end(until, text, hit.span.end, last) {
        End::At(end) => {
            hit.span.end = end;
            hit.open = None;
        }
        End::Beyond(end) => hit.span.end = end,
    }
}
