//! Calls that open files and addresses.

use super::super::abstract_value::{AbstractValue, Provenance};
use super::super::address::{host_of, opened};
use super::super::{Act, Language};
use super::{CallSignature, Reader};
use crate::effect::{Access, CodeFrom, Effect, Payload};
use crate::value::Value;

impl Reader<'_> {
    /// Opens a file as its mode says. In Perl and Ruby a command may stand in its place.
    #[expect(clippy::too_many_lines, reason = "one way of opening after the other")]
    pub(super) fn open(&mut self, arguments: &[AbstractValue]) -> AbstractValue {
        let handles = self.language == Language::Perl;
        let arguments = if handles && arguments.len() > 1 { &arguments[1..] } else { arguments };
        let mode = arguments.iter().find_map(|value| value.option("mode")).or(arguments.get(1));
        let named = arguments.iter().find_map(|value| value.option("file")).cloned();
        let first = arguments
            .first()
            .cloned()
            .or(named)
            .unwrap_or(AbstractValue::Unknown(Provenance::Other));
        let piped = matches!(self.language, Language::Perl | Language::Ruby);
        let text = first.text().map(|text| text.trim().to_owned()).unwrap_or_default();
        let made = || AbstractValue::Path("open()".into(), vec![first.clone()]);
        if handles && arguments.len() > 1 {
            let mode = first.text().unwrap_or_default().trim().to_owned();
            let rest = &arguments[1..];
            if mode.contains('|') || mode.contains('-') {
                self.process(CallSignature::Words, rest);
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
            self.shell(&AbstractValue::known(text[1..].to_owned()));
        } else if piped && handles && text.ends_with('|') {
            self.shell(&AbstractValue::known(text[..text.len() - 1].to_owned()));
        } else if handles && text.starts_with(">&") {
            self.runs |= self.connects;
        } else if handles && text.starts_with(['>', '+']) {
            self.file(
                Access::Write,
                &AbstractValue::known(text.trim_start_matches(['>', '+', '<', ' '])),
            );
        } else if handles && text.starts_with('<') {
            self.file(Access::Read, &AbstractValue::known(text[1..].trim()));
        } else if text.starts_with("http://")
            || text.starts_with("https://")
            || text.starts_with("ftp://")
        {
            return self.fetch(false, "open", 0, arguments);
        } else if self.language == Language::Php
            && (text.starts_with("php://filter") || text.starts_with("compress."))
        {
            let inner = AbstractValue::known(place_of_php(Some(&text)).unwrap_or_default());
            return self.open(&[&[inner], arguments.get(1..).unwrap_or_default()].concat());
        } else if text.starts_with("php://") || text.starts_with("data:") {
            return AbstractValue::Unknown(if text.contains("input") || text.contains("stdin") {
                Provenance::Input
            } else {
                Provenance::Decoded
            });
        } else {
            if piped && first.text().is_none() {
                self.dynamic("a name that is opened may be a command");
            }
            let mode = mode.and_then(AbstractValue::text).unwrap_or("r").to_owned();
            if mode.contains(['r', '+']) || !mode.contains(['w', 'a', 'x']) {
                self.file(Access::Read, &first);
            }
            if mode.contains(['w', 'a', 'x', '+']) {
                self.file(Access::Write, &first);
            }
        }
        made()
    }

    /// Records a request to an address, and what it sends.
    pub(super) fn fetch(
        &mut self,
        sends: bool,
        path: &str,
        position: usize,
        arguments: &[AbstractValue],
    ) -> AbstractValue {
        let options = arguments.iter().find(|value| matches!(value, AbstractValue::Map(_)));
        let get = |name: &str| options.and_then(|options| options.option(name)).cloned();
        let url = match arguments.get(position) {
            Some(AbstractValue::Map(_)) | None => {
                get("url").or_else(|| get("hostname")).or_else(|| get("host"))
            }
            Some(value) => Some(value.clone()),
        };
        let url = url.unwrap_or(AbstractValue::Unknown(Provenance::Other));
        let url = match &url {
            AbstractValue::Path(made, of) if made.ends_with("()") => {
                of.first().cloned().unwrap_or(url)
            }
            _ => url,
        };
        let text = url.value();
        let (host, port) = host_of(&text);
        if text.prefix().starts_with("file:") {
            self.file(
                Access::Read,
                &AbstractValue::known(text.prefix().trim_start_matches("file://")),
            );
            return AbstractValue::Unknown(Provenance::Other);
        }
        let mut payload = Payload::None;
        let method = get("method").and_then(|method| method.text().map(str::to_ascii_uppercase));
        let body = ["data", "json", "files", "body", "content", "params", "headers"]
            .iter()
            .find_map(|name| get(name))
            .or_else(|| {
                arguments
                    .get(position + 1)
                    .filter(|value| {
                        !matches!(value, AbstractValue::Map(_) | AbstractValue::Path(..))
                    })
                    .cloned()
            });
        let posts = sends || method.is_some_and(|method| method != "GET" && method != "HEAD");
        let asks = matches!(path, "open" | "urllib.request.urlretrieve" | "urllib.urlretrieve");
        if posts || body.is_some() && !asks {
            payload = Payload::Text;
        }
        for part in arguments.iter().skip(position).chain(&body) {
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
        AbstractValue::Unknown(Provenance::Network)
    }

    /// Runs a file of code.
    pub(super) fn load(&mut self, path: &str, arguments: &[AbstractValue]) {
        let position = usize::from(path == "autoload");
        let file =
            arguments.get(position).cloned().unwrap_or(AbstractValue::Unknown(Provenance::Other));
        // A worker may be given its code as a text.
        if arguments.iter().any(|value| value.option("eval").is_some_and(AbstractValue::is_true)) {
            self.code(&file);
            return;
        }
        let Some(scheme) = file.text().and_then(|text| text.split_once(':')) else {
            return self.act(Act::Load(file.value()));
        };
        match scheme {
            ("http" | "https" | "ftp", _) => {
                self.fetch(false, "open", position, arguments);
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
