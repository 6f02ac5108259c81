//! What functions compute that hide a text: joins, decoders, parts of paths.

use data_encoding::{BASE32, BASE64_MIME_PERMISSIVE, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};

use super::super::value::{Origin, Value};
use super::Language;
use super::reader::Reader;
use super::thing::{From, Thing, joined};

impl Reader<'_> {
    /// What a call computes; none if it is no such function.
    #[expect(clippy::too_many_lines, reason = "a table of functions, as a match")]
    pub(super) fn computed(
        &mut self,
        path: &str,
        made: &[Thing],
        given: &[Thing],
        named: &[(String, Thing)],
    ) -> Option<Thing> {
        let first = given.first();
        let receiver = made.first();
        if let Some(thing) = self.reflected(path, made, given) {
            return Some(thing);
        }
        if let Some(name) = path.strip_prefix("text.") {
            return Some(method(name, receiver?, given, named));
        }
        if let Some(name) = path.strip_prefix("list.") {
            return Some(of_list(name, receiver?, given));
        }
        let decoded = |thing: Option<&Thing>, how: fn(&str) -> Option<String>| -> Option<Thing> {
            let thing = thing?;
            Some(match thing.text() {
                Some(text) => how(text).map_or(Thing::Unknown(From::Decoded), Thing::known),
                None if thing.from() != From::Other => Thing::Unknown(thing.from()),
                None => Thing::Unknown(From::Decoded),
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
            "codecs.decode" => match given.get(1).and_then(Thing::text) {
                Some("rot13" | "rot_13" | "rot-13") => decoded(first, |text| Some(rot13(text))),
                Some("hex" | "hex_codec") => decoded(first, hex),
                Some("base64" | "base64_codec") => decoded(first, base64),
                _ => Some(Thing::Unknown(From::Decoded)),
            },
            "str_rot13" => decoded(first, |text| Some(rot13(text))),
            "strrev" | "reverse" | "string.reverse" => {
                let thing = first?;
                Some(Thing::Text(thing.value().map(|text| text.chars().rev().collect())))
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
            | "zlib.brotliDecompressSync" => Some(Thing::Unknown(From::Decoded)),
            "Buffer.from" => match given.get(1).and_then(Thing::text) {
                Some("base64" | "base64url") => decoded(first, base64),
                Some("hex") => decoded(first, hex),
                _ => match first? {
                    Thing::List(all) => Some(characters(all)),
                    other => Some(other.clone()),
                },
            },
            "chr" | "String.fromCharCode" | "string.char" | "String.fromCodePoint" => {
                Some(characters(given))
            }
            "bytes" | "bytearray" | "array.array" => match first? {
                Thing::List(all) => Some(characters(all)),
                other => Some(other.clone()),
            },
            "str" | "String" | "repr" | "tostring" | "strval" | "unicode" | "list" | "tuple"
            | "sorted" | "set" | "iter" | "compile" | "textwrap.dedent" | "shlex.quote"
            | "trim" | "chomp" | "lc" | "uc" | "strtolower" | "String.raw" | "os.fsencode"
            | "os.fspath" | "path.normalize" | "os.path.normpath" | "os.path.abspath"
            | "os.path.realpath" | "path.resolve" | "File.expand_path" | "escapeshellarg"
            | "Promise.resolve" | "reversed"
                if given.len() == 1 =>
            {
                let thing = first?.clone();
                let home = matches!(path, "File.expand_path").then(|| self.behind_home(&thing));
                Some(home.unwrap_or(thing))
            }
            "shlex.split" => {
                let text = first?.text()?;
                Some(Thing::List(text.split_whitespace().map(Thing::known).collect()))
            }
            "join" | "implode" => {
                let (separator, rest) = given.split_first()?;
                let all: Vec<Thing> = rest.iter().flat_map(Thing::elements).collect();
                Some(separated(separator, &all))
            }
            "table.concat" => {
                Some(separated(given.get(1).unwrap_or(&Thing::known("")), &first?.elements()))
            }
            "sprintf" | "format" | "string.format" | "util.format" => {
                let rest: Vec<Thing> = given.iter().skip(1).cloned().collect();
                Some(formatted(first?, &Thing::List(rest)))
            }
            "os.path.join" | "path.join" | "File.join" | "pathlib.PurePath" => Some(Thing::Text(
                joined(&given.iter().flat_map(Thing::elements).collect::<Vec<_>>()),
            )),
            "os.path.expanduser" => Some(self.behind_home(first?)),
            "os.homedir" | "Dir.home" => Some(Thing::known(self.home)),
            "pathlib.Path.home" => {
                Some(Thing::Path("pathlib.Path()".into(), vec![Thing::known(self.home)]))
            }
            "pathlib.Path().expanduser" => {
                let path = self.behind_home(&Thing::Text(joined(made)));
                Some(Thing::Path("pathlib.Path()".into(), vec![path]))
            }
            "pathlib.Path().joinpath" => Some(Thing::Path(
                "pathlib.Path()".into(),
                made.iter().chain(given).cloned().collect(),
            )),
            "pathlib.Path().resolve" | "pathlib.Path().absolute" => {
                Some(Thing::Path("pathlib.Path()".into(), made.to_vec()))
            }
            "pathlib.Path().glob" | "pathlib.Path().rglob" | "pathlib.Path().iterdir" => {
                let folder = Thing::Text(joined(made).then(Value::known("/")));
                let inner = folder.then(&Thing::Unknown(From::Other));
                Some(Thing::List(vec![Thing::Path("pathlib.Path()".into(), vec![inner])]))
            }
            "os.getcwd" | "process.cwd" | "Dir.pwd" | "getcwd" | "cwd" | "Cwd.getcwd" => {
                Some(Thing::known("."))
            }
            "os.tmpdir" | "tempfile.gettempdir" | "Dir.tmpdir" | "sys_get_temp_dir" => {
                Some(Thing::known("/tmp"))
            }
            "tempfile.mkdtemp" | "tempfile.mktemp" | "fs.mkdtempSync" | "Dir.mktmpdir" => {
                Some(Thing::Text(Value::Prefix("/tmp/tmp".into(), Origin::Other)))
            }
            "glob.glob" | "glob.iglob" | "Dir.glob" | "glob" | "Dir" => match first?.text() {
                Some(pattern) => {
                    Some(Thing::Text(Value::Unknown(Origin::Glob(pattern.to_owned()))))
                }
                None => Some(Thing::Unknown(From::Other)),
            },
            "os.walk" => {
                let start = first.map_or(Value::known("."), Thing::value);
                let start = start.then(Value::known("/")).then(Value::Unknown(Origin::Other));
                Some(Thing::Path("files()".into(), vec![Thing::Text(start)]))
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
            | "sys.stdin.readlines" => Some(Thing::Unknown(From::Input)),
            _ => None,
        }
    }

    /// What finds a function or a module by a text.
    #[expect(clippy::too_many_lines, reason = "a table of functions, as a match")]
    fn reflected(&mut self, path: &str, made: &[Thing], given: &[Thing]) -> Option<Thing> {
        let first = given.first();
        match path {
            "getattr" | "Reflect.get" => {
                let object = first?.clone();
                Some(self.by_name(&object, given.get(1)))
            }
            "__import__"
            | "importlib.import_module"
            | "importlib.__import__"
            | "require_relative"
                if self.language == Language::Python =>
            {
                let module = self.required(&first?.clone());
                // `__import__("a.b")` is `a`.
                Some(match module {
                    Thing::Path(module, made) if path == "__import__" => {
                        let first = module.split('.').next().unwrap_or_default().to_owned();
                        Thing::Path(first, made)
                    }
                    module => module,
                })
            }
            "globals" | "locals" | "vars" if self.language == Language::Python => {
                Some(match first {
                    Some(object) => object.clone(),
                    None => Thing::path("globals()"),
                })
            }
            "operator.attrgetter" => {
                if first?.text().is_none() {
                    self.dynamic("which attribute is taken is not known");
                }
                Some(Thing::Path("attrgetter()".into(), given.to_vec()))
            }
            "attrgetter()" => {
                let name = made.first()?.text().unwrap_or_default().to_owned();
                let object = first?.clone();
                Some(name.split('.').fold(object, |thing, name| self.member(&thing, name)))
            }
            "pkgutil.resolve_name" | "pydoc.locate" => {
                let Some(name) = first?.text().map(|name| name.replace(':', ".")) else {
                    self.dynamic("which function is found is not known");
                    return Some(Thing::Unknown(From::Code));
                };
                let mut parts = name.split('.').filter(|part| !part.is_empty());
                let module = self.required(&Thing::known(parts.next().unwrap_or_default()));
                Some(parts.fold(module, |thing, name| self.member(&thing, name)))
            }
            "Closure.fromCallable" => match first? {
                Thing::Text(value) if value.as_known().is_none() => {
                    self.dynamic("which function is called is not known");
                    Some(Thing::Unknown(From::Code))
                }
                thing => Some(thing.clone()),
            },
            "globals().get" => Some(self.by_name(&Thing::path("globals()"), first)),
            // `send(:system, "…")`, `Kernel.public_send("exec", …)`, `method(:system).call("…")`
            path if self.language == Language::Ruby && sends(path) => {
                let thing = self.of_name(path, made, first?);
                Some(self.call(&thing, given.get(1..)?.to_vec(), Vec::new()))
            }
            path if self.language == Language::Ruby && finds(path) => {
                Some(self.of_name(path, made, first?))
            }
            "call_user_func" => {
                let (function, rest) = given.split_first()?;
                if function.text().is_none() && !matches!(function, Thing::Map(_)) {
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
                let called = given.iter().find(|thing| self.is_named_verb(thing));
                let (function, rest) = given.split_first()?;
                let function = called.unwrap_or(function);
                if called.is_some() {
                    self.dynamic("a function is given to something else by its name");
                }
                if matches!(function, Thing::Unknown(_)) {
                    self.dynamic("which function is called is not known");
                }
                function.text()?;
                let rest: Vec<Thing> = rest.iter().flat_map(Thing::elements).collect();
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
                let thing = Thing::Path(inner, made.to_vec());
                if matches!(how, "bind" | "unbind" | "curry") {
                    return Some(thing);
                }
                let rest: Vec<Thing> = given.get(skip..)?.to_vec();
                let rest = if how == "apply" {
                    rest.iter().flat_map(Thing::elements).collect()
                } else {
                    rest
                };
                Some(self.call(&thing, rest, Vec::new()))
            }
        }
    }

    /// True for the name of a function that does something.
    fn is_named_verb(&self, thing: &Thing) -> bool {
        thing.text().is_some_and(|name| self.is_verb(&Thing::path(name)))
    }

    /// What a method of Ruby finds by its name.
    fn of_name(&mut self, path: &str, made: &[Thing], name: &Thing) -> Thing {
        let Some(name) = name.text().map(str::to_owned) else {
            self.dynamic("which function is called is not known");
            return Thing::Unknown(From::Code);
        };
        let alone = self.name(&name);
        let owner = path.rsplit_once('.').map(|(owner, _)| owner.to_owned());
        match owner {
            Some(owner) if !self.is_verb(&alone) && !path.ends_with("const_get") => {
                self.member(&Thing::Path(owner, made.to_vec()), &name)
            }
            _ => alone,
        }
    }

    fn by_name(&mut self, object: &Thing, name: Option<&Thing>) -> Thing {
        if matches!(object, Thing::Path(path, _) if self.tables.reflective.contains(&&**path)) {
            self.dynamic("a function is found by its name");
        }
        match name.and_then(Thing::text) {
            Some(name) => {
                let name = name.to_owned();
                self.member(object, &name)
            }
            None => match object {
                Thing::Path(path, _) if self.tables.holds_code(path) => Thing::Unknown(From::Code),
                _ => Thing::Unknown(From::Other),
            },
        }
    }

    /// A path behind `~`.
    fn behind_home(&self, thing: &Thing) -> Thing {
        Thing::Text(match thing.value() {
            Value::Known(text) => Value::Known(self.tilde(&text)),
            Value::Prefix(text, origin) => Value::Prefix(self.tilde(&text), origin),
            other => other,
        })
    }

    fn tilde(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.home)
            }
            _ => text.to_owned(),
        }
    }
}

/// True for what calls a method of Ruby by its name.
fn sends(path: &str) -> bool {
    let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
    matches!(name, "send" | "public_send" | "__send__")
}

/// True for what finds a method or a class of Ruby by its name.
fn finds(path: &str) -> bool {
    let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
    matches!(name, "method" | "instance_method" | "public_method" | "const_get")
}

/// A method of a text.
fn method(name: &str, text: &Thing, given: &[Thing], named: &[(String, Thing)]) -> Thing {
    let value = text.value();
    let first = given.first().and_then(Thing::text);
    match (name, first) {
        ("join", _) => separated(text, &given.iter().flat_map(Thing::elements).collect::<Vec<_>>()),
        ("format", _) => {
            let Some(text) = text.text() else { return Thing::Unknown(From::Other) };
            braces(text, given, named)
        }
        ("decode" | "encode", Some("hex")) => Thing::Unknown(From::Decoded),
        ("decode", Some("rot13" | "rot_13")) => Thing::Text(value.map(rot13)),
        ("decode", Some("base64")) => Thing::Unknown(From::Decoded),
        (
            "decode" | "encode" | "toString" | "to_s" | "to_str" | "strip" | "trim" | "chomp"
            | "rstrip" | "lstrip" | "freeze" | "dup" | "valueOf" | "to_sym",
            _,
        ) => text.clone(),
        ("lower" | "toLowerCase" | "downcase", _) => Thing::Text(value.map(str::to_lowercase)),
        ("upper" | "toUpperCase" | "upcase", _) => Thing::Text(value.map(str::to_uppercase)),
        ("reverse", _) => Thing::Text(value.map(|text| text.chars().rev().collect())),
        ("replace" | "gsub" | "replaceAll" | "tr" | "sub", Some(from)) => {
            match given.get(1).and_then(Thing::text) {
                Some(to) => Thing::Text(value.map(|text| text.replace(from, to))).short(),
                None => Thing::Unknown(From::Other),
            }
        }
        ("concat", _) => given.iter().fold(text.clone(), |all, next| all.then(next)),
        ("split", separator) => match (text.text(), separator) {
            (Some(text), Some(separator)) if !separator.is_empty() => {
                Thing::List(text.split(separator).map(Thing::known).collect())
            }
            (Some(text), Some(_)) => {
                Thing::List(text.chars().map(|char| Thing::known(char.to_string())).collect())
            }
            (Some(text), None) => Thing::List(text.split_whitespace().map(Thing::known).collect()),
            _ => Thing::Unknown(From::Other),
        },
        ("unpack" | "unpack1" | "translate" | "map" | "chars", _) => Thing::Unknown(From::Decoded),
        _ => Thing::Text(Value::Unknown(Origin::Other)),
    }
}

/// A method of a list.
fn of_list(name: &str, list: &Thing, given: &[Thing]) -> Thing {
    let all = list.elements();
    match name {
        "join" => {
            let comma = Thing::known(",");
            let empty = Thing::known("");
            let separator = given.first().unwrap_or(if given.is_empty() { &empty } else { &comma });
            separated(separator, &all)
        }
        "reverse" => Thing::List(all.into_iter().rev().collect()),
        "concat" => {
            Thing::List(all.into_iter().chain(given.iter().flat_map(Thing::elements)).collect())
        }
        "first" | "shift" => all.first().cloned().unwrap_or(Thing::Unknown(From::Other)),
        "last" | "pop" => all.last().cloned().unwrap_or(Thing::Unknown(From::Other)),
        "pack" => characters(&all),
        "slice" | "sort" | "compact" | "flatten" | "each" => list.clone(),
        _ => Thing::Unknown(list.element().from()),
    }
}

/// `"{} {x}".format(…)`
fn braces(text: &str, given: &[Thing], named: &[(String, Thing)]) -> Thing {
    let mut all = Thing::known("");
    let mut rest = text;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((key, behind)) = after.split_once('}') else { break };
        all = all.then(&Thing::known(before));
        let thing = match key.parse::<usize>() {
            Ok(at) => given.get(at),
            Err(_) if key.is_empty() || key.starts_with([':', '!']) => {
                next += 1;
                given.get(next - 1)
            }
            Err(_) => named.iter().find(|(name, _)| name == key).map(|(_, thing)| thing),
        };
        all = all.then(thing.unwrap_or(&Thing::Unknown(From::Other)));
        rest = behind;
    }
    all.then(&Thing::known(rest))
}

fn separated(separator: &Thing, all: &[Thing]) -> Thing {
    let mut joined = Thing::known("");
    for (at, thing) in all.iter().enumerate() {
        if at > 0 {
            joined = joined.then(separator);
        }
        joined = joined.then(thing);
    }
    joined
}

/// The text of some character codes.
fn characters(all: &[Thing]) -> Thing {
    let text: Option<String> = all
        .iter()
        .map(|thing| match thing {
            Thing::Number(number) => u32::try_from(*number).ok().and_then(char::from_u32),
            _ => None,
        })
        .collect();
    text.map_or(Thing::Unknown(From::Decoded), Thing::known)
}

fn base64(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let padded = format!("{}{}", text, "=".repeat((4 - text.len() % 4) % 4));
    let bytes = BASE64_MIME_PERMISSIVE.decode(padded.as_bytes());
    let bytes = bytes.or_else(|_| BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes()));
    String::from_utf8(bytes.ok()?).ok()
}

fn base32(text: &str) -> Option<String> {
    String::from_utf8(BASE32.decode(text.as_bytes()).ok()?).ok()
}

fn hex(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    String::from_utf8(HEXLOWER_PERMISSIVE.decode(text.to_ascii_lowercase().as_bytes()).ok()?).ok()
}

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

/// `"…%s…" % x`
pub(super) fn formatted(text: &Thing, with: &Thing) -> Thing {
    let Some(text) = text.text() else { return Thing::Unknown(From::Other) };
    let mut rest = with.elements().into_iter();
    let mut all = Thing::known("");
    let mut parts = text.split('%');
    all = all.then(&Thing::known(parts.next().unwrap_or_default()));
    for part in parts {
        let end = part.find(|char: char| char.is_ascii_alphabetic());
        match end {
            Some(end) if !part.is_empty() => {
                let next = rest.next().unwrap_or(Thing::Unknown(From::Other));
                all = all.then(&next).then(&Thing::known(&part[end + 1..]));
            }
            _ => all = all.then(&Thing::known(format!("%{part}"))),
        }
    }
    all
}

/// `"x" * 3`
pub(super) fn repeated(thing: &Thing, times: &Thing) -> Thing {
    match (thing.text(), times) {
        (Some(text), Thing::Number(times)) if (0..=64).contains(times) => {
            Thing::known(text.repeat(usize::try_from(*times).unwrap_or(0))).short()
        }
        _ => Thing::Unknown(From::Other),
    }
}
