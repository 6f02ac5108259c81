//! `custom_tools.*`

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::agents::Deleted;
use super::credentials::{seal_env, secret_env};
use super::guarded::{self, Guarded};
use super::{check_limit, default_limit, default_tenant, operations};
use crate::custom::{self, Definition, Followed};
use crate::error::{Code, Error};
use crate::id::check_key;
use crate::kind::Origin;
use crate::policy::{NetworkPermit, Permit};
use crate::runtime::Runtime;
use crate::store::{self, CustomTool, CustomToolKey, Kind, SealedCustomTool};
use crate::tool::{Caller, Snapshot};

/// How often a change that keeps the environment is tried when others change the tool meanwhile.
/// Each lost try is a change of somebody else's.
const TRIES: usize = 64;

/// How many tools are read at once.
const PAGE: u32 = 100;

operations! {
    /// Custom tools: commands that an owner makes tools of, for all agents or for one. Every runtime
    /// on the store has them, and a change, within a second.
    custom_tools as CustomTools {
        /// Stores a custom tool, replacing one of the same agent and name. The next call finds it.
        /// Without `env` the stored environment stays.
        ///
        /// Fails with `invalid_argument` that names the field, with `name_taken` if a tool or an alias
        /// of this runtime has the name, with `no_key` if `env` is given and the configuration has no
        /// `secrets.key`, with `conflict` if `if_version` does not hold.
        put(PutCustomTool) -> CustomToolInfo = put;
        /// Returns a custom tool, without the values of its environment. Fails with `not_found` if
        /// there is none of that agent and name.
        get(CustomToolName) -> CustomToolInfo = get;
        /// Lists the custom tools of an agent, or those of all agents, by name.
        list(ListCustomTools) -> Vec<CustomToolInfo> = list;
        /// Deletes a custom tool: the next call does not find it.
        delete(DeleteCustomTool) -> Deleted = delete;
    }
}

/// A custom tool, and whether agents have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CustomToolInfo {
    /// The tool.
    #[serde(flatten)]
    pub tool: CustomTool,
    /// Why agents do not have it although it is enabled: a tool or an alias of this runtime has its
    /// name, or its definition cannot be compiled. None: they have it, or it is not enabled.
    pub hidden: Option<String>,
}

/// The arguments of `custom_tools.put`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutCustomTool {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it is for. Left out: all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// Its name, as for every tool.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its parameters. Default: none.
    #[serde(default)]
    pub parameters: Option<Map<String, Value>>,
    /// The command, for a shell. `{{.name}}` stands for the argument of that name, which becomes one
    /// quoted word there.
    pub command: String,
    /// The folder it runs in: absolute, relative to the home folder (`~/…`), or relative to the
    /// workspace. Left out: the workspace.
    #[serde(default)]
    pub working_dir: Option<String>,
    /// How long it may run, in seconds, 1 to 3,600. Default: 60.
    #[serde(default = "default_timeout")]
    pub timeout_seconds: i64,
    /// Whether agents have it. Default: true.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// Its network: everything (`true`), none, or only these hosts. Default: none.
    #[serde(default)]
    pub network: NetworkPermit,
    /// Files and folders with secrets that it may read, such as `~/.kube`.
    #[serde(default)]
    pub read: Vec<String>,
    /// Files and folders that it may write, with everything below; `.` is the workspace. They must
    /// exist. Default: only the temporary folder of its session.
    #[serde(default)]
    pub write: Vec<String>,
    /// Other settings of it.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Who made it.
    #[serde(default)]
    pub created_by: String,
    /// The variables of its environment, which are sealed. Left out: the stored ones stay. Empty:
    /// none. At most 1 MiB.
    #[serde(default, deserialize_with = "secret_env")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub env: Option<BTreeMap<String, SecretString>>,
    /// Only if the stored tool has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `custom_tools.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomToolName {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it is for. Left out: the one for all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// Its name.
    pub name: String,
}

/// The arguments of `custom_tools.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteCustomTool {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it is for. Left out: the one for all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// Its name.
    pub name: String,
    /// Only if the stored tool has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `custom_tools.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListCustomTools {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent. Left out: the tools for all agents.
    #[serde(default)]
    pub agent: Option<String>,
    /// Go on after this name.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

fn default_timeout() -> i64 {
    60
}

fn enabled() -> bool {
    true
}

async fn put(runtime: &Runtime, mut args: PutCustomTool) -> Result<CustomToolInfo, Error> {
    let (if_version, env) = (args.if_version, args.env.take());
    for name in env.iter().flat_map(BTreeMap::keys) {
        custom::check_variable(name)?;
    }
    let tool = checked(args)?;
    let snapshot = snapshot(runtime, &tool.key).await?;
    check_free(&snapshot, &tool.key.name)?;
    let custom = runtime.system::<Followed>();
    let _change = custom.as_ref().map(|custom| custom.changing());
    let tool = match env {
        Some(env) => with_env(runtime, tool, env, if_version).await?,
        None => keep_env(runtime, tool, if_version).await?,
    };
    // A policy may name it from now on.
    runtime.registry().learn(std::iter::once(tool.key.name.as_str()));
    Ok(described(&snapshot, tool))
}

/// The tools as the agent that it is for has them.
async fn snapshot(runtime: &Runtime, key: &CustomToolKey) -> Result<Arc<Snapshot>, Error> {
    check_key("tenant", &key.tenant)?;
    if let Some(agent) = &key.agent {
        check_key("agent", agent)?;
    }
    let (tenant, agent) = (key.tenant.clone(), key.agent.clone());
    runtime.path().tools_of(&Caller { tenant, agent, ..Caller::default() }).await
}

/// Refuses a name that something other than a custom tool has.
fn check_free(snapshot: &Snapshot, name: &str) -> Result<(), Error> {
    match taken(snapshot, name) {
        Some(by) => {
            let text = format!("`name`: {by}; choose another name");
            Err(Error::new(Code::NameTaken, text))
        }
        None => Ok(()),
    }
}

/// What has a name, if that is no custom tool.
fn taken(snapshot: &Snapshot, name: &str) -> Option<String> {
    if let Some(tool) =
        snapshot.list().iter().find(|tool| tool.name == name && tool.origin != Origin::Custom)
    {
        let of = match tool.origin {
            Origin::Builtin => "a built-in tool",
            Origin::Skill => "a tool of a skill",
            Origin::Mcp => "a tool of an MCP server",
            _ => "a tool of the host",
        };
        return Some(format!("{of} is named `{name}`"));
    }
    let found = snapshot.known(name).ok().filter(|found| found.spec.name != name)?;
    Some(format!("`{name}` is an alias of the tool `{}`", found.spec.name))
}

/// A tool with what keeps agents from having it.
fn described(snapshot: &Snapshot, tool: CustomTool) -> CustomToolInfo {
    let broken = || Definition::new(tool.clone()).err().map(|error| error.message().to_owned());
    let hidden = tool.enabled.then(|| taken(snapshot, &tool.key.name).or_else(broken)).flatten();
    CustomToolInfo { tool, hidden }
}

async fn with_env(
    runtime: &Runtime,
    tool: CustomTool,
    env: BTreeMap<String, SecretString>,
    if_version: Option<i64>,
) -> Result<CustomTool, Error> {
    let sealed = match env.is_empty() {
        true => None,
        false => {
            let keys = runtime.keys()?;
            Some(tool.key.place(|place| seal_env(keys, place, &env))?)
        }
    };
    let guarded = Guarded::env(&env);
    let tool = CustomTool { env_names: env.into_keys().collect(), ..tool };
    let tool = written(runtime, tool, sealed, if_version).await?;
    guarded.hold(runtime, &tool.key.tenant, &tool.key);
    Ok(tool)
}

/// Writes the tool with the environment that is stored, if that is still the same then.
async fn keep_env(
    runtime: &Runtime,
    tool: CustomTool,
    if_version: Option<i64>,
) -> Result<CustomTool, Error> {
    let mut tries = 0;
    loop {
        let (env, env_names, version) = match runtime.store().get_custom_tool(&tool.key).await? {
            Some(SealedCustomTool { tool, env }) => (env, tool.env_names, tool.version),
            None => (None, Vec::new(), 0),
        };
        // Not left to the store: the version could come to hold before it looks, and the
        // environment that belongs to it was not read.
        if let Some(wanted) = if_version.filter(|wanted| *wanted != version) {
            let name = &tool.key.name;
            let text = format!(
                "custom tool `{name}` has version {version} and not {wanted} (0 is none); get it \
                 again and decide anew"
            );
            return Err(Error::new(Code::Conflict, text));
        }
        let kept = CustomTool { env_names, ..tool.clone() };
        tries += 1;
        match written(runtime, kept, env, Some(version)).await {
            Err(error)
                if error.kind() == Kind::Conflict && if_version.is_none() && tries < TRIES => {}
            done => return Ok(done?),
        }
    }
}

async fn written(
    runtime: &Runtime,
    tool: CustomTool,
    env: Option<Vec<u8>>,
    if_version: Option<i64>,
) -> Result<CustomTool, store::Error> {
    let put = store::PutCustomTool { tool, env, if_version };
    runtime.writing(&put.tool.key.tenant).put_custom_tool(put, runtime.clock().now_ms()).await
}

fn checked(args: PutCustomTool) -> Result<CustomTool, Error> {
    let parameters = match args.parameters {
        Some(parameters) => Value::Object(parameters),
        None => json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    };
    let definition = Definition::new(CustomTool {
        key: CustomToolKey { tenant: args.tenant, agent: args.agent, name: args.name },
        description: args.description,
        parameters,
        command: args.command,
        working_dir: args.working_dir,
        timeout_seconds: args.timeout_seconds,
        enabled: args.enabled,
        permit: Permit { network: args.network, read: args.read, write: args.write },
        settings: Value::Object(args.settings),
        created_by: args.created_by,
        env_names: Vec::new(),
        version: 0,
        updated_at_ms: 0,
    })?;
    Ok(definition.row)
}

async fn get(runtime: &Runtime, args: CustomToolName) -> Result<CustomToolInfo, Error> {
    let CustomToolName { tenant, agent, name } = args;
    let key = CustomToolKey { tenant, agent, name };
    let found = runtime.store().get_custom_tool(&key).await?;
    let found = found.map(|found| found.tool).ok_or_else(|| {
        let text = format!("there is no custom tool `{}` of this agent", key.name);
        Error::new(Code::NotFound, text)
    })?;
    Ok(described(&*snapshot(runtime, &key).await?, found))
}

async fn list(runtime: &Runtime, args: ListCustomTools) -> Result<Vec<CustomToolInfo>, Error> {
    check_limit(args.limit)?;
    let ListCustomTools { tenant, agent, after, limit } = args;
    let store = runtime.store();
    let all = store.list_custom_tools(&tenant, agent.as_deref(), after.as_deref(), limit).await?;
    let snapshot = snapshot(runtime, &CustomToolKey { tenant, agent, name: String::new() }).await?;
    Ok(all.into_iter().map(|tool| described(&snapshot, tool)).collect())
}

async fn delete(runtime: &Runtime, args: DeleteCustomTool) -> Result<Deleted, Error> {
    let DeleteCustomTool { tenant, agent, name, if_version } = args;
    let key = CustomToolKey { tenant, agent, name };
    let now_ms = runtime.clock().now_ms();
    let custom = runtime.system::<Followed>();
    let _change = custom.as_ref().map(|custom| custom.changing());
    let deleted = runtime.writing(&key.tenant).delete_custom_tool(&key, if_version, now_ms).await?;
    if deleted {
        guarded::release(runtime, &key.tenant, &key);
    }
    Ok(Deleted { deleted })
}

/// Deletes every custom tool of an agent.
pub(super) async fn delete_all(runtime: &Runtime, tenant: &str, agent: &str) -> Result<(), Error> {
    loop {
        let all = runtime.store().list_custom_tools(tenant, Some(agent), None, PAGE).await?;
        if all.is_empty() {
            return Ok(());
        }
        for CustomToolKey { tenant, agent, name } in all.into_iter().map(|tool| tool.key) {
            delete(runtime, DeleteCustomTool { tenant, agent, name, if_version: None }).await?;
        }
    }
}
