//! Functions that compute: joins, decoders, parts of paths. They are evaluated, because they may
//! hide a text.
//!
//! `exec(base64.b64decode("…"))` runs a known text. A decoder with a known argument gives the text,
//! any other gives a value whose provenance is [`Provenance::Decoded`].

use data_encoding::{BASE32, BASE64_MIME_PERMISSIVE, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};

use super::Language;
use super::abstract_value::{AbstractValue, Provenance, joined};
use super::reader::Reader;
use crate::value::{Origin, Value};

impl Reader<'_> {
    /// The result of a call, if it is one of a function that is computed here.
    #[expect(clippy::too_many_lines, reason = "a table of functions, as a match")]
    pub(super) fn computed(
        &mut self,
        path: &str,
        made: &[AbstractValue],
        arguments: &[AbstractValue],
        named: &[(String, AbstractValue)],
    ) -> Option<AbstractValue> {
        let first = arguments.first();
        let receiver = made.first();
        if let Some(operand) = self.reflected(path, made, arguments) {
            return Some(operand);
        }
        if let Some(name) = path.strip_prefix("text.") {
            return Some(method(name, receiver?, arguments, named));
        }
        if let Some(name) = path.strip_prefix("list.") {
            return Some(of_list(name, receiver?, arguments));
        }
        let decoded = |operand: Option<&AbstractValue>,
                       how: fn(&str) -> Option<String>|
         -> Option<AbstractValue> {
            let operand = operand?;
            Some(match operand.text() {
                Some(text) => how(text)
                    .map_or(AbstractValue::Unknown(Provenance::Decoded), AbstractValue::known),
                None if operand.provenance() != Provenance::Other => {
                    AbstractValue::Unknown(operand.provenance())
                }
                None => AbstractValue::Unknown(Provenance::Decoded),
            })
        };
        match path {
            "base64.b64decode"
            | "base64.decodebytes"
            | "base64.standard_b64decode"
            | "base64.urlsafe_b64decode"
            | "atob"
            | "base64_decode"
            | "Base64.decode64"
            | "Base64.strict_decode64"
            | "Base64.urlsafe_decode64"
            | "decode_base64"
            | "MIME.Base64.decode_base64"
            | "MIME.Base64.decode" => decoded(first, base64),
            "base64.b32decode" => decoded(first, base32),
            "base64.b16decode" | "bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify"
            | "binascii.a2b_hex" | "hex2bin" => decoded(first, hex),
            "binascii.a2b_base64" => decoded(first, base64),
            "codecs.decode" => match arguments.get(1).and_then(AbstractValue::text) {
                Some("rot13" | "rot_13" | "rot-13") => decoded(first, |text| Some(rot13(text))),
                Some("hex" | "hex_codec") => decoded(first, hex),
                Some("base64" | "base64_codec") => decoded(first, base64),
                _ => Some(AbstractValue::Unknown(Provenance::Decoded)),
            },
            "str_rot13" => decoded(first, |text| Some(rot13(text))),
            "strrev" | "reverse" | "string.reverse" => {
                let operand = first?;
                Some(AbstractValue::Text(operand.value().map(|text| text.chars().rev().collect())))
            }
            "zlib.decompress"
            | "gzip.decompress"
            | "bz2.decompress"
            | "lzma.decompress"
            | "marshal.loads"
            | "gzinflate"
            | "gzuncompress"
            | "gzdecode"
            | "Zlib.Inflate.inflate"
            | "zlib.inflateSync"
            | "zlib.gunzipSync"
            | "unpack"
            | "convert_uudecode"
            | "zlib.brotliDecompressSync" => Some(AbstractValue::Unknown(Provenance::Decoded)),
            "Buffer.from" => match arguments.get(1).and_then(AbstractValue::text) {
                Some("base64" | "base64url") => decoded(first, base64),
                Some("hex") => decoded(first, hex),
                _ => match first? {
                    AbstractValue::List(all) => Some(characters(all)),
                    other => Some(other.clone()),
                },
            },
            "chr" | "String.fromCharCode" | "string.char" | "String.fromCodePoint" => {
                Some(characters(arguments))
            }
            "bytes" | "bytearray" | "array.array" => match first? {
                AbstractValue::List(all) => Some(characters(all)),
                other => Some(other.clone()),
            },
            "str" | "String" | "repr" | "tostring" | "strval" | "unicode" | "list" | "tuple"
            | "sorted" | "set" | "iter" | "compile" | "textwrap.dedent" | "shlex.quote"
            | "trim" | "chomp" | "lc" | "uc" | "strtolower" | "String.raw" | "os.fsencode"
            | "os.fspath" | "path.normalize" | "os.path.normpath" | "os.path.abspath"
            | "os.path.realpath" | "path.resolve" | "File.expand_path" | "escapeshellarg"
            | "Promise.resolve" | "reversed"
                if arguments.len() == 1 =>
            {
                let operand = first?.clone();
                let home = matches!(path, "File.expand_path").then(|| self.behind_home(&operand));
                Some(home.unwrap_or(operand))
            }
            "shlex.split" => {
                let text = first?.text()?;
                Some(AbstractValue::List(
                    text.split_whitespace().map(AbstractValue::known).collect(),
                ))
            }
            "join" | "implode" => {
                let (separator, rest) = arguments.split_first()?;
                let all: Vec<AbstractValue> =
                    rest.iter().flat_map(AbstractValue::elements).collect();
                Some(separated(separator, &all))
            }
            "table.concat" => Some(separated(
                arguments.get(1).unwrap_or(&AbstractValue::known("")),
                &first?.elements(),
            )),
            "sprintf" | "format" | "string.format" | "util.format" => {
                let rest: Vec<AbstractValue> = arguments.iter().skip(1).cloned().collect();
                Some(formatted(first?, &AbstractValue::List(rest)))
            }
            "os.path.join" | "path.join" | "File.join" | "pathlib.PurePath" => {
                Some(AbstractValue::Text(joined(
                    &arguments.iter().flat_map(AbstractValue::elements).collect::<Vec<_>>(),
                )))
            }
            "os.path.expanduser" => Some(self.behind_home(first?)),
            "os.homedir" | "Dir.home" => Some(AbstractValue::known(self.home)),
            "pathlib.Path.home" => Some(AbstractValue::Path(
                "pathlib.Path()".into(),
                vec![AbstractValue::known(self.home)],
            )),
            "pathlib.Path().expanduser" => {
                let path = self.behind_home(&AbstractValue::Text(joined(made)));
                Some(AbstractValue::Path("pathlib.Path()".into(), vec![path]))
            }
            "pathlib.Path().joinpath" => Some(AbstractValue::Path(
                "pathlib.Path()".into(),
                made.iter().chain(arguments).cloned().collect(),
            )),
            "pathlib.Path().resolve" | "pathlib.Path().absolute" => {
                Some(AbstractValue::Path("pathlib.Path()".into(), made.to_vec()))
            }
            "pathlib.Path().glob" | "pathlib.Path().rglob" | "pathlib.Path().iterdir" => {
                let folder = AbstractValue::Text(joined(made).then(Value::known("/")));
                let inner = folder.then(&AbstractValue::Unknown(Provenance::Other));
                Some(AbstractValue::List(vec![AbstractValue::Path(
                    "pathlib.Path()".into(),
                    vec![inner],
                )]))
            }
            "os.getcwd" | "process.cwd" | "Dir.pwd" | "getcwd" | "cwd" | "Cwd.getcwd" => {
                Some(AbstractValue::known("."))
            }
            "os.tmpdir" | "tempfile.gettempdir" | "Dir.tmpdir" | "sys_get_temp_dir" => {
                Some(AbstractValue::known("/tmp"))
            }
            "tempfile.mkdtemp" | "tempfile.mktemp" | "fs.mkdtempSync" | "Dir.mktmpdir" => {
                Some(AbstractValue::Text(Value::Prefix("/tmp/tmp".into(), Origin::Other)))
            }
            "glob.glob" | "glob.iglob" | "Dir.glob" | "glob" | "Dir" => match first?.text() {
                Some(pattern) => {
                    Some(AbstractValue::Text(Value::Unknown(Origin::Glob(pattern.to_owned()))))
                }
                None => Some(AbstractValue::Unknown(Provenance::Other)),
            },
            "os.walk" => {
                let start = first.map_or(Value::known("."), AbstractValue::value);
                let start = start.then(Value::known("/")).then(Value::Unknown(Origin::Other));
                Some(AbstractValue::Path("files()".into(), vec![AbstractValue::Text(start)]))
            }
            "sys.stdin.read"
            | "sys.stdin.readline"
            | "sys.stdin.buffer.read"
            | "input"
            | "raw_input"
            | "STDIN.read"
            | "$stdin.read"
            | "gets"
            | "io.read"
            | "readline"
            | "sys.stdin.readlines" => Some(AbstractValue::Unknown(Provenance::Input)),
            _ => None,
        }
    }

    /// The result of a call that finds a function or a module by a text.
    #[expect(clippy::too_many_lines, reason = "a table of functions, as a match")]
    fn reflected(
        &mut self,
        path: &str,
        made: &[AbstractValue],
        arguments: &[AbstractValue],
    ) -> Option<AbstractValue> {
        let first = arguments.first();
        match path {
            "getattr" | "Reflect.get" => {
                let object = first?.clone();
                Some(self.by_name(&object, arguments.get(1)))
            }
            "__import__"
            | "importlib.import_module"
            | "importlib.__import__"
            | "require_relative"
                if self.language == Language::Python =>
            {
                let module = self.import_by_name(&first?.clone());
                // `__import__("a.b")` is `a`.
                Some(match module {
                    AbstractValue::Path(module, made) if path == "__import__" => {
                        let first = module.split('.').next().unwrap_or_default().to_owned();
                        AbstractValue::Path(first, made)
                    }
                    module => module,
                })
            }
            "globals" | "locals" | "vars" if self.language == Language::Python => {
                Some(match first {
                    Some(object) => object.clone(),
                    None => AbstractValue::path("globals()"),
                })
            }
            "operator.attrgetter" => {
                if first?.text().is_none() {
                    self.dynamic("which attribute is taken is not known");
                }
                Some(AbstractValue::Path("attrgetter()".into(), arguments.to_vec()))
            }
            "attrgetter()" => {
                let name = made.first()?.text().unwrap_or_default().to_owned();
                let object = first?.clone();
                Some(name.split('.').fold(object, |operand, name| self.member(&operand, name)))
            }
            "pkgutil.resolve_name" | "pydoc.locate" => {
                let Some(name) = first?.text().map(|name| name.replace(':', ".")) else {
                    self.dynamic("which function is found is not known");
                    return Some(AbstractValue::Unknown(Provenance::Code));
                };
                let mut parts = name.split('.').filter(|part| !part.is_empty());
                let module =
                    self.import_by_name(&AbstractValue::known(parts.next().unwrap_or_default()));
                Some(parts.fold(module, |operand, name| self.member(&operand, name)))
            }
            "Closure.fromCallable" => match first? {
                AbstractValue::Text(value) if value.as_known().is_none() => {
                    self.dynamic("which function is called is not known");
                    Some(AbstractValue::Unknown(Provenance::Code))
                }
                operand => Some(operand.clone()),
            },
            "globals().get" => Some(self.by_name(&AbstractValue::path("globals()"), first)),
            // `send(:system, "…")`, `Kernel.public_send("exec", …)`, `method(:system).call("…")`
            path if self.language == Language::Ruby && sends(path) => {
                let operand = self.of_name(path, made, first?);
                Some(self.call(&operand, arguments.get(1..)?.to_vec(), Vec::new()))
            }
            path if self.language == Language::Ruby && finds(path) => {
                Some(self.of_name(path, made, first?))
            }
            "call_user_func" => {
                let (function, rest) = arguments.split_first()?;
                if function.text().is_none() && !matches!(function, AbstractValue::Map(_)) {
                    self.dynamic("which function is called is not known");
                }
                Some(self.call(&function.clone(), rest.to_vec(), Vec::new()))
            }
            "call_user_func_array"
            | "array_map"
            | "array_filter"
            | "array_walk"
            | "usort"
            | "uasort"
            | "uksort"
            | "ob_start"
            | "forward_static_call"
            | "iterator_apply"
            | "set_error_handler"
            | "set_exception_handler"
            | "spl_autoload_register"
            | "register_tick_function"
            | "preg_replace_callback"
            | "array_reduce"
            | "register_shutdown_function"
                if self.language == Language::Php =>
            {
                let called = arguments.iter().find(|operand| self.names_known_call(operand));
                let (function, rest) = arguments.split_first()?;
                let function = called.unwrap_or(function);
                if called.is_some() {
                    self.dynamic("a function is given to something else by its name");
                }
                if matches!(function, AbstractValue::Unknown(_)) {
                    self.dynamic("which function is called is not known");
                }
                function.text()?;
                let rest: Vec<AbstractValue> =
                    rest.iter().flat_map(AbstractValue::elements).collect();
                Some(self.call(&function.clone(), rest, Vec::new()))
            }
            // `x.call(this, …)`, `x.apply(this, […])`, `x.bind(…)`
            path => {
                let (inner, how) = path.rsplit_once('.')?;
                let skip = match (how, self.language) {
                    ("call", Language::JavaScript) => 1,
                    ("apply" | "bind", Language::JavaScript) => 1,
                    ("bind" | "unbind" | "curry", Language::Ruby) => 0,
                    ("call" | "__call__" | "()", _) => 0,
                    _ => return None,
                };
                let inner = self.tables.canonical(inner);
                self.tables.find(&inner)?;
                let operand = AbstractValue::Path(inner, made.to_vec());
                if matches!(how, "bind" | "unbind" | "curry") {
                    return Some(operand);
                }
                let rest: Vec<AbstractValue> = arguments.get(skip..)?.to_vec();
                let rest = if how == "apply" {
                    rest.iter().flat_map(AbstractValue::elements).collect()
                } else {
                    rest
                };
                Some(self.call(&operand, rest, Vec::new()))
            }
        }
    }

    /// True for a text that is the name of a function in a table.
    fn names_known_call(&self, value: &AbstractValue) -> bool {
        value.text().is_some_and(|name| self.is_known_call(&AbstractValue::path(name)))
    }

    /// The method of Ruby that a text names.
    fn of_name(
        &mut self,
        path: &str,
        made: &[AbstractValue],
        name: &AbstractValue,
    ) -> AbstractValue {
        let Some(name) = name.text().map(str::to_owned) else {
            self.dynamic("which function is called is not known");
            return AbstractValue::Unknown(Provenance::Code);
        };
        let alone = self.name(&name);
        let owner = path.rsplit_once('.').map(|(owner, _)| owner.to_owned());
        match owner {
            Some(owner) if !self.is_known_call(&alone) && !path.ends_with("const_get") => {
                self.member(&AbstractValue::Path(owner, made.to_vec()), &name)
            }
            _ => alone,
        }
    }

    /// The member of an object whose name is a value: `getattr(object, name)`.
    fn by_name(&mut self, object: &AbstractValue, name: Option<&AbstractValue>) -> AbstractValue {
        if matches!(object, AbstractValue::Path(path, _) if self.tables.reflective.contains(&&**path))
        {
            self.dynamic("a function is found by its name");
        }
        match name.and_then(AbstractValue::text) {
            Some(name) => {
                let name = name.to_owned();
                self.member(object, &name)
            }
            None => match object {
                AbstractValue::Path(path, _) if self.tables.holds_code(path) => {
                    AbstractValue::Unknown(Provenance::Code)
                }
                _ => AbstractValue::Unknown(Provenance::Other),
            },
        }
    }

    /// A path with `~` replaced by the home folder.
    fn behind_home(&self, value: &AbstractValue) -> AbstractValue {
        AbstractValue::Text(match value.value() {
            Value::Known(text) => Value::Known(self.tilde(&text)),
            Value::Prefix(text, origin) => Value::Prefix(self.tilde(&text), origin),
            other => other,
        })
    }

    /// A path with `~` replaced by the home folder.
    fn tilde(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.home)
            }
            _ => text.to_owned(),
        }
    }
}

/// True for a function that calls a method of Ruby by its name.
fn sends(path: &str) -> bool {
    let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
    matches!(name, "send" | "public_send" | "__send__")
}

/// True for a function that finds a method or a class of Ruby by its name.
fn finds(path: &str) -> bool {
    let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
    matches!(name, "method" | "instance_method" | "public_method" | "const_get")
}

/// The result of a method of a text.
fn method(
    name: &str,
    text: &AbstractValue,
    arguments: &[AbstractValue],
    named: &[(String, AbstractValue)],
) -> AbstractValue {
    let value = text.value();
    let first = arguments.first().and_then(AbstractValue::text);
    match (name, first) {
        ("join", _) => {
            separated(text, &arguments.iter().flat_map(AbstractValue::elements).collect::<Vec<_>>())
        }
        ("format", _) => {
            let Some(text) = text.text() else { return AbstractValue::Unknown(Provenance::Other) };
            braces(text, arguments, named)
        }
        ("decode" | "encode", Some("hex")) => AbstractValue::Unknown(Provenance::Decoded),
        ("decode", Some("rot13" | "rot_13")) => AbstractValue::Text(value.map(rot13)),
        ("decode", Some("base64")) => AbstractValue::Unknown(Provenance::Decoded),
        (
            "decode" | "encode" | "toString" | "to_s" | "to_str" | "strip" | "trim" | "chomp"
            | "rstrip" | "lstrip" | "freeze" | "dup" | "valueOf" | "to_sym",
            _,
        ) => text.clone(),
        ("lower" | "toLowerCase" | "downcase", _) => {
            AbstractValue::Text(value.map(str::to_lowercase))
        }
        ("upper" | "toUpperCase" | "upcase", _) => {
            AbstractValue::Text(value.map(str::to_uppercase))
        }
        ("reverse", _) => AbstractValue::Text(value.map(|text| text.chars().rev().collect())),
        ("replace" | "gsub" | "replaceAll" | "tr" | "sub", Some(from)) => {
            match arguments.get(1).and_then(AbstractValue::text) {
                Some(to) => AbstractValue::Text(value.map(|text| text.replace(from, to))).short(),
                None => AbstractValue::Unknown(Provenance::Other),
            }
        }
        ("concat", _) => arguments.iter().fold(text.clone(), |all, next| all.then(next)),
        ("split", separator) => match (text.text(), separator) {
            (Some(text), Some(separator)) if !separator.is_empty() => {
                AbstractValue::List(text.split(separator).map(AbstractValue::known).collect())
            }
            (Some(text), Some(_)) => AbstractValue::List(
                text.chars().map(|char| AbstractValue::known(char.to_string())).collect(),
            ),
            (Some(text), None) => {
                AbstractValue::List(text.split_whitespace().map(AbstractValue::known).collect())
            }
            _ => AbstractValue::Unknown(Provenance::Other),
        },
        ("unpack" | "unpack1" | "translate" | "map" | "chars", _) => {
            AbstractValue::Unknown(Provenance::Decoded)
        }
        _ => AbstractValue::Text(Value::Unknown(Origin::Other)),
    }
}

/// The result of a method of a list.
fn of_list(name: &str, list: &AbstractValue, arguments: &[AbstractValue]) -> AbstractValue {
    let all = list.elements();
    match name {
        "join" => {
            let comma = AbstractValue::known(",");
            let empty = AbstractValue::known("");
            let separator =
                arguments.first().unwrap_or(if arguments.is_empty() { &empty } else { &comma });
            separated(separator, &all)
        }
        "reverse" => AbstractValue::List(all.into_iter().rev().collect()),
        "concat" => AbstractValue::List(
            all.into_iter().chain(arguments.iter().flat_map(AbstractValue::elements)).collect(),
        ),
        "first" | "shift" => {
            all.first().cloned().unwrap_or(AbstractValue::Unknown(Provenance::Other))
        }
        "last" | "pop" => all.last().cloned().unwrap_or(AbstractValue::Unknown(Provenance::Other)),
        "pack" => characters(&all),
        "slice" | "sort" | "compact" | "flatten" | "each" => list.clone(),
        _ => AbstractValue::Unknown(list.element().provenance()),
    }
}

/// The result of `"{} {x}".format(…)`.
fn braces(
    text: &str,
    arguments: &[AbstractValue],
    named: &[(String, AbstractValue)],
) -> AbstractValue {
    let mut all = AbstractValue::known("");
    let mut rest = text;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((key, behind)) = after.split_once('}') else { break };
        all = all.then(&AbstractValue::known(before));
        let value = match key.parse::<usize>() {
            Ok(at) => arguments.get(at),
            Err(_) if key.is_empty() || key.starts_with([':', '!']) => {
                next += 1;
                arguments.get(next - 1)
            }
            Err(_) => named.iter().find(|(name, _)| name == key).map(|(_, value)| value),
        };
        all = all.then(value.unwrap_or(&AbstractValue::Unknown(Provenance::Other)));
        rest = behind;
    }
    all.then(&AbstractValue::known(rest))
}

/// Texts with a separator between them.
fn separated(separator: &AbstractValue, all: &[AbstractValue]) -> AbstractValue {
    let mut joined = AbstractValue::known("");
    for (at, value) in all.iter().enumerate() {
        if at > 0 {
            joined = joined.then(separator);
        }
        joined = joined.then(value);
    }
    joined
}

/// The text that some character codes make.
fn characters(all: &[AbstractValue]) -> AbstractValue {
    let text: Option<String> = all
        .iter()
        .map(|value| match value {
            AbstractValue::Number(number) => u32::try_from(*number).ok().and_then(char::from_u32),
            _ => None,
        })
        .collect();
    text.map_or(AbstractValue::Unknown(Provenance::Decoded), AbstractValue::known)
}

/// Decodes base64 in either alphabet, padded or not.
fn base64(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let padded = format!("{}{}", text, "=".repeat((4 - text.len() % 4) % 4));
    let bytes = BASE64_MIME_PERMISSIVE.decode(padded.as_bytes());
    let bytes = bytes.or_else(|_| BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes()));
    String::from_utf8(bytes.ok()?).ok()
}

/// Decodes base32.
fn base32(text: &str) -> Option<String> {
    String::from_utf8(BASE32.decode(text.as_bytes()).ok()?).ok()
}

/// Decodes hexadecimal digits.
fn hex(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    String::from_utf8(HEXLOWER_PERMISSIVE.decode(text.to_ascii_lowercase().as_bytes()).ok()?).ok()
}

/// Turns letters by half of the alphabet.
fn rot13(text: &str) -> String {
    let turn = |char: char, first: u8| char::from((char as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|char| match char {
            'a'..='z' => turn(char, b'a'),
            'A'..='Z' => turn(char, b'A'),
            other => other,
        })
        .collect()
}

/// The result of `"…%s…" % x`.
pub(super) fn formatted(text: &AbstractValue, with: &AbstractValue) -> AbstractValue {
    let Some(text) = text.text() else { return AbstractValue::Unknown(Provenance::Other) };
    let mut rest = with.elements().into_iter();
    let mut all = AbstractValue::known("");
    let mut parts = text.split('%');
    all = all.then(&AbstractValue::known(parts.next().unwrap_or_default()));
    for part in parts {
        let end = part.find(|char: char| char.is_ascii_alphabetic());
        match end {
            Some(end) if !part.is_empty() => {
                let next = rest.next().unwrap_or(AbstractValue::Unknown(Provenance::Other));
                all = all.then(&next).then(&AbstractValue::known(&part[end + 1..]));
            }
            _ => all = all.then(&AbstractValue::known(format!("%{part}"))),
        }
    }
    all
}

/// The result of `"x" * 3`.
pub(super) fn repeated(value: &AbstractValue, times: &AbstractValue) -> AbstractValue {
    match (value.text(), times) {
        (Some(text), AbstractValue::Number(times)) if (0..=64).contains(times) => {
            AbstractValue::known(text.repeat(usize::try_from(*times).unwrap_or(0))).short()
        }
        _ => AbstractValue::Unknown(Provenance::Other),
    }
}
