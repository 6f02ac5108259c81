//! Looks at a run of token bytes: a vendor's key by its prefix, a JWT, a bare run of hexadecimal
//! digits.

use super::super::view::{Look, View};
use super::kinds::Kinds;
use super::sight::RUN;

pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    match kinds.at(view.text, view.at, view.last) {
        Some(hit) => Look::found(hit),
        None => Look::nothing(view.at + RUN),
    }
}
