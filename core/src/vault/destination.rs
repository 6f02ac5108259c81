//! Where a call would take a secret: its tool, the hosts that it names, the files that it writes.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::endpoint::{self, Endpoint};
use super::{placeholders, without_placeholders};
use crate::kind::{Effect, Resource};

/// Where a call would take a secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Destination {
    /// The tool, by its own name.
    pub tool: String,
    /// The hosts that the call names.
    pub hosts: BTreeSet<Endpoint>,
    /// The files of the workspace that it writes; `.` where that may be any.
    pub files: Vec<PathBuf>,
}

impl Destination {
    /// Where a call with these arguments would take a secret, with what its tool declares.
    pub(crate) fn of_call(tool: &str, args: &Value, touches: &[(Effect, Resource)]) -> Destination {
        let mut to = Destination { tool: tool.to_owned(), ..Destination::default() };
        for touch in touches {
            match touch {
                (_, Resource::Host(host)) => {
                    to.hosts.insert(Endpoint::of_host(&plain(host)));
                }
                (Effect::Write, Resource::Path(path)) => to.files.push(inside(path)),
                _ => {}
            }
        }
        let declared = to.hosts.iter().map(|declared| declared.host.clone()).collect();
        to.hosts.extend(named_hosts(args, &declared));
        to.hosts = with_settings(to.hosts, &Settings::of(args));
        to
    }

    /// One file of the workspace.
    pub(crate) fn of_file(tool: &str, path: PathBuf) -> Destination {
        Destination { tool: tool.to_owned(), files: vec![path], ..Destination::default() }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.tool)?;
        for host in &self.hosts {
            match host.is_unclear() {
                true => f.write_str(", a host that cannot be made out")?,
                false => write!(f, ", host `{}`", crate::limits::echo(&host.to_string()))?,
            }
        }
        for file in &self.files {
            write!(f, ", file `{}`", file.display())?;
        }
        Ok(())
    }
}

/// A path of the workspace, or `.` where it may lead anywhere.
fn inside(path: &str) -> PathBuf {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let path = Path::new(path);
    if path.components().all(is_plain) { path.to_owned() } else { PathBuf::from(".") }
}

/// The path of a text in the arguments of a call: `headers.authorization`, `items[2].key`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgumentPath(Vec<String>);

impl ArgumentPath {
    /// A path as it is written in a binding.
    pub(super) fn parse(text: &str) -> ArgumentPath {
        let steps = text.trim().split(['.', '[']);
        ArgumentPath(steps.map(|step| step.strip_suffix(']').unwrap_or(step).to_owned()).collect())
    }

    /// The argument of that name.
    pub(crate) fn of(name: &str) -> ArgumentPath {
        ArgumentPath(vec![name.to_owned()])
    }

    fn then(&self, step: impl Into<String>) -> ArgumentPath {
        let mut steps = self.0.clone();
        steps.push(step.into());
        ArgumentPath(steps)
    }

    /// True if `argument` fits this path of a binding, in which `*` is any one step.
    pub(super) fn fits(&self, argument: &ArgumentPath) -> bool {
        let fits = |(own, given): (&String, &String)| own == "*" || own.eq_ignore_ascii_case(given);
        self.0.len() == argument.0.len() && self.0.iter().zip(&argument.0).all(fits)
    }
}

impl fmt::Display for ArgumentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let is_number = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
            match (index, is_number) {
                (0, _) => write!(f, "{step}")?,
                (_, true) => write!(f, "[{step}]")?,
                (_, false) => write!(f, ".{step}")?,
            }
        }
        Ok(())
    }
}

/// A text in the arguments of a call.
pub(super) struct Place<'a> {
    pub path: ArgumentPath,
    pub text: &'a str,
    /// True for the name of an argument, not its value.
    pub is_key: bool,
}

/// Every text that has a placeholder in it, keys too, at every depth.
pub(super) fn sealed_texts(args: &Value) -> Vec<Place<'_>> {
    let mut found = Vec::new();
    texts(args, &mut |path, text, is_key| {
        if placeholders(text).next().is_some() {
            found.push(Place { path: path.clone(), text, is_key });
        }
    });
    found
}

/// Looks at every text and key, in order.
fn texts<'a>(args: &'a Value, look: &mut impl FnMut(&ArgumentPath, &'a str, bool)) {
    let mut pending = vec![(ArgumentPath::default(), args)];
    while let Some((path, value)) = pending.pop() {
        match value {
            Value::String(text) => look(&path, text, false),
            Value::Array(items) => {
                let items = items.iter().enumerate().rev();
                pending.extend(items.map(|(index, item)| (path.then(index.to_string()), item)));
            }
            Value::Object(fields) => {
                for (key, _) in fields {
                    look(&path.then(key), key, true);
                }
                let fields = fields.iter().rev();
                pending.extend(fields.map(|(key, field)| (path.then(key), field)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Words in the name of an argument that holds a host even where it has no scheme.
const HOST_NAMES: [&str; 15] = [
    "url", "uri", "host", "endpoint", "domain", "server", "link", "href", "origin", "proxy",
    "webhook", "callback", "redirect", "remote", "website",
];

/// Schemes of which a host follows however many slashes there are (WHATWG URL, special schemes).
const SCHEMES: [&str; 5] = ["http:", "https:", "ws:", "wss:", "ftp:"];

/// The hosts that the arguments name: of every URL in every text, of every argument whose name
/// says that it holds one, and of every text that is one of the `declared` hosts.
fn named_hosts(args: &Value, declared: &BTreeSet<String>) -> BTreeSet<Endpoint> {
    let mut hosts = BTreeSet::new();
    texts(args, &mut |path, text, is_key| {
        // Also in the form that JSON text escapes.
        let text = plain(&text.replace("\\/", "/"));
        for (at, _) in text.match_indices("://") {
            // No binding allows a scheme that cannot be recognised.
            let scheme = scheme_before(&text[..at]);
            authority_hosts(Some(scheme), &text[at + 3..], &mut hosts);
        }
        if is_loose(&text) {
            hosts.insert(Endpoint::unclear());
        }
        let names_host = |step: &String| {
            let step = step.to_ascii_lowercase();
            HOST_NAMES.iter().any(|word| step.contains(word))
        };
        let bare = text.trim_start_matches('/');
        let says_so = path.0.iter().any(names_host)
            || declared.contains(&Endpoint::parse(None, first_part(bare)).host);
        if !is_key && says_so && !text.contains("://") && !text.is_empty() {
            authority_hosts(None, bare, &mut hosts);
        }
    });
    hosts
}

/// What stands before `://`, as far as it can be a scheme.
fn scheme_before(text: &str) -> &str {
    let length = text.bytes().rev().take_while(|byte| endpoint::is_of_scheme(*byte)).count();
    &text[text.len() - length..]
}

/// What arguments of their own say of the way to the hosts of a call.
#[derive(Default)]
struct Settings {
    schemes: BTreeSet<String>,
    ports: BTreeSet<u16>,
}

/// Names of arguments that hold a scheme.
const SCHEME_NAMES: [&str; 3] = ["scheme", "protocol", "proto"];

impl Settings {
    /// Those of `scheme`, `protocol` and `port`, at every depth.
    fn of(args: &Value) -> Settings {
        let mut settings = Settings::default();
        let mut pending = vec![args];
        while let Some(value) = pending.pop() {
            match value {
                Value::Object(fields) => {
                    for (name, field) in fields {
                        settings.take(name, field);
                        pending.push(field);
                    }
                }
                Value::Array(items) => pending.extend(items),
                _ => {}
            }
        }
        settings
    }

    fn take(&mut self, name: &str, field: &Value) {
        let is_port = ["port", "_port", "-port"].iter().any(|end| {
            let name = name.to_ascii_lowercase();
            if *end == "port" { name == *end } else { name.ends_with(end) }
        }) || name.ends_with("Port");
        if is_port {
            let text = field.as_str().map(str::trim).and_then(|text| text.parse().ok());
            let number = field.as_u64().and_then(|port| u16::try_from(port).ok());
            self.ports.extend(number.or(text));
        }
        let name = name.to_ascii_lowercase();
        if SCHEME_NAMES.contains(&name.as_str())
            && let Some(text) = field.as_str()
        {
            let scheme = text.trim().trim_end_matches([':', '/']);
            if endpoint::is_scheme(scheme) {
                self.schemes.insert(scheme.to_ascii_lowercase());
            }
        }
    }
}

/// The hosts, each also with the scheme and the port that another argument may give it.
fn with_settings(hosts: BTreeSet<Endpoint>, settings: &Settings) -> BTreeSet<Endpoint> {
    let mut all = hosts.clone();
    for host in hosts.iter().filter(|host| !host.is_unclear()) {
        let schemes = settings.schemes.iter().filter(|_| host.scheme.is_none());
        let schemes: Vec<Option<String>> =
            schemes.cloned().map(Some).chain([host.scheme.clone()]).collect();
        let ports = settings.ports.iter().filter(|_| host.port.is_none());
        let ports: Vec<Option<u16>> = ports.copied().map(Some).chain([host.port]).collect();
        for scheme in &schemes {
            let of_scheme = ports.iter().map(|port| Endpoint {
                host: host.host.clone(),
                scheme: scheme.clone(),
                port: *port,
            });
            all.extend(of_scheme);
        }
    }
    all
}

/// True if a reader of URLs may see one in the text though there is no `://`: `https:evil.com`,
/// `https:\\evil.com`, `//evil.com`.
fn is_loose(text: &str) -> bool {
    let goes_on = |rest: &str| {
        let next = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']).chars().next();
        next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '[' | '%' | '@'))
    };
    let start = text.trim_start();
    if start.starts_with(['/', '\\']) && start[1..].starts_with(['/', '\\']) && goes_on(start) {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| {
        lower.match_indices(scheme).any(|(at, _)| {
            let rest = &lower[at + scheme.len()..];
            !lower[..at].ends_with(|c: char| c.is_alphanumeric())
                && !rest.starts_with("//")
                && goes_on(rest)
        })
    })
}

/// The text with a letter in place of each placeholder, whose brackets and colons would be read as parts
/// of a URL.
fn plain(text: &str) -> String {
    without_placeholders(text, "x")
}

/// The hosts that `rest`, what follows `://`, may be taken to begin with. Readers of URLs differ in
/// what they make of line ends and backslashes, so each reading counts.
fn authority_hosts(scheme: Option<&str>, rest: &str, hosts: &mut BTreeSet<Endpoint>) {
    let authority = first_part(rest);
    let is_break = |c: char| c.is_control();
    let first = authority.split(is_break).next().unwrap_or_default();
    hosts.insert(Endpoint::parse(scheme, first));
    if authority.contains(is_break) {
        hosts.insert(Endpoint::parse(scheme, &authority.replace(is_break, "")));
    }
}

/// The authority that a URL goes on with.
fn first_part(rest: &str) -> &str {
    rest.split(['/', '?', '#', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hosts(args: Value) -> Vec<String> {
        let hosts = named_hosts(&args, &BTreeSet::new());
        let hosts = with_settings(hosts, &Settings::of(&args));
        hosts
            .iter()
            .map(|host| if host.is_unclear() { "?".into() } else { host.to_string() })
            .collect()
    }

    #[test]
    fn the_hosts_of_every_url_in_the_arguments_count() {
        assert_eq!(hosts(json!({ "a": "https://API.example.com:443/x?y" })), ["api.example.com"]);
        assert_eq!(
            hosts(json!({ "a": [{ "b": "see (http://a.b), ftp://c.d." }] })),
            ["http://a.b", "ftp://c.d"]
        );
        assert_eq!(hosts(json!({ "https://a.b/": 1 })), ["a.b"]);
        assert_eq!(hosts(json!({ "a": r#"{"u":"https:\/\/a.b\/c"}"# })), ["a.b"]);
        assert_eq!(hosts(json!({ "a": "http://[::1]:80/" })), ["http://[::1]"]);
        assert!(hosts(json!({ "a": "no host here", "n": 1 })).is_empty());
    }

    #[test]
    fn an_argument_that_is_called_so_holds_a_host_without_a_scheme() {
        assert_eq!(hosts(json!({ "base_url": "a.b/c" })), ["a.b"]);
        assert_eq!(hosts(json!({ "hosts": ["a.b", "c.d:1"] })), ["a.b", "c.d:1"]);
        assert!(hosts(json!({ "title": "a.b" })).is_empty());
    }

    #[test]
    fn a_scheme_and_a_port_may_stand_in_arguments_of_their_own() {
        assert_eq!(hosts(json!({ "host": "a.b", "port": 80 })), ["a.b", "a.b:80"]);
        assert_eq!(
            hosts(json!({ "host": "a.b", "x": { "tcp_port": "8080" } })),
            ["a.b", "a.b:8080"]
        );
        assert_eq!(hosts(json!({ "host": "a.b", "protocol": "HTTP:" })), ["a.b", "http://a.b"]);
        assert_eq!(hosts(json!({ "host": "a.b", "port": 443, "report": 9 })), ["a.b", "a.b"]);
    }

    #[test]
    fn a_user_part_and_a_placeholder_in_it_are_no_host() {
        let placeholder = "[REDACTED:password:abcdefgh]";
        let url = format!("postgres://app:{placeholder}@db.internal/x");
        assert_eq!(hosts(json!({ "a": url })), ["postgres://db.internal"]);
        assert_eq!(hosts(json!({ "a": "https://good.com@evil.com/" })), ["evil.com"]);
        assert_eq!(hosts(json!({ "a": "https://good.com\"@evil.com/" })), ["evil.com"]);
        assert_eq!(
            hosts(json!({ "a": format!("https://{placeholder}.evil.com") })),
            ["x.evil.com"]
        );
    }

    #[test]
    fn a_host_that_readers_take_in_two_ways_is_no_clear_one() {
        let unclear =
            ["https://evil.com\\@good.com/", "https://good.com\\.evil.com", "https://go%6fd.com/"];
        for url in unclear {
            assert_eq!(hosts(json!({ "a": url })), ["?"], "{url}");
        }
        let broken = hosts(json!({ "a": "https://good.com\n.evil.com/" }));
        assert_eq!(broken, ["good.com", "good.com.evil.com"]);
        assert_eq!(hosts(json!({ "a": "https://good.com\u{3002}evil.com/" })), ["?"]);
    }

    #[test]
    fn a_path_in_the_arguments_reads_as_one_writes_it() {
        let args = json!({ "a": { "b.c": [{ "d": "[REDACTED]" }] }, "[REDACTED]": 1 });
        let found = sealed_texts(&args);
        let paths: Vec<_> =
            found.iter().map(|place| (place.path.to_string(), place.is_key)).collect();
        assert_eq!(paths, [("[REDACTED]".to_owned(), true), ("a.b.c[0].d".to_owned(), false)]);
    }

    #[test]
    fn a_path_of_a_binding_fits_step_by_step() {
        let args = json!({ "Headers": { "x": "[REDACTED]" }, "list": [{ "key": "[REDACTED]" }] });
        let found = sealed_texts(&args);
        let fits = |path: &str, index: usize| ArgumentPath::parse(path).fits(&found[index].path);
        assert!(fits("headers.x", 0) && fits("*.X", 0) && fits("headers.*", 0));
        assert!(!fits("headers", 0) && !fits("x", 0) && !fits("headers.x.y", 0) && !fits("*", 0));
        assert!(fits("list[*].key", 1) && fits("list[0].key", 1) && !fits("list[1].key", 1));
        let dotted = json!({ "headers.x": "[REDACTED]" });
        assert!(!ArgumentPath::parse("headers.x").fits(&sealed_texts(&dotted)[0].path));
    }
}
