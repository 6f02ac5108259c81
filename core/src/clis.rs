//! Credentialed CLIs: the owner's programs that an agent may call with credentials that it never sees.
//!
//! A CLI is registered with its binary, its sealed variables and what is denied of it. It is called with
//! its arguments and without a shell, by `credentialed_exec` or as the whole command of `exec`.
//!
//! The invariant: a credential is only ever in the environment or in the private files of the verified
//! binary. So a call that is only a part of a command is refused, commands do not see the file of the
//! binary, and what the program writes is masked.
//!
//! # The way of a call
//!
//! 1. `gate` finds the calls of CLIs in a command that was analysed.
//! 2. `definition` is what the owner says of the CLI, and `presets` what is known of the program.
//! 3. `arguments` reads the words of the call, and `rules` checks them against what is denied
//!    (`patterns`). `sql` reads what psql is given, `repository` the settings that git would find.
//! 4. `binary` finds, verifies and opens the program, `surroundings` makes its variables and private files
//!    (`adapter`, `parts`), and `reach` says which hosts it may connect to.
//! 5. `run` checks everything once more and prepares the run.
//!
//! `supplement` describes to a model which CLIs there are.

mod adapter;
mod arguments;
mod binary;
mod definition;
mod gate;
mod parts;
mod patterns;
mod presets;
mod reach;
mod repository;
mod rules;
mod run;
mod sql;
mod supplement;
mod surroundings;

pub use binary::PinnedBinary;
pub use definition::{Definition, VariableKind};
pub use presets::PresetInfo;

pub(crate) use binary::{Digests, Verified, found, temp_folders, verify};
pub(crate) use definition::{
    DEFAULT_TIMEOUT_SECONDS, Variable, Variables, kinds_of, opened, variables,
};
pub(crate) use gate::{Called, Known, look};
pub(crate) use parts::parts;
pub(crate) use presets::{all as presets, preset};
pub(crate) use run::{Prepared, Program, Room};
pub(crate) use supplement::{NAME as TOOLS_FILE, supplement};
pub(crate) use surroundings::Surroundings;

use definition::Overrides;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::error::{Code, Error};
use crate::secret::KeyRing;
use crate::store::{CredentialInfo, CredentialKey, Grant, GrantEffect, Store};
use crate::tool::{Caller, ToolError};

/// The kind of the grants that are about CLIs.
pub(crate) const GRANT_KIND: &str = "cli";

/// The kind of the credential that holds a CLI: its settings are the definition, its value the
/// variables.
pub(crate) const CREDENTIAL_KIND: &str = "cli";

/// What the names of these credentials begin with. A credential of the CLI's own name is an agent's
/// or a user's, and lies on top.
pub(crate) const PREFIX: &str = "cli/";

/// How many CLIs are read at once.
const PAGE: u32 = 500;

/// The CLIs of a runtime.
pub(crate) struct Clis {
    store: Arc<dyn Store>,
    keys: Option<Arc<KeyRing>>,
    digests: Digests,
}

/// A CLI as it is registered.
#[derive(Clone, Debug)]
pub(crate) struct Registered {
    /// Its name, in small letters.
    pub name: String,
    /// What was said of it; or why that cannot be read.
    pub definition: Result<Definition, String>,
    /// The row of the store.
    pub info: CredentialInfo,
}

/// A CLI that a caller may use, as he may use it.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    /// Its name.
    pub name: String,
    /// What holds for this caller.
    pub definition: Definition,
    /// What holds for those above him, where it is something else: a call must be open to all of them.
    pub above: Vec<Definition>,
}

/// The key of the credential that holds a CLI.
pub(crate) fn key(tenant: &str, name: &str) -> CredentialKey {
    CredentialKey {
        tenant: tenant.to_owned(),
        name: format!("{PREFIX}{name}"),
        agent: None,
        user: None,
    }
}

impl Registered {
    /// A CLI as the store holds it. None for any other credential.
    pub(crate) fn of(info: CredentialInfo) -> Option<Registered> {
        let name = info.key.name.strip_prefix(PREFIX)?.to_owned();
        let is_one = info.key.agent.is_none() && info.key.user.is_none();
        let definition = match info.kind.as_str() {
            CREDENTIAL_KIND => Definition::stored(&info.settings),
            _ => Err("it is no CLI".to_owned()),
        };
        is_one.then_some(Registered { name, definition, info })
    }

    /// True if it is switched on. One that cannot be read is: its name stays guarded.
    pub(crate) fn is_enabled(&self) -> bool {
        self.definition.as_ref().map_or(true, |definition| definition.enabled)
    }

    fn known(&self) -> Known {
        let definition = self.definition.as_ref().ok();
        let given = definition.and_then(|one| one.binary_path.as_deref()).map(PathBuf::from);
        let path =
            given.or_else(|| binary::found(&self.name)).and_then(|path| path.canonicalize().ok());
        Known::new(&self.name, path)
    }
}

impl Clis {
    pub(crate) fn new(store: Arc<dyn Store>, keys: Option<Arc<KeyRing>>) -> Clis {
        Clis { store, keys, digests: Digests::default() }
    }

    pub(crate) fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Every CLI of a tenant, by name.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn all(&self, tenant: &str) -> Result<Vec<Registered>, Error> {
        let mut all = Vec::new();
        // Nothing sorts between the prefix and the names that begin with it.
        let mut after = CredentialKey {
            tenant: tenant.to_owned(),
            name: PREFIX.to_owned(),
            agent: None,
            user: None,
        };
        loop {
            let page = self.store.list_credentials(tenant, Some(&after), PAGE).await?;
            let Some(last) = page.last() else { return Ok(all) };
            after = last.key.clone();
            let is_last = !after.name.starts_with(PREFIX) || page.len() < PAGE as usize;
            all.extend(page.into_iter().filter_map(Registered::of));
            if is_last {
                return Ok(all);
            }
        }
    }

    /// The CLIs of a tenant that are switched on.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn enabled(&self, tenant: &str) -> Result<Vec<Registered>, Error> {
        let mut all = self.all(tenant).await?;
        all.retain(Registered::is_enabled);
        Ok(all)
    }

    /// A CLI as a caller may use it, and all that stand above him.
    ///
    /// # Errors
    /// Why he may not, for the model; the store's errors refuse, too.
    pub(crate) async fn granted(
        &self,
        caller: &Caller,
        cli: &Registered,
    ) -> Result<Granted, ToolError> {
        let registered = cli.definition.as_ref().map_err(|why| {
            let text = format!(
                "The CLI `{}` cannot be used: what is stored of it cannot be read: {why}. Tell the \
                 user; the owner registers it anew.",
                cli.name
            );
            ToolError::new(Code::Unavailable, text).by_rule("cli.unreadable")
        })?;
        let mut definition = self.definition_for(caller, cli, registered).await?;
        let mut above: Vec<Definition> = Vec::new();
        for one in std::iter::successors(caller.parent.as_deref(), |one| one.parent.as_deref()) {
            let theirs = self.definition_for(one, cli, registered).await?;
            definition.timeout_seconds = definition.timeout_seconds.min(theirs.timeout_seconds);
            if !theirs.denies_as(&definition) && !above.iter().any(|one| theirs.denies_as(one)) {
                above.push(theirs);
            }
        }
        Ok(Granted { name: cli.name.clone(), definition, above })
    }

    /// What holds for one caller, whoever stands above him.
    async fn definition_for(
        &self,
        caller: &Caller,
        cli: &Registered,
        registered: &Definition,
    ) -> Result<Definition, ToolError> {
        let grant = self.grant(caller, &cli.name).await.map_err(|error| {
            let text = format!(
                "The CLI `{}` has not run: whether it may be used could not be told: {error}.",
                cli.name
            );
            ToolError::new(Code::Unavailable, text).by_rule("cli.grant")
        })?;
        let mut definition = registered.clone();
        let allowed = match &grant {
            Some(grant) => grant.effect == GrantEffect::Allow,
            None => definition.is_global,
        };
        if !allowed {
            return Err(not_granted(&cli.name));
        }
        if let Some(grant) = grant {
            let overrides = Overrides::of(&grant.settings).map_err(|why| {
                let text = format!(
                    "The CLI `{}` cannot be used: its grant cannot be read: {why}. Tell the user.",
                    cli.name
                );
                ToolError::new(Code::Unavailable, text).by_rule("cli.unreadable")
            })?;
            overrides.apply(&mut definition);
        }
        Ok(definition)
    }

    async fn grant(&self, caller: &Caller, name: &str) -> Result<Option<Grant>, Error> {
        let (agent, user) = (caller.agent.as_deref(), caller.user.as_deref());
        let grants = self.store.grants_for(&caller.tenant, GRANT_KIND, name, agent, user).await?;
        Ok(grants.into_iter().next())
    }

    /// What the gate must know of these CLIs; blocking: it looks for their binaries.
    pub(crate) fn known(clis: &[Registered]) -> Vec<Known> {
        clis.iter().map(Registered::known).collect()
    }

    /// The variables of a CLI for a caller: its own, with the credentials of its name on top: those
    /// for everybody, for the agent, for the user, for this user of this agent.
    ///
    /// # Errors
    /// Where one is there and cannot be opened.
    pub(crate) async fn opened(&self, caller: &Caller, cli: &Granted) -> Result<Variables, Error> {
        let definition = &cli.definition;
        let mut all = self.layer(&key(&caller.tenant, &cli.name), definition).await?;
        let (agent, user) = (&caller.agent, &caller.user);
        let mut places = vec![(None, None)];
        places.extend(agent.as_ref().map(|agent| (Some(agent.clone()), None)));
        places.extend(user.as_ref().map(|user| (None, Some(user.clone()))));
        if let (Some(agent), Some(user)) = (agent, user) {
            places.push((Some(agent.clone()), Some(user.clone())));
        }
        for (agent, user) in places {
            let tenant = caller.tenant.clone();
            let key = CredentialKey { tenant, name: cli.name.clone(), agent, user };
            all.extend(self.layer(&key, definition).await?);
        }
        Ok(all)
    }

    async fn layer(&self, key: &CredentialKey, of: &Definition) -> Result<Variables, Error> {
        let Some(credential) = self.store.get_credential(key).await? else {
            return Ok(Variables::new());
        };
        if credential.info.kind != CREDENTIAL_KIND && credential.info.kind != "env" {
            return Ok(Variables::new());
        }
        let keys = self.keys.as_ref().ok_or(crate::secret::Error::NoKey)?;
        let opened = key.place(|place| keys.open(place, &credential.value))?;
        definition::opened(&opened, of).map_err(|why| {
            let text = format!("credential `{}`: {why}; store it anew", key.name);
            Error::new(Code::SecretUnreadable, text)
        })
    }
}

/// The refusal of a CLI that was not granted.
pub(crate) fn not_granted(name: &str) -> ToolError {
    let text = format!(
        "`{name}` is a credentialed CLI that you have no grant for, so it has not run and will not, \
         however it is called. Do it another way, or tell the user: the owner grants it with \
         `grants.put` of the kind `{GRANT_KIND}`."
    );
    ToolError::new(Code::AccessDenied, text).by_rule("cli.grant")
}

/// The settings that a grant may have: what is checked when one is stored.
///
/// # Errors
/// What is wrong, naming the key.
pub(crate) fn check_overrides(settings: &Value) -> Result<(), String> {
    Overrides::of(settings).map(drop)
}
