//! Leases: who holds what, for how long, with an epoch that fences later writes.
//!
//! A lease is taken by one conditional statement. Each time it changes hands its epoch grows, so
//! whoever held it before can be distinguished from whoever holds it now: a write that presents a
//! [`Fence`] is refused once the lease has expired or passed on. The first epoch of a name is
//! taken from the clock, so that it lies above every epoch of a lease that was forgotten.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::driver::{Batch, Driver, Statement, Value};
use super::fields::{BadRow, Fields};
use super::{Error, SqlStore, StoreFuture};

/// The longest time for which a lease is given at once, in milliseconds: a day.
pub const MOST_LEASE_MS: i64 = 24 * 60 * 60 * 1000;

/// What the kinds of the leases under path locks begin with.
pub(super) const PATH_KIND: &str = "path:";

/// A lease that somebody holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lease {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The kind of the lease.
    pub kind: String,
    /// Which one.
    pub name: String,
    /// Who holds it.
    pub holder: String,
    /// Grows each time the lease changes hands.
    pub epoch: i64,
    /// When it ends unless renewed, in milliseconds since 1970-01-01T00:00:00Z.
    pub expires_at_ms: i64,
}

/// The proof that a write is made under a lease that is still held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// The kind of the lease.
    pub kind: String,
    /// Which one.
    pub name: String,
    /// The epoch at which it was taken.
    pub epoch: i64,
}

/// The leases of each tenant.
pub trait Leases: Send + Sync {
    /// Takes a lease for `ttl_ms` milliseconds: if nobody holds it, if it has expired, or if
    /// `holder` holds it already (then it is renewed and keeps its epoch). None if somebody else
    /// holds it.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`](super::Kind::InvalidArgument) for a `ttl_ms` that is not between
    /// 1 and [`MOST_LEASE_MS`], and for a `kind` that begins with `path:`: those are the
    /// [`PathLocks`](super::PathLocks).
    fn acquire_lease<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        name: &'a str,
        holder: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Lease>>;

    /// Makes a lease that has not expired last for `ttl_ms` milliseconds from now. False if it is
    /// no longer held at that epoch.
    fn renew_lease<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        ttl_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;

    /// Releases a lease. False if it was no longer held at that epoch.
    fn release_lease<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;

    /// The leases of a kind that are held now, in order of name (byte by byte), after `after`.
    fn list_leases<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        after: Option<&'a str>,
        limit: u32,
        now_ms: i64,
    ) -> StoreFuture<'a, Vec<Lease>>;

    /// Forgets, for all tenants, the leases that ended at or before that time. Gives their number.
    /// Give a time at least a day ago: a lease that is taken anew by a clock which shows less than
    /// `before_ms` may get an epoch that it had before.
    fn prune_leases(&self, before_ms: i64) -> StoreFuture<'_, u64>;
}

const COLUMNS: &[&str] = &["tenant", "kind", "name", "holder", "epoch", "expires_at_ms"];

const ACQUIRE: &str = "INSERT INTO toolkeep_leases \
     (tenant, kind, name, holder, epoch, expires_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (tenant, kind, name) DO UPDATE SET \
     epoch = CASE WHEN toolkeep_leases.holder = excluded.holder \
       AND toolkeep_leases.expires_at_ms > ?5 THEN toolkeep_leases.epoch \
       WHEN toolkeep_leases.epoch >= excluded.epoch THEN toolkeep_leases.epoch + 1 \
       ELSE excluded.epoch END, \
     holder = excluded.holder, expires_at_ms = excluded.expires_at_ms \
     WHERE toolkeep_leases.holder = excluded.holder OR toolkeep_leases.expires_at_ms <= ?5 \
     RETURNING tenant, kind, name, holder, epoch, expires_at_ms";

const RENEW: &str = "UPDATE toolkeep_leases SET expires_at_ms = ?6 \
     WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND epoch = ?4 AND expires_at_ms > ?5";

const RELEASE: &str = "UPDATE toolkeep_leases SET expires_at_ms = ?5 \
     WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND epoch = ?4 AND expires_at_ms > ?5";

const GUARD: &str = "UPDATE toolkeep_leases SET epoch = epoch \
     WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND epoch = ?4 AND expires_at_ms > ?5";

const LIST: &str = "SELECT tenant, kind, name, holder, epoch, expires_at_ms FROM toolkeep_leases \
     WHERE tenant = ?1 AND kind = ?2 AND name > ?3 AND expires_at_ms > ?4 \
     ORDER BY name LIMIT ?5";

/// An epoch may run ahead of the clock when a lease changes hands often. Such a lease is kept until
/// the clock is past it, because the next one of its name starts from the clock.
const PRUNE: &str = "DELETE FROM toolkeep_leases WHERE expires_at_ms <= ?1 AND epoch < ?1";

/// The generation of a space's path locks, which never expires, goes with the last of them.
const PRUNE_GENERATIONS: &str = "DELETE FROM toolkeep_leases WHERE name = '' \
     AND expires_at_ms = 9223372036854775807 AND epoch < ?1 AND NOT EXISTS \
     (SELECT 1 FROM toolkeep_leases AS held WHERE held.tenant = toolkeep_leases.tenant \
     AND held.kind = toolkeep_leases.kind AND held.name <> '')";

impl Fence {
    /// A statement that changes a row, to no effect, exactly while the lease is held. In a batch
    /// it keeps the lease from passing on before the batch is written.
    pub(super) fn guard(self, tenant: Value, now_ms: i64) -> Statement {
        let Fence { kind, name, epoch } = self;
        let params = vec![tenant, kind.into(), name.into(), epoch.into(), now_ms.into()];
        Statement::new(GUARD, params).must_change()
    }
}

impl Lease {
    /// What later writes present.
    pub fn fence(&self) -> Fence {
        Fence { kind: self.kind.clone(), name: self.name.clone(), epoch: self.epoch }
    }
}

impl<D: Driver> SqlStore<D> {
    pub(super) fn check_ttl(&self, operation: &'static str, ttl_ms: i64) -> Result<(), Error> {
        if (1..=MOST_LEASE_MS).contains(&ttl_ms) {
            return Ok(());
        }
        let message = format!("`ttl_ms` is {ttl_ms}; give 1 to {MOST_LEASE_MS}");
        Err(self.invalid(operation, message))
    }

    fn check_fence(
        &self,
        operation: &'static str,
        tenant: &str,
        fence: &Fence,
    ) -> Result<(), Error> {
        self.check(operation, &[("tenant", tenant), ("kind", &fence.kind), ("name", &fence.name)])
    }
}

impl<D: Driver> Leases for SqlStore<D> {
    fn acquire_lease<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        name: &'a str,
        holder: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Lease>> {
        async move {
            const OPERATION: &str = "leases.acquire";
            let keys = [("tenant", tenant), ("kind", kind), ("name", name), ("holder", holder)];
            self.check(OPERATION, &keys)?;
            self.check_ttl(OPERATION, ttl_ms)?;
            if kind.starts_with(PATH_KIND) {
                let message = format!(
                    "`kind` begins with `{PATH_KIND}`, which is kept for path locks; choose another"
                );
                return Err(self.invalid(OPERATION, message));
            }
            let expires_at_ms = now_ms.saturating_add(ttl_ms);
            let params = vec![
                tenant.into(),
                kind.into(),
                name.into(),
                holder.into(),
                now_ms.into(),
                expires_at_ms.into(),
            ];
            let batch = Batch::from(Statement::new(ACQUIRE, params));
            let mut outcomes = self.write_always(OPERATION, batch).await?;
            let rows = outcomes.pop().map(|outcome| outcome.rows).unwrap_or_default();
            self.decode_all(OPERATION, rows, COLUMNS, decode).map(|mut leases| leases.pop())
        }
        .boxed()
    }

    fn renew_lease<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        ttl_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "leases.renew";
            self.check_fence(OPERATION, tenant, fence)?;
            self.check_ttl(OPERATION, ttl_ms)?;
            let mut params = held(tenant, fence, now_ms);
            params.push(now_ms.saturating_add(ttl_ms).into());
            let statement = Statement::new(RENEW, params);
            let outcomes = self.write_always(OPERATION, statement.into()).await?;
            Ok(outcomes.iter().any(|outcome| outcome.changed > 0))
        }
        .boxed()
    }

    fn release_lease<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "leases.release";
            self.check_fence(OPERATION, tenant, fence)?;
            let statement = Statement::new(RELEASE, held(tenant, fence, now_ms));
            let outcomes = self.write_always(OPERATION, statement.into()).await?;
            Ok(outcomes.iter().any(|outcome| outcome.changed > 0))
        }
        .boxed()
    }

    fn list_leases<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        after: Option<&'a str>,
        limit: u32,
        now_ms: i64,
    ) -> StoreFuture<'a, Vec<Lease>> {
        async move {
            const OPERATION: &str = "leases.list";
            self.check(OPERATION, &[("tenant", tenant), ("kind", kind)])?;
            self.check_given(OPERATION, &[("after", after)])?;
            let after = after.unwrap_or_default();
            let params =
                vec![tenant.into(), kind.into(), after.into(), now_ms.into(), limit.into()];
            self.read_all(OPERATION, Statement::new(LIST, params), COLUMNS, decode).await
        }
        .boxed()
    }

    fn prune_leases(&self, before_ms: i64) -> StoreFuture<'_, u64> {
        async move {
            let prune = |sql| Statement::new(sql, vec![before_ms.into()]);
            let batch = Batch::new(vec![prune(PRUNE), prune(PRUNE_GENERATIONS)]);
            let outcomes = self.write_always("leases.prune", batch).await?;
            Ok(outcomes.first().map_or(0, |leases| leases.changed))
        }
        .boxed()
    }
}

/// The parameters that find a lease which is held at this epoch.
fn held(tenant: &str, fence: &Fence, now_ms: i64) -> Vec<Value> {
    vec![
        tenant.into(),
        fence.kind.as_str().into(),
        fence.name.as_str().into(),
        fence.epoch.into(),
        now_ms.into(),
    ]
}

fn decode(fields: &mut Fields) -> Result<Lease, BadRow> {
    Ok(Lease {
        tenant: fields.text()?,
        kind: fields.text()?,
        name: fields.text()?,
        holder: fields.text()?,
        epoch: fields.int()?,
        expires_at_ms: fields.int()?,
    })
}
