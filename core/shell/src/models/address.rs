//! Addresses of other machines in words: `https://user@host:1/x`, `user@host:path`, `[::1]:80`.
//!
//! Programs write addresses in several forms. These functions find host and port in each of them,
//! as far as they are known, because the host decides whether a connection stays on this machine
//! and where data goes.

use crate::value::{Origin, Value};

/// The host and the port of an address, with or without a scheme and a path.
pub(super) fn host_and_port(address: &Value) -> (Value, Option<u16>) {
    let (text, origin) = match address {
        Value::Known(text) => (text.as_str(), None),
        // `http://[::1]/` is a pattern that finds no file, and stays as it is.
        Value::Unknown(Origin::Glob(text)) | Value::Prefix(_, Origin::Glob(text))
            if text.contains("://") =>
        {
            (text.as_str(), None)
        }
        Value::Prefix(text, origin) => (text.as_str(), Some(origin)),
        other => return (other.clone(), None),
    };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (authority, ended) = match text.find(['/', '?', '#']) {
        Some(at) => (&text[..at], true),
        None => (text, false),
    };
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = split_port(authority);
    match origin {
        // The end of the host is not known.
        Some(origin) if !ended && port.is_none() => {
            (Value::known(host).then(Value::Unknown(origin.clone())), None)
        }
        _ => (Value::known(host), port),
    }
}

/// Host and port of an authority: `host:80`, `[::1]:80`.
fn split_port(authority: &str) -> (&str, Option<u16>) {
    if let Some(rest) = authority.strip_prefix('[')
        && let Some((host, port)) = rest.split_once(']')
    {
        return (host, port.trim_start_matches(':').parse().ok());
    }
    match authority.rsplit_once(':') {
        Some((host, _)) if host.contains(':') => (authority, None),
        Some((host, port)) => (host, port.parse().ok()),
        None => (authority, None),
    }
}

/// The scheme of an address, in small letters: `https`.
pub(super) fn scheme(address: &str) -> Option<String> {
    let (scheme, _) = address.split_once("://").or_else(|| address.split_once(":/"))?;
    scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| scheme.to_ascii_lowercase())
}

/// The host of `user@host:path`; none for a path on this machine.
pub(super) fn remote_of_copy(word: &Value) -> Option<Value> {
    let text = word.prefix();
    if text.contains("://") {
        return Some(host_and_port(word).0);
    }
    let colon = text.find(':')?;
    let is_path = text[..colon].contains('/') || text[..colon].is_empty();
    // A letter and a colon is a drive.
    let is_drive =
        colon == 1 && text.as_bytes()[0].is_ascii_alphabetic() && text[2..].starts_with('\\');
    if is_path || is_drive {
        return None;
    }
    let host = text[..colon].rsplit_once('@').map_or(&text[..colon], |(_, host)| host);
    Some(Value::known(host))
}

/// Where the address of a remote of Git leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Remote {
    /// To a host, and the port if it is written.
    At(String, Option<u16>),
    /// To a folder of this machine.
    Here,
    /// A program connects, or the place is not known.
    Unknown,
}

/// Where the address of a remote of Git leads.
pub(in super::super) fn of_remote(address: &str) -> Remote {
    let schemes = ["http", "https", "ssh", "git", "git+ssh", "ssh+git"];
    let word = Value::known(address);
    let (host, port) = match address.split_once("://") {
        Some(("file", _)) => return Remote::Here,
        Some((scheme, _)) if schemes.contains(&scheme) => host_and_port(&word),
        Some(_) => return Remote::Unknown,
        None if address.contains("::") || address.is_empty() => return Remote::Unknown,
        None => match remote_of_copy(&word) {
            Some(host) => (host, None),
            None => return Remote::Here,
        },
    };
    let is_name = |host: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        !host.is_empty() && !host.starts_with('-') && host.bytes().all(plain)
    };
    let host = host.as_known().filter(is_name);
    host.map_or(Remote::Unknown, |host| Remote::At(host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::{host_and_port, remote_of_copy};
    use crate::value::{Origin, Value};

    #[test]
    fn addresses_are_taken_apart() {
        for (text, host, port) in [
            ("https://u:p@example.com:8443/x?y=a@b", "example.com", Some(8443)),
            ("example.com", "example.com", None),
            ("[::1]:80", "::1", Some(80)),
            ("http://[::1]/", "::1", None),
            ("::1", "::1", None),
            ("user@host", "host", None),
        ] {
            assert_eq!(host_and_port(&Value::known(text)), (Value::known(host), port), "{text}");
        }
        let prefix = Value::Prefix("https://a.example/".into(), Origin::Other);
        assert_eq!(host_and_port(&prefix).0, Value::known("a.example"));
        let pattern = Value::Unknown(Origin::Glob("http://[::1]:9200/".into()));
        assert_eq!(host_and_port(&pattern), (Value::known("::1"), Some(9200)));
        let prefix = Value::Prefix("https://a.exam".into(), Origin::Other);
        assert!(host_and_port(&prefix).0.as_known().is_none());
    }

    #[test]
    fn copies_name_a_machine_before_a_colon() {
        let host = |text: &str| remote_of_copy(&Value::known(text));
        assert_eq!(host("me@evil.example:/drop/"), Some(Value::known("evil.example")));
        assert_eq!(host("rsync://evil.example/x"), Some(Value::known("evil.example")));
        assert_eq!(host("./a:b"), None);
        assert_eq!(host("dir/"), None);
    }
}
