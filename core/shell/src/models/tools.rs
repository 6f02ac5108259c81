//! Programs of developers, in tables of tools by area.

mod build;
mod cloud;
mod containers;
mod databases;
mod forges;
mod git;
mod interpreters;
mod jvm;
mod kubernetes;
mod languages;
mod native;
mod node;
mod packages;
mod plain;
mod python;
mod releases;
mod rust;
mod secrets;
mod versions;

use crate::effect::Scope;
use crate::model::Report;
use crate::model::tool::Tool;
use crate::place;
use crate::value::Value;

/// All of them.
pub(super) const TABLES: &[&[Tool]] = &[
    build::TABLE,
    cloud::TABLE,
    containers::TABLE,
    databases::TABLE,
    forges::TABLE,
    git::TABLE,
    interpreters::TABLE,
    jvm::TABLE,
    kubernetes::TABLE,
    languages::TABLE,
    native::TABLE,
    node::TABLE,
    packages::TABLE,
    python::TABLE,
    releases::TABLE,
    releases::OF_NODE,
    rust::TABLE,
    secrets::TABLE,
    versions::TABLE,
];

/// True for a path that is not in the workspace.
fn is_beyond(report: &Report<'_>, path: &Value) -> bool {
    let path = place::resolve(path, &report.cwd, report.env);
    place::scope(&path, report.env) != Scope::Workspace
}
