//! Where on the network a call would take a secret: a host, with the scheme and the port that lead
//! there.
//!
//! A secret that is bound to a host goes there over `https` and its own port. Everything else, plain
//! `http` above all, the owner opens by name: `http://localhost`, `api.example.com:8443`,
//! `ssh://git.example.com`.

use std::fmt;
use std::net::Ipv6Addr;

/// The scheme that needs no opening.
const SECURE: &str = "https";

/// A host that nobody can make out.
const UNCLEAR: &str = "?";

/// A host of a call, with what the call says of the way there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Endpoint {
    /// In lower case, without a final dot; [`UNCLEAR`] where it cannot be made out.
    pub host: String,
    /// In lower case. None: the call does not say, and the tool decides.
    pub scheme: Option<String>,
    /// None: that of the scheme.
    pub port: Option<u16>,
}

impl Endpoint {
    /// A host of which nothing else is known.
    pub(super) fn of_host(host: &str) -> Endpoint {
        Endpoint { host: canonical(host), scheme: None, port: None }
    }

    pub(super) fn unclear() -> Endpoint {
        Endpoint { host: UNCLEAR.to_owned(), scheme: None, port: None }
    }

    pub(super) fn is_unclear(&self) -> bool {
        self.host == UNCLEAR
    }

    /// The endpoint of an authority, such as `user@host:443`, behind a scheme.
    pub(super) fn parse(scheme: Option<&str>, authority: &str) -> Endpoint {
        // What follows a URL in a text.
        let authority =
            authority.trim_end_matches(['"', '\'', '`', ')', '>', ',', ';', '.', '}', '<']);
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let Some((host, port)) = split(place) else { return Endpoint::unclear() };
        let host = canonical(host);
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
        if host.is_empty() || !host.bytes().all(fits) || authority.contains('\\') {
            return Endpoint::unclear();
        }
        Endpoint { host, scheme: scheme.map(str::to_ascii_lowercase), port }
    }
}

/// As an owner would write it to open it.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = self.scheme.as_deref().filter(|scheme| *scheme != SECURE) {
            write!(f, "{scheme}://")?;
        }
        match self.host.contains(':') {
            true => write!(f, "[{}]", self.host)?,
            false => f.write_str(&self.host)?,
        }
        let usual = default_port(self.scheme.as_deref().unwrap_or(SECURE));
        match self.port.filter(|port| Some(*port) != usual) {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// A host of a binding: `api.example.com`, `*.example.com`, `http://localhost:*`, or `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BoundHost {
    /// Every host in every way, also one that cannot be made out.
    Any,
    Some {
        host: HostPattern,
        scheme: String,
        port: BoundPort,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HostPattern {
    Is(String),
    /// What ends with a dot and this.
    Below(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundPort {
    /// That of the scheme; none where nobody knows it.
    Usual(Option<u16>),
    Is(u16),
    Any,
}

impl BoundHost {
    /// None if it is no host.
    pub(super) fn parse(text: &str) -> Option<BoundHost> {
        if text == "*" {
            return Some(BoundHost::Any);
        }
        let (scheme, place) = text.split_once("://").unwrap_or((SECURE, text));
        if !is_scheme(scheme) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let usual = BoundPort::Usual(default_port(&scheme));
        let (place, port) = match place.strip_suffix(":*") {
            Some(place) => (place, Some(BoundPort::Any)),
            None => (place, None),
        };
        let (pattern, named) = split(place)?;
        let port = port.or(named.map(BoundPort::Is)).unwrap_or(usual);
        let (is_below, name) = match pattern.strip_prefix("*.") {
            Some(suffix) => (true, suffix),
            None => (false, pattern),
        };
        let name = canonical(name);
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
        if name.is_empty() || !name.bytes().all(fits) {
            return None;
        }
        let host = if is_below { HostPattern::Below(name) } else { HostPattern::Is(name) };
        Some(BoundHost::Some { host, scheme, port })
    }

    /// True if a secret that is bound here may go there.
    pub(super) fn fits(&self, to: &Endpoint) -> bool {
        let BoundHost::Some { host, scheme, port } = self else { return true };
        let is_host = match host {
            HostPattern::Is(own) => *own == to.host,
            HostPattern::Below(suffix) => {
                to.host.strip_suffix(suffix.as_str()).is_some_and(|sub| sub.ends_with('.'))
            }
        };
        let is_port = match (port, to.port) {
            // The tool takes that of its scheme.
            (_, None) if to.scheme.is_none() => true,
            (BoundPort::Any, _) => true,
            (BoundPort::Is(own), Some(named)) => *own == named,
            (BoundPort::Is(own), None) => default_port(scheme) == Some(*own),
            (BoundPort::Usual(_), None) => true,
            (BoundPort::Usual(usual), Some(named)) => *usual == Some(named),
        };
        is_host && is_port && to.scheme.as_ref().is_none_or(|named| named == scheme)
    }
}

/// True for what can stand before `://` (RFC 3986, 3.1).
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.bytes().all(is_of_scheme)
}

pub(super) fn is_of_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)
}

fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ssh" => 22,
        _ => return None,
    })
}

/// The host and the port of a place. None where they cannot be made out.
fn split(place: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = if let Some(rest) = place.strip_prefix('[') {
        let (inside, rest) = rest.split_once(']')?;
        inside.parse::<Ipv6Addr>().ok()?;
        (inside, rest.strip_prefix(':').or(rest.is_empty().then_some(""))?)
    } else if place.parse::<Ipv6Addr>().is_ok() {
        (place, "")
    } else {
        place.split_once(':').unwrap_or((place, ""))
    };
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    match port {
        "" => Some((host, None)),
        port if is_number => Some((host, Some(port.parse().ok()?))),
        _ => None,
    }
}

/// The same name for the same host.
fn canonical(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    match host.parse::<Ipv6Addr>() {
        Ok(address) => address.to_string(),
        Err(_) => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(url: &str) -> Endpoint {
        match url.split_once("://") {
            Some((scheme, rest)) => Endpoint::parse(Some(scheme), rest),
            None => Endpoint::parse(None, url),
        }
    }

    #[track_caller]
    fn check(bound: &str, fit: &[&str], unfit: &[&str]) {
        let own = BoundHost::parse(bound).unwrap();
        for url in fit {
            assert!(own.fits(&to(url)), "{bound} fits {url}");
        }
        for url in unfit {
            assert!(!own.fits(&to(url)), "{bound} does not fit {url}");
        }
    }

    #[test]
    fn a_host_is_reached_by_https_and_its_own_port_unless_the_owner_says_more() {
        check(
            "A.example.com",
            &[
                "https://a.example.com",
                "https://A.Example.com.:443",
                "HTTPS://u:p@a.example.com",
                "a.example.com",
                "a.example.com:443",
                "https://a.example.com:",
            ],
            &[
                "http://a.example.com",
                "https://a.example.com:8443",
                "https://a.example.com:80",
                "a.example.com:80",
                "ws://a.example.com",
                "wss://a.example.com",
                "ftp://a.example.com",
                "ssh://a.example.com",
                "http://a.example.com:443",
                "https://a.example.com@evil.com",
                "https://a.example.com:443@evil.com",
                "https://a.example.com:443.evil.com",
                "https://a.example.com:99999",
                "https://b.a.example.com",
            ],
        );
        check(
            "http://a.b",
            &["http://a.b", "http://a.b:80", "a.b"],
            &["https://a.b", "http://a.b:8080"],
        );
        check("a.b:8443", &["https://a.b:8443", "a.b:8443"], &["https://a.b", "http://a.b:8443"]);
        check("http://a.b:*", &["http://a.b", "http://a.b:1"], &["https://a.b"]);
        check("ssh://*.a.b", &["ssh://x.a.b", "ssh://x.a.b:22"], &["ssh://a.b", "https://x.a.b"]);
        check(
            "[::1]",
            &["https://[::1]", "https://[0:0::1]:443"],
            &["http://[::1]", "https://[::2]"],
        );
        check("::1", &["https://[::1]"], &["https://[::1]:8443"]);
        check("http://[::1]:8080", &["http://[::1]:8080"], &["http://[::1]"]);
        check("*", &["http://a", "ftp://b:1", "https://a\\b"], &[]);
        assert!(to("https://[::1].evil.com").is_unclear() && to("https://a%62").is_unclear());
        for bad in ["https://a/b", "a b", "", "*.", "x://", "a:b", "a:70000", "1x://a", "[::1"] {
            assert_eq!(BoundHost::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_endpoint_reads_as_an_owner_opens_it() {
        for (url, shown) in [
            ("https://a.b:443", "a.b"),
            ("http://a.b", "http://a.b"),
            ("http://a.b:80", "http://a.b"),
            ("https://a.b:8443", "a.b:8443"),
            ("ws://[::1]:9", "ws://[::1]:9"),
            ("a.b:9", "a.b:9"),
        ] {
            assert_eq!(to(url).to_string(), shown);
            if !shown.is_empty() {
                assert!(BoundHost::parse(shown).unwrap().fits(&to(url)), "{shown}");
            }
        }
    }
}
