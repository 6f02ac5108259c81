//! Grants: who may use which resource.
//!
//! A grant names an agent, a user, both, or neither (then it is for everybody). For one caller at
//! most four grants of a resource apply, and [`Grants::grants_for`] gives them in order of
//! precedence, so that the first one decides:
//!
//! 1. the one that names agent and user;
//! 2. those that name one of the two, a denial before what is allowed;
//! 3. the one for everybody.
//!
//! Where none applies, nothing is granted: the caller is denied.

use std::cmp::Reverse;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::driver::{Driver, Statement, Value};
use super::fields::{BadRow, Fields, text};
use super::json::object_text;
use super::record::{Delete, List, Put, Table};
use super::{Error, SqlStore, StoreFuture};
use crate::event::NewEvent;

/// Whether a grant gives or takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantEffect {
    /// The resource may be used.
    Allow,
    /// It may not.
    Deny,
}

impl GrantEffect {
    fn name(self) -> &'static str {
        match self {
            GrantEffect::Allow => "allow",
            GrantEffect::Deny => "deny",
        }
    }

    fn from_name(name: &str) -> Option<GrantEffect> {
        [GrantEffect::Allow, GrantEffect::Deny].into_iter().find(|effect| effect.name() == name)
    }
}

/// Which grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrantKey {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The kind of the resource, such as `mcp`, `cli` or `context_files`.
    pub kind: String,
    /// Which resource.
    pub resource: String,
    /// The agent it is for; none: all of them.
    pub agent: Option<String>,
    /// The user it is for; none: all of them.
    pub user: Option<String>,
}

/// A grant as the store holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grant {
    /// Which one it is.
    #[serde(flatten)]
    pub key: GrantKey,
    /// Whether it gives or takes.
    pub effect: GrantEffect,
    /// Settings of the resource that it overrides, a JSON object.
    pub settings: Json,
    /// Who made it.
    pub granted_by: String,
    /// 1 for a new grant, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A grant to be made or changed.
#[derive(Clone, Debug, PartialEq)]
pub struct PutGrant {
    /// Which one.
    pub key: GrantKey,
    /// Whether it gives or takes.
    pub effect: GrantEffect,
    /// Settings of the resource that it overrides, a JSON object.
    pub settings: Json,
    /// Who makes it. No NUL.
    pub granted_by: String,
    /// Write only if the grant has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
}

/// A place in the list of a kind's grants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantPlace {
    /// The grant's resource.
    pub resource: String,
    /// Its agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// Its user.
    #[serde(default)]
    pub user: Option<String>,
}

/// Which grants to list, in order of resource, agent and user (byte by byte, "all" first).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListGrants {
    /// The tenant.
    pub tenant: String,
    /// The kind.
    pub kind: String,
    /// Only grants of this resource.
    pub resource: Option<String>,
    /// Go on after this grant.
    pub after: Option<GrantPlace>,
    /// The most grants to give.
    pub limit: u32,
}

/// The grants of each tenant, by kind and resource.
pub trait Grants: Send + Sync {
    /// Makes or changes a grant and writes the event `grant.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version` does not hold; then nothing is
    /// written.
    fn put_grant(&self, grant: PutGrant, now_ms: i64) -> StoreFuture<'_, Grant>;

    /// The grant of that key, and no other.
    fn get_grant<'a>(&'a self, key: &'a GrantKey) -> StoreFuture<'a, Option<Grant>>;

    /// Grants of a kind.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`](super::Kind::InvalidArgument) if `after` is a grant of another
    /// resource than the one asked for.
    fn list_grants(&self, list: ListGrants) -> StoreFuture<'_, Vec<Grant>>;

    /// The grants of a resource that apply to a caller, at most four, in one read. The first one
    /// decides; none at all means no. An agent or user that is absent is covered only by grants
    /// for all of them.
    fn grants_for<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        resource: &'a str,
        agent: Option<&'a str>,
        user: Option<&'a str>,
    ) -> StoreFuture<'a, Vec<Grant>>;

    /// Deletes a grant, if it has `if_version` where that is given, and writes the event
    /// `grant.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_grant<'a>(
        &'a self,
        key: &'a GrantKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

static TABLE: Table = Table::new(
    "grants",
    &["tenant", "kind", "resource", "agent", "user_key"],
    &["effect", "settings", "granted_by"],
    &[],
);

const COLUMNS: &[&str] = &[
    "tenant",
    "kind",
    "resource",
    "agent",
    "user_key",
    "effect",
    "settings",
    "granted_by",
    "version",
    "updated_at_ms",
];

// A first page has no cursor: ('', ''), the grant for everybody, is a row like the others.
const LIST_OF_RESOURCE: &str = "SELECT tenant, kind, resource, agent, user_key, effect, settings, \
     granted_by, version, updated_at_ms FROM toolkeep_grants \
     WHERE tenant = ?1 AND kind = ?2 AND resource = ?3 AND (CAST(?4 AS TEXT) IS NULL \
     OR (agent, user_key) > (CAST(?4 AS TEXT), CAST(?5 AS TEXT))) \
     ORDER BY agent, user_key LIMIT ?6";

const FOR_CALLER: &str = "SELECT tenant, kind, resource, agent, user_key, effect, settings, \
     granted_by, version, updated_at_ms FROM toolkeep_grants \
     WHERE tenant = ?1 AND kind = ?2 AND resource = ?3 \
     AND agent IN ('', ?4) AND user_key IN ('', ?5)";

impl GrantKey {
    fn values(&self) -> Vec<Value> {
        let [agent, user] = [&self.agent, &self.user].map(|part| part.as_deref().unwrap_or(""));
        [&self.tenant, &self.kind, &self.resource, agent, user].map(Value::from).to_vec()
    }

    /// What it is, for messages.
    pub(crate) fn what(&self) -> String {
        let agent = self.agent.as_ref().map(|agent| format!("agent `{agent}`"));
        let user = self.user.as_ref().map(|user| format!("user `{user}`"));
        let holder: Vec<String> = [agent, user].into_iter().flatten().collect();
        let holder = if holder.is_empty() { "everybody".into() } else { holder.join(" and ") };
        format!("grant of {} `{}` for {holder}", self.kind, self.resource)
    }

    fn changed_event(&self, kind: &'static str, at_ms: i64) -> NewEvent {
        let data = json!({ "kind": self.kind, "agent": self.agent, "user": self.user });
        NewEvent { tenant: self.tenant.clone(), at_ms, kind, subject: self.resource.clone(), data }
    }
}

impl Grant {
    /// Sorts the grants of one caller by precedence.
    fn precedence(&self) -> (Reverse<usize>, bool, bool) {
        let named = [&self.key.agent, &self.key.user].into_iter().flatten().count();
        (Reverse(named), self.effect == GrantEffect::Allow, self.key.agent.is_none())
    }
}

impl<D: Driver> SqlStore<D> {
    fn check_grant(&self, operation: &'static str, key: &GrantKey) -> Result<(), Error> {
        let keys = [("tenant", &*key.tenant), ("kind", &key.kind), ("resource", &key.resource)];
        self.check(operation, &keys)?;
        let given = [("agent", key.agent.as_deref()), ("user", key.user.as_deref())];
        self.check_given(operation, &given)
    }

    fn check_list(&self, operation: &'static str, list: &ListGrants) -> Result<(), Error> {
        self.check(operation, &[("tenant", &list.tenant), ("kind", &list.kind)])?;
        self.check_given(operation, &[("resource", list.resource.as_deref())])?;
        let Some(after) = &list.after else { return Ok(()) };
        self.check(operation, &[("after.resource", &after.resource)])?;
        let given =
            [("after.agent", after.agent.as_deref()), ("after.user", after.user.as_deref())];
        self.check_given(operation, &given)?;
        match &list.resource {
            Some(resource) if *resource != after.resource => {
                let message = format!(
                    "`after.resource` is `{}`, but the list is of `{resource}`; go on after one \
                     of its own grants",
                    after.resource
                );
                Err(self.invalid(operation, message))
            }
            _ => Ok(()),
        }
    }
}

impl<D: Driver> Grants for SqlStore<D> {
    fn put_grant(&self, grant: PutGrant, now_ms: i64) -> StoreFuture<'_, Grant> {
        async move {
            const OPERATION: &str = "grants.put";
            self.check_grant(OPERATION, &grant.key)?;
            let body = body(&grant).map_err(|message| self.invalid(OPERATION, message))?;
            let put = Put {
                what: grant.key.what(),
                keys: grant.key.values(),
                body,
                if_version: grant.if_version,
                if_body: None,
                fence: None,
                event: grant.key.changed_event("grant.changed", now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            let PutGrant { key, effect, settings, granted_by, .. } = grant;
            Ok(Grant { key, effect, settings, granted_by, version, updated_at_ms: now_ms })
        }
        .boxed()
    }

    fn get_grant<'a>(&'a self, key: &'a GrantKey) -> StoreFuture<'a, Option<Grant>> {
        async move {
            const OPERATION: &str = "grants.get";
            self.check_grant(OPERATION, key)?;
            self.get_row(OPERATION, &TABLE, key.values(), decode).await
        }
        .boxed()
    }

    fn list_grants(&self, list: ListGrants) -> StoreFuture<'_, Vec<Grant>> {
        async move {
            const OPERATION: &str = "grants.list";
            self.check_list(OPERATION, &list)?;
            let ListGrants { tenant, kind, resource, after, limit } = list;
            let fixed = vec![tenant.into(), kind.into()];
            let place = |part: Option<String>| Value::from(part.unwrap_or_default());
            let Some(resource) = resource else {
                let after = after.map(|after| {
                    vec![after.resource.into(), place(after.agent), place(after.user)]
                });
                let list = List { fixed, after, prefix: "", limit };
                return self.list_rows(OPERATION, &TABLE, list, decode).await;
            };
            let cursor = match after {
                Some(after) => [place(after.agent), place(after.user)],
                None => [Value::Null, Value::Null],
            };
            let params = [fixed, vec![resource.into()], cursor.to_vec(), vec![limit.into()]];
            let statement = Statement::new(LIST_OF_RESOURCE, params.concat());
            self.read_all(OPERATION, statement, COLUMNS, decode).await
        }
        .boxed()
    }

    fn grants_for<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        resource: &'a str,
        agent: Option<&'a str>,
        user: Option<&'a str>,
    ) -> StoreFuture<'a, Vec<Grant>> {
        async move {
            const OPERATION: &str = "grants.check";
            let keys = [("tenant", tenant), ("kind", kind), ("resource", resource)];
            self.check(OPERATION, &keys)?;
            self.check_given(OPERATION, &[("agent", agent), ("user", user)])?;
            let [agent, user] = [agent, user].map(Option::unwrap_or_default);
            let params = [tenant, kind, resource, agent, user].map(Value::from).to_vec();
            let statement = Statement::new(FOR_CALLER, params);
            let mut grants = self.read_all(OPERATION, statement, COLUMNS, decode).await?;
            grants.sort_by_key(Grant::precedence);
            Ok(grants)
        }
        .boxed()
    }

    fn delete_grant<'a>(
        &'a self,
        key: &'a GrantKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "grants.delete";
            self.check_grant(OPERATION, key)?;
            let delete = Delete {
                what: key.what(),
                keys: key.values(),
                if_version,
                fence: None,
                event: key.changed_event("grant.deleted", now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }
}

fn body(grant: &PutGrant) -> Result<Vec<Value>, String> {
    Ok(vec![
        grant.effect.name().into(),
        object_text("settings", &grant.settings)?.into(),
        text("granted_by", &grant.granted_by)?.into(),
    ])
}

fn decode(fields: &mut Fields) -> Result<Grant, BadRow> {
    let key = GrantKey {
        tenant: fields.text()?,
        kind: fields.text()?,
        resource: fields.text()?,
        agent: fields.part()?,
        user: fields.part()?,
    };
    Ok(Grant {
        key,
        effect: fields.name(GrantEffect::from_name)?,
        settings: fields.object()?,
        granted_by: fields.text()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}
