//! `agents.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{check_limit, custom_tools, default_limit, default_tenant, operations};
use crate::commands::settings_of_row;
use crate::detached::detached;
use crate::error::{Code, Error};
use crate::policy::RowLists;
use crate::runtime::Runtime;
use crate::store::{self, Agent};

operations! {
    /// Agents and their own lists, which narrow what each may call.
    agents as Agents {
        /// Stores an agent, replacing one of the same id. Its lists hold from the next call on; in
        /// other processes within a second.
        ///
        /// Fails with `conflict` if `if_version` does not hold, with `invalid_config` if a list
        /// names an unknown group, with `invalid_argument` if `settings.shell` is invalid.
        put(PutAgent) -> Agent = put;
        /// Returns an agent. Fails with `not_found` if there is none of that id.
        get(AgentKey) -> Agent = get;
        /// Lists agents by id.
        list(ListAgents) -> Vec<Agent> = list;
        /// Deletes an agent, and the custom tools that are for it alone. From then on only the
        /// configuration's lists hold for its id.
        delete(DeleteAgent) -> Deleted = delete;
    }
}

/// The arguments of `agents.put`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutAgent {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent's id.
    pub id: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The only tools that it may use, as in `policy.allow`. Left out: no limit. Empty: none.
    #[serde(default)]
    pub allow: Option<Vec<String>>,
    /// The tools it may not use, as in `policy.deny`.
    #[serde(default)]
    pub deny: Vec<String>,
    /// The host's own data about it. `shell` narrows what its commands may do. It takes the keys of
    /// `shell.agents` in the configuration, and the strictest judgement counts.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Only if the stored agent has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `agents.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentKey {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent's id.
    pub id: String,
}

/// The arguments of `agents.delete`.
pub type DeleteAgent = AgentKey;

/// The arguments of `agents.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAgents {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Go on after this id.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// Whether something was deleted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Deleted {
    /// False if there was nothing to delete.
    pub deleted: bool,
}

async fn put(runtime: &Runtime, args: PutAgent) -> Result<Agent, Error> {
    let row = RowLists { allow: args.allow.as_deref(), deny: &args.deny };
    runtime.path().policy.check(&runtime.registry().snapshot(), &args.id, row)?;
    let settings = Value::Object(args.settings);
    settings_of_row(&settings).map_err(|why| Error::new(Code::InvalidArgument, why))?;
    let agent = store::PutAgent {
        tenant: args.tenant,
        id: args.id,
        description: args.description,
        allow: args.allow,
        deny: args.deny,
        settings,
        if_version: args.if_version,
    };
    let runtime = runtime.clone();
    // A caller that stops waiting must not keep the decisions of the old lists alive.
    detached(async move {
        let _change = runtime.path().policy.changing(&agent.tenant, &agent.id);
        let store = runtime.writing(&agent.tenant);
        Ok(store.put_agent(agent, runtime.clock().now_ms()).await?)
    })
    .await
}

async fn get(runtime: &Runtime, args: AgentKey) -> Result<Agent, Error> {
    let agent = runtime.store().get_agent(&args.tenant, &args.id).await?;
    agent.ok_or_else(|| Error::new(Code::NotFound, format!("there is no agent `{}`", args.id)))
}

async fn list(runtime: &Runtime, args: ListAgents) -> Result<Vec<Agent>, Error> {
    check_limit(args.limit)?;
    Ok(runtime.store().list_agents(&args.tenant, args.after.as_deref(), args.limit).await?)
}

async fn delete(runtime: &Runtime, args: AgentKey) -> Result<Deleted, Error> {
    let runtime = runtime.clone();
    detached(async move {
        let _change = runtime.path().policy.changing(&args.tenant, &args.id);
        let now_ms = runtime.clock().now_ms();
        let store = runtime.writing(&args.tenant);
        let deleted = store.delete_agent(&args.tenant, &args.id, now_ms).await?;
        if deleted {
            // Who has the name next must not find the tools of this one.
            custom_tools::delete_all(&runtime, &args.tenant, &args.id).await?;
        }
        Ok(Deleted { deleted })
    })
    .await
}
