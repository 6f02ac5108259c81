//! `credentials.*`

use std::collections::BTreeMap;

use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::agents::Deleted;
use super::guarded::{self, Guarded};
use super::{check_limit, default_limit, default_tenant, operations};
use crate::clis;
use crate::error::{Code, Error};
use crate::limits::echo;
use crate::runtime::Runtime;
use crate::secret::{KeyRing, Place};
use crate::store::{self, CredentialInfo, CredentialKey};

operations! {
    /// Credentials for programs: sealed before they are stored, and never given out again.
    credentials as Credentials {
        /// Seals and stores a credential, replacing one of the same key.
        ///
        /// Fails with `no_key` if the configuration has no `secrets.key`, with `conflict` if
        /// `if_version` does not hold.
        put(PutCredential) -> CredentialInfo = put;
        /// Returns a credential without its value. Fails with `not_found` if there is none of that
        /// key.
        get(CredentialName) -> CredentialInfo = get;
        /// Checks that the configured keys still open a credential, and returns it without its
        /// value. Fails with `secret_unreadable` if they do not, or if it was altered.
        check(CredentialName) -> CredentialInfo = check;
        /// Lists credentials by name, agent and user, without their values.
        list(ListCredentials) -> Vec<CredentialInfo> = list;
        /// Deletes a credential.
        delete(DeleteCredential) -> Deleted = delete;
    }
}

/// The arguments of `credentials.put`. Give `env` or `value`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutCredential {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Its name, such as the program that it is for.
    pub name: String,
    /// The agent it is for. Left out: all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// The kind of its value. Default: `env`, environment variables.
    #[serde(default = "env_kind")]
    pub kind: String,
    /// Environment variables, for the kind `env`: at most 1 MiB.
    #[serde(default, deserialize_with = "secret_env")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub env: Option<BTreeMap<String, SecretString>>,
    /// The value, for any other kind.
    #[serde(default, deserialize_with = "secret_text")]
    #[schemars(with = "Option<String>")]
    pub value: Option<SecretString>,
    /// The hosts it may be sent to.
    #[serde(default)]
    pub host_scope: String,
    /// The host's own data about it. Not sealed.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Only if the stored credential has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `credentials.get` and `credentials.check`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CredentialName {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Its name.
    pub name: String,
    /// The agent it is for. Left out: the one for all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is for. Left out: the one for all of them.
    #[serde(default)]
    pub user: Option<String>,
}

/// The arguments of `credentials.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteCredential {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Its name.
    pub name: String,
    /// The agent it is for. Left out: the one for all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it is for. Left out: the one for all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Only if the stored credential has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `credentials.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListCredentials {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Go on after the credential of this name, of all agents and users unless these are given.
    #[serde(default)]
    pub after: Option<String>,
    /// Only with `after`: the agent of that credential.
    #[serde(default)]
    pub after_agent: Option<String>,
    /// Only with `after`: the user of that credential.
    #[serde(default)]
    pub after_user: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

const ENV: &str = "env";

/// The most bytes in the names and values of one environment. No system starts a program with
/// much more.
const MOST_ENV_BYTES: usize = 1 << 20;

fn env_kind() -> String {
    ENV.into()
}

// Serde's own errors repeat what they got, which is a secret here. These two never do.

fn secret_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SecretString>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.into())),
        _ => Err(D::Error::custom("expected a string")),
    }
}

pub(super) fn secret_env<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, SecretString>>, D::Error> {
    let fields = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::Object(fields) => fields,
        _ => return Err(D::Error::custom("expected an object of variables and their values")),
    };
    let variable = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, SecretString::from(text))),
        _ => {
            let text = format!("the value of `{}` is not a string", echo(name_in(&name)));
            Err(D::Error::custom(text))
        }
    };
    fields.into_iter().map(variable).collect::<Result<_, _>>().map(Some)
}

async fn put(runtime: &Runtime, args: PutCredential) -> Result<CredentialInfo, Error> {
    let keys = runtime.keys()?;
    let PutCredential { tenant, name, agent, user, kind, env, value, .. } = args;
    if kind.is_empty() {
        let text = "`kind` is empty; leave it out for an environment, or name the sort of value";
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let key = CredentialKey { tenant, name, agent, user };
    check_no_cli(&key)?;
    let guarded = match (&env, &value) {
        (Some(env), _) => Guarded::env(env),
        (None, value) => {
            let value = value.as_ref().map_or("", |value| value.expose_secret());
            Guarded::value(&key.name, value)
        }
    };
    let sealed = match (env, value) {
        (Some(env), None) if kind == ENV => key.place(|place| seal_env(keys, place, &env))?,
        (None, Some(value)) if kind != ENV => {
            key.place(|place| keys.seal(place, value.expose_secret().as_bytes()))?
        }
        _ => {
            let text = "give `env`, an object of variables, for the kind `env`, and `value`, a \
                        text, for any other kind";
            return Err(Error::new(Code::InvalidArgument, text));
        }
    };
    let credential = store::PutCredential {
        key,
        kind,
        host_scope: args.host_scope,
        settings: Value::Object(args.settings),
        value: sealed,
        if_version: args.if_version,
    };
    let writing = runtime.writing(&credential.key.tenant);
    let info = writing.put_credential(credential, runtime.clock().now_ms()).await?;
    guarded.hold(runtime, &info.key.tenant, &info.key);
    Ok(info)
}

/// What a CLI is registered with is changed by its own operations, which look at it.
fn check_no_cli(key: &CredentialKey) -> Result<(), Error> {
    if !key.name.starts_with(clis::PREFIX) {
        return Ok(());
    }
    let text = format!(
        "credentials whose names begin with `{}` are those of CLIs: use `clis.put` and \
         `clis.delete`; for one agent or user, name the credential as the CLI",
        clis::PREFIX
    );
    Err(Error::new(Code::InvalidArgument, text))
}

/// Seals the variables of an environment, in order of name, after a look at their names and
/// values. An error names a variable, never its value.
pub(super) fn seal_env(
    keys: &KeyRing,
    place: &Place<'_>,
    env: &BTreeMap<String, SecretString>,
) -> Result<Vec<u8>, Error> {
    let refuse = |why: String| Error::new(Code::InvalidArgument, why);
    let exposed: BTreeMap<&str, &str> =
        env.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    let bytes: usize = exposed.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > MOST_ENV_BYTES {
        let text = format!("`env` has {bytes} bytes; at most {MOST_ENV_BYTES} can be kept");
        return Err(Error::new(Code::TooLarge, text));
    }
    for (name, value) in &exposed {
        let begins = name_in(name);
        if begins.is_empty() || begins.len() < name.len() {
            let begins = echo(begins);
            return Err(refuse(format!(
                "`env`: what begins with `{begins}` is no name of a variable; write letters, \
                 digits and `_`, not beginning with a digit"
            )));
        }
        if value.contains('\0') {
            let name = echo(name);
            return Err(refuse(format!("`env.{name}` contains a NUL character; remove it")));
        }
    }
    // Room for a text of which JSON escapes every character: growing would leave copies behind.
    let most = exposed.iter().map(|(name, value)| name.len() + 6 * value.len() + 6).sum::<usize>();
    let mut text = Zeroizing::new(Vec::with_capacity(most + 2));
    serde_json::to_writer(&mut *text, &exposed)
        .map_err(|_| refuse("`env` cannot be written as JSON".into()))?;
    Ok(keys.seal(place, &text)?)
}

/// As much of a text as is the name of a variable. What follows may be a value that somebody
/// wrote in the wrong place: `TOKEN=…`.
fn name_in(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

async fn stored(runtime: &Runtime, args: CredentialName) -> Result<store::Credential, Error> {
    let CredentialName { tenant, name, agent, user } = args;
    let key = CredentialKey { tenant, name, agent, user };
    runtime.store().get_credential(&key).await?.ok_or_else(|| {
        let text = format!("there is no credential `{}` of this agent and user", key.name);
        Error::new(Code::NotFound, text)
    })
}

async fn get(runtime: &Runtime, args: CredentialName) -> Result<CredentialInfo, Error> {
    Ok(stored(runtime, args).await?.info)
}

async fn check(runtime: &Runtime, args: CredentialName) -> Result<CredentialInfo, Error> {
    let store::Credential { info, value } = stored(runtime, args).await?;
    let opened = info.key.place(|place| runtime.keys()?.open(place, &value))?;
    let opened = opened.expose_secret();
    let guarded = match info.kind.as_str() {
        ENV => Guarded::opened_env(opened),
        _ => Guarded::value(&info.key.name, std::str::from_utf8(opened).unwrap_or_default()),
    };
    guarded.hold(runtime, &info.key.tenant, &info.key);
    Ok(info)
}

async fn list(runtime: &Runtime, args: ListCredentials) -> Result<Vec<CredentialInfo>, Error> {
    check_limit(args.limit)?;
    let ListCredentials { tenant, after, after_agent: agent, after_user: user, limit } = args;
    if after.is_none() && (agent.is_some() || user.is_some()) {
        let text = "`after_agent` and `after_user` say more about `after`; give that, too";
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let of_after = |name| CredentialKey { tenant: tenant.clone(), name, agent, user };
    let after = after.map(of_after);
    Ok(runtime.store().list_credentials(&tenant, after.as_ref(), limit).await?)
}

async fn delete(runtime: &Runtime, args: DeleteCredential) -> Result<Deleted, Error> {
    let DeleteCredential { tenant, name, agent, user, if_version } = args;
    let key = CredentialKey { tenant, name, agent, user };
    check_no_cli(&key)?;
    let now_ms = runtime.clock().now_ms();
    let deleted = runtime.writing(&key.tenant).delete_credential(&key, if_version, now_ms).await?;
    if deleted {
        guarded::release(runtime, &key.tenant, &key);
    }
    Ok(Deleted { deleted })
}
