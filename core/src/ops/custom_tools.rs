//! `custom_tools.*`

use std::collections::BTreeMap;

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::agents::Deleted;
use super::credentials::{seal_env, secret_env};
use super::guarded::{self, Guarded};
use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::{Code, Error};
use crate::runtime::Runtime;
use crate::store::{self, CustomTool, CustomToolKey, Kind, SealedCustomTool};
use crate::tool::{Schema, ToolSpec};

/// How often a change that keeps the environment is tried when others change the tool meanwhile.
/// Each lost try is a change of somebody else's.
const TRIES: usize = 64;

operations! {
    /// Custom tools: commands that an owner makes tools of. They are kept here; running them
    /// comes with the exec tools.
    custom_tools as CustomTools {
        /// Stores a custom tool, replacing one of the same agent and name. Without `env` the
        /// environment stays as it is.
        ///
        /// Fails with `no_key` if `env` is given and the configuration has no `secrets.key`, with
        /// `conflict` if `if_version` does not hold.
        put(PutCustomTool) -> CustomTool = put;
        /// Gives a custom tool, without the values of its environment. Fails with `not_found` if
        /// there is none of that agent and name.
        get(CustomToolName) -> CustomTool = get;
        /// Lists the custom tools of an agent, or those of all agents, by name.
        list(ListCustomTools) -> Vec<CustomTool> = list;
        /// Deletes a custom tool.
        delete(DeleteCustomTool) -> Deleted = delete;
    }
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
    /// The command, a template.
    pub command: String,
    /// The folder it runs in. Left out: the workspace.
    #[serde(default)]
    pub working_dir: Option<String>,
    /// How long it may run, in seconds, 1 to 3,600. Default: 60.
    #[serde(default = "default_timeout")]
    pub timeout_seconds: i64,
    /// Whether agents have it. Default: true.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// Whatever else is set for it.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Who made it.
    #[serde(default)]
    pub created_by: String,
    /// The variables of its environment, which are sealed. Left out: they stay as they are.
    /// Empty: none. At most 1 MiB.
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

async fn put(runtime: &Runtime, mut args: PutCustomTool) -> Result<CustomTool, Error> {
    let (if_version, env) = (args.if_version, args.env.take());
    let tool = checked(args)?;
    let Some(env) = env else { return keep_env(runtime, tool, if_version).await };
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
    let refuse = |why: String| Error::new(Code::InvalidArgument, why);
    ToolSpec::check_name(&args.name)?;
    let parameters = match args.parameters {
        Some(parameters) => Value::Object(parameters),
        None => json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    };
    Schema::compile(&args.name, &parameters)?;
    if args.command.trim().is_empty() {
        return Err(refuse("`command` is empty; write the command".into()));
    }
    if !(1..=3_600).contains(&args.timeout_seconds) {
        let seconds = args.timeout_seconds;
        return Err(refuse(format!("`timeout_seconds` is {seconds}; give 1 to 3600")));
    }
    Ok(CustomTool {
        key: CustomToolKey { tenant: args.tenant, agent: args.agent, name: args.name },
        description: args.description,
        parameters,
        command: args.command,
        working_dir: args.working_dir,
        timeout_seconds: args.timeout_seconds,
        enabled: args.enabled,
        settings: Value::Object(args.settings),
        created_by: args.created_by,
        env_names: Vec::new(),
        version: 0,
        updated_at_ms: 0,
    })
}

async fn get(runtime: &Runtime, args: CustomToolName) -> Result<CustomTool, Error> {
    let CustomToolName { tenant, agent, name } = args;
    let key = CustomToolKey { tenant, agent, name };
    let found = runtime.store().get_custom_tool(&key).await?;
    found.map(|found| found.tool).ok_or_else(|| {
        let text = format!("there is no custom tool `{}` of this agent", key.name);
        Error::new(Code::NotFound, text)
    })
}

async fn list(runtime: &Runtime, args: ListCustomTools) -> Result<Vec<CustomTool>, Error> {
    check_limit(args.limit)?;
    let ListCustomTools { tenant, agent, after, limit } = args;
    let store = runtime.store();
    Ok(store.list_custom_tools(&tenant, agent.as_deref(), after.as_deref(), limit).await?)
}

async fn delete(runtime: &Runtime, args: DeleteCustomTool) -> Result<Deleted, Error> {
    let DeleteCustomTool { tenant, agent, name, if_version } = args;
    let key = CustomToolKey { tenant, agent, name };
    let now_ms = runtime.clock().now_ms();
    let deleted = runtime.writing(&key.tenant).delete_custom_tool(&key, if_version, now_ms).await?;
    if deleted {
        guarded::release(runtime, &key.tenant, &key);
    }
    Ok(Deleted { deleted })
}
