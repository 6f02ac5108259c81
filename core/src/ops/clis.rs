//! `clis.*`

mod put;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::agents::Deleted;
use super::guarded;
use super::{check_limit, default_limit, default_tenant, no_such, operations};
use crate::clis::{self, PREFIX, PinnedBinary, PresetInfo, Registered, VariableKind};
use crate::error::{Code, Error};
use crate::limits::echo;
use crate::policy::NetworkPermit;
use crate::runtime::Runtime;
use crate::store::CredentialKey;
use crate::tool::Caller;

operations! {
    /// Credentialed CLIs: programs that agents call without ever seeing what they log in with.
    clis as ClisOps {
        /// Registers a CLI, replacing one of the same name: its binary as it is now, its variables,
        /// which are sealed at once, and its denied arguments.
        ///
        /// Without `encrypted_env` the stored variables stay; an empty sensitive value keeps the
        /// stored one. Fails with `invalid_argument` that names the field, such as `deny_args[2]`
        /// for an invalid pattern, with `no_key` if the configuration has no `secrets.key`, and
        /// with `conflict` if `if_version` does not hold.
        put(PutCli) -> CliInfo = put::put;
        /// Returns a registered CLI, without the values of its variables. Fails with `not_found` if
        /// there is none of that name.
        get(CliName) -> CliInfo = get;
        /// Lists the CLIs by name.
        list(ListClis) -> Vec<CliInfo> = list;
        /// Removes a CLI. Its grants stay.
        delete(DeleteCli) -> Deleted = delete;
        /// Lists the presets that a CLI can be registered with.
        presets(ListPresets) -> Vec<PresetInfo> = presets;
        /// Says whether a call would be allowed: whether the CLI is granted, and whether some
        /// argument is denied. Nothing is run.
        check(CheckCli) -> CliCheck = check;
        /// Returns the text that tells a model which CLIs it may call and how.
        /// `context_files.merge` puts it into TOOLS.md. Empty if there are none.
        supplement(SupplementFor) -> Supplement = supplement;
    }
}

/// The arguments of `clis.put`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutCli {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The name of its program, such as `gh`, in any case.
    pub binary_name: String,
    /// The absolute path of its binary. Left out: it is searched in the folders of the system.
    #[serde(default)]
    pub binary_path: Option<String>,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The preset whose rules hold in addition: `gh`, `gcloud`, `aws`, `kubectl`, `terraform`,
    /// `git`, `psql`, `gws` or `rapidapi`.
    #[serde(default)]
    pub preset: Option<String>,
    /// As `preset`: how the seeds call it for `git` and `psql`.
    #[serde(default)]
    pub adapter_name: Option<String>,
    /// Its variables. Each is a text, which is sensitive, or an object of `kind` (`sensitive`,
    /// `value` or `file`) and `value`. At most 50.
    #[serde(default, alias = "env", deserialize_with = "secret_variables")]
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    pub encrypted_env: Option<SecretVariables>,
    /// Regular expressions. The arguments must not contain a match of any of them, in any case of
    /// letters.
    #[serde(default, deserialize_with = "patterns")]
    #[schemars(with = "Vec<String>")]
    pub deny_args: Vec<String>,
    /// Regular expressions. No argument may start with a match of any of them.
    #[serde(default, deserialize_with = "patterns")]
    #[schemars(with = "Vec<String>")]
    pub deny_verbose: Vec<String>,
    /// Options with prose as their values, such as `--body`: `deny_args` ignores these values.
    #[serde(default)]
    pub free_text: Vec<String>,
    /// Where it may connect to: anywhere (`true`), nowhere (`false`), or these hosts, by name or IPv4
    /// address, at the usual ports; `host:port` adds a port. Left out: the host that `GIT_HOST` or
    /// `PGHOST` names with the presets `git` and `psql`, else anywhere.
    #[serde(default)]
    pub network: Option<NetworkPermit>,
    /// How long a call may take, in seconds, 1 to 3,600. Default: the preset's, else 30.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
    /// Advice for the model.
    #[serde(default)]
    pub tips: String,
    /// True: everybody may use it. False: only those to whom `grants.put` of the kind `cli` grants
    /// it. Default: true.
    #[serde(default = "yes")]
    pub is_global: bool,
    /// False: it is treated as if it did not exist. Default: true.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Only if the stored CLI has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// Variables as they are given, which `Debug` does not show.
#[derive(Clone)]
pub struct SecretVariables(Map<String, Value>);

impl fmt::Debug for SecretVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The arguments of `clis.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CliName {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The name of its program.
    pub binary_name: String,
}

/// The arguments of `clis.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteCli {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The name of its program.
    pub binary_name: String,
    /// Only if the stored CLI has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `clis.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListClis {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Go on after this name.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `clis.presets`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPresets {}

/// The arguments of `clis.check`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckCli {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The name of its program.
    pub binary_name: String,
    /// The arguments of the call, without the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// The text that it would get on standard input.
    #[serde(default)]
    pub stdin: Option<String>,
    /// The agent that would call, if any.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it would call for, if any.
    #[serde(default)]
    pub user: Option<String>,
}

/// Whether a call of a CLI would be allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CliCheck {
    /// True if it would.
    pub allowed: bool,
    /// The rule that denies it.
    pub rule: Option<String>,
    /// The text for the model.
    pub why: Option<String>,
}

/// The arguments of `clis.supplement`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupplementFor {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose prompt it is, if any.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it talks to, if any.
    #[serde(default)]
    pub user: Option<String>,
}

/// The text that tells a model about its CLIs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Supplement {
    /// The text, in Markdown.
    pub text: String,
}

/// A CLI as it is registered, without the values of its variables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CliInfo {
    /// The tenant.
    pub tenant: String,
    /// The name of its program, in small letters.
    pub binary_name: String,
    /// The path of its binary, if the owner named one.
    pub binary_path: Option<String>,
    /// The binary at the time of the registration. No other binary is run. None: it did not exist.
    pub binary: Option<PinnedBinary>,
    /// What it is for.
    pub description: String,
    /// The preset whose rules hold in addition.
    pub preset: Option<String>,
    /// Its variables, and the kind of each.
    pub variables: BTreeMap<String, VariableKind>,
    /// Regular expressions that are denied in the arguments.
    pub deny_args: Vec<String>,
    /// Regular expressions that are denied at the start of an argument.
    pub deny_verbose: Vec<String>,
    /// Options with prose as their values.
    pub free_text: Vec<String>,
    /// Where it may connect to. None: not set.
    pub network: Option<NetworkPermit>,
    /// How long a call may take, in seconds.
    pub timeout_seconds: u64,
    /// Advice for the model.
    pub tips: String,
    /// True if everybody may use it.
    pub is_global: bool,
    /// False if nobody may.
    pub enabled: bool,
    /// Warnings, in sentences: a value too short to be masked, a missing binary.
    pub warnings: Vec<String>,
    /// 1 for a new CLI, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

fn yes() -> bool {
    true
}

/// Variables, or JSON text of them. An error never repeats what it got, which is a secret.
fn secret_variables<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SecretVariables>, D::Error> {
    let given = Value::deserialize(deserializer)?;
    let given = match given {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => {
            serde_json::from_str(&Zeroizing::new(text)).unwrap_or(Value::Bool(false))
        }
        other => other,
    };
    match given {
        Value::Null => Ok(None),
        Value::Object(fields) => Ok(Some(SecretVariables(fields))),
        _ => Err(D::Error::custom("expected an object of variables and their values")),
    }
}

/// A list of patterns, JSON text of one, or null.
fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let given = match Value::deserialize(deserializer)? {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => serde_json::from_str(&text).map_err(D::Error::custom)?,
        other => other,
    };
    match given {
        Value::Null => Ok(Vec::new()),
        given => serde_json::from_value(given).map_err(D::Error::custom),
    }
}

fn refuse(why: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgument, why)
}

/// A name as it is kept.
fn checked_name(name: &str) -> Result<String, Error> {
    let name = name.trim().to_ascii_lowercase();
    let fits = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let text = || {
        format!(
            "`binary_name` is `{}`; give the name of a program, at most 64 letters, digits, `.`, `_` \
             and `-`, without its folder",
            echo(&name)
        )
    };
    if fits { Ok(name) } else { Err(refuse(text())) }
}

fn described(cli: Option<Registered>, key: &CredentialKey) -> Result<CliInfo, Error> {
    let name = key.name.strip_prefix(PREFIX).unwrap_or(&key.name);
    let cli = cli.ok_or_else(|| no_such(&format!("CLI `{name}`")))?;
    let definition = cli.definition.map_err(|why| {
        let text = format!("what is stored of the CLI `{name}` cannot be read: {why}; put it anew");
        Error::new(Code::InvalidConfig, text)
    })?;
    Ok(CliInfo {
        tenant: key.tenant.clone(),
        binary_name: name.to_owned(),
        binary_path: definition.binary_path,
        binary: definition.binary,
        description: definition.description,
        preset: definition.preset,
        variables: definition.variables,
        deny_args: definition.deny_args,
        deny_verbose: definition.deny_verbose,
        free_text: definition.free_text,
        network: definition.network,
        timeout_seconds: definition.timeout_seconds,
        tips: definition.tips,
        is_global: definition.is_global,
        enabled: definition.enabled,
        warnings: Vec::new(),
        version: cli.info.version,
        updated_at_ms: cli.info.updated_at_ms,
    })
}

async fn registered(runtime: &Runtime, key: &CredentialKey) -> Result<Registered, Error> {
    let stored = runtime.store().get_credential(key).await?;
    let found = stored.and_then(|stored| Registered::of(stored.info));
    let name = key.name.strip_prefix(PREFIX).unwrap_or(&key.name);
    found.ok_or_else(|| no_such(&format!("CLI `{name}`")))
}

async fn get(runtime: &Runtime, args: CliName) -> Result<CliInfo, Error> {
    let key = clis::key(&args.tenant, &checked_name(&args.binary_name)?);
    described(Some(registered(runtime, &key).await?), &key)
}

async fn list(runtime: &Runtime, args: ListClis) -> Result<Vec<CliInfo>, Error> {
    check_limit(args.limit)?;
    let after = args.after.unwrap_or_default().to_ascii_lowercase();
    let all = runtime.path().shell.clis.all(&args.tenant).await?;
    let after = all.into_iter().filter(|cli| cli.name > after);
    let some = after.take(args.limit as usize);
    some.map(|cli| {
        let key = cli.info.key.clone();
        described(Some(cli), &key)
    })
    .collect()
}

async fn delete(runtime: &Runtime, args: DeleteCli) -> Result<Deleted, Error> {
    let key = clis::key(&args.tenant, &checked_name(&args.binary_name)?);
    let now_ms = runtime.clock().now_ms();
    let writing = runtime.writing(&key.tenant);
    let deleted = writing.delete_credential(&key, args.if_version, now_ms).await?;
    if deleted {
        guarded::release(runtime, &key.tenant, &key);
    }
    Ok(Deleted { deleted })
}

async fn presets(_: &Runtime, _: ListPresets) -> Result<Vec<PresetInfo>, Error> {
    Ok(clis::presets().iter().map(PresetInfo::from).collect())
}

async fn check(runtime: &Runtime, args: CheckCli) -> Result<CliCheck, Error> {
    let key = clis::key(&args.tenant, &checked_name(&args.binary_name)?);
    let stored = runtime.store().get_credential(&key).await?;
    let Some(cli) = stored.and_then(|stored| Registered::of(stored.info)) else {
        let why = Some("no CLI of that name is registered".to_owned());
        return Ok(CliCheck { allowed: false, rule: Some("cli.none".into()), why });
    };
    let CheckCli { tenant, agent, user, .. } = args;
    let caller = Caller { tenant, agent, user, ..Caller::default() };
    let checked =
        runtime.path().shell.clis.allowed(&caller, &cli, &args.args, args.stdin.as_deref()).await;
    let is_there = cli.is_enabled();
    Ok(match checked {
        Ok(_) if is_there => CliCheck { allowed: true, rule: None, why: None },
        Ok(_) => {
            let why = Some("the CLI is switched off".to_owned());
            CliCheck { allowed: false, rule: Some("cli.enabled".into()), why }
        }
        Err(refusal) => CliCheck {
            allowed: false,
            rule: refusal.rule.clone(),
            why: Some(refusal.message.clone()),
        },
    })
}

async fn supplement(runtime: &Runtime, args: SupplementFor) -> Result<Supplement, Error> {
    let SupplementFor { tenant, agent, user } = args;
    let caller = Caller { tenant, agent, user, ..Caller::default() };
    Ok(Supplement { text: supplement_for(runtime, &caller).await? })
}

/// What a caller is told of the CLIs that it has.
pub(super) async fn supplement_for(runtime: &Runtime, caller: &Caller) -> Result<String, Error> {
    let clis = &runtime.path().shell.clis;
    let mut granted = Vec::new();
    for cli in clis.enabled(&caller.tenant).await? {
        granted.extend(clis.granted(caller, &cli).await.ok());
    }
    Ok(clis::supplement(&granted))
}
