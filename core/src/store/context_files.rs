//! Context files: the texts that tell an agent who it is, for all its users or for one.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::driver::{Driver, Value};
use super::fields::{BadRow, Fields};
use super::record::{Delete, List, Put, Table};
use super::{Error, Fence, SqlStore, StoreFuture};
use crate::event::NewEvent;

/// Which context file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextFileKey {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The agent it is for.
    pub agent: String,
    /// The user it is for; none: for all of them.
    pub user: Option<String>,
    /// Its name, such as `SOUL.md`.
    pub name: String,
}

/// A context file as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextFileInfo {
    /// Which one it is.
    #[serde(flatten)]
    pub key: ContextFileKey,
    /// How many bytes its body has.
    pub size: i64,
    /// 1 for a new file, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A context file with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// What a list shows of it.
    pub info: ContextFileInfo,
    /// Its body.
    pub body: Vec<u8>,
}

/// A context file to be made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutContextFile {
    /// Which one.
    pub key: ContextFileKey,
    /// Its body, of at most [`MAX_BODY_BYTES`](super::MAX_BODY_BYTES).
    pub body: Vec<u8>,
    /// Write only if the file has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
    /// Write only if the body is this now. A version shows a change, but not that
    /// the row was deleted and created again.
    pub if_body: Option<Vec<u8>>,
    /// Write only while this lease is held.
    pub fence: Option<Fence>,
}

/// The context files of each tenant, by agent and user.
pub trait ContextFiles: Send + Sync {
    /// Makes or changes a context file and writes the event `context_file.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version`, `if_body` or `fence` does not hold; then
    /// nothing is written.
    fn put_context_file(
        &self,
        file: PutContextFile,
        now_ms: i64,
    ) -> StoreFuture<'_, ContextFileInfo>;

    /// The file of that key, and no other: a user's file does not fall back to the agent's.
    fn get_context_file<'a>(
        &'a self,
        key: &'a ContextFileKey,
    ) -> StoreFuture<'a, Option<ContextFile>>;

    /// At most `limit` files of the agent and that user (none: those for all users) in order of
    /// name (byte by byte), after the name `after`.
    fn list_context_files<'a>(
        &'a self,
        tenant: &'a str,
        agent: &'a str,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ContextFileInfo>>;

    /// Deletes a file, if it has `if_version` where that is given, and writes the event
    /// `context_file.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_context_file<'a>(
        &'a self,
        key: &'a ContextFileKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

static TABLE: Table =
    Table::new("context_files", &["tenant", "agent", "user_key", "name"], &["size"], &["body"]);

impl ContextFileKey {
    fn values(&self) -> Vec<Value> {
        let user = self.user.as_deref().unwrap_or_default();
        [&self.tenant, &self.agent, user, &self.name].map(Value::from).to_vec()
    }

    /// What it is, for messages.
    pub(crate) fn what(&self) -> String {
        let user = self.user.as_ref().map(|user| format!(" and user `{user}`"));
        format!(
            "context file `{}` of agent `{}`{}",
            self.name,
            self.agent,
            user.unwrap_or_default()
        )
    }

    fn changed_event(&self, kind: &'static str, at_ms: i64) -> NewEvent {
        let data = json!({ "user": self.user, "name": self.name });
        NewEvent { tenant: self.tenant.clone(), at_ms, kind, subject: self.agent.clone(), data }
    }
}

impl<D: Driver> SqlStore<D> {
    fn check_file(&self, operation: &'static str, key: &ContextFileKey) -> Result<(), Error> {
        let keys = [("tenant", &*key.tenant), ("agent", &key.agent), ("name", &key.name)];
        self.check(operation, &keys)?;
        self.check_given(operation, &[("user", key.user.as_deref())])
    }
}

impl<D: Driver> ContextFiles for SqlStore<D> {
    fn put_context_file(
        &self,
        file: PutContextFile,
        now_ms: i64,
    ) -> StoreFuture<'_, ContextFileInfo> {
        async move {
            const OPERATION: &str = "context_files.put";
            let PutContextFile { key, body, if_version, if_body, fence } = file;
            self.check_file(OPERATION, &key)?;
            self.check_body(OPERATION, &key.what(), body.len())?;
            let size = i64::try_from(body.len()).unwrap_or(i64::MAX);
            let put = Put {
                what: key.what(),
                keys: key.values(),
                body: vec![size.into(), body.into()],
                if_version,
                if_body,
                fence,
                event: key.changed_event("context_file.changed", now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            Ok(ContextFileInfo { key, size, version, updated_at_ms: now_ms })
        }
        .boxed()
    }

    fn get_context_file<'a>(
        &'a self,
        key: &'a ContextFileKey,
    ) -> StoreFuture<'a, Option<ContextFile>> {
        async move {
            const OPERATION: &str = "context_files.get";
            self.check_file(OPERATION, key)?;
            self.get_row(OPERATION, &TABLE, key.values(), decode).await
        }
        .boxed()
    }

    fn list_context_files<'a>(
        &'a self,
        tenant: &'a str,
        agent: &'a str,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ContextFileInfo>> {
        async move {
            const OPERATION: &str = "context_files.list";
            self.check(OPERATION, &[("tenant", tenant), ("agent", agent)])?;
            self.check_given(OPERATION, &[("user", user), ("after", after)])?;
            let fixed = vec![tenant.into(), agent.into(), user.unwrap_or_default().into()];
            let after = after.map(|name| vec![name.into()]);
            let list = List { fixed, after, prefix: "", limit };
            self.list_rows(OPERATION, &TABLE, list, decode_info).await
        }
        .boxed()
    }

    fn delete_context_file<'a>(
        &'a self,
        key: &'a ContextFileKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "context_files.delete";
            self.check_file(OPERATION, key)?;
            let delete = Delete {
                what: key.what(),
                keys: key.values(),
                if_version,
                fence: None,
                event: key.changed_event("context_file.deleted", now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }
}

fn decode_info(fields: &mut Fields) -> Result<ContextFileInfo, BadRow> {
    let key = ContextFileKey {
        tenant: fields.text()?,
        agent: fields.text()?,
        user: fields.part()?,
        name: fields.text()?,
    };
    Ok(ContextFileInfo {
        key,
        size: fields.int()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}

fn decode(fields: &mut Fields) -> Result<ContextFile, BadRow> {
    Ok(ContextFile { info: decode_info(fields)?, body: fields.bytes()? })
}
