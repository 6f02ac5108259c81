//! Where a CLI may connect to: what its owner says, or else the one host that its credential is for, where
//! its variables name it.

use std::collections::BTreeSet;

use super::adapter::Adapter;
use super::definition::{Definition, Variables};
use super::surroundings::NoSurroundings;
use crate::policy::NetworkPermit;
use crate::shell::Reach;

/// Where a CLI with these variables may connect to. `in_container`: a network there is held to no hosts.
///
/// # Errors
/// Where the owner holds it to what it cannot be held to.
pub(super) fn reach(
    of: &Definition,
    variables: &Variables,
    in_container: bool,
) -> Result<Reach, NoSurroundings> {
    match &of.network {
        None if in_container => Ok(Reach::Any),
        None => Ok(own_host(of, variables).unwrap_or(Reach::Any)),
        Some(NetworkPermit::Hosts(hosts)) if in_container && !hosts.is_empty() => {
            Err(NoSurroundings::Other(
                "its owner holds it to some hosts (`network`), and its sandbox can hold it to none; \
                 `network = true` gives it all of `exec.sandbox.network`"
                    .into(),
            ))
        }
        Some(network) => network.reach().map_err(NoSurroundings::Other),
    }
}

/// The host that its credential is for. None where its variables name no such, or more than one.
fn own_host(of: &Definition, variables: &Variables) -> Option<Reach> {
    let value = |name: &str| {
        let one = variables.get(name).map(|one| one.value.trim());
        one.filter(|value| !value.is_empty())
    };
    let (host, port) = match of.preset()?.adapter {
        Adapter::Git => {
            let host = value("GIT_HOST")?;
            host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)))
        }
        Adapter::Psql => (value("PGHOST")?, value("PGPORT")),
        Adapter::None | Adapter::Gh => return None,
    };
    let ports: BTreeSet<u16> = match port {
        Some(port) => BTreeSet::from([port.parse().ok()?]),
        None => BTreeSet::new(),
    };
    // A folder of sockets, or a list, is no host.
    let network = NetworkPermit::Hosts(vec![host.to_owned()]);
    network.check().ok()?;
    Some(Reach::Hosts { hosts: BTreeSet::from([host.to_owned()]), ports })
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::super::definition::{Variable, VariableKind};
    use super::*;

    fn reached(
        preset: &str,
        network: Option<NetworkPermit>,
        given: &[(&str, &str)],
        in_container: bool,
    ) -> Result<Reach, NoSurroundings> {
        let preset = Some(preset.to_owned());
        let of = Definition { preset, network, ..Definition::default() };
        let variable = |value: &str| {
            let value = Zeroizing::new(value.to_owned());
            Variable { kind: VariableKind::Value, value }
        };
        let variables =
            given.iter().map(|(name, value)| ((*name).to_owned(), variable(value))).collect();
        reach(&of, &variables, in_container)
    }

    fn hosts(host: &str, ports: &[u16]) -> Reach {
        Reach::Hosts { hosts: [host.to_owned()].into(), ports: ports.iter().copied().collect() }
    }

    #[test]
    fn a_credential_for_one_host_leads_to_that_host() {
        for (preset, given, wanted) in [
            ("git", &[("GIT_HOST", "git.example.com")][..], hosts("git.example.com", &[])),
            ("git", &[("GIT_HOST", "git.example.com:8443 ")], hosts("git.example.com", &[8443])),
            ("psql", &[("PGHOST", "10.0.0.7"), ("PGPORT", "6432")], hosts("10.0.0.7", &[6432])),
            ("psql", &[("PGHOST", "/run/postgresql")], Reach::Any),
            ("psql", &[("PGHOST", "a.example,b.example")], Reach::Any),
            ("psql", &[("PGHOST", "a.example"), ("PGPORT", "x")], Reach::Any),
            ("git", &[("GIT_HOST", " ")], Reach::Any),
            ("gh", &[("GH_HOST", "github.example.com")], Reach::Any),
        ] {
            assert_eq!(reached(preset, None, given, false).unwrap(), wanted, "{preset} {given:?}");
            assert_eq!(reached(preset, None, given, true).unwrap(), Reach::Any);
        }
    }

    #[test]
    fn what_the_owner_says_comes_before_that() {
        let given = [("PGHOST", "db.example")];
        let said = |network| reached("psql", Some(network), &given, false).unwrap();
        assert_eq!(said(NetworkPermit::All(true)), Reach::Any);
        assert_eq!(said(NetworkPermit::All(false)), Reach::None);
        let other = NetworkPermit::Hosts(vec!["other.example:7000".into()]);
        assert_eq!(said(other.clone()), hosts("other.example", &[7000]));
        let refused = reached("psql", Some(other), &given, true).unwrap_err();
        assert!(matches!(refused, NoSurroundings::Other(why) if why.contains("`network = true`")));
    }
}
