//! `documents.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Deleted, check_limit, default_limit, default_tenant, no_such, operations, utf8};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::store::{self, DocumentInfo, DocumentKey, Fence};

operations! {
    /// Texts that an agent keeps in the store, such as its memory.
    documents as Documents {
        /// Stores a document, replacing one of the same path. Returns the text's SHA-256, too.
        ///
        /// Fails with `conflict` if `if_version` or `fence` does not hold.
        put(PutDocument) -> DocumentInfo = put;
        /// Returns a document. A user's document does not fall back to the agent's.
        ///
        /// Fails with `not_found` if there is none, with `invalid_utf8` if it is not text.
        get(GetDocument) -> DocumentText = get;
        /// Lists the documents of an agent and a user by path, without their texts.
        list(ListDocuments) -> Vec<DocumentInfo> = list;
        /// Deletes a document. Fails with `conflict` if `if_version` does not hold.
        delete(DeleteDocument) -> Deleted = delete;
    }
}

/// The arguments of `documents.put`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutDocument {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it belongs to.
    pub agent: String,
    /// The user it belongs to. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Its path, such as `memory/people.md`. Kept as it is given.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// Its MIME type. Default: `text/plain; charset=utf-8`.
    #[serde(default = "default_mime")]
    pub mime: String,
    /// Only if the stored document has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
    /// Only while this lease is held.
    #[serde(default)]
    pub fence: Option<Fence>,
}

/// The arguments of `documents.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetDocument {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it belongs to.
    pub agent: String,
    /// The user it belongs to. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Its path.
    pub path: String,
}

/// The arguments of `documents.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListDocuments {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent they belong to.
    pub agent: String,
    /// The user they belong to. Left out: the documents for all users.
    #[serde(default)]
    pub user: Option<String>,
    /// Only paths that begin so.
    #[serde(default)]
    pub prefix: String,
    /// Go on after this path.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `documents.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteDocument {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it belongs to.
    pub agent: String,
    /// The user it belongs to. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Its path.
    pub path: String,
    /// Only if the stored document has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// A document with its text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct DocumentText {
    /// What a list shows of it.
    #[serde(flatten)]
    pub info: DocumentInfo,
    /// The whole text.
    pub text: String,
}

fn default_mime() -> String {
    "text/plain; charset=utf-8".into()
}

async fn put(runtime: &Runtime, args: PutDocument) -> Result<DocumentInfo, Error> {
    let PutDocument { tenant, agent, user, path, text, mime, if_version, fence } = args;
    let key = DocumentKey { tenant, agent, user, path };
    let document =
        store::PutDocument { key, mime, body: text.into_bytes(), if_version, if_body: None, fence };
    Ok(runtime
        .writing(&document.key.tenant)
        .put_document(document, runtime.clock().now_ms())
        .await?)
}

async fn get(runtime: &Runtime, args: GetDocument) -> Result<DocumentText, Error> {
    let GetDocument { tenant, agent, user, path } = args;
    let key = DocumentKey { tenant, agent, user, path };
    let document = runtime.store().get_document(&key).await?;
    let document = document.ok_or_else(|| no_such(&key.what()))?;
    Ok(DocumentText { text: utf8(&key.what(), document.body)?, info: document.info })
}

async fn list(runtime: &Runtime, args: ListDocuments) -> Result<Vec<DocumentInfo>, Error> {
    check_limit(args.limit)?;
    let ListDocuments { tenant, agent, user, prefix, after, limit } = args;
    let query = store::ListDocuments { tenant, agent, user, prefix, after, limit };
    Ok(runtime.store().list_documents(query).await?)
}

async fn delete(runtime: &Runtime, args: DeleteDocument) -> Result<Deleted, Error> {
    let DeleteDocument { tenant, agent, user, path, if_version } = args;
    let key = DocumentKey { tenant, agent, user, path };
    let now_ms = runtime.clock().now_ms();
    let deleted = runtime.writing(&key.tenant).delete_document(&key, if_version, now_ms).await?;
    Ok(Deleted { deleted })
}
