//! What an owner permits a program of his own: the command of a custom tool, a script of a skill.
//!
//! A command of a model is held to what it was understood to do. A program of the owner's is held to
//! what he declares, whatever the profile is, and to nothing less: what it may reach stands in the
//! store, beside the program, where who reviews the one sees the other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::egress::Ways;
use crate::error::{Code, Error};
use crate::limits::echo;
use crate::shell::{Confinement, Env, Nested, Reach, Value, denied, place};

/// What an owner permits a program of his own. By default that is little: it reads what every command
/// reads, writes in the temporary folder of its session, and has no network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Permit {
    /// Its network: everything, none, or only these hosts. Default: none.
    pub network: NetworkPermit,
    /// Files and folders with secrets that it may read, such as `~/.kube`: absolute, relative to
    /// the home folder, or relative to the workspace.
    pub read: Vec<String>,
    /// Files and folders that it may write, with everything below: absolute, relative to the home
    /// folder, or relative to the workspace, which is `.`. They must exist.
    pub write: Vec<String>,
}

/// A permission for the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected `true`, `false`, or a list of hosts")]
pub enum NetworkPermit {
    /// All of it, or none.
    All(bool),
    /// These hosts, by name or IPv4 address, at the usual ports; `host:port` adds a port.
    Hosts(Vec<String>),
}

impl NetworkPermit {
    /// # Errors
    /// `invalid_argument` that names the host.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let NetworkPermit::Hosts(hosts) = self else { return Ok(()) };
        if hosts.len() > MOST {
            let why = format!("there are {} hosts; give at most {MOST}, or `true`", hosts.len());
            return Err(bad("network", &why));
        }
        for host in hosts {
            let (name, _) = host_and_port(host).map_err(|why| bad("network", &why))?;
            let ways = Ways::to(&BTreeSet::from([name.to_owned()]), &BTreeSet::new());
            ways.map_err(|host| {
                let shown = echo(&host);
                let why = format!(
                    "`{shown}` is no host; give names and IPv4 addresses without `http://` and path"
                );
                bad("network", &why)
            })?;
        }
        Ok(())
    }

    /// Where it leads.
    ///
    /// # Errors
    /// The host that is none.
    pub(crate) fn reach(&self) -> Result<Reach, String> {
        let hosts = match self {
            NetworkPermit::All(true) => return Ok(Reach::Any),
            NetworkPermit::Hosts(hosts) if !hosts.is_empty() => hosts,
            _ => return Ok(Reach::None),
        };
        let known = hosts.iter().map(|host| host_and_port(host));
        let known = known.collect::<Result<Vec<_>, String>>()?;
        let ports = known.iter().filter_map(|(_, port)| *port).collect();
        let hosts = known.into_iter().map(|(host, _)| host.to_owned()).collect();
        Ok(Reach::Hosts { hosts, ports })
    }
}

impl Default for NetworkPermit {
    fn default() -> NetworkPermit {
        NetworkPermit::All(false)
    }
}

/// The most paths, and the most hosts, of one permit.
const MOST: usize = 64;

impl Permit {
    /// Checks what can be checked without the machine.
    ///
    /// # Errors
    /// `invalid_argument` that names the key and the entry.
    pub fn check(&self) -> Result<(), Error> {
        for (key, paths) in [("read", &self.read), ("write", &self.write)] {
            if paths.len() > MOST {
                return Err(bad(
                    key,
                    &format!("there are {} paths; give at most {MOST}", paths.len()),
                ));
            }
            for path in paths {
                check_path(path).map_err(|why| bad(key, &why))?;
            }
        }
        self.network.check()
    }

    /// True if it gives any network.
    pub fn has_network(&self) -> bool {
        match &self.network {
            NetworkPermit::All(all) => *all,
            NetworkPermit::Hosts(hosts) => !hosts.is_empty(),
        }
    }

    /// What a program is held to that has this permit, for a caller with these folders. It looks at
    /// the disk: what may be written is bound as it is, and a link of the agent's must not move it.
    ///
    /// # Errors
    /// The entry that cannot be had, and why, in a sentence for whoever owns the program.
    pub(crate) fn confinement(&self, env: &Env) -> Result<Confinement, String> {
        let mut held = Confinement {
            write_never: place::guarded(env).into_iter().collect(),
            read_never: place::secrets(env).into_iter().collect(),
            by_owner: true,
            nested: Nested::unseen(env),
            ..Confinement::default()
        };
        held.read_never.extend(env.deny_paths.iter().cloned());
        for path in &self.write {
            let found = found(path, env).map_err(|why| format!("`write`: {why}"))?;
            let Some(found) = found else {
                return Err(format!("`write`: there is no `{path}`; it must be made first"));
            };
            // What guards an agent's own rules yields to nothing but its own name.
            held.write_never.retain(|guarded| !place::is_within(&found, guarded));
            held.nested.writes(&found);
            held.write.insert(found);
        }
        for path in &self.read {
            held.read.extend(found(path, env).map_err(|why| format!("`read`: {why}"))?);
        }
        held.network = self.network.reach()?;
        Ok(held)
    }
}

/// Where a path of a permit leads, absolute and without links. None if there is nothing.
///
/// # Errors
/// Why it cannot be had.
pub(crate) fn found(path: &str, env: &Env) -> Result<Option<String>, String> {
    let written = absolute(path, env)?;
    let real = match fs::canonicalize(&written) {
        Ok(real) => real.display().to_string(),
        Err(_) => return Ok(None),
    };
    let within = |path: &str| {
        env.workspace.iter().any(|root| {
            let real = fs::canonicalize(root).map(|root| root.display().to_string());
            place::is_within(path, root) || real.is_ok_and(|root| place::is_within(path, &root))
        })
    };
    if within(&written) && !within(&real) {
        return Err(format!("`{path}` is in the workspace, but a link leads out of it"));
    }
    if denied::is_denied(&Value::known(real.clone()), env) {
        return Err(format!("`{path}` is closed by `files.deny`"));
    }
    Ok(Some(real))
}

/// A path as it is written, absolute and without `..`.
fn absolute(path: &str, env: &Env) -> Result<String, String> {
    let whole = match path.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", env.home),
        None if path.starts_with('/') => path.to_owned(),
        None => match env.workspace.first().filter(|root| Path::new(root).is_dir()) {
            Some(root) => format!("{root}/{path}"),
            None => return Err(format!("`{path}` is of the workspace, and there is none")),
        },
    };
    Ok(place::normal(&whole, &Env::default()))
}

/// The two of `host:port`, which may be without the second.
fn host_and_port(text: &str) -> Result<(&str, Option<u16>), String> {
    match text.split_once(':') {
        None => Ok((text, None)),
        Some((host, port)) => match port.parse() {
            Ok(port) => Ok((host, Some(port))),
            Err(_) => Err(format!(
                "`{}` is no host; give names and IPv4 addresses without `http://` and path",
                echo(text)
            )),
        },
    }
}

fn check_path(path: &str) -> Result<(), String> {
    let shown = echo(path);
    if path.is_empty() {
        return Err("a path is empty; the workspace is `.`".into());
    }
    if path.contains('\0') || path.len() > 4_096 {
        return Err(format!("`{shown}` is no path"));
    }
    if path.starts_with('~') && path != "~" && !path.starts_with("~/") {
        return Err(format!("`{shown}`: only the own home folder is known, as `~/…`"));
    }
    if place::normal(path, &Env::default()) == "/" && path.starts_with('/') {
        return Err("`/` is everything; name the folders that it needs".into());
    }
    if path.split('/').any(|part| part == "..") {
        return Err(format!("`{shown}` has `..` in it; write where it leads"));
    }
    Ok(())
}

fn bad(key: &str, why: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("`{key}`: {why}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn permit(read: &[&str], write: &[&str]) -> Permit {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        Permit { read: owned(read), write: owned(write), ..Permit::default() }
    }

    #[test]
    fn what_is_no_path_or_host_is_named() {
        for (bad, key, word) in [
            (permit(&[""], &[]), "`read`", "empty"),
            (permit(&[], &["a/../b"]), "`write`", "`..`"),
            (permit(&[], &["/"]), "`write`", "everything"),
            (permit(&["~other/x"], &[]), "`read`", "home"),
            (permit(&[], &["a\0"]), "`write`", "no path"),
            (
                Permit {
                    network: NetworkPermit::Hosts(vec!["https://x/y".into()]),
                    ..Permit::default()
                },
                "`network`",
                "http://",
            ),
        ] {
            let error = bad.check().unwrap_err();
            assert!(error.message().contains(key), "{}", error.message());
            assert!(error.message().contains(word), "{}", error.message());
        }
        assert!(permit(&["~/.kube", "/etc/x"], &[".", "out/a"]).check().is_ok());
    }

    #[test]
    fn a_permit_gives_what_it_names_and_a_link_moves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::create_dir(root.join("out")).unwrap();
        symlink("/etc", root.join("away")).unwrap();
        let root = root.display().to_string();
        let env = Env { cwd: root.clone(), workspace: vec![root.clone()], ..Env::default() };
        let held = permit(&[], &["out"]).confinement(&env).unwrap();
        assert!(held.write.contains(&format!("{root}/out")) && !held.write.contains(&root));
        assert_eq!(held.network, Reach::None);
        let hooks = format!("{root}/.git/hooks");
        assert!(permit(&[], &["."]).confinement(&env).unwrap().write_never.contains(&hooks));
        let named = permit(&[], &[".git/hooks"]).confinement(&env).unwrap();
        assert!(!named.write_never.contains(&hooks));
        assert!(permit(&[], &["away"]).confinement(&env).unwrap_err().contains("link"));
        assert!(permit(&[], &["none"]).confinement(&env).unwrap_err().contains("made first"));
        let denying = Env { deny_paths: vec![format!("{root}/out")], ..env };
        assert!(permit(&["out"], &[]).confinement(&denying).unwrap_err().contains("files.deny"));
    }
}
