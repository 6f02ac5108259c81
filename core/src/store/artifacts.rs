//! Artifacts: the full bodies of results that were too long for a model.

use futures_util::FutureExt as _;

use super::driver::{Batch, Driver, Statement, Value, Written};
use super::fields::{BadRow, Fields};
use super::{SqlStore, StoreFuture};

/// A body that a tool produced.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its id within the tenant.
    pub id: String,
    /// The session it belongs to; only that session can read it.
    pub session: Option<String>,
    /// The tool that produced it.
    pub tool: String,
    /// The media type of the body.
    pub mime: String,
    /// The body: any bytes, already scrubbed.
    pub body: Vec<u8>,
    /// When it was made, in milliseconds since 1970-01-01T00:00:00Z.
    pub created_at_ms: i64,
}

/// The artifacts of each tenant.
pub trait Artifacts: Send + Sync {
    /// Keeps an artifact.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if the tenant has an artifact of that id.
    fn put_artifact(&self, artifact: Artifact) -> StoreFuture<'_, ()>;

    /// The artifact of that id, if it belongs to that tenant and to exactly that session (none:
    /// to no session).
    fn get_artifact<'a>(
        &'a self,
        tenant: &'a str,
        session: Option<&'a str>,
        id: &'a str,
    ) -> StoreFuture<'a, Option<Artifact>>;

    /// Deletes the tenant's artifacts that were made before that time. Gives their number.
    fn delete_artifacts_before<'a>(
        &'a self,
        tenant: &'a str,
        before_ms: i64,
    ) -> StoreFuture<'a, u64>;

    /// Deletes the tenant's oldest artifacts until the bodies of the others have at most so many
    /// bytes. Those made at the same moment go together. Gives their number.
    fn delete_artifacts_beyond<'a>(&'a self, tenant: &'a str, bytes: u64) -> StoreFuture<'a, u64>;
}

const COLUMNS: &[&str] = &["tenant", "id", "session", "tool", "mime", "body", "created_at_ms"];

const PUT: &str = "INSERT INTO toolkeep_artifacts \
     (tenant, id, session, tool, mime, body, created_at_ms) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (tenant, id) DO NOTHING";

const GET: &str = "SELECT tenant, id, session, tool, mime, body, created_at_ms \
     FROM toolkeep_artifacts \
     WHERE tenant = ?1 AND id = ?2 AND session IS NOT DISTINCT FROM CAST(?3 AS TEXT)";

const DELETE_BEFORE: &str = "DELETE FROM toolkeep_artifacts WHERE tenant = ?1 AND id IN \
     (SELECT id FROM toolkeep_artifacts WHERE tenant = ?1 AND created_at_ms < ?2 \
     ORDER BY created_at_ms LIMIT ?3)";

/// When the newest artifact was made that is too much.
const BEYOND: &str = "SELECT MAX(created_at_ms) FROM \
     (SELECT created_at_ms, SUM(octet_length(body)) OVER (ORDER BY created_at_ms DESC, id DESC) \
     AS so_far FROM toolkeep_artifacts WHERE tenant = ?1) AS newest WHERE so_far > ?2";

/// How many artifacts one transaction deletes at most. They may be large.
const DELETED_AT_ONCE: u32 = 50;

impl<D: Driver> Artifacts for SqlStore<D> {
    fn put_artifact(&self, artifact: Artifact) -> StoreFuture<'_, ()> {
        async move {
            const OPERATION: &str = "artifacts.put";
            let keys = [
                ("tenant", artifact.tenant.as_str()),
                ("id", &artifact.id),
                ("tool", &artifact.tool),
                ("mime", &artifact.mime),
            ];
            self.check(OPERATION, &keys)?;
            self.check_given(OPERATION, &[("session", artifact.session.as_deref())])?;
            let exists = format!("artifact `{}` exists already; take a new id", artifact.id);
            let params = vec![
                artifact.tenant.into(),
                artifact.id.into(),
                artifact.session.into(),
                artifact.tool.into(),
                artifact.mime.into(),
                artifact.body.into(),
                artifact.created_at_ms.into(),
            ];
            let put = Statement::new(PUT, params).must_change();
            let batch = Batch::from(put).synced_later();
            match self.write_large(OPERATION, batch).await? {
                Written::Done(_) => Ok(()),
                Written::ConditionFailed { .. } => Err(self.conflict(OPERATION, exists)),
            }
        }
        .boxed()
    }

    fn get_artifact<'a>(
        &'a self,
        tenant: &'a str,
        session: Option<&'a str>,
        id: &'a str,
    ) -> StoreFuture<'a, Option<Artifact>> {
        async move {
            const OPERATION: &str = "artifacts.get";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            self.check_given(OPERATION, &[("session", session)])?;
            let statement = Statement::new(GET, vec![tenant.into(), id.into(), session.into()]);
            Ok(self.read_all(OPERATION, statement, COLUMNS, decode).await?.pop())
        }
        .boxed()
    }

    fn delete_artifacts_before<'a>(
        &'a self,
        tenant: &'a str,
        before_ms: i64,
    ) -> StoreFuture<'a, u64> {
        async move {
            const OPERATION: &str = "artifacts.delete_before";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let params = vec![tenant.into(), before_ms.into()];
            self.delete_in_slices(OPERATION, DELETE_BEFORE, params, DELETED_AT_ONCE).await
        }
        .boxed()
    }

    fn delete_artifacts_beyond<'a>(&'a self, tenant: &'a str, bytes: u64) -> StoreFuture<'a, u64> {
        async move {
            const OPERATION: &str = "artifacts.delete_beyond";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            let beyond = Statement::new(BEYOND, vec![tenant.into(), bytes.into()]);
            let newest = match self.read(OPERATION, beyond).await?.first().map(|row| &row.0[..]) {
                Some([Value::Int(newest)]) => *newest,
                _ => return Ok(0),
            };
            let params = vec![tenant.into(), newest.saturating_add(1).into()];
            self.delete_in_slices(OPERATION, DELETE_BEFORE, params, DELETED_AT_ONCE).await
        }
        .boxed()
    }
}

fn decode(fields: &mut Fields) -> Result<Artifact, BadRow> {
    Ok(Artifact {
        tenant: fields.text()?,
        id: fields.text()?,
        session: fields.text_or_none()?,
        tool: fields.text()?,
        mime: fields.text()?,
        body: fields.bytes()?,
        created_at_ms: fields.int()?,
    })
}
