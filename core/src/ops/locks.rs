//! `locks.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::leases::{Released, Renewed};
use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::store::{NewPathLock, PathClaim, PathConflict, PathLock};

operations! {
    /// Path locks: who may write which files of a workspace for now.
    locks as Locks {
        /// Takes a lock on all patterns or on none; renews it if `holder` has one on the same
        /// patterns. If one of them and a pattern of somebody else's lock could match the same
        /// path, `lock` is null and `conflict` names that lock.
        acquire(AcquireLock) -> AcquiredLock = acquire;
        /// Makes a lock last for `ttl_ms` from now. `renewed` is false if it is no longer held at
        /// that epoch: stop writing.
        renew(RenewLock) -> Renewed = renew;
        /// Releases a lock. `released` is false if it was no longer held at that epoch.
        release(ReleaseLock) -> Released = release;
        /// Lists the locks of a space that are held now, oldest first.
        list(ListLocks) -> Vec<PathLock> = list;
        /// Returns the lock that covers a path now, or null.
        covering(CoveringLock) -> CoveredBy = covering;
    }
}

/// The arguments of `locks.acquire`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcquireLock {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The workspace whose paths are locked: any name. All users of the workspace must give the
    /// same one.
    pub space: String,
    /// Glob patterns of paths relative to the workspace, 1 to 32: `src/main.rs`, `docs/**`,
    /// `src/*.{c,h}`. `*` and `?` stop at `/`, `**` does not; case counts.
    pub patterns: Vec<String>,
    /// Who takes it.
    pub holder: String,
    /// For how many milliseconds, up to a day. Default: 300,000 (five minutes).
    #[serde(default = "default_ttl")]
    pub ttl_ms: i64,
}

fn default_ttl() -> i64 {
    300_000
}

/// The result of `locks.acquire`: one of the two is null.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct AcquiredLock {
    /// The lock; null if somebody else's lock conflicts.
    pub lock: Option<PathLock>,
    /// The lock that conflicts.
    pub conflict: Option<PathConflict>,
}

/// The arguments of `locks.renew`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenewLock {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The workspace.
    pub space: String,
    /// The lock's id.
    pub id: String,
    /// Who holds it.
    pub holder: String,
    /// The lock's epoch.
    pub epoch: i64,
    /// For how many milliseconds from now, up to a day. Default: 300,000 (five minutes).
    #[serde(default = "default_ttl")]
    pub ttl_ms: i64,
}

/// The arguments of `locks.release`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseLock {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The workspace.
    pub space: String,
    /// The lock's id.
    pub id: String,
    /// Who holds it.
    pub holder: String,
    /// The lock's epoch.
    pub epoch: i64,
}

/// The arguments of `locks.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListLocks {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The workspace.
    pub space: String,
    /// Go on after the lock of this id.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `locks.covering`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoveringLock {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The workspace.
    pub space: String,
    /// The path, relative to the workspace.
    pub path: String,
}

/// The lock on a path.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct CoveredBy {
    /// The lock that covers it; null if none does.
    pub lock: Option<PathLock>,
}

async fn acquire(runtime: &Runtime, args: AcquireLock) -> Result<AcquiredLock, Error> {
    let AcquireLock { tenant, space, patterns, holder, ttl_ms } = args;
    let lock = NewPathLock { tenant, space, patterns, holder, ttl_ms };
    Ok(match runtime.writing(&lock.tenant).lock_paths(lock, runtime.clock().now_ms()).await? {
        PathClaim::Taken(lock) => AcquiredLock { lock: Some(lock), conflict: None },
        PathClaim::Refused(conflict) => AcquiredLock { lock: None, conflict: Some(*conflict) },
    })
}

async fn renew(runtime: &Runtime, args: RenewLock) -> Result<Renewed, Error> {
    let RenewLock { tenant, space, id, holder, epoch, ttl_ms } = args;
    let fence = PathLock::fence_of(&space, &id, epoch);
    let now_ms = runtime.clock().now_ms();
    let renewed =
        runtime.writing(&tenant).renew_paths(&tenant, &fence, &holder, ttl_ms, now_ms).await?;
    Ok(Renewed { renewed })
}

async fn release(runtime: &Runtime, args: ReleaseLock) -> Result<Released, Error> {
    let ReleaseLock { tenant, space, id, holder, epoch } = args;
    let fence = PathLock::fence_of(&space, &id, epoch);
    let now_ms = runtime.clock().now_ms();
    let released = runtime.writing(&tenant).unlock_paths(&tenant, &fence, &holder, now_ms).await?;
    Ok(Released { released })
}

async fn list(runtime: &Runtime, args: ListLocks) -> Result<Vec<PathLock>, Error> {
    let ListLocks { tenant, space, after, limit } = args;
    check_limit(limit)?;
    let now_ms = runtime.clock().now_ms();
    Ok(runtime.store().list_path_locks(&tenant, &space, after.as_deref(), limit, now_ms).await?)
}

async fn covering(runtime: &Runtime, args: CoveringLock) -> Result<CoveredBy, Error> {
    let CoveringLock { tenant, space, path } = args;
    let now_ms = runtime.clock().now_ms();
    let lock = runtime.store().path_lock_of(&tenant, &space, &path, now_ms).await?;
    Ok(CoveredBy { lock })
}
