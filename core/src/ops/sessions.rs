//! `sessions.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Deleted, check_limit, default_limit, default_tenant, no_such, operations};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::store::{
    self, Session, SessionInfo, SessionMark, SessionMessage, SessionPlace, SessionUsage,
};

operations! {
    /// The conversations of agents, with their messages.
    sessions as Sessions {
        /// Stores a session. An existing one keeps its messages and counters. Fails with `conflict`
        /// if `if_version` does not hold.
        put(PutSession) -> Session = put;
        /// Returns a session. Fails with `not_found` if there is none of that id.
        get(GetSession) -> Session = get;
        /// Lists sessions, the last used one first.
        list(ListSessions) -> Vec<SessionInfo> = list;
        /// Deletes a session with its messages. Fails with `conflict` if `if_version` does not
        /// hold.
        delete(DeleteSession) -> Deleted = delete;
        /// Appends messages and adds to the counters. The messages of a session are numbered from 1
        /// without gaps, even if several processes append. The version does not change.
        ///
        /// Fails with `not_found` if there is no such session; then nothing is written.
        append(AppendMessages) -> SessionInfo = append;
        /// Returns the messages of a session, oldest first unless `latest`. None if there is no
        /// such session.
        history(ReadHistory) -> Vec<SessionMessage> = history;
        /// Returns the marks of a session: the kinds of text that results have brought into it. See
        /// `policy.taint`.
        marks(GetMarks) -> Vec<SessionMark> = marks;
        /// Removes every mark of a session, as if it had read nothing yet. Only the owner should do
        /// that, when the text that the session has read no longer matters.
        clear_marks(ClearMarks) -> Cleared = clear_marks;
    }
}

/// The arguments of `sessions.put`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutSession {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id.
    pub id: String,
    /// The agent that has it.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is with.
    #[serde(default)]
    pub user: Option<String>,
    /// Its channel.
    #[serde(default)]
    pub channel: String,
    /// The chat on that channel.
    #[serde(default)]
    pub chat: String,
    /// A label for people.
    #[serde(default)]
    pub label: String,
    /// The provider of its model.
    #[serde(default)]
    pub provider: String,
    /// Its model.
    #[serde(default)]
    pub model: String,
    /// A summary of the conversation so far.
    #[serde(default)]
    pub summary: String,
    /// The host's own data about it.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Only if the stored session has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `sessions.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetSession {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id.
    pub id: String,
}

/// The arguments of `sessions.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSessions {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Only sessions of this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only sessions with this user.
    #[serde(default)]
    pub user: Option<String>,
    /// Only sessions with exactly this label.
    #[serde(default)]
    pub label: Option<String>,
    /// Only sessions used at or after this time, in milliseconds since 1970-01-01T00:00:00Z.
    #[serde(default)]
    pub active_since_ms: Option<i64>,
    /// Go on after the session of this time and id. A session that is used meanwhile moves to the
    /// front.
    #[serde(default)]
    pub after: Option<SessionPlace>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `sessions.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteSession {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id.
    pub id: String,
    /// Only if the stored session has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `sessions.append`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendMessages {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id.
    pub id: String,
    /// The messages, in order, at most 1,000. Left out: only the counters change.
    #[serde(default)]
    pub messages: Vec<MessageToAppend>,
    /// Amounts to add to the counters.
    #[serde(default)]
    pub usage: SessionUsage,
}

/// A message to be appended.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageToAppend {
    /// Who said it, such as `user`, `assistant` or `tool`.
    pub role: String,
    /// Its content: text, or any other JSON.
    pub content: Value,
    /// When it was said, in milliseconds since 1970-01-01T00:00:00Z. Left out: now.
    #[serde(default)]
    pub at_ms: Option<i64>,
}

/// The arguments of `sessions.history`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadHistory {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id.
    pub id: String,
    /// Go on after the message of this `seq`, in the order of the answer.
    #[serde(default)]
    pub after: Option<i64>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
    /// Newest first.
    #[serde(default)]
    pub latest: bool,
}

/// The arguments of `sessions.marks`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetMarks {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id. It need not be stored.
    pub id: String,
}

/// The arguments of `sessions.clear_marks`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearMarks {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session's id. It need not be stored.
    pub id: String,
}

/// Whether there was something to clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cleared {
    /// True if the session was marked until now.
    pub cleared: bool,
}

async fn put(runtime: &Runtime, args: PutSession) -> Result<Session, Error> {
    let session = store::PutSession {
        tenant: args.tenant,
        id: args.id,
        agent: args.agent,
        user: args.user,
        channel: args.channel,
        chat: args.chat,
        label: args.label,
        provider: args.provider,
        model: args.model,
        summary: args.summary,
        settings: Value::Object(args.settings),
        if_version: args.if_version,
    };
    Ok(runtime.writing(&session.tenant).put_session(session, runtime.clock().now_ms()).await?)
}

async fn get(runtime: &Runtime, args: GetSession) -> Result<Session, Error> {
    let session = runtime.store().get_session(&args.tenant, &args.id).await?;
    session.ok_or_else(|| no_such(&format!("session `{}`", args.id)))
}

async fn list(runtime: &Runtime, args: ListSessions) -> Result<Vec<SessionInfo>, Error> {
    check_limit(args.limit)?;
    let ListSessions { tenant, agent, user, label, active_since_ms, after, limit } = args;
    let query = store::ListSessions { tenant, agent, user, label, active_since_ms, after, limit };
    Ok(runtime.store().list_sessions(query).await?)
}

async fn delete(runtime: &Runtime, args: DeleteSession) -> Result<Deleted, Error> {
    let DeleteSession { tenant, id, if_version } = args;
    let now_ms = runtime.clock().now_ms();
    let deleted = runtime.writing(&tenant).delete_session(&tenant, &id, if_version, now_ms).await?;
    if deleted {
        runtime.path().reads.marked.forget(&tenant, &id);
    }
    Ok(Deleted { deleted })
}

async fn append(runtime: &Runtime, args: AppendMessages) -> Result<SessionInfo, Error> {
    let AppendMessages { tenant, id, messages, usage } = args;
    let now_ms = runtime.clock().now_ms();
    let messages = messages.into_iter().map(|MessageToAppend { role, content, at_ms }| {
        store::NewMessage { role, content, at_ms: at_ms.unwrap_or(now_ms) }
    });
    let messages = messages.collect();
    let session =
        runtime.writing(&tenant).append_messages(&tenant, &id, messages, usage, now_ms).await?;
    session.ok_or_else(|| no_such(&format!("session `{id}`; put it first")))
}

async fn history(runtime: &Runtime, args: ReadHistory) -> Result<Vec<SessionMessage>, Error> {
    check_limit(args.limit)?;
    let ReadHistory { tenant, id, after, limit, latest } = args;
    let read = store::ReadMessages { tenant, session: id, after, limit, latest };
    Ok(runtime.store().read_messages(read).await?)
}

async fn marks(runtime: &Runtime, args: GetMarks) -> Result<Vec<SessionMark>, Error> {
    Ok(runtime.store().get_marks(&args.tenant, &args.id).await?)
}

async fn clear_marks(runtime: &Runtime, args: ClearMarks) -> Result<Cleared, Error> {
    let ClearMarks { tenant, id } = args;
    let now_ms = runtime.clock().now_ms();
    let cleared = runtime.writing(&tenant).clear_marks(&tenant, &id, now_ms).await?;
    runtime.path().reads.marked.forget(&tenant, &id);
    Ok(Cleared { cleared })
}
