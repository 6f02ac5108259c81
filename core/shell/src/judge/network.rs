//! The network: which machine is reached, by which program, and what is sent there.
//!
//! Programs differ by what they are for. A connector joins anything to anything, and a login runs
//! what it likes on the other side. A client speaks the protocol of its own service, and a fetcher
//! goes where the command says: services of this machine and the metadata service of a cloud are
//! dangers only for a fetcher. Where none of these objects, what is sent decides: nothing, a text,
//! a file, or what another program wrote.

use super::groups::Danger;
use super::{Case, reach};
use crate::effect::{CodeFrom, Effect, Found, Payload};
use crate::invocation::program_name;
use crate::settings::{Group, Profile};
use crate::value::Value;

/// Programs that are nothing but a connection.
const CONNECTORS: &[&str] = &[
    "nc", "ncat", "netcat", "nc.openbsd", "nc.traditional", "socat", "telnet", "cryptcat",
    "openssl",
];

/// True for a program that is nothing but a connection.
pub(super) fn is_connector(program: &str) -> bool {
    CONNECTORS.contains(&program)
}

/// True for the client of a service, which goes where its own settings say.
pub(super) fn is_client(program: &str) -> bool {
    CLIENTS.contains(&program)
}

/// Programs that speak the protocol of their own service.
const CLIENTS: &[&str] = &[
    "git", "gh", "glab", "hub", "docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc",
    "helm", "npm", "pnpm", "yarn", "bun", "cargo", "go", "gem", "bundle", "composer", "mvn",
    "gradle", "dotnet", "twine", "poetry", "flit", "hatch", "uv", "pip", "pip3", "mix", "dart",
    "flutter", "swift", "aws", "gcloud", "gsutil", "az", "terraform", "tofu", "pulumi", "vercel",
    "netlify", "heroku", "fly", "flyctl", "wrangler", "firebase", "serverless", "sls", "sam",
    "cdk", "eb", "doctl", "supabase",
];

/// Programs that log in to other machines.
const LOGINS: &[&str] =
    &["ssh", "scp", "sftp", "sshuttle", "autossh", "mosh", "slogin", "rsh", "rlogin", "rexec"];

/// Programs that fetch from addresses that they are given.
const FETCHERS: &[&str] = &[
    "curl", "wget", "wget2", "http", "https", "xh", "xhs", "curlie", "aria2c", "axel", "lynx",
    "links", "elinks", "w3m", "httpie", "lwp-request", "GET", "POST", "fetch", "lftp", "ab", "hey",
    "wrk",
];

/// Programs that ask for names.
const RESOLVERS: &[&str] =
    &["dig", "nslookup", "host", "drill", "kdig", "delv", "resolvectl", "dog", "doggo", "q"];

/// What the groups say of reaching another machine.
pub(super) fn check_effect(
    case: &Case<'_>,
    found: &Found,
    host: &Value,
    sends: &Payload,
) -> Option<Danger> {
    let program = program_name(&found.program);
    let is_strict = case.settings.profile == Profile::Strict;
    if CONNECTORS.contains(&program) {
        return Some(
            Danger::denied(Group::ReverseShell, "It opens a raw connection.")
                .instead("Use the client of the protocol that you need, such as `curl` for HTTP."),
        );
    }
    if found.by.is_none() {
        return Some(Danger::denied(
            Group::DataExfiltration,
            "The shell itself opens a connection.",
        ));
    }
    if LOGINS.contains(&program) {
        return Some(
            Danger::denied(Group::NetworkRecon, "It logs in to another machine.")
                .asked(!is_strict)
                .instead("Work on this machine, or ask the user to do this step."),
        );
    }
    if RESOLVERS.contains(&program) {
        return Some(
            Danger::denied(
                Group::DataExfiltration,
                "It asks a name server, by which data can be sent out.",
            )
            .asked(!is_strict)
            .instead("Use `getent hosts NAME`."),
        );
    }
    let inline = reach::call(case, found).is_some_and(|_| {
        case.analysis.found.iter().any(|other| {
            other.by == found.by
                && matches!(other.effect, Effect::Code { from: CodeFrom::Inline(_) })
        })
    });
    if inline {
        return Some(
            Danger::denied(Group::ReverseShell, "Code in the command opens a connection.")
                .instead("Use `curl` for HTTP, or put the code into a file and run that."),
        );
    }
    if FETCHERS.contains(&program)
        && let Some(danger) = of_this_machine(host, is_strict)
    {
        return Some(danger);
    }
    let is_text = matches!(sends, Payload::Text);
    sent(sends, is_client(program) || is_text && !is_strict)
}

/// What the groups say of fetching from this machine, or from what rules it.
fn of_this_machine(host: &Value, is_strict: bool) -> Option<Danger> {
    match address(host) {
        Address::Metadata => Some(
            Danger::denied(
                Group::DataExfiltration,
                "It asks the machine's own cloud for its credentials.",
            )
            .instead("Ask the user for what you need to know."),
        ),
        Address::Loopback => Some(
            Danger::denied(
                Group::DataExfiltration,
                "It reaches a service of this machine, which may trust whoever is here.",
            )
            .asked(!is_strict)
            .instead("Reach the service by its public name, or ask the user."),
        ),
        Address::Other => None,
    }
}

/// The danger of what is sent.
fn sent(sends: &Payload, is_asked: bool) -> Option<Danger> {
    let what = match sends {
        Payload::None => return None,
        Payload::Text => "data",
        Payload::File(_) => "a file",
        Payload::Stdin => "what another program wrote",
    };
    Some(
        Danger::denied(Group::DataExfiltration, format!("It sends {what} to another machine."))
            .asked(is_asked)
            .instead("Ask the user to send it, or use a tool that is made for that service."),
    )
}

/// Whose machine a host is.
enum Address {
    /// The service of a cloud that hands out credentials.
    Metadata,
    /// This machine.
    Loopback,
    /// Any other, or not known.
    Other,
}

/// Whose machine a host is, in all spellings of its address.
fn address(host: &Value) -> Address {
    let Some(all) = host.possible() else { return Address::Other };
    let mut loopback = false;
    for host in all {
        let name = host.trim_start_matches('[').trim_end_matches(']').to_lowercase();
        let name = name.trim_end_matches('.');
        if name == "metadata.google.internal" || name == "metadata" || name == "fd00:ec2::254" {
            return Address::Metadata;
        }
        if name == "localhost" || name.ends_with(".localhost") || name == "ip6-localhost" {
            loopback = true;
        }
        if let Ok(address) = name.parse::<std::net::Ipv6Addr>() {
            let mapped = address.to_ipv4_mapped();
            loopback |= address.is_loopback()
                || address.is_unspecified()
                || mapped.is_some_and(|four| four.is_loopback() || four.is_unspecified());
        }
        match parse_ipv4(name) {
            Some(address) if address >> 16 == 0xa9fe => return Address::Metadata,
            Some(address) if address >> 24 == 127 || address == 0 => loopback = true,
            _ => {}
        }
    }
    if loopback { Address::Loopback } else { Address::Other }
}

/// An address in any of the spellings that C libraries read: `127.1`, `2130706433`, `0x7f000001`.
fn parse_ipv4(name: &str) -> Option<u32> {
    let parts: Vec<u64> = name
        .split('.')
        .map(|part| {
            if let Some(hex) = part.strip_prefix("0x") {
                u64::from_str_radix(hex, 16).ok()
            } else if part.len() > 1 && part.starts_with('0') {
                u64::from_str_radix(part, 8).ok()
            } else {
                part.parse().ok()
            }
        })
        .collect::<Option<_>>()?;
    let (last, firsts) = parts.split_last()?;
    let room = 4usize.checked_sub(firsts.len())?;
    if firsts.iter().any(|part| *part > 255) || *last >= 1 << (8 * room) {
        return None;
    }
    let mut address = 0;
    for (at, part) in firsts.iter().enumerate() {
        address |= part << (24 - 8 * at);
    }
    u32::try_from(address | last).ok()
}
