//! `leases.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::store::{Fence, Lease};

operations! {
    /// Leases: who does what for now, across processes and machines.
    leases as Leases {
        /// Takes a lease if nobody holds it; renews it if `holder` holds it. `lease` is null if
        /// somebody else holds it. Its `epoch` grows each time it changes hands: pass it to
        /// `leases.renew` and `leases.release`.
        acquire(AcquireLease) -> Acquired = acquire;
        /// Makes a lease last for `ttl_ms` from now. `renewed` is false if it is no longer held at
        /// that epoch: stop the work under it.
        renew(RenewLease) -> Renewed = renew;
        /// Releases a lease. `released` is false if it was no longer held at that epoch.
        release(ReleaseLease) -> Released = release;
        /// Lists the leases of a kind that are held now, by name.
        list(ListLeases) -> Vec<Lease> = list;
    }
}

/// The arguments of `leases.acquire`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcquireLease {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the lease, such as `job`. It must not begin with `path:`.
    pub kind: String,
    /// Which one.
    pub name: String,
    /// Who holds it. Two callers with the same name hold it together.
    pub holder: String,
    /// For how many milliseconds, up to a day.
    pub ttl_ms: i64,
}

/// The result of `leases.acquire`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Acquired {
    /// The lease; null if somebody else holds it.
    pub lease: Option<Lease>,
}

/// The arguments of `leases.renew`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenewLease {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the lease.
    pub kind: String,
    /// Which one.
    pub name: String,
    /// The epoch at which it was taken.
    pub epoch: i64,
    /// For how many milliseconds from now, up to a day.
    pub ttl_ms: i64,
}

/// Whether something was renewed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Renewed {
    /// False if it was no longer held.
    pub renewed: bool,
}

/// The arguments of `leases.release`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseLease {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the lease.
    pub kind: String,
    /// Which one.
    pub name: String,
    /// The epoch at which it was taken.
    pub epoch: i64,
}

/// Whether something was released.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Released {
    /// False if it was no longer held.
    pub released: bool,
}

/// The arguments of `leases.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListLeases {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Which sort.
    pub kind: String,
    /// Go on after this name.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

async fn acquire(runtime: &Runtime, args: AcquireLease) -> Result<Acquired, Error> {
    let AcquireLease { tenant, kind, name, holder, ttl_ms } = args;
    let now_ms = runtime.clock().now_ms();
    let store = runtime.writing(&tenant);
    let lease = store.acquire_lease(&tenant, &kind, &name, &holder, ttl_ms, now_ms).await?;
    Ok(Acquired { lease })
}

async fn renew(runtime: &Runtime, args: RenewLease) -> Result<Renewed, Error> {
    let RenewLease { tenant, kind, name, epoch, ttl_ms } = args;
    let fence = Fence { kind, name, epoch };
    let now_ms = runtime.clock().now_ms();
    let renewed = runtime.writing(&tenant).renew_lease(&tenant, &fence, ttl_ms, now_ms).await?;
    Ok(Renewed { renewed })
}

async fn release(runtime: &Runtime, args: ReleaseLease) -> Result<Released, Error> {
    let ReleaseLease { tenant, kind, name, epoch } = args;
    let fence = Fence { kind, name, epoch };
    let now_ms = runtime.clock().now_ms();
    let released = runtime.writing(&tenant).release_lease(&tenant, &fence, now_ms).await?;
    Ok(Released { released })
}

async fn list(runtime: &Runtime, args: ListLeases) -> Result<Vec<Lease>, Error> {
    let ListLeases { tenant, kind, after, limit } = args;
    check_limit(limit)?;
    let now_ms = runtime.clock().now_ms();
    Ok(runtime.store().list_leases(&tenant, &kind, after.as_deref(), limit, now_ms).await?)
}
