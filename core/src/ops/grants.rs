//! `grants.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Deleted, check_limit, default_limit, default_tenant, no_such, operations};
use crate::clis;
use crate::error::{Code, Error};
use crate::runtime::Runtime;
use crate::store::{self, Grant, GrantEffect, GrantKey, GrantPlace};

operations! {
    /// Who may use which resource.
    grants as Grants {
        /// Stores a grant, replacing one of the same resource, agent and user. Fails with
        /// `conflict` if `if_version` does not hold, and with `invalid_argument` for invalid
        /// settings of the kind `cli`.
        put(PutGrant) -> Grant = put;
        /// Returns the grant of exactly that key. Fails with `not_found` if there is none.
        get(GetGrant) -> Grant = get;
        /// Lists the grants of a kind by resource, agent and user.
        list(ListGrants) -> Vec<Grant> = list;
        /// Deletes a grant. Fails with `conflict` if `if_version` does not hold.
        delete(DeleteGrant) -> Deleted = delete;
        /// Says whether a caller may use a resource, and which grant decides.
        ///
        /// A grant that names agent and user decides before those that name one of them, and these
        /// before the one for everybody. If one names the agent and another one the user, a denial
        /// decides. If none applies, the answer is no.
        check(CheckGrant) -> GrantCheck = check;
    }
}

/// The arguments of `grants.put`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutGrant {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the resource, such as `mcp`, `cli` or `context_files`.
    pub kind: String,
    /// Which resource.
    pub resource: String,
    /// The agent it is for. Left out: all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Whether the resource may be used.
    pub effect: GrantEffect,
    /// Settings of the resource that it overrides.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Who makes it. Default: `owner`.
    #[serde(default = "owner")]
    pub granted_by: String,
    /// Only if the stored grant has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `grants.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetGrant {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the resource.
    pub kind: String,
    /// The resource.
    pub resource: String,
    /// The agent it is for. Left out: all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
}

/// The arguments of `grants.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListGrants {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the resources.
    pub kind: String,
    /// Only grants of this resource.
    #[serde(default)]
    pub resource: Option<String>,
    /// Go on after the grant of this resource, agent and user.
    #[serde(default)]
    pub after: Option<GrantPlace>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `grants.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteGrant {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the resource.
    pub kind: String,
    /// The resource.
    pub resource: String,
    /// The agent it is for. Left out: all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Only if the stored grant has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `grants.check`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckGrant {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the resource.
    pub kind: String,
    /// The resource.
    pub resource: String,
    /// The agent that wants to use it, if any.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it wants to use it for, if any.
    #[serde(default)]
    pub user: Option<String>,
}

/// Whether a caller may use a resource.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct GrantCheck {
    /// True if it may.
    pub allowed: bool,
    /// The grant that decided; none: there is none that applies.
    pub by: Option<Grant>,
}

fn owner() -> String {
    "owner".into()
}

async fn put(runtime: &Runtime, args: PutGrant) -> Result<Grant, Error> {
    let PutGrant { tenant, kind, resource, agent, user, .. } = args;
    let settings = Value::Object(args.settings);
    if kind == clis::GRANT_KIND {
        clis::check_overrides(&settings)
            .map_err(|why| Error::new(Code::InvalidArgument, format!("`settings`: {why}")))?;
    }
    let grant = store::PutGrant {
        key: GrantKey { tenant, kind, resource, agent, user },
        effect: args.effect,
        settings,
        granted_by: args.granted_by,
        if_version: args.if_version,
    };
    Ok(runtime.writing(&grant.key.tenant).put_grant(grant, runtime.clock().now_ms()).await?)
}

async fn get(runtime: &Runtime, args: GetGrant) -> Result<Grant, Error> {
    let GetGrant { tenant, kind, resource, agent, user } = args;
    let key = GrantKey { tenant, kind, resource, agent, user };
    runtime.store().get_grant(&key).await?.ok_or_else(|| no_such(&key.what()))
}

async fn list(runtime: &Runtime, args: ListGrants) -> Result<Vec<Grant>, Error> {
    check_limit(args.limit)?;
    let ListGrants { tenant, kind, resource, after, limit } = args;
    let query = store::ListGrants { tenant, kind, resource, after, limit };
    Ok(runtime.store().list_grants(query).await?)
}

async fn delete(runtime: &Runtime, args: DeleteGrant) -> Result<Deleted, Error> {
    let DeleteGrant { tenant, kind, resource, agent, user, if_version } = args;
    let key = GrantKey { tenant, kind, resource, agent, user };
    let now_ms = runtime.clock().now_ms();
    let deleted = runtime.writing(&key.tenant).delete_grant(&key, if_version, now_ms).await?;
    Ok(Deleted { deleted })
}

async fn check(runtime: &Runtime, args: CheckGrant) -> Result<GrantCheck, Error> {
    let CheckGrant { tenant, kind, resource, agent, user } = args;
    let (agent, user) = (agent.as_deref(), user.as_deref());
    let grants = runtime.store().grants_for(&tenant, &kind, &resource, agent, user).await?;
    let by = grants.into_iter().next();
    let allowed = by.as_ref().is_some_and(|grant| grant.effect == GrantEffect::Allow);
    Ok(GrantCheck { allowed, by })
}
