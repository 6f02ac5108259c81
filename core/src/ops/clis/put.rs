//! `clis.put`: what is given becomes what is stored.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::super::guarded::Guarded;
use super::{CliInfo, PutCli, checked_name, described, refuse};
use crate::clis::{
    self, CREDENTIAL_KIND, Definition, Registered, Variable, VariableKind, Variables,
};
use crate::error::{Code, Error};
use crate::limits::echo;
use crate::runtime::Runtime;
use crate::scrub::Values;
use crate::store::{self, Credential, CredentialKey, Kind};

/// How often a change that keeps variables is tried when others change the CLI meanwhile.
const TRIES: usize = 64;

pub(super) async fn put(runtime: &Runtime, args: PutCli) -> Result<CliInfo, Error> {
    let name = checked_name(&args.binary_name)?;
    let key = clis::key(&args.tenant, &name);
    let (if_version, given) = (args.if_version, args.encrypted_env.clone());
    let mut definition = defined(args)?;
    definition.check().map_err(refuse)?;
    let given = given.map(|given| clis::variables(&given.0, definition.preset())).transpose();
    let given = given.map_err(refuse)?;
    let mut warnings = pinned(runtime, &name, &mut definition).await?;
    let mut tries = 0;
    loop {
        tries += 1;
        let stored = runtime.store().get_credential(&key).await?;
        let version = stored.as_ref().map_or(0, |stored| stored.info.version);
        if let Some(wanted) = if_version.filter(|wanted| *wanted != version) {
            let text = format!(
                "CLI `{name}` has version {version} and not {wanted} (0 is none); get it again and \
                 decide anew"
            );
            return Err(Error::new(Code::Conflict, text));
        }
        let variables = completed(runtime, stored.as_ref(), given.as_ref())?;
        definition.variables = clis::kinds_of(&variables);
        let value = sealed(runtime, &key, &variables)?;
        let settings = serde_json::to_value(&definition)
            .map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let credential = store::PutCredential {
            key: key.clone(),
            kind: CREDENTIAL_KIND.into(),
            host_scope: String::new(),
            settings,
            value,
            if_version: Some(version),
        };
        let writing = runtime.writing(&key.tenant);
        match writing.put_credential(credential, runtime.clock().now_ms()).await {
            Err(error)
                if error.kind() == Kind::Conflict && if_version.is_none() && tries < TRIES => {}
            Err(error) => return Err(error.into()),
            Ok(info) => {
                warnings.extend(unguarded(&variables));
                hold(runtime, &key, &variables);
                let mut info = described(Registered::of(info), &key)?;
                info.warnings = warnings;
                return Ok(info);
            }
        }
    }
}

fn defined(args: PutCli) -> Result<Definition, Error> {
    let adapter = args.adapter_name.filter(|name| !name.trim().is_empty() && name != "passthrough");
    if let Some(name) = adapter.as_deref().filter(|name| clis::preset(name).is_none()) {
        return Err(refuse(format!("`adapter_name`: there is none named `{}`", echo(name))));
    }
    let preset = args.preset.filter(|name| !name.trim().is_empty()).or(adapter);
    let preset = preset.map(|name| name.trim().to_ascii_lowercase());
    let known = preset.as_deref().and_then(clis::preset);
    let timeout_seconds = args.timeout_seconds.or(known.map(|preset| preset.timeout_seconds));
    Ok(Definition {
        binary_path: args.binary_path.filter(|path| !path.is_empty()),
        description: args.description,
        preset,
        variables: BTreeMap::new(),
        deny_args: args.deny_args,
        deny_verbose: args.deny_verbose,
        free_text: args.free_text,
        network: args.network,
        timeout_seconds: timeout_seconds.unwrap_or(clis::DEFAULT_TIMEOUT_SECONDS),
        tips: args.tips,
        is_global: args.is_global,
        enabled: args.enabled,
        binary: None,
    })
}

/// Looks at the binary and keeps what it is. That there is none yet is a warning.
async fn pinned(
    runtime: &Runtime,
    name: &str,
    definition: &mut Definition,
) -> Result<Vec<String>, Error> {
    let workspace = runtime.config().workspace.clone();
    let clis = runtime.path().shell.clis.clone();
    let (name, given) = (name.to_owned(), definition.binary_path.clone());
    let looking = tokio::task::spawn_blocking(move || {
        let is_there = match &given {
            Some(path) => std::path::Path::new(path).exists(),
            None => clis::found(&name).is_some(),
        };
        let mut folders = clis::temp_folders();
        folders.extend(workspace.and_then(|path| std::path::Path::new(&path).canonicalize().ok()));
        let verified = clis::verify(&name, given.as_deref(), &folders, clis.digests());
        (is_there, verified)
    });
    let (is_there, verified) =
        looking.await.map_err(|error| Error::new(Code::Internal, error.to_string()))?;
    match verified {
        Ok(verified) => {
            definition.binary = Some(verified.pinned);
            Ok(Vec::new())
        }
        Err(why) if is_there => Err(refuse(format!("`binary_path`: {why}"))),
        Err(why) => Ok(vec![format!("{why}; register the CLI anew once it is there")]),
    }
}

/// The variables that are to be stored: those given, and the stored ones that are to stay.
fn completed(
    runtime: &Runtime,
    stored: Option<&Credential>,
    given: Option<&Variables>,
) -> Result<Variables, Error> {
    let keeps = |one: &Variable| one.kind != VariableKind::Value && one.value.is_empty();
    let needs_stored = given.is_none_or(|given| given.values().any(keeps));
    let mut kept = Variables::new();
    if let Some(stored) = stored.filter(|_| needs_stored)
        && let Some(Registered { definition: Ok(definition), info, .. }) =
            Registered::of(stored.info.clone())
    {
        let opened = info.key.place(|place| runtime.keys()?.open(place, &stored.value))?;
        kept = clis::opened(&opened, &definition)
            .map_err(|why| Error::new(Code::SecretUnreadable, why))?;
    }
    let Some(given) = given else { return Ok(kept) };
    let one = |(name, one): (&String, &Variable)| {
        let old = kept.remove(name).filter(|_| keeps(one));
        let value = old.map_or_else(|| one.value.clone(), |old| old.value);
        (name.clone(), Variable { kind: one.kind, value })
    };
    Ok(given.iter().map(one).collect())
}

fn sealed(runtime: &Runtime, key: &CredentialKey, variables: &Variables) -> Result<Vec<u8>, Error> {
    let texts: BTreeMap<&str, &str> =
        variables.iter().map(|(name, one)| (name.as_str(), one.value.as_str())).collect();
    // Room for a text of which JSON escapes every character: growing would leave copies behind.
    let most = texts.iter().map(|(name, value)| name.len() + 6 * value.len() + 6).sum::<usize>();
    let mut text = Zeroizing::new(Vec::with_capacity(most + 2));
    serde_json::to_writer(&mut *text, &texts)
        .map_err(|_| refuse("`encrypted_env` cannot be written as JSON"))?;
    let keys = runtime.keys()?;
    Ok(key.place(|place| keys.seal(place, &text))?)
}

/// The variables whose values no text can be searched for.
fn unguarded(variables: &Variables) -> Vec<String> {
    let secret = variables.iter().filter(|(_, one)| one.kind == VariableKind::Sensitive);
    let warn = |(name, one): (&String, &Variable)| {
        let added = Values::new().add(&one.value, None);
        let why = match added {
            Err(error) if !one.value.is_empty() => error.to_string(),
            Ok(added) => added.warning?.to_string(),
            Err(_) => return None,
        };
        Some(format!("`encrypted_env.{name}`: {why}"))
    };
    secret.filter_map(warn).collect()
}

fn hold(runtime: &Runtime, key: &CredentialKey, variables: &Variables) {
    let secret = variables.iter().filter(|(_, one)| one.kind != VariableKind::Value);
    let texts: BTreeMap<String, SecretString> =
        secret.map(|(name, one)| (name.clone(), SecretString::from(one.value.as_str()))).collect();
    debug_assert!(texts.values().all(|text| !text.expose_secret().contains('\0')));
    Guarded::env(&texts).with_parts(clis::parts).hold(runtime, &key.tenant, key);
}
