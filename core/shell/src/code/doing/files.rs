//! Files and addresses that are opened.

use super::super::super::effect::{Access, CodeFrom, Effect, Payload};
use super::super::super::value::Value;
use super::super::address::{host_of, opened};
use super::super::thing::{From, Thing};
use super::super::{Act, Language};
use super::{Doing, Reader};

impl Reader<'_> {
    /// Opens a file as its mode says. In Perl and Ruby a command may stand in its place.
    #[expect(clippy::too_many_lines, reason = "one way of opening after the other")]
    pub(super) fn open(&mut self, given: &[Thing]) -> Thing {
        let handles = self.language == Language::Perl;
        let given = if handles && given.len() > 1 { &given[1..] } else { given };
        let mode = given.iter().find_map(|thing| thing.option("mode")).or(given.get(1));
        let named = given.iter().find_map(|thing| thing.option("file")).cloned();
        let first = given.first().cloned().or(named).unwrap_or(Thing::Unknown(From::Other));
        let piped = matches!(self.language, Language::Perl | Language::Ruby);
        let text = first.text().map(|text| text.trim().to_owned()).unwrap_or_default();
        let made = || Thing::Path("open()".into(), vec![first.clone()]);
        if handles && given.len() > 1 {
            let mode = first.text().unwrap_or_default().trim().to_owned();
            let rest = &given[1..];
            if mode.contains('|') || mode.contains('-') {
                self.process(Doing::Words, rest);
            } else if mode.contains('&') {
                self.runs |= self.connects;
            } else {
                let target = rest[0].clone();
                if mode.starts_with('<') {
                    self.file(Access::Read, &target);
                }
                if mode.contains('>') {
                    self.file(Access::Write, &target);
                }
                if !mode.starts_with(['<', '>', '+']) {
                    self.file(Access::Write, &target);
                }
            }
            return made();
        }
        if piped && text.starts_with('|') {
            self.shell(&Thing::known(text[1..].to_owned()));
        } else if piped && handles && text.ends_with('|') {
            self.shell(&Thing::known(text[..text.len() - 1].to_owned()));
        } else if handles && text.starts_with(">&") {
            self.runs |= self.connects;
        } else if handles && text.starts_with(['>', '+']) {
            self.file(Access::Write, &Thing::known(text.trim_start_matches(['>', '+', '<', ' '])));
        } else if handles && text.starts_with('<') {
            self.file(Access::Read, &Thing::known(text[1..].trim()));
        } else if text.starts_with("http://")
            || text.starts_with("https://")
            || text.starts_with("ftp://")
        {
            return self.fetch(false, "open", 0, given);
        } else if self.language == Language::Php
            && (text.starts_with("php://filter") || text.starts_with("compress."))
        {
            let inner = Thing::known(place_of_php(Some(&text)).unwrap_or_default());
            return self.open(&[&[inner], given.get(1..).unwrap_or_default()].concat());
        } else if text.starts_with("php://") || text.starts_with("data:") {
            return Thing::Unknown(if text.contains("input") || text.contains("stdin") {
                From::Input
            } else {
                From::Decoded
            });
        } else {
            if piped && first.text().is_none() {
                self.dynamic("a name that is opened may be a command");
            }
            let mode = mode.and_then(Thing::text).unwrap_or("r").to_owned();
            if mode.contains(['r', '+']) || !mode.contains(['w', 'a', 'x']) {
                self.file(Access::Read, &first);
            }
            if mode.contains(['w', 'a', 'x', '+']) {
                self.file(Access::Write, &first);
            }
        }
        made()
    }

    pub(super) fn fetch(
        &mut self,
        sends: bool,
        path: &str,
        position: usize,
        given: &[Thing],
    ) -> Thing {
        let options = given.iter().find(|thing| matches!(thing, Thing::Map(_)));
        let get = |name: &str| options.and_then(|options| options.option(name)).cloned();
        let url = match given.get(position) {
            Some(Thing::Map(_)) | None => {
                get("url").or_else(|| get("hostname")).or_else(|| get("host"))
            }
            Some(thing) => Some(thing.clone()),
        };
        let url = url.unwrap_or(Thing::Unknown(From::Other));
        let url = match &url {
            Thing::Path(made, of) if made.ends_with("()") => of.first().cloned().unwrap_or(url),
            _ => url,
        };
        let text = url.value();
        let (host, port) = host_of(&text);
        if text.prefix().starts_with("file:") {
            self.file(Access::Read, &Thing::known(text.prefix().trim_start_matches("file://")));
            return Thing::Unknown(From::Other);
        }
        let mut payload = Payload::None;
        let method = get("method").and_then(|method| method.text().map(str::to_ascii_uppercase));
        let body = ["data", "json", "files", "body", "content", "params", "headers"]
            .iter()
            .find_map(|name| get(name))
            .or_else(|| {
                given
                    .get(position + 1)
                    .filter(|thing| !matches!(thing, Thing::Map(_) | Thing::Path(..)))
                    .cloned()
            });
        let posts = sends || method.is_some_and(|method| method != "GET" && method != "HEAD");
        let asks = matches!(path, "open" | "urllib.request.urlretrieve" | "urllib.urlretrieve");
        if posts || body.is_some() && !asks {
            payload = Payload::Text;
        }
        for part in given.iter().skip(position).chain(&body) {
            if let Some(file) = opened(part, 4) {
                payload = Payload::File(file);
            }
        }
        let unknown_end = !matches!(text, Value::Known(_)) && text.prefix().contains("://");
        if payload == Payload::None && unknown_end {
            // What is put into the address is sent.
            payload = Payload::Text;
        }
        self.effect(Effect::Network { host, port, fetches: true, sends: payload });
        Thing::Unknown(From::Network)
    }

    /// Runs a file of code.
    pub(super) fn load(&mut self, path: &str, given: &[Thing]) {
        let position = usize::from(path == "autoload");
        let file = given.get(position).cloned().unwrap_or(Thing::Unknown(From::Other));
        // A worker may be given its code as a text.
        if given.iter().any(|thing| thing.option("eval").is_some_and(Thing::is_true)) {
            self.code(&file);
            return;
        }
        let Some(scheme) = file.text().and_then(|text| text.split_once(':')) else {
            return self.act(Act::Load(file.value()));
        };
        match scheme {
            ("http" | "https" | "ftp", _) => {
                self.fetch(false, "open", position, given);
                self.effect(Effect::Code { from: CodeFrom::Network });
            }
            ("data" | "expect" | "ssh2.exec", _) => self.dynamic("code is run that is not known"),
            _ if self.language == Language::Php => match place_of_php(file.text()) {
                Some(path) => self.act(Act::Load(Value::known(path))),
                None => self.dynamic("code is run that is not known"),
            },
            _ => self.act(Act::Load(file.value())),
        }
    }
}

/// The file that a path of PHP leads to through what it reads it with; none if there is no such file.
pub(super) fn place_of_php(text: Option<&str>) -> Option<&str> {
    let text = text?;
    if let Some((_, path)) =
        text.split_once("resource=").filter(|_| text.starts_with("php://filter"))
    {
        return Some(path);
    }
    let within = ["compress.zlib://", "compress.bzip2://", "file://", "phar://", "glob://"];
    if let Some(path) = within.iter().find_map(|start| text.strip_prefix(start)) {
        return Some(path);
    }
    if let Some(path) = text.strip_prefix("zip://") {
        return Some(path.split('#').next().unwrap_or(path));
    }
    (!text.contains("://")).then_some(text)
}
