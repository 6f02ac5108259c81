//! The variables that a command gets: an allow list of the host's, what the owner names, and nothing
//! that looks like a secret.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shell::REMOVED;

/// The `exec.environment` part of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnvironmentConfig {
    /// Additional variables of the host that commands get. A variable whose value looks like a
    /// secret is left out all the same: store a credential for it.
    pub inherit: Vec<String>,
    /// Variables that every command gets, with their values. Do not put secrets here.
    pub set: BTreeMap<String, String>,
}

/// Variables of the host that commands get where it has them: who and where one is, the language and the
/// terminal.
const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_COLLATE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TZ",
    "RUSTUP_TOOLCHAIN",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Variables of the host that say where a toolchain is. Commands get them, too.
pub(super) const TOOLCHAINS: &[&str] = &[
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "MAVEN_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_INSTALL",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "DOTNET_ROOT",
    "ANDROID_HOME",
];

/// What stands in for what the host does not have.
const DEFAULTS: &[(&str, &str)] =
    &[("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/tmp"), ("LANG", "C.UTF-8")];

/// Where in its temporary folder the caches are that a command may write: its home folder is read-only
/// to it.
const CACHES: &[(&str, &str)] =
    &[("TMPDIR", ""), ("XDG_CACHE_HOME", "/.cache"), ("npm_config_cache", "/.npm")];

/// The variables of a command.
pub(crate) type Variables = BTreeMap<String, String>;

/// The variables that every command gets. `is_secret` says whether a text holds a secret.
pub(crate) fn of_host(config: &EnvironmentConfig, is_secret: impl Fn(&str) -> bool) -> Variables {
    let own = |name: &str| env::var(name).ok().map(|value| (name.to_owned(), value));
    let default = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let mut variables: Variables = DEFAULTS.iter().map(default).collect();
    let asked = config.inherit.iter().map(String::as_str);
    let inherited = INHERITED.iter().chain(TOOLCHAINS).copied().chain(asked).filter_map(own);
    variables.extend(inherited.filter(|(name, value)| !is_secret(&format!("{name}={value}"))));
    variables.extend(config.set.clone());
    if let Some(path) = variables.get_mut("PATH") {
        *path = absolute(path);
    }
    variables
}

/// True if a variable is taken away from every command, whoever sets it.
pub(crate) fn is_kept_out(name: &str) -> bool {
    REMOVED.contains(&name)
}

/// The folders of a search path that are absolute: another one would be the agent's own folder.
fn absolute(path: &str) -> String {
    let folders: Vec<&str> = path.split(':').filter(|folder| folder.starts_with('/')).collect();
    folders.join(":")
}

/// Says where caches may be written, unless the owner has said so: in this temporary folder.
pub(crate) fn with_caches(variables: &mut Variables, config: &EnvironmentConfig, temp: &Path) {
    for (name, below) in CACHES {
        if !config.set.contains_key(*name) {
            variables.insert((*name).to_owned(), format!("{}{below}", temp.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_path_keeps_absolute_folders_only() {
        assert_eq!(absolute("/usr/bin:.::bin:/bin"), "/usr/bin:/bin");
    }

    #[test]
    fn nothing_that_looks_like_a_secret_is_inherited() {
        let config = EnvironmentConfig { inherit: vec!["USER".into()], ..Default::default() };
        let all = of_host(&config, |_| false);
        assert!(all["PATH"].starts_with('/'), "{all:?}");
        let none = of_host(&config, |text| text.starts_with("PATH=") || text.starts_with("HOME="));
        assert_eq!(none["HOME"], "/tmp");
        assert_eq!(none["PATH"], "/usr/local/bin:/usr/bin:/bin");
    }

    #[test]
    fn what_the_owner_sets_stands() {
        let set = [("TMPDIR".to_owned(), "/x".to_owned()), ("A".to_owned(), "b".to_owned())];
        let config = EnvironmentConfig { set: set.into(), ..Default::default() };
        let mut variables = of_host(&config, |_| true);
        with_caches(&mut variables, &config, Path::new("/tmp"));
        assert_eq!((&*variables["TMPDIR"], &*variables["A"]), ("/x", "b"));
        assert_eq!(variables["XDG_CACHE_HOME"], "/tmp/.cache");
    }
}
