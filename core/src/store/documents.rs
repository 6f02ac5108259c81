//! Documents: texts that an agent keeps in the store, such as its memory, with the hash of each.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::driver::{Driver, Value};
use super::fields::{BadRow, Fields, text};
use super::record::{Delete, List, Put, Table};
use super::{Error, Fence, SqlStore, StoreFuture};
use crate::event::NewEvent;

/// Which document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentKey {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The agent it belongs to.
    pub agent: String,
    /// The user it belongs to; none: all of them.
    pub user: Option<String>,
    /// Its path, such as `memory/people.md`. The store takes any key and changes nothing in it.
    pub path: String,
}

/// A document as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentInfo {
    /// Which one it is.
    #[serde(flatten)]
    pub key: DocumentKey,
    /// Its MIME type.
    pub mime: String,
    /// How many bytes its body has.
    pub size: i64,
    /// The SHA-256 of its body, as 64 lower-case hexadecimal digits.
    pub hash: String,
    /// 1 for a new document, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A document with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What a list shows of it.
    pub info: DocumentInfo,
    /// Its body.
    pub body: Vec<u8>,
}

/// A document to be made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutDocument {
    /// Which one.
    pub key: DocumentKey,
    /// Its MIME type. No NUL.
    pub mime: String,
    /// Its body, of at most [`MAX_BODY_BYTES`](super::MAX_BODY_BYTES).
    pub body: Vec<u8>,
    /// Write only if the document has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
    /// Write only if the body is this now. A version shows a change, but not that
    /// the row was deleted and created again.
    pub if_body: Option<Vec<u8>>,
    /// Write only while this lease is held.
    pub fence: Option<Fence>,
}

/// Which documents to list, in order of path (byte by byte).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListDocuments {
    /// The tenant.
    pub tenant: String,
    /// The agent they belong to.
    pub agent: String,
    /// The user they belong to; none: those for all users.
    pub user: Option<String>,
    /// Only paths that begin so; empty: all of them.
    pub prefix: String,
    /// Go on after this path.
    pub after: Option<String>,
    /// The most documents to give.
    pub limit: u32,
}

/// The documents of each tenant, by agent and user.
pub trait Documents: Send + Sync {
    /// Makes or changes a document and writes the event `document.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version`, `if_body` or `fence` does not hold; then
    /// nothing is written.
    fn put_document(&self, document: PutDocument, now_ms: i64) -> StoreFuture<'_, DocumentInfo>;

    /// The document of that key, and no other: a user's does not fall back to the agent's.
    fn get_document<'a>(&'a self, key: &'a DocumentKey) -> StoreFuture<'a, Option<Document>>;

    /// Documents without their bodies.
    fn list_documents(&self, list: ListDocuments) -> StoreFuture<'_, Vec<DocumentInfo>>;

    /// Deletes a document, if it has `if_version` where that is given, and writes the event
    /// `document.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_document<'a>(
        &'a self,
        key: &'a DocumentKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

static TABLE: Table = Table::new(
    "documents",
    &["tenant", "agent", "user_key", "path"],
    &["mime", "size", "hash"],
    &["body"],
)
.synced_later();

/// How much is hashed before other tasks get their turn.
const HASHED_AT_ONCE: usize = 1 << 20;

impl DocumentKey {
    fn values(&self) -> Vec<Value> {
        let user = self.user.as_deref().unwrap_or_default();
        [&self.tenant, &self.agent, user, &self.path].map(Value::from).to_vec()
    }

    /// What it is, for messages.
    pub(crate) fn what(&self) -> String {
        let user = self.user.as_ref().map(|user| format!(" and user `{user}`"));
        format!("document `{}` of agent `{}`{}", self.path, self.agent, user.unwrap_or_default())
    }

    fn changed_event(&self, kind: &'static str, at_ms: i64) -> NewEvent {
        let data = json!({ "user": self.user, "path": self.path });
        NewEvent { tenant: self.tenant.clone(), at_ms, kind, subject: self.agent.clone(), data }
    }
}

impl<D: Driver> SqlStore<D> {
    fn check_document(&self, operation: &'static str, key: &DocumentKey) -> Result<(), Error> {
        let keys = [("tenant", &*key.tenant), ("agent", &key.agent), ("path", &key.path)];
        self.check(operation, &keys)?;
        self.check_given(operation, &[("user", key.user.as_deref())])
    }
}

impl<D: Driver> Documents for SqlStore<D> {
    fn put_document(&self, document: PutDocument, now_ms: i64) -> StoreFuture<'_, DocumentInfo> {
        async move {
            const OPERATION: &str = "documents.put";
            let PutDocument { key, mime, body, if_version, if_body, fence } = document;
            self.check_document(OPERATION, &key)?;
            self.check_body(OPERATION, &key.what(), body.len())?;
            text("mime", &mime).map_err(|message| self.invalid(OPERATION, message))?;
            let size = i64::try_from(body.len()).unwrap_or(i64::MAX);
            let hash = sha256(&body).await;
            let put = Put {
                what: key.what(),
                keys: key.values(),
                body: vec![mime.as_str().into(), size.into(), hash.as_str().into(), body.into()],
                if_version,
                if_body,
                fence,
                event: key.changed_event("document.changed", now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            Ok(DocumentInfo { key, mime, size, hash, version, updated_at_ms: now_ms })
        }
        .boxed()
    }

    fn get_document<'a>(&'a self, key: &'a DocumentKey) -> StoreFuture<'a, Option<Document>> {
        async move {
            const OPERATION: &str = "documents.get";
            self.check_document(OPERATION, key)?;
            self.get_row(OPERATION, &TABLE, key.values(), decode).await
        }
        .boxed()
    }

    fn list_documents(&self, list: ListDocuments) -> StoreFuture<'_, Vec<DocumentInfo>> {
        async move {
            const OPERATION: &str = "documents.list";
            let ListDocuments { tenant, agent, user, prefix, after, limit } = list;
            self.check(OPERATION, &[("tenant", &tenant), ("agent", &agent)])?;
            let some_prefix = Some(prefix.as_str()).filter(|prefix| !prefix.is_empty());
            let given =
                [("user", user.as_deref()), ("prefix", some_prefix), ("after", after.as_deref())];
            self.check_given(OPERATION, &given)?;
            let fixed = vec![tenant.into(), agent.into(), user.unwrap_or_default().into()];
            let after = after.map(|path| vec![path.into()]);
            let list = List { fixed, after, prefix: &prefix, limit };
            self.list_rows(OPERATION, &TABLE, list, decode_info).await
        }
        .boxed()
    }

    fn delete_document<'a>(
        &'a self,
        key: &'a DocumentKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "documents.delete";
            self.check_document(OPERATION, key)?;
            let delete = Delete {
                what: key.what(),
                keys: key.values(),
                if_version,
                fence: None,
                event: key.changed_event("document.deleted", now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }
}

/// Hashes a body without holding up other tasks when it is large.
async fn sha256(body: &[u8]) -> String {
    let mut hasher = Sha256::new();
    for part in body.chunks(HASHED_AT_ONCE) {
        hasher.update(part);
        if part.len() == HASHED_AT_ONCE {
            tokio::task::yield_now().await;
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decode_info(fields: &mut Fields) -> Result<DocumentInfo, BadRow> {
    let key = DocumentKey {
        tenant: fields.text()?,
        agent: fields.text()?,
        user: fields.part()?,
        path: fields.text()?,
    };
    Ok(DocumentInfo {
        key,
        mime: fields.text()?,
        size: fields.int()?,
        hash: fields.text()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}

fn decode(fields: &mut Fields) -> Result<Document, BadRow> {
    Ok(Document { info: decode_info(fields)?, body: fields.bytes()? })
}
