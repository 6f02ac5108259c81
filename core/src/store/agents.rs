//! Agents: what the store knows about each, and the lists that narrow its policy.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::driver::{Driver, Value};
use super::fields::{BadRow, Fields, text};
use super::json::object_text;
use super::record::{Delete, List, Put, Table};
use super::{SqlStore, StoreFuture};
use crate::event::NewEvent;

/// An agent as the store holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// The only tools that it may use. None: no limit. Empty: no tool.
    pub allow: Option<Vec<String>>,
    /// The tools it may not use.
    pub deny: Vec<String>,
    /// Other settings of it, a JSON object.
    pub settings: Json,
    /// 1 for a new agent, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// An agent to be made or changed. All of it is written: what is not given becomes empty.
#[derive(Clone, Debug, PartialEq)]
pub struct PutAgent {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant.
    pub id: String,
    /// What it is for. No NUL.
    pub description: String,
    /// The only tools that it may use. None: no limit. Empty: no tool.
    pub allow: Option<Vec<String>>,
    /// The tools it may not use.
    pub deny: Vec<String>,
    /// Other settings of it, a JSON object.
    pub settings: Json,
    /// Write only if the agent has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
}

impl PutAgent {
    /// An agent with nothing set, written whatever is there now.
    pub fn new(tenant: impl Into<String>, id: impl Into<String>) -> PutAgent {
        PutAgent {
            tenant: tenant.into(),
            id: id.into(),
            description: String::new(),
            allow: None,
            deny: Vec::new(),
            settings: Json::Object(serde_json::Map::new()),
            if_version: None,
        }
    }
}

/// The agents of each tenant.
pub trait Agents: Send + Sync {
    /// Makes or changes an agent and writes the event `agent.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version` is given and is not the agent's
    /// version; then nothing is written.
    fn put_agent(&self, agent: PutAgent, now_ms: i64) -> StoreFuture<'_, Agent>;

    /// The agent of that id.
    fn get_agent<'a>(&'a self, tenant: &'a str, id: &'a str) -> StoreFuture<'a, Option<Agent>>;

    /// At most `limit` agents of the tenant in order of id (byte by byte), after `after_id`.
    fn list_agents<'a>(
        &'a self,
        tenant: &'a str,
        after_id: Option<&'a str>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Agent>>;

    /// Deletes an agent and writes the event `agent.deleted` with it. False if there is none;
    /// then there is no event.
    fn delete_agent<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

static TABLE: Table =
    Table::new("agents", &["tenant", "id"], &["description", "allow", "deny", "settings"], &[]);

impl<D: Driver> Agents for SqlStore<D> {
    fn put_agent(&self, agent: PutAgent, now_ms: i64) -> StoreFuture<'_, Agent> {
        async move {
            const OPERATION: &str = "agents.put";
            self.check(OPERATION, &[("tenant", &agent.tenant), ("id", &agent.id)])?;
            let body = body(&agent).map_err(|message| self.invalid(OPERATION, message))?;
            let put = Put {
                what: format!("agent `{}`", agent.id),
                keys: vec![agent.tenant.as_str().into(), agent.id.as_str().into()],
                body,
                if_version: agent.if_version,
                if_body: None,
                fence: None,
                event: changed_event("agent.changed", &agent.tenant, &agent.id, now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            Ok(Agent {
                tenant: agent.tenant,
                id: agent.id,
                description: agent.description,
                allow: agent.allow,
                deny: agent.deny,
                settings: agent.settings,
                version,
                updated_at_ms: now_ms,
            })
        }
        .boxed()
    }

    fn get_agent<'a>(&'a self, tenant: &'a str, id: &'a str) -> StoreFuture<'a, Option<Agent>> {
        async move {
            const OPERATION: &str = "agents.get";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let keys = vec![tenant.into(), id.into()];
            self.get_row(OPERATION, &TABLE, keys, decode).await
        }
        .boxed()
    }

    fn list_agents<'a>(
        &'a self,
        tenant: &'a str,
        after_id: Option<&'a str>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Agent>> {
        async move {
            const OPERATION: &str = "agents.list";
            self.check(OPERATION, &[("tenant", tenant)])?;
            self.check_given(OPERATION, &[("after_id", after_id)])?;
            let after = after_id.map(|id| vec![id.into()]);
            let list = List { fixed: vec![tenant.into()], after, prefix: "", limit };
            self.list_rows(OPERATION, &TABLE, list, decode).await
        }
        .boxed()
    }

    fn delete_agent<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "agents.delete";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let delete = Delete {
                what: format!("agent `{id}`"),
                keys: vec![tenant.into(), id.into()],
                if_version: None,
                fence: None,
                event: changed_event("agent.deleted", tenant, id, now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }
}

fn changed_event(kind: &'static str, tenant: &str, id: &str, at_ms: i64) -> NewEvent {
    let data = Json::Object(serde_json::Map::new());
    NewEvent { tenant: tenant.into(), at_ms, kind, subject: id.into(), data }
}

fn body(agent: &PutAgent) -> Result<Vec<Value>, String> {
    let allow = agent.allow.as_ref().map(|allow| Json::from(allow.as_slice()).to_string());
    Ok(vec![
        text("description", &agent.description)?.into(),
        allow.into(),
        Json::from(agent.deny.as_slice()).to_string().into(),
        object_text("settings", &agent.settings)?.into(),
    ])
}

fn decode(fields: &mut Fields) -> Result<Agent, BadRow> {
    Ok(Agent {
        tenant: fields.text()?,
        id: fields.text()?,
        description: fields.text()?,
        allow: fields.json_or_none()?,
        deny: fields.json()?,
        settings: fields.object()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}
