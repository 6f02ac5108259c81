//! Programs of developers, in tables of tools by area.

mod git;
mod node;
mod rust;

use super::tool::Tool;

/// All of them.
pub(super) const TABLES: &[&[Tool]] = &[git::TABLE, node::TABLE, rust::TABLE];

/// True for a program that projects of JavaScript keep in `node_modules`: to run it by `npx` fetches
/// nothing where it is.
pub(super) fn is_of_node_modules(name: &str) -> bool {
    node::is_kept(name)
}
