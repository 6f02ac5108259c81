//! Looks at a run of token bytes: a vendor's key by its prefix, a JWT, a bare run of hexadecimal
//! digits.

use super::super::view::{Look, View};
use super::kinds::Kinds;

pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    let found = kinds.at(view.text, view.at, view.last);
    match found.filter(|hit| hit.span.start >= view.floor) {
        Some(hit) => Look::found(hit),
        // Only the first byte: a telling name may begin inside the run.
        None => Look::nothing(view.at + 1),
    }
}
