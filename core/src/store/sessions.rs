//! Sessions: the conversations of an agent, with their messages in order.
//!
//! What an owner sets (label, model, summary, …) is a versioned row. The counters beside it belong
//! to [`Sessions::append_messages`]: it adds to them, numbers the messages without gaps, and
//! leaves the version alone, so that a conversation that goes on never stales a change of its
//! label. The row of the session is changed first in every transaction, so those who append at the
//! same time come one after another.

mod statements;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use self::statements::{
    APPEND, CHANGE, COLUMNS, COUNT, CREATE, DELETE, DELETE_MESSAGES, GET, LIST, LIST_OF_AGENT,
    MESSAGE, PUT, READ, READ_LATEST,
};
use super::driver::{Batch, Driver, Statement, Value, Written};
use super::fields::{BadRow, Fields, text};
use super::json::{any_text, object_text};
use super::record::{beyond, stale};
use super::{Error, SqlStore, StoreFuture};
use crate::event::NewEvent;

/// The most messages that one [`Sessions::append_messages`] takes.
pub const MOST_MESSAGES: usize = 1_000;

/// A session as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant.
    pub id: String,
    /// The agent that has it; none: no agent in particular.
    pub agent: Option<String>,
    /// The user it is with; none: no user in particular.
    pub user: Option<String>,
    /// Its channel; empty if not known.
    pub channel: String,
    /// The chat on that channel; empty if not known.
    pub chat: String,
    /// A label for people.
    pub label: String,
    /// The provider of its model; empty if not known.
    pub provider: String,
    /// Its model; empty if not known.
    pub model: String,
    /// How many messages it has: the number of the last one.
    pub messages: i64,
    /// How many input tokens it used.
    pub input_tokens: i64,
    /// How many output tokens it used.
    pub output_tokens: i64,
    /// How often its history was compacted.
    pub compactions: i64,
    /// When it was made, in milliseconds since 1970-01-01T00:00:00Z.
    pub created_at_ms: i64,
    /// 1 for a new session, one more with each put. Messages don't change it.
    pub version: i64,
    /// When it was last put or got messages, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A session with what a list leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// What a list shows of it.
    #[serde(flatten)]
    pub info: SessionInfo,
    /// A summary of the conversation so far.
    pub summary: String,
    /// Other settings of it, a JSON object.
    pub settings: Json,
}

/// A session to be made or changed. All of it is written, except the counters and the messages.
#[derive(Clone, Debug, PartialEq)]
pub struct PutSession {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant.
    pub id: String,
    /// The agent that has it; none: no agent in particular.
    pub agent: Option<String>,
    /// The user it is with; none: no user in particular.
    pub user: Option<String>,
    /// Its channel. No NUL, as in all the texts below.
    pub channel: String,
    /// The chat on that channel.
    pub chat: String,
    /// A label for people.
    pub label: String,
    /// The provider of its model.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// A summary of the conversation so far.
    pub summary: String,
    /// Other settings of it, a JSON object.
    pub settings: Json,
    /// Write only if the session has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
}

impl PutSession {
    /// A session with nothing set, written whatever is there now.
    pub fn new(tenant: impl Into<String>, id: impl Into<String>) -> PutSession {
        PutSession {
            tenant: tenant.into(),
            id: id.into(),
            agent: None,
            user: None,
            channel: String::new(),
            chat: String::new(),
            label: String::new(),
            provider: String::new(),
            model: String::new(),
            summary: String::new(),
            settings: json!({}),
            if_version: None,
        }
    }
}

/// A place in the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionPlace {
    /// The session's `updated_at_ms` when it was listed.
    pub updated_at_ms: i64,
    /// Its id.
    pub id: String,
}

/// Which sessions to list, the one used last first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSessions {
    /// The tenant.
    pub tenant: String,
    /// Only sessions of this agent.
    pub agent: Option<String>,
    /// Only sessions with this user.
    pub user: Option<String>,
    /// Only sessions with exactly this label.
    pub label: Option<String>,
    /// Only sessions used at or after this time.
    pub active_since_ms: Option<i64>,
    /// Go on after this session. One that is used meanwhile moves to the front of the list.
    pub after: Option<SessionPlace>,
    /// The most sessions to give.
    pub limit: u32,
}

/// A message of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMessage {
    /// Its number: 1 for the first one, then without gaps.
    pub seq: i64,
    /// When it was said, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// Who said it, such as `user`, `assistant` or `tool`.
    pub role: String,
    /// Its content, as the host keeps it.
    pub content: Json,
}

/// A message to be appended.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// When it was said, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// Who said it, such as `user`, `assistant` or `tool`.
    pub role: String,
    /// What was said: any JSON.
    pub content: Json,
}

/// Amounts to add to the counters of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionUsage {
    /// Input tokens.
    pub input_tokens: u32,
    /// Output tokens.
    pub output_tokens: u32,
    /// How often the history was compacted.
    pub compactions: u32,
}

/// Which messages to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMessages {
    /// The tenant.
    pub tenant: String,
    /// The session.
    pub session: String,
    /// Go on after the message of this number, in the order of the answer.
    pub after: Option<i64>,
    /// The most messages to give.
    pub limit: u32,
    /// The newest first.
    pub latest: bool,
}

/// The sessions of each tenant.
pub trait Sessions: Send + Sync {
    /// Makes or changes a session and writes the event `session.changed` with it. A new one has
    /// no messages and counts nothing; one that is there keeps its messages and counters.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version` does not hold; then nothing is
    /// written.
    fn put_session(&self, session: PutSession, now_ms: i64) -> StoreFuture<'_, Session>;

    /// The session of that id.
    fn get_session<'a>(&'a self, tenant: &'a str, id: &'a str) -> StoreFuture<'a, Option<Session>>;

    /// Sessions, the one used last first.
    fn list_sessions(&self, list: ListSessions) -> StoreFuture<'_, Vec<SessionInfo>>;

    /// Deletes a session with its messages, if it has `if_version` where that is given, and writes
    /// the event `session.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_session<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;

    /// Appends messages, at most [`MOST_MESSAGES`], in their order, adds to the counters, and
    /// writes the event `session.appended` with them. Gives the session as it is then: its last
    /// message has the number `messages`. None, and nothing written, if there is no such session.
    fn append_messages<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
        messages: Vec<NewMessage>,
        usage: SessionUsage,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<SessionInfo>>;

    /// Messages of a session in order of their number; none if there is no such session.
    fn read_messages(&self, read: ReadMessages) -> StoreFuture<'_, Vec<SessionMessage>>;
}

impl<D: Driver> Sessions for SqlStore<D> {
    fn put_session(&self, session: PutSession, now_ms: i64) -> StoreFuture<'_, Session> {
        async move {
            const OPERATION: &str = "sessions.put";
            let PutSession { tenant, id, if_version, .. } = &session;
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let given = [("agent", session.agent.as_deref()), ("user", session.user.as_deref())];
            self.check_given(OPERATION, &given)?;
            let params = params(&session, now_ms);
            let mut params = params.map_err(|message| self.invalid(OPERATION, message))?;
            let statement = match *if_version {
                None => Statement::new(PUT, params),
                Some(0) => Statement::new(CREATE, params).must_change(),
                Some(version) => {
                    params.push(version.into());
                    Statement::new(CHANGE, params).must_change()
                }
            };
            let event = changed_event("session.changed", tenant, id, json!({}), now_ms);
            let batch = Batch::from(statement).synced_later().with_events(vec![event]);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            let Written::Done(outcomes) = self.write(OPERATION, batch).await? else {
                return Err(self.conflict(OPERATION, stale(&what(id), *if_version)));
            };
            let rows = outcomes.into_iter().next().map(|put| put.rows).unwrap_or_default();
            let written = self.decode_all(OPERATION, rows, COLUMNS, decode)?.pop();
            written
                .ok_or_else(|| self.bad_row(OPERATION, BadRow(format!("{} has no row", what(id)))))
        }
        .boxed()
    }

    fn get_session<'a>(&'a self, tenant: &'a str, id: &'a str) -> StoreFuture<'a, Option<Session>> {
        async move {
            const OPERATION: &str = "sessions.get";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let statement = Statement::new(GET, vec![tenant.into(), id.into()]);
            Ok(self.read_all(OPERATION, statement, COLUMNS, decode).await?.pop())
        }
        .boxed()
    }

    fn list_sessions(&self, list: ListSessions) -> StoreFuture<'_, Vec<SessionInfo>> {
        async move {
            const OPERATION: &str = "sessions.list";
            let ListSessions { tenant, agent, user, label, active_since_ms, after, limit } = list;
            self.check(OPERATION, &[("tenant", &tenant)])?;
            let after_id = after.as_ref().map(|place| place.id.as_str());
            let given =
                [("agent", agent.as_deref()), ("user", user.as_deref()), ("after.id", after_id)];
            self.check_given(OPERATION, &given)?;
            text("label", label.as_deref().unwrap_or_default())
                .map_err(|message| self.invalid(OPERATION, message))?;
            let after =
                after.unwrap_or_else(|| SessionPlace { updated_at_ms: i64::MAX, id: beyond("") });
            let mut params = vec![
                tenant.into(),
                after.updated_at_ms.into(),
                after.id.into(),
                active_since_ms.unwrap_or(i64::MIN).into(),
                user.into(),
                label.into(),
                limit.into(),
            ];
            let statement = match agent {
                None => Statement::new(LIST, params),
                Some(agent) => {
                    params.push(agent.into());
                    Statement::new(LIST_OF_AGENT, params)
                }
            };
            self.read_all(OPERATION, statement, COLUMNS, decode_info).await
        }
        .boxed()
    }

    fn delete_session<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "sessions.delete";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let keys: Vec<Value> = vec![tenant.into(), id.into()];
            let session = [keys.clone(), vec![if_version.into()]].concat();
            let statements = vec![
                Statement::new(DELETE, session).must_change(),
                Statement::new(DELETE_MESSAGES, keys.clone()),
                Statement::new(super::marks::CLEAR, keys.clone()),
            ];
            let event = changed_event("session.deleted", tenant, id, json!({}), now_ms);
            let batch = Batch::new(statements).with_events(vec![event]);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            if let Written::Done(_) = self.write(OPERATION, batch).await? {
                return Ok(true);
            }
            // No session, or another version of it: only a read shows which.
            if if_version.is_none()
                || self.read(OPERATION, Statement::new(GET, keys)).await?.is_empty()
            {
                return Ok(false);
            }
            Err(self.conflict(OPERATION, stale(&what(id), if_version)))
        }
        .boxed()
    }

    fn append_messages<'a>(
        &'a self,
        tenant: &'a str,
        session: &'a str,
        messages: Vec<NewMessage>,
        usage: SessionUsage,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<SessionInfo>> {
        async move {
            const OPERATION: &str = "sessions.append";
            self.check(OPERATION, &[("tenant", tenant), ("session", session)])?;
            let count = self.check_messages(OPERATION, session, &messages)?;
            let mut statements = vec![counting(tenant, session, count, usage, now_ms)];
            for (message, from_last) in messages.into_iter().zip((0..count).rev()) {
                let content = any_text("content", &message.content);
                let content = content.map_err(|message| self.invalid(OPERATION, message))?;
                self.check_body(
                    OPERATION,
                    &format!("a message of {}", what(session)),
                    content.len(),
                )?;
                let params = vec![
                    tenant.into(),
                    session.into(),
                    from_last.into(),
                    message.at_ms.into(),
                    message.role.into(),
                    content.into_bytes().into(),
                ];
                statements.push(Statement::new(APPEND, params));
            }
            let event = changed_event(
                "session.appended",
                tenant,
                session,
                json!({ "count": count }),
                now_ms,
            );
            let batch = Batch::new(statements).synced_later().with_events(vec![event]);
            let batch = batch.map_err(|message| self.invalid(OPERATION, message))?;
            let Written::Done(outcomes) = self.write(OPERATION, batch).await? else {
                return Ok(None);
            };
            let rows = outcomes.into_iter().next().map(|count| count.rows).unwrap_or_default();
            Ok(self.decode_all(OPERATION, rows, COLUMNS, decode_info)?.pop())
        }
        .boxed()
    }

    fn read_messages(&self, read: ReadMessages) -> StoreFuture<'_, Vec<SessionMessage>> {
        async move {
            const OPERATION: &str = "sessions.history";
            let ReadMessages { tenant, session, after, limit, latest } = read;
            self.check(OPERATION, &[("tenant", &tenant), ("session", &session)])?;
            let (sql, start) = if latest { (READ_LATEST, i64::MAX) } else { (READ, 0) };
            let after = after.unwrap_or(start);
            let params = vec![tenant.into(), session.into(), after.into(), limit.into()];
            self.read_all(OPERATION, Statement::new(sql, params), MESSAGE, decode_message).await
        }
        .boxed()
    }
}

impl<D: Driver> SqlStore<D> {
    /// Checks messages and gives their number.
    fn check_messages(
        &self,
        operation: &'static str,
        session: &str,
        messages: &[NewMessage],
    ) -> Result<i64, Error> {
        if messages.len() > MOST_MESSAGES {
            let message = format!(
                "{} messages for {} are too many at once; append at most {MOST_MESSAGES}",
                messages.len(),
                what(session)
            );
            return Err(self.invalid(operation, message));
        }
        for message in messages {
            self.check(operation, &[("role", &message.role)])?;
        }
        Ok(i64::try_from(messages.len()).unwrap_or(i64::MAX))
    }
}

fn counting(
    tenant: &str,
    session: &str,
    count: i64,
    usage: SessionUsage,
    now_ms: i64,
) -> Statement {
    let params = vec![
        tenant.into(),
        session.into(),
        count.into(),
        usage.input_tokens.into(),
        usage.output_tokens.into(),
        usage.compactions.into(),
        now_ms.into(),
    ];
    Statement::new(COUNT, params).must_change()
}

fn what(id: &str) -> String {
    format!("session `{id}`")
}

fn changed_event(kind: &'static str, tenant: &str, id: &str, data: Json, at_ms: i64) -> NewEvent {
    NewEvent { tenant: tenant.into(), at_ms, kind, subject: id.into(), data }
}

fn params(session: &PutSession, now_ms: i64) -> Result<Vec<Value>, String> {
    Ok(vec![
        session.tenant.as_str().into(),
        session.id.as_str().into(),
        session.agent.as_deref().unwrap_or_default().into(),
        session.user.as_deref().unwrap_or_default().into(),
        text("channel", &session.channel)?.into(),
        text("chat", &session.chat)?.into(),
        text("label", &session.label)?.into(),
        text("provider", &session.provider)?.into(),
        text("model", &session.model)?.into(),
        text("summary", &session.summary)?.into(),
        object_text("settings", &session.settings)?.into(),
        now_ms.into(),
    ])
}

fn decode_info(fields: &mut Fields) -> Result<SessionInfo, BadRow> {
    Ok(SessionInfo {
        tenant: fields.text()?,
        id: fields.text()?,
        agent: fields.part()?,
        user: fields.part()?,
        channel: fields.text()?,
        chat: fields.text()?,
        label: fields.text()?,
        provider: fields.text()?,
        model: fields.text()?,
        messages: fields.int()?,
        input_tokens: fields.int()?,
        output_tokens: fields.int()?,
        compactions: fields.int()?,
        created_at_ms: fields.int()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}

fn decode(fields: &mut Fields) -> Result<Session, BadRow> {
    Ok(Session { info: decode_info(fields)?, summary: fields.text()?, settings: fields.object()? })
}

fn decode_message(fields: &mut Fields) -> Result<SessionMessage, BadRow> {
    Ok(SessionMessage {
        seq: fields.int()?,
        at_ms: fields.int()?,
        role: fields.text()?,
        content: fields.json_bytes()?,
    })
}
