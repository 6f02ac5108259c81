//! The `vault` part of the configuration.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::binding::{Compiled, NewBinding};
use crate::error::{Code, Error};
use crate::scrub::Profile;

/// The `vault` part of the configuration: whether masked secrets are kept, so that they can be put
/// in where they are bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VaultConfig {
    /// True: secrets are kept, in memory. Not possible with the profile `seed`, whose placeholders
    /// are all the same.
    pub enabled: bool,
    /// How long a secret is kept after it was last shown or used, in milliseconds. Default: four
    /// hours.
    #[schemars(range(min = 1))]
    pub ttl_ms: u64,
    /// The most secrets that are kept for one session; the least recently used goes first.
    #[schemars(range(min = 1))]
    pub max_entries: usize,
    /// Tools, by name or glob, for which a placeholder in the arguments is plain text: those that
    /// pass a text on to another agent or to the user.
    pub text_tools: Vec<String>,
    /// Where secrets may be put in, for all tenants and sessions.
    pub bindings: Vec<BindingConfig>,
}

/// Where the secrets of a kind may be put in. A field that is left out is no limit, with two
/// exceptions: every host that a call names must be in `hosts`, and every file that it writes in
/// `paths`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BindingConfig {
    /// The kind, or a glob of kinds: `github-pat`.
    pub kind: String,
    /// The tools, by name or glob. At least one.
    pub tools: Vec<String>,
    /// The hosts: exact names, `*.example.com` for all names that end so, or `*` for any. Every
    /// host that the call names must be one of them. A host is reached over `https` and port 443;
    /// `http://host`, `host:8443` and `host:*` allow another scheme or port.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Globs of files in the workspace. Every file that the call writes must fit one of them.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The arguments, by path, with `*` for any one step: `headers.authorization`, `items[*].key`.
    /// Letter case does not matter.
    #[serde(default)]
    pub arguments: Vec<String>,
}

impl Default for VaultConfig {
    fn default() -> VaultConfig {
        VaultConfig {
            enabled: false,
            ttl_ms: 4 * 60 * 60 * 1000,
            max_entries: 1_000,
            text_tools: Vec::new(),
            bindings: Vec::new(),
        }
    }
}

impl VaultConfig {
    /// What the types alone cannot say: the key within the part, and why its value cannot be.
    pub(crate) fn check(&self, profile: Profile) -> Result<(), (&'static str, String)> {
        if self.ttl_ms < 1 {
            return Err(("ttl_ms", "0 is too small, the least is 1".into()));
        }
        if self.max_entries < 1 {
            return Err(("max_entries", "0 is too small, the least is 1".into()));
        }
        if self.enabled && profile == Profile::Seed {
            let why = "the placeholders of the profile `seed` are all alike, so none can be told \
                       from another; set `scrub.profile` to `precise`, or switch the vault off";
            return Err(("enabled", why.into()));
        }
        Ok(())
    }

    /// The bindings, ready for use.
    pub(super) fn compiled(&self) -> Result<Vec<Arc<Compiled>>, Error> {
        let compile = |(index, given): (usize, &BindingConfig)| {
            let BindingConfig { kind, tools, hosts, paths, arguments } = given.clone();
            let new = NewBinding {
                kind: Some(kind),
                tools,
                hosts,
                paths,
                arguments,
                ..NewBinding::default()
            };
            let place = format!("configuration: `vault.bindings[{index}]`: ");
            let id = format!("vault.bindings[{index}]");
            Compiled::new(id, new, Code::InvalidConfig, &place).map(Arc::new)
        };
        self.bindings.iter().enumerate().map(compile).collect()
    }
}
