//! Looks at a run of token bytes: a vendor's key by its prefix, a JWT, a bare run of hexadecimal
//! digits.

use super::super::view::{Look, View};
use super::kinds::Kinds;
use super::{companion, hex, jwt};

pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    let known = kinds.at(view.text, view.at, view.last);
    let found = known
        .or_else(|| hex::find(view))
        .or_else(|| jwt::at_token(view.text, view.at, view.last))
        .filter(|hit| hit.span.start >= view.floor);
    match found {
        Some(hit) => {
            let more: Vec<_> = companion::find(view, &hit).into_iter().collect();
            let resume = more.last().unwrap_or(&hit).span.end;
            Look { hit: Some(hit), more, resume }
        }
        // Only the first byte: a telling name may begin inside the run.
        None => Look::nothing(view.at + 1),
    }
}
