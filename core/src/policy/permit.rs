//! What an owner permits a program of his own: the command of a custom tool, a script of a skill.
//!
//! A model's command is confined to what it was understood to do. A program of the owner's is confined
//! to what the owner declares in a [`Permit`], whatever the profile is. The permit is stored beside the
//! program, so that whoever reviews the program sees what it may reach.
//!
//! This file holds the permit itself and the checks that need no machine. What a permit comes to for one
//! caller, with the folders and links that are really there, is worked out in `exec/permitted.rs`.

use std::net::{IpAddr, Ipv4Addr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Code, Error};
use crate::limits::echo;
use crate::shell::{Env, place};

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
            let name = Host::normal(name);
            if Host::of(&name).is_none() {
                let shown = echo(&name);
                let why = format!(
                    "`{shown}` is no host; give names and IPv4 addresses without `http://` and path"
                );
                return Err(bad("network", &why));
            }
        }
        Ok(())
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
}

/// A host that a command may be let through to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// An IPv4 address.
    Address(Ipv4Addr),
    /// A name of the machine that says it: `localhost` and what ends with `.localhost`.
    Localhost,
    /// Any other name.
    Name,
}

impl Host {
    /// What a host is, in lower case and without a dot at its end. `None` for an IPv6 address and for
    /// what is no name.
    pub(crate) fn of(host: &str) -> Option<Host> {
        match host.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => Some(Host::Address(address)),
            Ok(IpAddr::V6(_)) => None,
            Err(_) if is_localhost(host) => Some(Host::Localhost),
            Err(_) => is_name(host).then_some(Host::Name),
        }
    }

    /// A host as it is compared and looked up: in lower case, without dots at its end.
    pub(crate) fn normal(host: &str) -> String {
        host.trim_end_matches('.').to_ascii_lowercase()
    }
}

/// True for the names by which every machine calls itself.
pub(crate) fn is_localhost(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
}

fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !label.is_empty() && label.len() <= 63 && label.bytes().all(is_plain)
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

/// The two of `host:port`, which may be without the second.
pub(crate) fn host_and_port(text: &str) -> Result<(&str, Option<u16>), String> {
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
}
