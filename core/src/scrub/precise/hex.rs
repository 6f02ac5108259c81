//! Looks at a run of token bytes for a bare run of hexadecimal digits.

use super::super::hit::Hit;
use super::super::view::View;

pub(super) fn look(view: &View<'_>) -> Option<Hit> {
    let _ = view;
    None
}
