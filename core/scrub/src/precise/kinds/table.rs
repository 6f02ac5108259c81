//! The kinds of secrets, made from `data/kinds/*.toml` by the build script.
//!
//! `FIELDS` holds the kinds by field, in the order of the files. Where two kinds with a prefix fit
//! equally far, the later one names the secret, so general kinds come before special ones.
//! `EXAMPLES` holds a hit and a miss for each kind; a test runs them.

use super::shape::{Check, Part, Set, Shape};

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

/// All kinds, in their order.
pub(super) fn all() -> impl Iterator<Item = &'static Shape> {
    FIELDS.iter().flat_map(|(_, shapes)| shapes.iter())
}
