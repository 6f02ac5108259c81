//! `vault.*`

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::{Code, Error};
use crate::id::check_key;
use crate::runtime::Runtime;
use crate::vault::{Binding, KeptSecret, NewBinding, Vault};

operations! {
    /// Where masked secrets may be put back. Each of these fails with `conflict` where the vault is
    /// off.
    vault as VaultOps {
        /// Allows one secret, or each secret of a kind, to be put into the arguments of calls that
        /// fit all fields given here. Lasts until it is unbound or forgotten, or the runtime is
        /// closed.
        ///
        /// Fails with `not_found` if no secret is kept under `placeholder`.
        bind(BindSecret) -> Binding = bind;
        /// Removes a binding. Those of the configuration stay.
        unbind(UnbindSecret) -> Unbound = unbind;
        /// Lists the kept secrets, the last used first, and the bindings in force; never a value.
        list(ListVault) -> VaultContents = list;
        /// Forgets the secrets and bindings of a session, or of the whole tenant.
        forget(ForgetSecrets) -> Forgotten = forget;
    }
}

/// The arguments of `vault.bind`: either `placeholder` or `kind`, and where it may go.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BindSecret {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session. Left out: all of the tenant.
    #[serde(default)]
    pub session: Option<String>,
    /// The secret, by its placeholder: `[REDACTED:github-pat:oqxnufca]`.
    #[serde(default)]
    pub placeholder: Option<String>,
    /// The secrets of a kind, or of a glob of kinds.
    #[serde(default)]
    pub kind: Option<String>,
    /// The tools that may get it, by name or glob. At least one.
    pub tools: Vec<String>,
    /// The hosts: exact names, `*.example.com` for all names that end so, or `*` for any. Every
    /// host that the call names must be one of them. Left out: only calls that name no host.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Globs of files in the workspace. Every file that the call writes must fit one of them. Left
    /// out: only calls that write no file.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The arguments, by path, with `*` for any one step: `headers.authorization`. Left out: all.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// True if only the first call may use it.
    #[serde(default)]
    pub once: bool,
}

/// The arguments of `vault.unbind`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnbindSecret {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The binding's id.
    pub id: String,
}

/// What `vault.unbind` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Unbound {
    /// False if there was no such binding.
    pub unbound: bool,
}

/// The arguments of `vault.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListVault {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Only secrets and bindings of this session.
    #[serde(default)]
    pub session: Option<String>,
    /// How many secrets at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The vault's secrets and bindings of a tenant.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct VaultContents {
    /// The kept secrets, the last used first.
    pub secrets: Vec<KeptSecret>,
    /// Where they may be put in. They may always be written back to their own files.
    pub bindings: Vec<Binding>,
}

/// The arguments of `vault.forget`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetSecrets {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session. Left out: all of the tenant, and its bindings for all sessions, too.
    #[serde(default)]
    pub session: Option<String>,
}

/// What `vault.forget` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Forgotten {
    /// How many secrets were forgotten.
    pub secrets: usize,
    /// How many bindings were removed.
    pub bindings: usize,
}

/// The vault, where it is on.
fn vault(runtime: &Runtime) -> Result<Arc<Vault>, Error> {
    runtime.system::<Vault>().ok_or_else(|| {
        let text =
            "the vault is off, so no secret is kept; set `vault.enabled` in the configuration";
        Error::new(Code::Conflict, text)
    })
}

fn check_owner(tenant: &str, session: Option<&str>) -> Result<(), Error> {
    check_key("tenant", tenant)?;
    session.map_or(Ok(()), |session| check_key("session", session))
}

async fn bind(runtime: &Runtime, args: BindSecret) -> Result<Binding, Error> {
    check_owner(&args.tenant, args.session.as_deref())?;
    let BindSecret { tenant, session, placeholder, kind, tools, hosts, paths, arguments, once } =
        args;
    let tenant = Some(tenant);
    let new =
        NewBinding { tenant, session, placeholder, kind, tools, hosts, paths, arguments, once };
    vault(runtime)?.bind(new)
}

async fn unbind(runtime: &Runtime, args: UnbindSecret) -> Result<Unbound, Error> {
    check_owner(&args.tenant, None)?;
    Ok(Unbound { unbound: vault(runtime)?.unbind(&args.tenant, &args.id) })
}

async fn list(runtime: &Runtime, args: ListVault) -> Result<VaultContents, Error> {
    check_limit(args.limit)?;
    let ListVault { tenant, session, limit } = args;
    check_owner(&tenant, session.as_deref())?;
    let vault = vault(runtime)?;
    let mut secrets = vault.kept(&tenant, session.as_deref());
    secrets.truncate(limit as usize);
    Ok(VaultContents { secrets, bindings: vault.bindings(&tenant, session.as_deref()) })
}

async fn forget(runtime: &Runtime, args: ForgetSecrets) -> Result<Forgotten, Error> {
    let ForgetSecrets { tenant, session } = args;
    check_owner(&tenant, session.as_deref())?;
    let (secrets, bindings) = vault(runtime)?.forget(&tenant, session.as_deref());
    Ok(Forgotten { secrets, bindings })
}
