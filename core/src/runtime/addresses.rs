//! The addresses and names of the machine that the runtime works on. Nobody else is asked: what a
//! service on the network would answer is not worth telling it.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use crate::error::{Code, Error};

/// Every way in which the addresses of the machine and its name are commonly written.
///
/// # Errors
/// `internal` if the system does not list its interfaces: what should be masked is not known then.
pub(super) fn of_machine() -> Result<BTreeSet<String>, Error> {
    let interfaces = if_addrs::get_if_addrs().map_err(|error| {
        let text = format!(
            "`scrub.server_addresses` is set, but the system does not list its interfaces: {error}"
        );
        Error::new(Code::Internal, text)
    })?;
    let addresses = interfaces.iter().map(if_addrs::Interface::ip).filter(is_revealing);
    let mut names: BTreeSet<String> = addresses.flat_map(writings).collect();
    names.extend(host_names());
    Ok(names)
}

/// False for addresses that every machine has, or that say nothing beyond the next switch.
fn is_revealing(address: &IpAddr) -> bool {
    let local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    !local && !address.is_loopback() && !address.is_unspecified()
}

/// As itself; an IPv4 address also as one number, and with dashes, as in names of cloud machines.
fn writings(address: IpAddr) -> Vec<String> {
    let v4 = |address: Ipv4Addr| {
        let dotted = address.to_string();
        vec![address.to_bits().to_string(), dotted.replace('.', "-"), dotted]
    };
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => v4(address),
            None => vec![address.to_string()],
        },
    }
}

/// The name of the machine, and its first part.
fn host_names() -> Vec<String> {
    let system = rustix::system::uname();
    let name = system.nodename().to_string_lossy().into_owned();
    let first = name.split('.').next().map(str::to_owned);
    let named = |name: &String| !name.is_empty();
    [Some(name), first].into_iter().flatten().filter(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_in_its_writings() {
        let written = |text: &str| writings(text.parse().unwrap());
        assert_eq!(written("10.1.2.3"), ["167838211", "10-1-2-3", "10.1.2.3"]);
        assert_eq!(written("::ffff:10.1.2.3"), written("10.1.2.3"));
        assert_eq!(written("2001:db8:0:0::7"), ["2001:db8::7"]);
    }

    #[test]
    fn what_every_machine_has_reveals_nothing() {
        for address in ["127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.3.4", "::1", "::", "fe80::7"]
        {
            assert!(!is_revealing(&address.parse().unwrap()), "{address}");
        }
        for address in ["10.1.2.3", "192.168.0.9", "203.0.113.7", "2001:db8::7"] {
            assert!(is_revealing(&address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn the_machine_has_a_name() {
        let names = of_machine().unwrap();
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        assert!(host.is_empty() || names.contains(&host), "{names:?}");
        assert!(!names.contains("127.0.0.1"));
    }
}
