//! `registry.*`

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{default_tenant, operations};
use crate::error::{Code, Error};
use crate::id::check_key;
use crate::kind::{Origin, Tier};
use crate::runtime::Runtime;
use crate::tool::{Alias, Caller, Entry, Registry, Snapshot, ToolInfo, no_clone};

operations! {
    /// The tools of this runtime, or with `agent` those of one agent. Reading shows what that
    /// agent's calls find; changing needs a registry of its own (`registry.clone`).
    registry as RegistryOps {
        /// Lists the tools, sorted by name, including disabled and shadowed ones.
        list(ListTools) -> Vec<ToolInfo> = list;
        /// Shows one tool. Fails with `not_found` if there is none of that name or alias.
        get(NamedTool) -> ToolInfo = get;
        /// Switches a tool on. Fails with `not_found` if there is none of that name or alias.
        enable(NamedTool) -> ToolInfo = enable;
        /// Switches a tool off: it becomes unknown to every caller.
        disable(NamedTool) -> ToolInfo = disable;
        /// Removes a tool with its aliases, and returns it. A tool of the same name in a later tier
        /// takes its place. Fails with `not_found` if there is none.
        unregister(UnregisterTool) -> ToolInfo = unregister;
        /// Gives a tool another name. Fails with `name_taken` if a tool or alias has it; a built-in
        /// alias gives way.
        alias(AddAlias) -> ToolInfo = alias;
        /// Removes an alias of a tool. Fails with `not_found` if there is no such alias.
        unalias(RemoveAlias) -> Unaliased = unalias;
        /// Gives an agent a registry of its own: a copy of the shared one as it is now. Fails with
        /// `conflict` if it has one.
        clone(OneAgent) -> Vec<ToolInfo> = clone;
        /// Removes an agent's own registry. Fails with `not_found` if it has none.
        drop_clone(OneAgent) -> DroppedClone = drop_clone;
        /// Lists the groups and their names, including those of tools that do not exist.
        groups(ListGroups) -> Groups = groups;
    }
}

/// The arguments of `registry.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTools {
    /// The tenant of the agent. Default: `default`.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose tools are meant. Left out: the shared ones.
    #[serde(default)]
    pub agent: Option<String>,
}

/// The arguments of `registry.groups`.
pub type ListGroups = ListTools;

/// The arguments of `registry.get`, `registry.enable` and `registry.disable`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedTool {
    /// The tenant of the agent. Default: `default`.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose tools are meant. Left out: the shared ones.
    #[serde(default)]
    pub agent: Option<String>,
    /// The tool's name or alias.
    pub name: String,
}

/// The arguments of `registry.unregister`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnregisterTool {
    /// The tenant of the agent. Default: `default`.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose tools are meant. Left out: the shared ones.
    #[serde(default)]
    pub agent: Option<String>,
    /// The tool's name or alias.
    pub name: String,
    /// Its tier. Left out: the tool that is called by the name.
    #[serde(default)]
    pub tier: Option<Tier>,
}

/// The arguments of `registry.alias`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddAlias {
    /// The tenant of the agent. Default: `default`.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose tools are meant. Left out: the shared ones.
    #[serde(default)]
    pub agent: Option<String>,
    /// The new name.
    pub alias: String,
    /// The tool's name.
    pub name: String,
    /// Whether definitions show the alias. Default: true.
    #[serde(default = "yes")]
    pub advertised: bool,
    /// The alias's own names of arguments, each mapped to the tool's name.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Default values of the tool's arguments, for calls under the alias that do not give them.
    #[serde(default)]
    pub defaults: Map<String, Value>,
}

/// The arguments of `registry.unalias`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveAlias {
    /// The tenant of the agent. Default: `default`.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose tools are meant. Left out: the shared ones.
    #[serde(default)]
    pub agent: Option<String>,
    /// The alias.
    pub alias: String,
}

/// The arguments of `registry.clone` and `registry.drop_clone`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneAgent {
    /// The tenant of the agent. Default: `default`.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent.
    pub agent: String,
}

/// What `registry.unalias` did.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Unaliased {
    /// The alias that is gone.
    pub alias: String,
}

/// What `registry.drop_clone` did.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct DroppedClone {
    /// The agent that has the shared tools again.
    pub agent: String,
}

/// Groups with the names in them.
pub type Groups = BTreeMap<String, Vec<String>>;

fn yes() -> bool {
    true
}

async fn list(runtime: &Runtime, args: ListTools) -> Result<Vec<ToolInfo>, Error> {
    Ok(seen(runtime, &args.tenant, args.agent).await?.list())
}

async fn get(runtime: &Runtime, args: NamedTool) -> Result<ToolInfo, Error> {
    let snapshot = seen(runtime, &args.tenant, args.agent).await?;
    Ok(snapshot.info(snapshot.known(&args.name)?))
}

async fn enable(runtime: &Runtime, args: NamedTool) -> Result<ToolInfo, Error> {
    let registry = changed(runtime, &args.tenant, args.agent.as_deref())?;
    check_own(runtime, &args.tenant, args.agent, &args.name).await?;
    registry.set_enabled(&args.name, true)
}

async fn disable(runtime: &Runtime, args: NamedTool) -> Result<ToolInfo, Error> {
    let registry = changed(runtime, &args.tenant, args.agent.as_deref())?;
    check_own(runtime, &args.tenant, args.agent, &args.name).await?;
    registry.set_enabled(&args.name, false)
}

async fn unregister(runtime: &Runtime, args: UnregisterTool) -> Result<ToolInfo, Error> {
    let registry = changed(runtime, &args.tenant, args.agent.as_deref())?;
    check_own(runtime, &args.tenant, args.agent, &args.name).await?;
    registry.take(&args.name, args.tier)
}

async fn alias(runtime: &Runtime, args: AddAlias) -> Result<ToolInfo, Error> {
    let mut alias = Alias::of(args.name);
    alias.advertised = args.advertised;
    alias.arguments = args.arguments;
    alias.defaults = args.defaults;
    let registry = changed(runtime, &args.tenant, args.agent.as_deref())?;
    let before = seen(runtime, &args.tenant, args.agent.clone()).await?;
    let Some(tool) = custom(&before, &alias.name) else {
        return registry.alias_as(&args.alias, alias);
    };
    alias.name.clone_from(&tool.spec.name);
    registry.alias_of_layer(&args.alias, &alias)?;
    let after = seen(runtime, &args.tenant, args.agent).await?;
    Ok(after.info(after.known(&alias.name)?))
}

async fn unalias(runtime: &Runtime, args: RemoveAlias) -> Result<Unaliased, Error> {
    changed(runtime, &args.tenant, args.agent.as_deref())?.unalias(&args.alias)?;
    Ok(Unaliased { alias: args.alias })
}

async fn clone(runtime: &Runtime, args: OneAgent) -> Result<Vec<ToolInfo>, Error> {
    check_agent(&args.tenant, &args.agent)?;
    Ok(runtime.registries().clone_for(&args.tenant, &args.agent)?.snapshot().list())
}

async fn drop_clone(runtime: &Runtime, args: OneAgent) -> Result<DroppedClone, Error> {
    runtime.registries().drop_clone(&args.tenant, &args.agent)?;
    Ok(DroppedClone { agent: args.agent })
}

async fn groups(runtime: &Runtime, args: ListGroups) -> Result<Groups, Error> {
    let snapshot = seen(runtime, &args.tenant, args.agent).await?;
    let catalog = runtime.path().policy.in_force().catalog(&snapshot)?;
    Ok(catalog.groups().clone())
}

/// The tools as the agent's calls find them.
async fn seen(
    runtime: &Runtime,
    tenant: &str,
    agent: Option<String>,
) -> Result<Arc<Snapshot>, Error> {
    check_shared(tenant, agent.as_deref())?;
    let caller = Caller { tenant: tenant.to_owned(), agent, ..Caller::default() };
    runtime.path().tools_of(&caller).await
}

/// The custom tool that a name stands for.
fn custom<'s>(seen: &'s Snapshot, name: &str) -> Option<&'s Arc<Entry>> {
    seen.known(name).ok().filter(|tool| tool.origin == Origin::Custom)
}

/// Refuses to change a custom tool here: the store says what it is, for every runtime on it.
async fn check_own(
    runtime: &Runtime,
    tenant: &str,
    agent: Option<String>,
    name: &str,
) -> Result<(), Error> {
    let seen = seen(runtime, tenant, agent).await?;
    let Some(tool) = custom(&seen, name) else { return Ok(()) };
    let text = format!(
        "`{}` is a custom tool, which the store keeps for every runtime; change it with \
         `custom_tools.put` (`enabled`), or take it away with `custom_tools.delete`",
        tool.spec.name
    );
    Err(Error::new(Code::Conflict, text))
}

/// The registry that a change is for.
fn changed(runtime: &Runtime, tenant: &str, agent: Option<&str>) -> Result<Arc<Registry>, Error> {
    check_shared(tenant, agent)?;
    match agent {
        None => Ok(runtime.registries().shared().clone()),
        Some(agent) => runtime.registries().own(tenant, agent).ok_or_else(|| no_clone(agent)),
    }
}

/// Refuses a tenant without an agent: the shared registry is everybody's.
fn check_shared(tenant: &str, agent: Option<&str>) -> Result<(), Error> {
    match agent {
        Some(agent) => check_agent(tenant, agent),
        None if tenant == crate::id::DEFAULT_TENANT => Ok(()),
        None => {
            let text = "`tenant` is given without `agent`; the shared tools belong to no tenant, so \
                        name the agent, too, or leave both out";
            Err(Error::new(Code::InvalidArgument, text))
        }
    }
}

fn check_agent(tenant: &str, agent: &str) -> Result<(), Error> {
    check_key("tenant", tenant)?;
    check_key("agent", agent)
}
