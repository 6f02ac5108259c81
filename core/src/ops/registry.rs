//! `registry.*`

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::tool::ToolInfo;

operations! {
    /// The tools of this runtime.
    registry as RegistryOps {
        /// Lists the tools, sorted by name, disabled ones too.
        list(ListTools) -> Vec<ToolInfo> = list;
        /// Switches a tool on. Fails with `not_found` if there is none of that name or alias.
        enable(NamedTool) -> ToolInfo = enable;
        /// Switches a tool off: it becomes unknown to every caller.
        disable(NamedTool) -> ToolInfo = disable;
        /// Gives a tool another name. Fails with `name_taken` if a tool or alias has it.
        alias(AddAlias) -> ToolInfo = alias;
        /// Lists the groups and the names in them, also of tools that are not there.
        groups(ListGroups) -> Groups = groups;
    }
}

/// The arguments of `registry.list`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTools {}

/// The arguments of `registry.groups`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListGroups {}

/// The arguments of `registry.enable` and `registry.disable`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedTool {
    /// The tool's name or alias.
    pub name: String,
}

/// The arguments of `registry.alias`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddAlias {
    /// The new name.
    pub alias: String,
    /// The tool's name.
    pub name: String,
}

/// Groups with the names in them.
pub type Groups = BTreeMap<String, Vec<String>>;

async fn list(runtime: &Runtime, _: ListTools) -> Result<Vec<ToolInfo>, Error> {
    Ok(runtime.registry().snapshot().list())
}

async fn enable(runtime: &Runtime, args: NamedTool) -> Result<ToolInfo, Error> {
    runtime.registry().set_enabled(&args.name, true)
}

async fn disable(runtime: &Runtime, args: NamedTool) -> Result<ToolInfo, Error> {
    runtime.registry().set_enabled(&args.name, false)
}

async fn alias(runtime: &Runtime, args: AddAlias) -> Result<ToolInfo, Error> {
    runtime.registry().alias(&args.alias, &args.name)
}

async fn groups(runtime: &Runtime, _: ListGroups) -> Result<Groups, Error> {
    let snapshot = runtime.registry().snapshot();
    let catalog = runtime.path().policy.in_force().catalog(&snapshot)?;
    Ok(catalog.groups().clone())
}
