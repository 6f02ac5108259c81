//! Custom tools: commands that an owner made tools of, for all agents or for one.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::driver::{Driver, Statement, Value};
use super::fields::{BadRow, Fields, text};
use super::json::object_text;
use super::record::{Delete, List, Put, Table};
use super::{Error, SqlStore, StoreFuture};
use crate::event::NewEvent;
use crate::policy::Permit;
use crate::secret::sealed_under;

/// Which custom tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CustomToolKey {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The agent it is for; none: all of them.
    pub agent: Option<String>,
    /// Its name.
    pub name: String,
}

/// A custom tool as the store holds it, without its environment's values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CustomTool {
    /// Which one it is.
    #[serde(flatten)]
    pub key: CustomToolKey,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its parameters, an object.
    pub parameters: Json,
    /// The command, a template.
    pub command: String,
    /// The folder it runs in; none: the workspace.
    pub working_dir: Option<String>,
    /// How long it may run, in seconds.
    pub timeout_seconds: i64,
    /// Whether agents have it.
    pub enabled: bool,
    /// What its command may do besides what every command may.
    #[serde(flatten)]
    pub permit: Permit,
    /// Other settings of it, a JSON object.
    pub settings: Json,
    /// Who made it.
    pub created_by: String,
    /// The names of the variables in its environment; their values are sealed.
    pub env_names: Vec<String>,
    /// 1 for a new tool, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A custom tool with the envelope of its environment.
#[derive(Clone, Debug, PartialEq)]
pub struct SealedCustomTool {
    /// All but the environment's values.
    pub tool: CustomTool,
    /// The environment's envelope, sealed for [`CustomToolKey::place`]; none if it has none.
    pub env: Option<Vec<u8>>,
}

/// A custom tool to be made or changed. All of it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PutCustomTool {
    /// All but the environment's values; `version` and `updated_at_ms` are not written.
    pub tool: CustomTool,
    /// The environment's envelope, sealed for [`CustomToolKey::place`].
    pub env: Option<Vec<u8>>,
    /// Write only if the tool has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
}

/// The custom tools of each tenant.
pub trait CustomTools: Send + Sync {
    /// Makes or changes a custom tool and writes the event `custom_tool.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`](super::Kind::InvalidArgument) for an environment that is not
    /// sealed, [`Kind::Conflict`](super::Kind::Conflict) if `if_version` does not hold.
    fn put_custom_tool(&self, put: PutCustomTool, now_ms: i64) -> StoreFuture<'_, CustomTool>;

    /// The tool of that key, and no other: one of an agent does not fall back to a general one.
    fn get_custom_tool<'a>(
        &'a self,
        key: &'a CustomToolKey,
    ) -> StoreFuture<'a, Option<SealedCustomTool>>;

    /// At most `limit` tools of that agent (none: those for all agents) in order of name (byte by
    /// byte), after the name `after`.
    fn list_custom_tools<'a>(
        &'a self,
        tenant: &'a str,
        agent: Option<&'a str>,
        after: Option<&'a str>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CustomTool>>;

    /// The names of all custom tools there are, of every tenant and agent, each once, in order.
    fn custom_tool_names(&self) -> StoreFuture<'_, Vec<String>>;

    /// Deletes a tool, if it has `if_version` where that is given, and writes the event
    /// `custom_tool.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_custom_tool<'a>(
        &'a self,
        key: &'a CustomToolKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

static TABLE: Table = Table::new(
    "custom_tools",
    &["tenant", "agent", "name"],
    &[
        "description",
        "parameters",
        "command",
        "working_dir",
        "timeout_seconds",
        "enabled",
        "settings",
        "created_by",
        "env_names",
    ],
    &["env"],
);

const NAMES: &str = "SELECT DISTINCT name FROM toolkeep_custom_tools ORDER BY name";

/// Where the permit is kept in the column of the settings.
const PERMIT: &str = "permit";

impl CustomToolKey {
    /// Calls `with` with the place that the environment is sealed for.
    pub fn place<T>(&self, with: impl FnOnce(&crate::secret::Place<'_>) -> T) -> T {
        with(&crate::secret::Place {
            tenant: &self.tenant,
            table: "custom_tools",
            row: &[self.agent.as_deref().unwrap_or_default(), &self.name],
            field: "env",
        })
    }

    fn values(&self) -> Vec<Value> {
        let agent = self.agent.as_deref().unwrap_or_default();
        [&self.tenant, agent, &self.name].map(Value::from).to_vec()
    }

    fn what(&self) -> String {
        let agent = self.agent.as_ref().map(|agent| format!(" of agent `{agent}`"));
        format!("custom tool `{}`{}", self.name, agent.unwrap_or_default())
    }

    fn changed_event(&self, kind: &'static str, at_ms: i64) -> NewEvent {
        let data = json!({ "agent": self.agent });
        NewEvent { tenant: self.tenant.clone(), at_ms, kind, subject: self.name.clone(), data }
    }
}

impl<D: Driver> SqlStore<D> {
    fn check_custom_tool(&self, operation: &'static str, key: &CustomToolKey) -> Result<(), Error> {
        self.check(operation, &[("tenant", &key.tenant), ("name", &key.name)])?;
        self.check_given(operation, &[("agent", key.agent.as_deref())])
    }
}

impl<D: Driver> CustomTools for SqlStore<D> {
    fn put_custom_tool(&self, put: PutCustomTool, now_ms: i64) -> StoreFuture<'_, CustomTool> {
        async move {
            const OPERATION: &str = "custom_tools.put";
            let PutCustomTool { tool, env, if_version } = put;
            let key = &tool.key;
            self.check_custom_tool(OPERATION, key)?;
            self.check_body(OPERATION, &key.what(), env.as_ref().map_or(0, Vec::len))?;
            if env.as_ref().is_some_and(|env| sealed_under(env).is_none()) {
                let message =
                    format!("the environment of {} is not sealed; seal it first", key.what());
                return Err(self.invalid(OPERATION, message));
            }
            let mut body = light(&tool).map_err(|message| self.invalid(OPERATION, message))?;
            body.push(env.into());
            let put = Put {
                what: key.what(),
                keys: key.values(),
                body,
                if_version,
                if_body: None,
                fence: None,
                event: key.changed_event("custom_tool.changed", now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            Ok(CustomTool { version, updated_at_ms: now_ms, ..tool })
        }
        .boxed()
    }

    fn get_custom_tool<'a>(
        &'a self,
        key: &'a CustomToolKey,
    ) -> StoreFuture<'a, Option<SealedCustomTool>> {
        async move {
            const OPERATION: &str = "custom_tools.get";
            self.check_custom_tool(OPERATION, key)?;
            self.get_row(OPERATION, &TABLE, key.values(), decode_sealed).await
        }
        .boxed()
    }

    fn list_custom_tools<'a>(
        &'a self,
        tenant: &'a str,
        agent: Option<&'a str>,
        after: Option<&'a str>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CustomTool>> {
        async move {
            const OPERATION: &str = "custom_tools.list";
            self.check(OPERATION, &[("tenant", tenant)])?;
            self.check_given(OPERATION, &[("agent", agent), ("after", after)])?;
            let fixed = vec![tenant.into(), agent.unwrap_or_default().into()];
            let after = after.map(|name| vec![name.into()]);
            let list = List { fixed, after, prefix: "", limit };
            self.list_rows(OPERATION, &TABLE, list, decode).await
        }
        .boxed()
    }

    fn custom_tool_names(&self) -> StoreFuture<'_, Vec<String>> {
        async move {
            const OPERATION: &str = "custom_tools.names";
            let rows = self.read(OPERATION, Statement::new(NAMES, Vec::new())).await?;
            let names = rows.into_iter().map(|row| Fields::new(row, &["name"]).text());
            names.collect::<Result<_, _>>().map_err(|problem| self.bad_row(OPERATION, problem))
        }
        .boxed()
    }

    fn delete_custom_tool<'a>(
        &'a self,
        key: &'a CustomToolKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "custom_tools.delete";
            self.check_custom_tool(OPERATION, key)?;
            let delete = Delete {
                what: key.what(),
                keys: key.values(),
                if_version,
                fence: None,
                event: key.changed_event("custom_tool.deleted", now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }
}

fn light(tool: &CustomTool) -> Result<Vec<Value>, String> {
    let working_dir = tool.working_dir.as_deref().map(|path| text("working_dir", path));
    Ok(vec![
        text("description", &tool.description)?.into(),
        object_text("parameters", &tool.parameters)?.into(),
        text("command", &tool.command)?.into(),
        working_dir.transpose()?.into(),
        tool.timeout_seconds.into(),
        tool.enabled.into(),
        settings(tool)?.into(),
        text("created_by", &tool.created_by)?.into(),
        Json::from(tool.env_names.as_slice()).to_string().into(),
    ])
}

/// The settings, and the permit with them.
fn settings(tool: &CustomTool) -> Result<String, String> {
    let mut settings = tool.settings.clone();
    if let Some(all) = settings.as_object_mut() {
        if all.contains_key(PERMIT) {
            return Err(format!("`settings.{PERMIT}` is kept for `network`, `read` and `write`"));
        }
        if tool.permit != Permit::default() {
            all.insert(PERMIT.to_owned(), json!(tool.permit));
        }
    }
    object_text("settings", &settings)
}

fn decode(fields: &mut Fields) -> Result<CustomTool, BadRow> {
    let key = CustomToolKey { tenant: fields.text()?, agent: fields.part()?, name: fields.text()? };
    let (description, parameters) = (fields.text()?, fields.object()?);
    let (command, working_dir) = (fields.text()?, fields.text_or_none()?);
    let (timeout_seconds, enabled) = (fields.int()?, fields.int()? != 0);
    let mut settings = fields.object()?;
    let permit = settings.as_object_mut().and_then(|all| all.shift_remove(PERMIT));
    // What cannot be read permits nothing.
    let permit = permit.and_then(|permit| serde_json::from_value(permit).ok());
    Ok(CustomTool {
        key,
        description,
        parameters,
        command,
        working_dir,
        timeout_seconds,
        enabled,
        permit: permit.unwrap_or_default(),
        settings,
        created_by: fields.text()?,
        env_names: fields.json()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}

fn decode_sealed(fields: &mut Fields) -> Result<SealedCustomTool, BadRow> {
    Ok(SealedCustomTool { tool: decode(fields)?, env: fields.bytes_or_none()? })
}
