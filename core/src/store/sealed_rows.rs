//! Which rows of all tenants hold sealed values, so that they can be sealed anew under another key.

use futures_util::FutureExt as _;

use super::driver::{Driver, Statement, Value};
use super::fields::{BadRow, Fields};
use super::{CredentialKey, CustomToolKey, SqlStore, StoreFuture};

/// Finds rows with sealed values.
pub trait SealedRows: Send + Sync {
    /// At most `limit` credentials of all tenants that are not sealed under that key, in order of
    /// their keys (byte by byte), after `after`.
    fn credentials_not_under<'a>(
        &'a self,
        key_id: &'a str,
        after: Option<&'a CredentialKey>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CredentialKey>>;

    /// At most `limit` custom tools of all tenants that have an environment, under whatever key, in
    /// order of their keys (byte by byte), after `after`.
    fn custom_tools_with_env<'a>(
        &'a self,
        after: Option<&'a CustomToolKey>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CustomToolKey>>;
}

const CREDENTIALS: &str = "SELECT tenant, name, agent, user_key FROM toolkeep_credentials \
                           WHERE key_id <> ?1 AND (tenant, name, agent, user_key) > (?2, ?3, ?4, ?5) \
                           ORDER BY tenant, name, agent, user_key LIMIT ?6";

const TOOLS: &str = "SELECT tenant, agent, name FROM toolkeep_custom_tools \
                     WHERE env IS NOT NULL AND (tenant, agent, name) > (?1, ?2, ?3) \
                     ORDER BY tenant, agent, name LIMIT ?4";

impl<D: Driver> SealedRows for SqlStore<D> {
    fn credentials_not_under<'a>(
        &'a self,
        key_id: &'a str,
        after: Option<&'a CredentialKey>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CredentialKey>> {
        async move {
            let part = |part: &Option<String>| Value::from(part.as_deref().unwrap_or_default());
            let after = after.map_or_else(
                || vec![Value::from(""); 4],
                |key| {
                    let (tenant, name) = (key.tenant.as_str(), key.name.as_str());
                    vec![tenant.into(), name.into(), part(&key.agent), part(&key.user)]
                },
            );
            let mut params = vec![Value::from(key_id)];
            params.extend(after);
            params.push(limit.into());
            let columns = &["tenant", "name", "agent", "user_key"];
            let statement = Statement::new(CREDENTIALS, params);
            self.read_all("credentials.list", statement, columns, credential).await
        }
        .boxed()
    }

    fn custom_tools_with_env<'a>(
        &'a self,
        after: Option<&'a CustomToolKey>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CustomToolKey>> {
        async move {
            let mut params = after.map_or_else(
                || vec![Value::from(""); 3],
                |key| {
                    let agent = key.agent.as_deref().unwrap_or_default();
                    vec![key.tenant.as_str().into(), agent.into(), key.name.as_str().into()]
                },
            );
            params.push(limit.into());
            let columns = &["tenant", "agent", "name"];
            let statement = Statement::new(TOOLS, params);
            self.read_all("custom_tools.list", statement, columns, custom_tool).await
        }
        .boxed()
    }
}

fn credential(fields: &mut Fields) -> Result<CredentialKey, BadRow> {
    Ok(CredentialKey {
        tenant: fields.text()?,
        name: fields.text()?,
        agent: fields.part()?,
        user: fields.part()?,
    })
}

fn custom_tool(fields: &mut Fields) -> Result<CustomToolKey, BadRow> {
    Ok(CustomToolKey { tenant: fields.text()?, agent: fields.part()?, name: fields.text()? })
}
