//! Agents: what the store knows about each, and the lists that narrow its policy.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::driver::{Batch, Driver, Statement, Value, Written};
use super::fields::{BadRow, Fields};
use super::json::object_text;
use super::{Answer, SqlStore};
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
    /// The tools it may use at most; none means no limit, an empty list means no tool.
    pub allow: Option<Vec<String>>,
    /// The tools it may not use.
    pub deny: Vec<String>,
    /// Whatever else is set for it, a JSON object.
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
    /// The tools it may use at most; none means no limit, an empty list means no tool.
    pub allow: Option<Vec<String>>,
    /// The tools it may not use.
    pub deny: Vec<String>,
    /// Whatever else is set for it, a JSON object.
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
    fn put_agent(&self, agent: PutAgent, now_ms: i64) -> Answer<'_, Agent>;

    /// The agent of that id.
    fn get_agent<'a>(&'a self, tenant: &'a str, id: &'a str) -> Answer<'a, Option<Agent>>;

    /// At most `limit` agents of the tenant in order of id (byte by byte), after `after_id`.
    fn list_agents<'a>(
        &'a self,
        tenant: &'a str,
        after_id: Option<&'a str>,
        limit: u32,
    ) -> Answer<'a, Vec<Agent>>;

    /// Deletes an agent and writes the event `agent.deleted` with it. False if there is none;
    /// then there is no event.
    fn delete_agent<'a>(&'a self, tenant: &'a str, id: &'a str, now_ms: i64) -> Answer<'a, bool>;
}

const COLUMNS: &[&str] =
    &["tenant", "id", "description", "allow", "deny", "settings", "version", "updated_at_ms"];

const GET: &str = "SELECT tenant, id, description, allow, deny, settings, version, updated_at_ms \
     FROM toolkeep_agents WHERE tenant = ?1 AND id = ?2";

const LIST: &str = "SELECT tenant, id, description, allow, deny, settings, version, updated_at_ms \
     FROM toolkeep_agents WHERE tenant = ?1 AND id > ?2 ORDER BY id LIMIT ?3";

const PUT: &str = "INSERT INTO toolkeep_agents \
     (tenant, id, description, allow, deny, settings, updated_at_ms, version) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1) \
     ON CONFLICT (tenant, id) DO UPDATE SET description = excluded.description, \
     allow = excluded.allow, deny = excluded.deny, settings = excluded.settings, \
     updated_at_ms = excluded.updated_at_ms, version = toolkeep_agents.version + 1 \
     RETURNING version";

const CREATE: &str = "INSERT INTO toolkeep_agents \
     (tenant, id, description, allow, deny, settings, updated_at_ms, version) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1) \
     ON CONFLICT (tenant, id) DO NOTHING RETURNING version";

const CHANGE: &str = "UPDATE toolkeep_agents SET description = ?3, allow = ?4, deny = ?5, \
     settings = ?6, updated_at_ms = ?7, version = version + 1 \
     WHERE tenant = ?1 AND id = ?2 AND version = ?8 RETURNING version";

const DELETE: &str = "DELETE FROM toolkeep_agents WHERE tenant = ?1 AND id = ?2";

impl<D: Driver> Agents for SqlStore<D> {
    fn put_agent(&self, agent: PutAgent, now_ms: i64) -> Answer<'_, Agent> {
        async move {
            const OPERATION: &str = "agents.put";
            self.check(OPERATION, &[("tenant", &agent.tenant), ("id", &agent.id)])?;
            let put = put_statement(&agent, now_ms)
                .map_err(|message| self.invalid(OPERATION, message))?;
            let told = NewEvent {
                tenant: agent.tenant.clone(),
                at_ms: now_ms,
                kind: "agent.changed",
                subject: agent.id.clone(),
                data: Json::Object(serde_json::Map::new()),
            };
            let batch = Batch::from(put).telling(vec![told]);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            let Written::Done(outcomes) = self.write(OPERATION, batch).await? else {
                return Err(self.conflict(OPERATION, conflict_message(&agent)));
            };
            let row = outcomes.into_iter().next().and_then(|put| put.rows.into_iter().next());
            let version = match row.map(|row| row.0.into_iter().next()) {
                Some(Some(Value::Int(version))) => version,
                _ => return Err(self.bad_row(OPERATION, no_version(&agent))),
            };
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

    fn get_agent<'a>(&'a self, tenant: &'a str, id: &'a str) -> Answer<'a, Option<Agent>> {
        async move {
            const OPERATION: &str = "agents.get";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let statement = Statement::new(GET, vec![tenant.into(), id.into()]);
            Ok(self.read_all(OPERATION, statement, COLUMNS, decode).await?.pop())
        }
        .boxed()
    }

    fn list_agents<'a>(
        &'a self,
        tenant: &'a str,
        after_id: Option<&'a str>,
        limit: u32,
    ) -> Answer<'a, Vec<Agent>> {
        async move {
            const OPERATION: &str = "agents.list";
            self.check(OPERATION, &[("tenant", tenant)])?;
            self.check_given(OPERATION, &[("after_id", after_id)])?;
            let params = vec![tenant.into(), after_id.unwrap_or_default().into(), limit.into()];
            self.read_all(OPERATION, Statement::new(LIST, params), COLUMNS, decode).await
        }
        .boxed()
    }

    fn delete_agent<'a>(&'a self, tenant: &'a str, id: &'a str, now_ms: i64) -> Answer<'a, bool> {
        async move {
            const OPERATION: &str = "agents.delete";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let told = NewEvent {
                tenant: tenant.into(),
                at_ms: now_ms,
                kind: "agent.deleted",
                subject: id.into(),
                data: Json::Object(serde_json::Map::new()),
            };
            let delete = Statement::new(DELETE, vec![tenant.into(), id.into()]).must_change();
            let batch = Batch::from(delete).telling(vec![told]);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            let written = self.write(OPERATION, batch).await?;
            Ok(matches!(written, Written::Done(_)))
        }
        .boxed()
    }
}

fn put_statement(agent: &PutAgent, now_ms: i64) -> Result<Statement, String> {
    if agent.description.contains('\0') {
        return Err("`description` contains a NUL character; remove it".into());
    }
    let allow = agent.allow.as_ref().map(|allow| Json::from(allow.as_slice()).to_string());
    let mut params = vec![
        agent.tenant.as_str().into(),
        agent.id.as_str().into(),
        agent.description.as_str().into(),
        allow.into(),
        Json::from(agent.deny.as_slice()).to_string().into(),
        object_text("settings", &agent.settings)?.into(),
        now_ms.into(),
    ];
    Ok(match agent.if_version {
        None => Statement::new(PUT, params),
        Some(0) => Statement::new(CREATE, params).must_change(),
        Some(version) => {
            params.push(version.into());
            Statement::new(CHANGE, params).must_change()
        }
    })
}

fn conflict_message(agent: &PutAgent) -> String {
    match agent.if_version {
        Some(0) => format!("agent `{}` exists already; get it and give its version", agent.id),
        Some(version) => format!(
            "agent `{}` no longer has version {version}; get it again and decide anew",
            agent.id
        ),
        None => format!("agent `{}` was not written", agent.id),
    }
}

fn no_version(agent: &PutAgent) -> BadRow {
    BadRow(format!("no version came back for row ({}, {})", agent.tenant, agent.id))
}

fn decode(fields: &mut Fields) -> Result<Agent, BadRow> {
    Ok(Agent {
        tenant: fields.text()?,
        id: fields.text()?,
        description: fields.text()?,
        allow: fields.json_or_none()?,
        deny: fields.json()?,
        settings: fields.json::<serde_json::Map<String, Json>>().map(Json::Object)?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}
