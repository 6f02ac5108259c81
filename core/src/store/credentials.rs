//! Credentials: sealed values for programs, by name, agent and user.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::driver::{Driver, Value};
use super::fields::{BadRow, Fields, text};
use super::json::object_text;
use super::record::{Delete, List, Put, Table};
use super::{Error, SqlStore, StoreFuture};
use crate::event::NewEvent;
use crate::secret::sealed_under;

/// Which credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialKey {
    /// The tenant it belongs to.
    pub tenant: String,
    /// Its name, such as the program that it is for.
    pub name: String,
    /// The agent it is for; none: all of them.
    pub agent: Option<String>,
    /// The user it is for; none: all of them.
    pub user: Option<String>,
}

/// A credential without its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialInfo {
    /// Which one it is.
    #[serde(flatten)]
    pub key: CredentialKey,
    /// The kind of its value, such as `env`.
    pub kind: String,
    /// The hosts it may be sent to; empty: no limit here.
    pub host_scope: String,
    /// Other settings of it, a JSON object.
    pub settings: Json,
    /// The id of the key that the value is sealed under.
    pub key_id: String,
    /// 1 for a new credential, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A credential with its sealed value.
#[derive(Clone, Debug, PartialEq)]
pub struct Credential {
    /// What is known without opening it.
    pub info: CredentialInfo,
    /// The value's envelope, sealed for [`CredentialKey::place`].
    pub value: Vec<u8>,
}

/// A credential to be made or changed. All of it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PutCredential {
    /// Which one.
    pub key: CredentialKey,
    /// What sort of value it is. No NUL.
    pub kind: String,
    /// The hosts it may be sent to. No NUL.
    pub host_scope: String,
    /// Other settings of it, a JSON object.
    pub settings: Json,
    /// The value's envelope, sealed for [`CredentialKey::place`].
    pub value: Vec<u8>,
    /// Write only if the credential has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
}

/// The credentials of each tenant. Their values are sealed before they come here.
pub trait Credentials: Send + Sync {
    /// Makes or changes a credential and writes the event `credential.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`](super::Kind::InvalidArgument) for a value that is not sealed,
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version` does not hold.
    fn put_credential(
        &self,
        credential: PutCredential,
        now_ms: i64,
    ) -> StoreFuture<'_, CredentialInfo>;

    /// The credential of that key, and no other: one of a user does not fall back to a general
    /// one.
    fn get_credential<'a>(&'a self, key: &'a CredentialKey) -> StoreFuture<'a, Option<Credential>>;

    /// At most `limit` credentials in order of name, agent and user (byte by byte, general ones
    /// first), after `after`.
    fn list_credentials<'a>(
        &'a self,
        tenant: &'a str,
        after: Option<&'a CredentialKey>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CredentialInfo>>;

    /// Deletes a credential, if it has `if_version` where that is given, and writes the event
    /// `credential.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_credential<'a>(
        &'a self,
        key: &'a CredentialKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;
}

static TABLE: Table = Table::new(
    "credentials",
    &["tenant", "name", "agent", "user_key"],
    &["kind", "host_scope", "settings", "key_id"],
    &["value"],
);

impl CredentialKey {
    /// Calls `with` with the place that the value is sealed for.
    pub fn place<T>(&self, with: impl FnOnce(&crate::secret::Place<'_>) -> T) -> T {
        with(&crate::secret::Place {
            tenant: &self.tenant,
            table: "credentials",
            row: &[&self.name, self.agent.as_deref().unwrap_or_default(), self.of_user()],
            field: "value",
        })
    }

    fn of_user(&self) -> &str {
        self.user.as_deref().unwrap_or_default()
    }

    fn values(&self) -> Vec<Value> {
        let agent = self.agent.as_deref().unwrap_or_default();
        [&self.tenant, &self.name, agent, self.of_user()].map(Value::from).to_vec()
    }

    fn what(&self) -> String {
        let part = |what: &str, key: &Option<String>| {
            key.as_ref().map(|key| format!(" of {what} `{key}`")).unwrap_or_default()
        };
        let (agent, user) = (part("agent", &self.agent), part("user", &self.user));
        format!("credential `{}`{agent}{user}", self.name)
    }

    fn changed_event(&self, kind: &'static str, at_ms: i64) -> NewEvent {
        let data = json!({ "agent": self.agent, "user": self.user });
        NewEvent { tenant: self.tenant.clone(), at_ms, kind, subject: self.name.clone(), data }
    }
}

impl<D: Driver> SqlStore<D> {
    fn check_credential(&self, operation: &'static str, key: &CredentialKey) -> Result<(), Error> {
        self.check(operation, &[("tenant", &key.tenant), ("name", &key.name)])?;
        let given = [("agent", key.agent.as_deref()), ("user", key.user.as_deref())];
        self.check_given(operation, &given)
    }
}

impl<D: Driver> Credentials for SqlStore<D> {
    fn put_credential(
        &self,
        credential: PutCredential,
        now_ms: i64,
    ) -> StoreFuture<'_, CredentialInfo> {
        async move {
            const OPERATION: &str = "credentials.put";
            let PutCredential { key, kind, host_scope, settings, value, if_version } = credential;
            self.check_credential(OPERATION, &key)?;
            self.check_body(OPERATION, &key.what(), value.len())?;
            let Some(key_id) = sealed_under(&value).map(|id| id.to_string()) else {
                let message = format!("the value of {} is not sealed; seal it first", key.what());
                return Err(self.invalid(OPERATION, message));
            };
            let light = || -> Result<Vec<Value>, String> {
                Ok(vec![
                    text("kind", &kind)?.into(),
                    text("host_scope", &host_scope)?.into(),
                    object_text("settings", &settings)?.into(),
                    key_id.as_str().into(),
                ])
            };
            let mut body = light().map_err(|message| self.invalid(OPERATION, message))?;
            body.push(value.into());
            let put = Put {
                what: key.what(),
                keys: key.values(),
                body,
                if_version,
                if_body: None,
                fence: None,
                event: key.changed_event("credential.changed", now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            let updated_at_ms = now_ms;
            Ok(CredentialInfo { key, kind, host_scope, settings, key_id, version, updated_at_ms })
        }
        .boxed()
    }

    fn get_credential<'a>(&'a self, key: &'a CredentialKey) -> StoreFuture<'a, Option<Credential>> {
        async move {
            const OPERATION: &str = "credentials.get";
            self.check_credential(OPERATION, key)?;
            self.get_row(OPERATION, &TABLE, key.values(), decode).await
        }
        .boxed()
    }

    fn list_credentials<'a>(
        &'a self,
        tenant: &'a str,
        after: Option<&'a CredentialKey>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<CredentialInfo>> {
        async move {
            const OPERATION: &str = "credentials.list";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let after = match after {
                None => None,
                Some(key) => {
                    self.check_credential(OPERATION, key)?;
                    Some(key.values().split_off(1))
                }
            };
            let list = List { fixed: vec![tenant.into()], after, prefix: "", limit };
            self.list_rows(OPERATION, &TABLE, list, decode_info).await
        }
        .boxed()
    }

    fn delete_credential<'a>(
        &'a self,
        key: &'a CredentialKey,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "credentials.delete";
            self.check_credential(OPERATION, key)?;
            let delete = Delete {
                what: key.what(),
                keys: key.values(),
                if_version,
                fence: None,
                event: key.changed_event("credential.deleted", now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }
}

fn decode_info(fields: &mut Fields) -> Result<CredentialInfo, BadRow> {
    let key = CredentialKey {
        tenant: fields.text()?,
        name: fields.text()?,
        agent: fields.part()?,
        user: fields.part()?,
    };
    Ok(CredentialInfo {
        key,
        kind: fields.text()?,
        host_scope: fields.text()?,
        settings: fields.object()?,
        key_id: fields.text()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}

fn decode(fields: &mut Fields) -> Result<Credential, BadRow> {
    Ok(Credential { info: decode_info(fields)?, value: fields.bytes()? })
}
